/* compass_test.c - bearings from north. */
#include "sim/sense/sensors.h"
#include "support/sim.h"

static double bearing(tpi_sim *sim, const char *name)
{
    tpi_sim_compass compass;

    tpi_sim_step(sim);
    assert_int_equal(tpi_sim_get_compass(sim, sim_named(sim, name), &compass, NULL), TP_OK);
    assert_true(compass.time_us == tpi_sim_time_us(sim));
    return compass.bearing * 180 / SIM_PI;
}

static void bearings_are_clockwise_from_north(void **state)
{
    static const double cases[][2] = {{90, 0},    {0, 90},  {-90, 180},
                                      {180, 270}, {45, 45}, {91, 359}};
    tpi_sim *sim = sim_make("compass ( name \"c\" alwayson 1 )");

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sim_put(sim, "c", 0, 0, cases[i][0] * SIM_PI / 180);
        assert_true(fabs(bearing(sim, "c") - cases[i][1]) < 1e-9);
    }
    tpi_sim_destroy(sim);
}

static void north_is_where_the_world_says(void **state)
{
    tpi_sim *sim = sim_make("north 30\ncompass ( name \"c\" pose [0 0 0 10] alwayson 1 )");

    (void)state;
    assert_true(fabs(bearing(sim, "c") - 20) < 1e-9);
    tpi_sim_destroy(sim);
}

static void noise_and_bias(void **state)
{
    tpi_sim *sim = sim_make("compass ( name \"n\" pose [0 0 0 -90] alwayson 1 noise 3 )\n"
                            "compass ( name \"b\" pose [0 0 0 -90] alwayson 1 bias 10 )");
    double square = 0;
    const int count = 2000;

    (void)state;
    for (int i = 0; i < count; i++) {
        const double off = bearing(sim, "n") - 180;
        square += off * off;
    }
    assert_true(fabs(sqrt(square / count) - 3) < 0.25);
    const double off = bearing(sim, "b") - 180;
    assert_true(off != 0 && fabs(off) <= 10 && bearing(sim, "b") - 180 == off);
    tpi_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bearings_are_clockwise_from_north),
        cmocka_unit_test(north_is_where_the_world_says),
        cmocka_unit_test(noise_and_bias),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
