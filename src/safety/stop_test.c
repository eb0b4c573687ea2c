/*
 * stop_test.c - what stops a device that moves: leases and panic, with and without a thread.
 *
 * The driver is a motor that counts; the clock is the test's, so nothing here depends on how busy
 * the machine is. Where a stalled loop is the subject, the loop simply is not turned.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "conformance/stage.h"
#include "device/inside.h"
#include "support/unit.h"
#include "troupe/driver/position2d.h"
#include "troupe/port.h"

/* ---- A motor that may be kept waiting -------------------------------------------------------- */

static struct {
    atomic_bool shut;           /* commands do not come to an end ... */
    atomic_bool pass;           /* ... but for one */
    atomic_bool waits;          /* one of these */
    atomic_int halts_at_answer; /* when it was asked for its geometry last */
} gate;

static tp_status consider(tp_device *device, double speed_mps, tp_error *err)
{
    while (atomic_load(&gate.shut) && !atomic_exchange(&gate.pass, false)) {
        atomic_store(&gate.waits, true);
        tpi_wait(NULL, 0, tp_clock_now_ns(tp_clock_real()) + TP_NS_PER_MS);
    }
    if (speed_mps > 100) {
        tp_ticket_fail(tp_device_defer(device), TP_E_RANGE, "much too fast");
        return TP_PENDING;
    }
    return speed_mps > 10 ? tp_fail(err, TP_E_RANGE, "too fast") : TP_OK;
}

static void asked(void)
{
    atomic_store(&gate.halts_at_answer, atomic_load(&motor.halts));
}

/* ---- Clients --------------------------------------------------------------------------------- */

static void begin(struct stage *s, const tp_driver *driver)
{
    stage_begin(s, driver);
    memset(&gate, 0, sizeof gate);
    motor.consider = consider;
    motor.asked = asked;
    assert_int_equal(stage_enter(s, 0, "anna"), TP_OK);
    assert_int_equal(stage_enter(s, 1, "berta"), TP_OK);
}

static tp_status send(struct stage *s, unsigned who, double speed, unsigned valid_ms, tp_error *err)
{
    const tp_position2d_cmd_vel vel = {.vel = {.px = speed}, .state = 1};

    return visit_send(s->sessions[who], s->device, TP_KIND_COMMAND, TP_POSITION2D_CMD_VEL, &vel,
                      valid_ms, err);
}

/* Turn until what was handed over has been done. */
static void settle(struct stage *s)
{
    tp_msg *answer = NULL;

    assert_int_equal(bench_request(&s->b, s->device, TP_POSITION2D_REQ_GET_GEOM, NULL, &answer),
                     TP_OK);
    tp_msg_unref(answer);
}

static void drive_at(struct stage *s, unsigned who, double speed)
{
    const int before = atomic_load(&motor.commands);

    assert_int_equal(send(s, who, speed, 0, NULL), TP_OK);
    settle(s);
    assert_int_equal(atomic_load(&motor.commands), before + 1);
}

static void pass(struct stage *s, double seconds)
{
    bench_move_clock(&s->b, seconds);
    tp_loop_turn(s->b.loop, false);
    settle(s);
}

static void wait_for_halt(struct stage *s, int halts)
{
    while (atomic_load(&motor.halts) < halts) {
        tp_loop_turn(s->b.loop, false);
    }
    assert_int_equal(atomic_load(&motor.speed), 0);
}

/* ---- A motor that repeats its velocity ------------------------------------------------------- */

static const char pulse_script[] = "/tmp/troupe-pulse.script";

/* A driver with a line: each poll writes the velocity again, if there is one. */
static struct {
    tp_port *port; /* owned */
    atomic_bool moves;
    atomic_int written;
    atomic_int refused;
    atomic_int halts; /* that were written */
} pulse;

static tp_status pulse_move(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    (void)device;
    (void)err;
    atomic_store(&pulse.moves, ask->vel.px != 0);
    return TP_OK;
}

static tp_status pulse_poll(tp_instance *self, tp_error *err)
{
    (void)self;
    if (!atomic_load(&pulse.moves)) {
        return TP_OK;
    }
    while (atomic_load(&gate.shut)) {
        atomic_store(&gate.waits, true);
        tpi_wait(NULL, 0, tp_clock_now_ns(tp_clock_real()) + TP_NS_PER_MS);
    }
    const tp_status status = tp_port_write(pulse.port, "V", 1, err);
    atomic_fetch_add(status == TP_OK ? &pulse.written : &pulse.refused, 1);
    return status == TP_E_DENIED ? TP_OK : status;
}

static void pulse_halt(tp_device *device, tp_halt how)
{
    (void)device;
    (void)how;
    atomic_store(&pulse.moves, false);
    atomic_fetch_add(&pulse.halts, tp_port_write(pulse.port, "S", 1, NULL) == TP_OK);
}

static tp_status pulse_init(tp_instance *self, tp_error *err)
{
    static const tp_position2d_ops ops = {.cmd_vel = pulse_move};

    return tp_offer_position2d(self, NULL, &ops, NULL, err);
}

static tp_status pulse_start(tp_instance *self, tp_error *err)
{
    char url[80];

    (void)snprintf(url, sizeof url, "script:%s", pulse_script);
    tp_instance_set_period(self, TP_NS_PER_S / 100);
    return tp_port_open(&pulse.port, self, url, NULL, TP_NEVER, err);
}

static void pulse_stop(tp_instance *self)
{
    (void)self;
    tp_port_close(pulse.port);
}

static const tp_driver_ops pulse_ops = {.init = pulse_init,
                                        .start = pulse_start,
                                        .poll = pulse_poll,
                                        .halt = pulse_halt,
                                        .stop = pulse_stop};

static const tp_driver pulse_driver = {
    .abi = TP_DRIVER_ABI, .name = "pulse", .summary = "repeats its velocity", .ops = &pulse_ops};

/* ---- Leases ---------------------------------------------------------------------------------- */

/* A freeze in the middle of a poll: the driver has not looked at the lease since. */
static void a_poll_that_was_frozen_writes_nothing_old(void **state)
{
    struct stage s;

    (void)state;
    memset(&pulse, 0, sizeof pulse);
    assert_int_equal(tpi_file_write(pulse_script, "silence\n", 8, NULL), TP_OK);
    begin(&s, &pulse_driver);
    assert_int_equal(send(&s, 0, 1, 0, NULL), TP_OK);
    while (!atomic_load(&pulse.moves)) {
        tp_loop_turn(s.b.loop, false);
    }
    bench_move_clock(&s.b, 0.1);
    while (atomic_load(&pulse.written) == 0) {
        tp_loop_turn(s.b.loop, false);
    }
    atomic_store(&gate.shut, true);
    bench_move_clock(&s.b, 0.1);
    while (!atomic_load(&gate.waits)) {
        tp_loop_turn(s.b.loop, false);
    }
    const int written = atomic_load(&pulse.written);
    bench_move_clock(&s.b, 6);
    atomic_store(&gate.shut, false);
    while (atomic_load(&pulse.halts) == 0) {
        tp_loop_turn(s.b.loop, false);
    }
    assert_int_equal(atomic_load(&pulse.written), written);
    assert_int_equal(atomic_load(&pulse.refused), 1);
    stage_end(&s);
    (void)remove(pulse_script);
}

static void stops_when_nothing_is_heard(const tp_driver *driver)
{
    struct stage s;

    begin(&s, driver);
    drive_at(&s, 0, 1);
    pass(&s, 4.9); /* a plain client has 5 s */
    assert_int_equal(atomic_load(&motor.halts), 0);
    assert_int_equal(atomic_load(&motor.speed), 1000);
    bench_move_clock(&s.b, 0.2);
    wait_for_halt(&s, 1);
    assert_int_equal(atomic_load(&motor.reason), TP_HALT_SILENT);
    pass(&s, 100);
    assert_int_equal(atomic_load(&motor.halts), 1); /* once */
    stage_end(&s);
}
ON_BOTH(stops_when_nothing_is_heard)

static void goes_on_while_anything_is_heard(const tp_driver *driver)
{
    struct stage s;

    begin(&s, driver);
    drive_at(&s, 0, 1);
    for (int i = 0; i < 20; i++) {
        pass(&s, 3);
        tp_session_heard(s.sessions[0]);
    }
    assert_int_equal(atomic_load(&motor.halts), 0);
    tp_session_heard(s.sessions[1]); /* somebody else's word */
    pass(&s, 4);
    tp_session_heard(s.sessions[1]);
    bench_move_clock(&s.b, 1.1);
    wait_for_halt(&s, 1);
    stage_end(&s);
}
ON_BOTH(goes_on_while_anything_is_heard)

static void stops_at_once_when_its_mover_is_gone(const tp_driver *driver)
{
    struct stage s;

    begin(&s, driver);
    drive_at(&s, 0, 1);
    tp_session_destroy(s.sessions[0]);
    s.sessions[0] = NULL;
    wait_for_halt(&s, 1); /* without the clock having moved */
    assert_int_equal(atomic_load(&motor.reason), TP_HALT_LEFT);
    stage_end(&s);
}
ON_BOTH(stops_at_once_when_its_mover_is_gone)

static void the_last_mover_counts(const tp_driver *driver)
{
    struct stage s;

    begin(&s, driver);
    drive_at(&s, 0, 1);
    drive_at(&s, 1, 0.5);
    tp_session_destroy(s.sessions[0]);
    s.sessions[0] = NULL;
    pass(&s, 1);
    assert_int_equal(atomic_load(&motor.halts), 0);
    assert_int_equal(atomic_load(&motor.speed), 500);
    bench_move_clock(&s.b, 4.1);
    wait_for_halt(&s, 1);
    stage_end(&s);
}
ON_BOTH(the_last_mover_counts)

static void clients_that_speak_leases_have_a_second(const tp_driver *driver)
{
    struct stage s;

    begin(&s, driver);
    tp_session_speak_leases(s.sessions[0], true);
    drive_at(&s, 0, 1);
    pass(&s, 0.9);
    assert_int_equal(atomic_load(&motor.halts), 0);
    bench_move_clock(&s.b, 0.2);
    wait_for_halt(&s, 1);
    stage_end(&s);
}
ON_BOTH(clients_that_speak_leases_have_a_second)

/* Also if it asks while the device moves, which waits for the end of the longer one. */
static void a_shorter_lease_counts_at_once(void **state)
{
    const tp_lease ask = {.asks = TP_LEASE_DURATION, .duration = 0.3};
    struct stage s;

    (void)state;
    begin(&s, &motor_on_loop);
    drive_at(&s, 0, 1);
    assert_int_equal(
        visit_send(s.sessions[0], s.device, TP_KIND_REQUEST, TP_COMMON_REQ_LEASE, &ask, 0, NULL),
        TP_OK);
    bench_move_clock(&s.b, 0.3);
    tp_loop_turn(s.b.loop, false);
    assert_int_equal(atomic_load(&motor.halts), 1);
    stage_end(&s);
}

static void a_command_can_carry_its_own_validity(const tp_driver *driver)
{
    struct stage s;

    begin(&s, driver);
    tp_session_speak_leases(s.sessions[0], true);
    assert_int_equal(send(&s, 0, 1, 100, NULL), TP_OK);
    settle(&s);
    assert_int_equal(atomic_load(&motor.speed), 1000);
    tp_session_heard(s.sessions[0]); /* nothing but another move renews it */
    bench_move_clock(&s.b, 0.11);
    wait_for_halt(&s, 1);
    stage_end(&s);
}
ON_BOTH(a_command_can_carry_its_own_validity)

/* However long that is, the client has to be heard. */
static void its_validity_does_not_outlive_its_lease(const tp_driver *driver)
{
    struct stage s;

    begin(&s, driver);
    tp_session_speak_leases(s.sessions[0], true);
    assert_int_equal(send(&s, 0, 1, 3000, NULL), TP_OK);
    for (unsigned i = 0; i < 3; i++) {
        tp_session_heard(s.sessions[0]);
        pass(&s, 0.9);
        assert_int_equal(atomic_load(&motor.speed), 1000);
    }
    tp_session_heard(s.sessions[0]);
    bench_move_clock(&s.b, 0.4); /* 3.1 s since the command */
    wait_for_halt(&s, 1);
    assert_int_equal(send(&s, 0, 1, 3000, NULL), TP_OK);
    settle(&s);
    bench_move_clock(&s.b, 1.1); /* of silence */
    wait_for_halt(&s, 2);
    stage_end(&s);
}
ON_BOTH(its_validity_does_not_outlive_its_lease)

/* Else one who is gone would move it, on the lease of one who never did. */
static void what_another_has_moved_stops_when_a_command_is_refused(const tp_driver *driver)
{
    struct stage s;

    begin(&s, driver);
    drive_at(&s, 0, 1);
    assert_int_equal(send(&s, 0, 99, 0, NULL), TP_OK);
    settle(&s);
    assert_int_equal(atomic_load(&motor.halts), 0); /* his own motion goes on */
    assert_int_equal(atomic_load(&motor.speed), 1000);
    assert_int_equal(send(&s, 1, 99, 0, NULL), TP_OK);
    settle(&s);
    assert_int_equal(atomic_load(&motor.halts), 1);
    assert_int_equal(atomic_load(&motor.speed), 0);
    assert_int_equal(send(&s, 0, 99, 0, NULL), TP_OK);
    settle(&s);
    assert_int_equal(atomic_load(&motor.halts), 1); /* nothing was moving */
    drive_at(&s, 0, 1);
    assert_int_equal(send(&s, 1, 199, 0, NULL), TP_OK); /* refused by its ticket */
    settle(&s);
    assert_int_equal(atomic_load(&motor.halts), 2);
    stage_end(&s);
}
ON_BOTH(what_another_has_moved_stops_when_a_command_is_refused)

static void wait_until_stuck(void)
{
    while (!atomic_load(&gate.waits)) {
        tpi_wait(NULL, 0, tp_clock_now_ns(tp_clock_real()) + TP_NS_PER_MS);
    }
}

/* The worker is inside a command that does not come to its end. */
static void stick(struct stage *s, unsigned who)
{
    atomic_store(&gate.shut, true);
    assert_int_equal(send(s, who, 1, 0, NULL), TP_OK);
    wait_until_stuck();
}

static void a_command_that_finds_no_room_takes_no_lease(void **state)
{
    struct stage s;
    tp_error err = {0};

    (void)state;
    begin(&s, &motor_threaded);
    stick(&s, 0);
    while (send(&s, 0, 1, 0, &err) == TP_OK) {
    }
    assert_int_equal(err.code, TP_E_LIMIT);
    assert_int_equal(send(&s, 1, 1, 0, &err), TP_OK); /* there is room for others */
    assert_int_equal(s.device->safety.mover.id, s.sessions[1]->identity.number);
    assert_int_equal(send(&s, 0, 1, 0, &err), TP_E_LIMIT);
    assert_int_equal(s.device->safety.mover.id, s.sessions[1]->identity.number);
    atomic_store(&gate.shut, false);
    while (atomic_load(&s.device->instance->jobs.waiting) > 0) {
        tp_loop_turn(s.b.loop, true);
    }
    stage_end(&s);
}

/* The worker finds the end of the lease by itself: from the command on the loop does not turn. */
static void a_stalled_loop_keeps_nothing_moving(void **state)
{
    struct stage s;

    (void)state;
    begin(&s, &motor_threaded);
    drive_at(&s, 0, 1);
    /* The bench's clock wakes workers through the loop; a bell, such as that of any message, is
     * what wakes them without it. */
    bench_move_clock(&s.b, 5.1);
    tpi_bell_ring(&s.device->instance->worker.bell);
    while (atomic_load(&motor.halts) == 0) {
        tpi_wait(NULL, 0, tp_clock_now_ns(tp_clock_real()) + TP_NS_PER_MS);
    }
    assert_int_equal(atomic_load(&motor.speed), 0);
    stage_end(&s);
}

/* A command that waited longer than its lease must not move anything. */
static void a_command_that_comes_too_late_moves_nothing(void **state)
{
    struct stage s;

    (void)state;
    begin(&s, &motor_threaded);
    tpi_lease_extend(&s.device->safety.lease, 1); /* as if its time had passed in the inbox */
    const tp_message *what =
        tp_interface_message(&tp_interface_position2d, TP_KIND_COMMAND, TP_POSITION2D_CMD_VEL);
    const tp_position2d_cmd_vel vel = {.vel = {.px = 1}, .state = 1};
    const tp_msghdr header = {.addr = *tp_device_addr(s.device),
                              .type = TP_MSGTYPE_CMD,
                              .subtype = TP_POSITION2D_CMD_VEL};
    tp_msg *msg = NULL;
    assert_int_equal(tp_msg_create(&msg, &header, &tp_desc_position2d_cmd_vel, &vel), TP_OK);
    tpi_call *call = NULL;
    assert_int_equal(tpi_call_create(&call, s.device, what, msg, false, NULL, NULL, NULL), TP_OK);
    tpi_call_post(call);
    settle(&s);
    assert_int_equal(atomic_load(&motor.commands), 0);
    assert_int_equal(atomic_load(&motor.speed), 0);
    tp_msg_unref(msg);
    stage_end(&s);
}

/* ---- Panic ----------------------------------------------------------------------------------- */

static void a_panic_stops_everything_until_it_is_reset(const tp_driver *driver)
{
    struct stage s;
    tp_error err = {0};
    tp_panic_state *panic = NULL;

    begin(&s, driver);
    tpi_hub_set_panic_action(s.b.hub, TP_HALT_HOLD);
    drive_at(&s, 0, 1);
    tp_session_panic(s.sessions[1], "smoke");
    wait_for_halt(&s, 1);
    assert_int_equal(atomic_load(&motor.how), TP_HALT_HOLD);
    assert_int_equal(atomic_load(&motor.reason), TP_HALT_PANIC);
    assert_int_equal(send(&s, 0, 1, 0, &err), TP_E_PANIC);
    assert_string_equal(err.text, "nothing moves: panic, raised by berta: smoke");
    settle(&s);
    assert_int_equal(atomic_load(&motor.speed), 0);

    assert_int_equal(tp_hub_panic(s.b.hub, &panic), TP_OK);
    assert_int_equal(tp_session_reset_panic(s.sessions[0], panic->epoch, "", &err), TP_E_DENIED);
    assert_string_equal(err.text, "only the client that raised it, or a client on the server's own "
                                  "machine with the right to move, "
                                  "ends a panic: there is no operator's key");
    assert_int_equal(tp_session_reset_panic(s.sessions[1], panic->epoch, "sesame", &err),
                     TP_E_UNSUPPORTED);
    assert_string_equal(err.text, "the server has no keys: a panic is ended without one, by the "
                                  "client that raised it or on the server's own machine");
    assert_int_equal(tp_session_reset_panic(s.sessions[1], panic->epoch - 2, "", &err),
                     TP_E_INVALID);
    assert_int_equal(tp_session_reset_panic(s.sessions[1], panic->epoch, "", &err), TP_OK);
    free(panic);
    settle(&s);
    assert_int_equal(atomic_load(&motor.speed), 0); /* nothing that waited plays now */
    drive_at(&s, 0, 0.5);
    assert_int_equal(atomic_load(&motor.speed), 500);
    stage_end(&s);
}
ON_BOTH(a_panic_stops_everything_until_it_is_reset)

/* A robot that stands on two legs must not brake as one on wheels does. */
static void a_driver_may_have_its_own_way_to_stop(const tp_driver *driver)
{
    struct stage s;

    begin(&s, driver);
    tpi_hub_set_panic_action(s.b.hub, TP_HALT_HOLD);
    s.device->instance->safety.own_way = true;
    s.device->instance->safety.way = TP_HALT_FINISH;
    drive_at(&s, 0, 1);
    tp_session_panic(s.sessions[1], "smoke");
    wait_for_halt(&s, 1);
    assert_int_equal(atomic_load(&motor.how), TP_HALT_FINISH);
    stage_end(&s);
}
ON_BOTH(a_driver_may_have_its_own_way_to_stop)

static void raise_and_reset(struct stage *s)
{
    tpi_panic *panic = tpi_panic_of(s->b.hub);

    tpi_panic_raise(panic, "somebody", "test");
    assert_true(tpi_panic_reset(panic, tpi_panic_epoch(panic)));
}

/* It was over before anybody who moves things has seen it. */
static void a_short_panic_stops_everything_too(void **state)
{
    struct stage s;

    (void)state;
    begin(&s, &motor_on_loop);
    drive_at(&s, 0, 1);
    raise_and_reset(&s);
    wait_for_halt(&s, 1);
    drive_at(&s, 0, 1);
    assert_int_equal(atomic_load(&motor.halts), 1); /* its end stops nothing again */
    stage_end(&s);

    begin(&s, &motor_threaded);
    stick(&s, 0);
    raise_and_reset(&s);
    atomic_store(&gate.shut, false);
    wait_for_halt(&s, 1);
    drive_at(&s, 0, 1);
    assert_int_equal(atomic_load(&motor.halts), 1);
    stage_end(&s);
}

static void what_was_commanded_before_a_panic_moves_nothing_after_it(void **state)
{
    struct stage s;

    (void)state;
    begin(&s, &motor_threaded);
    stick(&s, 0);
    assert_int_equal(send(&s, 0, 0.5, 0, NULL), TP_OK);
    raise_and_reset(&s);
    atomic_store(&gate.shut, false);
    settle(&s);
    assert_int_equal(atomic_load(&motor.commands), 1); /* the one that was under way */
    assert_int_equal(atomic_load(&motor.speed), 0);
    stage_end(&s);
}

static bool owes(const struct stage *s, const char *wanted)
{
    tp_panic_state *panic = NULL;

    assert_int_equal(tp_hub_panic(s->b.hub, &panic), TP_OK);
    const bool same = strcmp(panic->owing, wanted) == 0;
    free(panic);
    return same;
}

/* A driver that hangs stops nothing, and nobody shall believe that it has. */
static void who_has_not_stopped_yet_is_named(void **state)
{
    struct stage s;

    (void)state;
    begin(&s, &motor_threaded);
    stick(&s, 0);
    tpi_panic_raise(tpi_panic_of(s.b.hub), "somebody", "test");
    assert_true(owes(&s, tp_instance_name(s.device->instance)));
    atomic_store(&gate.shut, false);
    wait_for_halt(&s, 1);
    while (!owes(&s, "")) {
        tp_loop_turn(s.b.loop, false);
    }
    stage_end(&s);
}

static void ask_for_geometry(struct stage *s)
{
    const tp_message *what =
        tp_interface_message(&tp_interface_position2d, TP_KIND_REQUEST, TP_POSITION2D_REQ_GET_GEOM);
    const tp_msghdr header = {.addr = *tp_device_addr(s->device),
                              .type = TP_MSGTYPE_REQ,
                              .subtype = TP_POSITION2D_REQ_GET_GEOM};
    tp_msg *msg = NULL;

    atomic_store(&gate.halts_at_answer, -1);
    assert_int_equal(tp_msg_create(&msg, &header, NULL, NULL), TP_OK);
    assert_int_equal(tpi_device_call(s->device, what, msg, NULL, NULL, NULL), TP_OK);
    tp_msg_unref(msg);
}

/* However much waits for the worker, a panic comes before it. */
static void a_panic_comes_before_what_waits(void **state)
{
    struct stage s;

    (void)state;
    begin(&s, &motor_threaded);
    stick(&s, 0);
    assert_int_equal(send(&s, 0, 0.5, 0, NULL), TP_OK); /* these two are taken at once, */
    ask_for_geometry(&s);                               /* when the first has come to its end */
    atomic_store(&gate.waits, false);
    atomic_store(&gate.pass, true);
    wait_until_stuck();
    tpi_panic_raise(tpi_panic_of(s.b.hub), "somebody", "test");
    atomic_store(&gate.shut, false);
    while (atomic_load(&gate.halts_at_answer) < 0) {
        tp_loop_turn(s.b.loop, false);
    }
    assert_int_equal(atomic_load(&gate.halts_at_answer), 1);
    stage_end(&s);
}

static void the_operators_key_ends_any_panic(void **state)
{
    const tpi_key operator= {.name = "operator", .secret = "open sesame", TP_RIGHT_OPERATE};
    tpi_access with_operator = {.keys = &operator, .key_count = 1, .guests = {TP_RIGHT_MOVE}};
    struct stage s;

    (void)state;
    begin(&s, &motor_threaded);
    tp_session_set_local(s.sessions[0], true);
    tpi_panic_raise(tpi_panic_of(s.b.hub), "signal", "test");
    assert_int_equal(tpi_hub_set_access(s.b.hub, &with_operator), TP_OK);
    const unsigned epoch = tpi_panic_epoch(tpi_panic_of(s.b.hub));
    assert_int_equal(tp_session_reset_panic(s.sessions[0], epoch, "", NULL), TP_E_DENIED);
    assert_int_equal(tp_session_reset_panic(s.sessions[1], epoch, "open", NULL), TP_E_DENIED);
    assert_int_equal(tp_session_reset_panic(s.sessions[0], epoch, "open sesame", NULL), TP_OK);
    tpi_panic_raise(tpi_panic_of(s.b.hub), "signal", "test");
    with_operator.key_count = 0;
    assert_int_equal(tpi_hub_set_access(s.b.hub, &with_operator),
                     TP_OK); /* then whoever is on this machine */
    assert_int_equal(tp_session_reset_panic(s.sessions[1], epoch + 2, "", NULL), TP_E_DENIED);
    assert_int_equal(tp_session_reset_panic(s.sessions[0], epoch + 2, "", NULL), TP_OK);
    stage_end(&s);
}

static void anybody_may_have_it_halted(void **state)
{
    struct stage s;
    tp_msg *answer = NULL;

    (void)state;
    begin(&s, &motor_threaded);
    drive_at(&s, 0, 1);
    assert_int_equal(bench_request(&s.b, s.device, TP_COMMON_REQ_HALT, NULL, &answer), TP_OK);
    tp_msg_unref(answer);
    assert_int_equal(atomic_load(&motor.speed), 0);
    assert_int_equal(atomic_load(&motor.how), TP_HALT_BRAKE);
    assert_int_equal(atomic_load(&motor.reason), TP_HALT_ASKED);
    stage_end(&s);
}

/* ---- Access ---------------------------------------------------------------------------------- */

static tp_status open_as(struct stage *s, unsigned who, unsigned access)
{
    return visit_open(&s->visit, s->sessions[who], s->device, access);
}

static void who_opens_to_read_does_not_write(void **state)
{
    struct stage s;
    tp_error err = {0};

    (void)state;
    begin(&s, &motor_threaded);
    assert_int_equal(tp_session_close(s.sessions[0], s.device), TP_OK);
    assert_int_equal(open_as(&s, 0, TP_READ_MODE), TP_OK);
    assert_int_equal(send(&s, 0, 1, 0, &err), TP_E_DENIED);
    assert_string_equal(err.text, "position2d:0 is open for reading only");
    assert_int_equal(open_as(&s, 0, TP_WRITE_MODE), TP_OK); /* a second opening adds to it */
    assert_int_equal(send(&s, 0, 1, 0, &err), TP_OK);
    stage_end(&s);
}

static void one_client_can_keep_the_others_from_writing(void **state)
{
    struct stage s;
    tp_error err = {0};

    (void)state;
    begin(&s, &motor_threaded);
    assert_int_equal(open_as(&s, 0, TP_EXCLUSIVE_MODE), TP_OK);
    assert_int_equal(send(&s, 1, 1, 0, &err), TP_E_DENIED);
    assert_string_equal(err.text, "position2d:0 is held by anna");
    assert_int_equal(open_as(&s, 1, TP_EXCLUSIVE_MODE), TP_E_DENIED);
    assert_string_equal(s.visit.refusal.text, "position2d:0 is held by anna");
    assert_int_equal(open_as(&s, 1, TP_WRITE_MODE), TP_E_DENIED);
    assert_int_equal(open_as(&s, 1, TP_ALL_MODE), TP_E_DENIED);
    assert_int_equal(open_as(&s, 1, TP_READ_MODE), TP_OK);
    assert_int_equal(open_as(&s, 1, TP_OPEN_MODE), TP_OK); /* Player's mode is also for reading */
    assert_int_equal(open_as(&s, 0, TP_ALL_MODE), TP_OK);  /* the holder's own */
    assert_int_equal(send(&s, 0, 1, 0, &err), TP_OK);
    tp_session_destroy(s.sessions[0]);
    s.sessions[0] = NULL;
    assert_int_equal(send(&s, 1, 1, 0, &err), TP_OK); /* who is gone holds nothing */
    assert_int_equal(open_as(&s, 1, TP_EXCLUSIVE_MODE), TP_OK);
    stage_end(&s);
}

int main(void)
{
#define BOTH(name) cmocka_unit_test(name##_on_a_thread), cmocka_unit_test(name##_on_the_loop)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_poll_that_was_frozen_writes_nothing_old),
        BOTH(stops_when_nothing_is_heard),
        BOTH(goes_on_while_anything_is_heard),
        BOTH(stops_at_once_when_its_mover_is_gone),
        BOTH(the_last_mover_counts),
        BOTH(clients_that_speak_leases_have_a_second),
        cmocka_unit_test(a_shorter_lease_counts_at_once),
        BOTH(a_command_can_carry_its_own_validity),
        BOTH(its_validity_does_not_outlive_its_lease),
        BOTH(what_another_has_moved_stops_when_a_command_is_refused),
        cmocka_unit_test(a_command_that_finds_no_room_takes_no_lease),
        cmocka_unit_test(a_stalled_loop_keeps_nothing_moving),
        cmocka_unit_test(a_command_that_comes_too_late_moves_nothing),
        BOTH(a_panic_stops_everything_until_it_is_reset),
        BOTH(a_driver_may_have_its_own_way_to_stop),
        cmocka_unit_test(a_short_panic_stops_everything_too),
        cmocka_unit_test(who_has_not_stopped_yet_is_named),
        cmocka_unit_test(what_was_commanded_before_a_panic_moves_nothing_after_it),
        cmocka_unit_test(a_panic_comes_before_what_waits),
        cmocka_unit_test(the_operators_key_ends_any_panic),
        cmocka_unit_test(anybody_may_have_it_halted),
        cmocka_unit_test(who_opens_to_read_does_not_write),
        cmocka_unit_test(one_client_can_keep_the_others_from_writing),
    };
#undef BOTH

    return cmocka_run_group_tests(tests, NULL, NULL);
}
