/* request_test.c - commands and requests, in both styles, to servers of ours and to Player's. */
#include "support/client_bench.h"

static const tp_position2d_geom geometry = {.size = {.sl = 0.5}};

/* Answers GET_GEOM. */
static bool give_geometry(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    (void)body;
    if (header->addr.interf != TP_POSITION2D_CODE ||
        header->subtype != TP_POSITION2D_REQ_GET_GEOM) {
        return false;
    }
    fake_server_reply(server, header, TP_MSGTYPE_RESP_ACK, &tp_desc_position2d_geom, &geometry);
    return true;
}

static void done(void *context, tp_proxy *proxy, tp_status status, const tp_msg *answer,
                 const char *why)
{
    const tp_position2d_geom *geom = answer != NULL ? tp_msg_payload(answer) : NULL;

    trace(context, "%s:%d:%g:%s ", tp_proxy_name(proxy), status, geom != NULL ? geom->size.sl : -1,
          why == NULL ? "-" : why);
}

static tp_status ask_later(struct bench *b, tp_proxy *proxy)
{
    return tp_proxy_request_later(proxy, TP_POSITION2D_REQ_GET_GEOM, NULL, S, done, b, &b->err);
}

/* ---- Waiting --------------------------------------------------------------------------------- */

static void a_request_is_answered(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = open_device(b, "position2d:0");
    const void *answer = NULL;

    b->server.handle = give_geometry;
    assert_int_equal(tp_proxy_request(proxy, TP_POSITION2D_REQ_GET_GEOM, NULL, &answer, &b->err),
                     TP_OK);
    assert_true(((const tp_position2d_geom *)answer)->size.sl == 0.5);
    assert_int_equal(tp_proxy_request(proxy, TP_POSITION2D_REQ_GET_GEOM, NULL, NULL, &b->err),
                     TP_OK);
}

static void a_refusal_of_player_names_the_request(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = open_device(b, "position2d:0");

    assert_int_equal(tp_proxy_request(proxy, TP_POSITION2D_REQ_GET_GEOM, NULL, NULL, &b->err),
                     TP_E_DEVICE);
    assert_string_equal(b->err.text, "position2d:0: GET_GEOM was refused");
}

static bool explain(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    static char text[] = "the motors are off";
    const tp_failure failure = {.code = TP_E_DENIED, .text_count = sizeof text, .text = text};

    (void)body;
    if (header->addr.interf == TP_PLAYER_CODE) {
        return false;
    }
    fake_server_reply(server, header, TP_MSGTYPE_RESP_NACK, &tp_desc_failure, &failure);
    return true;
}

static void a_refusal_of_ours_has_a_code_and_a_reason(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = open_device(b, "position2d:0");

    b->server.handle = explain;
    assert_int_equal(tp_proxy_request(proxy, TP_POSITION2D_REQ_GET_GEOM, NULL, NULL, &b->err),
                     TP_E_DENIED);
    assert_string_equal(b->err.text, "position2d:0: the motors are off");
    assert_int_equal(ask_later(b, proxy), TP_OK);
    turn(b);
    assert_trace(b, "position2d:0:-15:-1:position2d:0: the motors are off ");
}

static bool answer_empty(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    (void)body;
    if (header->addr.interf == TP_PLAYER_CODE) {
        return false;
    }
    fake_server_reply(server, header, TP_MSGTYPE_RESP_ACK, NULL, NULL);
    return true;
}

static void an_empty_answer_is_none(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = open_device(b, "position2d:0");
    const tp_position2d_power_config on = {.state = 1};
    const void *answer = &on;

    b->server.handle = answer_empty;
    assert_int_equal(tp_proxy_request(proxy, TP_POSITION2D_REQ_MOTOR_POWER, &on, &answer, &b->err),
                     TP_OK);
    assert_null(answer);
    assert_int_equal(tp_proxy_request(proxy, TP_POSITION2D_REQ_GET_GEOM, NULL, &answer, &b->err),
                     TP_E_SHORT);
    assert_string_equal(b->err.text, "position2d:0: the answer to GET_GEOM is empty");
    assert_int_equal(tp_proxy_request(proxy, TP_POSITION2D_REQ_GET_GEOM, NULL, NULL, &b->err),
                     TP_OK); /* who does not want the answer does not miss it */
}

static bool answer_short(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    const tp_uint32 few = {1};

    (void)body;
    if (header->addr.interf == TP_PLAYER_CODE) {
        return false;
    }
    fake_server_reply(server, header, TP_MSGTYPE_RESP_ACK, &tp_desc_uint32, &few);
    return true;
}

static void an_answer_that_cannot_be_read_is_told(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = open_device(b, "position2d:0");

    b->server.handle = answer_short;
    assert_int_equal(tp_proxy_request(proxy, TP_POSITION2D_REQ_GET_GEOM, NULL, NULL, &b->err),
                     TP_E_SHORT);
    assert_string_equal(b->err.text,
                        "position2d:0: the answer to GET_GEOM cannot be read: message too short");
}

static bool move_clock(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    struct bench *b = server->context;

    (void)body;
    if (header->addr.interf == TP_PLAYER_CODE) {
        return false;
    }
    b->now_ns += 5 * S;
    return true;
}

static void no_answer_in_time_is_told(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = open_device(b, "position2d:0");

    b->server.handle = move_clock;
    b->server.context = b;
    assert_int_equal(tp_proxy_request(proxy, TP_POSITION2D_REQ_GET_GEOM, NULL, NULL, &b->err),
                     TP_E_TIMEOUT);
    assert_string_equal(b->err.text, "position2d:0: no answer to GET_GEOM in time");
    b->server.handle = give_geometry;
    assert_int_equal(tp_proxy_request(proxy, TP_POSITION2D_REQ_GET_GEOM, NULL, NULL, &b->err),
                     TP_OK);
}

static void what_cannot_be_asked_is_told_at_once(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = open_device(b, "position2d:0");
    const tp_intprop_req wrong = {.key_count = 4, .key = NULL};

    assert_int_equal(tp_proxy_request(proxy, 99, NULL, NULL, &b->err), TP_E_UNKNOWN);
    assert_string_equal(b->err.text, "position2d:0 has no request with code 99");
    assert_int_equal(tp_proxy_command(proxy, 99, NULL, &b->err), TP_E_UNKNOWN);
    assert_string_equal(b->err.text, "position2d:0 has no command with code 99");
    assert_int_equal(tp_proxy_request(proxy, TP_COMMON_REQ_GET_INTPROP, &wrong, NULL, &b->err),
                     TP_E_INVALID);
    assert_string_equal(b->err.text, "position2d:0: GET_INTPROP cannot be asked: invalid argument");
    assert_int_equal(tp_proxy_request(proxy, TP_POSITION2D_REQ_MOTOR_POWER, NULL, NULL, &b->err),
                     TP_E_INVALID);
    assert_int_equal(tp_proxy_command(proxy, TP_POSITION2D_CMD_VEL, NULL, &b->err), TP_E_INVALID);
    assert_string_equal(b->err.text, "position2d:0: VEL needs a value");
    turn(b);
    assert_sent(b, "");
}

/* ---- Without waiting ------------------------------------------------------------------------- */

static void requests_go_out_together_and_come_back_to_who_asked(void **state)
{
    struct bench *b = *state;
    tp_proxy *zero = open_device(b, "position2d:0");
    tp_proxy *one = open_device(b, "position2d:1");

    b->server.handle = give_geometry;
    assert_int_equal(ask_later(b, one), TP_OK);
    assert_int_equal(ask_later(b, zero), TP_OK);
    assert_int_equal(ask_later(b, one), TP_OK);
    assert_trace(b, ""); /* never from inside the call */
    turn(b);
    assert_trace(b, "position2d:1:0:0.5:- position2d:0:0:0.5:- position2d:1:0:0.5:- ");
}

static tp_msghdr remembered[3];
static unsigned remembered_count;

static bool remember(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    (void)server;
    (void)body;
    if (header->addr.interf == TP_PLAYER_CODE) {
        return false;
    }
    remembered[remembered_count++] = *header;
    return true;
}

static void our_replies_are_told_apart_by_their_number(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = open_device(b, "position2d:0");

    remembered_count = 0;
    b->server.handle = remember;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ask_later(b, proxy), TP_OK);
    }
    turn(b);
    assert_int_equal(remembered_count, 3); /* all at once */
    fake_server_reply(&b->server, &remembered[2], TP_MSGTYPE_RESP_NACK, NULL, NULL);
    fake_server_reply(&b->server, &remembered[1], TP_MSGTYPE_RESP_ACK, &tp_desc_position2d_geom,
                      &geometry);
    remembered[0].seq += 77;
    fake_server_reply(&b->server, &remembered[0], TP_MSGTYPE_RESP_NACK, NULL, NULL); /* nobody's */
    turn(b);
    assert_trace(b, "position2d:0:-16:-1:position2d:0: GET_GEOM was refused "
                    "position2d:0:0:0.5:- ");
    pass(b, S);
    assert_trace(b, "position2d:0:-13:-1:position2d:0: no answer to GET_GEOM in time ");
}

static void player_is_asked_the_same_only_one_after_the_other(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = open_device(b, "position2d:0");
    tp_proxy *other = open_device(b, "position2d:1");

    remembered_count = 0;
    b->server.handle = remember;
    assert_int_equal(ask_later(b, proxy), TP_OK);
    assert_int_equal(ask_later(b, proxy), TP_OK);
    assert_int_equal(ask_later(b, other), TP_OK);
    turn(b);
    assert_int_equal(remembered_count, 2);
    assert_int_equal(remembered[1].addr.index, 1);
    fake_server_reply(&b->server, &remembered[0], TP_MSGTYPE_RESP_ACK, &tp_desc_position2d_geom,
                      &geometry);
    turn(b);
    assert_trace(b, "position2d:0:0:0.5:- ");
    assert_int_equal(remembered_count, 3);
    pass(b, S); /* the second one is given up; it does not stand in the way of the next */
    assert_trace(b, "position2d:0:-13:-1:position2d:0: no answer to GET_GEOM in time "
                    "position2d:1:-13:-1:position2d:1: no answer to GET_GEOM in time ");
    b->server.handle = give_geometry;
    assert_int_equal(ask_later(b, proxy), TP_OK);
    turn(b);
    assert_trace(b, "position2d:0:0:0.5:- ");
}

static void a_value_that_waits_is_kept(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = open_device(b, "position2d:0");
    char key[] = "speed";
    tp_intprop_req property = {.key_count = sizeof key, .key = key, .value = 7};

    remembered_count = 0;
    b->server.handle = remember;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tp_proxy_request_later(proxy, TP_COMMON_REQ_SET_INTPROP, &property, S,
                                                done, b, &b->err),
                         TP_OK);
    }
    memset(key, 'x', sizeof key);
    property.key = NULL;
    turn(b);
    assert_int_equal(remembered_count, 1);
    fake_server_reply(&b->server, &remembered[0], TP_MSGTYPE_RESP_ACK, NULL, NULL);
    turn(b);
    assert_int_equal(remembered_count, 2);
    assert_int_equal(remembered[1].size, remembered[0].size);
}

static void a_closed_proxy_is_not_told(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = open_device(b, "position2d:0");

    b->server.handle = give_geometry;
    assert_int_equal(ask_later(b, proxy), TP_OK);
    tp_proxy_close(proxy);
    turn(b);
    assert_trace(b, "");
    tp_proxy_close(NULL);
}

static void close_and_ask(void *context, tp_proxy *proxy, tp_status status, const tp_msg *answer,
                          const char *why)
{
    struct bench *b = context;

    done(context, proxy, status, answer, why);
    assert_int_equal(ask_later(b, proxy), TP_OK);
    tp_proxy_close(proxy);
}

static void a_proxy_may_be_closed_when_it_is_answered(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = open_device(b, "position2d:0");

    b->server.handle = give_geometry;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(tp_proxy_request_later(proxy, TP_POSITION2D_REQ_GET_GEOM, NULL, 0,
                                                close_and_ask, b, &b->err),
                         TP_OK);
    }
    turn(b);
    assert_trace(b, "position2d:0:0:0.5:- ");
    assert_null(b->client->proxies);
    assert_sent(b, "close:4:0");
}

static void nobody_has_to_listen(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = open_device(b, "position2d:0");

    assert_int_equal(
        tp_proxy_request_later(proxy, TP_POSITION2D_REQ_GET_GEOM, NULL, 0, NULL, NULL, &b->err),
        TP_OK);
    turn(b);
    assert_sent(b, "req:4:0:1");
    assert_null(b->client->asks.first);
}

/* ---- Commands -------------------------------------------------------------------------------- */

static void commands_are_sent(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = open_device(b, "position2d:0");
    const tp_position2d_cmd_vel vel = {.vel = {.px = 0.5}, .state = 1};

    assert_int_equal(tp_proxy_command(proxy, TP_POSITION2D_CMD_VEL, &vel, &b->err), TP_OK);
    assert_int_equal(tp_proxy_command(proxy, TP_POSITION2D_CMD_VEL, &vel, &b->err), TP_OK);
    turn(b);
    assert_sent(b, "cmd:4:0:1 req:4:0:242 cmd:4:0:1");
}

static void a_server_that_does_not_read_does_not_fill_the_memory(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = open_device(b, "position2d:0");
    const tp_position2d_cmd_vel vel = {.vel = {.px = 0.5}, .state = 1};
    tp_status status = TP_OK;

    tp_stream_pause(b->server.stream);
    for (int i = 0; i < 10000000 && status == TP_OK; i++) {
        status = tp_proxy_command(proxy, TP_POSITION2D_CMD_VEL, &vel, &b->err);
    }
    assert_int_equal(status, TP_E_LIMIT);
    assert_string_equal(b->err.text,
                        "position2d:0: the server does not read: VEL was not sent, and "
                        "would be old");
    b->server.handle = NULL;
    b->server.silent = true; /* takes it without a word */
    tp_stream_resume(b->server.stream);
    while (status != TP_OK) {
        tp_loop_turn(b->loop, true);
        status = tp_proxy_command(proxy, TP_POSITION2D_CMD_VEL, &vel, &b->err);
    }
}

/* ---- Opening --------------------------------------------------------------------------------- */

static void opened(void *context, tp_proxy *proxy, tp_status status, const char *why)
{
    trace(context, "%s:%d:%s ", tp_proxy_name(proxy), status, why == NULL ? "-" : why);
}

static tp_proxy *open_later(struct bench *b, unsigned access)
{
    tp_proxy *proxy = NULL;

    assert_int_equal(
        tp_client_open_later(b->client, &tp_interface_laser, 2, access, opened, b, &proxy, &b->err),
        TP_OK);
    return proxy;
}

static void opening_is_told(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = open_later(b, TP_READ_MODE);

    assert_false(tp_proxy_is_open(proxy));
    assert_trace(b, "");
    turn(b);
    assert_trace(b, "laser:2:0:- ");
    assert_true(tp_proxy_is_open(proxy));
    assert_sent(b, "open:6:2 access:16");
}

static void player_knows_no_other_access_than_open(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = open_later(b, TP_ALL_MODE);

    turn(b);
    assert_trace(b, "laser:2:0:- ");
    assert_sent(b, "open:6:2");
    assert_int_equal(tp_client_open(b->client, "laser:2", TP_EXCLUSIVE_MODE, &proxy, &b->err),
                     TP_E_UNSUPPORTED);
    assert_string_equal(b->err.text, "laser:2: a Player server cannot give exclusive access");
    assert_int_equal(tp_proxy_set_rate(proxy, 5, &b->err), TP_E_UNSUPPORTED);
    assert_string_equal(b->err.text, "laser:2: a Player server does not limit rates");
}

static void a_driver_that_does_not_start_is_told(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = NULL;

    b->server.refuses_opening = true;
    assert_int_equal(tp_client_open(b->client, "laser:2", TP_OPEN_MODE, &proxy, &b->err),
                     TP_E_DEVICE);
    assert_string_equal(b->err.text, "laser:2: its driver could not be started");
    assert_null(b->client->proxies);
    proxy = open_later(b, TP_OPEN_MODE);
    turn(b);
    assert_trace(b, "laser:2:-16:laser:2: its driver could not be started ");
    assert_int_equal(tp_proxy_request(proxy, TP_LASER_REQ_GET_GEOM, NULL, NULL, &b->err),
                     TP_E_DEVICE);
    assert_string_equal(b->err.text, "laser:2: its driver could not be started");
    assert_int_equal(tp_proxy_command(proxy, 1, NULL, &b->err), TP_E_UNKNOWN);
    assert_null(tp_proxy_wait(proxy, TP_LASER_DATA_SCAN, S, &b->err));
    assert_string_equal(b->err.text, "laser:2: its driver could not be started");
}

static bool refuse_device(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    static char text[] = "open /dev/ttyUSB0: permission denied";
    const tp_failure failure = {.code = TP_E_IO, .text_count = sizeof text, .text = text};
    const tp_device_req none = {.access = TP_ERROR_MODE};

    (void)body;
    if (header->addr.interf != TP_PLAYER_CODE || header->subtype != TP_PLAYER_REQ_DEV) {
        return false;
    }
    fake_server_reply(server, header, TP_MSGTYPE_RESP_NACK,
                      server->plain ? &tp_desc_device_req : &tp_desc_failure,
                      server->plain ? (const void *)&none : &failure);
    return true;
}

static void the_servers_reason_is_told(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = NULL;

    b->server.handle = refuse_device;
    assert_int_equal(tp_client_open(b->client, "laser:2", TP_OPEN_MODE, &proxy, &b->err), TP_E_IO);
    assert_string_equal(b->err.text, "laser:2: open /dev/ttyUSB0: permission denied");
}

static void a_device_that_player_does_not_have_is_told(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = NULL;

    b->server.handle = refuse_device;
    assert_int_equal(tp_client_open(b->client, "laser:2", TP_OPEN_MODE, &proxy, &b->err),
                     TP_E_UNKNOWN);
    assert_string_equal(b->err.text, "laser:2: there is no such device");
}

static void wrong_names_are_told(void **state)
{
    struct bench *b = *state;
    static const char *const wrong[][2] = {
        {"lasr:0", "there is no interface \"lasr\"; did you mean \"laser\"?"},
        {"", "there is no interface \"\""},
        {"laser:x", "\"laser:x\" is no device: INTERFACE:INDEX"},
        {"laser:", "\"laser:\" is no device: INTERFACE:INDEX"},
        {"laser:65536", "\"laser:65536\" is no device: INTERFACE:INDEX"},
        {"laser:-1", "\"laser:-1\" is no device: INTERFACE:INDEX"},
        {"player:0", "no device has the interface \"player\""},
        {"common:0", "no device has the interface \"common\""},
    };
    tp_proxy *proxy = NULL;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_not_equal(tp_client_open(b->client, wrong[i][0], TP_OPEN_MODE, &proxy, &b->err),
                             TP_OK);
        assert_string_equal(b->err.text, wrong[i][1]);
    }
    assert_int_equal(tp_client_open(b->client, "laser:0", 7, &proxy, &b->err), TP_E_INVALID);
    assert_string_equal(b->err.text, "laser:0: 7 is no access mode");
}

static void a_proxy_that_is_closed_before_it_is_open_is_closed_on_the_server_too(void **state)
{
    struct bench *b = *state;

    tp_proxy_close(open_later(b, TP_OPEN_MODE));
    turn(b);
    assert_trace(b, "");
    assert_sent(b, "open:6:2 close:6:2");
}

static tp_msghdr opening;

static bool keep_waiting(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    (void)server;
    (void)body;
    if (header->addr.interf == TP_PLAYER_CODE && header->subtype == TP_PLAYER_REQ_DEV) {
        opening = *header;
        return true;
    }
    return false;
}

static bool refuse_late(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    static char text[] = "no manifest";
    const tp_failure failure = {.code = TP_E_TIMEOUT, .text_count = sizeof text, .text = text};

    if (!keep_waiting(server, header, body)) {
        return false;
    }
    fake_server_reply(server, header, TP_MSGTYPE_RESP_NACK, &tp_desc_failure, &failure);
    return true;
}

static void a_driver_that_has_waited_too_long_says_for_what(void **state)
{
    struct bench *b = *state;

    b->server.handle = refuse_late;
    (void)open_later(b, TP_OPEN_MODE);
    turn(b);
    assert_trace(b, "laser:2:-13:laser:2: no manifest ");
}

static void a_device_that_opens_too_late_is_closed_again(void **state)
{
    struct bench *b = *state;
    const tp_device_req granted = {.addr = {.interf = TP_LASER_CODE, .index = 2}, .access = 1};
    tp_proxy *proxy = NULL;

    b->server.handle = keep_waiting;
    proxy = open_later(b, TP_OPEN_MODE);
    turn(b);
    pass(b, 5 * S);
    assert_trace(b, "laser:2:-13:laser:2: it was not opened in time ");
    tp_proxy_close(proxy);
    b->server.handle = NULL;
    fake_server_reply(&b->server, &opening, TP_MSGTYPE_RESP_ACK, &tp_desc_device_req, &granted);
    turn(b);
    assert_sent(b, "close:6:2");
}

static void requests_wait_until_the_device_is_open(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = open_later(b, TP_OPEN_MODE);

    assert_int_equal(
        tp_proxy_request_later(proxy, TP_LASER_REQ_GET_GEOM, NULL, 0, done, b, &b->err), TP_OK);
    turn(b);
    assert_sent(b, "open:6:2 req:6:2:1");
    assert_trace(b, "laser:2:0:- laser:2:-16:-1:laser:2: GET_GEOM was refused ");
}

static void commands_do_not_wait(void **state)
{
    struct bench *b = *state;
    const tp_position2d_cmd_vel vel = {.state = 1};
    tp_proxy *proxy = NULL;

    assert_int_equal(tp_client_open_later(b->client, &tp_interface_position2d, 0, TP_OPEN_MODE,
                                          NULL, NULL, &proxy, &b->err),
                     TP_OK);
    assert_int_equal(tp_proxy_command(proxy, TP_POSITION2D_CMD_VEL, &vel, &b->err), TP_E_CLOSED);
    assert_string_equal(b->err.text, "position2d:0: it is not open yet");
}

static bool refuse_all(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    (void)body;
    fake_server_reply(server, header, TP_MSGTYPE_RESP_NACK, NULL, NULL);
    return true;
}

static void rates_are_asked_of_our_servers(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = open_device(b, "laser:0");

    assert_int_equal(tp_proxy_set_rate(proxy, 5, &b->err), TP_OK);
    assert_sent(b, "rate");
    assert_int_equal(tp_proxy_set_rate(proxy, -1, &b->err), TP_E_RANGE);
    assert_string_equal(b->err.text, "laser:0: -1 is no rate");
    b->server.handle = refuse_all;
    assert_int_equal(tp_proxy_set_rate(proxy, 7, &b->err), TP_E_DEVICE);
    assert_int_equal(strncmp(b->err.text, "laser:0: tcp:", 13), 0);
    assert_non_null(strstr(b->err.text, ": RATE was refused"));
    assert_true(proxy->rate_hz == 5.0);
}

/* ---- The server itself ----------------------------------------------------------------------- */

static void the_server_itself_is_asked(void **state)
{
    struct bench *b = *state;

    assert_int_equal(tp_client_request(b->client, TP_PLAYER_REQ_STATISTICS, NULL, NULL, &b->err),
                     TP_E_DEVICE);
    assert_non_null(strstr(b->err.text, ": STATISTICS was refused"));
    assert_sent(b, "server:202");
    assert_int_equal(tp_client_request(b->client, 99, NULL, NULL, &b->err), TP_E_UNKNOWN);
    assert_int_equal(tp_client_add_rule(b->client, 6, -1, TP_MSGTYPE_DATA, -1,
                                        TP_PLAYER_MSG_REPLACE_RULE_IGNORE, &b->err),
                     TP_OK);
    assert_sent(b, "rule:6");
}

int main(void)
{
#define OURS(name) cmocka_unit_test_setup_teardown(name, set_up_connected, tear_down)
#define PLAIN(name) cmocka_unit_test_setup_teardown(name, set_up_plain, tear_down)
    const struct CMUnitTest tests[] = {
        OURS(a_request_is_answered),
        PLAIN(a_request_is_answered),
        PLAIN(a_refusal_of_player_names_the_request),
        OURS(a_refusal_of_ours_has_a_code_and_a_reason),
        OURS(an_empty_answer_is_none),
        OURS(an_answer_that_cannot_be_read_is_told),
        OURS(no_answer_in_time_is_told),
        PLAIN(no_answer_in_time_is_told),
        OURS(what_cannot_be_asked_is_told_at_once),
        OURS(requests_go_out_together_and_come_back_to_who_asked),
        OURS(our_replies_are_told_apart_by_their_number),
        PLAIN(player_is_asked_the_same_only_one_after_the_other),
        PLAIN(a_value_that_waits_is_kept),
        OURS(a_closed_proxy_is_not_told),
        OURS(a_proxy_may_be_closed_when_it_is_answered),
        OURS(nobody_has_to_listen),
        OURS(commands_are_sent),
        OURS(a_server_that_does_not_read_does_not_fill_the_memory),
        OURS(opening_is_told),
        PLAIN(player_knows_no_other_access_than_open),
        PLAIN(a_driver_that_does_not_start_is_told),
        OURS(the_servers_reason_is_told),
        PLAIN(a_device_that_player_does_not_have_is_told),
        OURS(wrong_names_are_told),
        OURS(a_proxy_that_is_closed_before_it_is_open_is_closed_on_the_server_too),
        OURS(a_driver_that_has_waited_too_long_says_for_what),
        OURS(a_device_that_opens_too_late_is_closed_again),
        OURS(requests_wait_until_the_device_is_open),
        OURS(commands_do_not_wait),
        OURS(rates_are_asked_of_our_servers),
        OURS(the_server_itself_is_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
