/* pace_test.c - when steps are due, by a clock of the test's own. */
#include "pace.h"

#include "support/unit.h"
#include "troupe/clock.h"

static const int64_t ms = TP_NS_PER_MS;

static simd_pace begin(double speed)
{
    simd_pace pace = {.interval_ns = 100 * ms, .speed = speed};

    tpi_simd_pace_begin(&pace, 5 * TP_NS_PER_S);
    return pace;
}

/* What is due at a time since it began, all of which is made, one after the other. */
static int64_t make(simd_pace *pace, int64_t at_ns)
{
    int64_t count = 0;

    for (; tpi_simd_pace_due(pace, 5 * TP_NS_PER_S + at_ns) > 0; count++) {
        tpi_simd_pace_made(pace);
        if (pace->speed == 0) {
            return count + 1;
        }
    }
    return count;
}

static void steps_follow_real_time(void **state)
{
    simd_pace pace = begin(1);

    (void)state;
    assert_int_equal(make(&pace, 0), 0);
    assert_int_equal(make(&pace, 99 * ms), 0);
    assert_int_equal(make(&pace, 100 * ms), 1);
    assert_int_equal(make(&pace, 100 * ms), 0);
    assert_int_equal(make(&pace, 300 * ms), 2);
    assert_int_equal(make(&pace, 450 * ms), 1);
    assert_int_equal(tpi_simd_pace_period_ns(&pace), 100 * ms);
}

static void speed_is_a_factor_and_no_drift_adds_up(void **state)
{
    simd_pace pace = begin(3);
    int64_t made = 0;

    (void)state;
    for (int64_t at = 0; at <= 60000; at += 7) {
        made += make(&pace, at * ms);
    }
    assert_int_equal(made, 3 * 10 * 60 - 1); /* the last look was at 59.997 s */
    assert_false(pace.late);
}

/* Looks at the clock every 150 ms and makes nothing; what is due at the end. */
static int64_t fall_behind(simd_pace *pace, int64_t from_ms, int64_t to_ms)
{
    int64_t due = 0;

    for (int64_t at = from_ms; at <= to_ms; at += 150) {
        due = tpi_simd_pace_due(pace, 5 * TP_NS_PER_S + at * ms);
    }
    return due;
}

static void what_is_too_far_behind_is_let_go(void **state)
{
    simd_pace pace = begin(1);

    (void)state;
    assert_int_equal(fall_behind(&pace, 0, 1050), 10);
    assert_false(pace.late);
    assert_int_equal(fall_behind(&pace, 1050, 60000), 10); /* of 600 */
    assert_true(pace.late);
    assert_int_equal(make(&pace, 60000 * ms), 10);
    assert_int_equal(make(&pace, 60050 * ms), 0);
    assert_int_equal(make(&pace, 60100 * ms), 1);
    assert_true(pace.late);
    for (int64_t at = 60200; at < 71000; at += 100) {
        assert_int_equal(make(&pace, at * ms), 1);
    }
    assert_false(pace.late); /* it has kept up since */
}

static void long_steps_may_be_a_few_behind(void **state)
{
    simd_pace pace = begin(0.01); /* 10 s each */

    (void)state;
    assert_int_equal(fall_behind(&pace, 0, 40050), 4);
    assert_int_equal(fall_behind(&pace, 40050, 100000), 4);
    assert_true(pace.late);
}

/* Robots would move by commands whose leases ended in the meantime. */
static void a_freeze_is_not_made_up_for(void **state)
{
    simd_pace pace = begin(1);

    (void)state;
    assert_int_equal(make(&pace, 100 * ms), 1);
    assert_int_equal(make(&pace, 300 * ms), 2); /* the machine is busy */
    assert_int_equal(make(&pace, 501 * ms), 0);
    assert_int_equal(make(&pace, 600 * ms), 1);
    assert_int_equal(make(&pace, 3600 * ms), 0);
    assert_int_equal(make(&pace, 3700 * ms), 1);
    assert_false(pace.late); /* the world is not slow */
}

static void a_freeze_between_long_steps_is_not_made_up_for(void **state)
{
    simd_pace pace = begin(0.1); /* 1 s each */

    (void)state;
    assert_int_equal(make(&pace, 1900 * ms), 1);
    assert_int_equal(make(&pace, 3000 * ms), 2);
    assert_int_equal(make(&pace, 5001 * ms), 0);
    assert_int_equal(make(&pace, 6000 * ms), 1);
}

static void steps_that_take_long_are_made_one_after_the_other(void **state)
{
    simd_pace pace = begin(1);

    (void)state;
    assert_int_equal(tpi_simd_pace_due(&pace, 5 * TP_NS_PER_S + 100 * ms), 1);
    for (int64_t at = 400; at < 2000; at += 300) { /* the last one has ended */
        tpi_simd_pace_made(&pace);
        assert_int_equal(tpi_simd_pace_due(&pace, 5 * TP_NS_PER_S + at * ms), 1);
        assert_true(pace.late);
    }
}

static void a_world_that_is_looked_at_rarely_goes_on(void **state)
{
    simd_pace pace = begin(1);

    (void)state;
    assert_int_equal(make(&pace, 400 * ms), 0);
    assert_int_equal(make(&pace, 800 * ms), 1);
    assert_int_equal(make(&pace, 1200 * ms), 0);
    assert_int_equal(make(&pace, 1600 * ms), 1);
}

static void nothing_is_due_in_a_pause_and_nothing_is_made_up_for(void **state)
{
    simd_pace pace = begin(1);

    (void)state;
    assert_int_equal(make(&pace, 200 * ms), 2);
    tpi_simd_pace_set_paused(&pace, true, 5 * TP_NS_PER_S + 250 * ms);
    assert_int_equal(make(&pace, 900 * ms), 0);
    assert_int_equal(tpi_simd_pace_period_ns(&pace), 0);
    tpi_simd_pace_set_paused(&pace, false, 5 * TP_NS_PER_S + 900 * ms);
    assert_int_equal(make(&pace, 999 * ms), 0);
    assert_int_equal(make(&pace, 1000 * ms), 1);
}

static void as_fast_as_it_can_always_has_one_due(void **state)
{
    simd_pace pace = begin(0);

    (void)state;
    assert_int_equal(make(&pace, 0), 1);
    assert_int_equal(make(&pace, 0), 1);
    assert_int_equal(tpi_simd_pace_period_ns(&pace), 1);
    tpi_simd_pace_set_speed(&pace, 1000, 5 * TP_NS_PER_S);
    assert_int_equal(make(&pace, 1 * ms), 10);
    assert_int_equal(tpi_simd_pace_period_ns(&pace), 1 * ms); /* not every tenth of that */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_follow_real_time),
        cmocka_unit_test(speed_is_a_factor_and_no_drift_adds_up),
        cmocka_unit_test(what_is_too_far_behind_is_let_go),
        cmocka_unit_test(long_steps_may_be_a_few_behind),
        cmocka_unit_test(a_freeze_is_not_made_up_for),
        cmocka_unit_test(a_freeze_between_long_steps_is_not_made_up_for),
        cmocka_unit_test(steps_that_take_long_are_made_one_after_the_other),
        cmocka_unit_test(a_world_that_is_looked_at_rarely_goes_on),
        cmocka_unit_test(nothing_is_due_in_a_pause_and_nothing_is_made_up_for),
        cmocka_unit_test(as_fast_as_it_can_always_has_one_due),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
