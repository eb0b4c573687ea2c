/* maths_test.c - functions of floats: near the exact values; roots and rests exact, bit by bit. */
#include <math.h>
#include <string.h>

#include "play/cell.h"
#include "support/unit.h"

static float of_bits(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t bits_of(float f)
{
    uint32_t bits;

    f = tpi_play_canonical(f);
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* How many units of the last place a value is off. */
static double units_off(float got, double exact)
{
    const float near = fabsf((float)exact);

    return fabs((double)got - exact) / (double)(nextafterf(near, INFINITY) - near);
}

static void roots_and_rests_are_those_of_the_c_library(void **state)
{
    uint32_t random = 1;

    (void)state;
    for (int i = 0; i < 200000; i++) {
        const float x = of_bits(tpi_play_random(&random)), y = of_bits(tpi_play_random(&random));
        assert_int_equal(bits_of(tpi_play_sqrt(x)), bits_of(sqrtf(x)));
        assert_int_equal(bits_of(tpi_play_fmod(x, y)), bits_of(fmodf(x, y)));
    }
}

static void functions_are_near_the_exact_values(void **state)
{
    uint32_t random = 1;

    (void)state;
    for (int i = 0; i < 200000; i++) {
        const float x = (float)(int32_t)tpi_play_random(&random) / 4e6f;
        const float y = (float)(int32_t)tpi_play_random(&random) / 4e6f;
        const double turn = fmod((double)x, 360) * 3.14159265358979323846 / 180;
        assert_true(fabs((double)tpi_play_sin(x) - sin(turn)) < 1.3e-7);
        assert_true(fabs((double)tpi_play_cos(x) - cos(turn)) < 1.3e-7);
        assert_true(
            units_off(tpi_play_atan2(y, x), atan2((double)y, (double)x) * 57.29577951308232) < 5);
        assert_true(units_off(tpi_play_exp(x / 8), exp((double)(x / 8))) < 3);
    }
}

static void edges_are_as_they_should_be(void **state)
{
    const float nan = of_bits(0xffc00001u);

    (void)state;
    assert_int_equal(bits_of(tpi_play_canonical(nan)), 0x7fc00000);
    assert_int_equal(bits_of(tpi_play_sin(INFINITY)), 0x7fc00000);
    assert_int_equal(bits_of(tpi_play_sin(180)), 0);
    assert_int_equal(bits_of(tpi_play_cos(90)), 0);
    assert_true(tpi_play_cos(-60) == 0.5f && tpi_play_sin(-30) == -0.5f &&
                tpi_play_sin(360030) == 0.5f);
    assert_true(tpi_play_atan2(1, 0) == 90 && tpi_play_atan2(0, -1) == 180 &&
                tpi_play_atan2(-1, 0) == -90);
    assert_true(tpi_play_atan2(0, 0) == 0);
    assert_true(isinf(tpi_play_exp(100)) && tpi_play_exp(-200) == 0 && tpi_play_exp(0) == 1);
    assert_int_equal(tpi_play_round(2.5f), 3);
    assert_int_equal(tpi_play_round(-2.5f), -3);
    assert_int_equal(tpi_play_round(1e20f), INT32_MAX);
    assert_int_equal(tpi_play_round(-1e20f), INT32_MIN);
    assert_int_equal(tpi_play_round(nan), 0);
    assert_int_equal(tpi_play_mod(-7, 3), 2);
    assert_int_equal(tpi_play_mod(INT32_MIN, -1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_and_rests_are_those_of_the_c_library),
        cmocka_unit_test(functions_are_near_the_exact_values),
        cmocka_unit_test(edges_are_as_they_should_be),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
