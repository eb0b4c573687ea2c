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

/* What is due at a time since it began, all of which is made. */
static int64_t make(simd_pace *pace, int64_t at_ns)
{
    const int64_t due = tpi_simd_pace_due(pace, 5 * TP_NS_PER_S + at_ns);

    for (int64_t i = 0; i < due; i++) {
        tpi_simd_pace_made(pace);
    }
    return due;
}

static void steps_follow_real_time(void **state)
{
    simd_pace pace = begin(1);

    (void)state;
    assert_int_equal(make(&pace, 0), 0);
    assert_int_equal(make(&pace, 99 * ms), 0);
    assert_int_equal(make(&pace, 100 * ms), 1);
    assert_int_equal(make(&pace, 100 * ms), 0);
    assert_int_equal(make(&pace, 450 * ms), 3);
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

static void what_is_too_far_behind_is_let_go(void **state)
{
    simd_pace pace = begin(1);

    (void)state;
    assert_int_equal(make(&pace, 1000 * ms), 10);
    assert_false(pace.late);
    assert_int_equal(make(&pace, 60000 * ms), 10); /* of 590 */
    assert_true(pace.late);
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
    assert_int_equal(make(&pace, 40000 * ms), 4);
    assert_int_equal(make(&pace, 1000000 * ms), 4);
    assert_true(pace.late);
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
        cmocka_unit_test(nothing_is_due_in_a_pause_and_nothing_is_made_up_for),
        cmocka_unit_test(as_fast_as_it_can_always_has_one_due),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
