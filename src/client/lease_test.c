/* lease_test.c - leases and ranks as a program asks for them, and how often its client speaks. */
#include "support/client_bench.h"

static struct {
    double duration; /* of the server's answer */
    unsigned asked;
    tp_lease last; /* without its text */
    unsigned words;
} seen;

static bool answer_leases(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    static char nobody[] = "";
    const tp_lease answer = {
        .duration = seen.duration, .mover_count = sizeof nobody, .mover = nobody};
    void *value = NULL;

    if (header->type == TP_MSGTYPE_SYNCH) {
        seen.words++;
        return true;
    }
    if (header->type != TP_MSGTYPE_REQ || header->subtype != TP_COMMON_REQ_LEASE) {
        return false;
    }
    assert_int_equal(tp_xdr_decode_new(&value, &tp_desc_lease, body, header->size), TP_OK);
    seen.last = *(const tp_lease *)value;
    seen.asked++;
    free(value);
    fake_server_reply(server, header, TP_MSGTYPE_RESP_ACK, &tp_desc_lease, &answer);
    return true;
}

static tp_proxy *begin(struct bench *b, double duration)
{
    memset(&seen, 0, sizeof seen);
    seen.duration = duration;
    b->server.handle = answer_leases;
    connect_client(b);
    return open_device(b, "position2d:0");
}

static void move(struct bench *b, tp_proxy *base)
{
    const tp_position2d_cmd_vel vel = {.state = 1};

    assert_int_equal(tp_proxy_command(base, TP_POSITION2D_CMD_VEL, &vel, &b->err), TP_OK);
    turn(b);
}

/* How many words come in a second. */
static unsigned words_in_a_second(struct bench *b)
{
    seen.words = 0;
    for (int i = 0; i < 1000; i++) {
        pass(b, S / 1000);
        turn(b);
    }
    return seen.words;
}

static void a_client_speaks_often_enough_for_its_lease(void **state)
{
    struct bench *b = *state;
    tp_proxy *base = begin(b, 0.15);

    assert_int_equal(words_in_a_second(b), 0); /* it moves nothing */
    move(b, base);
    move(b, base);
    assert_int_equal(seen.asked, 1);
    assert_int_equal(seen.last.asks, 0);
    assert_int_equal(words_in_a_second(b), 20);
}

static void but_not_less_often_than_usual_nor_all_the_time(void **state)
{
    struct bench *b = *state;
    tp_proxy *base = begin(b, 60);

    move(b, base);
    assert_int_equal(words_in_a_second(b), 3);
    tp_proxy *other = open_device(b, "position2d:1");
    seen.duration = 1e-9;
    move(b, other);
    assert_int_equal(words_in_a_second(b), 100);
}

static void but_less_often_when_its_lease_is_longer_again(void **state)
{
    struct bench *b = *state;
    tp_proxy *base = begin(b, 0.15);

    move(b, base);
    assert_int_equal(words_in_a_second(b), 20);
    seen.duration = 60;
    assert_int_equal(tp_proxy_set_lease(base, 60, &b->err), TP_OK);
    turn(b);
    assert_int_equal(words_in_a_second(b), 3);
}

static void a_lease_without_an_end_needs_no_more_words(void **state)
{
    struct bench *b = *state;
    tp_proxy *base = begin(b, 0);

    move(b, base);
    assert_int_equal(words_in_a_second(b), 3);
}

/* ---- Whether the program vouches for what moves ---------------------------------------------- */

static tp_proxy *begin_by_calls(struct bench *b)
{
    b->options.renewal = TP_RENEW_CALLS;
    tp_proxy *base = begin(b, 1);
    move(b, base);
    words_in_a_second(b); /* the calls so far */
    return base;
}

static void a_loop_does_not_speak_for_a_program_that_makes_no_calls(void **state)
{
    struct bench *b = *state;

    begin_by_calls(b);
    assert_int_equal(words_in_a_second(b), 0);
    tp_client_renew(b->client);
    assert_int_equal(words_in_a_second(b), 1); /* one word for all calls since the last one */
    assert_int_equal(words_in_a_second(b), 0);
}

static void steps_are_calls_too(void **state)
{
    struct bench *b = *state;

    begin_by_calls(b);
    seen.words = 0;
    for (int i = 0; i < 1000; i++) {
        b->now_ns += S / 1000;
        tp_client_step(b->client, false);
        turn(b);
    }
    assert_int_equal(seen.words, 3);
    seen.words = 0;
    for (int i = 0; i < 1000; i++) {
        b->now_ns += S / 1000;
        tp_client_process(b->client);
        turn(b);
    }
    assert_in_range(seen.words, 3, 4);
}

/* Time passes with every turn. */
struct passing {
    tp_after after;
    struct bench *b;
};

static void pass_time(tp_after *after)
{
    struct bench *b = ((struct passing *)after)->b;

    b->now_ns += S / 100;
    tp_loop_after(b->loop, after);
}

static void a_call_that_waits_speaks_as_long_as_it_waits(void **state)
{
    struct bench *b = *state;

    struct passing passing = {{.run = pass_time}, b};

    begin_by_calls(b);
    seen.words = 0;
    tp_loop_after(b->loop, &passing.after);
    assert_int_equal(tp_client_read(b->client, 3 * S, &b->err), TP_E_TIMEOUT);
    tp_loop_after_cancel(b->loop, &passing.after);
    turn(b);
    assert_in_range(seen.words, 8, 11);
    assert_in_range(words_in_a_second(b), 0, 1);
    assert_int_equal(words_in_a_second(b), 0);
}

static void clients_without_the_programs_loop_speak_for_calls(void **state)
{
    static const struct {
        tp_client_renewal renewal;
        bool own;
        bool by_calls;
    } cases[] = {{TP_RENEW_AUTO, true, true},
                 {TP_RENEW_AUTO, false, false},
                 {TP_RENEW_CALLS, false, true},
                 {TP_RENEW_LOOP, true, false}};
    struct bench *b = *state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const tp_client_options options = {.renewal = cases[i].renewal};
        tp_client *client = NULL;
        assert_int_equal(tpi_client_create(&client, "tcp:nowhere", &options, &b->err), TP_OK);
        assert_int_equal(tpi_client_furnish(client, cases[i].own ? NULL : b->loop, NULL, &b->err),
                         TP_OK);
        assert_int_equal(client->attention.by_calls, cases[i].by_calls);
        tp_client_destroy(client);
    }
}

/* ---- Lease and rank -------------------------------------------------------------------------- */

static void what_was_asked_for_is_asked_again(void **state)
{
    struct bench *b = *state;
    tp_proxy *base = begin(b, 0.5);

    assert_int_equal(tp_proxy_set_lease(base, 0.25, &b->err), TP_OK);
    assert_int_equal(seen.last.asks, TP_LEASE_DURATION);
    assert_true(seen.last.duration > 0.24 && seen.last.duration < 0.26);
    assert_int_equal(tp_proxy_set_rank(base, -3, &b->err), TP_OK);
    assert_int_equal(seen.last.asks, TP_LEASE_DURATION | TP_LEASE_RANK);
    assert_int_equal(seen.last.rank, -3);
    fake_server_hang_up(&b->server);
    wait_lost(b);
    assert_int_equal(tp_proxy_set_rank(base, -4, &b->err), TP_OK); /* when it is back */
    memset(&seen.last, 0, sizeof seen.last);
    pass(b, S / 10);
    wait_open(b, base);
    turn(b);
    assert_int_equal(seen.last.asks, TP_LEASE_DURATION | TP_LEASE_RANK);
    assert_int_equal(seen.last.rank, -4);
}

static void a_shorter_lease_is_kept_too(void **state)
{
    struct bench *b = *state;
    tp_proxy *base = begin(b, 1);

    move(b, base);
    assert_int_equal(words_in_a_second(b), 3);
    seen.duration = 0.06;
    assert_int_equal(tp_proxy_set_lease(base, 0.06, &b->err), TP_OK);
    turn(b);
    assert_int_equal(words_in_a_second(b), 50);
}

static void what_cannot_be_is_refused(void **state)
{
    struct bench *b = *state;
    tp_proxy *base = begin(b, 1);

    assert_int_equal(tp_proxy_set_lease(base, -1, &b->err), TP_E_RANGE);
    assert_string_equal(b->err.text, "position2d:0: -1 s is no lease");
    assert_int_equal(seen.asked, 0);
}

static void player_has_no_leases(void **state)
{
    struct bench *b = *state;
    tp_proxy *base = open_device(b, "position2d:0");

    assert_int_equal(tp_proxy_set_lease(base, 1, &b->err), TP_E_UNSUPPORTED);
    assert_string_equal(b->err.text, "position2d:0: a Player server has no leases");
    assert_int_equal(tp_proxy_set_rank(base, 1, &b->err), TP_E_UNSUPPORTED);
    move(b, base);
    assert_sent(b, "cmd:4:0:1");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_client_speaks_often_enough_for_its_lease),
        TEST(but_less_often_when_its_lease_is_longer_again),
        TEST(but_not_less_often_than_usual_nor_all_the_time),
        TEST(a_lease_without_an_end_needs_no_more_words),
        TEST(a_loop_does_not_speak_for_a_program_that_makes_no_calls),
        TEST(steps_are_calls_too),
        TEST(a_call_that_waits_speaks_as_long_as_it_waits),
        TEST(clients_without_the_programs_loop_speak_for_calls),
        TEST(what_was_asked_for_is_asked_again),
        TEST(a_shorter_lease_is_kept_too),
        TEST(what_cannot_be_is_refused),
        cmocka_unit_test_setup_teardown(player_has_no_leases, set_up_plain, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
