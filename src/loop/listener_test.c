/* listener_test.c - listening on TCP ports and unix sockets. */
#include "troupe/stream.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "loop/room.h"
#include "support/memory.h"
#include "support/stream_bench.h"

/* ---- Listening ------------------------------------------------------------------------------- */

static void an_address_in_use_is_told_and_free_after_closing(void **state)
{
    struct bench *b = *state;
    tp_listener *second = NULL;
    char wanted[1300];

    listen_on_tcp(b);
    assert_int_equal(tp_listener_open(&second, b->loop, b->address, on_accept, b, &b->err),
                     TP_E_EXISTS);
    (void)snprintf(wanted, sizeof wanted, "listen on %s: another program listens there",
                   b->address);
    assert_string_equal(b->err.text, wanted);
    tp_listener_close(b->listener);
    listen_on(b, b->address);
    tp_listener_close(NULL);
}

static void an_address_that_was_just_used_can_be_used_again(void **state)
{
    struct bench *b = *state;

    listen_on_tcp(b);
    connect_both(b);
    close_end(&b->server); /* first, so that the kernel keeps its address for a while */
    close_end(&b->client);
    tp_listener_close(b->listener);
    listen_on(b, b->address);
}

static void many_clients_are_accepted(void **state)
{
    enum { MANY = 100 }; /* more than in one turn */
    struct bench *b = *state;

    listen_on_tcp(b);
    for (int i = 0; i < MANY; i++) {
        close(connect_socket(b));
    }
    while (b->accepted < MANY) {
        tp_loop_turn(b->loop, true);
    }
}

static void a_listener_can_be_closed_when_it_accepts(void **state)
{
    struct bench *b = *state;

    listen_on_tcp(b);
    b->closes_listener = true;
    connect_both(b);
    assert_null(b->listener);
    assert_int_equal(offer(&b->client, 0, 10), 10);
    wait_for_bytes(b, &b->server, 10);
}

static void set_flag(void *context)
{
    *(bool *)context = true;
}

/* How often the loop turns, waiting each time, in 20 ms. */
static unsigned turns_of_a_while(struct bench *b)
{
    bool over = false;
    unsigned turns = 0;
    tp_timer *timer = NULL;

    assert_int_equal(tp_timer_create(&timer, b->loop, set_flag, &over, &b->err), TP_OK);
    tp_timer_at(timer, tp_clock_now_ns(tp_clock_real()) + 20 * TP_NS_PER_MS);
    while (!over) {
        tp_loop_turn(b->loop, true);
        turns++;
    }
    tp_timer_destroy(timer);
    return turns;
}

static void without_descriptors_a_client_waits_until_there_are_some(void **state)
{
    struct bench *b = *state;
    struct rlimit limit;

    listen_on_tcp(b);
    connect_client(b);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const struct rlimit none = {.rlim_cur = 1, .rlim_max = limit.rlim_max}; /* for poll() */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    turn_until(b, &b->client.connected); /* by the kernel */
    const unsigned turns = turns_of_a_while(b);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(b->accepted, 0);
    assert_in_range(turns, 1, 10); /* it does not turn in a circle */
    while (b->accepted == 0) {
        tp_loop_turn(b->loop, true);
    }
    assert_int_equal(offer(&b->client, 0, 10), 10);
    wait_for_bytes(b, &b->server, 10);
}

static void a_listener_that_waits_for_descriptors_can_be_closed(void **state)
{
    struct bench *b = *state;
    struct rlimit limit;

    listen_on_tcp(b);
    connect_client(b);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const struct rlimit none = {.rlim_cur = 1, .rlim_max = limit.rlim_max}; /* for poll() */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    turn_until(b, &b->client.connected);
    turns_of_a_while(b);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    tp_listener_close(b->listener);
    b->listener = NULL;
    wait_for_end(b, &b->client);
}

static void without_memory_a_client_is_turned_away_and_the_next_one_served(void **state)
{
    struct bench *b = *state;

    listen_on_tcp(b);
    connect_client(b);
    memory_fail_at(1);
    wait_for_end(b, &b->client);
    const bool failed = memory_has_failed();
    memory_fail_at(0);
    assert_true(failed);
    close_end(&b->client);
    b->client.connected = false;
    b->client.ended = 0;
    connect_both(b);
}

/* ---- Many who come at once ------------------------------------------------------------------- */

enum { CROWD = 700 };

struct crowd {
    struct bench *bench;
    tp_listener *listener;
    int sockets[CROWD];
    unsigned count;
    unsigned accepted;
    int64_t since_ns[CROWD]; /* of those that were accepted */
    bool slow;               /* each needs as long as a turn has for all */
    unsigned asked;          /* for room */
    unsigned makes;          /* room, so many times; then later */
    size_t waiting;          /* when room was asked for last */
};

static void on_crowd_accept(void *context, tp_stream *stream)
{
    struct crowd *crowd = context;
    const int64_t begun_ns = tp_clock_now_ns(tp_clock_real());

    crowd->since_ns[crowd->accepted++] = tp_stream_since_ns(stream);
    tp_stream_close(stream);
    while (crowd->slow && tp_clock_now_ns(tp_clock_real()) - begun_ns < TP_NS_PER_MS) {
    }
}

static tpi_room make_room(void *context, size_t waiting)
{
    struct crowd *crowd = context;

    crowd->asked++;
    crowd->waiting = waiting;
    return crowd->asked <= crowd->makes ? TPI_ROOM_MADE : TPI_ROOM_LATER;
}

/* Connect without a turn of the loop; whether the kernel has taken it. */
static bool join(struct crowd *crowd)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)tp_listener_port(crowd->listener)),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct pollfd one = {.fd = fd, .events = POLLOUT};

    assert_true(fd >= 0 && crowd->count < CROWD);
    crowd->sockets[crowd->count++] = fd;
    (void)connect(fd, (const struct sockaddr *)&to, sizeof to);
    return poll(&one, 1, 0) == 1 && (one.revents & (POLLERR | POLLHUP)) == 0;
}

/* The client resets what it has connected. */
static void reset(struct crowd *crowd, unsigned number)
{
    const struct linger at_once = {.l_onoff = 1};

    assert_int_equal(
        setsockopt(crowd->sockets[number], SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
    close(crowd->sockets[number]);
    crowd->sockets[number] = -1;
}

static void open_crowd(struct crowd *crowd, struct bench *b)
{
    *crowd = (struct crowd){.bench = b};
    assert_int_equal(tp_listener_open(&crowd->listener, b->loop, "tcp:127.0.0.1:0", on_crowd_accept,
                                      crowd, &b->err),
                     TP_OK);
}

static void close_crowd(struct crowd *crowd)
{
    for (unsigned i = 0; i < crowd->count; i++) {
        if (crowd->sockets[i] >= 0) {
            close(crowd->sockets[i]);
        }
    }
    tp_listener_close(crowd->listener);
}

/* As many as the system lets wait, if those are less. */
static unsigned longest_queue(void)
{
    FILE *file = fopen("/proc/sys/net/core/somaxconn", "re");
    unsigned most = 0;

    assert_non_null(file);
    assert_int_equal(fscanf(file, "%u", &most), 1);
    (void)fclose(file);
    return most;
}

static void hundreds_that_come_at_once_wait_in_the_kernel(void **state)
{
    struct crowd crowd;
    const unsigned most = longest_queue();

    open_crowd(&crowd, *state);
    while (crowd.count < CROWD && crowd.count < most) {
        assert_true(join(&crowd));
    }
    while (crowd.accepted < crowd.count) {
        tp_loop_turn(crowd.bench->loop, true);
    }
    close_crowd(&crowd);
}

static void a_turn_accepts_for_a_limited_time(void **state)
{
    struct crowd crowd;

    open_crowd(&crowd, *state);
    crowd.slow = true;
    for (unsigned i = 0; i < 5; i++) {
        assert_true(join(&crowd));
    }
    for (unsigned i = 1; i <= 5; i++) {
        tp_loop_turn(crowd.bench->loop, true);
        assert_int_equal(crowd.accepted, i);
    }
    close_crowd(&crowd);
}

/* However long the queue is never empty: what comes last is not as old as what came first. */
static void the_age_of_a_connection_is_that_of_its_wait(void **state)
{
    struct crowd crowd;

    open_crowd(&crowd, *state);
    crowd.slow = true; /* one in a turn */
    for (unsigned i = 0; i < 6; i++) {
        assert_true(join(&crowd) && join(&crowd));
        tp_loop_turn(crowd.bench->loop, true);
    }
    while (crowd.accepted < 12) {
        tp_loop_turn(crowd.bench->loop, true);
    }
    assert_true(crowd.since_ns[1] == crowd.since_ns[0]);
    assert_true(crowd.since_ns[2] > crowd.since_ns[1]);
    assert_true(crowd.since_ns[11] > crowd.since_ns[2]);
    close_crowd(&crowd);
}

static void a_connection_that_was_reset_before_becomes_no_stream(void **state)
{
    struct crowd crowd;

    open_crowd(&crowd, *state);
    for (unsigned i = 0; i < 20; i++) {
        assert_true(join(&crowd));
    }
    for (unsigned i = 0; i < 19; i++) {
        reset(&crowd, i);
    }
    shutdown(crowd.sockets[19], SHUT_WR); /* it may still read */
    tp_loop_turn(crowd.bench->loop, true);
    assert_int_equal(crowd.accepted, 1);
    close_crowd(&crowd);
}

/* Whoever makes room is asked for several at once, and told how many wait. */
static void when_descriptors_are_scarce_many_make_room_in_a_turn(void **state)
{
    struct crowd crowd;
    struct rlimit limit;

    open_crowd(&crowd, *state);
    tpi_loop_set_room(crowd.bench->loop, make_room, &crowd);
    for (unsigned i = 0; i < 30; i++) {
        assert_true(join(&crowd));
    }
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const struct rlimit scarce = {.rlim_cur = (rlim_t)crowd.sockets[29] + 3,
                                  .rlim_max = limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &scarce), 0);
    crowd.makes = 1000;
    tp_loop_turn(crowd.bench->loop, true);
    assert_int_equal(crowd.asked, 16);
    assert_int_equal(crowd.waiting, 30);
    crowd.makes = 20;
    tp_loop_turn(crowd.bench->loop, true);
    assert_int_equal(crowd.asked, 21); /* until there is none */
    tp_loop_turn(crowd.bench->loop, true);
    assert_int_equal(crowd.asked, 22);
    tp_loop_turn(crowd.bench->loop, false); /* it rests */
    assert_int_equal(crowd.asked, 22);
    assert_int_equal(crowd.accepted, 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    while (crowd.accepted < 30) {
        tp_loop_turn(crowd.bench->loop, true);
    }
    close_crowd(&crowd);
    tpi_loop_set_room(crowd.bench->loop, NULL, NULL);
}

static void rooms_that_were_made_for_another_listener_are_left_to_it(void **state)
{
    struct crowd crowd;

    open_crowd(&crowd, *state);
    assert_true(join(&crowd));
    tpi_loop_add_promised(crowd.bench->loop, 1);
    tp_loop_turn(crowd.bench->loop, true);
    tp_loop_turn(crowd.bench->loop, true);
    assert_int_equal(crowd.accepted, 0);
    tpi_loop_add_promised(crowd.bench->loop, -1);
    while (crowd.accepted == 0) {
        tp_loop_turn(crowd.bench->loop, true);
    }
    close_crowd(&crowd);
}

/* A listener that has to ask later is the first that gets room. */
static void listeners_get_room_in_turns(void **state)
{
    struct bench *b = *state;
    struct crowd crowd = {.makes = 100};
    const char first = 0, second = 0;

    tpi_loop_set_room(b->loop, make_room, &crowd);
    tpi_loop_join_line(b->loop, &first);
    tpi_loop_join_line(b->loop, &second);
    assert_int_equal(tpi_loop_make_room(b->loop, &second), TPI_ROOM_LATER);
    assert_int_equal(crowd.asked, 0);
    assert_int_equal(tpi_loop_make_room(b->loop, NULL), TPI_ROOM_MADE);
    assert_int_equal(tpi_loop_make_room(b->loop, &first), TPI_ROOM_MADE);
    assert_int_equal(tpi_loop_make_room(b->loop, &second), TPI_ROOM_MADE);
    tpi_loop_join_line(b->loop, &first);
    tpi_loop_leave_line(b->loop, &second);
    assert_int_equal(tpi_loop_make_room(b->loop, &second), TPI_ROOM_LATER);
    tpi_loop_leave_line(b->loop, &first); /* nothing waits there any more */
    assert_int_equal(tpi_loop_make_room(b->loop, &second), TPI_ROOM_MADE);
    tpi_loop_set_room(b->loop, NULL, NULL);
}

/* ---- Unix sockets ---------------------------------------------------------------------------- */

static bool exists(const char *path)
{
    struct stat file;

    return lstat(path, &file) == 0;
}

static void a_unix_socket_is_removed_with_its_listener(void **state)
{
    struct bench *b = *state;

    listen_on_unix(b);
    assert_true(exists(path_of(b)));
    tp_listener_close(b->listener);
    b->listener = NULL;
    assert_false(exists(path_of(b)));
}

static void a_unix_socket_that_somebody_listens_on_is_in_use(void **state)
{
    struct bench *b = *state;
    tp_listener *second = NULL;
    char wanted[1300];

    listen_on_unix(b);
    assert_int_equal(tp_listener_open(&second, b->loop, b->address, on_accept, b, &b->err),
                     TP_E_EXISTS);
    (void)snprintf(wanted, sizeof wanted, "listen on %s: another program listens there",
                   b->address);
    assert_string_equal(b->err.text, wanted);
    connect_both(b); /* the first one still works */
}

/* A plain socket that listens on the path, with hardly any room for waiting clients. */
static int listen_plainly(const struct bench *b)
{
    struct sockaddr_un on = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    memcpy(on.sun_path, path_of(b), strlen(path_of(b)) + 1);
    assert_int_equal(bind(fd, (struct sockaddr *)&on, sizeof on), 0);
    assert_int_equal(listen(fd, 0), 0);
    return fd;
}

/* Leave a socket behind as a server that was killed does. */
static void leave_stale_socket(const struct bench *b)
{
    close(listen_plainly(b));
}

/* Connect to the path without waiting; -1 if there is no room. */
static int try_connect(const struct bench *b)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    memcpy(to.sun_path, path_of(b), strlen(path_of(b)) + 1);
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    if (connect(fd, (struct sockaddr *)&to, sizeof to) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static void a_unix_socket_of_a_server_that_is_too_busy_is_in_use(void **state)
{
    enum { MANY = 100 };
    struct bench *b = *state;
    int clients[MANY];
    int count = 0;

    choose_path(b);
    int fd = listen_plainly(b);
    while (count < MANY && (clients[count] = try_connect(b)) >= 0) {
        count++;
    }
    assert_true(count < MANY);
    assert_int_equal(tp_listener_open(&b->listener, b->loop, b->address, on_accept, b, &b->err),
                     TP_E_IO);
    assert_true(exists(path_of(b)));
    while (count > 0) {
        close(clients[--count]);
    }
    close(fd);
    unlink(path_of(b));
}

static void a_unix_socket_that_a_dead_server_left_is_replaced(void **state)
{
    struct bench *b = *state;

    choose_path(b);
    leave_stale_socket(b);
    assert_true(exists(path_of(b)));
    listen_on(b, b->address);
    connect_both(b);
}

static void a_file_in_the_place_of_a_unix_socket_is_left_alone(void **state)
{
    struct bench *b = *state;

    choose_path(b);
    int fd = open(path_of(b), O_CREAT | O_WRONLY, 0600);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(tp_listener_open(&b->listener, b->loop, b->address, on_accept, b, &b->err),
                     TP_E_EXISTS);
    assert_true(exists(path_of(b)));
    unlink(path_of(b));
}

static void a_unix_socket_in_a_folder_that_is_missing_is_told(void **state)
{
    struct bench *b = *state;
    char wanted[1300];

    (void)snprintf(b->address, sizeof b->address, "unix:%s/none/socket", b->folder);
    assert_int_equal(tp_listener_open(&b->listener, b->loop, b->address, on_accept, b, &b->err),
                     TP_E_IO);
    (void)snprintf(wanted, sizeof wanted, "listen on %s: no such file or directory", b->address);
    assert_string_equal(b->err.text, wanted);
}

static void the_socket_of_a_successor_is_not_removed(void **state)
{
    struct bench *b = *state;
    char kept[1100];

    listen_on_unix(b);
    (void)snprintf(kept, sizeof kept, "%s/old", b->folder);
    assert_int_equal(rename(path_of(b), kept), 0);
    leave_stale_socket(b);
    tp_listener_close(b->listener);
    b->listener = NULL;
    assert_true(exists(path_of(b)));
    unlink(path_of(b));
    unlink(kept);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static tp_status open_listener_and_client(void *context)
{
    struct bench *b = context;
    tp_loop *loop = NULL;
    tp_listener *listener = NULL;
    tp_stream *stream = NULL;

    tp_status status = tp_loop_create(&loop, tp_clock_real(), &b->err);
    if (status == TP_OK) {
        status = tp_listener_open(&listener, loop, "tcp:127.0.0.1:0", on_accept, b, &b->err);
    }
    if (status == TP_OK) {
        status = tp_stream_connect(&stream, loop, "tcp:127.0.0.1:1", on_connected, b, &b->err);
    }
    tp_stream_close(stream);
    tp_listener_close(listener);
    tp_loop_destroy(loop);
    return status;
}

static void running_out_of_memory_is_told(void **state)
{
    struct bench *b = *state;

    memory_sweep(open_listener_and_client, b);
    assert_string_equal(b->err.text, "connect to tcp:127.0.0.1:1: not enough memory");
}

int main(void)
{
#define PLAIN_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        PLAIN_TEST(an_address_in_use_is_told_and_free_after_closing),
        PLAIN_TEST(an_address_that_was_just_used_can_be_used_again),
        PLAIN_TEST(many_clients_are_accepted),
        PLAIN_TEST(a_listener_can_be_closed_when_it_accepts),
        PLAIN_TEST(without_descriptors_a_client_waits_until_there_are_some),
        PLAIN_TEST(a_listener_that_waits_for_descriptors_can_be_closed),
        PLAIN_TEST(without_memory_a_client_is_turned_away_and_the_next_one_served),
        PLAIN_TEST(hundreds_that_come_at_once_wait_in_the_kernel),
        PLAIN_TEST(a_turn_accepts_for_a_limited_time),
        PLAIN_TEST(the_age_of_a_connection_is_that_of_its_wait),
        PLAIN_TEST(a_connection_that_was_reset_before_becomes_no_stream),
        PLAIN_TEST(when_descriptors_are_scarce_many_make_room_in_a_turn),
        PLAIN_TEST(rooms_that_were_made_for_another_listener_are_left_to_it),
        PLAIN_TEST(listeners_get_room_in_turns),
        PLAIN_TEST(a_unix_socket_is_removed_with_its_listener),
        PLAIN_TEST(a_unix_socket_that_somebody_listens_on_is_in_use),
        PLAIN_TEST(a_unix_socket_of_a_server_that_is_too_busy_is_in_use),
        PLAIN_TEST(a_unix_socket_that_a_dead_server_left_is_replaced),
        PLAIN_TEST(a_file_in_the_place_of_a_unix_socket_is_left_alone),
        PLAIN_TEST(a_unix_socket_in_a_folder_that_is_missing_is_told),
        PLAIN_TEST(the_socket_of_a_successor_is_not_removed),
        PLAIN_TEST(running_out_of_memory_is_told),
    };
#undef PLAIN_TEST

    return cmocka_run_group_tests_name("loop/listener", tests, NULL, NULL);
}
