/* scaling_test.c - conversions both ways, rounding and uncertainty. */
#include "convert/scaling.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
/* after the four headers that it needs */
#include <cmocka.h>

/* The light sensor of the thesis, Appendix C.2. */
static const double light_points[] = {0, 100, 200, 100, 900, 0, 1023, 0};
static const tpi_scaling light = {.function = TPI_SCALING_PIECEWISE,
                                  .numbers = light_points,
                                  .count = 8,
                                  .low = 0,
                                  .high = 1023,
                                  .raw_step = 1,
                                  .min = 0,
                                  .max = 100,
                                  .resolution = 1,
                                  .uncertainty = 0.143};

/* The percent of a raw number in whole numbers: rounded half away from zero. */
static int light_percent(int raw)
{
    const int inside = raw < 200 ? 200 : raw > 900 ? 900 : raw;

    return ((900 - inside) * 2 + 7) / 14;
}

static void converts_all_inputs_of_the_light_sensor(void **state)
{
    (void)state;
    for (int raw = 0; raw <= 1023; raw++) {
        assert_true(tpi_scaling_value(&light, raw) == light_percent(raw));
    }
    assert_true(tpi_scaling_value(&light, 200) == 100);
    assert_true(tpi_scaling_value(&light, 900) == 0);
}

static void inverts_the_light_sensor(void **state)
{
    (void)state;
    for (int raw = 200; raw <= 900; raw++) {
        assert_true(fabs(tpi_scaling_invert(&light, tpi_scaling_apply(&light, raw)) - raw) <= 1);
        assert_true(fabs(tpi_scaling_invert(&light, tpi_scaling_value(&light, raw)) - raw) <= 4);
    }
    assert_true(tpi_scaling_invert(&light, 100) == 200); /* flat parts: next to the slope */
    assert_true(tpi_scaling_invert(&light, 0) == 900);
    assert_true(tpi_scaling_invert(&light, 170) == 200); /* no raw number has it */
    assert_true(tpi_scaling_invert(&light, -3) == 900);
}

static void rounds_half_away_from_zero(void **state)
{
    static const double numbers[] = {0, 0.0625};
    const tpi_scaling s = {.function = TPI_SCALING_POLYNOMIAL,
                           .numbers = numbers,
                           .count = 2,
                           .low = -880,
                           .high = 2000,
                           .raw_step = 1,
                           .min = -55,
                           .max = 125,
                           .resolution = 0.125,
                           .uncertainty = -1};
    int halves = 0;

    (void)state;
    for (int raw = -880; raw <= 2000; raw++) { /* in eighths: half of the raw number */
        const int away = (abs(raw) + 1) / 2;
        assert_true(tpi_scaling_value(&s, raw) == (raw < 0 ? -away : away) * 0.125);
        halves += raw % 2 != 0;
    }
    assert_true(halves >= 20);
    assert_true(tpi_scaling_round(0.15, 0.1) == 2 * 0.1); /* half-way but for the error */
    assert_true(tpi_scaling_round(-2.5, 1) == -3);
    assert_true(tpi_scaling_round(2.4999, 1) == 2);
    assert_true(tpi_scaling_round(0.37, 0) == 0.37);
}

static void has_the_uncertainty_of_a_count(void **state)
{
    tpi_scaling s = light;

    (void)state;
    assert_true(tpi_scaling_uncertainty(&s, 500) == 0.143);
    s.uncertainty = -1;
    assert_true(fabs(tpi_scaling_uncertainty(&s, 500) - 100.0 / 700) < 1e-9);
    assert_true(tpi_scaling_uncertainty(&s, 100) == 0);
    assert_true(fabs(tpi_scaling_uncertainty(&s, 200) - 100.0 / 700) < 1e-9); /* the steeper side */
}

static void inverts_every_function(void **state)
{
    static const double cubic[] = {1, 0.5, 0, 0.001}, growth[] = {2, 0.01, -1},
                        level[] = {20, 0.1, 20}, ends[] = {102, 921};
    static const struct {
        tpi_scaling_function function;
        const double *numbers;
        uint16_t count;
    } all[] = {{TPI_SCALING_NONE, NULL, 0},
               {TPI_SCALING_POLYNOMIAL, cubic, 4},
               {TPI_SCALING_EXPONENTIAL, growth, 3},
               {TPI_SCALING_LOG, level, 3},
               {TPI_SCALING_NORMALIZE, ends, 2}};

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const tpi_scaling s = {.function = all[i].function,
                               .numbers = all[i].numbers,
                               .count = all[i].count,
                               .low = 1,
                               .high = 1023,
                               .raw_step = 1,
                               .min = -19.6,
                               .max = 19.6,
                               .uncertainty = -1};
        for (int raw = 1; raw <= 1023; raw++) {
            assert_true(fabs(tpi_scaling_invert(&s, tpi_scaling_apply(&s, raw)) - raw) < 1e-6);
            assert_true(isfinite(tpi_scaling_uncertainty(&s, raw)));
        }
    }
}

static void a_log_of_nothing_is_a_number(void **state)
{
    static const double level[] = {20, 0.1, 20};
    const tpi_scaling s = {.function = TPI_SCALING_LOG,
                           .numbers = level,
                           .count = 3,
                           .low = 0,
                           .high = 10,
                           .raw_step = 1,
                           .uncertainty = -1};

    (void)state;
    assert_true(tpi_scaling_apply(&s, 0) == tpi_scaling_apply(&s, 1));
}

static void counts_decimal_places(void **state)
{
    (void)state;
    assert_int_equal(tpi_scaling_places(5), 0);
    assert_int_equal(tpi_scaling_places(1), 0);
    assert_int_equal(tpi_scaling_places(0.5), 1);
    assert_int_equal(tpi_scaling_places(0.1), 1);
    assert_int_equal(tpi_scaling_places(0.125), 3);
    assert_int_equal(tpi_scaling_places(0.005), 3);
    assert_int_equal(tpi_scaling_places(1e-12), 9);
    assert_int_equal(tpi_scaling_places(0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(converts_all_inputs_of_the_light_sensor),
        cmocka_unit_test(inverts_the_light_sensor),
        cmocka_unit_test(rounds_half_away_from_zero),
        cmocka_unit_test(has_the_uncertainty_of_a_count),
        cmocka_unit_test(inverts_every_function),
        cmocka_unit_test(a_log_of_nothing_is_a_number),
        cmocka_unit_test(counts_decimal_places),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
