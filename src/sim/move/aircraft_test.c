/* aircraft_test.c - flying over, landing on and stopping below other bodies. */
#include "sim/move/aircraft.h"
#include "support/sim.h"

static tpi_sim *begin(const char *text)
{
    tpi_sim *sim = sim_make(text);

    tpi_sim_subscribe(sim, sim_named(sim, "a"));
    return sim;
}

static void fly(tpi_sim *sim, const char *name, tpi_sim_drive_mode mode, double x, double y,
                double z, double a)
{
    const double goal[4] = {x, y, z, a};

    assert_int_equal(tpi_sim_fly(sim, sim_named(sim, name), mode, goal, 0, NULL), TP_OK);
}

static void steps(tpi_sim *sim, int count)
{
    for (int i = 0; i < count; i++) {
        tpi_sim_step(sim);
    }
}

static tpi_sim_flight flight_of(const tpi_sim *sim, const char *name)
{
    tpi_sim_flight flight;

    assert_int_equal(tpi_sim_get_flight(sim, sim_named(sim, name), &flight, NULL), TP_OK);
    return flight;
}

static void near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-5)) {
        fail_msg("%.12g is not %.12g", a, b);
    }
}

#define AIRCRAFT "aircraft ( name \"a\" size [0.4 0.4 0.2] "

static void it_climbs_hovers_and_keeps_to_its_heights(void **state)
{
    tpi_sim *sim = begin(AIRCRAFT "altitude_bounds [0 3] )");

    (void)state;
    fly(sim, "a", TPI_SIM_DRIVE_VELOCITY, 0.5, 0.25, 0.8, 0);
    steps(sim, 10);
    near(flight_of(sim, "a").estimate[2], 0.8);
    near(flight_of(sim, "a").estimate[0], 0.5);
    near(flight_of(sim, "a").estimate[1], 0.25); /* sideways, too */
    near(flight_of(sim, "a").velocity[2], 0.8);
    tpi_sim_stop(sim, sim_named(sim, "a"));
    steps(sim, 10);
    near(flight_of(sim, "a").estimate[2], 0.8);
    fly(sim, "a", TPI_SIM_DRIVE_VELOCITY, 0, 0, 9, 0);
    steps(sim, 1);
    near(flight_of(sim, "a").velocity[2], 1); /* no faster than its bounds */
    steps(sim, 40);
    near(flight_of(sim, "a").estimate[2], 3);
    fly(sim, "a", TPI_SIM_DRIVE_POSITION, 1, 1, 1.5, 0);
    steps(sim, 60);
    near(flight_of(sim, "a").estimate[2], 1.5);
    assert_true(fabs(flight_of(sim, "a").estimate[0] - 1) < 0.03);
    assert_false(flight_of(sim, "a").stalled);
    tpi_sim_destroy(sim);
}

/* At 1 m it passes over a crate of 0.5 m; on the ground the crate stops it. */
static void low_obstacles_are_below_it(void **state)
{
    static const char world[] = AIRCRAFT ")\nmodel ( pose [2 0 0 0] size [0.5 0.5 0.5] )";
    tpi_sim *sim = begin(world);

    (void)state;
    fly(sim, "a", TPI_SIM_DRIVE_VELOCITY, 1, 0, 0, 0);
    steps(sim, 40);
    assert_true(fabs(flight_of(sim, "a").estimate[0] - (2 - 0.25 - 0.2)) < 1e-3);
    assert_true(flight_of(sim, "a").stalled);
    tpi_sim_destroy(sim);
    sim = begin(world);
    fly(sim, "a", TPI_SIM_DRIVE_VELOCITY, 0, 0, 1, 0);
    steps(sim, 10);
    fly(sim, "a", TPI_SIM_DRIVE_VELOCITY, 1, 0, 0, 0);
    steps(sim, 40);
    near(flight_of(sim, "a").estimate[0], 4);
    tpi_sim_destroy(sim);
}

/* Wholly within the outline of what it lands on, also if that moves. */
static void it_lands_on_what_is_below(void **state)
{
    static const char *const below[] = {"model ( size [2 2 0.5] )", "position ( size [2 2 0.5] )"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        char world[256];
        snprintf(world, sizeof world, AIRCRAFT "pose [0.2 0 1 0] )\n%s", below[i]);
        tpi_sim *sim = begin(world);
        fly(sim, "a", TPI_SIM_DRIVE_VELOCITY, 0, 0, -1, 0);
        steps(sim, 20);
        near(flight_of(sim, "a").estimate[2], 0.5);
        assert_true(flight_of(sim, "a").stalled);
        fly(sim, "a", TPI_SIM_DRIVE_VELOCITY, 0.5, 0, 0,
            0); /* it slides off: nothing is in the way */
        steps(sim, 10);
        near(flight_of(sim, "a").estimate[0], 0.7);
        tpi_sim_destroy(sim);
    }
}

static void it_stops_below_what_is_above(void **state)
{
    tpi_sim *sim = begin(AIRCRAFT ")\nmodel ( pose [0 0 2 0] size [4 4 0.1] )\n"
                                  "model ( pose [0 0 5 0] size [8 8 0.1] )");

    (void)state;
    fly(sim, "a", TPI_SIM_DRIVE_VELOCITY, 0, 0, 1, 0);
    steps(sim, 40);
    near(flight_of(sim, "a").estimate[2], 1.8);
    near(flight_of(sim, "a").velocity[2], 0);
    tpi_sim_destroy(sim);
}

static void two_that_meet_are_treated_alike(void **state)
{
    tpi_sim *sim = begin(AIRCRAFT ")\naircraft ( name \"b\" pose [0.1 0 2 0] size [0.4 0.4 0.2] )");

    (void)state;
    tpi_sim_subscribe(sim, sim_named(sim, "b"));
    fly(sim, "a", TPI_SIM_DRIVE_VELOCITY, 0, 0, 1, 0);
    fly(sim, "b", TPI_SIM_DRIVE_VELOCITY, 0, 0, -1, 0);
    steps(sim, 40);
    near(flight_of(sim, "a").estimate[2], 0.9); /* they meet in the middle, at 1.1 */
    near(flight_of(sim, "b").estimate[2], 1.1);
    tpi_sim_destroy(sim);
}

/* A room from a picture: its walls are outlines within an outline. */
static void it_lands_in_a_room_and_on_its_walls(void **state)
{
    tpi_sim *sim = begin(AIRCRAFT "pose [0 0 2 0] )\n"
                                  "model ( size [4 4 1] boundary 1 )\n"
                                  "aircraft ( name \"b\" pose [2 0 2 0] size [0.4 0.4 0.2] )");

    (void)state;
    tpi_sim_subscribe(sim, sim_named(sim, "b"));
    fly(sim, "a", TPI_SIM_DRIVE_VELOCITY, 0, 0, -1, 0);
    fly(sim, "b", TPI_SIM_DRIVE_VELOCITY, 0, 0, -1, 0);
    steps(sim, 40);
    near(flight_of(sim, "a").estimate[2], 0);
    near(flight_of(sim, "b").estimate[2], 1);
    tpi_sim_destroy(sim);
}

static void without_power_it_sinks(void **state)
{
    tpi_sim *sim = begin(AIRCRAFT "pose [0 0 2 0] sink_speed 0.4 )\n"
                                  "aircraft ( name \"b\" pose [3 0 2 0] sink_speed 0 )");

    (void)state;
    tpi_sim_subscribe(sim, sim_named(sim, "b"));
    assert_int_equal(tpi_sim_set_flight_power(sim, sim_named(sim, "a"), false, NULL), TP_OK);
    assert_int_equal(tpi_sim_set_flight_power(sim, sim_named(sim, "b"), false, NULL), TP_OK);
    steps(sim, 10);
    near(flight_of(sim, "a").estimate[2], 1.6);
    near(flight_of(sim, "b").estimate[2], 2); /* a blimp */
    assert_false(flight_of(sim, "a").powered);
    assert_int_equal(tpi_sim_set_flight_power(sim, sim_named(sim, "a"), true, NULL), TP_OK);
    steps(sim, 10);
    near(flight_of(sim, "a").estimate[2], 1.6);
    tpi_sim_destroy(sim);
}

static void it_brakes_within_its_bounds(void **state)
{
    tpi_sim *sim = begin(AIRCRAFT "acceleration_bounds [-1 1 -1 1 -2 2 -90 90] )");
    const tpi_sim_model a = sim_named(sim, "a");

    (void)state;
    fly(sim, "a", TPI_SIM_DRIVE_VELOCITY, 0, 0, 1, 0);
    steps(sim, 1);
    near(flight_of(sim, "a").velocity[2], 0.2);
    steps(sim, 9);
    tpi_sim_stop(sim, a);
    assert_true(tpi_sim_is_braking(sim, a));
    steps(sim, 4);
    near(flight_of(sim, "a").velocity[2], 0.2);
    steps(sim, 2);
    assert_false(tpi_sim_is_braking(sim, a));
    tpi_sim_destroy(sim);
}

static void what_makes_no_sense_is_refused(void **state)
{
    const double odd[4] = {0, 0, NAN, 0};
    const double far[4] = {0, 0, 1e9, 0};
    const double pose[4] = {1, 2, 3, 0.5};
    tpi_sim *sim = begin(
        AIRCRAFT "localization \"odom\" pose [0 0 1 0] )\nposition ( name \"p\" pose [5 5 0 0] )");
    const tpi_sim_model a = sim_named(sim, "a");
    tp_error err;

    (void)state;
    assert_int_equal(tpi_sim_fly(sim, a, TPI_SIM_DRIVE_VELOCITY, odd, 0, NULL), TP_E_RANGE);
    assert_int_equal(tpi_sim_fly(sim, a, TPI_SIM_DRIVE_POSITION, far, 0, NULL), TP_E_RANGE);
    assert_int_equal(tpi_sim_set_flight_pose(sim, a, far, NULL), TP_E_RANGE);
    assert_int_equal(tpi_sim_fly(sim, sim_named(sim, "p"), TPI_SIM_DRIVE_VELOCITY, pose, 0, &err),
                     TP_E_UNSUPPORTED);
    assert_string_equal(err.text, "the model is no aircraft");
    near(flight_of(sim, "a").estimate[2], 0); /* odometry begins at its start */
    assert_int_equal(tpi_sim_set_flight_pose(sim, a, pose, NULL), TP_OK);
    near(flight_of(sim, "a").estimate[2], 3);
    near(flight_of(sim, "a").estimate[3], 0.5);
    tpi_sim_destroy(sim);
    sim_refuse("aircraft ( drive \"car\" )",
               "x.world:1:12: an aircraft is no car: its drive is \"omni\" or \"diff\"");
    sim_refuse("aircraft ( velocity_bounds [-1 1 -1 1 0.1 1 -9 9] )",
               "x.world:1:12: \"velocity_bounds\" of an aircraft has 0 between zmin and zmax, not "
               "0.1 and 1");
    sim_refuse("aircraft ( altitude_bounds [2 1] )",
               "x.world:1:12: \"altitude_bounds\" are from 2 to 1");
}

/* A saved state goes on the same way; height is part of it. */
static void it_goes_on_from_a_saved_state(void **state)
{
    tpi_sim *sim = begin(AIRCRAFT ")\nmodel ( pose [1 0 0 0] size [0.5 0.5 0.5] )");
    tpi_buf saved = {0};

    (void)state;
    fly(sim, "a", TPI_SIM_DRIVE_POSITION, 2, 0, 1.5, 0);
    steps(sim, 7);
    tpi_sim_save(sim, &saved);
    steps(sim, 20);
    const uint64_t hash = tpi_sim_hash(sim);
    assert_int_equal(tpi_sim_restore(sim, saved.data, saved.length, NULL), TP_OK);
    steps(sim, 20);
    assert_true(tpi_sim_hash(sim) == hash);
    tpi_buf_fini(&saved);
    tpi_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_climbs_hovers_and_keeps_to_its_heights),
        cmocka_unit_test(low_obstacles_are_below_it),
        cmocka_unit_test(it_lands_on_what_is_below),
        cmocka_unit_test(it_stops_below_what_is_above),
        cmocka_unit_test(two_that_meet_are_treated_alike),
        cmocka_unit_test(it_lands_in_a_room_and_on_its_walls),
        cmocka_unit_test(without_power_it_sinks),
        cmocka_unit_test(it_brakes_within_its_bounds),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(it_goes_on_from_a_saved_state),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
