/* pace_test.c - how long work that others bring may take. */
#include "loop/pace.h"

#include "support/unit.h"
#include "troupe/clock.h"

static const int64_t ms = TP_NS_PER_MS;

/* One turn of work that took so long; how long it has to rest. */
static int64_t work(tpi_pace *pace, int64_t now_ns, int64_t took_ns)
{
    tpi_pace_begin(pace, now_ns);
    return tpi_pace_end(pace, now_ns + took_ns);
}

static void a_turn_has_half_a_millisecond(void **state)
{
    tpi_pace pace = {0};

    (void)state;
    tpi_pace_begin(&pace, 1000 * ms);
    assert_true(tpi_pace_has_time(&pace, 1000 * ms + ms / 2 - 1));
    assert_false(tpi_pace_has_time(&pace, 1000 * ms + ms / 2));
    tpi_pace_begin(&pace, 1001 * ms);
    assert_true(tpi_pace_has_time(&pace, 1001 * ms));
}

static void after_a_quiet_time_a_fifth_of_a_second_needs_no_rest(void **state)
{
    tpi_pace pace = {0};
    int64_t now_ns = 5000 * ms;

    (void)state;
    while (work(&pace, now_ns, ms / 2) == 0) {
        now_ns += ms / 2;
    }
    assert_int_equal(now_ns / ms, 5200);
}

static void in_the_long_run_it_is_a_third_of_the_time(void **state)
{
    tpi_pace pace = {0};
    int64_t now_ns = 5000 * ms;
    int64_t worked_ns = 0;

    (void)state;
    while (now_ns < 65000 * ms) {
        const int64_t rest_ns = work(&pace, now_ns, ms / 2);

        worked_ns += ms / 2;
        now_ns += ms / 2 + rest_ns;
    }
    assert_in_range(worked_ns / ms, 20000, 20400);
}

static void work_that_needs_less_than_its_share_never_rests(void **state)
{
    tpi_pace pace = {0};

    (void)state;
    for (int64_t i = 0; i < 10000; i++) {
        assert_int_equal(work(&pace, 5000 * ms + i * ms, ms / 4), 0);
    }
}

/* The system may have given the processor to others meanwhile. */
static void a_turn_that_took_very_long_counts_as_its_slice(void **state)
{
    tpi_pace pace = {0};

    (void)state;
    for (int64_t i = 0; i < 10000; i++) {
        assert_int_equal(work(&pace, 5000 * ms + i * 10 * ms, 9 * ms), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turn_has_half_a_millisecond),
        cmocka_unit_test(after_a_quiet_time_a_fifth_of_a_second_needs_no_rest),
        cmocka_unit_test(in_the_long_run_it_is_a_third_of_the_time),
        cmocka_unit_test(work_that_needs_less_than_its_share_never_rests),
        cmocka_unit_test(a_turn_that_took_very_long_counts_as_its_slice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
