/* timeline_test.c - a time line: exact at rate 1, ramps within the grip, never past what is known.
 */
#include "motion/timeline.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const int64_t MS = 1000000, STEP = 10000000, NEVER = INT64_MAX;

/* A step has no jump, also not at its end, and what is written in it is never faster, then slower,
 * then faster. It comes to the rate at its end, unless the mean is beyond that. */
static void check_step(const tpi_motion_line *step)
{
    const int64_t part = (step->due_ns - step->at_ns) / 8;
    const double side = step->end.rate < step->rate ? -1 : 1;
    const int64_t left = step->end.tau_ns - tpi_motion_line_tau(step, step->due_ns - 1);

    for (int64_t at = step->at_ns; part > 0 && at + part < step->due_ns; at += part) {
        const int64_t way = tpi_motion_line_tau(step, at + part) - tpi_motion_line_tau(step, at);
        const double change =
            tpi_motion_line_rate(step, at + part) - tpi_motion_line_rate(step, at);

        assert_true(way >= 0 && way <= part + 1);
        assert_true(side * change >= 0);
    }
    const double last = side * (step->end.rate - step->mean) > 0 ? step->end.rate : step->mean;
    const double slope = 2 * fabs(last - step->mean) / (double)(step->due_ns - step->at_ns);

    assert_true(part == 0 ||
                fabs(tpi_motion_line_rate(step, step->due_ns - 1) - last) <= slope + 1e-12);
    assert_true(left >= 0 && left <= 2);
    assert_true(tpi_motion_line_rate(step, step->at_ns) == step->mean);
}

/* Follow the line to its next instant. Returns the change of the rate per second. */
static double follow(tpi_motion_line *line, int64_t until_ns)
{
    const tpi_motion_line before = *line;
    const int64_t at = line->due_ns < until_ns ? line->due_ns : until_ns;

    tpi_motion_line_reach(line, at);
    if (before.phase != TPI_MOTION_STEP) {
        return 0;
    }
    assert_int_equal(at, before.due_ns);
    const double dt = (double)(at - before.at_ns);
    assert_true(dt > 0 && dt <= (double)STEP + 1);
    /* The way of the step is its mean rate for its time, to the nanosecond. */
    assert_true(fabs(before.mean * dt - (double)(line->tau_ns - before.tau_ns)) < 1);
    assert_true(line->tau_ns >= before.tau_ns);
    check_step(&before);
    return fabs(line->rate - before.rate) / dt * 1e9;
}

static void at_rate_one_it_is_an_exact_shift(void **state)
{
    tpi_motion_line line = {0};

    (void)state;
    tpi_motion_line_start(&line, 1000000007, 13, 1);
    for (int64_t event = 100; event < 1000000; event += 12345) {
        tpi_motion_line_plan(&line, (tpi_motion_grip){.down = 3, .up = 3}, event, STEP);
        assert_int_equal(line.phase, TPI_MOTION_EXACT);
        assert_int_equal(line.due_ns, 1000000007 - 13 + event);
        tpi_motion_line_reach(&line, line.due_ns - 5);
        assert_int_equal(line.tau_ns, event - 5);
    }
    tpi_motion_line_plan(&line, (tpi_motion_grip){.down = 3, .up = 3}, NEVER, STEP);
    assert_int_equal(line.due_ns, NEVER);
}

static void a_hold_stops_as_fast_as_the_grip_allows_and_goes_on(void **state)
{
    const tpi_motion_grip grip = {3, 4};
    tpi_motion_line line = {0};

    (void)state;
    tpi_motion_line_start(&line, 0, 0, 1);
    line.goal = 0;
    for (tpi_motion_line_plan(&line, grip, NEVER, STEP); line.phase == TPI_MOTION_STEP;
         tpi_motion_line_plan(&line, grip, NEVER, STEP)) {
        assert_true(follow(&line, NEVER) <= 3.001);
    }
    assert_int_equal(line.phase, TPI_MOTION_STANDS);
    assert_true(fabs((double)line.at_ns - 1e9 / 3) < 100);
    assert_true(fabs((double)line.tau_ns - 1e9 / 6) < 100);
    assert_int_equal(line.stalls, 0);
    tpi_motion_line_reach(&line, 5000 * MS);
    line.goal = 1;
    for (tpi_motion_line_plan(&line, grip, NEVER, STEP); line.phase == TPI_MOTION_STEP;
         tpi_motion_line_plan(&line, grip, NEVER, STEP)) {
        assert_true(follow(&line, NEVER) <= 4.001);
    }
    assert_int_equal(line.phase, TPI_MOTION_EXACT);
    assert_true(line.rate == 1);
    assert_true(fabs((double)line.at_ns - 5.25e9) < 100);
}

static void steps_end_exactly_at_events(void **state)
{
    tpi_motion_line line = {0};
    int64_t event = 1;
    int seen = 0;

    (void)state;
    tpi_motion_line_start(&line, 0, 0, 1);
    for (int i = 0; i < 3000; i++) {
        line.goal = (i / 50) % 3 * 0.4;
        tpi_motion_line_plan(&line, (tpi_motion_grip){5, 5}, event, STEP);
        follow(&line, line.at_ns + STEP);
        assert_true(line.tau_ns <= event);
        if (line.tau_ns == event) {
            event += 3333333 + i;
            seen++;
        }
    }
    assert_true(seen > 100);
}

static void it_stands_at_the_last_known_frame_and_never_passes_it(void **state)
{
    const tpi_motion_grip grip = {3, 3};
    tpi_motion_line line = {0};
    uint32_t seed = 3;
    double steepest = 0;

    (void)state;
    tpi_motion_line_start(&line, 0, 0, 1);
    line.bounded = true;
    line.known_ns = 2000 * MS;
    for (int i = 0; i < 20000; i++) {
        seed = seed * 1664525 + 1013904223;
        if ((seed >> 16) % 40 == 0) {
            line.known_ns += (seed >> 8) % 700 * MS;
        }
        tpi_motion_line_plan(&line, grip, line.known_ns, STEP);
        steepest = fmax(steepest, follow(&line, line.at_ns + STEP));
        assert_true(line.tau_ns <= line.known_ns);
    }
    assert_true(steepest <= 3.2);
    assert_int_equal(line.excesses, 0);
    assert_true(line.stalls > 10);
    for (int i = 0; i < 300; i++) {
        tpi_motion_line_plan(&line, grip, line.known_ns, STEP);
        follow(&line, line.at_ns + STEP);
    }
    assert_int_equal(line.tau_ns, line.known_ns);
    assert_int_equal(line.phase, TPI_MOTION_STANDS);
}

static void a_stop_that_the_grip_does_not_allow_is_made_and_counted(void **state)
{
    tpi_motion_line line = {0};

    (void)state;
    tpi_motion_line_start(&line, 0, 0, 1);
    line.bounded = true;
    line.known_ns = 50 * MS; /* 1/6 s would be needed */
    for (int i = 0; i < 100; i++) {
        tpi_motion_line_plan(&line, (tpi_motion_grip){.down = 3, .up = 3}, line.known_ns, STEP);
        follow(&line, line.at_ns + STEP);
        assert_true(line.tau_ns <= line.known_ns);
    }
    assert_int_equal(line.tau_ns, 50 * MS);
    assert_true(line.excesses > 0);
}

/* The last step makes all the way that is left, which is more than a linear change of the rate
 * makes, or a part of it up to an event, which is less. */
static void a_stop_at_the_last_known_frame_has_no_jump(void **state)
{
    const tpi_motion_grip grip = {50, 50};
    int stops = 0, parts = 0;

    (void)state;
    for (int64_t left = 100000; left < 3000000; left += 100000) {
        for (double rate = 0; rate <= 0.5; rate += 0.05) {
            tpi_motion_line line = {.rate = rate, .goal = 1, .bounded = true, .known_ns = left};
            const bool cut = left % 300000 == 0;

            tpi_motion_line_plan(&line, grip, cut ? left / 3 : left, STEP);
            check_step(&line);
            stops += line.end.tau_ns == left && line.end.rate == 0;
            parts += line.end.tau_ns == left / 3;
        }
    }
    assert_true(stops > 20 && parts > 20);
}

static void a_step_of_nanoseconds_does_not_change_the_speed(void **state)
{
    tpi_motion_line line = {.rate = 0.9, .goal = 0.9, .tau_ns = 1000, .at_ns = 2000};

    (void)state;
    tpi_motion_line_plan(&line, (tpi_motion_grip){.down = 3, .up = 3}, 1001, STEP);
    assert_true(line.due_ns <= 2002);
    assert_true(fabs(line.mean - 0.9) < 1e-6);
}

static void slowing_a_motion_that_uses_the_acceleration_is_counted(void **state)
{
    const tpi_motion_grip grip = {.down = 3, .up = 3, .down_exceeds = true};
    tpi_motion_line line = {.rate = 1, .goal = 0};

    (void)state;
    tpi_motion_line_plan(&line, grip, NEVER, STEP);
    assert_int_equal(line.excesses, 1);
    tpi_motion_line_reach(&line, line.due_ns);
    line.goal = 1;
    tpi_motion_line_plan(&line, grip, NEVER, STEP);
    assert_int_equal(line.excesses, 1);
}

static void an_adaptive_line_runs_at_the_rate_of_its_buffer(void **state)
{
    const tpi_motion_grip grip = {3, 3};
    tpi_motion_line line = {0};

    (void)state;
    tpi_motion_line_start(&line, 0, 0, 1);
    line.bounded = true;
    line.target_ns = 1000 * MS;
    line.known_ns = 1500 * MS;
    for (int i = 1; i < 3000; i++) {
        tpi_motion_line_plan(&line, grip, NEVER, STEP);
        assert_int_equal(line.phase == TPI_MOTION_EXACT, line.tau_ns < line.known_ns - 1000 * MS);
        follow(&line, line.at_ns + STEP);
        line.known_ns = 1500 * MS + line.at_ns / 2; /* half as fast as time */
    }
    assert_true(fabs(line.rate - 0.5) < 0.01);
    assert_true(fabs((double)(line.known_ns - line.tau_ns) - 0.5e9) < 2e7);
    assert_int_equal(line.stalls, 0);
    line.bounded = false; /* the end is known */
    for (int i = 1; i < 100; i++) {
        tpi_motion_line_plan(&line, grip, NEVER, STEP);
        follow(&line, line.at_ns + STEP);
    }
    assert_int_equal(line.phase, TPI_MOTION_EXACT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_rate_one_it_is_an_exact_shift),
        cmocka_unit_test(a_hold_stops_as_fast_as_the_grip_allows_and_goes_on),
        cmocka_unit_test(steps_end_exactly_at_events),
        cmocka_unit_test(it_stands_at_the_last_known_frame_and_never_passes_it),
        cmocka_unit_test(a_stop_that_the_grip_does_not_allow_is_made_and_counted),
        cmocka_unit_test(a_stop_at_the_last_known_frame_has_no_jump),
        cmocka_unit_test(a_step_of_nanoseconds_does_not_change_the_speed),
        cmocka_unit_test(slowing_a_motion_that_uses_the_acceleration_is_counted),
        cmocka_unit_test(an_adaptive_line_runs_at_the_rate_of_its_buffer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
