/* bumper_test.c - bumpers against walls, corners and robots, at distances known exactly. */
#include "sim/sense/sensors.h"
#include "support/sim.h"

/* A bumper 0.2 m long, 0.1 m before the robot's middle, without a body. */
#define ROBOT                                                                                      \
    "define rob position ( size [0.1 0.1 0.2] obstacle_return 0\n"                                 \
    "  bumper ( noblocks 1 alwayson 1 bcount 2 blength 0.2 bpose[0] [0.1 0 0 0]\n"                 \
    "           bpose[1] [0 0.1 0 90] blength[1] 0.1 ) )\n"

static unsigned pressed(const tpi_sim *sim, const char *name)
{
    tpi_sim_bumpers bumpers;
    unsigned bits = 0;

    assert_int_equal(tpi_sim_get_bumpers(sim, sim_named(sim, name), &bumpers, NULL), TP_OK);
    assert_true(bumpers.time_us == tpi_sim_time_us(sim));
    for (uint32_t i = 0; i < bumpers.count; i++) {
        assert_true(bumpers.pressed[i] <= 1);
        bits |= (unsigned)bumpers.pressed[i] << i;
    }
    return bits;
}

static unsigned pressed_at(tpi_sim *sim, double x, double y, double degrees)
{
    sim_put(sim, "r", x, y, degrees * SIM_PI / 180);
    tpi_sim_step(sim);
    return pressed(sim, "r.bumper:0");
}

static void a_wall_within_reach_presses(void **state)
{
    tpi_sim *sim = sim_make(ROBOT "rob ( name \"r\" )\n"
                                  "model ( pose [2.5 0 0 0] size [1 4 1] )\n"); /* from x = 2 */

    (void)state;
    assert_int_equal(pressed_at(sim, 1.879, 0, 0), 0); /* 21 mm before it */
    assert_int_equal(pressed_at(sim, 1.881, 0, 0), 1); /* 19 mm */
    assert_int_equal(pressed_at(sim, 1.91, 0, 0), 1);  /* 10 mm in the wall */
    assert_int_equal(pressed_at(sim, 1.881, 0, -90),
                     3); /* the left one; and the other by its end */
    assert_int_equal(pressed_at(sim, 1.881, 0, 180), 0);   /* both look away */
    assert_int_equal(pressed_at(sim, 1.881, 2.13, 0), 0);  /* 30 mm above the corner */
    assert_int_equal(pressed_at(sim, 1.895, 2.115, 0), 1); /* sqrt(5^2 + 15^2) mm from the corner */
    tpi_sim_destroy(sim);
}

static void the_length_counts(void **state)
{
    tpi_sim *sim = sim_make(ROBOT "rob ( name \"r\" )\nmodel ( size [0.01 0.01 1] )\n");

    (void)state;
    assert_int_equal(pressed_at(sim, -0.1, 0.12, 0), 1); /* 15 mm beyond the end */
    assert_int_equal(pressed_at(sim, -0.1, 0.13, 0), 0); /* 25 mm */
    assert_int_equal(pressed_at(sim, 0.06, -0.1, 0), 2); /* 5 mm beyond the end of the short one */
    assert_int_equal(pressed_at(sim, 0.08, -0.1, 0), 0); /* 25 mm */
    tpi_sim_destroy(sim);
}

static void robots_press_each_other_but_not_themselves(void **state)
{
    tpi_sim *sim =
        sim_make(ROBOT "rob ( name \"r\" )\n"
                       "rob ( name \"other\" pose [0.16 0 5 0] )\n"); /* heights do not matter */

    (void)state;
    assert_int_equal(pressed_at(sim, 0, 0, 0), 1);
    assert_int_equal(pressed(sim, "other.bumper:0"), 0);
    assert_int_equal(pressed_at(sim, -0.04, 0, 0), 0);
    assert_int_equal(pressed_at(sim, 0.16, -0.16, 90), 1);
    tpi_sim_destroy(sim);
}

static void a_robot_that_drives_into_a_wall_feels_it(void **state)
{
    tpi_sim *sim =
        sim_make("position ( name \"r\" alwayson 1 size [0.4 0.4 0.2]\n"
                 "  bumper ( noblocks 1 alwayson 1 bcount 2 blength 0.38 bpose[0] [0.2 0 0 0]\n"
                 "           bpose[1] [-0.2 0 0 180] ) )\n"
                 "model ( pose [2.5 0 0 0] size [1 4 1] )\n");
    const double goal[3] = {1, 0, 0};
    bool felt = false;

    (void)state;
    assert_int_equal(tpi_sim_drive(sim, sim_named(sim, "r"), TPI_SIM_DRIVE_VELOCITY, goal, NULL),
                     TP_OK);
    for (int i = 0; i < 30 && !felt; i++) {
        tpi_sim_step(sim);
        felt = pressed(sim, "r.bumper:0") == 1;
    }
    assert_true(felt);
    assert_true(tpi_sim_global_pose(sim, sim_named(sim, "r")).x > 1.77);
    tpi_sim_destroy(sim);
}

static void geometry_is_told(void **state)
{
    tpi_sim *sim = sim_make(ROBOT "rob ( name \"r\" )\n");
    const tpi_sim_model model = sim_named(sim, "r.bumper:0");
    tpi_sim_bumper bumper;
    tpi_sim_bumpers bumpers;
    tp_error err;

    (void)state;
    assert_int_equal(tpi_sim_get_bumper(sim, model, 1, &bumper, NULL), TP_OK);
    assert_true(bumper.length == 0.1 && bumper.pose.y == 0.1 && bumper.pose.a == SIM_PI / 2);
    assert_int_equal(tpi_sim_get_bumper(sim, model, 2, &bumper, &err), TP_E_RANGE);
    assert_string_equal(err.text, "the model has 2 bumpers; there is no number 2");
    assert_int_equal(tpi_sim_get_bumper(sim, model - 1, 0, &bumper, &err), TP_E_UNSUPPORTED);
    assert_string_equal(err.text, "the model is no bumper");
    assert_int_equal(tpi_sim_get_bumpers(sim, 77, &bumpers, &err), TP_E_UNSUPPORTED);
    assert_int_equal(tpi_sim_get_bumpers(sim, model, &bumpers, NULL), TP_OK);
    assert_true(bumpers.time_us == -1 && bumpers.count == 2);
    tpi_sim_destroy(sim);
}

static void bad_properties_are_named(void **state)
{
    (void)state;
    sim_refuse("bumper ( bcount 65 )", "x.world:1:10: \"bcount\" is from 0 to 64, not 65");
    sim_refuse("bumper ( bcount 1 blength -1 )",
               "x.world:1:19: \"blength\" is from 0 to 1e+06, not -1");
    sim_refuse("bumper ( bcount 1 bpose[0] [0 1] )",
               "x.world:1:19: \"bpose[0]\" needs 4 values, not 2");
    sim_refuse("bumper ( reach 2 )", "x.world:1:10: \"reach\" is from 0 to 1, not 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wall_within_reach_presses),
        cmocka_unit_test(the_length_counts),
        cmocka_unit_test(robots_press_each_other_but_not_themselves),
        cmocka_unit_test(a_robot_that_drives_into_a_wall_feels_it),
        cmocka_unit_test(geometry_is_told),
        cmocka_unit_test(bad_properties_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
