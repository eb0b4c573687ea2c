/* axis_test.c - steps of speeds: commands that come within a period of each other. */
#include "motion/engine_test.h"

/* No two writes differ by more than the acceleration allows for the time between them and the
 * period of the later one. */
static void within_acceleration(const struct bench *b, uint16_t output, uint16_t slot, double limit)
{
    const double period_s = 0.01;

    for (size_t i = 0; i < b->count; i++) {
        const struct bench_write *from = &b->writes[i];

        for (size_t j = i + 1; j < b->count && from->write.output == output; j++) {
            const struct bench_write *to = &b->writes[j];
            const double time_s = (double)(to->due_ns - from->due_ns) * 1e-9;
            const double change = fabs(to->speeds[slot] - from->speeds[slot]);

            if (time_s > 0.2) {
                break;
            }
            if (to->write.output == output && change > 1.001 * limit * (time_s + period_s)) {
                fail_msg("from %g to %g in %g ms", from->speeds[slot], to->speeds[slot],
                         1000 * time_s);
            }
        }
    }
}

/* The step of a period has been written when the next command comes. */
static void a_speed_that_comes_again_within_a_period_steps_no_further(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    for (uint32_t i = 1; i <= 50; i++) {
        bench_speed(b, c, i, 0.8, 0, 2);
        bench_wait(b, c, 1);
    }
    within_acceleration(b, 0, 0, 1);
    within_acceleration(b, 0, 2, 4);
    assert_true(bench_last(b, 0)->values[0] > 0.038); /* it accelerates all the time, at 4/5 */
    bench_wait(b, c, 1500);
    assert_true(bench_last(b, 0)->values[0] == 0.8 && bench_last(b, 0)->values[2] == 2);
}

/* A brake waits for nothing: what went up can go down at once. */
static void a_stop_within_the_period_of_a_step_begins_at_once(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_speed(b, c, 1, 0.8, 0, 0);
    bench_wait(b, c, 500);
    bench_wait(b, c, 1);
    const double before = bench_last(b, 0)->values[0];
    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_STOP, 2, &(tpi_motion_empty){0});
    bench_wait(b, c, 1);
    assert_true(bench_last(b, 0)->values[0] < before - 0.0079); /* a whole step, 4/5 of 0.01 */
    within_acceleration(b, 0, 0, 1);
    bench_wait(b, c, 1500);
    assert_true(bench_last(b, 0)->values[0] == 0);
}

static void speeds_stops_and_brakes_at_any_time_keep_the_acceleration(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    uint32_t random = 1;

    for (uint32_t i = 1; i <= 400; i++) {
        random = random * 1664525 + 1013904223;
        const double speed = (double)(int)(random >> 24) / 128 - 1;

        if (i % 7 == 0) {
            bench_session(b, c, TPI_MOTION_CANCEL, &(tpi_motion_tag){0});
        } else if (i % 5 == 0) {
            bench_send(b, c, BENCH_DIRECT, TPI_MOTION_STOP, i, &(tpi_motion_empty){0});
        } else {
            bench_speed(b, c, i, speed, 0, 3 * speed);
        }
        bench_wait(b, c, (random >> 8) % 4 == 0 ? 60 : (random >> 12) % 9);
        bench_drain(b, c);
    }
    within_acceleration(b, 0, 0, 1);
    within_acceleration(b, 0, 2, 4);
    assert_int_equal(tpi_motion_engine_excesses(b->engine), 0);
}

/* Commands at whole periods find the step of the last one over: nothing is later than it was. */
static void a_speed_that_comes_again_after_a_period_goes_on_as_one(void **state)
{
    struct bench *b = *state;
    struct bench *once = bench_new(NULL);
    const uint32_t c = bench_join(b, "a", 0), d = bench_join(once, "a", 0);

    for (uint32_t i = 0; i < 30; i++) {
        const tpi_motion_header at = {.mode = TPI_MOTION_DELAY,
                                      .time_us =
                                          (uint64_t)(BENCH_START / 1000 + 50000 + i * 10000)};

        bench_send(b, c, at, TPI_MOTION_SETSPEED, i + 1, &(tpi_motion_setspeed){0.8, 0, 0});
        if (i == 0) {
            bench_send(once, d, at, TPI_MOTION_SETSPEED, 1, &(tpi_motion_setspeed){0.8, 0, 0});
        }
    }
    bench_wait(b, c, 300);
    bench_wait(once, d, 300);
    assert_int_equal(b->count, once->count);
    for (size_t i = 0; i < b->count; i++) {
        assert_int_equal(b->writes[i].due_ns, once->writes[i].due_ns);
        assert_true(fabs(b->writes[i].values[0] - once->writes[i].values[0]) < 1e-12);
    }
    bench_free(once);
}

/* A dof of positions slows down all the time, which is no step that a speed would wait for: it
 * stops before its limit whenever speeds come, one or two of them. */
static void a_dof_that_slows_down_before_its_limit_keeps_it(void **state)
{
    (void)state;
    for (uint32_t at_ms = 1500; at_ms < 2300; at_ms += 7) {
        struct bench *b = bench_new(NULL);
        const uint32_t c = bench_join(b, "a", 0);

        bench_set(b, c, 1, 1, 1.4995);
        bench_wait(b, c, at_ms);
        bench_send(b, c, BENCH_DIRECT, TPI_MOTION_SPEED, 2, &(tpi_motion_drive){1, 0, -0.9});
        bench_send(b, c, BENCH_DIRECT, TPI_MOTION_SPEED, 3, &(tpi_motion_drive){1, 0, -0.005});
        bench_wait(b, c, at_ms % 2 == 0 ? 90 : 500);
        bench_set(b, c, 4, 1, 1.2); /* from where it is: positions are written again */
        bench_wait(b, c, 1500);
        for (size_t i = 0; i < b->count; i++) {
            const struct bench_write *w = &b->writes[i];

            if (w->servo[0] == TPI_MOTION_SERVO_POSITION && w->values[0] > 1.5 + 1e-9) {
                fail_msg("at %.9f after a speed at %u ms", w->values[0], at_ms);
            }
        }
        bench_free(b);
    }
}

/* Where the head is after a client with a quarter of the rate has taken it over with a speed, while
 * it moved towards its limit; written as positions again. */
static double highest_after_slow_client(uint32_t at_ms, double speed)
{
    struct bench *b = bench_new(NULL);
    const uint32_t fast = bench_join(b, "fast", 0), slow = bench_join(b, "slow", 1);
    double highest = 0;

    bench_rate(b, slow, 0.25);
    bench_send(b, fast, BENCH_DIRECT, TPI_MOTION_SPEED, 1, &(tpi_motion_drive){1, 0, 0.9});
    bench_wait(b, fast, at_ms);
    bench_send(b, slow, BENCH_DIRECT, TPI_MOTION_SPEED, 2, &(tpi_motion_drive){1, 0, speed});
    bench_wait(b, slow, 500);
    bench_set(b, slow, 3, 1, 1.2);
    bench_wait(b, slow, 3000);
    for (size_t i = 0; i < b->count; i++) {
        if (b->writes[i].write.output == 1 && b->writes[i].servo[0] == TPI_MOTION_SERVO_POSITION) {
            highest = fmax(highest, b->writes[i].values[0]);
        }
    }
    bench_free(b);
    return highest;
}

/* The slow client cannot have the whole speed: that is a step down. The new motion does not wait
 * until the period of this step is over if the dof would not stop before its limit then. */
static void a_speed_that_is_lost_near_a_limit_delays_no_brake(void **state)
{
    (void)state;
    for (uint32_t at_ms = 1700; at_ms < 2100; at_ms += 13) {
        assert_true(highest_after_slow_client(at_ms, 0.01) <= 1.5 + 1e-9);
    }
}

/* Both dofs of the head move, each for a client of its own, and the first client holds. The second
 * one starts so much later than the first: so much before the end of a step of the rate the head is
 * written. */
static struct bench *hold_one_of_two(int64_t after_us, int64_t hold_ms, uint32_t clients[2])
{
    struct bench *b = bench_new(NULL);
    tpi_motion_header at = {.mode = TPI_MOTION_DELAY,
                            .time_us = (uint64_t)(BENCH_START / 1000 + 50000)};

    clients[0] = bench_join(b, "first", 0);
    clients[1] = bench_join(b, "second", 1);
    bench_send(b, clients[0], at, TPI_MOTION_SET, 1, &(tpi_motion_set){1, 0, -1.2, 0});
    at.time_us += (uint64_t)after_us;
    bench_send(b, clients[1], at, TPI_MOTION_SET, 2, &(tpi_motion_set){1, 1, 1.2, 0});
    bench_wait(b, clients[0], 40 + hold_ms);
    bench_rate(b, clients[0], 0);
    return b;
}

static void ends_within_acceleration(struct bench *b, uint32_t client)
{
    bench_wait(b, client, 1000);
    within_acceleration(b, 1, 0, 2);
    within_acceleration(b, 1, 1, 2);
    assert_int_equal(tpi_motion_engine_excesses(b->engine), 0);
    bench_free(b);
}

/* Within a step of the rate the speed of a set-point is that of the instant: the dof gets faster in
 * its own time, and with the mean rate of the step it would have to lose all of that at its end. */
static void a_set_point_that_is_written_within_a_step_of_the_rate_has_its_speed(void **state)
{
    (void)state;
    for (int64_t after_us = 0; after_us < 10000; after_us += 330) {
        for (int64_t hold_ms = 15; hold_ms < 60; hold_ms += 10) {
            uint32_t clients[2];
            struct bench *b = hold_one_of_two(after_us, hold_ms, clients);

            ends_within_acceleration(b, clients[1]);
        }
    }
}

/* A speed that takes the dof over there goes on from that speed. */
static void a_speed_that_begins_within_a_step_of_the_rate_keeps_the_acceleration(void **state)
{
    (void)state;
    for (int64_t later_us = 5300; later_us < 40000; later_us += 470) {
        for (int64_t hold_ms = 15; hold_ms < 60; hold_ms += 10) {
            const double speed = later_us % 20 == 0 ? 0.9 : -0.9;
            uint32_t clients[2];
            struct bench *b = hold_one_of_two(later_us % 10000, hold_ms, clients);

            bench_run(b, b->now_ns + later_us * 1000);
            bench_send(b, clients[1], BENCH_DIRECT, TPI_MOTION_SPEED, 3,
                       &(tpi_motion_drive){1, 0, speed});
            ends_within_acceleration(b, clients[1]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_CASE(a_speed_that_comes_again_within_a_period_steps_no_further),
        BENCH_CASE(a_stop_within_the_period_of_a_step_begins_at_once),
        BENCH_CASE(speeds_stops_and_brakes_at_any_time_keep_the_acceleration),
        BENCH_CASE(a_speed_that_comes_again_after_a_period_goes_on_as_one),
        BENCH_CASE(a_dof_that_slows_down_before_its_limit_keeps_it),
        BENCH_CASE(a_speed_that_is_lost_near_a_limit_delays_no_brake),
        BENCH_CASE(a_set_point_that_is_written_within_a_step_of_the_rate_has_its_speed),
        BENCH_CASE(a_speed_that_begins_within_a_step_of_the_rate_keeps_the_acceleration),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
