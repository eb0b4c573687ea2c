/* clock_test.c - the machine's clock, and one that a test makes. */
#include "platform/clock.h"

#include <time.h>

#include "support/unit.h"
#include "troupe/clock.h"

static void the_real_clock_never_goes_back(void **state)
{
    const tp_clock *clock = tp_clock_real();
    int64_t before = tp_clock_now_ns(clock);

    (void)state;
    for (int i = 0; i < 10000; i++) {
        const int64_t now = tp_clock_now_ns(clock);
        assert_true(now >= before);
        before = now;
    }
}

static void the_real_clock_moves(void **state)
{
    const tp_clock *clock = tp_clock_real();
    const int64_t before = tp_clock_now_ns(clock);

    (void)state;
    while (tp_clock_now_ns(clock) == before) {
    }
}

static void now_is_the_monotonic_time_that_deadlines_of_the_kernel_use(void **state)
{
    struct timespec before;
    struct timespec after;

    (void)state;
    clock_gettime(CLOCK_BOOTTIME, &before);
    const int64_t now = tp_clock_now_ns(tp_clock_real());
    clock_gettime(CLOCK_BOOTTIME, &after);
    assert_true(now >= before.tv_sec * TP_NS_PER_S + before.tv_nsec);
    assert_true(now <= after.tv_sec * TP_NS_PER_S + after.tv_nsec);
}

static void the_time_of_other_event_loops_is_known(void **state)
{
    struct timespec before;
    struct timespec after;

    (void)state;
    clock_gettime(CLOCK_MONOTONIC, &before);
    const int64_t now = tpi_clock_monotonic_ns();
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert_true(now >= before.tv_sec * TP_NS_PER_S + before.tv_nsec);
    assert_true(now <= after.tv_sec * TP_NS_PER_S + after.tv_nsec);
}

static void wall_time_is_seconds_since_the_epoch(void **state)
{
    struct timespec before;
    struct timespec after;

    (void)state;
    clock_gettime(CLOCK_REALTIME, &before);
    const double wall = tp_clock_wall_s(tp_clock_real());
    clock_gettime(CLOCK_REALTIME, &after);
    assert_true(wall >= (double)before.tv_sec);
    assert_true(wall <= (double)after.tv_sec + 1);
}

static void there_is_one_real_clock(void **state)
{
    (void)state;
    assert_ptr_equal(tp_clock_real(), tp_clock_real());
}

static int64_t fixed_now(const tp_clock *clock)
{
    return *(const int64_t *)clock->context;
}

static double fixed_wall(const tp_clock *clock)
{
    return (double)*(const int64_t *)clock->context / (double)TP_NS_PER_S;
}

static void another_clock_says_what_it_likes(void **state)
{
    int64_t time_ns = 5 * TP_NS_PER_S;
    const tp_clock clock = {.now_ns = fixed_now, .wall_s = fixed_wall, .context = &time_ns};

    (void)state;
    assert_int_equal(tp_clock_now_ns(&clock), 5000000000);
    assert_true(tp_clock_wall_s(&clock) == 5.0);
    time_ns += 3 * TP_NS_PER_MS + 2 * TP_NS_PER_US;
    assert_int_equal(tp_clock_now_ns(&clock), 5003002000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_real_clock_never_goes_back),
        cmocka_unit_test(the_real_clock_moves),
        cmocka_unit_test(now_is_the_monotonic_time_that_deadlines_of_the_kernel_use),
        cmocka_unit_test(the_time_of_other_event_loops_is_known),
        cmocka_unit_test(wall_time_is_seconds_since_the_epoch),
        cmocka_unit_test(there_is_one_real_clock),
        cmocka_unit_test(another_clock_says_what_it_likes),
    };

    return cmocka_run_group_tests_name("platform/clock", tests, NULL, NULL);
}
