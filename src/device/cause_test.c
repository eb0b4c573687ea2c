/*
 * cause_test.c - what clients receive: the reason of a stop, and that a command was not carried
 * out; and moves that are answered later.
 *
 * The driver is a motor on a thread or on the loop. It answers commands above 10 m/s later: when it
 * is asked for its geometry, it refuses them, or accepts them if they are above 100 m/s.
 */
#include <string.h>

#include "conformance/stage.h"
#include "support/unit.h"
#include "troupe/interfaces/position2d.h"

/* ---- A motor that answers later -------------------------------------------------------------- */

static struct {
    tp_ticket *ticket; /* where it runs */
    bool accepts;
    int halts_inside; /* while the ticket was used */
} late;

static tp_status consider(tp_device *device, double speed_mps, tp_error *err)
{
    if (speed_mps > 10) {
        late.ticket = tp_device_defer(device);
        late.accepts = speed_mps > 100;
        return TP_PENDING;
    }
    return speed_mps < 0 ? tp_fail(err, TP_E_RANGE, "it has no reverse gear") : TP_OK;
}

static void asked(void)
{
    const int before = atomic_load(&motor.halts);

    if (late.ticket != NULL && late.accepts) {
        tp_ticket_answer(late.ticket, NULL);
    } else if (late.ticket != NULL) {
        tp_ticket_fail(late.ticket, TP_E_RANGE, "too fast");
    }
    late.ticket = NULL;
    late.halts_inside += atomic_load(&motor.halts) - before;
}

/* ---- Two movers and a witness ---------------------------------------------------------------- */

enum { ANNA, BERTA, WITNESS, CLIENTS };

static const char *const names[] = {"127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"};

static void begin(struct stage *s, const tp_driver *driver)
{
    stage_begin(s, driver);
    memset(&late, 0, sizeof late);
    motor.consider = consider;
    motor.asked = asked;
    for (unsigned i = 0; i < CLIENTS; i++) {
        assert_int_equal(stage_enter(s, i, names[i]), TP_OK);
    }
}

static void send(struct stage *s, unsigned who, double speed)
{
    assert_int_equal(visit_drive(s->sessions[who], s->device, speed, NULL), TP_OK);
}

/* Turn until what was handed over has been done, and what waits for it is answered. */
static void settle(struct stage *s)
{
    assert_int_equal(bench_request(&s->b, s->device, TP_POSITION2D_REQ_GET_GEOM, NULL, NULL),
                     TP_OK);
}

static bool take_failure(tp_session *session, tp_error *out)
{
    bool found = false;
    tp_msg *msg;

    while (!found && (msg = tp_session_take(session)) != NULL) {
        const tp_failure *failure = tp_msg_payload(msg);
        found = tp_msg_header(msg)->addr.interf == TP_POSITION2D_CODE &&
                tp_msg_header(msg)->subtype == TP_COMMON_DATA_ERROR;
        if (found) {
            tp_fail(out, (tp_status)failure->code, "%s", failure->text);
        }
        tp_msg_unref(msg);
    }
    return found;
}

/* Wait for the next failure that a client is told of. */
static void hears(struct stage *s, unsigned who, tp_status code, const char *text)
{
    tp_error heard = {0};

    while (!take_failure(s->sessions[who], &heard)) {
        tp_loop_turn(s->b.loop, false);
    }
    assert_string_equal(heard.text, text);
    assert_int_equal(heard.code, code);
}

static void hears_nothing(struct stage *s, unsigned who)
{
    tp_error heard = {0};

    settle(s);
    settle(s); /* whatever came with the first one is delivered by now */
    assert_false(take_failure(s->sessions[who], &heard));
}

/* ---- Why it was stopped ---------------------------------------------------------------------- */

static void readers_hear_why_it_was_stopped(const tp_driver *driver)
{
    struct stage s;

    begin(&s, driver);
    send(&s, ANNA, 1);
    settle(&s);
    bench_move_clock(&s.b, 6);
    hears(&s, WITNESS, TP_E_TIMEOUT,
          "position2d:0 stopped: its client 127.0.0.1:1 has been silent for 6.0 s");
    send(&s, ANNA, 1);
    settle(&s);
    assert_int_equal(tp_session_close(s.sessions[ANNA], s.device), TP_OK);
    hears(&s, WITNESS, TP_E_CLOSED, "position2d:0 stopped: its client 127.0.0.1:1 has closed it");
    send(&s, BERTA, 1);
    settle(&s);
    tp_session_destroy(s.sessions[BERTA]);
    hears(&s, WITNESS, TP_E_CLOSED,
          "position2d:0 stopped: the connection of its client 127.0.0.1:2 was closed");
    s.sessions[BERTA] = NULL;
    stage_end(&s);
}
ON_BOTH(readers_hear_why_it_was_stopped)

static void a_right_that_was_taken_away_is_the_reason(const tp_driver *driver)
{
    const tpi_access nobody = {.guests = {TP_RIGHT_READ, TP_RIGHT_READ, TP_RIGHT_READ}};
    struct stage s;

    begin(&s, driver);
    send(&s, ANNA, 1);
    settle(&s);
    assert_int_equal(tpi_hub_set_access(s.b.hub, &nobody), TP_OK);
    hears(&s, WITNESS, TP_E_DENIED,
          "position2d:0 stopped: its client 127.0.0.1:1 has lost the right to move it");
    stage_end(&s);
}
ON_BOTH(a_right_that_was_taken_away_is_the_reason)

static void a_command_that_has_run_out_is_the_reason(const tp_driver *driver)
{
    const tp_position2d_cmd_vel ahead = {.vel.px = 1};
    struct stage s;

    begin(&s, driver);
    tp_session_speak_leases(s.sessions[ANNA], true);
    tp_session_set_software(s.sessions[ANNA], "wander");
    assert_int_equal(visit_send(s.sessions[ANNA], s.device, TP_KIND_COMMAND, TP_POSITION2D_CMD_VEL,
                                &ahead, 500, NULL),
                     TP_OK);
    settle(&s);
    bench_move_clock(&s.b, 0.4);
    tp_session_heard(s.sessions[ANNA]); /* which renews a lease, but not a command */
    bench_move_clock(&s.b, 0.2);
    hears(&s, WITNESS, TP_E_TIMEOUT,
          "position2d:0 stopped: the last command of its client wander at 127.0.0.1:1 has run out");
    stage_end(&s);
}
ON_BOTH(a_command_that_has_run_out_is_the_reason)

/* The label of the next mover is not that of the one that has left: the loop has it already when
 * the report comes from the thread. */
static void a_report_never_names_the_next_mover(void **state)
{
    struct stage s;
    tp_error heard = {0};

    (void)state;
    begin(&s, &motor_threaded);
    for (unsigned i = 0; i < 200; i++) {
        send(&s, ANNA, 1);
        settle(&s);
        assert_int_equal(tp_session_close(s.sessions[ANNA], s.device), TP_OK);
        send(&s, BERTA, 1);
        settle(&s);
        settle(&s);
        while (take_failure(s.sessions[WITNESS], &heard)) {
            assert_null(strstr(heard.text, names[BERTA]));
        }
        assert_int_equal(visit_open(&s.visit, s.sessions[ANNA], s.device, TP_OPEN_MODE), TP_OK);
    }
    stage_end(&s);
}

/* A client that has left since then has not stopped it: a panic has, of which everybody hears
 * otherwise. */
static void what_stands_still_is_not_stopped_again(const tp_driver *driver)
{
    struct stage s;

    begin(&s, driver);
    send(&s, ANNA, 1);
    settle(&s);
    tpi_panic_raise(tpi_panic_of(s.b.hub), "carla", "a cat");
    while (atomic_load(&motor.halts) == 0) {
        tp_loop_turn(s.b.loop, false);
    }
    tp_session_destroy(s.sessions[ANNA]);
    s.sessions[ANNA] = NULL;
    hears_nothing(&s, WITNESS);
    stage_end(&s);
}
ON_BOTH(what_stands_still_is_not_stopped_again)

/* ---- Commands that are not carried out ------------------------------------------------------- */

static void a_refused_command_is_told_once(const tp_driver *driver)
{
    struct stage s;

    begin(&s, driver);
    for (int i = 0; i < 2; i++) {
        send(&s, ANNA, -1);
        hears(&s, ANNA, TP_E_RANGE, "position2d:0: it has no reverse gear");
        send(&s, ANNA, -1);
        hears_nothing(&s, ANNA);
        send(&s, ANNA, 1); /* from now on it is news again */
        settle(&s);
    }
    hears_nothing(&s, WITNESS);
    stage_end(&s);
}
ON_BOTH(a_refused_command_is_told_once)

/* ---- Moves that are answered later ----------------------------------------------------------- */

/* Berta's lease would keep moving what Anna has set in motion. */
static void one_that_fails_later_stops_what_another_has_moved(const tp_driver *driver)
{
    struct stage s;

    begin(&s, driver);
    send(&s, ANNA, 1);
    settle(&s);
    send(&s, BERTA, 11);
    settle(&s);
    hears(&s, BERTA, TP_E_RANGE, "position2d:0: too fast");
    while (atomic_load(&motor.halts) == 0) {
        tp_loop_turn(s.b.loop, false);
    }
    assert_int_equal(late.halts_inside, 0); /* not in the middle of an operation of the driver */
    settle(&s);
    assert_int_equal(atomic_load(&motor.halts), 1);
    stage_end(&s);
}
ON_BOTH(one_that_fails_later_stops_what_another_has_moved)

static void it_stops_nothing_of_its_own_nor_what_was_moved_since(const tp_driver *driver)
{
    struct stage s;

    begin(&s, driver);
    send(&s, ANNA, 1);
    settle(&s);
    send(&s, ANNA, 11);
    settle(&s);
    hears(&s, ANNA, TP_E_RANGE, "position2d:0: too fast");
    send(&s, BERTA, 11);
    send(&s, ANNA, 1); /* her lease again */
    settle(&s);
    hears(&s, BERTA, TP_E_RANGE, "position2d:0: too fast");
    settle(&s);
    assert_int_equal(atomic_load(&motor.halts), 0);
    stage_end(&s);
}
ON_BOTH(it_stops_nothing_of_its_own_nor_what_was_moved_since)

/* From then on it is hers, and what Anna is refused stops it. */
static void one_that_is_accepted_later_counts(const tp_driver *driver)
{
    struct stage s;

    begin(&s, driver);
    send(&s, ANNA, 1);
    settle(&s);
    send(&s, BERTA, 101);
    settle(&s);
    settle(&s);
    assert_int_equal(atomic_load(&motor.halts), 0);
    send(&s, ANNA, -1);
    settle(&s);
    assert_int_equal(atomic_load(&motor.halts), 1);
    stage_end(&s);
}
ON_BOTH(one_that_is_accepted_later_counts)

#define BOTH(name) cmocka_unit_test(name##_on_a_thread), cmocka_unit_test(name##_on_the_loop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(readers_hear_why_it_was_stopped),
        BOTH(a_right_that_was_taken_away_is_the_reason),
        BOTH(a_command_that_has_run_out_is_the_reason),
        cmocka_unit_test(a_report_never_names_the_next_mover),
        BOTH(what_stands_still_is_not_stopped_again),
        BOTH(a_refused_command_is_told_once),
        BOTH(one_that_fails_later_stops_what_another_has_moved),
        BOTH(it_stops_nothing_of_its_own_nor_what_was_moved_since),
        BOTH(one_that_is_accepted_later_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
