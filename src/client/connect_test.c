/* connect_test.c - connecting: servers of ours, Player's, strange ones, and none. */
#include "bus/pool.h"
#include "support/client_bench.h"
#include "support/memory.h"

/* Connecting fails with the URL between the two texts. */
static void fails(struct bench *b, const char *before, const char *after)
{
    char wanted[256];
    tp_client *client = NULL;

    snprintf(wanted, sizeof wanted, "%s%s%s", before, b->server.url, after);
    assert_int_equal(tp_client_connect(&client, b->server.url, &b->options, &b->err), TP_E_CLOSED);
    assert_string_equal(b->err.text, wanted);
    assert_null(client);
}

static void our_server_is_recognised(void **state)
{
    struct bench *b = *state;

    assert_int_equal(tp_client_connect(&b->client, b->server.url, &b->options, &b->err), TP_OK);
    assert_true(tp_client_is_connected(b->client));
    assert_true(tp_client_is_troupe(b->client));
    assert_string_equal(tp_client_banner(b->client), "Player v.3.1.1-dev");
    assert_string_equal(tp_client_url(b->client), b->server.url);
    assert_ptr_equal(tp_client_loop(b->client), b->loop);
    assert_trace(b, "made;");
    assert_sent(b, "hello mode:1");
}

static void a_player_server_is_recognised_by_what_it_does_not_answer(void **state)
{
    struct bench *b = *state;

    b->server.plain = true;
    assert_int_equal(tp_client_connect(&b->client, b->server.url, &b->options, &b->err), TP_OK);
    assert_false(tp_client_is_troupe(b->client));
    assert_null(b->client->asks.first); /* nobody waits for an answer to the hello */
    assert_sent(b, "hello mode:1");
}

static void a_plain_client_does_not_say_hello(void **state)
{
    struct bench *b = *state;

    b->options.plain = true;
    assert_int_equal(tp_client_connect(&b->client, b->server.url, &b->options, &b->err), TP_OK);
    assert_false(tp_client_is_troupe(b->client));
    assert_sent(b, "mode:1");
}

static void fresh_data_is_pulled_and_replaced(void **state)
{
    struct bench *b = *state;

    b->options.mode = TP_CLIENT_FRESH;
    assert_int_equal(tp_client_connect(&b->client, b->server.url, &b->options, &b->err), TP_OK);
    turn(b);
    assert_sent(b, "hello mode:2 rule:-1 pull");
}

static void connecting_without_waiting_is_told(void **state)
{
    struct bench *b = *state;

    assert_int_equal(tp_client_connect_later(&b->client, b->server.url, &b->options, &b->err),
                     TP_OK);
    assert_false(tp_client_is_connected(b->client));
    assert_trace(b, "");
    wait_connected(b);
    assert_trace(b, "made;");
}

static void connecting_later_needs_a_loop(void **state)
{
    struct bench *b = *state;

    b->options.loop = NULL;
    assert_int_equal(tp_client_connect_later(&b->client, b->server.url, &b->options, &b->err),
                     TP_E_INVALID);
    assert_string_equal(b->err.text, "connecting later needs a loop in the options");
    assert_int_equal(tp_client_connect_later(&b->client, b->server.url, NULL, &b->err),
                     TP_E_INVALID);
}

static void no_server_is_told(void **state)
{
    struct bench *b = *state;

    fake_server_vanish(&b->server);
    fails(b, "connect to ", ": connection refused");
    assert_trace(b, ""); /* who waits is told once */
}

static void a_server_that_comes_later_is_found(void **state)
{
    struct bench *b = *state;
    char wanted[128];

    fake_server_vanish(&b->server);
    assert_int_equal(tp_client_connect_later(&b->client, b->server.url, &b->options, &b->err),
                     TP_OK);
    while (b->trace[0] == '\0') {
        tp_loop_turn(b->loop, true);
    }
    snprintf(wanted, sizeof wanted, "lost: connect to %s: connection refused;", b->server.url);
    assert_trace(b, wanted);
    fake_server_return(&b->server);
    pass(b, S / 10);
    wait_connected(b);
    assert_trace(b, "made;");
}

static void another_kind_of_server_is_told(void **state)
{
    struct bench *b = *state;

    b->server.banner = "SSH-2.0-OpenSSH_9.2\r\n";
    fails(b, "", ": this is no Player server, it says \"SSH-2.0-OpenSSH_9.2..\"");
}

static bool moves_clock(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    struct bench *b = server->context;

    (void)header;
    (void)body;
    b->now_ns += 5 * S;
    return true;
}

static void a_server_that_does_not_answer_is_left(void **state)
{
    struct bench *b = *state;

    b->server.handle = moves_clock;
    b->server.context = b;
    fails(b, "", ": the server did not answer within 5 s");
    b->options.timeout_ns = 2500 * TP_NS_PER_MS;
    fails(b, "", ": the server did not answer within 2500 ms");
}

static void a_server_that_says_nothing_is_left(void **state)
{
    struct bench *b = *state;
    char wanted[128];

    b->server.silent = true;
    assert_int_equal(tp_client_connect_later(&b->client, b->server.url, &b->options, &b->err),
                     TP_OK);
    while (b->server.accepted == 0) {
        tp_loop_turn(b->loop, true);
    }
    turn(b);
    pass(b, 5 * S);
    snprintf(wanted, sizeof wanted, "lost: %s: no greeting from a server within 5 s;",
             b->server.url);
    assert_trace(b, wanted);
}

static bool hangs_up(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    (void)header;
    (void)body;
    fake_server_hang_up(server);
    return true;
}

static void a_server_that_hangs_up_is_told(void **state)
{
    struct bench *b = *state;
    tp_client *client = NULL;

    b->server.handle = hangs_up;
    assert_int_equal(tp_client_connect(&client, b->server.url, &b->options, &b->err), TP_E_CLOSED);
    /* in order, or broken if bytes of ours were still unread */
    assert_non_null(strstr(b->err.text, b->server.url + 4));
}

static void a_greeting_in_pieces_is_put_together(void **state)
{
    struct bench *b = *state;
    char banner[TP_IDENT_STRLEN] = "Player v.2";

    b->server.silent = true;
    assert_int_equal(tp_client_connect_later(&b->client, b->server.url, &b->options, &b->err),
                     TP_OK);
    while (b->server.accepted == 0) {
        tp_loop_turn(b->loop, true);
    }
    turn(b);
    for (size_t i = 0; i < sizeof banner; i++) {
        b->server.silent = false;
        fake_server_send(&b->server, banner + i, 1);
        turn(b);
    }
    wait_connected(b);
    assert_string_equal(tp_client_banner(b->client), "Player v.2");
}

static bool refuse_mode(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    (void)body;
    if (header->subtype != TP_PLAYER_REQ_DATAMODE) {
        return false;
    }
    fake_server_reply(server, header, TP_MSGTYPE_RESP_NACK, NULL, NULL);
    return true;
}

static void a_server_without_data_modes_is_told(void **state)
{
    struct bench *b = *state;
    tp_client *client = NULL;

    b->server.handle = refuse_mode;
    assert_int_equal(tp_client_connect(&client, b->server.url, &b->options, &b->err), TP_E_CLOSED);
    assert_non_null(strstr(b->err.text, ": the server refuses the data mode: "));
}

static void garbage_is_told_and_leads_to_no_harm(void **state)
{
    struct bench *b = *state;
    unsigned char bytes[40];

    connect_client(b);
    memset(bytes, 0xff, sizeof bytes);
    fake_server_send(&b->server, bytes, sizeof bytes);
    wait_lost(b);
    assert_non_null(strstr(b->trace, ": the server announces a message of 4294967295 bytes;"));
    b->trace[0] = '\0';
    pass(b, S / 10);
    wait_connected(b);
    b->trace[0] = '\0';
    memset(bytes, 0, sizeof bytes);
    bytes[19] = 77;
    fake_server_send(&b->server, bytes, sizeof bytes);
    wait_lost(b);
    assert_non_null(strstr(b->trace, ": the server sends a message of the unknown type 77;"));
}

static void a_wrong_url_is_told(void **state)
{
    struct bench *b = *state;

    assert_int_equal(tp_client_connect(&b->client, "tcp:robot:66777", &b->options, &b->err),
                     TP_E_SYNTAX);
    assert_int_equal(tp_client_connect(&b->client, "http://robot/", &b->options, &b->err),
                     TP_E_SYNTAX);
    assert_string_equal(
        b->err.text, "http://robot/: this is for browsers; a server is tcp:HOST:PORT, unix:PATH or "
                     "inproc:FILE.cfg");
    assert_null(b->client);
}

static void the_environment_says_where_the_server_is(void **state)
{
    struct bench *b = *state;

    setenv("TROUPE_URL", b->server.url, 1);
    assert_int_equal(tp_client_connect(&b->client, NULL, &b->options, &b->err), TP_OK);
    assert_string_equal(tp_client_url(b->client), b->server.url);
    unsetenv("TROUPE_URL");
}

static void done(void *context, tp_proxy *proxy, tp_status status, const tp_msg *answer,
                 const char *why)
{
    (void)proxy;
    (void)answer;
    trace(context, "%d %s", status, why);
}

/* ---- From inside a callback ------------------------------------------------------------------ */

struct trying {
    tp_after after;
    struct bench *b;
    tp_proxy *proxy;
    bool done;
};

static void try_all(tp_after *after)
{
    struct trying *t = (struct trying *)after;
    struct bench *b = t->b;
    tp_client_device *devices;
    tp_client *client;
    tp_proxy *proxy;
    size_t count;

    t->done = true;
    assert_int_equal(tp_client_connect(&client, b->server.url, &b->options, &b->err), TP_E_INVALID);
    assert_int_equal(tp_client_read(b->client, S, &b->err), TP_E_INVALID);
    assert_int_equal(tp_client_list(b->client, &devices, &count, &b->err), TP_E_INVALID);
    assert_int_equal(tp_client_open(b->client, "laser:0", TP_OPEN_MODE, &proxy, &b->err),
                     TP_E_INVALID);
    assert_int_equal(tp_proxy_request(t->proxy, TP_POSITION2D_REQ_GET_GEOM, NULL, NULL, &b->err),
                     TP_E_INVALID);
    assert_null(tp_proxy_wait(t->proxy, TP_POSITION2D_DATA_STATE, S, &b->err));
    assert_int_equal(b->err.code, TP_E_INVALID);
    assert_string_equal(b->err.text, "position2d:0: a call that waits was made from a callback");
}

static void calls_that_wait_are_refused_in_callbacks(void **state)
{
    struct bench *b = *state;

    connect_client(b);
    struct trying t = {.after = {.run = try_all}, .b = b, .proxy = open_device(b, "position2d:0")};
    tp_loop_after(b->loop, &t.after);
    tp_loop_turn(b->loop, false);
    assert_true(t.done);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static tp_status connect_and_open(void *context)
{
    struct bench *b = context;
    tp_client *client = NULL;
    tp_proxy *proxy = NULL;
    tp_status status = tp_client_connect_later(&client, "unix:/nowhere", &b->options, &b->err);

    if (status == TP_OK) {
        status = tp_client_open_later(client, &tp_interface_laser, 0, TP_OPEN_MODE, NULL, NULL,
                                      &proxy, &b->err);
    }
    if (status == TP_OK) {
        status = tp_proxy_request_later(proxy, TP_LASER_REQ_GET_GEOM, NULL, 0, NULL, NULL, &b->err);
    }
    tp_client_destroy(client);
    tpi_pool_leave();
    turn(b); /* streams are released by the loop */
    return status;
}

static void memory_may_run_out(void **state)
{
    assert_int_equal(connect_and_open(*state), TP_OK); /* the loop keeps room for timers */
    memory_sweep(connect_and_open, *state);
}

static void a_request_before_the_connection_says_so(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = NULL;

    b->server.silent = true;
    b->options.timeout_ns = 10 * S;
    assert_int_equal(tp_client_connect_later(&b->client, b->server.url, &b->options, &b->err),
                     TP_OK);
    assert_int_equal(tp_client_open_later(b->client, &tp_interface_laser, 0, TP_OPEN_MODE, NULL,
                                          NULL, &proxy, &b->err),
                     TP_OK);
    assert_int_equal(
        tp_proxy_request_later(proxy, TP_LASER_REQ_GET_GEOM, NULL, S, done, b, &b->err), TP_OK);
    pass(b, S);
    assert_non_null(strstr(b->trace, "-14 laser:0: tcp:"));
    assert_non_null(strstr(b->trace, ": it is not connected yet"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(our_server_is_recognised),
        TEST(a_player_server_is_recognised_by_what_it_does_not_answer),
        TEST(a_plain_client_does_not_say_hello),
        TEST(fresh_data_is_pulled_and_replaced),
        TEST(connecting_without_waiting_is_told),
        TEST(connecting_later_needs_a_loop),
        TEST(no_server_is_told),
        TEST(a_server_that_comes_later_is_found),
        TEST(another_kind_of_server_is_told),
        TEST(a_server_that_does_not_answer_is_left),
        TEST(a_server_that_says_nothing_is_left),
        TEST(a_server_that_hangs_up_is_told),
        TEST(a_greeting_in_pieces_is_put_together),
        TEST(a_server_without_data_modes_is_told),
        TEST(garbage_is_told_and_leads_to_no_harm),
        TEST(a_wrong_url_is_told),
        TEST(the_environment_says_where_the_server_is),
        TEST(a_request_before_the_connection_says_so),
        TEST(memory_may_run_out),
        TEST(calls_that_wait_are_refused_in_callbacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
