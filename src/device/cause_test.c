/*
 * cause_test.c - what clients are told: why a device was stopped, and that a command was not
 * carried out; and moves that are answered later.
 *
 * The driver is a motor on a thread or on the loop. It answers commands above 10 m/s later: when it
 * is asked for its geometry, it refuses them, or accepts them if they are above 100 m/s.
 */
#include <stdatomic.h>
#include <string.h>

#include "conformance/visit.h"
#include "support/unit.h"
#include "troupe/interfaces/position2d.h"

/* ---- A motor --------------------------------------------------------------------------------- */

static struct {
    atomic_int halts;
    tp_ticket *ticket; /* where it runs */
    bool accepts;
    int halts_inside; /* while the ticket was used */
} motor;

static tp_status drive(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    if (ask->vel.px > 10) {
        motor.ticket = tp_device_defer(device);
        motor.accepts = ask->vel.px > 100;
        return TP_PENDING;
    }
    return ask->vel.px < 0 ? tp_fail(err, TP_E_RANGE, "it has no reverse gear") : TP_OK;
}

static tp_status tell_geometry(tp_device *device, tp_position2d_geom *answer, tp_error *err)
{
    const int before = atomic_load(&motor.halts);

    (void)device;
    (void)answer;
    (void)err;
    if (motor.ticket != NULL && motor.accepts) {
        tp_ticket_answer(motor.ticket, NULL);
    } else if (motor.ticket != NULL) {
        tp_ticket_fail(motor.ticket, TP_E_RANGE, "too fast");
    }
    motor.ticket = NULL;
    motor.halts_inside += atomic_load(&motor.halts) - before;
    return TP_OK;
}

static const tp_position2d_ops motor_ops = {.cmd_vel = drive, .req_get_geom = tell_geometry};

static tp_status motor_init(tp_instance *self, tp_error *err)
{
    return tp_offer(self, &tp_interface_position2d, NULL, &motor_ops, NULL, NULL, err);
}

static void motor_halt(tp_device *device, tp_halt how)
{
    (void)device;
    (void)how;
    atomic_fetch_add(&motor.halts, 1);
}

static const tp_driver_ops driver_ops = {.init = motor_init, .halt = motor_halt};
static const tp_driver threaded = {.abi = TP_DRIVER_ABI, .name = "motor", .ops = &driver_ops};
static const tp_driver on_loop = {
    .abi = TP_DRIVER_ABI, .name = "motor", .ops = &driver_ops, .flags = TP_DRIVER_ON_LOOP};

/* ---- Two movers and a witness ---------------------------------------------------------------- */

enum { ANNA, BERTA, WITNESS, CLIENTS };

struct stage {
    bench b;
    bench_plan *plan;
    tp_device *device;
    tp_session *sessions[CLIENTS];
    visit visit;
};

static void begin(struct stage *s, const tp_driver *driver)
{
    const bench_section section = {.driver = driver, .provides = "position2d:0"};

    memset(s, 0, sizeof *s);
    memset(&motor, 0, sizeof motor);
    bench_init(&s->b);
    s->visit.b = &s->b;
    s->plan = bench_plan_create(s->b.catalogue, &section, 0);
    assert_int_equal(tpi_hub_add(s->b.hub, bench_plan_blueprint(s->plan), NULL, NULL), TP_OK);
    s->device = bench_find(&s->b, "position2d:0");
    for (unsigned i = 0; i < CLIENTS; i++) {
        s->sessions[i] = visit_begin(&s->visit, NULL);
        assert_int_equal(visit_open(&s->visit, s->sessions[i], s->device, TP_OPEN_MODE), TP_OK);
    }
}

static void end(struct stage *s)
{
    for (unsigned i = 0; i < CLIENTS; i++) {
        tp_session_destroy(s->sessions[i]);
    }
    bench_fini(&s->b);
    bench_plan_destroy(s->plan);
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

#define ON_BOTH(name)                                                                              \
    static void name##_on_a_thread(void **state)                                                   \
    {                                                                                              \
        (void)state;                                                                               \
        name(&threaded);                                                                           \
    }                                                                                              \
    static void name##_on_the_loop(void **state)                                                   \
    {                                                                                              \
        (void)state;                                                                               \
        name(&on_loop);                                                                            \
    }

/* ---- Why it was stopped ---------------------------------------------------------------------- */

static void readers_hear_why_it_was_stopped(const tp_driver *driver)
{
    struct stage s;

    begin(&s, driver);
    send(&s, ANNA, 1);
    settle(&s);
    bench_move_clock(&s.b, 6);
    hears(&s, WITNESS, TP_E_TIMEOUT, "stopped: nothing was heard any more of who moved it");
    send(&s, ANNA, 1);
    settle(&s);
    assert_int_equal(tp_session_close(s.sessions[ANNA], s.device), TP_OK);
    hears(&s, WITNESS, TP_E_CLOSED, "stopped: who moved it has closed the device");
    send(&s, BERTA, 1);
    settle(&s);
    tp_session_destroy(s.sessions[BERTA]);
    hears(&s, WITNESS, TP_E_CLOSED, "stopped: the connection of who moved it was closed");
    s.sessions[BERTA] = NULL;
    end(&s);
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
    hears(&s, WITNESS, TP_E_DENIED, "stopped: who moved it may not do so any more");
    end(&s);
}
ON_BOTH(a_right_that_was_taken_away_is_the_reason)

/* Who has gone since then has not stopped it: a panic has, of which everybody hears otherwise. */
static void what_stands_still_is_not_stopped_again(const tp_driver *driver)
{
    struct stage s;

    begin(&s, driver);
    send(&s, ANNA, 1);
    settle(&s);
    tpi_panic_raise(tpi_hub_panic(s.b.hub), "carla", "a cat");
    while (atomic_load(&motor.halts) == 0) {
        tp_loop_turn(s.b.loop, false);
    }
    tp_session_destroy(s.sessions[ANNA]);
    s.sessions[ANNA] = NULL;
    hears_nothing(&s, WITNESS);
    end(&s);
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
    end(&s);
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
    assert_int_equal(motor.halts_inside, 0); /* not in the middle of an operation of the driver */
    settle(&s);
    assert_int_equal(atomic_load(&motor.halts), 1);
    end(&s);
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
    end(&s);
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
    end(&s);
}
ON_BOTH(one_that_is_accepted_later_counts)

#define BOTH(name) cmocka_unit_test(name##_on_a_thread), cmocka_unit_test(name##_on_the_loop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(readers_hear_why_it_was_stopped),
        BOTH(a_right_that_was_taken_away_is_the_reason),
        BOTH(what_stands_still_is_not_stopped_again),
        BOTH(a_refused_command_is_told_once),
        BOTH(one_that_fails_later_stops_what_another_has_moved),
        BOTH(it_stops_nothing_of_its_own_nor_what_was_moved_since),
        BOTH(one_that_is_accepted_later_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
