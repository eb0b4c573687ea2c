/* front_suite.c - see front_suite.h. */
#include "conformance/front_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/front_scene.h"
#include "support/memory.h"
#include "support/random.h"
#include "support/unit.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/server.h"

enum { MANY = 100, GARBAGE_ROUNDS = 40, LONGEST_QUEUE = 8192 };

/* Data for all clients. */
static void publish(struct front_scene *s, bool stall)
{
    const tp_position2d_data data = {.stall = stall};

    if (s->suite->publish != NULL) {
        s->suite->publish(s);
    } else {
        (void)tp_publish(s->stage.device, TP_POSITION2D_DATA_STATE, &data, 0);
    }
}

/* ---- Opening --------------------------------------------------------------------------------- */

static void opens_on_any_port_and_reports_it(void **state)
{
    struct front_scene *s = front_scene_begin(state);
    peer p;

    assert_in_range(tpi_front_port(s->front), 1, 65535);
    front_scene_visit(s, &p);
    assert_int_equal(front_scene_sessions(s), 1);
    peer_close(&p);
    front_scene_await(s, 0);
    front_scene_end(s);
}

static void two_instances_know_nothing_of_each_other(void **state)
{
    struct front_scene *s = front_scene_begin(state);
    tp_front_instance *other = NULL;
    peer first;
    peer second;

    assert_int_equal(front_scene_open(s, &other, FRONT_ANYWHERE, NULL, NULL, &s->stage.err), TP_OK);
    assert_int_not_equal(tpi_front_port(other), tpi_front_port(s->front));
    front_scene_visit(s, &first);
    front_scene_enter_at(s, &second, other);
    front_scene_open_device(s, &second);
    tpi_front_close(other);
    peer_await_end(&second);
    peer_close(&second);
    front_scene_ask(s, &first);
    peer_close(&first);
    front_scene_end(s);
}

static void a_port_that_is_taken_is_an_error_of_its_own(void **state)
{
    struct front_scene *s = front_scene_begin(state);
    tp_front_instance *other = NULL;
    char address[64];

    (void)snprintf(address, sizeof address, "tcp:127.0.0.1:%u", tpi_front_port(s->front));
    assert_int_equal(front_scene_open(s, &other, address, NULL, NULL, &s->stage.err), TP_E_EXISTS);
    assert_null(other);
    assert_non_null(strstr(s->stage.err.text, address));
    front_scene_end(s);
}

static void wrong_settings_and_addresses_are_named_and_leave_nothing(void **state)
{
    struct front_scene *s = front_scene_begin(state);
    const tpi_setting_value value = {s->suite->bad_text, s->suite->bad_number};
    const tpi_setting bad = {s->suite->bad_name, &value, 1};
    tp_front_instance *other = NULL;
    const char *blamed = NULL;
    const long live = memory_live();

    assert_true(front_scene_open(s, &other, "tcp:127.0.0.1", NULL, &blamed, &s->stage.err) < 0);
    assert_null(other);
    assert_non_null(strstr(s->stage.err.text, "tcp:127.0.0.1"));
    if (s->suite->bad_name != NULL) {
        assert_true(front_scene_open(s, &other, FRONT_ANYWHERE, &bad, &blamed, &s->stage.err) < 0);
        assert_string_equal(blamed, s->suite->bad_name);
        assert_string_equal(s->stage.err.text, s->suite->bad_message);
    }
    tp_loop_turn(s->stage.b.loop, false);
    assert_int_equal(memory_live(), live);
    front_scene_end(s);
}

static void has_all_that_a_front_has(void **state)
{
    const suite_front *suite = *state;
    const tp_front *front = suite->front;

    assert_int_equal(front->abi, TP_FRONT_ABI);
    assert_true(front->summary != NULL && front->summary[0] != '\0');
    assert_true(tpi_front_speaks(front, "tcp"));
    assert_true((front->flags & TP_FRONT_PER_ROBOT) != 0 || front->port != 0);
    for (const tp_param *p = front->params; p != NULL && p->name != NULL; p++) {
        assert_true(p->doc != NULL && p->doc[0] != '\0');
    }
}

/* ---- Clients that do not behave -------------------------------------------------------------- */

static void garbage_hurts_nobody_else(void **state)
{
    struct front_scene *s = front_scene_begin(state);
    random_source source = {1};
    peer witness;

    front_scene_visit(s, &witness);
    for (int i = 0; i < GARBAGE_ROUNDS; i++) {
        unsigned char bytes[512];
        peer p;
        for (size_t k = 0; k < sizeof bytes; k++) {
            bytes[k] = (unsigned char)random_bits(&source);
        }
        front_scene_enter(s, &p);
        (void)peer_send(&p, bytes, sizeof bytes);
        s->suite->put_open(&s->bytes); /* and a good one with a wrong byte in it */
        s->bytes.data[(size_t)i % s->bytes.length] ^= (char)0x20;
        (void)peer_send_buf(&p, &s->bytes);
        front_scene_ask(s, &witness);
        peer_close(&p);
    }
    front_scene_await(s, 1);
    peer_close(&witness);
    front_scene_end(s);
}

static void half_a_message_is_waited_for(void **state)
{
    struct front_scene *s = front_scene_begin(state);
    peer witness;
    peer p;

    front_scene_visit(s, &witness);
    front_scene_visit(s, &p);
    s->suite->put_request(&s->bytes);
    for (size_t i = 0; i < s->bytes.length; i++) {
        assert_true(peer_send(&p, s->bytes.data + i, 1));
        tp_loop_turn(s->stage.b.loop, false);
        peer_look(&p);
        assert_int_equal(i + 1 < s->bytes.length ? peer_next(&p) : SUITE_NONE, SUITE_NONE);
    }
    peer_await(&p, SUITE_REPLY);
    assert_true(peer_send(&p, s->bytes.data, s->bytes.length / 2));
    front_scene_ask(s, &witness);
    peer_close(&p); /* in the middle of a message */
    front_scene_await(s, 1);
    peer_close(&witness);
    front_scene_end(s);
}

/* However slowly its bytes come: a client of this kind keeps no place. */
static void an_unfinished_message_has_a_time_limit(void **state)
{
    struct front_scene *s = front_scene_begin(state);
    peer witness;
    peer p;

    front_scene_visit(s, &witness);
    front_scene_visit(s, &p);
    s->suite->put_request(&s->bytes);
    for (size_t i = 0; i < 11; i++) { /* a byte each 0.9 s, for 9.9 s */
        assert_true(peer_send(&p, s->bytes.data + i, 1));
        front_scene_ask(s, &witness);
        bench_move_clock(&s->stage.b, 0.9);
        tp_loop_turn(s->stage.b.loop, false);
        assert_int_equal(front_scene_sessions(s), 2);
    }
    bench_move_clock(&s->stage.b, 0.1);
    peer_await_end(&p);
    front_scene_ask(s, &witness); /* one that finishes its messages stays */
    bench_move_clock(&s->stage.b, 60);
    front_scene_ask(s, &witness);
    peer_close(&p);
    peer_close(&witness);
    tpi_buf_clear(&s->bytes);
    front_scene_end(s);
}

static bool has_param(const tp_front *front, const char *name)
{
    const tp_param *param = front->params;

    while (param != NULL && param->name != NULL && strcmp(param->name, name) != 0) {
        param++;
    }
    return param != NULL && param->name != NULL;
}

/* A front that limits its clients by a parameter of this name. */
static void without_a_place_the_oldest_silent_client_makes_room(void **state)
{
    struct front_scene *s = front_scene_begin(state);
    const tpi_setting_value two = {.text = "2", .number = 2};
    const tpi_setting limit = {.name = "clients", .values = &two, .value_count = 1};
    tp_front_instance *small = NULL;
    peer speaker;
    peer silent;
    peer late;

    if (has_param(s->suite->front, "clients")) {
        assert_int_equal(front_scene_open(s, &small, FRONT_ANYWHERE, &limit, NULL, &s->stage.err),
                         TP_OK);
        front_scene_enter_at(s, &speaker, small);
        front_scene_open_device(s, &speaker);
        front_scene_enter_at(s, &silent, small);
        front_scene_await(s, 2);
        front_scene_enter_at(s, &late, small);
        peer_await_end(&silent);
        front_scene_open_device(s, &late);
        front_scene_ask(s, &speaker);
        assert_int_equal(front_scene_sessions(s), 2);
        peer_close(&silent);
        peer_close(&late);
        peer_close(&speaker);
        tpi_front_close(small);
    }
    front_scene_end(s);
}

static void a_message_without_an_end_is_not_kept(void **state)
{
    enum { MOST = 64 << 20 };
    struct front_scene *s = front_scene_begin(state);
    tpi_buf huge = {0};
    size_t sent = 0;
    peer witness;
    peer p;

    front_scene_visit(s, &witness);
    front_scene_enter(s, &p);
    s->suite->put_huge(&huge);
    while (peer_send(&p, huge.data, huge.length)) {
        sent += huge.length;
        assert_true(sent < MOST);
    }
    front_scene_ask(s, &witness);
    tpi_buf_fini(&huge);
    peer_close(&p);
    peer_close(&witness);
    front_scene_end(s);
}

static void peers_that_vanish_leave_nothing(void **state)
{
    struct front_scene *s = front_scene_begin(state);
    peer witness;

    front_scene_visit(s, &witness);
    for (int i = 0; i < GARBAGE_ROUNDS; i++) {
        peer p;
        front_scene_enter(s, &p);
        s->suite->put_open(&s->bytes);
        if (i % 2 == 0) {
            assert_true(peer_send_buf(&p, &s->bytes));
        } else {
            front_scene_open_device(s, &p);
        }
        publish(s, false);
        peer_reset(&p);
        front_scene_ask(s, &witness);
    }
    front_scene_await(s, 1);
    peer_close(&witness);
    front_scene_end(s);
}

static void many_clients_are_served(void **state)
{
    struct front_scene *s = front_scene_begin(state);
    peer *peers = calloc(MANY, sizeof *peers);

    assert_non_null(peers);
    for (int i = 0; i < MANY; i++) {
        front_scene_visit(s, &peers[i]);
    }
    assert_int_equal(front_scene_sessions(s), MANY);
    publish(s, true);
    for (int i = 0; i < MANY; i++) {
        if (s->suite->has_no_data) {
            front_scene_ask(s, &peers[i]);
        } else {
            peer_await(&peers[i], SUITE_DATA);
        }
        peer_close(&peers[i]);
    }
    front_scene_await(s, 0);
    free(peers);
    front_scene_end(s);
}

static const tp_session *session_named(const struct front_scene *s, const char *name)
{
    const tp_session *session = tpi_clients_first(s->stage.b.hub);

    while (session != NULL && strcmp(session->identity.name, name) != 0) {
        session = session->next;
    }
    assert_non_null(session);
    return session;
}

static uint64_t missed(const struct front_scene *s, const peer *p)
{
    return s->suite->missed != NULL ? s->suite->missed(s, p->name)
                                    : tp_session_dropped(session_named(s, p->name));
}

/* It asks without an end; the front stops to handle that, and serves the others. */
static void ask_without_reading(struct front_scene *s, peer *p, peer *witness)
{
    for (int i = 0; i < GARBAGE_ROUNDS; i++) {
        for (int k = 0; k < 64; k++) {
            s->suite->put_request(&s->bytes);
        }
        (void)peer_send_buf(p, &s->bytes);
        front_scene_ask(s, witness);
    }
}

static void a_client_that_does_not_read_slows_nobody(void **state)
{
    struct front_scene *s = front_scene_begin(state);
    peer witness;
    peer p;

    front_scene_visit(s, &witness);
    peer_connect(&p, s->suite, s->stage.b.loop, tpi_front_port(s->front), 4096);
    front_scene_open_device(s, &p);
    if (s->suite->has_no_data) {
        ask_without_reading(s, &p, &witness);
        peer_close(&p);
        front_scene_await(s, 1);
        peer_close(&witness);
        front_scene_end(s);
        return;
    }
    const tp_session *session = session_named(s, p.name);
    while (missed(s, &p) == 0) {
        for (int i = 0; i < 64; i++) {
            publish(s, false);
        }
        peer_await(&witness, SUITE_DATA);
        peer_look(&witness);
        while (peer_next(&witness) != SUITE_NONE) {
        }
        assert_true(tp_session_waiting(session) <= LONGEST_QUEUE);
    }
    assert_int_equal(missed(s, &witness), 0);
    peer_close(&p);
    front_scene_await(s, 1);
    peer_close(&witness);
    front_scene_end(s);
}

/* ---- Safety ---------------------------------------------------------------------------------- */

static void let_guests(struct front_scene *s, tp_right right)
{
    tpi_access access = {.key_count = 0};

    for (size_t i = 0; i < TP_REACH_COUNT; i++) {
        access.guests[i] = TP_RIGHT_READ;
    }
    access.guests[TP_REACH_LOOPBACK] = right;
    assert_int_equal(tpi_hub_set_access(s->stage.b.hub, &access), TP_OK);
}

static void a_client_without_the_right_moves_nothing(void **state)
{
    struct front_scene *s = front_scene_begin(state);
    peer p;

    let_guests(s, TP_RIGHT_READ);
    front_scene_visit(s, &p);
    front_scene_command(s, &p, 1);
    assert_int_equal(motor.commands, 0);
    let_guests(s, TP_RIGHT_MOVE);
    front_scene_command(s, &p, 1);
    assert_int_equal(motor.commands, 1);
    assert_int_equal(motor.speed, 1000);
    peer_close(&p);
    front_scene_end(s);
}

static void what_a_client_moves_stops_when_it_vanishes(void **state)
{
    struct front_scene *s = front_scene_begin(state);
    peer p;

    front_scene_keep_open(s);
    front_scene_visit(s, &p);
    front_scene_command(s, &p, 1);
    assert_int_equal(motor.halts, 0);
    peer_reset(&p);
    while (motor.halts == 0) {
        tp_loop_turn(s->stage.b.loop, false);
    }
    assert_int_equal(motor.speed, 0);
    assert_int_equal(motor.reason, TP_HALT_LEFT);
    front_scene_end(s);
}

static void what_a_client_moves_stops_when_it_is_silent(void **state)
{
    struct front_scene *s = front_scene_begin(state);
    peer p;

    front_scene_visit(s, &p);
    front_scene_command(s, &p, 1);
    bench_move_clock(&s->stage.b, 4);
    tp_loop_turn(s->stage.b.loop, false);
    front_scene_ask(s, &p); /* any message renews the lease */
    bench_move_clock(&s->stage.b, 4);
    tp_loop_turn(s->stage.b.loop, false);
    assert_int_equal(motor.halts, 0);
    bench_move_clock(&s->stage.b, 2);
    while (motor.halts == 0) {
        tp_loop_turn(s->stage.b.loop, false);
    }
    assert_int_equal(motor.reason, TP_HALT_SILENT);
    peer_close(&p);
    front_scene_end(s);
}

/* More than a client may use of a turn. */
static void work_long(void)
{
    const int64_t end_ns = tp_clock_now_ns(tp_clock_real()) + 2 * TP_NS_PER_MS;

    while (tp_clock_now_ns(tp_clock_real()) < end_ns) {
    }
}

/* The front does not read for a turn. What comes later has not waited since then. */
static void a_client_whose_request_was_long_work_renews_its_whole_lease(void **state)
{
    struct front_scene *s = front_scene_begin(state);
    peer p;

    front_scene_visit(s, &p);
    motor.asked = work_long;
    front_scene_command(s, &p, 1);
    motor.asked = NULL;
    bench_move_clock(&s->stage.b, 4);
    tp_loop_turn(s->stage.b.loop, false);
    front_scene_ask(s, &p);
    bench_move_clock(&s->stage.b, 4);
    tp_loop_turn(s->stage.b.loop, false);
    assert_int_equal(motor.halts, 0);
    peer_close(&p);
    front_scene_end(s);
}

/* The loop does not turn while the clock moves: the program is frozen. */
static void what_waited_for_a_frozen_server_moves_nothing(void **state)
{
    struct front_scene *s = front_scene_begin(state);
    peer p;

    front_scene_visit(s, &p);
    front_scene_command(s, &p, 1);
    assert_int_equal(motor.commands, 1);
    s->suite->put_command(&s->bytes, 2);
    assert_true(peer_send_buf(&p, &s->bytes));
    bench_move_clock(&s->stage.b, 6);
    front_scene_ask(s, &p);
    assert_int_equal(motor.commands, 1);
    assert_int_equal(motor.speed, 0);
    front_scene_command(s, &p, 3); /* what comes later moves */
    assert_int_equal(motor.commands, 2);
    assert_int_equal(motor.speed, 3000);
    peer_close(&p);
    front_scene_end(s);
}

/* More than a front reads at once, and than it handles in a turn. */
static void however_much_waited_for_a_frozen_server_moves_nothing(void **state)
{
    enum { WAITING = 400, TURNS = 5000 };
    struct front_scene *s = front_scene_begin(state);
    peer p;

    front_scene_visit(s, &p);
    front_scene_command(s, &p, 1);
    assert_int_equal(motor.commands, 1);
    for (int i = 0; i < WAITING; i++) {
        s->suite->put_command(&s->bytes, 2);
    }
    assert_true(peer_send_buf(&p, &s->bytes));
    bench_move_clock(&s->stage.b, 6);
    for (int i = 0; i < TURNS; i++) {
        tp_loop_turn(s->stage.b.loop, false);
    }
    assert_int_equal(motor.commands, 1);
    assert_int_equal(motor.speed, 0);
    peer_close(&p);
    front_scene_end(s);
}

/* It counts from its arrival, not from the moment that it is read. */
static void what_waited_for_less_than_its_lease_has_the_rest_of_it(void **state)
{
    struct front_scene *s = front_scene_begin(state);
    peer p;

    front_scene_visit(s, &p);
    s->suite->put_command(&s->bytes, 2);
    assert_true(peer_send_buf(&p, &s->bytes));
    bench_move_clock(&s->stage.b, 4);
    while (motor.commands == 0) {
        tp_loop_turn(s->stage.b.loop, false);
    }
    assert_int_equal(motor.speed, 2000);
    bench_move_clock(&s->stage.b, 2);
    tp_loop_turn(s->stage.b.loop, false);
    assert_int_equal(motor.speed, 0);
    assert_int_equal(motor.reason, TP_HALT_SILENT);
    peer_close(&p);
    front_scene_end(s);
}

static void every_client_can_raise_a_panic(void **state)
{
    struct front_scene *s = front_scene_begin(state);
    peer driving;
    peer p;

    front_scene_visit(s, &driving);
    front_scene_command(s, &driving, 1);
    let_guests(s, TP_RIGHT_READ);
    front_scene_enter(s, &p);
    s->suite->put_panic(&s->bytes);
    assert_true(peer_send_buf(&p, &s->bytes));
    peer_await(&p, SUITE_REPLY);
    while (motor.speed != 0) {
        tp_loop_turn(s->stage.b.loop, false);
    }
    let_guests(s, TP_RIGHT_MOVE);
    s->suite->put_command(&s->bytes, 1);
    assert_true(peer_send_buf(&driving, &s->bytes));
    front_scene_ask(s, &driving);
    assert_int_equal(motor.speed, 0);
    peer_close(&driving);
    peer_close(&p);
    front_scene_end(s);
}

static void closing_ends_its_clients_and_stops_what_they_move(void **state)
{
    struct front_scene *s = front_scene_begin(state);
    peer moving;
    peer half;

    front_scene_keep_open(s);
    front_scene_visit(s, &moving);
    front_scene_command(s, &moving, 1);
    front_scene_enter(s, &half);
    s->suite->put_open(&s->bytes);
    assert_true(peer_send(&half, s->bytes.data, s->bytes.length / 2));
    tpi_buf_clear(&s->bytes);
    front_scene_await(s, 2);
    tpi_front_close(s->front);
    s->front = NULL;
    assert_int_equal(front_scene_sessions(s), 0);
    while (motor.halts == 0) {
        tp_loop_turn(s->stage.b.loop, false);
    }
    peer_await_end(&moving);
    peer_await_end(&half);
    peer_close(&moving);
    peer_close(&half);
    front_scene_end(s);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static tp_status open_and_close(void *context)
{
    struct front_scene *s = context;
    tp_front_instance *front = NULL;
    const tp_status status = front_scene_open(s, &front, FRONT_ANYWHERE, NULL, NULL, &s->stage.err);

    tpi_front_close(front);
    tp_loop_turn(s->stage.b.loop, false); /* what was closed is released */
    return status;
}

static void opening_without_memory_leaves_nothing(void **state)
{
    struct front_scene *s = front_scene_begin(state);

    memory_sweep(open_and_close, s);
    front_scene_end(s);
}

/* ---- All ------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    CMUnitTestFunction run;
} cases[] = {
#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
    CASE(has_all_that_a_front_has),
    CASE(opens_on_any_port_and_reports_it),
    CASE(two_instances_know_nothing_of_each_other),
    CASE(a_port_that_is_taken_is_an_error_of_its_own),
    CASE(wrong_settings_and_addresses_are_named_and_leave_nothing),
    CASE(garbage_hurts_nobody_else),
    CASE(half_a_message_is_waited_for),
    CASE(an_unfinished_message_has_a_time_limit),
    CASE(without_a_place_the_oldest_silent_client_makes_room),
    CASE(a_message_without_an_end_is_not_kept),
    CASE(peers_that_vanish_leave_nothing),
    CASE(many_clients_are_served),
    CASE(a_client_that_does_not_read_slows_nobody),
    CASE(a_client_without_the_right_moves_nothing),
    CASE(what_a_client_moves_stops_when_it_vanishes),
    CASE(what_a_client_moves_stops_when_it_is_silent),
    CASE(a_client_whose_request_was_long_work_renews_its_whole_lease),
    CASE(what_waited_for_a_frozen_server_moves_nothing),
    CASE(however_much_waited_for_a_frozen_server_moves_nothing),
    CASE(what_waited_for_less_than_its_lease_has_the_rest_of_it),
    CASE(every_client_can_raise_a_panic),
    CASE(closing_ends_its_clients_and_stops_what_they_move),
    CASE(opening_without_memory_leaves_nothing),
#undef CASE
};

enum { CASES = sizeof cases / sizeof cases[0], MOST_FRONTS = 16 };

static void every_front_of_the_kit_is_listed(void **state)
{
    const suite_front *fronts = *state;

    for (size_t i = 0; tp_full_kit.fronts[i] != NULL; i++) {
        const suite_front *at = fronts;
        while (at->front != NULL && at->front != tp_full_kit.fronts[i]) {
            at++;
        }
        if (at->front == NULL) {
            fail_msg("the suite does not know the front %s", tp_full_kit.fronts[i]->name);
        }
    }
}

int front_suite_run(const suite_front *fronts, size_t count)
{
    static struct CMUnitTest tests[MOST_FRONTS * CASES + 1];
    static char names[MOST_FRONTS * CASES][128];
    static suite_front ended[MOST_FRONTS + 1];
    size_t made = 0;

    if (count > MOST_FRONTS) {
        return 1;
    }
    memcpy(ended, fronts, count * sizeof *fronts);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < CASES; k++) {
            (void)snprintf(names[made], sizeof names[made], "%s: %s", ended[i].front->name,
                           cases[k].name);
            tests[made] = (struct CMUnitTest){
                .name = names[made], .test_func = cases[k].run, .initial_state = &ended[i]};
            made++;
        }
    }
    tests[made++] = (struct CMUnitTest){.name = "every front of the kit is listed",
                                        .test_func = every_front_of_the_kit_is_listed,
                                        .initial_state = ended};
    return _cmocka_run_group_tests("fronts", tests, made, NULL, NULL);
}
