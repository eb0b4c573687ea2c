/*
 * grant_test.c - who gets a grant for a device, and what ends it: other writers, its owner, the
 * device.
 *
 * The clock is the test's. The end of a lease and panics: grant_stop_test.c. What is carried out
 * while a grant lasts: timed_test.c.
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

/* ---- Other writers --------------------------------------------------------------------------- */

static void a_higher_rank_takes_the_device(const timetable_cast *cast)
{
    timetable t;

    timetable_begin_moving(&t, cast, 0);
    assert_int_equal(visit_drive(timetable_client(&t, JOYSTICK), t.device, 7, NULL), TP_OK);
    timetable_assert_log(&t, "10:7 ");
    assert_int_equal(atomic_load(&motor.halts), 0);
    timetable_assert_over(&t, TP_E_DENIED, "position2d:0: taken by joystick at 10.0.0.7:5123");
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

    timetable_begin_moving(&t, cast, 0);
    assert_int_equal(visit_send(timetable_client(&t, OTHER), t.device, TP_KIND_REQUEST,
                                TP_COMMON_REQ_HALT, NULL, 0, NULL),
                     TP_OK);
    timetable_settle(&t);
    assert_int_equal(atomic_load(&motor.halts), 1);
    timetable_assert_over(&t, TP_E_DENIED, "position2d:0: HALT was asked for");
    timetable_end(&t);
}
WITH_ALL_CASTS(anyone_may_stop_it)

static void exclusive_access_shuts_it_out(const timetable_cast *cast)
{
    timetable t;

    timetable_begin_moving(&t, cast, 0);
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

    timetable_begin_moving(&t, cast, 0);
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

    timetable_begin_moving(&t, cast, 800);
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

    timetable_begin_moving(&t, cast, 0);
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

    timetable_begin_moving(&t, cast, 0);
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

    timetable_begin_moving(&t, cast, 0);
    timetable_remove(&t, t.target);
    timetable_end(&t);
    assert_string_equal(t.log, "");
    assert_int_equal(memory_live(), before);
}
WITH_ALL_CASTS(a_device_that_is_removed_ends_it)

static void a_device_that_fails_ends_it(const timetable_cast *cast)
{
    const long before = memory_live();
    timetable t;

    timetable_begin_moving(&t, cast, 0);
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
    assert_int_equal(memory_live(), before);
}
WITH_ALL_CASTS(a_device_that_fails_ends_it)

/* The driver fails in the middle of a command, which ends the grant when the command is over. */
static void a_grant_outlasts_the_command_that_ends_it(void **state)
{
    static const timetable_cast cast = {&motor_threaded, &owner_threaded};
    timetable t;

    (void)state;
    timetable_begin_moving(&t, &cast, 0);
    atomic_store(&t.fatal, 3000);
    atomic_store(&t.shut, true);
    timetable_must_post(&t, 0, 10, 3);
    while (!atomic_load(&t.stuck)) {
        tp_loop_turn(t.b.loop, false);
    }
    for (int i = 0; i < 50; i++) { /* if it were told, it would be now */
        tp_loop_turn(t.b.loop, false);
        tpi_wait(NULL, 0, tp_clock_now_ns(tp_clock_real()) + TP_NS_PER_MS / 5);
    }
    assert_int_equal(atomic_load(&t.owners[0].end), TP_OK);
    atomic_store(&t.shut, false);
    assert_int_equal(timetable_await_end(&t, 0), TP_E_DEVICE);
    timetable_end(&t);
}

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
        cmocka_unit_test(a_grant_outlasts_the_command_that_ends_it),
        ALL_CASTS(the_end_of_the_hub_ends_all),
        ALL_CASTS(without_memory_there_is_no_grant),
    };

    return cmocka_run_group_tests_name("src/device/grant", tests, NULL, NULL);
}
