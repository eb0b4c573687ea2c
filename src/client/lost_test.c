/* lost_test.c - a connection that is lost, and everything as it was when it is back. */
#include "support/client_bench.h"

static tp_proxy *open_with_rate(struct bench *b)
{
    tp_proxy *proxy = NULL;

    assert_int_equal(tp_client_open(b->client, "laser:1", TP_READ_MODE, &proxy, &b->err), TP_OK);
    assert_int_equal(tp_proxy_set_rate(proxy, 5, &b->err), TP_OK);
    turn(b);
    fake_server_log(&b->server);
    return proxy;
}

static void everything_is_restored(void **state)
{
    struct bench *b = *state;

    b->options.mode = TP_CLIENT_FRESH;
    connect_client(b);
    b->client->pull.keeps = false;
    tp_proxy *base = open_device(b, "position2d:0");
    tp_proxy *laser = open_with_rate(b);
    assert_int_equal(tp_client_add_rule(b->client, 6, -1, TP_MSGTYPE_DATA, -1,
                                        TP_PLAYER_MSG_REPLACE_RULE_IGNORE, &b->err),
                     TP_OK);
    fake_server_log(&b->server);
    fake_server_hang_up(&b->server);
    wait_lost(b);
    assert_false(tp_proxy_is_open(base));
    assert_string_equal(tp_client_banner(b->client), "");
    pass(b, S / 10);
    wait_open(b, laser);
    turn(b);
    assert_true(tp_proxy_is_open(base));
    assert_sent(b, "hello mode:2 rule:-1 rule:6 open:4:0 open:6:1 access:16 rate");
    assert_non_null(strstr(b->trace, ": the server closed the connection;made;"));
}

/* How long until the next attempt: the steps in which the clock has to move. */
static int64_t time_to_attempt(struct bench *b)
{
    const int64_t step = S / 100;
    const unsigned before = b->server.accepted;
    int64_t time_ns = 0;

    while (b->server.accepted == before) {
        pass(b, step);
        time_ns += step;
        if (b->client->state == TPI_CLIENT_REACHING) {
            while (b->server.accepted == before) {
                tp_loop_turn(b->loop, true);
            }
        }
    }
    return time_ns;
}

static void attempts_become_rarer(void **state)
{
    static const int64_t wanted[] = {S / 10, S / 5, 2 * S / 5, 4 * S / 5, 8 * S / 5, 2 * S, 2 * S};
    struct bench *b = *state;

    connect_client(b);
    b->server.silent = true;
    fake_server_hang_up(&b->server);
    wait_lost(b);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        assert_int_equal(time_to_attempt(b), wanted[i]);
        fake_server_hang_up(&b->server);
        while (b->client->state != TPI_CLIENT_LOST) {
            tp_loop_turn(b->loop, true);
        }
    }
    b->server.silent = false; /* a good connection that lasts makes up for it */
    time_to_attempt(b);
    wait_connected(b);
    b->now_ns += 10 * S;
    fake_server_hang_up(&b->server);
    wait_lost(b);
    assert_int_equal(time_to_attempt(b), S / 10);
    wait_connected(b);
    fake_server_hang_up(&b->server); /* this one does not */
    wait_lost(b);
    assert_int_equal(time_to_attempt(b), S / 5);
}

static void commands_fail_while_it_is_lost(void **state)
{
    struct bench *b = *state;
    const tp_position2d_cmd_vel vel = {.state = 1};

    connect_client(b);
    tp_proxy *base = open_device(b, "position2d:0");
    fake_server_hang_up(&b->server);
    wait_lost(b);
    assert_int_equal(tp_proxy_command(base, TP_POSITION2D_CMD_VEL, &vel, &b->err), TP_E_CLOSED);
    assert_int_equal(strncmp(b->err.text, "position2d:0: tcp:", 18), 0);
    assert_non_null(strstr(b->err.text, ": the server closed the connection"));
    pass(b, S / 10);
    wait_connected(b); /* but it is not open again yet */
    assert_int_equal(tp_proxy_command(base, TP_POSITION2D_CMD_VEL, &vel, &b->err), TP_E_CLOSED);
    assert_string_equal(b->err.text, "position2d:0: it is not open yet");
    wait_open(b, base);
    assert_int_equal(tp_proxy_command(base, TP_POSITION2D_CMD_VEL, &vel, &b->err), TP_OK);
}

static void done(void *context, tp_proxy *proxy, tp_status status, const tp_msg *answer,
                 const char *why)
{
    (void)proxy;
    (void)answer;
    (void)why;
    trace(context, "%d ", status);
}

static void ask(struct bench *b, tp_proxy *proxy)
{
    assert_int_equal(
        tp_proxy_request_later(proxy, TP_POSITION2D_REQ_GET_GEOM, NULL, S, done, b, &b->err),
        TP_OK);
}

static void requests_under_way_fail_and_later_ones_wait(void **state)
{
    struct bench *b = *state;

    b->options.changed = NULL;
    connect_client(b);
    tp_proxy *base = open_device(b, "position2d:0");
    b->server.ignores_devices = true;
    ask(b, base);
    ask(b, base);
    turn(b);
    fake_server_hang_up(&b->server);
    wait_lost(b);
    assert_trace(b, "-14 -14 ");
    ask(b, base);
    ask(b, base);
    turn(b);
    assert_trace(b, "");
    b->server.ignores_devices = false;
    fake_server_log(&b->server);
    pass(b, S / 10);
    wait_open(b, base);
    turn(b);
    assert_trace(b, "-16 -16 "); /* refused, that is, asked */
    assert_sent(b, "hello mode:1 open:4:0 req:4:0:1 req:4:0:1");
}

/* Both wait for the device; one of them could move something. */
static void what_can_move_is_not_kept_for_longer_than_a_lease(void **state)
{
    struct bench *b = *state;
    const tp_position2d_power_config on = {.state = 1};

    b->options.changed = NULL;
    connect_client(b);
    tp_proxy *base = open_device(b, "position2d:0");
    fake_server_hang_up(&b->server);
    wait_lost(b);
    for (int late = 0; late < 2; late++) {
        fake_server_log(&b->server);
        b->trace[0] = '\0';
        assert_int_equal(tp_proxy_request_later(base, TP_POSITION2D_REQ_MOTOR_POWER, &on, 9 * S,
                                                done, b, &b->err),
                         TP_OK);
        assert_int_equal(
            tp_proxy_request_later(base, TP_POSITION2D_REQ_GET_GEOM, NULL, 9 * S, done, b, &b->err),
            TP_OK);
        pass(b, late ? 2 * S : S / 2);
        wait_open(b, base);
        turn(b);
        assert_trace(b, late ? "-13 -16 " : "-16 -16 ");
        assert_sent(b, late ? "hello mode:1 open:4:0 req:4:0:1"
                            : "hello mode:1 open:4:0 req:4:0:2 req:4:0:1");
        fake_server_hang_up(&b->server);
        wait_lost(b);
    }
}

static void requests_that_wait_too_long_fail_with_the_reason(void **state)
{
    struct bench *b = *state;

    connect_client(b);
    tp_proxy *base = open_device(b, "position2d:0");
    fake_server_vanish(&b->server);
    wait_lost(b);
    b->trace[0] = '\0';
    ask(b, base);
    pass(b, S);
    assert_trace(b, "-14 ");
}

/* The clock of a call that waits is moved by whoever else is on the loop. */
struct later {
    tp_after after;
    struct bench *b;
    int64_t by_ns;
    bool returns;
};

static void run_later(tp_after *after)
{
    struct later *later = (struct later *)after;

    later->b->now_ns += later->by_ns;
    if (later->returns) {
        fake_server_return(&later->b->server);
    }
}

static void a_call_that_waits_gets_through_a_lost_connection(void **state)
{
    struct bench *b = *state;
    struct later later = {.after = {.run = run_later}, .b = b, .by_ns = S / 10, .returns = true};
    tp_proxy *proxy = NULL;

    connect_client(b);
    tp_proxy *base = open_device(b, "position2d:0");
    fake_server_vanish(&b->server);
    wait_lost(b);
    tp_loop_after(b->loop, &later.after);
    assert_int_equal(tp_proxy_request(base, TP_POSITION2D_REQ_GET_GEOM, NULL, NULL, &b->err),
                     TP_E_DEVICE);
    fake_server_vanish(&b->server);
    wait_lost(b);
    later.by_ns = S;
    tp_loop_after(b->loop, &later.after);
    assert_int_equal(tp_client_open(b->client, "laser:0", TP_OPEN_MODE, &proxy, &b->err), TP_OK);
}

static void a_call_that_waits_fails_with_the_reason_if_it_does_not(void **state)
{
    struct bench *b = *state;
    struct later later = {.after = {.run = run_later}, .b = b, .by_ns = 5 * S};
    tp_proxy *proxy = NULL;

    connect_client(b);
    tp_proxy *base = open_device(b, "position2d:0");
    fake_server_vanish(&b->server);
    wait_lost(b);
    tp_loop_after(b->loop, &later.after);
    assert_int_equal(tp_proxy_request(base, TP_POSITION2D_REQ_GET_GEOM, NULL, NULL, &b->err),
                     TP_E_CLOSED);
    assert_non_null(strstr(b->err.text, "position2d:0: "));
    tp_loop_after(b->loop, &later.after);
    assert_int_equal(tp_client_open(b->client, "laser:0", TP_OPEN_MODE, &proxy, &b->err),
                     TP_E_CLOSED);
    assert_int_equal(strncmp(b->err.text, "laser:0: ", 9), 0);
}

static void reading_tells_the_loss_once_and_goes_on(void **state)
{
    struct bench *b = *state;

    connect_client(b);
    tp_proxy *base = open_device(b, "position2d:0");
    fake_server_hang_up(&b->server);
    assert_int_equal(tp_client_read(b->client, S, &b->err), TP_E_CLOSED);
    assert_non_null(strstr(b->err.text, ": the server closed the connection"));
    b->now_ns += S / 10;
    struct later later = {.after = {.run = run_later}, .b = b, .by_ns = S};
    tp_loop_after(b->loop, &later.after);
    assert_int_equal(tp_client_read(b->client, S, &b->err), TP_E_CLOSED); /* none came in time */
    wait_open(b, base);
    send_state(b, 0, 4, 1);
    assert_int_equal(tp_client_read(b->client, S, &b->err), TP_OK);
    assert_true(state_x(tp_proxy_latest(base, TP_POSITION2D_DATA_STATE)) == 4.0);
}

static void a_client_that_stays_lost_says_so(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = NULL;

    b->options.stay_lost = true;
    connect_client(b);
    tp_proxy *base = open_device(b, "position2d:0");
    b->server.ignores_devices = true;
    ask(b, base);
    fake_server_hang_up(&b->server);
    wait_lost(b);
    assert_non_null(strstr(b->trace, "-14 lost: "));
    pass(b, 100 * S);
    assert_int_equal(b->server.accepted, 1);
    assert_int_equal(tp_client_read(b->client, S, &b->err), TP_E_CLOSED);
    assert_int_equal(tp_proxy_request(base, TP_POSITION2D_REQ_GET_GEOM, NULL, NULL, &b->err),
                     TP_E_CLOSED);
    assert_int_equal(tp_client_request(b->client, TP_PLAYER_REQ_DEVLIST, NULL, NULL, &b->err),
                     TP_E_CLOSED);
    assert_int_equal(tp_client_open(b->client, "laser:0", TP_OPEN_MODE, &proxy, &b->err),
                     TP_E_CLOSED);
    assert_null(tp_proxy_wait(base, TP_POSITION2D_DATA_STATE, S, &b->err));
    assert_int_equal(b->err.code, TP_E_CLOSED);
}

static void opened(void *context, tp_proxy *proxy, tp_status status, const char *why)
{
    trace(context, "%s:%d:%s ", tp_proxy_name(proxy), status, why == NULL ? "-" : why);
}

static void opening_waits_for_the_connection(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = NULL;

    b->options.changed = NULL;
    connect_client(b);
    fake_server_vanish(&b->server);
    wait_lost(b);
    assert_int_equal(tp_client_open_later(b->client, &tp_interface_laser, 0, TP_OPEN_MODE, opened,
                                          b, &proxy, &b->err),
                     TP_OK);
    pass(b, S / 10);
    fake_server_return(&b->server);
    while (b->trace[0] == '\0') {
        pass(b, S); /* much longer than the time-out, which counts from the asking */
    }
    assert_trace(b, "laser:0:0:- ");
}

static void who_waits_to_open_is_told_that_it_will_not_be(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = NULL;

    b->options.stay_lost = true;
    assert_int_equal(tp_client_connect_later(&b->client, b->server.url, &b->options, &b->err),
                     TP_OK);
    assert_int_equal(tp_client_open_later(b->client, &tp_interface_laser, 0, TP_OPEN_MODE, opened,
                                          b, &proxy, &b->err),
                     TP_OK);
    fake_server_vanish(&b->server);
    while (b->trace[0] == '\0') {
        tp_loop_turn(b->loop, true);
    }
    assert_non_null(strstr(b->trace, "laser:0:-14:"));
    assert_non_null(strstr(b->trace, "lost: "));
}

static void a_device_that_does_not_come_back_is_tried_again(void **state)
{
    struct bench *b = *state;

    connect_client(b);
    tp_proxy *base = open_device(b, "position2d:0");
    b->server.refuses_opening = true;
    fake_server_hang_up(&b->server);
    wait_lost(b);
    pass(b, S / 10);
    wait_for_words(b, "open:4:0");
    turn(b);
    assert_false(tp_proxy_is_open(base));
    assert_int_equal(tp_proxy_request(base, TP_POSITION2D_REQ_GET_GEOM, NULL, NULL, &b->err),
                     TP_E_DEVICE);
    assert_string_equal(b->err.text, "position2d:0: its driver could not be started");
    b->server.refuses_opening = false;
    pass(b, 2 * S);
    wait_open(b, base);
}

static void remove_base(struct bench *b)
{
    static char text[] = "fake0: the device was removed";
    const tp_failure failure = {.code = TP_E_REMOVED, .text_count = sizeof text, .text = text};

    fake_server_data(&b->server, TP_POSITION2D_CODE, 0, TP_COMMON_DATA_ERROR, &tp_desc_failure,
                     &failure, 7);
    turn(b);
}

/* A server that reads its configuration again exchanges drivers. */
static void a_device_that_was_removed_is_opened_again(void **state)
{
    struct bench *b = *state;
    const tp_position2d_cmd_vel vel = {.state = 1};

    b->options.mode = TP_CLIENT_EVERYTHING;
    connect_client(b);
    tp_proxy *base = open_device(b, "position2d:0");
    tp_proxy *other = open_device(b, "position2d:1");
    remove_base(b);
    assert_false(tp_proxy_is_open(base));
    assert_true(tp_proxy_is_open(other));
    assert_non_null(tp_proxy_latest(base, TP_COMMON_DATA_ERROR)); /* the program is told */
    assert_int_equal(tp_proxy_command(base, TP_POSITION2D_CMD_VEL, &vel, &b->err), TP_E_REMOVED);
    assert_string_equal(b->err.text, "position2d:0: fake0: the device was removed");
    b->server.refuses_opening = true;
    pass(b, S / 10);
    turn(b);
    assert_sent(b, "open:4:0");
    pass(b, S / 10); /* and then less and less often */
    turn(b);
    assert_sent(b, "");
    pass(b, S / 10);
    turn(b);
    assert_sent(b, "open:4:0");
    b->server.refuses_opening = false;
    pass(b, 4 * S / 10);
    wait_open(b, base);
    turn(b);
    assert_sent(b, "open:4:0");
    remove_base(b);
    pass(b, S / 10); /* it counts anew */
    wait_open(b, base);
}

/* The program does all it can when it hears of the loss. */
static tp_proxy *doomed;

static void close_when_lost(void *context, tp_client *client, const char *why)
{
    struct bench *b = context;
    tp_proxy *proxy = NULL;

    on_changed(context, client, why == NULL ? NULL : "x");
    if (why != NULL) {
        tp_proxy_close(doomed);
        assert_int_equal(tp_client_open_later(client, &tp_interface_laser, 0, TP_OPEN_MODE, opened,
                                              b, &proxy, &b->err),
                         TP_OK);
    }
}

static void the_program_may_open_and_close_when_it_hears_of_the_loss(void **state)
{
    struct bench *b = *state;

    b->options.changed = close_when_lost;
    connect_client(b);
    doomed = open_device(b, "position2d:0");
    b->server.ignores_devices = true;
    ask(b, doomed);
    turn(b);
    fake_server_hang_up(&b->server);
    wait_lost(b);
    pass(b, S / 10);
    wait_connected(b);
    turn(b);
    assert_trace(b, "-14 lost: x;made;laser:0:0:- ");
    assert_int_equal(b->client->last_proxy == b->client->proxies, true);
}

static void player_gets_back_what_it_knows(void **state)
{
    struct bench *b = *state;

    b->server.plain = true;
    connect_client(b);
    tp_proxy *base = open_device(b, "position2d:0");
    tp_proxy *laser = open_device(b, "laser:0");
    fake_server_hang_up(&b->server);
    wait_lost(b);
    pass(b, S / 10);
    wait_open(b, base);
    wait_open(b, laser);
    assert_sent(b, "hello mode:1 open:4:0 open:6:0");
}

/* A close that waits behind another opening means nothing to the next connection. */
static bool ignore_openings(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    (void)server;
    (void)body;
    return header->addr.interf == TP_PLAYER_CODE && header->subtype == TP_PLAYER_REQ_DEV;
}

static void what_was_to_be_closed_is_not_closed_twice(void **state)
{
    struct bench *b = *state;
    tp_proxy *laser = NULL;

    b->server.plain = true;
    connect_client(b);
    tp_proxy *base = open_device(b, "position2d:0");
    tp_proxy *other = open_device(b, "position2d:0");
    b->server.handle = ignore_openings;
    assert_int_equal(tp_client_open_later(b->client, &tp_interface_laser, 0, TP_OPEN_MODE, NULL,
                                          NULL, &laser, &b->err),
                     TP_OK);
    tp_proxy_close(other);
    turn(b);
    fake_server_hang_up(&b->server);
    wait_lost(b);
    b->server.handle = NULL;
    pass(b, S / 10);
    wait_open(b, base);
    wait_open(b, laser);
    turn(b);
    assert_sent(b, "hello mode:1 open:4:0 open:6:0");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(everything_is_restored),
        TEST(attempts_become_rarer),
        TEST(commands_fail_while_it_is_lost),
        TEST(requests_under_way_fail_and_later_ones_wait),
        TEST(what_can_move_is_not_kept_for_longer_than_a_lease),
        TEST(requests_that_wait_too_long_fail_with_the_reason),
        TEST(a_call_that_waits_gets_through_a_lost_connection),
        TEST(a_call_that_waits_fails_with_the_reason_if_it_does_not),
        TEST(reading_tells_the_loss_once_and_goes_on),
        TEST(a_client_that_stays_lost_says_so),
        TEST(opening_waits_for_the_connection),
        TEST(who_waits_to_open_is_told_that_it_will_not_be),
        TEST(a_device_that_does_not_come_back_is_tried_again),
        TEST(a_device_that_was_removed_is_opened_again),
        TEST(the_program_may_open_and_close_when_it_hears_of_the_loss),
        TEST(player_gets_back_what_it_knows),
        TEST(what_was_to_be_closed_is_not_closed_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
