/*
 * connection_test.c - clients of a front on streams: a small front with messages that are lines.
 *
 * A line is answered with itself. "!" at its beginning is a panic, "?" a key, "#" a line that is
 * dropped as it comes. The clock stands still unless it is moved.
 */
#include "troupe/connection.h"

#include <stdlib.h>
#include <string.h>

#include "conformance/front_peer.h"
#include "conformance/stage.h"
#include "fronts/shared/connection_inside.h"
#include "session/front.h"
#include "session/session.h"
#include "support/unit.h"
#include "troupe/interfaces/position2d.h"

enum { DROPPED = 100000, MOST = 3, MANY = 40, LONG = 4 << 20 };

/* ---- The front ------------------------------------------------------------------------------- */

static struct {
    tp_connections *connections;
    tp_connection *last;
    unsigned begun, ended, panics, lines, turns;
    bool waits, refuses, finishes, sends;
    size_t most;        /* connections */
    bool panicked;      /* further panics can wait */
    size_t answer;      /* bytes instead of the line itself; 0 for the line */
    int64_t arrival_ns; /* of the last line, at the earliest */
} seen;

static tp_status encoded_size(const tp_msghdr *header, const tp_struct *type, const void *value,
                              size_t *size)
{
    (void)header;
    (void)type;
    (void)value;
    *size = 6;
    return TP_OK;
}

static tp_status encode(const tp_msghdr *header, const tp_struct *type, const void *value,
                        void *bytes, size_t capacity, size_t *length)
{
    (void)header;
    (void)type;
    (void)value;
    assert_true(capacity >= 6);
    memcpy(bytes, "[data]", 6);
    *length = 6;
    return TP_OK;
}

static const tp_encoding brackets = {.name = "brackets", .size = encoded_size, .encode = encode};

static tp_status lines_begin(tp_connection *c)
{
    seen.begun++;
    seen.last = c;
    assert_int_equal(*(unsigned *)tp_connection_state(c), 0);
    *(unsigned *)tp_connection_state(c) = 7;
    tp_connection_write(c, "hello\n", 6);
    if (seen.sends) {
        tp_connection_encode(c, &brackets);
    }
    return seen.refuses ? TP_E_DENIED : TP_OK;
}

static uint64_t lines_look(tp_connection *c, const unsigned char *bytes, size_t length)
{
    const unsigned char *end = memchr(bytes, '\n', length);

    if (bytes[0] == '#') {
        return DROPPED;
    }
    if (end != NULL && bytes[0] == '!' && !seen.panicked) {
        tp_connection_act(c);
        seen.panics++;
    }
    return end != NULL ? (uint64_t)(end - bytes) + 1 : 0;
}

static void answer(tp_connection *c, const unsigned char *bytes, size_t length)
{
    unsigned char *room = seen.answer > 0 ? tp_connection_reserve(c, seen.answer) : NULL;

    if (room != NULL) {
        memset(room, 'x', seen.answer);
        tp_connection_commit(c, seen.answer);
    } else {
        tp_connection_write(c, bytes, length);
    }
}

static size_t lines_message(tp_connection *c, const unsigned char *bytes, size_t length,
                            size_t *needed)
{
    const unsigned char *end = memchr(bytes, '\n', length);

    if (bytes[0] == '#') {
        const size_t there = length < DROPPED ? length : DROPPED;

        tp_connection_skip(c, DROPPED - there);
        return there;
    }
    if (end == NULL) {
        *needed = bytes[0] == '9' ? (size_t)1 << 40 : length + 1;
        return 0;
    }
    seen.lines++;
    seen.panics += bytes[0] == '!' && !tp_connection_acted(c);
    seen.arrival_ns = tp_session_origin(tp_connection_session(c)).since_ns;
    answer(c, bytes, (size_t)(end - bytes) + 1);
    if (seen.finishes) {
        tp_connection_finish(c);
    }
    return (size_t)(end - bytes) + 1;
}

static bool lines_waits(tp_connection *c)
{
    (void)c;
    return seen.waits;
}

static bool lines_shows_key(tp_connection *c, const unsigned char *bytes, size_t length)
{
    (void)c;
    return bytes[0] == '?' && memchr(bytes, '\n', length) != NULL;
}

static void lines_turn(tp_connection *c)
{
    assert_false(tp_connection_is_ending(c));
    seen.turns++;
}

static void lines_end(tp_connection *c)
{
    assert_int_equal(*(unsigned *)tp_connection_state(c), 7);
    assert_non_null(tp_connection_session(c));
    seen.ended++;
}

static const tp_connection_ops lines_ops = {.state_size = sizeof(unsigned),
                                            .limits = {.data = 8, .replies = 8, .requests = 4},
                                            .read_ahead = 64,
                                            .renews = true,
                                            .begin = lines_begin,
                                            .look = lines_look,
                                            .message = lines_message,
                                            .waits = lines_waits,
                                            .shows_key = lines_shows_key,
                                            .turn = lines_turn,
                                            .end = lines_end};

static tp_status lines_open(tp_front_instance *self, tp_error *err)
{
    return tp_connections_open(&seen.connections, self, &lines_ops, seen.most, err);
}

static void lines_close(tp_front_instance *self)
{
    (void)self;
    tp_connections_close(seen.connections);
    seen.connections = NULL;
}

static unsigned lines_bound(const tp_front_instance *self)
{
    (void)self;
    return tp_connections_port(seen.connections);
}

static const char *const schemes[] = {"tcp", NULL};
static const tp_front lines = {.abi = TP_FRONT_ABI,
                               .name = "lines",
                               .schemes = schemes,
                               .open = lines_open,
                               .close = lines_close,
                               .bound = lines_bound};

/* ---- The scene ------------------------------------------------------------------------------- */

static const suite_front suite = {.front = &lines};

struct scene {
    struct stage stage;
    tp_front_instance *front;
    peer p;
};

static int set_up_for(void **state, size_t most)
{
    struct scene *s = calloc(1, sizeof *s);

    assert_non_null(s);
    memset(&seen, 0, sizeof seen);
    seen.most = most;
    stage_begin(&s->stage, &motor_on_loop);
    const tpi_front_opening opening = {
        .front = &lines,
        .hub = s->stage.b.hub,
        .loop = s->stage.b.loop,
        .place = {"tcp:127.0.0.1:0", TP_EVERY_ROBOT, TP_REACH_LOOPBACK, 0}};
    assert_int_equal(tpi_front_open(&s->front, &opening, NULL, &s->stage.err), TP_OK);
    s->p.fd = -1;
    *state = s;
    return 0;
}

static int set_up(void **state)
{
    return set_up_for(state, MOST);
}

static int set_up_for_many(void **state)
{
    return set_up_for(state, MANY);
}

static int tear_down(void **state)
{
    struct scene *s = *state;

    peer_close(&s->p);
    tpi_front_close(s->front);
    assert_int_equal(seen.begun, seen.ended);
    stage_end(&s->stage);
    free(s);
    return 0;
}

static void turn(struct scene *s)
{
    tp_loop_turn(s->stage.b.loop, false);
}

static void enter(struct scene *s, peer *p, int room)
{
    const unsigned before = seen.begun;

    peer_connect(p, &suite, s->stage.b.loop, tpi_front_port(s->front), room);
    while (seen.begun == before) {
        turn(s);
    }
}

static void say(struct scene *s, const char *text)
{
    assert_true(peer_send(&s->p, text, strlen(text)));
}

/* Wait for exactly this text, which is forgotten then. */
static void expect(struct scene *s, const char *text)
{
    while (s->p.in.length < strlen(text) && !s->p.ended) {
        turn(s);
        peer_look(&s->p);
    }
    assert_string_equal(tpi_buf_text(&s->p.in), text);
    tpi_buf_clear(&s->p.in);
}

static void greeted(struct scene *s)
{
    enter(s, &s->p, 0);
    expect(s, "hello\n");
}

static void await_bytes(struct scene *s, size_t count)
{
    while (s->p.in.length < count && !s->p.ended) {
        turn(s);
        peer_look(&s->p);
    }
    assert_int_equal(s->p.in.length, count);
}

/* Let the front take what was sent, though it answers nothing. */
static void let_it_read(struct scene *s)
{
    for (int i = 0; i < 20; i++) {
        turn(s);
        peer_look(&s->p);
    }
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void messages_come_in_any_pieces(void **state)
{
    struct scene *s = *state;

    greeted(s);
    for (const char *at = "one\ntwo\n"; *at != '\0'; at++) {
        assert_true(peer_send(&s->p, at, 1));
        turn(s);
    }
    say(s, "three\nfour\nfi");
    say(s, "ve\n");
    expect(s, "one\ntwo\nthree\nfour\nfive\n");
    assert_int_equal(seen.lines, 5);
    assert_int_equal(tp_connections_count(seen.connections), 1);
}

static void what_waits_is_handled_later_and_in_order(void **state)
{
    struct scene *s = *state;

    greeted(s);
    seen.waits = true;
    say(s, "one\ntwo\n");
    let_it_read(s);
    assert_int_equal(seen.lines, 0);
    assert_true(tp_connection_waits(seen.last));
    seen.waits = false;
    tp_connection_soon(seen.last);
    expect(s, "one\ntwo\n");
}

static void what_waits_gets_older(void **state)
{
    struct scene *s = *state;
    const tp_clock *clock = tp_hub_clock(s->stage.b.hub);

    greeted(s);
    seen.waits = true;
    say(s, "one\n");
    let_it_read(s);
    bench_move_clock(&s->stage.b, 3);
    let_it_read(s);
    seen.waits = false;
    tp_connection_soon(seen.last);
    expect(s, "one\n");
    assert_true(tp_clock_now_ns(clock) - seen.arrival_ns >= 3 * TP_NS_PER_S);
    say(s, "two\n");
    expect(s, "two\n");
    assert_int_equal(tp_clock_now_ns(clock), seen.arrival_ns);
}

static void a_panic_is_seen_behind_what_waits(void **state)
{
    struct scene *s = *state;

    greeted(s);
    seen.waits = true;
    say(s, "one\n!two\nthree\n");
    let_it_read(s);
    assert_int_equal(seen.panics, 1);
    assert_int_equal(seen.lines, 0);
    say(s, "!four\n");
    let_it_read(s);
    assert_int_equal(seen.panics, 2);
    seen.waits = false;
    tp_connection_soon(seen.last);
    expect(s, "one\n!two\nthree\n!four\n");
    assert_int_equal(seen.panics, 2);
}

static void a_further_panic_waits(void **state)
{
    struct scene *s = *state;

    greeted(s);
    seen.waits = true;
    say(s, "one\n!two\n");
    let_it_read(s);
    assert_int_equal(seen.panics, 1);
    seen.panicked = true;
    say(s, "!three\nfour\n");
    let_it_read(s);
    assert_int_equal(seen.panics, 1);
    seen.waits = false;
    tp_connection_soon(seen.last);
    expect(s, "one\n!two\n!three\nfour\n");
    assert_int_equal(seen.panics, 2);
    say(s, "!five\n");
    expect(s, "!five\n");
    assert_int_equal(seen.panics, 3);
}

/* The panic was over when the last one came; the one before it is older than its end. */
static void a_panic_that_waited_is_not_raised_after_a_newer_one(void **state)
{
    struct scene *s = *state;

    greeted(s);
    seen.waits = seen.panicked = true;
    say(s, "!one\n");
    let_it_read(s);
    assert_int_equal(seen.panics, 0);
    seen.panicked = false;
    say(s, "!two\n");
    let_it_read(s);
    assert_int_equal(seen.panics, 1);
    seen.waits = false;
    tp_connection_soon(seen.last);
    expect(s, "!one\n!two\n");
    assert_int_equal(seen.panics, 1);
}

/* As many requests as it may have are under way. */
static void make_busy(tp_session *session, bool busy)
{
    session->sending.requests = busy ? session->limits.requests : 0;
}

static void a_new_client_shows_its_key_though_its_session_is_busy(void **state)
{
    struct scene *s = *state;

    greeted(s);
    tp_session *session = tp_connection_session(seen.last);
    make_busy(session, true);
    say(s, "?one\n");
    expect(s, "?one\n");
    say(s, "?two\nthree\n?four\n");
    expect(s, "?two\n");
    let_it_read(s);
    assert_int_equal(seen.lines, 2);
    make_busy(session, false);
    tp_connection_soon(seen.last);
    expect(s, "three\n?four\n");
}

static void a_key_waits_for_the_front_and_behind_much_work(void **state)
{
    struct scene *s = *state;

    greeted(s);
    tp_session *session = tp_connection_session(seen.last);
    seen.waits = true;
    say(s, "?one\n");
    let_it_read(s);
    assert_int_equal(seen.lines, 0);
    seen.waits = false;
    tp_connection_soon(seen.last);
    expect(s, "?one\n");
    session->account.worked = TP_NS_PER_S;
    make_busy(session, true);
    say(s, "?two\n");
    let_it_read(s);
    assert_int_equal(seen.lines, 1);
    make_busy(session, false);
    tp_connection_soon(seen.last);
    expect(s, "?two\n");
}

/* The rest waits in the socket of the client. */
static void little_is_read_while_messages_wait(void **state)
{
    struct scene *s = *state;
    char line[102];

    greeted(s);
    seen.waits = true;
    memset(line, 'a', sizeof line);
    line[100] = '\n';
    line[101] = '\0';
    say(s, line);
    let_it_read(s);
    say(s, "!late\n");
    let_it_read(s);
    assert_int_equal(seen.panics, 0);
    seen.waits = false;
    tp_connection_soon(seen.last);
    await_bytes(s, 107);
    assert_int_equal(seen.panics, 1);
}

static void a_message_that_is_not_wanted_is_dropped_as_it_comes(void **state)
{
    struct scene *s = *state;
    char *dropped = malloc(DROPPED);

    assert_non_null(dropped);
    memset(dropped, '#', DROPPED);
    greeted(s);
    say(s, "one\n");
    assert_true(peer_send(&s->p, dropped, DROPPED));
    say(s, "two\n");
    expect(s, "one\ntwo\n");
    free(dropped);
}

static void a_message_that_is_too_long_closes_the_client(void **state)
{
    struct scene *s = *state;

    greeted(s);
    say(s, "9");
    peer_await_end(&s->p);
    assert_int_equal(seen.ended, 1);
}

static void a_message_that_does_not_end_closes_the_client(void **state)
{
    struct scene *s = *state;

    greeted(s);
    say(s, "slow");
    let_it_read(s);
    for (int i = 0; i < 15 && !s->p.ended; i++) {
        bench_move_clock(&s->stage.b, 1);
        (void)peer_send(&s->p, "w", 1);
        let_it_read(s);
    }
    assert_true(s->p.ended);
}

static void a_client_that_is_refused_at_the_beginning_is_closed(void **state)
{
    struct scene *s = *state;

    seen.refuses = true;
    enter(s, &s->p, 0);
    peer_await_end(&s->p);
    assert_int_equal(seen.ended, 1);
}

static void a_connection_that_finishes_sends_all_that_it_has(void **state)
{
    struct scene *s = *state;

    seen.answer = LONG;
    seen.finishes = true;
    enter(s, &s->p, 4096);
    say(s, "one\ntwo\n");
    await_bytes(s, 6 + LONG);
    peer_await_end(&s->p);
    assert_int_equal(seen.lines, 1);
}

static void a_client_that_does_not_take_the_last_bytes_is_closed(void **state)
{
    struct scene *s = *state;

    seen.answer = LONG;
    seen.finishes = true;
    enter(s, &s->p, 4096);
    say(s, "one\n");
    for (int i = 0; i < 20; i++) {
        turn(s);
    }
    for (int i = 0; i < 9; i++) {
        bench_move_clock(&s->stage.b, 1);
        turn(s);
    }
    assert_int_equal(seen.ended, 0);
    bench_move_clock(&s->stage.b, 2);
    turn(s);
    turn(s);
    assert_int_equal(seen.ended, 1);
}

/* Nothing is handled while much waits to be sent. */
static void a_client_that_does_not_read_waits(void **state)
{
    struct scene *s = *state;

    seen.answer = LONG;
    enter(s, &s->p, 4096);
    say(s, "one\ntwo\nthree\n");
    for (int i = 0; i < 20; i++) {
        turn(s);
    }
    assert_int_equal(seen.lines, 1);
    await_bytes(s, 6 + 3 * (size_t)LONG);
    assert_int_equal(seen.lines, 3);
}

static void one_too_many_takes_the_place_of_the_least(void **state)
{
    struct scene *s = *state;
    peer others[MOST];

    greeted(s);
    say(s, "one\n");
    expect(s, "one\n");
    for (int i = 0; i < MOST; i++) {
        enter(s, &others[i], 0);
    }
    while (tp_connections_count(seen.connections) > MOST) {
        turn(s);
    }
    say(s, "two\n");
    expect(s, "two\n");
    for (int i = 0; i < MOST; i++) {
        peer_close(&others[i]);
    }
}

/* Bytes of the front never go into a message. */
static void messages_of_the_session_are_sent_in_their_encoding(void **state)
{
    static const tp_msghdr header = {.type = TP_MSGTYPE_DATA};
    struct scene *s = *state;
    tp_msg *msg = NULL;

    seen.sends = true;
    greeted(s);
    assert_int_equal(tp_msg_create(&msg, &header, NULL, NULL), TP_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(tp_session_queue(tp_connection_session(seen.last), msg), TP_OK);
    }
    expect(s, "[data][data][data]");
    assert_int_equal(tp_session_queue(tp_connection_session(seen.last), msg), TP_OK);
    tp_connection_write(seen.last, "own\n", 4);
    expect(s, "own\n[data]");
    tp_msg_unref(msg);
}

static void set_rights(struct scene *s, tp_right right)
{
    const tpi_access access = {.guests = {right, right, TP_RIGHT_OPERATE, right}};

    assert_int_equal(tpi_hub_set_access(s->stage.b.hub, &access), TP_OK);
}

/* How many of them have ended after the next turn. */
static unsigned many_leave(struct scene *s)
{
    peer peers[MANY];

    for (int i = 0; i < MANY; i++) {
        enter(s, &peers[i], 0);
        turn(s); /* libuv watches a new socket from the next turn on */
    }
    for (int i = 0; i < MANY; i++) {
        peer_close(&peers[i]);
    }
    const unsigned before = seen.ended;
    turn(s);
    return seen.ended - before;
}

/* So a turn stays short though thousands leave. */
static void guests_that_leave_at_once_end_in_several_turns(void **state)
{
    struct scene *s = *state;

    set_rights(s, TP_RIGHT_READ);
    assert_in_range(many_leave(s), 1, MANY - 1);
    turn(s);
    assert_int_equal(seen.ended, MANY);
}

/* What they move stops. */
static void clients_that_may_move_something_end_at_once(void **state)
{
    struct scene *s = *state;

    set_rights(s, TP_RIGHT_MOVE);
    assert_int_equal(many_leave(s), MANY);
}

static void a_client_that_is_dismissed_gets_what_waits(void **state)
{
    struct scene *s = *state;

    greeted(s);
    tp_connection_write(seen.last, "bye\n", 4);
    tp_connection_dismiss(seen.last);
    expect(s, "bye\n");
    peer_await_end(&s->p);
}

static void a_client_that_is_given_up_gets_nothing_more(void **state)
{
    struct scene *s = *state;

    greeted(s);
    tp_connection_write(seen.last, "bye\n", 4);
    tp_connection_give_up(seen.last);
    assert_null(tp_connection_reserve(seen.last, 1));
    peer_await_end(&s->p);
    assert_int_equal(s->p.in.length, 0);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* A line in two pieces, the first of `length` letters. */
static void say_in_pieces(struct scene *s, size_t length)
{
    char *line = calloc(1, length + 2);

    assert_non_null(line);
    memset(line, 'y', length);
    say(s, line);
    while (seen.last->in.length < length) {
        turn(s);
    }
    say(s, "\n");
    line[length] = '\n';
    expect(s, line);
    free(line);
}

static void a_connection_that_is_idle_holds_nothing(void **state)
{
    struct scene *s = *state;

    greeted(s);
    say_in_pieces(s, 100);
    assert_null(seen.last->in.held);
}

static void a_connection_that_keeps_room_uses_it_again_unless_it_is_large(void **state)
{
    struct scene *s = *state;

    greeted(s);
    tp_connection_keep_room(seen.last);
    const void *held = seen.last->in.held;
    const void *out = seen.last->out.bytes;
    assert_non_null(held);
    assert_non_null(out);
    for (size_t length = 1; length < 2000; length += 333) {
        say_in_pieces(s, length);
        assert_ptr_equal(seen.last->in.held, held);
        assert_ptr_equal(seen.last->out.bytes, out);
    }
    say_in_pieces(s, 40000);
    assert_null(seen.last->in.held);
    say_in_pieces(s, 1000);
    assert_non_null(seen.last->in.held);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
#define TEST_OF_MANY(test) cmocka_unit_test_setup_teardown(test, set_up_for_many, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(messages_come_in_any_pieces),
        TEST(what_waits_is_handled_later_and_in_order),
        TEST(what_waits_gets_older),
        TEST(a_panic_is_seen_behind_what_waits),
        TEST(a_further_panic_waits),
        TEST(a_panic_that_waited_is_not_raised_after_a_newer_one),
        TEST(a_new_client_shows_its_key_though_its_session_is_busy),
        TEST(a_key_waits_for_the_front_and_behind_much_work),
        TEST(little_is_read_while_messages_wait),
        TEST(a_message_that_is_not_wanted_is_dropped_as_it_comes),
        TEST(a_message_that_is_too_long_closes_the_client),
        TEST(a_message_that_does_not_end_closes_the_client),
        TEST(a_client_that_is_refused_at_the_beginning_is_closed),
        TEST(a_connection_that_finishes_sends_all_that_it_has),
        TEST(a_client_that_does_not_take_the_last_bytes_is_closed),
        TEST(a_client_that_does_not_read_waits),
        TEST(one_too_many_takes_the_place_of_the_least),
        TEST(messages_of_the_session_are_sent_in_their_encoding),
        TEST_OF_MANY(guests_that_leave_at_once_end_in_several_turns),
        TEST_OF_MANY(clients_that_may_move_something_end_at_once),
        TEST(a_client_that_is_dismissed_gets_what_waits),
        TEST(a_client_that_is_given_up_gets_nothing_more),
        TEST(a_connection_that_is_idle_holds_nothing),
        TEST(a_connection_that_keeps_room_uses_it_again_unless_it_is_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
