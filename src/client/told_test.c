/* told_test.c - what a client is told without asking, and asks without waiting; and what can be
 * told before it connects. */
#include "support/client_bench.h"

/* ---- Panics ---------------------------------------------------------------------------------- */

static uint8_t panics; /* on the server: whether there is one */

static bool answer_panic(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    const tp_panic_state panic = {.active = panics, .epoch = 7};

    (void)body;
    if (header->addr.interf != TP_PLAYER_CODE || header->subtype != TP_PLAYER_REQ_GET_PANIC) {
        return false;
    }
    fake_server_reply(server, header, TP_MSGTYPE_RESP_ACK, &tp_desc_panic_state, &panic);
    return true;
}

static void on_panic(void *context, tp_client *client, const tp_panic_state *panic)
{
    (void)client;
    trace(context, "%s;", panic->active ? "panic" : "none");
}

static void tell_panic(struct bench *b, uint8_t active)
{
    const tp_panic_state panic = {.active = active};

    fake_server_data(&b->server, TP_PLAYER_CODE, 0, TP_PLAYER_DATA_PANIC, &tp_desc_panic_state,
                     &panic, 1);
    turn(b);
}

static void panics_are_told_as_they_are_and_as_they_come(void **state)
{
    struct bench *b = *state;

    panics = 0;
    b->server.handle = answer_panic;
    b->options.panicked = on_panic;
    b->options.changed = NULL;
    assert_int_equal(tp_client_connect(&b->client, b->server.url, &b->options, &b->err), TP_OK);
    turn(b);
    assert_trace(b, "none;");
    tell_panic(b, 1);
    tell_panic(b, 0);
    assert_trace(b, "panic;none;");
    panics = 1;
    fake_server_hang_up(&b->server);
    wait_lost(b);
    pass(b, S / 10);
    wait_connected(b);
    turn(b);
    assert_trace(b, "panic;");
}

static void who_does_not_want_to_know_does_not_ask(void **state)
{
    struct bench *b = *state;

    assert_int_equal(tp_client_connect(&b->client, b->server.url, &b->options, &b->err), TP_OK);
    turn(b);
    assert_sent(b, "hello mode:1");
    b->trace[0] = '\0';
    tell_panic(b, 1);
    assert_trace(b, "");
    assert_true(tp_client_is_connected(b->client));
}

static void a_player_server_has_none(void **state)
{
    struct bench *b = *state;

    b->server.plain = true;
    b->options.panicked = on_panic;
    assert_int_equal(tp_client_connect(&b->client, b->server.url, &b->options, &b->err), TP_OK);
    turn(b);
    assert_sent(b, "hello mode:1");
}

/* ---- Proxies that change --------------------------------------------------------------------- */

static void on_change(void *context, tp_proxy *proxy, tp_status status, const char *why)
{
    trace(context, "%s:%d:%s;", tp_proxy_name(proxy), status, why != NULL ? why : "-");
}

static void remove_base(struct bench *b)
{
    static char text[] = "fake0: gone";
    const tp_failure failure = {.code = TP_E_REMOVED, .text_count = sizeof text, .text = text};

    fake_server_data(&b->server, TP_POSITION2D_CODE, 0, TP_COMMON_DATA_ERROR, &tp_desc_failure,
                     &failure, 7);
    turn(b);
}

static void a_proxy_tells_that_it_is_gone_and_back(void **state)
{
    struct bench *b = *state;

    b->options.changed = NULL;
    connect_client(b);
    tp_proxy *base = open_device(b, "position2d:0");
    tp_proxy_on_change(base, on_change, b);
    assert_trace(b, ""); /* it was open already */
    remove_base(b);
    assert_trace(b, "position2d:0:-17:position2d:0: fake0: gone;");
    b->server.refuses_opening = true;
    pass(b, S / 10);
    turn(b);
    assert_trace(b, "position2d:0:-16:position2d:0: its driver could not be started;");
    b->server.refuses_opening = false;
    pass(b, S);
    wait_open(b, base);
    assert_trace(b, "position2d:0:0:-;");
    fake_server_hang_up(&b->server);
    wait_lost(b);
    pass(b, S / 10);
    wait_open(b, base);
    assert_trace(b, "position2d:0:0:-;");
    tp_proxy_on_change(base, NULL, NULL);
    remove_base(b);
    assert_trace(b, "");
}

/* ---- Refusals -------------------------------------------------------------------------------- */

static void refuse(struct bench *b, int code, double timestamp)
{
    static char text[] = "position2d:0: nothing moves during a panic";
    const tp_failure failure = {.code = code, .text_count = sizeof text, .text = text};

    fake_server_data(&b->server, TP_POSITION2D_CODE, 0, TP_COMMON_DATA_ERROR, &tp_desc_failure,
                     &failure, timestamp);
    turn(b);
}

static void a_refusal_is_returned_once(void **state)
{
    struct bench *b = *state;
    const tp_position2d_cmd_vel vel = {.state = 1};

    connect_client(b);
    tp_proxy *base = open_device(b, "position2d:0");
    tp_proxy *other = open_device(b, "position2d:1");
    assert_int_equal(tp_proxy_refusal(base, &b->err), TP_OK);
    refuse(b, TP_E_PANIC, 1);
    assert_int_equal(tp_proxy_command(base, TP_POSITION2D_CMD_VEL, &vel, &b->err), TP_OK);
    assert_int_equal(tp_proxy_refusal(other, &b->err), TP_OK);
    assert_int_equal(tp_proxy_refusal(base, &b->err), TP_E_PANIC);
    assert_string_equal(b->err.text, "position2d:0: nothing moves during a panic");
    assert_int_equal(tp_proxy_refusal(base, &b->err), TP_OK);
    refuse(b, TP_E_PANIC, 2);
    assert_int_equal(tp_proxy_refusal(base, NULL), TP_E_PANIC);
    refuse(b, TP_E_PANIC, 3);
    assert_non_null(tp_proxy_wait(base, TP_COMMON_DATA_ERROR, S, &b->err));
    assert_int_equal(tp_proxy_refusal(base, &b->err), TP_OK); /* the program knows it */
    refuse(b, TP_OK, 4);                                      /* that is none */
    assert_int_equal(tp_proxy_refusal(base, &b->err), TP_OK);
}

/* ---- Asking the server without waiting ------------------------------------------------------- */

static void on_answer(void *context, tp_proxy *proxy, tp_status status, const tp_msg *answer,
                      const char *why)
{
    const tp_panic_state *panic = answer != NULL ? tp_msg_payload(answer) : NULL;

    assert_null(proxy);
    trace(context, "%d:%u:%s;", status, panic != NULL ? panic->epoch : 0, why != NULL ? why : "-");
}

static void the_server_itself_answers_later(void **state)
{
    struct bench *b = *state;
    char wanted[160];

    b->options.stay_lost = true;
    b->options.changed = NULL;
    b->server.handle = answer_panic;
    connect_client(b);
    assert_int_equal(
        tp_client_request_later(b->client, TP_PLAYER_REQ_GET_PANIC, NULL, 0, on_answer, b, &b->err),
        TP_OK);
    assert_trace(b, "");
    turn(b);
    assert_trace(b, "0:7:-;");
    assert_int_equal(tp_client_request_later(b->client, 250, NULL, 0, on_answer, b, &b->err),
                     TP_E_UNKNOWN);
    snprintf(wanted, sizeof wanted, "%s: a server has no request with code 250", b->server.url);
    assert_string_equal(b->err.text, wanted);
    fake_server_hang_up(&b->server);
    wait_lost(b);
    assert_int_equal(
        tp_client_request_later(b->client, TP_PLAYER_REQ_GET_PANIC, NULL, 0, on_answer, b, &b->err),
        TP_E_CLOSED);
    assert_trace(b, "");
}

/* ---- Stamps ---------------------------------------------------------------------------------- */

static double stamp; /* of the last command */

static bool note_stamp(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    (void)server;
    (void)body;
    stamp = header->type == TP_MSGTYPE_CMD ? header->timestamp : stamp;
    return false;
}

static double another_wall(const tp_clock *clock)
{
    return 1e9 + bench_wall(clock);
}

static void assert_stamp(struct bench *b, bool steady, double wanted)
{
    const tp_position2d_cmd_vel vel = {.state = 1};

    b->options.steady = steady;
    b->server.handle = note_stamp;
    connect_client(b);
    assert_int_equal(
        tp_proxy_command(open_device(b, "position2d:0"), TP_POSITION2D_CMD_VEL, &vel, &b->err),
        TP_OK);
    turn(b);
    assert_true(stamp == wanted);
    tp_client_destroy(b->client);
    b->client = NULL;
}

static void commands_are_stamped_by_one_of_two_clocks(void **state)
{
    struct bench *b = *state;

    b->clock.wall_s = another_wall;
    assert_stamp(b, false, 1e9 + 1000);
    assert_stamp(b, true, 1000);
}

/* ---- Before it connects ---------------------------------------------------------------------- */

static void assert_check(struct bench *b, const char *url, const char *key, const char *wrong,
                         const char *why)
{
    const tp_client_options options = {.loop = b->loop, .key = key};
    const char *what = NULL;

    assert_true(tp_client_check(url, &options, &what, &b->err) != TP_OK);
    assert_string_equal(what, wrong);
    assert_string_equal(b->err.text, why);
}

static void what_is_wrong_is_told_before_it_connects(void **state)
{
    struct bench *b = *state;
    const tp_client_options good = {.loop = b->loop, .key = "sesame"};
    const tp_client_options file = {.loop = b->loop, .key_file = "/no/such"};
    const char *what = NULL;

    assert_int_equal(tp_client_check("tcp:robot:6665", &good, NULL, &b->err), TP_OK);
    assert_check(b, "http://robot", NULL, "url",
                 "http://robot: this is for browsers; a server is tcp:HOST:PORT, unix:PATH or "
                 "inproc:FILE.cfg");
    assert_check(b, "tcp:robot:99999", NULL, "url",
                 "connect to tcp:robot:99999: the port must be a number from 0 to 65535");
    assert_check(b, "inproc:x.cfg", NULL, "url",
                 "inproc:x.cfg: such a server has a loop of its own; attach a client to yours "
                 "instead");
    assert_int_equal(tp_client_check("unix:/x", &file, &what, &b->err), TP_E_IO);
    assert_string_equal(what, "key_file");
    assert_string_equal(b->err.text, "/no/such: No such file or directory");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(panics_are_told_as_they_are_and_as_they_come),
        TEST(who_does_not_want_to_know_does_not_ask),
        TEST(a_player_server_has_none),
        TEST(a_proxy_tells_that_it_is_gone_and_back),
        TEST(a_refusal_is_returned_once),
        TEST(the_server_itself_answers_later),
        TEST(commands_are_stamped_by_one_of_two_clocks),
        TEST(what_is_wrong_is_told_before_it_connects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
