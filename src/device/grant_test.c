/*
 * grant_test.c - who gets a grant for a device, and what ends it: nothing is carried out
 * afterwards.
 *
 * The clock is the test's. What is carried out while a grant lasts: timed_test.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/timetable.h"
#include "device/inside.h"
#include "support/memory.h"
#include "support/unit.h"
#include "troupe/interfaces/position2d.h"

enum { JOYSTICK, OTHER };

/* Two commands: one that was carried out, and one that waits. */
static void begin_moving(timetable *t, const timetable_cast *cast, int lease_ms)
{
    timetable_begin(t, cast);
    assert_int_equal(timetable_ask(t, 0, 8, lease_ms), TP_OK);
    timetable_must_post(t, 0, 10, 1);
    timetable_must_post(t, 0, 500, 2);
    timetable_at(t, 10);
    timetable_assert_log(t, "10:1 ");
    assert_int_equal(atomic_load(&motor.speed), 1000);
}

/* Nothing more comes of it, now or when the command would have been due. */
static void assert_over(timetable *t, tp_status status, const char *why)
{
    assert_int_equal(timetable_await_end(t, 0), status);
    assert_string_equal(t->owners[0].why, why);
    assert_int_equal(timetable_post(t, 0, 600, 3), TP_E_CLOSED);
    assert_int_not_equal(timetable_renew(t, 0), TP_OK);
    timetable_settle(t);
    t->log[0] = '\0';
    timetable_at(t, 5000);
    timetable_assert_log(t, "");
    const tp_grant_counts counts = timetable_look(t, 0);
    assert_int_equal(counts.waiting, 0);
    assert_int_equal(counts.played, 1);
    assert_int_equal(counts.dropped_end + counts.dropped_panic, 1);
}

/* ---- The lease ------------------------------------------------------------------------------- */

static void the_end_of_the_lease_stops_the_device(const timetable_cast *cast)
{
    timetable t;

    begin_moving(&t, cast, 300);
    timetable_at(&t, 299);
    assert_int_equal(atomic_load(&motor.halts), 0);
    timetable_at(&t, 300);
    assert_int_equal(atomic_load(&motor.halts), 1);
    assert_int_equal(atomic_load(&motor.reason), TP_HALT_SILENT);
    assert_over(&t, TP_E_TIMEOUT, "position2d:0: the lease of 0.300 s has ended");
    assert_int_equal(atomic_load(&motor.halts), 1);
    assert_int_equal(timetable_look(&t, 0).dropped_end, 1);
    timetable_end(&t);
}
WITH_ALL_CASTS(the_end_of_the_lease_stops_the_device)

static void a_renewed_lease_goes_on(const timetable_cast *cast)
{
    timetable t;

    begin_moving(&t, cast, 300);
    for (int ms = 200; ms <= 600; ms += 200) {
        timetable_at(&t, ms);
        assert_int_equal(timetable_renew(&t, 0), TP_OK);
    }
    timetable_assert_log(&t, "600:2 ");
    assert_int_equal(atomic_load(&motor.halts), 0);
    timetable_at(&t, 900);
    assert_int_equal(timetable_await_end(&t, 0), TP_E_TIMEOUT);
    timetable_end(&t);
}
WITH_ALL_CASTS(a_renewed_lease_goes_on)

/* A word that comes too late revives nothing, even if the player has not looked yet. */
static void renew_late(timetable_owner *owner, void *argument)
{
    timetable *t = argument;

    atomic_fetch_add(&t->b.now_ns, 300 * TP_NS_PER_MS);
    atomic_store(&t->refused, (int)tp_grant_renew(owner->grant));
}

static void a_late_word_does_not_renew(const timetable_cast *cast)
{
    timetable t;

    begin_moving(&t, cast, 300);
    timetable_do(&t, 0, renew_late, &t);
    assert_int_equal(atomic_load(&t.refused), TP_E_TIMEOUT);
    assert_int_equal(timetable_await_end(&t, 0), TP_E_TIMEOUT);
    timetable_end(&t);
}
WITH_ALL_CASTS(a_late_word_does_not_renew)

static void look_at_lease(timetable_owner *owner, void *argument)
{
    *(int64_t *)argument = tp_grant_lease_ns(owner->grant);
}

static void the_configuration_limits_the_lease(const timetable_cast *cast)
{
    static const struct {
        int asked_ms;
        int64_t granted_ms;
    } cases[] = {{300, 200}, {0, 200}, {100, 100}};
    timetable t;
    int64_t lease_ns = 0;

    timetable_begin_with(&t, cast, 200 * TP_NS_PER_MS);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(timetable_ask(&t, 0, 1, cases[i].asked_ms), TP_OK);
        timetable_do(&t, 0, look_at_lease, &lease_ns);
        assert_int_equal(lease_ns, cases[i].granted_ms * TP_NS_PER_MS);
        timetable_finish(&t, 0);
    }
    timetable_end(&t);
}
WITH_ALL_CASTS(the_configuration_limits_the_lease)

/* The driver hangs in a command while the owner renews its lease: what was due long ago is old. */
static void what_is_late_beyond_the_lease_is_dropped(void **state)
{
    static const timetable_cast cast = {&motor_threaded, &owner_threaded};
    timetable t;

    (void)state;
    timetable_begin(&t, &cast);
    assert_int_equal(timetable_ask(&t, 0, 8, 1000), TP_OK);
    atomic_store(&t.shut, true);
    timetable_must_post(&t, 0, 0, 1);
    while (!atomic_load(&t.stuck)) {
        tp_loop_turn(t.b.loop, false);
    }
    timetable_must_post(&t, 0, 100, 2);
    timetable_must_post(&t, 0, 1000, 3);
    for (int ms = 900; ms <= 1800; ms += 900) {
        atomic_store(&t.b.now_ns, t.begun_ns + ms * TP_NS_PER_MS);
        assert_int_equal(timetable_renew(&t, 0), TP_OK);
    }
    atomic_store(&t.shut, false);
    timetable_assert_log(&t, "1800:1 1800:3 ");
    const tp_grant_counts counts = timetable_look(&t, 0);
    assert_int_equal(counts.dropped_late, 1);
    assert_int_equal(counts.last_late_ns, 800 * TP_NS_PER_MS);
    timetable_end(&t);
}

/* ---- Panic ----------------------------------------------------------------------------------- */

static void reset(const timetable *t)
{
    tpi_panic *panic = tpi_hub_panic(t->b.hub);

    assert_true(tpi_panic_reset(panic, tpi_panic_epoch(panic)));
}

static void a_panic_drops_everything_for_good(const timetable_cast *cast)
{
    timetable t;

    begin_moving(&t, cast, 0);
    tpi_panic_raise(tpi_hub_panic(t.b.hub), "test", "because");
    timetable_settle(&t);
    assert_int_equal(atomic_load(&motor.reason), TP_HALT_PANIC);
    assert_int_equal(timetable_ask(&t, 0, 1, 0), TP_E_PANIC);
    t.owners[0].grant = NULL; /* the first one is the driver's until it stops */
    reset(&t);
    timetable_at(&t, 5000);
    timetable_assert_log(&t, "");
    assert_int_equal(timetable_ask(&t, 0, 1, 0), TP_OK);
    timetable_must_post(&t, 0, 5100, 4);
    timetable_at(&t, 5100);
    timetable_assert_log(&t, "5100:4 ");
    timetable_end(&t);
}
WITH_ALL_CASTS(a_panic_drops_everything_for_good)

static void the_owner_is_told_of_a_panic(const timetable_cast *cast)
{
    timetable t;

    begin_moving(&t, cast, 0);
    tpi_panic_raise(tpi_hub_panic(t.b.hub), "test", "because");
    assert_int_equal(timetable_await_end(&t, 0), TP_E_PANIC);
    reset(&t);
    assert_over(&t, TP_E_PANIC, "position2d:0: nothing moves in a panic");
    assert_int_equal(timetable_look(&t, 0).dropped_panic, 1);
    timetable_end(&t);
}
WITH_ALL_CASTS(the_owner_is_told_of_a_panic)

/* The player is busy while a panic comes and goes; what waits is from before it. */
static void a_panic_that_is_over_drops_everything_too(void **state)
{
    static const timetable_cast cast = {&motor_threaded, &owner_threaded};
    timetable t;

    (void)state;
    timetable_begin(&t, &cast);
    assert_int_equal(timetable_ask(&t, 0, 8, 0), TP_OK);
    atomic_store(&t.shut, true);
    timetable_must_post(&t, 0, 0, 1);
    while (!atomic_load(&t.stuck)) {
        tp_loop_turn(t.b.loop, false);
    }
    timetable_must_post(&t, 0, 0, 2);
    timetable_must_post(&t, 0, 100, 3);
    tpi_panic_raise(tpi_hub_panic(t.b.hub), "test", "because");
    reset(&t);
    atomic_store(&t.shut, false);
    timetable_assert_log(&t, "0:1 ");
    timetable_at(&t, 1000);
    timetable_assert_log(&t, "");
    assert_int_equal(timetable_await_end(&t, 0), TP_E_PANIC);
    assert_int_equal(timetable_look(&t, 0).dropped_panic, 2);
    timetable_end(&t);
}

/* ---- Other writers --------------------------------------------------------------------------- */

static void a_higher_rank_takes_the_device(const timetable_cast *cast)
{
    timetable t;

    begin_moving(&t, cast, 0);
    assert_int_equal(visit_drive(timetable_client(&t, JOYSTICK), t.device, 7, NULL), TP_OK);
    timetable_assert_log(&t, "10:7 ");
    assert_int_equal(atomic_load(&motor.halts), 0);
    assert_over(&t, TP_E_DENIED, "position2d:0: taken by joystick at 10.0.0.7:5123");
    assert_int_equal(timetable_ask(&t, 0, 1, 0), TP_OK); /* the hold of the joystick is over */
    timetable_end(&t);
}
WITH_ALL_CASTS(a_higher_rank_takes_the_device)

static void a_lower_rank_is_refused_while_it_lasts(const timetable_cast *cast)
{
    timetable t;
    tp_error err = {0};

    timetable_begin(&t, cast);
    timetable_add_owner(&t, cast->owner);
    assert_int_equal(timetable_ask(&t, 1, 1, 0), TP_OK); /* rank -1 */
    assert_int_equal(timetable_ask(&t, 0, 8, 3000), TP_OK);
    assert_int_equal(timetable_await_end(&t, 1), TP_E_DENIED);
    assert_string_equal(t.owners[1].why, "position2d:0: taken by the driver owner0");
    timetable_must_post(&t, 0, 2500, 1);
    timetable_at(&t, 2000); /* beyond the hold of a single command */
    assert_int_equal(timetable_ask(&t, 1, 1, 0), TP_E_DENIED);
    assert_string_equal(
        t.owners[1].why,
        "position2d:0 is held by the driver owner0, rank 0 over -1, for another 1.0 s");
    timetable_at(&t, 2500);
    timetable_assert_log(&t, "2500:1 ");
    tp_session *other = timetable_client(&t, OTHER); /* an equal takes it */
    assert_int_equal(visit_drive(other, t.device, 3, &err), TP_OK);
    assert_int_equal(timetable_await_end(&t, 0), TP_E_DENIED);
    timetable_end(&t);
}
WITH_ALL_CASTS(a_lower_rank_is_refused_while_it_lasts)

static void what_another_has_moved_is_stopped(const timetable_cast *cast)
{
    timetable t;

    timetable_begin(&t, cast);
    assert_int_equal(visit_drive(timetable_client(&t, OTHER), t.device, 5, NULL), TP_OK);
    timetable_assert_log(&t, "0:5 ");
    assert_int_equal(timetable_ask(&t, 0, 1, 0), TP_OK);
    assert_int_equal(atomic_load(&motor.halts), 1);
    timetable_end(&t);
}
WITH_ALL_CASTS(what_another_has_moved_is_stopped)

static void anyone_may_stop_it(const timetable_cast *cast)
{
    timetable t;

    begin_moving(&t, cast, 0);
    assert_int_equal(visit_send(timetable_client(&t, OTHER), t.device, TP_KIND_REQUEST,
                                TP_COMMON_REQ_HALT, NULL, 0, NULL),
                     TP_OK);
    timetable_settle(&t);
    assert_int_equal(atomic_load(&motor.halts), 1);
    assert_over(&t, TP_E_DENIED, "position2d:0: HALT was asked for");
    timetable_end(&t);
}
WITH_ALL_CASTS(anyone_may_stop_it)

static void exclusive_access_shuts_it_out(const timetable_cast *cast)
{
    timetable t;

    begin_moving(&t, cast, 0);
    tp_session *other = timetable_client(&t, OTHER);
    assert_int_equal(visit_open(&t.visit, other, t.device, TP_EXCLUSIVE_MODE), TP_OK);
    assert_int_equal(timetable_await_end(&t, 0), TP_E_DENIED);
    assert_string_equal(t.owners[0].why, "position2d:0: taken by other at 10.0.0.7:5123");
    assert_int_equal(timetable_ask(&t, 0, 1, 0), TP_E_DENIED);
    assert_string_equal(t.owners[0].why, "position2d:0 is held by other at 10.0.0.7:5123");
    timetable_end(&t);
}
WITH_ALL_CASTS(exclusive_access_shuts_it_out)

static void a_link_has_one_grant(const timetable_cast *cast)
{
    timetable t;

    begin_moving(&t, cast, 0);
    tp_grant *first = t.owners[0].grant;
    assert_int_equal(timetable_ask(&t, 0, 1, 0), TP_E_EXISTS);
    assert_string_equal(t.owners[0].why, "the driver has a grant for position2d:0 already");
    t.owners[0].grant = first;
    timetable_finish(&t, 0);
    assert_int_equal(timetable_ask(&t, 0, 1, 0), TP_OK);
    timetable_end(&t);
}
WITH_ALL_CASTS(a_link_has_one_grant)

static void command(timetable_owner *owner, void *argument)
{
    const tp_position2d_cmd_vel vel = {.vel = {.px = 4}, .state = 1};

    *(tp_status *)argument = tp_link_command(owner->link, TP_POSITION2D_CMD_VEL, &vel);
}

/* The same driver is the same writer; and its lease counts for all that it moves. */
static void commands_of_the_owner_leave_it(const timetable_cast *cast)
{
    timetable t;
    tp_status status = TP_PENDING;

    begin_moving(&t, cast, 800);
    timetable_do(&t, 0, command, &status);
    assert_int_equal(status, TP_OK);
    timetable_assert_log(&t, "10:4 ");
    timetable_at(&t, 500);
    timetable_assert_log(&t, "500:2 ");
    timetable_do(&t, 0, command, &status);
    timetable_assert_log(&t, "500:4 ");
    timetable_at(&t, 800);
    assert_int_equal(atomic_load(&motor.halts), 1);
    timetable_end(&t);
}
WITH_ALL_CASTS(commands_of_the_owner_leave_it)

/* ---- The end of the owner or of the device --------------------------------------------------- */

static void its_end_stops_the_device(const timetable_cast *cast)
{
    timetable t;

    begin_moving(&t, cast, 0);
    timetable_finish(&t, 0);
    timetable_settle(&t);
    assert_int_equal(atomic_load(&motor.halts), 1);
    assert_int_equal(atomic_load(&motor.reason), TP_HALT_LEFT);
    timetable_at(&t, 5000);
    timetable_assert_log(&t, "");
    timetable_end(&t);
}
WITH_ALL_CASTS(its_end_stops_the_device)

static void an_owner_that_is_removed_moves_nothing(const timetable_cast *cast)
{
    const long before = memory_live();
    timetable t;

    begin_moving(&t, cast, 0);
    timetable_client(&t, OTHER); /* keeps the device running */
    timetable_remove(&t, t.owners[0].instance);
    timetable_settle(&t);
    assert_int_equal(atomic_load(&motor.speed), 0);
    timetable_at(&t, 5000);
    timetable_assert_log(&t, "");
    timetable_end(&t);
    assert_int_equal(memory_live(), before);
}
WITH_ALL_CASTS(an_owner_that_is_removed_moves_nothing)

static void a_device_that_is_removed_ends_it(const timetable_cast *cast)
{
    const long before = memory_live();
    timetable t;

    begin_moving(&t, cast, 0);
    timetable_remove(&t, t.target);
    timetable_end(&t);
    assert_string_equal(t.log, "");
    assert_int_equal(memory_live(), before);
}
WITH_ALL_CASTS(a_device_that_is_removed_ends_it)

static void a_device_that_fails_ends_it(const timetable_cast *cast)
{
    timetable t;

    begin_moving(&t, cast, 0);
    atomic_store(&t.fatal, 3000);
    timetable_must_post(&t, 0, 100, 3);
    atomic_store(&t.b.now_ns, t.begun_ns + 100 * TP_NS_PER_MS);
    assert_int_equal(timetable_await_end(&t, 0), TP_E_DEVICE);
    assert_string_equal(t.owners[0].why, "position2d:0 was stopped");
    const tp_grant_counts counts = timetable_look(&t, 0);
    assert_int_equal(counts.dropped_end, 1);
    assert_int_equal(counts.waiting, 0);
    assert_int_equal(timetable_ask(&t, 0, 1, 0), TP_E_DEVICE);
    timetable_end(&t);
}
WITH_ALL_CASTS(a_device_that_fails_ends_it)

static void the_end_of_the_hub_ends_all(const timetable_cast *cast)
{
    for (int turns = 0; turns < 8; turns++) {
        const long before = memory_live();
        timetable t;
        timetable_begin(&t, cast);
        if (turns % 2 == 0) {
            assert_int_equal(timetable_ask(&t, 0, 8, 0), TP_OK);
            timetable_must_post(&t, 0, 0, 1);
            timetable_finish(&t, 0);
        }
        assert_int_equal(timetable_ask_only(&t, 0, 8, 0), TP_OK);
        for (int i = 0; i < turns / 2; i++) {
            tp_loop_turn(t.b.loop, false);
        }
        timetable_end(&t);
        assert_int_not_equal(atomic_load(&t.owners[0].decision), TP_PENDING);
        assert_int_equal(memory_live(), before);
    }
}
WITH_ALL_CASTS(the_end_of_the_hub_ends_all)

/* ---- Memory ---------------------------------------------------------------------------------- */

static tp_status ask_and_play(void *context)
{
    timetable *t = context;
    tp_status status = timetable_ask_only(t, 0, 8, 0);

    if (status == TP_OK) {
        timetable_await_decision(t, 0);
        status = (tp_status)atomic_load(&t->owners[0].decision);
    }
    if (status == TP_OK) {
        timetable_must_post(t, 0, 0, 1);
        timetable_finish(t, 0);
    }
    return status;
}

/* Each allocation fails once: there is no grant then, and the next one works. */
static void without_memory_there_is_no_grant(const timetable_cast *cast)
{
    timetable t;
    tp_status status = TP_E_NOMEM;
    size_t n = 0;

    for (n = 1; status != TP_OK; n++) {
        timetable_begin(&t, cast);
        memory_fail_at(n);
        status = ask_and_play(&t);
        memory_fail_at(0);
        assert_true(status == TP_OK || status == TP_E_NOMEM);
        assert_int_equal(ask_and_play(&t), TP_OK);
        timetable_end(&t);
    }
    assert_in_range(n, 3, 20); /* the grant itself, and the player's part of it */
}
WITH_ALL_CASTS(without_memory_there_is_no_grant)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ALL_CASTS(the_end_of_the_lease_stops_the_device),
        ALL_CASTS(a_renewed_lease_goes_on),
        ALL_CASTS(a_late_word_does_not_renew),
        ALL_CASTS(the_configuration_limits_the_lease),
        cmocka_unit_test(what_is_late_beyond_the_lease_is_dropped),
        ALL_CASTS(a_panic_drops_everything_for_good),
        ALL_CASTS(the_owner_is_told_of_a_panic),
        cmocka_unit_test(a_panic_that_is_over_drops_everything_too),
        ALL_CASTS(a_higher_rank_takes_the_device),
        ALL_CASTS(a_lower_rank_is_refused_while_it_lasts),
        ALL_CASTS(what_another_has_moved_is_stopped),
        ALL_CASTS(anyone_may_stop_it),
        ALL_CASTS(exclusive_access_shuts_it_out),
        ALL_CASTS(a_link_has_one_grant),
        ALL_CASTS(commands_of_the_owner_leave_it),
        ALL_CASTS(its_end_stops_the_device),
        ALL_CASTS(an_owner_that_is_removed_moves_nothing),
        ALL_CASTS(a_device_that_is_removed_ends_it),
        ALL_CASTS(a_device_that_fails_ends_it),
        ALL_CASTS(the_end_of_the_hub_ends_all),
        ALL_CASTS(without_memory_there_is_no_grant),
    };

    return cmocka_run_group_tests_name("src/device/grant", tests, NULL, NULL);
}
