/*
 * grant_stop_test.c - the end of a lease and a panic end a grant: nothing is carried out
 * afterwards.
 *
 * The clock is the test's.
 */
#include <stdlib.h>

#include "conformance/timetable.h"
#include "support/unit.h"

/* ---- The lease ------------------------------------------------------------------------------- */

static void the_end_of_the_lease_stops_the_device(const timetable_cast *cast)
{
    timetable t;

    timetable_begin_moving(&t, cast, 300);
    timetable_at(&t, 299);
    assert_int_equal(atomic_load(&motor.halts), 0);
    timetable_at(&t, 300);
    assert_int_equal(atomic_load(&motor.halts), 1);
    assert_int_equal(atomic_load(&motor.reason), TP_HALT_SILENT);
    timetable_assert_over(&t, TP_E_TIMEOUT, "position2d:0: the lease of 0.300 s has ended");
    assert_int_equal(atomic_load(&motor.halts), 1);
    assert_int_equal(timetable_look(&t, 0).dropped_end, 1);
    timetable_end(&t);
}
WITH_ALL_CASTS(the_end_of_the_lease_stops_the_device)

static void a_renewed_lease_goes_on(const timetable_cast *cast)
{
    timetable t;

    timetable_begin_moving(&t, cast, 300);
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

    timetable_begin_moving(&t, cast, 300);
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
    tpi_panic *panic = tpi_panic_of(t->b.hub);

    assert_true(tpi_panic_reset(panic, tpi_panic_epoch(panic)));
}

static void a_panic_drops_everything_for_good(const timetable_cast *cast)
{
    timetable t;

    timetable_begin_moving(&t, cast, 0);
    tpi_panic_raise(tpi_panic_of(t.b.hub), "test", "because");
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

    timetable_begin_moving(&t, cast, 0);
    tpi_panic_raise(tpi_panic_of(t.b.hub), "test", "because");
    assert_int_equal(timetable_await_end(&t, 0), TP_E_PANIC);
    reset(&t);
    timetable_assert_over(&t, TP_E_PANIC, "position2d:0: nothing moves in a panic");
    assert_int_equal(timetable_look(&t, 0).dropped_panic, 1);
    timetable_end(&t);
}
WITH_ALL_CASTS(the_owner_is_told_of_a_panic)

/* Three commands that are due at the same time. The player hangs in the first one. */
static void begin_hanging(timetable *t)
{
    static const timetable_cast cast = {&motor_threaded, &owner_threaded};

    timetable_begin(t, &cast);
    assert_int_equal(timetable_ask(t, 0, 8, 1000), TP_OK);
    for (int i = 1; i <= 3; i++) {
        timetable_must_post(t, 0, 100, i);
    }
    timetable_settle(t);
    atomic_store(&t->shut, true);
    atomic_store(&t->b.now_ns, t->begun_ns + 100 * TP_NS_PER_MS);
    while (!atomic_load(&t->stuck)) {
        tp_loop_turn(t->b.loop, false);
    }
}

/* It goes on: the first one comes to its end, the other two are not carried out. */
static void assert_only_the_first_is_played(timetable *t, const char *expected)
{
    atomic_store(&t->shut, false);
    timetable_assert_log(t, expected);
    const tp_grant_counts counts = timetable_look(t, 0);
    assert_int_equal(counts.played, 1);
    assert_int_equal(counts.waiting, 0);
}

/* What waits is from before the panic, even if that is over when the player looks. */
static void a_panic_that_is_over_drops_everything_too(void **state)
{
    timetable t;

    (void)state;
    begin_hanging(&t);
    tpi_panic_raise(tpi_panic_of(t.b.hub), "test", "because");
    reset(&t);
    assert_only_the_first_is_played(&t, "100:1 ");
    assert_int_equal(timetable_await_end(&t, 0), TP_E_PANIC);
    assert_int_equal(timetable_look(&t, 0).dropped_panic, 2);
    timetable_end(&t);
}

static void each_command_looks_at_the_lease(void **state)
{
    timetable t;

    (void)state;
    begin_hanging(&t);
    atomic_store(&t.b.now_ns, t.begun_ns + 1000 * TP_NS_PER_MS);
    assert_only_the_first_is_played(&t, "1000:1 ");
    assert_int_equal(timetable_await_end(&t, 0), TP_E_TIMEOUT);
    assert_int_equal(timetable_look(&t, 0).dropped_end, 2);
    timetable_end(&t);
}

static void what_is_cancelled_in_the_last_moment_is_not_played(void **state)
{
    timetable t;

    (void)state;
    begin_hanging(&t);
    assert_int_equal(timetable_cancel(&t, 0, 100), 2);
    assert_only_the_first_is_played(&t, "100:1 ");
    timetable_end(&t);
}

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
        cmocka_unit_test(each_command_looks_at_the_lease),
        cmocka_unit_test(what_is_cancelled_in_the_last_moment_is_not_played),
    };

    return cmocka_run_group_tests_name("src/device/grant_stop", tests, NULL, NULL);
}
