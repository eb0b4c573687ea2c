/* light_test.c - light falls with the square of the distance, and walls cast shadows. */
#include "sim/sense/sensors.h"
#include "support/sim.h"

static double level(tpi_sim *sim, const char *name)
{
    tpi_sim_brightness brightness;

    tpi_sim_step(sim);
    assert_int_equal(tpi_sim_get_brightness(sim, sim_named(sim, name), &brightness, NULL), TP_OK);
    assert_true(brightness.time_us == tpi_sim_time_us(sim));
    return brightness.level;
}

static void near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-9 * (1 + fabs(b)))) {
        fail_msg("%.12g is not %.12g", a, b);
    }
}

static double level_with(const char *world)
{
    tpi_sim *sim = sim_make(world);
    const double found = level(sim, "s");

    tpi_sim_destroy(sim);
    return found;
}

#define SENSOR "lightsensor ( name \"s\" pose [0 0 0.1 0] alwayson 1 "

static void the_square_of_the_distance(void **state)
{
    (void)state;
    near(level_with(SENSOR ")"), 0);
    near(level_with("ambient_light 0.5\n" SENSOR ")"), 0.5);
    near(level_with(SENSOR ") light ( pose [1 0 0.1 0] )"), 1);
    near(level_with(SENSOR ") light ( pose [0 -2 0.1 0] intensity 8 )"), 2);
    near(level_with(SENSOR ") light ( pose [2 1 2.1 0] intensity 9 )"), 1); /* 3 m in space */
    near(level_with(SENSOR ") light ( pose [1 0 0.1 0] ) light ( pose [-2 0 0.1 0] )"), 1.25);
    near(level_with(SENSOR ") light ( pose [0 0 1.1 0] )"), 1);     /* straight above */
    near(level_with(SENSOR ") light ( pose [0 0 0.1 0] )"), 10000); /* as from 1 cm */
}

static void gain_saturation_and_ambient(void **state)
{
    (void)state;
    near(level_with("ambient_light 1\n" SENSOR "gain 3 ) light ( pose [2 0 0.1 0] )"), 3.75);
    near(level_with("ambient_light 1\n" SENSOR "gain 3 saturation 2 )"), 2);
}

static void a_flat_cell_looks_ahead(void **state)
{
    (void)state;
    near(level_with(SENSOR "fov 180 ) light ( pose [1 0 0.1 0] )"), 1);
    near(level_with(SENSOR "fov 180 ) light ( pose [0.5 0.866025403784438647 0.1 0] )"), 0.5);
    near(level_with(SENSOR "fov 180 ) light ( pose [-1 0.1 0.1 0] )"), 0);
    near(level_with(SENSOR "fov 90 ) light ( pose [0.866025403784438647 -0.5 0.1 0] )"), 0.5);
    near(level_with(SENSOR "fov 90 ) light ( pose [1 1.01 0.1 0] )"), 0);
}

static void a_spotlight_shines_where_it_points(void **state)
{
    (void)state;
    near(level_with(SENSOR ") light ( pose [1 0 0.1 180] fov 40 )"), 1);
    near(level_with(SENSOR ") light ( pose [1 0 0.1 161] fov 40 )"), 1);
    near(level_with(SENSOR ") light ( pose [1 0 0.1 159] fov 40 )"), 0);
    near(level_with(SENSOR ") light ( pose [1 0 0.1 0] fov 40 )"), 0);
}

/* The line from the sensor, 0.1 m high, to a light 2.1 m high 4 m away is 1.1 m high half way. */
static void walls_cast_shadows(void **state)
{
    (void)state;
    near(level_with(SENSOR ") light ( pose [4 0 0.1 0] ) model ( pose [2 0 0 0] size [.1 .1 1] )"),
         0);
    near(level_with(SENSOR ") light ( pose [4 0 0.1 0] ) model ( pose [2 1 0 0] size [.1 .1 1] )"),
         1.0 / 16);
    near(level_with(SENSOR ") light ( pose [4 0 2.1 0] ) model ( pose [2 0 0 0] size [.1 .1 1] )"),
         1.0 / 20); /* it shines over the top */
    near(
        level_with(SENSOR ") light ( pose [4 0 2.1 0] ) model ( pose [2 0 0 0] size [.1 .1 1.2] )"),
        0);
    near(level_with(SENSOR
                    ") light ( pose [4 0 2.1 0] ) model ( pose [2 0 1.2 0] size [.1 .1 1.2] )"),
         1.0 / 20); /* and below */
    near(level_with(SENSOR
                    ") light ( pose [4 0 0.1 0] ) position ( pose [2 0 0 0] size [.1 .1 1] )"),
         0);
    near(level_with(SENSOR ") light ( pose [4 0 0.1 0] ) model ( pose [5 0 0 0] size [.1 .1 1] )"),
         1.0 / 16);
}

static void a_robot_does_not_shade_its_own_sensor_nor_its_lamp(void **state)
{
    tpi_sim *sim = sim_make("define rob position ( size [0.3 0.3 0.3] stack_children 0\n"
                            "  lightsensor ( pose [0 0 0.1 0] alwayson 1 )\n"
                            "  light ( pose [0 0 0.1 0] ) )\n"
                            "rob ( name \"a\" ) rob ( name \"b\" pose [2 0 0 0] )\n");

    (void)state;
    near(level(sim, "a.lightsensor:0"), 10000.25);
    tpi_sim_destroy(sim);
}

static void lights_can_be_switched(void **state)
{
    tpi_sim *sim = sim_make(SENSOR ")\nlight ( name \"l\" pose [2 0 0.1 0] intensity 4 )");
    const tpi_sim_model light = sim_named(sim, "l");
    double intensity = 0;
    tp_error err;

    (void)state;
    near(level(sim, "s"), 1);
    assert_int_equal(tpi_sim_set_light(sim, light, 0, NULL), TP_OK);
    near(level(sim, "s"), 0);
    assert_int_equal(tpi_sim_set_light(sim, light, 8, NULL), TP_OK);
    assert_int_equal(tpi_sim_get_light(sim, light, &intensity, NULL), TP_OK);
    near(intensity, 8);
    near(level(sim, "s"), 2);
    assert_int_equal(tpi_sim_set_light(sim, light, -1, &err), TP_E_INVALID);
    assert_string_equal(err.text, "the intensity of a light is from 0 to 1e+09, not -1");
    assert_int_equal(tpi_sim_set_light(sim, light, NAN, &err), TP_E_INVALID);
    assert_int_equal(tpi_sim_set_light(sim, sim_named(sim, "s"), 1, &err), TP_E_UNSUPPORTED);
    assert_string_equal(err.text, "the model is no light");
    tpi_sim_destroy(sim);
}

static void noise_never_makes_it_darker_than_dark(void **state)
{
    tpi_sim *sim = sim_make("ambient_light 1\n" SENSOR "noise 2 )");
    double sum = 0;
    bool dark = false;

    (void)state;
    for (int i = 0; i < 2000; i++) {
        const double now = level(sim, "s");
        assert_true(now >= 0);
        dark = dark || now == 0;
        sum += now;
    }
    assert_true(dark);
    assert_true(fabs(sum / 2000 - 1.396) < 0.15); /* the mean of a normal one cut off at 0 */
    tpi_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_square_of_the_distance),
        cmocka_unit_test(gain_saturation_and_ambient),
        cmocka_unit_test(a_flat_cell_looks_ahead),
        cmocka_unit_test(a_spotlight_shines_where_it_points),
        cmocka_unit_test(walls_cast_shadows),
        cmocka_unit_test(a_robot_does_not_shade_its_own_sensor_nor_its_lamp),
        cmocka_unit_test(lights_can_be_switched),
        cmocka_unit_test(noise_never_makes_it_darker_than_dark),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
