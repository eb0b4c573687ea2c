/* data_test.c - data of open devices: who gets it, when, and how often. */
#include "support/client_bench.h"

#include "support/memory.h"

static void keep(tp_proxy *proxy, const tp_msg *msg)
{
    struct bench *b = tp_proxy_context(proxy);

    trace(b, "%s=%g ", tp_proxy_name(proxy), state_x(msg));
}

static tp_proxy *open_traced(struct bench *b, const char *name)
{
    tp_proxy *proxy = open_device(b, name);

    tp_proxy_set_context(proxy, b);
    tp_proxy_on_data(proxy, keep);
    return proxy;
}

/* ---- Who gets it ----------------------------------------------------------------------------- */

static void data_reaches_its_proxy(void **state)
{
    struct bench *b = *state;
    tp_proxy *zero = open_traced(b, "position2d");
    tp_proxy *one = open_traced(b, "position2d:1");

    assert_string_equal(tp_proxy_name(zero), "position2d:0");
    assert_string_equal(tp_proxy_driver(zero), "pretender");
    assert_ptr_equal(tp_proxy_client(zero), b->client);
    assert_ptr_equal(tp_proxy_interface(zero), &tp_interface_position2d);
    assert_int_equal(tp_proxy_addr(one)->index, 1);
    assert_null(tp_proxy_latest(zero, TP_POSITION2D_DATA_STATE));
    send_state(b, 1, 0.5, 1);
    send_state(b, 0, 0.25, 1);
    assert_int_equal(tp_client_read(b->client, S, &b->err), TP_OK);
    turn(b);
    assert_trace(b, "position2d:1=0.5 position2d:0=0.25 ");
    assert_true(state_x(tp_proxy_latest(zero, TP_POSITION2D_DATA_STATE)) == 0.25);
    assert_int_equal(tp_proxy_received(zero), 1);
    assert_int_equal(tp_proxy_received(one), 1);
    assert_null(tp_proxy_latest(zero, TP_POSITION2D_DATA_GEOM));
    assert_null(tp_proxy_latest(zero, 99));
}

static void data_that_nobody_wants_is_skipped(void **state)
{
    struct bench *b = *state;
    const tp_uint32 odd = {1};
    tp_proxy *proxy = open_traced(b, "position2d:0");

    send_state(b, 7, 1, 1);                                            /* another index */
    fake_server_data(&b->server, 777, 0, 1, &tp_desc_uint32, &odd, 1); /* no such interface */
    fake_server_data(&b->server, TP_POSITION2D_CODE, 0, 99, &tp_desc_uint32, &odd, 1);
    fake_server_data(&b->server, TP_POSITION2D_CODE, 0, TP_POSITION2D_DATA_STATE, &tp_desc_uint32,
                     &odd, 1); /* too short */
    send_state(b, 0, 2, 2);
    assert_int_equal(tp_client_read(b->client, S, &b->err), TP_OK);
    assert_trace(b, "position2d:0=2 ");
    assert_int_equal(tp_proxy_received(proxy), 1);
    tp_proxy_close(proxy);
    send_state(b, 0, 3, 3);
    turn(b);
    assert_trace(b, "");
    assert_sent(b, "close:4:0");
}

static void a_message_in_pieces_is_put_together(void **state)
{
    struct bench *b = *state;
    float ranges[3000];
    const tp_laser_data scan = {
        .ranges_count = 3000, .ranges = ranges, .intensity_count = 0, .id = 7};
    tp_proxy *laser = open_device(b, "laser:0");
    tp_msghdr header = {.addr = {.interf = TP_LASER_CODE}, .type = TP_MSGTYPE_DATA, .subtype = 1};
    static unsigned char bytes[100000];
    size_t size;

    for (int i = 0; i < 3000; i++) {
        ranges[i] = (float)i;
    }
    assert_int_equal(
        tp_xdr_encode(&tp_desc_laser_data, &scan, bytes + 40, sizeof bytes - 40, &size), TP_OK);
    header.size = (uint32_t)size;
    tp_xdr_encode(&tp_desc_msghdr, &header, bytes, 40, &(size_t){0});
    for (size_t at = 0; at < size + 40; at += 777) {
        fake_server_send(&b->server, bytes + at, size + 40 - at < 777 ? size + 40 - at : 777);
        tp_loop_turn(b->loop, false);
    }
    const tp_laser_data *got = tp_proxy_wait(laser, TP_LASER_DATA_SCAN, S, &b->err);
    assert_non_null(got);
    assert_int_equal(got->ranges_count, 3000);
    assert_true(got->ranges[2999] == 2999.0f);
}

/* Larger than the room that is read into. */
static void a_large_message_is_put_together(void **state)
{
    struct bench *b = *state;
    static float ranges[25000];
    const tp_laser_data scan = {.ranges_count = 25000, .ranges = ranges, .id = 8};
    tp_proxy *laser = open_device(b, "laser:0");

    ranges[24999] = 4;
    for (uint32_t id = 1; id <= 3; id++) {
        fake_server_data(&b->server, TP_LASER_CODE, 0, TP_LASER_DATA_SCAN, &tp_desc_laser_data,
                         &scan, id);
        const tp_laser_data *got = tp_proxy_wait(laser, TP_LASER_DATA_SCAN, S, &b->err);
        assert_non_null(got);
        assert_true(got->ranges[24999] == 4.0f);
    }
}

/* ---- Two proxies of one device --------------------------------------------------------------- */

static void two_proxies_of_a_device_get_each_message_once(void **state)
{
    struct bench *b = *state;
    tp_proxy *first = open_traced(b, "position2d:0");
    tp_proxy *second = open_device(b, "position2d:0");

    for (int i = 0; i < 2; i++) { /* a server sends it once for each opening */
        send_state(b, 0, 1, 5);
    }
    for (int i = 0; i < 2; i++) {
        send_state(b, 0, 2, 6);
    }
    turn(b);
    assert_trace(b, "position2d:0=1 position2d:0=2 ");
    assert_int_equal(tp_proxy_received(second), 2);
    tp_proxy_close(second);
    send_state(b, 0, 3, 7);
    send_state(b, 0, 3, 7); /* sent before the server heard of it */
    turn(b);
    assert_trace(b, "position2d:0=3 ");
    send_state(b, 0, 3, 7); /* but this one is another message */
    turn(b);
    assert_trace(b, "position2d:0=3 ");
    assert_int_equal(tp_proxy_received(first), 4);
}

static void equal_messages_for_one_proxy_are_all_given(void **state)
{
    struct bench *b = *state;

    open_traced(b, "position2d:0");
    for (int i = 0; i < 3; i++) {
        send_state(b, 0, 1, 5);
    }
    turn(b);
    assert_trace(b, "position2d:0=1 position2d:0=1 position2d:0=1 ");
}

/* ---- Callbacks that open and close ----------------------------------------------------------- */

static void close_oneself(tp_proxy *proxy, const tp_msg *msg)
{
    keep(proxy, msg);
    tp_proxy_close(proxy);
}

static tp_proxy *victim;

static void close_another(tp_proxy *proxy, const tp_msg *msg)
{
    keep(proxy, msg);
    tp_proxy_close(victim);
    victim = NULL;
}

static void a_proxy_may_close_itself(void **state)
{
    struct bench *b = *state;

    tp_proxy_on_data(open_traced(b, "position2d:0"), close_oneself);
    tp_proxy_on_data(open_traced(b, "position2d:0"), close_oneself);
    for (int i = 0; i < 4; i++) {
        send_state(b, 0, i, i);
    }
    turn(b);
    assert_trace(b, "position2d:0=0 position2d:0=0 ");
    assert_sent(b, "close:4:0 close:4:0");
    assert_null(b->client->proxies);
}

static void a_proxy_may_close_the_next(void **state)
{
    struct bench *b = *state;

    tp_proxy_on_data(open_traced(b, "position2d:0"), close_another);
    victim = open_traced(b, "position2d:0");
    send_state(b, 0, 1, 1);
    send_state(b, 0, 2, 2);
    turn(b);
    assert_trace(b, "position2d:0=1 position2d:0=2 ");
}

static void opened(void *context, tp_proxy *proxy, tp_status status, const char *why)
{
    trace(context, "%s:%d:%s ", tp_proxy_name(proxy), status, why == NULL ? "-" : why);
}

static void open_more(tp_proxy *proxy, const tp_msg *msg)
{
    struct bench *b = tp_proxy_context(proxy);
    tp_proxy *more = NULL;

    keep(proxy, msg);
    tp_proxy_on_data(proxy, NULL);
    assert_int_equal(tp_client_open_later(b->client, &tp_interface_laser, 3, TP_OPEN_MODE, opened,
                                          b, &more, &b->err),
                     TP_OK);
}

static void a_proxy_may_open_another(void **state)
{
    struct bench *b = *state;

    tp_proxy_on_data(open_traced(b, "position2d:0"), open_more);
    send_state(b, 0, 1, 1);
    turn(b);
    assert_trace(b, "position2d:0=1 laser:3:0:- ");
    assert_sent(b, "open:6:3");
}

/* ---- Waiting --------------------------------------------------------------------------------- */

/* Whoever turns the loop finds that time has passed. */
struct later {
    tp_after after;
    struct bench *b;
    int64_t by_ns;
};

static void move_clock(tp_after *after)
{
    struct later *later = (struct later *)after;

    later->b->now_ns += later->by_ns;
}

static void waiting_gives_what_was_not_given_yet(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = open_device(b, "position2d:0");

    send_state(b, 0, 1, 1);
    const tp_position2d_data *got = tp_proxy_wait(proxy, TP_POSITION2D_DATA_STATE, S, &b->err);
    assert_non_null(got);
    assert_true(got->pos.px == 1.0);
    send_state(b, 0, 2, 2);
    send_state(b, 0, 3, 3);
    turn(b);
    got = tp_proxy_wait(proxy, TP_POSITION2D_DATA_STATE, S, &b->err);
    assert_non_null(got);
    assert_true(got->pos.px == 3.0);
    struct later later = {.after = {.run = move_clock}, .b = b, .by_ns = S};
    tp_loop_after(b->loop, &later.after);
    assert_null(tp_proxy_wait(proxy, TP_POSITION2D_DATA_STATE, S, &b->err)); /* it is given */
    assert_null(tp_proxy_wait(proxy, 99, S, &b->err));
    assert_string_equal(b->err.text, "position2d:0 has no data with code 99");
}

static void waiting_ends_in_time(void **state)
{
    struct bench *b = *state;
    struct later later = {.after = {.run = move_clock}, .b = b, .by_ns = 2 * S};
    tp_proxy *proxy = open_device(b, "position2d:0");

    tp_loop_after(b->loop, &later.after);
    assert_null(tp_proxy_wait(proxy, TP_POSITION2D_DATA_STATE, 2 * S, &b->err));
    assert_int_equal(b->err.code, TP_E_TIMEOUT);
    assert_string_equal(b->err.text, "position2d:0: no data with code 1 in time");
    later.by_ns = 5 * S; /* what the options say if it is not said here */
    tp_loop_after(b->loop, &later.after);
    assert_int_equal(tp_client_read(b->client, 0, &b->err), TP_E_TIMEOUT);
    assert_non_null(strstr(b->err.text, ": no data in time"));
}

/* ---- Pulling --------------------------------------------------------------------------------- */

static int set_up_fresh(void **state)
{
    struct bench *b;

    set_up(state);
    b = *state;
    b->options.mode = TP_CLIENT_FRESH;
    connect_client(b);
    turn(b);
    b->client->pull.keeps = false; /* as if the loop were the client's own */
    fake_server_log(&b->server);
    return 0;
}

/* The pull that the connection began with is used up. */
static void use_up_pull(struct bench *b)
{
    send_state(b, 9, 0, 0);
    turn(b);
    assert_int_equal(b->client->pull.state, TPI_PULL_IDLE);
    fake_server_log(&b->server);
}

struct answer {
    tp_after after;
    struct bench *b;
    double x;
};

static bool send_after_pull(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    struct bench *b = server->context;

    (void)body;
    if (header->subtype != TP_PLAYER_REQ_DATA) {
        return false;
    }
    server->armed = true;
    fake_server_reply(server, header, TP_MSGTYPE_RESP_ACK, NULL, NULL);
    send_state(b, 0, (double)b->now_ns, 1);
    b->now_ns++;
    return true;
}

static void a_read_pulls_once_and_ends_with_the_delivery(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = open_device(b, "position2d:0");

    use_up_pull(b);
    turn(b);
    assert_sent(b, ""); /* nothing is pulled while nobody reads */
    b->server.handle = send_after_pull;
    b->server.context = b;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(tp_client_read(b->client, S, &b->err), TP_OK);
        assert_int_equal(b->client->pull.state, TPI_PULL_IDLE);
        assert_int_equal(tp_proxy_received(proxy), i + 1);
    }
}

static void there_is_never_more_than_one_pull(void **state)
{
    struct bench *b = *state;
    struct later later = {.after = {.run = move_clock}, .b = b, .by_ns = S};

    open_device(b, "position2d:0");
    use_up_pull(b);
    for (int i = 0; i < 3; i++) {
        tp_loop_after(b->loop, &later.after);
        assert_int_equal(tp_client_read(b->client, S, &b->err), TP_E_TIMEOUT);
    }
    tp_client_step(b->client, false);
    turn(b);
    assert_sent(b, "pull");
}

/* What a pull of long ago has brought is old: the read asks again before it returns. */
static void an_old_pull_is_followed_by_a_new_one(void **state)
{
    struct bench *b = *state;
    struct later later = {.after = {.run = move_clock}, .b = b, .by_ns = S};
    tp_proxy *proxy = open_device(b, "position2d:0");

    use_up_pull(b);
    tp_loop_after(b->loop, &later.after);
    assert_int_equal(tp_client_read(b->client, S, &b->err), TP_E_TIMEOUT);
    turn(b);
    assert_sent(b, "pull");
    send_state(b, 0, 1, 1); /* and the program does not look for a long time */
    assert_int_equal(tp_client_read(b->client, S, &b->err), TP_OK);
    assert_sent(b, "pull");
    assert_true(state_x(tp_proxy_latest(proxy, TP_POSITION2D_DATA_STATE)) == 1.0);
    assert_int_equal(b->client->pull.state, TPI_PULL_ARMED);
    send_state(b, 0, 2, 2);
    turn(b);
    b->server.handle = send_after_pull;
    b->server.context = b;
    assert_int_equal(tp_client_read(b->client, S, &b->err), TP_OK);
    assert_int_equal(tp_proxy_received(proxy), 3);
}

static void pulls_follow_each_other_on_the_loop_of_the_program(void **state)
{
    struct bench *b = *state;

    open_traced(b, "position2d:0");
    b->client->pull.keeps = true;
    for (int i = 1; i <= 3; i++) {
        send_state(b, 0, i, i);
        turn(b);
    }
    assert_trace(b, "position2d:0=1 position2d:0=2 position2d:0=3 ");
    assert_sent(b, "pull pull pull");
}

static void dropped_messages_are_counted(void **state)
{
    struct bench *b = *state;
    const tp_msghdr synch = {.addr = {.interf = TP_PLAYER_CODE},
                             .type = TP_MSGTYPE_SYNCH,
                             .subtype = TP_PLAYER_SYNCH_OVERFLOW};
    const tp_uint32 lost[] = {{3}, {1000}};

    assert_int_equal(tp_client_dropped(b->client), 0);
    fake_server_message(&b->server, &synch, &tp_desc_uint32, &lost[0]);
    fake_server_message(&b->server, &synch, &tp_desc_uint32, &lost[1]);
    turn(b);
    assert_int_equal(tp_client_dropped(b->client), 1003);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void data_and_commands_allocate_nothing(void **state)
{
    struct bench *b = *state;
    static float ranges[500];
    const tp_laser_data scan = {.ranges_count = 500, .ranges = ranges};
    const tp_position2d_cmd_vel vel = {.vel = {.px = 1}};
    tp_proxy *laser = open_device(b, "laser:0");
    tp_proxy *base = open_device(b, "position2d:0");
    size_t before = 0;

    for (int i = 0; i < 50; i++) {
        if (i == 10) {
            before = memory_allocations();
        }
        fake_server_data(&b->server, TP_LASER_CODE, 0, TP_LASER_DATA_SCAN, &tp_desc_laser_data,
                         &scan, i);
        assert_int_equal(tp_proxy_command(base, TP_POSITION2D_CMD_VEL, &vel, &b->err), TP_OK);
        assert_non_null(tp_proxy_wait(laser, TP_LASER_DATA_SCAN, S, &b->err));
        wait_for_words(b, "cmd:4:0:1");
        fake_server_log(&b->server);
    }
    assert_int_equal(memory_allocations(), before);
    assert_int_equal(tp_proxy_received(laser), 50);
}

/* A program can wait before it calls tp_client_process() for the first time. */
static void the_first_call_of_another_event_loop_is_due_at_once(void **state)
{
    struct bench *b = *state;

    open_device(b, "position2d:0");
    use_up_pull(b);
    assert_int_equal(tp_client_poll_ms(b->client), 0);
    tp_client_process(b->client);
    turn(b);
    assert_sent(b, "pull");
    assert_true(tp_client_poll_ms(b->client) != 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_connected, tear_down)
#define FRESH(name) cmocka_unit_test_setup_teardown(name, set_up_fresh, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(data_reaches_its_proxy),
        TEST(data_that_nobody_wants_is_skipped),
        TEST(a_message_in_pieces_is_put_together),
        TEST(a_large_message_is_put_together),
        TEST(two_proxies_of_a_device_get_each_message_once),
        TEST(equal_messages_for_one_proxy_are_all_given),
        TEST(a_proxy_may_close_itself),
        TEST(a_proxy_may_close_the_next),
        TEST(a_proxy_may_open_another),
        TEST(waiting_gives_what_was_not_given_yet),
        TEST(waiting_ends_in_time),
        FRESH(a_read_pulls_once_and_ends_with_the_delivery),
        FRESH(there_is_never_more_than_one_pull),
        FRESH(an_old_pull_is_followed_by_a_new_one),
        FRESH(pulls_follow_each_other_on_the_loop_of_the_program),
        FRESH(the_first_call_of_another_event_loop_is_due_at_once),
        TEST(dropped_messages_are_counted),
        TEST(data_and_commands_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
