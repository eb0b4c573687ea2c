/* stream_test.c - streams over TCP on the loopback interface and over unix sockets, both ends on
 * one loop. */
#include "troupe/stream.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>

#include "support/memory.h"
#include "support/stream_bench.h"
#include "support/uv_memory.h"

/* ---- Talking --------------------------------------------------------------------------------- */

static void bytes_go_both_ways(void **state)
{
    struct bench *b = *state;

    assert_int_equal(offer(&b->client, 0, 1000), 1000);
    wait_for_bytes(b, &b->server, 1000);
    assert_int_equal(offer(&b->server, 0, 3), 3);
    assert_int_equal(offer(&b->server, 3, 500), 500);
    wait_for_bytes(b, &b->client, 503);
    assert_int_equal(b->client.written, 0); /* nothing had to wait */
    assert_int_equal(b->server.written, 0);
}

static void bytes_come_in_pieces_of_the_room_that_is_given(void **state)
{
    struct bench *b = *state;

    b->server.room_size = 10;
    assert_int_equal(offer(&b->client, 0, 995), 995);
    wait_for_bytes(b, &b->server, 995);
    assert_true(b->server.reads >= 100);
}

static void writing_nothing_is_fine(void **state)
{
    struct bench *b = *state;
    const tp_piece empty[2] = {{.bytes = "", .length = 0}, {.bytes = NULL, .length = 0}};

    assert_int_equal(tp_stream_try_write(b->client.stream, NULL, 0), 0);
    assert_int_equal(tp_stream_try_write(b->client.stream, empty, 2), 0);
}

static void a_slow_reader_makes_the_writer_wait_and_nothing_is_lost(void **state)
{
    struct bench *b = *state;

    tp_stream_pause(b->client.stream);
    size_t total = fill(&b->server);
    assert_int_equal(offer(&b->server, total, 10), 0);
    assert_int_equal(b->server.written, 0);
    tp_stream_resume(b->client.stream);
    for (unsigned round = 1; round <= 5; round++) {
        while (b->server.written < round) {
            tp_loop_turn(b->loop, true);
        }
        assert_int_equal(b->server.written, round);
        total += fill_from(&b->server, total);
    }
    wait_for_bytes(b, &b->client, total);
}

static void what_fits_just_so_needs_no_further_notice(void **state)
{
    struct bench *b = *state;

    tp_stream_pause(b->client.stream);
    const size_t total = fill(&b->server);
    tp_stream_resume(b->client.stream);
    while (b->server.written == 0) {
        tp_loop_turn(b->loop, true);
    }
    wait_for_bytes(b, &b->client, total);
    for (int i = 0; i < 3; i++) {
        tp_loop_turn(b->loop, false);
    }
    assert_int_equal(b->server.written, 1);
}

static void that_all_is_sent_is_told_when_it_is_asked_for(void **state)
{
    struct bench *b = *state;
    size_t total = 0;

    tp_stream_pause(b->client.stream);
    assert_true(tp_stream_has_sent(b->server.stream));
    while (tp_stream_has_sent(b->server.stream)) { /* all of it is taken */
        assert_int_equal(offer(&b->server, total, 50), 50);
        total += 50;
    }
    tp_loop_turn(b->loop, false);
    assert_int_equal(b->server.written, 0);
    tp_stream_resume(b->client.stream);
    while (b->server.written == 0) {
        tp_loop_turn(b->loop, true);
    }
    assert_true(tp_stream_has_sent(b->server.stream));
    close_end(&b->server);
    wait_for_bytes(b, &b->client, total);
}

static void what_would_be_old_later_is_taken_at_once_or_not_at_all(void **state)
{
    struct bench *b = *state;
    const tp_piece piece = {.bytes = "xxxx", .length = 4};

    tp_stream_pause(b->client.stream);
    const size_t total = fill(&b->server);
    assert_int_equal(tp_stream_try_write_at_once(b->server.stream, &piece, 1), 0);
    tp_stream_resume(b->client.stream);
    wait_for_bytes(b, &b->client, total);
    for (int i = 0; i < 3; i++) {
        tp_loop_turn(b->loop, false);
    }
    assert_int_equal(b->client.received, total);
    assert_int_equal(b->server.written, 1); /* for what fill() had offered */
}

static void unread_bytes_are_as_old_as_the_pause(void **state)
{
    struct bench *b = *state;

    const int64_t before_ns = tp_clock_now_ns(tp_clock_real());
    tp_loop_turn(b->loop, false);
    tp_stream_pause(b->server.stream);
    const int64_t paused_ns = tp_clock_now_ns(tp_clock_real());
    assert_int_equal(offer(&b->client, 0, 25), 25);
    for (int i = 0; i < 3; i++) {
        tp_loop_turn(b->loop, false);
    }
    assert_in_range(tp_stream_since_ns(b->server.stream), before_ns, paused_ns);
    tp_stream_resume(b->server.stream);
    wait_for_bytes(b, &b->server, 25);
    for (int i = 0; i < 3; i++) {
        tp_loop_turn(b->loop, false);
    }
    assert_true(tp_stream_since_ns(b->server.stream) > paused_ns);
}

static void a_paused_stream_reads_nothing_until_it_is_resumed(void **state)
{
    struct bench *b = *state;

    b->server.pauses = true;
    b->server.room_size = 10;
    assert_int_equal(offer(&b->client, 0, 25), 25);
    wait_for_bytes(b, &b->server, 10);
    for (int i = 0; i < 3; i++) {
        tp_loop_turn(b->loop, false);
    }
    assert_int_equal(b->server.received, 10);
    assert_int_equal(tp_stream_unread(b->server.stream), 15);
    tp_stream_pause(b->server.stream); /* again changes nothing */
    tp_stream_resume(b->server.stream);
    tp_stream_resume(b->server.stream);
    wait_for_bytes(b, &b->server, 20);
    tp_stream_resume(b->server.stream);
    wait_for_bytes(b, &b->server, 25);
}

static void a_paused_stream_tells_that_its_peer_has_left(void **state)
{
    struct bench *b = *state;

    tp_stream_pause(b->server.stream);
    assert_int_equal(offer(&b->client, 0, 25), 25);
    while (tp_stream_unread(b->server.stream) < 25) {
        tp_loop_turn(b->loop, false);
    }
    assert_false(tp_stream_has_left(b->server.stream));
    close_end(&b->client);
    while (!tp_stream_has_left(b->server.stream)) {
        tp_loop_turn(b->loop, false);
    }
    assert_int_equal(tp_stream_unread(b->server.stream), 25);
}

/* ---- The end --------------------------------------------------------------------------------- */

static void a_peer_that_closes_is_an_orderly_end_behind_its_last_bytes(void **state)
{
    struct bench *b = *state;

    assert_int_equal(offer(&b->client, 0, 10000), 10000);
    close_end(&b->client);
    wait_for_end(b, &b->server);
    assert_int_equal(b->server.received, 10000);
    assert_int_equal(b->server.end_status, TP_OK);
    assert_int_equal(tp_stream_error(b->server.stream, &b->err), TP_OK);
    tp_stream_resume(b->server.stream); /* changes nothing any more */
    tp_stream_pause(b->server.stream);
    assert_true(offer(&b->server, 0, 1) < 0);
}

static void a_connection_that_is_reset_is_a_failure_that_says_why(void **state)
{
    struct bench *b = *state;
    char wanted[200];

    b->client.room_size = 1;
    b->client.pauses = true;
    assert_int_equal(offer(&b->server, 0, 2), 2);
    wait_for_bytes(b, &b->client, 1);
    close_end(&b->client); /* with a byte that it has not read: the kernel resets */
    wait_for_end(b, &b->server);
    assert_int_equal(b->server.end_status, TP_E_IO);
    assert_int_equal(tp_stream_error(b->server.stream, &b->err), TP_E_IO);
    (void)snprintf(wanted, sizeof wanted, "%s: connection reset by peer",
                   tp_stream_peer(b->server.stream));
    assert_string_equal(b->err.text, wanted);
}

/* Write until the stream is found broken. */
static void write_until_broken(struct bench *b, struct end *end)
{
    while (offer(end, 0, 1000) >= 0) {
        tp_loop_turn(b->loop, false);
        if (end->ended > 0) {
            return;
        }
    }
    assert_true(offer(end, 0, 1) < 0);
}

static void writing_to_a_peer_that_is_gone_fails_and_the_end_is_told_once(void **state)
{
    struct bench *b = *state;

    close_end(&b->client);
    write_until_broken(b, &b->server);
    wait_for_end(b, &b->server);
}

static void the_end_is_told_to_a_paused_stream_too_when_it_writes(void **state)
{
    struct bench *b = *state;

    tp_stream_pause(b->server.stream);
    close_end(&b->client);
    write_until_broken(b, &b->server);
    wait_for_end(b, &b->server);
    assert_int_equal(b->server.end_status, TP_E_IO);
    assert_int_equal(tp_stream_error(b->server.stream, &b->err), TP_E_IO);
}

static void the_end_is_told_to_a_broken_stream_that_is_paused_before_it_reads_on(void **state)
{
    struct bench *b = *state;

    close_end(&b->client);
    while (offer(&b->server, 0, 1000) >= 0) { /* without a turn, so reading finds nothing */
    }
    assert_int_equal(b->server.ended, 0);
    tp_stream_pause(b->server.stream);
    wait_for_end(b, &b->server);
    assert_int_equal(b->server.end_status, TP_E_IO);
}

static void what_the_peer_said_before_it_went_is_read_though_writing_fails(void **state)
{
    struct bench *b = *state;

    b->server.room_size = 10; /* so that one turn is not enough to read it all */
    assert_int_equal(offer(&b->client, 0, 5000), 5000);
    close_end(&b->client);
    while (offer(&b->server, 0, 1000) >= 0) {
    }
    wait_for_end(b, &b->server);
    assert_int_equal(b->server.received, 5000);
}

/* A peer may say that it will not say more, and still read. */
static void after_the_end_nothing_comes_any_more(void **state)
{
    struct bench *b = *state;
    size_t left;

    listen_on_tcp(b);
    int fd = connect_socket(b);
    while (b->server.stream == NULL) {
        tp_loop_turn(b->loop, true);
    }
    left = fill(&b->server);
    assert_int_equal(shutdown(fd, SHUT_WR), 0);
    wait_for_end(b, &b->server);
    assert_int_equal(b->server.end_status, TP_OK);
    while (left > 0) {
        char bytes[4096];
        const ssize_t length = read(fd, bytes, sizeof bytes);
        assert_in_range(length, 1, left);
        left -= (size_t)length;
        tp_loop_turn(b->loop, false); /* what the stream still carries goes out */
    }
    close(fd);
    tp_loop_turn(b->loop, false);
    assert_int_equal(b->server.written, 0);
}

static void a_blocked_writer_is_told_the_end_when_the_peer_goes(void **state)
{
    struct bench *b = *state;

    tp_stream_pause(b->client.stream);
    fill(&b->server);
    close_end(&b->client);
    wait_for_end(b, &b->server);
    assert_int_equal(b->server.written, 0);
}

static void a_blocked_and_paused_writer_is_told_the_end_when_the_peer_goes(void **state)
{
    struct bench *b = *state;

    tp_stream_pause(b->client.stream);
    fill(&b->server);
    tp_stream_pause(b->server.stream);
    close_end(&b->client);
    wait_for_end(b, &b->server);
    assert_int_equal(b->server.end_status, TP_E_IO);
    assert_int_equal(b->server.written, 0);
}

/* ---- Closing --------------------------------------------------------------------------------- */

static void a_stream_can_be_closed_when_something_arrives(void **state)
{
    struct bench *b = *state;

    b->server.closes = true;
    b->server.room_size = 10;
    assert_int_equal(offer(&b->client, 0, 25), 25);
    wait_for_end(b, &b->client);
    assert_null(b->server.stream);
    assert_int_equal(b->server.reads, 1);
}

static void a_stream_can_be_closed_when_it_ends(void **state)
{
    struct bench *b = *state;

    b->server.closes = true;
    close_end(&b->client);
    wait_for_end(b, &b->server);
    assert_null(b->server.stream);
}

static void a_stream_can_be_closed_when_it_may_write_again(void **state)
{
    struct bench *b = *state;

    tp_stream_pause(b->client.stream);
    fill(&b->server);
    tp_stream_resume(b->client.stream);
    b->server.closes = true;
    wait_for_end(b, &b->client);
    assert_int_equal(b->server.written, 1);
    assert_null(b->server.stream);
}

static void a_stream_can_be_closed_while_it_waits_to_write(void **state)
{
    struct bench *b = *state;

    tp_stream_pause(b->client.stream);
    fill(&b->server);
    close_end(&b->server);
    tp_stream_resume(b->client.stream);
    wait_for_end(b, &b->client);
    assert_int_equal(b->server.written, 0);
}

static void a_broken_stream_can_be_closed_before_its_end_is_told(void **state)
{
    struct bench *b = *state;

    tp_stream_pause(b->server.stream);
    close_end(&b->client);
    while (offer(&b->server, 0, 1000) >= 0) {
    }
    close_end(&b->server);
    for (int i = 0; i < 3; i++) {
        tp_loop_turn(b->loop, false);
    }
    assert_int_equal(b->server.ended, 0);
    tp_stream_close(NULL);
}

/* ---- Connecting ------------------------------------------------------------------------------ */

static void the_peer_of_a_tcp_stream_is_its_address(void **state)
{
    struct bench *b = *state;
    unsigned port = 0;
    char rest = '\0';

    assert_string_equal(tp_stream_peer(b->client.stream), b->address + strlen("tcp:"));
    assert_int_equal(sscanf(tp_stream_peer(b->server.stream), "127.0.0.1:%u%c", &port, &rest), 1);
    assert_in_range(port, 1, 65535);
}

static void the_peer_of_a_unix_stream_is_unix(void **state)
{
    struct bench *b = *state;

    assert_string_equal(tp_stream_peer(b->client.stream), "unix");
    assert_string_equal(tp_stream_peer(b->server.stream), "unix");
    assert_int_equal(tp_listener_port(b->listener), 0);
}

/* Set b->address to a port that nobody listens on, and take care that nobody will. */
static void choose_dead_port(struct bench *b)
{
    struct sockaddr_in on = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof on;

    b->dead_port = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(b->dead_port, (struct sockaddr *)&on, sizeof on), 0);
    assert_int_equal(getsockname(b->dead_port, (struct sockaddr *)&on, &length), 0);
    (void)snprintf(b->address, sizeof b->address, "tcp:127.0.0.1:%u", ntohs(on.sin_port));
}

static void a_refused_connection_is_told_later_and_says_why(void **state)
{
    struct bench *b = *state;
    char wanted[1300];

    choose_dead_port(b);
    connect_client(b);
    assert_string_equal(tp_stream_peer(b->client.stream), b->address);
    turn_until(b, &b->client.connected);
    assert_int_equal(b->client.connect_status, TP_E_IO);
    assert_int_equal(tp_stream_error(b->client.stream, &b->err), TP_E_IO);
    (void)snprintf(wanted, sizeof wanted, "connect to %s: connection refused", b->address);
    assert_string_equal(b->err.text, wanted);
    assert_int_equal(tp_stream_start(b->client.stream, &events, &b->client), TP_E_INVALID);
}

static void what_the_kernel_refuses_at_once_is_told_later_too(void **state)
{
    struct bench *b = *state;

    (void)snprintf(b->address, sizeof b->address, "tcp:255.255.255.255:1");
    connect_client(b);
    turn_until(b, &b->client.connected);
    assert_int_equal(b->client.connect_status, TP_E_IO);
    close_end(&b->client);
    b->client.connected = false;
    connect_client(b);
    close_end(&b->client);
    tp_loop_turn(b->loop, false);
    assert_false(b->client.connected);
}

static void a_failed_stream_can_be_closed_by_the_one_who_is_told(void **state)
{
    struct bench *b = *state;

    choose_dead_port(b);
    b->client.closes = true;
    connect_client(b);
    turn_until(b, &b->client.connected);
    assert_null(b->client.stream);
}

static void a_connected_stream_can_be_closed_by_the_one_who_is_told(void **state)
{
    struct bench *b = *state;

    listen_on_tcp(b);
    b->client.closes = true;
    connect_client(b);
    turn_until(b, &b->client.connected);
    assert_int_equal(b->client.connect_status, TP_OK);
    assert_null(b->client.stream);
}

static void connecting_to_a_path_without_a_socket_says_so(void **state)
{
    struct bench *b = *state;
    char wanted[1300];

    choose_path(b);
    connect_client(b);
    turn_until(b, &b->client.connected);
    assert_int_equal(b->client.connect_status, TP_E_IO);
    tp_stream_error(b->client.stream, &b->err);
    (void)snprintf(wanted, sizeof wanted, "connect to %s: no such file or directory", b->address);
    assert_string_equal(b->err.text, wanted);
}

static void a_wrong_address_is_told_at_once(void **state)
{
    struct bench *b = *state;

    assert_int_equal(
        tp_stream_connect(&b->client.stream, b->loop, "tcp:*:1", on_connected, b, &b->err),
        TP_E_SYNTAX);
    assert_string_equal(b->err.text, "connect to tcp:*:1: * is for listening only");
    assert_null(b->client.stream);
    assert_int_equal(
        tp_listener_open(&b->listener, b->loop, "tcp:127.0.0.1", on_accept, b, &b->err),
        TP_E_SYNTAX);
    assert_string_equal(b->err.text, "listen on tcp:127.0.0.1: the port is missing");
    assert_null(b->listener);
}

static void a_stream_can_be_closed_before_it_is_connected(void **state)
{
    struct bench *b = *state;

    listen_on_tcp(b);
    connect_client(b);
    close_end(&b->client);
    for (int i = 0; i < 5; i++) {
        tp_loop_turn(b->loop, false);
    }
    assert_false(b->client.connected);
    choose_dead_port(b);
    connect_client(b);
    close_end(&b->client);
    choose_path(b);
    connect_client(b);
    close_end(&b->client);
    for (int i = 0; i < 5; i++) {
        tp_loop_turn(b->loop, false);
    }
    assert_false(b->client.connected);
}

/* Whether this machine's localhost is ::1 too. */
static bool localhost_is_v6_too(void)
{
    const struct addrinfo hints = {.ai_family = AF_INET6, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    const bool is = getaddrinfo("localhost", NULL, &hints, &found) == 0 && found != NULL;

    if (found != NULL) {
        freeaddrinfo(found);
    }
    return is;
}

static void talk_to_localhost_on(struct bench *b, const char *address)
{
    listen_on(b, address);
    (void)snprintf(b->address, sizeof b->address, "tcp:localhost:%u",
                   tp_listener_port(b->listener));
    connect_both(b);
    assert_int_equal(offer(&b->client, 0, 10), 10);
    wait_for_bytes(b, &b->server, 10);
}

static void a_name_is_looked_up(void **state)
{
    talk_to_localhost_on(*state, "tcp:localhost:0");
}

static void all_the_addresses_of_a_name_are_tried(void **state)
{
    /* IPv4 comes first, so that with only IPv6 listening the second attempt succeeds. */
    talk_to_localhost_on(*state, localhost_is_v6_too() ? "tcp:[::1]:0" : "tcp:127.0.0.1:0");
}

static void a_name_none_of_whose_addresses_answers_is_told_once(void **state)
{
    struct bench *b = *state;
    char wanted[1300];

    choose_dead_port(b);
    (void)snprintf(b->address, sizeof b->address, "tcp:localhost:%s", strrchr(b->address, ':') + 1);
    connect_client(b);
    turn_until(b, &b->client.connected);
    assert_int_equal(b->client.connect_status, TP_E_IO);
    tp_stream_error(b->client.stream, &b->err);
    (void)snprintf(wanted, sizeof wanted, "connect to %s: connection refused", b->address);
    assert_string_equal(b->err.text, wanted);
}

static void a_name_that_cannot_be_one_is_told(void **state)
{
    static const char address[] =
        "tcp:a-label-has-at-most-63-characters-and-this-one-has-more-than-these:1";
    struct bench *b = *state;
    char wanted[200];

    (void)snprintf(b->address, sizeof b->address, "%s", address);
    connect_client(b);
    turn_until(b, &b->client.connected);
    assert_int_equal(b->client.connect_status, TP_E_UNKNOWN);
    tp_stream_error(b->client.stream, &b->err);
    (void)snprintf(wanted, sizeof wanted, "connect to %s: there is no such host", address);
    assert_string_equal(b->err.text, wanted);
    assert_int_equal(tp_listener_open(&b->listener, b->loop, address, on_accept, b, &b->err),
                     TP_E_UNKNOWN);
    (void)snprintf(wanted, sizeof wanted, "listen on %s: there is no such host", address);
    assert_string_equal(b->err.text, wanted);
}

static void a_stream_can_be_closed_while_its_name_is_looked_up(void **state)
{
    struct bench *b = *state;

    listen_on_tcp(b);
    (void)snprintf(b->address, sizeof b->address, "tcp:localhost:%u",
                   tp_listener_port(b->listener));
    connect_client(b);
    close_end(&b->client); /* what is still under way is completed when the loop is destroyed */
}

static int option(int fd, int level, int name)
{
    int value = 0;
    socklen_t size = sizeof value;

    assert_int_equal(getsockopt(fd, level, name, &value, &size), 0);
    return value;
}

/* Whether the descriptor is one of the two ends of the bench. */
static bool is_end(const struct bench *b, int fd)
{
    const in_port_t port = htons((uint16_t)tp_listener_port(b->listener));
    struct sockaddr_in own = {0};
    struct sockaddr_in peer = {0};
    socklen_t own_length = sizeof own;
    socklen_t peer_length = sizeof peer;

    return getsockname(fd, (struct sockaddr *)&own, &own_length) == 0 &&
           getpeername(fd, (struct sockaddr *)&peer, &peer_length) == 0 &&
           own.sin_family == AF_INET && (own.sin_port == port || peer.sin_port == port);
}

static void nagle_is_off_and_keep_alive_on(void **state)
{
    int found = 0;

    for (int fd = 3; fd < 256; fd++) {
        if (is_end(*state, fd)) {
            assert_true(option(fd, IPPROTO_TCP, TCP_NODELAY));
            assert_true(option(fd, SOL_SOCKET, SO_KEEPALIVE));
            assert_int_equal(option(fd, IPPROTO_TCP, TCP_KEEPIDLE), 7);
            assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
            found++;
        }
    }
    assert_int_equal(found, 2);
}

/* Once there has been talk, both wait with acknowledgements for something to send. */
static void bytes_are_acknowledged_at_once_if_wanted(void **state)
{
    struct bench *b = *state;
    int found = 0;

    for (int i = 0; i < 20; i++) {
        assert_int_equal(offer(&b->client, (size_t)i * 10, 10), 10);
        wait_for_bytes(b, &b->server, (size_t)(i + 1) * 10);
        assert_int_equal(offer(&b->server, (size_t)i * 10, 10), 10);
        wait_for_bytes(b, &b->client, (size_t)(i + 1) * 10);
    }
    for (int fd = 3; fd < 256; fd++) {
        if (is_end(b, fd)) {
            assert_false(option(fd, IPPROTO_TCP, TCP_QUICKACK));
        }
    }
    tp_stream_acknowledge(b->server.stream);
    for (int fd = 3; fd < 256; fd++) {
        found += is_end(b, fd) && option(fd, IPPROTO_TCP, TCP_QUICKACK);
    }
    assert_int_equal(found, 1);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* A message forth and one back, both longer than a room. */
static void exchange(struct bench *b)
{
    b->client.received = b->server.received = 0;
    assert_int_equal(offer(&b->client, 0, 5000), 5000);
    wait_for_bytes(b, &b->server, 5000);
    assert_int_equal(offer(&b->server, 0, 9000), 9000);
    wait_for_bytes(b, &b->client, 9000);
}

static void patience_can_be_chosen(void **state)
{
    static const struct {
        unsigned patience_s;
        int idle_s, every_s;
    } cases[] = {{60, 30, 10}, {6, 3, 1}, {1, 1, 1}, {0, 1, 1}};
    struct bench *b = *state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tp_stream_set_patience(b->client.stream, cases[i].patience_s);
        tp_stream_set_patience(b->server.stream, cases[i].patience_s);
        for (int fd = 3; fd < 256; fd++) {
            if (is_end(*state, fd)) {
                assert_int_equal(option(fd, SOL_SOCKET, SO_KEEPALIVE), cases[i].patience_s > 0);
                assert_int_equal(option(fd, IPPROTO_TCP, TCP_KEEPIDLE), cases[i].idle_s);
                assert_int_equal(option(fd, IPPROTO_TCP, TCP_KEEPINTVL), cases[i].every_s);
            }
        }
    }
    exchange(b);
}

/* Make the writer wait, then let it go on. */
static void block_once(struct bench *b)
{
    b->client.received = b->server.received = 0;
    tp_stream_pause(b->client.stream);
    const size_t total = fill(&b->server);
    tp_stream_resume(b->client.stream);
    wait_for_bytes(b, &b->client, total);
    while (b->server.written == 0) {
        tp_loop_turn(b->loop, true);
    }
    b->server.written = 0;
}

static void talking_allocates_nothing(void **state)
{
    struct bench *b = *state;

    exchange(b);
    block_once(b);
    const size_t before = memory_allocations();
    const size_t uv_before = uv_allocations;
    for (int i = 0; i < 200; i++) {
        exchange(b);
    }
    block_once(b);
    assert_int_equal(memory_allocations(), before);
    assert_int_equal(uv_allocations, uv_before);
}

int main(void)
{
#define PLAIN_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
#define TCP_TEST(test) cmocka_unit_test_setup_teardown(test, set_up_tcp, tear_down)
#define UNIX_TEST(test) cmocka_unit_test_setup_teardown(test, set_up_unix, tear_down)
#define BOTH_TESTS(test)                                                                           \
    {"tcp: " #test, test, set_up_tcp, tear_down, NULL},                                            \
    {                                                                                              \
        "unix: " #test, test, set_up_unix, tear_down, NULL                                         \
    }
    const struct CMUnitTest tests[] = {
        BOTH_TESTS(bytes_go_both_ways),
        BOTH_TESTS(bytes_come_in_pieces_of_the_room_that_is_given),
        BOTH_TESTS(writing_nothing_is_fine),
        BOTH_TESTS(a_slow_reader_makes_the_writer_wait_and_nothing_is_lost),
        BOTH_TESTS(what_fits_just_so_needs_no_further_notice),
        BOTH_TESTS(that_all_is_sent_is_told_when_it_is_asked_for),
        BOTH_TESTS(what_would_be_old_later_is_taken_at_once_or_not_at_all),
        BOTH_TESTS(a_paused_stream_reads_nothing_until_it_is_resumed),
        BOTH_TESTS(a_paused_stream_tells_that_its_peer_has_left),
        BOTH_TESTS(unread_bytes_are_as_old_as_the_pause),
        BOTH_TESTS(a_peer_that_closes_is_an_orderly_end_behind_its_last_bytes),
        BOTH_TESTS(a_connection_that_is_reset_is_a_failure_that_says_why),
        BOTH_TESTS(writing_to_a_peer_that_is_gone_fails_and_the_end_is_told_once),
        BOTH_TESTS(the_end_is_told_to_a_paused_stream_too_when_it_writes),
        BOTH_TESTS(the_end_is_told_to_a_broken_stream_that_is_paused_before_it_reads_on),
        BOTH_TESTS(what_the_peer_said_before_it_went_is_read_though_writing_fails),
        PLAIN_TEST(after_the_end_nothing_comes_any_more),
        BOTH_TESTS(a_blocked_writer_is_told_the_end_when_the_peer_goes),
        BOTH_TESTS(a_blocked_and_paused_writer_is_told_the_end_when_the_peer_goes),
        BOTH_TESTS(a_stream_can_be_closed_when_something_arrives),
        BOTH_TESTS(a_stream_can_be_closed_when_it_ends),
        BOTH_TESTS(a_stream_can_be_closed_when_it_may_write_again),
        BOTH_TESTS(a_stream_can_be_closed_while_it_waits_to_write),
        BOTH_TESTS(a_broken_stream_can_be_closed_before_its_end_is_told),
        TCP_TEST(the_peer_of_a_tcp_stream_is_its_address),
        TCP_TEST(nagle_is_off_and_keep_alive_on),
        TCP_TEST(bytes_are_acknowledged_at_once_if_wanted),
        TCP_TEST(patience_can_be_chosen),
        UNIX_TEST(the_peer_of_a_unix_stream_is_unix),
        PLAIN_TEST(a_refused_connection_is_told_later_and_says_why),
        PLAIN_TEST(what_the_kernel_refuses_at_once_is_told_later_too),
        PLAIN_TEST(a_failed_stream_can_be_closed_by_the_one_who_is_told),
        PLAIN_TEST(a_connected_stream_can_be_closed_by_the_one_who_is_told),
        PLAIN_TEST(connecting_to_a_path_without_a_socket_says_so),
        PLAIN_TEST(a_wrong_address_is_told_at_once),
        PLAIN_TEST(a_stream_can_be_closed_before_it_is_connected),
        PLAIN_TEST(a_name_is_looked_up),
        PLAIN_TEST(all_the_addresses_of_a_name_are_tried),
        PLAIN_TEST(a_name_none_of_whose_addresses_answers_is_told_once),
        PLAIN_TEST(a_name_that_cannot_be_one_is_told),
        PLAIN_TEST(a_stream_can_be_closed_while_its_name_is_looked_up),
        BOTH_TESTS(talking_allocates_nothing),
    };
#undef PLAIN_TEST
#undef TCP_TEST
#undef UNIX_TEST
#undef BOTH_TESTS

    uv_memory_count();
    return cmocka_run_group_tests_name("loop/stream", tests, NULL, NULL);
}
