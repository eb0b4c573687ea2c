/* profile_test.c - profiles arrive, stay within limits, and are as short as these allow. */
#include "motion/profile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const tpi_motion_limits LIMITS = {-2, 2, 0.5, 1};
static const tpi_motion_limits ENDLESS = {-INFINITY, INFINITY, 0.5, 1};

static void near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9)) {
        fail_msg("%.12g is not %.12g", value, expected);
    }
}

static double random_of(uint64_t *seed, double low, double high)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(*seed >> 11) / 9007199254740992.0;
}

/* Walk the profile: position and speed are continuous, speed and acceleration within limits. */
static void check_walk(const tpi_motion_profile *p, tpi_motion_point from,
                       const tpi_motion_limits *l, double duration_s)
{
    const double v_max = fmax(l->velocity, fabs(from.velocity)) + 1e-9;
    const double step = duration_s / 400;
    tpi_motion_point before = from;

    near(tpi_motion_profile_at(p, 0).position, from.position);
    near(tpi_motion_profile_at(p, 0).velocity, from.velocity);
    for (int i = 1; i <= 400; i++) {
        const tpi_motion_point now = tpi_motion_profile_at(p, i * step);

        assert_true(fabs(now.velocity) <= v_max);
        assert_true(fabs(now.velocity - before.velocity) <= l->acceleration * step + 1e-9);
        assert_true(fabs(now.position - before.position) <= v_max * step + 1e-9);
        before = now;
    }
}

static void a_trapezoid_takes_the_time_of_the_textbook(void **state)
{
    tpi_motion_profile p;

    (void)state;
    tpi_motion_profile_trapezoid(&p, (tpi_motion_point){0, 0}, 1, &LIMITS);
    near(p.end_s, 1 / 0.5 + 0.5 / 1); /* d/v + v/a */
    near(tpi_motion_profile_at(&p, 0.5).velocity, 0.5);
    near(tpi_motion_profile_at(&p, 1.25).position, 0.5);
    tpi_motion_profile_trapezoid(&p, (tpi_motion_point){0, 0}, 0.16, &LIMITS);
    near(p.end_s, 2 * sqrt(0.16)); /* a triangle */
    tpi_motion_profile_trapezoid(&p, (tpi_motion_point){0.3, 0}, 0.3, &LIMITS);
    near(p.end_s, 0);
}

static void a_trapezoid_from_any_state_arrives_within_limits(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (int i = 0; i < 2000; i++) {
        const tpi_motion_point from = {random_of(&seed, -2, 2), random_of(&seed, -0.6, 0.6)};
        const double target = random_of(&seed, -2, 2);
        tpi_motion_profile p;

        tpi_motion_profile_trapezoid(&p, from, target, &LIMITS);
        check_walk(&p, from, &LIMITS, p.end_s);
        near(tpi_motion_profile_at(&p, p.end_s * (1 - 1e-12)).position, target);
        assert_true(tpi_motion_profile_at(&p, p.end_s).position == target);
        assert_true(p.end_s >= fabs(target - from.position) / 0.6);
    }
}

static void a_speed_too_high_to_stop_in_time_passes_and_returns(void **state)
{
    tpi_motion_profile p;

    (void)state;
    tpi_motion_profile_trapezoid(&p, (tpi_motion_point){0, 0.5}, 0.045, &LIMITS);
    near(tpi_motion_profile_at(&p, 0.5).position, 0.125); /* v0^2 / 2a, beyond the target */
    near(p.end_s, 0.5 + 2 * sqrt(0.08));
}

static void a_cubic_arrives_in_the_given_time(void **state)
{
    tpi_motion_profile p;

    (void)state;
    assert_true(tpi_motion_profile_cubic(&p, (tpi_motion_point){0, 0}, 1, 4, &LIMITS));
    near(p.end_s, 4);
    near(tpi_motion_profile_at(&p, 2).position, 0.5);
    near(tpi_motion_profile_at(&p, 2).velocity, 1.5 / 4);
    near(tpi_motion_profile_acceleration(&p, 0), 6.0 / 16);
    near(tpi_motion_profile_at(&p, 4).position, 1);
    near(tpi_motion_profile_at(&p, 9).velocity, 0);
    assert_true(tpi_motion_profile_cubic(&p, (tpi_motion_point){1, 0}, 1, 4, &LIMITS));
    near(p.end_s, 4);
}

static void a_cubic_is_stretched_to_the_shortest_that_limits_allow(void **state)
{
    tpi_motion_profile p;

    (void)state;
    assert_false(tpi_motion_profile_cubic(&p, (tpi_motion_point){0, 0}, 1, 0.1, &LIMITS));
    near(p.end_s, 3); /* 1.5 d / v */
    assert_false(tpi_motion_profile_cubic(&p, (tpi_motion_point){0, 0}, 0.01, 0.1, &LIMITS));
    near(p.end_s, sqrt(0.06)); /* sqrt(6 d / a) */
}

static void a_cubic_from_any_state_stays_within_limits(void **state)
{
    uint64_t seed = 7;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        const tpi_motion_point from = {random_of(&seed, -1.8, 1.8), random_of(&seed, -0.5, 0.5)};
        const double target = random_of(&seed, -2, 2), duration = random_of(&seed, 0.05, 9);
        tpi_motion_profile p;
        const bool kept = tpi_motion_profile_cubic(&p, from, target, duration, &LIMITS);

        check_walk(&p, from, &LIMITS, p.end_s);
        assert_true(tpi_motion_profile_at(&p, p.end_s).position == target);
        if (kept) {
            near(p.end_s, duration);
        }
        for (int k = 0; k <= 100; k++) {
            const double x = tpi_motion_profile_at(&p, p.end_s * k / 100).position;

            assert_true(fabs(x) <= 2 + 1e-9);
        }
    }
}

static void a_speed_is_reached_with_the_acceleration_and_lasts(void **state)
{
    tpi_motion_profile p;

    (void)state;
    tpi_motion_profile_speed(&p, (tpi_motion_point){0, -0.1}, 0.3, 0.8, &ENDLESS);
    assert_true(isinf(p.end_s));
    near(tpi_motion_profile_at(&p, 0.25).velocity, 0.1);
    near(tpi_motion_profile_at(&p, 0.5).velocity, 0.3);
    near(tpi_motion_profile_at(&p, 1000).velocity, 0.3);
    near(tpi_motion_profile_at(&p, 1.5).position, 0.05 + 0.3);
    tpi_motion_profile_speed(&p, (tpi_motion_point){1, 0.4}, 0, 0.8, &ENDLESS);
    near(p.end_s, 0.5);
    near(tpi_motion_profile_at(&p, 2).position, 1.1);
    near(tpi_motion_profile_at(&p, 2).velocity, 0);
}

static void a_speed_ends_at_the_position_limit(void **state)
{
    uint64_t seed = 3;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        const tpi_motion_point from = {random_of(&seed, -1.8, 1.8), random_of(&seed, -0.3, 0.3)};
        const double velocity = random_of(&seed, -0.5, 0.5);
        tpi_motion_profile p;

        tpi_motion_profile_speed(&p, from, velocity, 0.8, &LIMITS);
        check_walk(&p, from, &LIMITS, p.end_s);
        near(tpi_motion_profile_at(&p, p.end_s).position, velocity > 0 ? 2 : -2);
        for (int k = 0; k <= 100; k++) {
            assert_true(fabs(tpi_motion_profile_at(&p, p.end_s * k / 100).position) <= 2 + 1e-9);
        }
    }
}

static void a_speed_that_turns_round_before_a_limit_does_not_pass_it(void **state)
{
    const tpi_motion_point from = {1.95, sqrt(2 * 0.05)}; /* it can just stop before 2 */
    tpi_motion_profile p;

    (void)state;
    tpi_motion_profile_speed(&p, from, -0.4, 0.8, &LIMITS);
    for (int i = 0; i <= 100; i++) {
        assert_true(tpi_motion_profile_at(&p, i * 0.02).position <= 2 + 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trapezoid_takes_the_time_of_the_textbook),
        cmocka_unit_test(a_trapezoid_from_any_state_arrives_within_limits),
        cmocka_unit_test(a_speed_too_high_to_stop_in_time_passes_and_returns),
        cmocka_unit_test(a_cubic_arrives_in_the_given_time),
        cmocka_unit_test(a_cubic_is_stretched_to_the_shortest_that_limits_allow),
        cmocka_unit_test(a_cubic_from_any_state_stays_within_limits),
        cmocka_unit_test(a_speed_is_reached_with_the_acceleration_and_lasts),
        cmocka_unit_test(a_speed_ends_at_the_position_limit),
        cmocka_unit_test(a_speed_that_turns_round_before_a_limit_does_not_pass_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
