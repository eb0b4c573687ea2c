/* listener_test.c - listening on TCP ports and unix sockets. */
#include "troupe/stream.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/un.h>

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
