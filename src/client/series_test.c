/* series_test.c - every message of a device, in order, from a bounded queue. */
#include <math.h>

#include "support/client_bench.h"

static double next_x(struct bench *b, tp_proxy *base)
{
    return state_x(tp_proxy_next(base, TP_NEVER, &b->err));
}

static void send_states(struct bench *b, int first, int count)
{
    for (int i = first; i < first + count; i++) {
        send_state(b, 0, i, i);
    }
    turn(b);
}

static void assert_next(struct bench *b, tp_proxy *base, int first, int count)
{
    for (int i = first; i < first + count; i++) {
        assert_true(fabs(next_x(b, base) - i) < 0.01);
    }
}

static void all_that_one_read_brings_is_given_in_order(void **state)
{
    struct bench *b = *state;
    tp_proxy *base = open_device(b, "position2d:0");

    assert_int_equal(tp_proxy_set_queue(base, 100, &b->err), TP_OK);
    send_states(b, 0, 50);
    assert_next(b, base, 0, 50);
    assert_int_equal(tp_proxy_missed(base), 0);
}

static void a_message_that_is_not_there_is_waited_for(void **state)
{
    struct bench *b = *state;
    tp_proxy *base = open_device(b, "position2d:0");

    assert_int_equal(tp_proxy_set_queue(base, 4, &b->err), TP_OK);
    send_state(b, 0, 7, 7); /* still in the server */
    assert_next(b, base, 7, 1);
}

static void the_oldest_are_dropped_and_counted(void **state)
{
    struct bench *b = *state;
    tp_proxy *base = open_device(b, "position2d:0");

    assert_int_equal(tp_proxy_set_queue(base, 4, &b->err), TP_OK);
    send_states(b, 0, 10);
    assert_int_equal(tp_proxy_missed(base), 6);
    assert_next(b, base, 6, 4);
    send_states(b, 10, 4);
    assert_next(b, base, 10, 4);
    assert_int_equal(tp_proxy_missed(base), 6);
}

static void the_first_call_makes_a_queue(void **state)
{
    struct bench *b = *state;
    tp_proxy *base = open_device(b, "position2d:0");

    send_states(b, 0, 3); /* not kept: nobody has asked */
    send_state(b, 0, 3, 3);
    assert_next(b, base, 3, 1);
    send_states(b, 4, 300);
    assert_int_equal(tp_proxy_missed(base), 300 - 256);
    assert_next(b, base, 4 + 300 - 256, 256);
}

static void what_is_given_stays_until_the_next_call(void **state)
{
    struct bench *b = *state;
    tp_proxy *base = open_device(b, "position2d:0");

    assert_int_equal(tp_proxy_set_queue(base, 2, &b->err), TP_OK);
    send_states(b, 0, 1);
    const tp_msg *msg = tp_proxy_next(base, TP_NEVER, &b->err);
    send_states(b, 1, 20);
    assert_int_equal(tp_proxy_set_queue(base, 0, &b->err), TP_OK);
    assert_true(fabs(state_x(msg)) < 0.01);
}

static void nothing_in_time_and_a_lost_connection_are_told(void **state)
{
    struct bench *b = *state;
    tp_proxy *base = open_device(b, "position2d:0");

    tp_client_interrupt(b->client);
    assert_null(tp_proxy_next(base, TP_NEVER, &b->err));
    assert_string_equal(b->err.text, "position2d:0: interrupted");
    fake_server_hang_up(&b->server);
    assert_null(tp_proxy_next(base, TP_NEVER, &b->err));
    assert_int_equal(b->err.code, TP_E_CLOSED);
    assert_non_null(strstr(b->err.text, "position2d:0: "));
}

/* A clock that advances whenever it is read. */
static int64_t running(const tp_clock *clock)
{
    struct bench *b = clock->context;

    b->now_ns += S;
    return b->now_ns;
}

static void time_that_has_passed_is_a_failure(void **state)
{
    struct bench *b = *state;
    tp_proxy *base = open_device(b, "position2d:0");

    b->clock.now_ns = running;
    assert_null(tp_proxy_next(base, S, &b->err));
    assert_int_equal(b->err.code, TP_E_TIMEOUT);
    assert_string_equal(b->err.text, "position2d:0: no data in time");
}

static unsigned words;

static bool count_words(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    (void)server;
    (void)body;
    words += header->type == TP_MSGTYPE_SYNCH;
    return header->type == TP_MSGTYPE_SYNCH;
}

static void what_is_due_is_done_also_while_the_queue_is_full(void **state)
{
    struct bench *b = *state;
    const tp_position2d_cmd_vel vel = {.state = 1};
    tp_proxy *base = open_device(b, "position2d:0");

    assert_int_equal(tp_proxy_set_queue(base, 100, &b->err), TP_OK);
    assert_int_equal(tp_proxy_command(base, TP_POSITION2D_CMD_VEL, &vel, &b->err), TP_OK);
    send_states(b, 0, 50);
    b->now_ns += S;
    words = 0;
    b->server.handle = count_words;
    assert_next(b, base, 0, 1);
    turn(b);
    assert_int_equal(words, 1);
}

static void fresh_clients_have_no_queue(void **state)
{
    struct bench *b = *state;

    b->options.mode = TP_CLIENT_FRESH;
    connect_client(b);
    tp_proxy *base = open_device(b, "position2d:0");
    assert_null(tp_proxy_next(base, TP_NEVER, &b->err));
    assert_int_equal(b->err.code, TP_E_INVALID);
    assert_string_equal(b->err.text,
                        "position2d:0: the client gets only the newest message of each kind: set "
                        "the option mode to TP_CLIENT_EVERYTHING");
}

static void a_queue_has_a_limit(void **state)
{
    struct bench *b = *state;
    tp_proxy *base = open_device(b, "position2d:0");

    assert_int_equal(tp_proxy_set_queue(base, 65537, &b->err), TP_E_RANGE);
    assert_string_equal(b->err.text, "position2d:0: a queue has at most 65536 messages, not 65537");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_connected, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(all_that_one_read_brings_is_given_in_order),
        TEST(a_message_that_is_not_there_is_waited_for),
        TEST(the_oldest_are_dropped_and_counted),
        TEST(the_first_call_makes_a_queue),
        TEST(what_is_given_stays_until_the_next_call),
        TEST(nothing_in_time_and_a_lost_connection_are_told),
        TEST(time_that_has_passed_is_a_failure),
        TEST(what_is_due_is_done_also_while_the_queue_is_full),
        cmocka_unit_test_setup_teardown(fresh_clients_have_no_queue, set_up, tear_down),
        TEST(a_queue_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
