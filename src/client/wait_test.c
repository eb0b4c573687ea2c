/*
 * wait_test.c - what ends a wait early, and clients in other event loops. Only the main thread
 * calls cmocka.
 *
 * The clock stands still, so that no wait ends by itself: a wait that nothing interrupts hangs.
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "platform/clock.h"
#include "platform/thread.h"
#include "support/client_bench.h"

/* ---- Another thread -------------------------------------------------------------------------- */

static void interrupt(void *context)
{
    tp_client_interrupt(context);
}

/* A thread that interrupts the client, perhaps before it waits. */
static tpi_thread *begin_thread(struct bench *b)
{
    tpi_thread *thread = NULL;

    assert_int_equal(tpi_thread_start(&thread, "other", interrupt, b->client, &b->err), TP_OK);
    return thread;
}

static void another_thread_ends_a_wait_for_data(void **state)
{
    struct bench *b = *state;
    tp_proxy *base = open_device(b, "position2d:0");
    tpi_thread *thread = begin_thread(b);

    assert_null(tp_proxy_wait(base, TP_POSITION2D_DATA_STATE, TP_NEVER, &b->err));
    assert_int_equal(b->err.code, TP_E_INTERRUPTED);
    assert_string_equal(b->err.text, "position2d:0: interrupted");
    tpi_thread_join(thread);
}

static void another_thread_ends_a_read(void **state)
{
    struct bench *b = *state;
    tpi_thread *thread = begin_thread(b);

    assert_int_equal(tp_client_read(b->client, TP_NEVER, &b->err), TP_E_INTERRUPTED);
    assert_non_null(strstr(b->err.text, ": interrupted"));
    tpi_thread_join(thread);
}

static void an_interruption_ends_one_wait_only(void **state)
{
    struct bench *b = *state;
    tp_proxy *base = open_device(b, "position2d:0");

    tp_client_interrupt(b->client);
    tp_client_interrupt(b->client);
    assert_int_equal(tp_client_read(b->client, TP_NEVER, &b->err), TP_E_INTERRUPTED);
    send_state(b, 0, 1, 1);
    assert_non_null(tp_proxy_wait(base, TP_POSITION2D_DATA_STATE, TP_NEVER, &b->err));
}

static void what_is_there_needs_no_wait_and_is_given(void **state)
{
    struct bench *b = *state;
    tp_proxy *base = open_device(b, "position2d:0");

    send_state(b, 0, 1, 1);
    turn(b);
    tp_client_interrupt(b->client);
    assert_non_null(tp_proxy_wait(base, TP_POSITION2D_DATA_STATE, TP_NEVER, &b->err));
    assert_int_equal(tp_client_read(b->client, TP_NEVER, &b->err), TP_E_INTERRUPTED);
}

static void a_step_ends_too(void **state)
{
    struct bench *b = *state;

    tp_client_interrupt(b->client);
    tp_client_step(b->client, true);
    assert_true(tp_client_is_connected(b->client));
}

/* ---- Requests -------------------------------------------------------------------------------- */

static void a_request_can_be_given_up(void **state)
{
    struct bench *b = *state;
    tp_proxy *base = open_device(b, "position2d:0");

    b->server.ignores_devices = true;
    tp_client_interrupt(b->client);
    assert_int_equal(tp_proxy_request(base, TP_POSITION2D_REQ_GET_GEOM, NULL, NULL, &b->err),
                     TP_E_INTERRUPTED);
    assert_string_equal(b->err.text, "position2d:0: interrupted");
    b->server.ignores_devices = false; /* the test's server refuses what it does not know */
    assert_int_equal(tp_proxy_request(base, TP_POSITION2D_REQ_MOTOR_POWER,
                                      &(tp_position2d_power_config){1}, NULL, &b->err),
                     TP_E_DEVICE);
}

static tp_msghdr held; /* a request that is answered later */
static unsigned requests;

static bool hold_first(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    const tp_position2d_geom geom = {.size = {.sl = requests + 1}};

    (void)body;
    if (header->type != TP_MSGTYPE_REQ || header->addr.interf != TP_POSITION2D_CODE) {
        return false;
    }
    requests++;
    if (requests == 1) {
        held = *header;
    } else {
        fake_server_reply(server, header, TP_MSGTYPE_RESP_ACK, &tp_desc_position2d_geom, &geom);
    }
    return true;
}

/* Player's replies have no number, so the late one could be taken for that of the next request. */
static void the_late_answer_is_not_that_of_the_next_request(void **state)
{
    struct bench *b = *state;
    const tp_position2d_geom late = {.size = {.sl = 99}};
    tp_proxy *base = open_device(b, "position2d:0");
    const void *answer = NULL;

    requests = 0;
    b->server.handle = hold_first;
    while (requests == 0) {
        tp_client_interrupt(b->client);
        assert_int_equal(tp_proxy_request(base, TP_POSITION2D_REQ_GET_GEOM, NULL, NULL, &b->err),
                         TP_E_INTERRUPTED);
        turn(b);
    }
    fake_server_reply(&b->server, &held, TP_MSGTYPE_RESP_ACK, &tp_desc_position2d_geom, &late);
    assert_int_equal(tp_proxy_request(base, TP_POSITION2D_REQ_GET_GEOM, NULL, &answer, &b->err),
                     TP_OK);
    assert_true(((const tp_position2d_geom *)answer)->size.sl < 50);
}

static void a_request_that_waits_for_the_connection_is_not_sent_later(void **state)
{
    struct bench *b = *state;
    tp_proxy *base = open_device(b, "position2d:0");

    fake_server_hang_up(&b->server);
    wait_lost(b);
    tp_client_interrupt(b->client);
    assert_int_equal(tp_proxy_request(base, TP_POSITION2D_REQ_GET_GEOM, NULL, NULL, &b->err),
                     TP_E_INTERRUPTED);
    pass(b, S);
    wait_open(b, base);
    turn(b);
    assert_false(fake_server_has(&b->server, "req:4:0:1"));
}

/* One interruption ends the whole call, although that asks several times. */
static void a_property_can_be_given_up(void **state)
{
    struct bench *b = *state;
    tp_proxy *base = open_device(b, "position2d:0");
    char *value = NULL;

    b->server.ignores_devices = true;
    tp_client_interrupt(b->client);
    assert_int_equal(tp_proxy_get_property(base, "rate", &value, &b->err), TP_E_INTERRUPTED);
    assert_string_equal(b->err.text, "position2d:0: interrupted");
    tp_client_interrupt(b->client);
    assert_int_equal(tp_proxy_set_property(base, "rate", "1", &b->err), TP_E_INTERRUPTED);
}

static void opening_and_listing_can_be_given_up(void **state)
{
    struct bench *b = *state;
    tp_client_device *devices = NULL;
    tp_proxy *proxy = NULL;
    size_t count = 0;

    tp_client_interrupt(b->client);
    assert_int_equal(tp_client_open(b->client, "laser:0", TP_OPEN_MODE, &proxy, &b->err),
                     TP_E_INTERRUPTED);
    assert_string_equal(b->err.text, "laser:0: interrupted");
    tp_client_interrupt(b->client);
    assert_int_equal(tp_client_list(b->client, &devices, &count, &b->err), TP_E_INTERRUPTED);
    tp_client_interrupt(b->client);
    assert_int_equal(tp_client_find(b->client, "laser", "rate > 1", TP_OPEN_MODE, &proxy, &b->err),
                     TP_E_INTERRUPTED);
    turn(b);
    assert_int_equal(tp_client_list(b->client, &devices, &count, &b->err), TP_E_DEVICE);
}

/* ---- Signals --------------------------------------------------------------------------------- */

static atomic_bool ended;
static pthread_t waiting;

static void ignore(int number)
{
    (void)number;
}

/* A signal may come before the wait begins, so it is sent until the wait has ended. */
static void send_signals(void *context)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    (void)context;
    while (!atomic_load(&ended)) {
        pthread_kill(waiting, SIGUSR1);
        nanosleep(&pause, NULL);
    }
}

static tpi_thread *begin_signals(struct bench *b)
{
    const struct sigaction action = {.sa_handler = ignore, .sa_flags = (int)SA_RESTART};
    tpi_thread *thread = NULL;

    sigaction(SIGUSR1, &action, NULL);
    atomic_store(&ended, false);
    waiting = pthread_self();
    assert_int_equal(tpi_thread_start(&thread, "signals", send_signals, NULL, &b->err), TP_OK);
    return thread;
}

static void end_signals(tpi_thread *thread)
{
    atomic_store(&ended, true);
    tpi_thread_join(thread);
    signal(SIGUSR1, SIG_DFL);
}

static void a_signal_ends_a_wait(void **state)
{
    struct bench *b = *state;
    tpi_thread *thread = begin_signals(b);

    assert_int_equal(tp_client_read(b->client, TP_NEVER, &b->err), TP_E_INTERRUPTED);
    end_signals(thread);
}

static void a_signal_ends_connecting(void **state)
{
    struct bench *b = *state;

    b->server.silent = true;
    tpi_thread *thread = begin_signals(b);
    assert_int_equal(tp_client_connect(&b->client, b->server.url, &b->options, &b->err),
                     TP_E_INTERRUPTED);
    end_signals(thread);
    assert_null(b->client);
    assert_non_null(strstr(b->err.text, ": interrupted"));
}

/* ---- Other event loops ----------------------------------------------------------------------- */

/* The test is the other event loop: it calls the client only when the descriptor or the deadline
 * tells it to. */
static void serve(struct bench *b, tp_client *client)
{
    struct pollfd ready = {.fd = tp_client_fd(client), .events = POLLIN};

    tp_loop_turn(b->loop, false); /* the server's */
    if (poll(&ready, 1, 0) == 1 || tp_client_deadline(client) <= tpi_clock_monotonic_ns()) {
        tp_client_process(client);
    }
}

static void read_in_another_loop(struct bench *b, tp_client_mode mode)
{
    tp_loop *loop = NULL;
    tp_client *client = NULL;
    tp_proxy *base = NULL;

    assert_int_equal(tp_loop_create(&loop, tp_clock_real(), &b->err), TP_OK);
    const tp_client_options options = {.loop = loop, .mode = mode};
    assert_int_equal(tp_client_connect_later(&client, b->server.url, &options, &b->err), TP_OK);
    assert_int_equal(tp_client_open_later(client, &tp_interface_position2d, 0, TP_OPEN_MODE, NULL,
                                          NULL, &base, &b->err),
                     TP_OK);
    while (!tp_proxy_is_open(base)) {
        serve(b, client);
    }
    for (int i = 0; i < 5; i++) {
        const uint64_t before = tp_proxy_received(base);
        send_state(b, 0, i, i);
        while (tp_proxy_received(base) == before) {
            serve(b, client);
        }
        assert_true(state_x(tp_proxy_latest(base, TP_POSITION2D_DATA_STATE)) > i - 0.5);
    }
    tp_client_destroy(client);
    tp_loop_destroy(loop);
}

static void a_client_lives_in_another_event_loop(void **state)
{
    read_in_another_loop(*state, TP_CLIENT_EVERYTHING);
}

static void and_pulls_there_too(void **state)
{
    read_in_another_loop(*state, TP_CLIENT_FRESH);
}

static void the_deadline_is_that_of_the_next_request(void **state)
{
    struct bench *b = *state;
    tp_proxy *base = open_device(b, "position2d:0");

    pass(b, 60 * S); /* the deadline of the opening is over */
    turn(b);
    /* The stream looks for a dead peer every 2 s. */
    assert_true(tp_client_deadline(b->client) > tpi_clock_monotonic_ns() + S);
    b->server.ignores_devices = true;
    assert_int_equal(
        tp_proxy_request_later(base, TP_POSITION2D_REQ_GET_GEOM, NULL, S, NULL, NULL, &b->err),
        TP_OK);
    turn(b);
    const int64_t before_ns = tpi_clock_monotonic_ns(); /* whatever the client's clock says */
    const int64_t deadline_ns = tp_client_deadline(b->client);
    assert_true(deadline_ns >= before_ns + S);
    assert_true(deadline_ns <= tpi_clock_monotonic_ns() + S);
    assert_int_equal(tp_client_poll_ms(b->client), 1000);
    b->now_ns += S - 1;
    assert_int_equal(tp_client_poll_ms(b->client), 1); /* never too early */
    b->now_ns += 1;
    assert_int_equal(tp_client_poll_ms(b->client), 0);
    tp_client_process(b->client);
    assert_true(tp_client_poll_ms(b->client) > 500);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_connected, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(another_thread_ends_a_wait_for_data),
        TEST(another_thread_ends_a_read),
        TEST(an_interruption_ends_one_wait_only),
        TEST(what_is_there_needs_no_wait_and_is_given),
        TEST(a_step_ends_too),
        TEST(a_request_can_be_given_up),
        cmocka_unit_test_setup_teardown(the_late_answer_is_not_that_of_the_next_request,
                                        set_up_plain, tear_down),
        TEST(a_request_that_waits_for_the_connection_is_not_sent_later),
        TEST(a_property_can_be_given_up),
        TEST(opening_and_listing_can_be_given_up),
        TEST(a_signal_ends_a_wait),
        cmocka_unit_test_setup_teardown(a_signal_ends_connecting, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_client_lives_in_another_event_loop, set_up, tear_down),
        cmocka_unit_test_setup_teardown(and_pulls_there_too, set_up, tear_down),
        TEST(the_deadline_is_that_of_the_next_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
