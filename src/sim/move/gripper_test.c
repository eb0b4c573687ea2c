/* gripper_test.c - grippers: paddles, beams, and what they hold. */
#include "sim/move/actuators.h"

#include "support/sim.h"

/* A robot whose paddles begin 0.268 m and end 0.4 m ahead of its middle; 0.24 m are between them.
 */
#define ROBOT                                                                                      \
    "position( name \"r\" size [0.4 0.4 0.2] velocity_bounds [-9 9 -9 9 0 0 -360 360]\n"           \
    "  gripper( name \"g\" pose [0.3 0 -0.2 0] ) )\n"
#define PUCK(x, y)                                                                                 \
    "model( name \"puck\" pose [" x " " y " 0 0] size [0.08 0.08 0.1] gripper_return 1 )\n"

static tpi_sim *make(const char *text)
{
    tpi_sim *sim = sim_make(text);

    tpi_sim_subscribe(sim, sim_named(sim, "r"));
    tpi_sim_subscribe(sim, sim_named(sim, "r.g"));
    return sim;
}

static tpi_sim_gripper look(const tpi_sim *sim)
{
    tpi_sim_gripper gripper;

    assert_int_equal(tpi_sim_get_gripper(sim, sim_named(sim, "r.g"), &gripper, NULL), TP_OK);
    return gripper;
}

static void tell(tpi_sim *sim, tpi_sim_grip what)
{
    assert_int_equal(tpi_sim_grip_do(sim, sim_named(sim, "r.g"), what, NULL), TP_OK);
}

static void drive(tpi_sim *sim, double v, double w)
{
    const double goal[] = {v, 0, w};

    assert_int_equal(tpi_sim_drive(sim, sim_named(sim, "r"), TPI_SIM_DRIVE_VELOCITY, goal, NULL),
                     TP_OK);
}

static void assert_puck_at(const tpi_sim *sim, double x, double y)
{
    const tpi_sim_pose pose = tpi_sim_global_pose(sim, sim_named(sim, "puck"));

    sim_assert_near(pose.x, x, 1e-9);
    sim_assert_near(pose.y, y, 1e-9);
}

static void paddles_take_two_seconds(void **state)
{
    tpi_sim *sim = make(ROBOT);

    (void)state;
    sim_assert_near(look(sim).open, 1, 0);
    sim_assert_near(look(sim).width, 0.24, 1e-12);
    tell(sim, TPI_SIM_GRIP_CLOSE);
    sim_steps(sim, 10);
    assert_true(look(sim).closing);
    sim_assert_near(look(sim).open, 0.5, 1e-9);
    sim_steps(sim, 11);
    assert_false(look(sim).closing);
    sim_assert_near(look(sim).open, 0, 0);
    tell(sim, TPI_SIM_GRIP_UP);
    tell(sim, TPI_SIM_GRIP_OPEN);
    sim_steps(sim, 21);
    sim_assert_near(look(sim).open, 1, 0);
    sim_assert_near(look(sim).lift, 1, 0);
    tpi_sim_destroy(sim);
}

/* A ranger beside the robot sees the paddle where it is. */
static void paddles_are_bodies(void **state)
{
    tpi_sim *sim =
        make(ROBOT "model( name \"post\" pose [0.35 1 0 -90] size [0.01 0.01 0.01]\n"
                   "  ranger( name \"eye\" pose [0 0 0.03 0] sensor( range [0 9] ) ) )\n");
    tpi_sim_scan scan;

    (void)state;
    tpi_sim_subscribe(sim, sim_named(sim, "post.eye"));
    sim_steps(sim, 1);
    assert_int_equal(tpi_sim_get_scan(sim, sim_named(sim, "post.eye"), 0, &scan, NULL), TP_OK);
    sim_assert_near(scan.ranges[0], 1 - 0.15, 1e-9);
    tell(sim, TPI_SIM_GRIP_CLOSE);
    sim_steps(sim, 25);
    assert_int_equal(tpi_sim_get_scan(sim, sim_named(sim, "post.eye"), 0, &scan, NULL), TP_OK);
    sim_assert_near(scan.ranges[0], 1 - 0.03, 1e-9);
    tpi_sim_destroy(sim);
}

static void beams_tell_what_is_between(void **state)
{
    tpi_sim *sim = make(ROBOT PUCK("1", "0.05"));

    (void)state;
    sim_steps(sim, 1);
    assert_false(look(sim).beams[0] || look(sim).beams[1]);
    sim_put(sim, "puck", 0.42, 0.05, 0); /* from 0.38: neither beam, at 0.301 and 0.367 */
    sim_steps(sim, 1);
    assert_false(look(sim).beams[0] || look(sim).beams[1]);
    sim_put(sim, "puck", 0.39, 0.05, 0);
    sim_steps(sim, 1);
    assert_false(look(sim).beams[0]);
    assert_true(look(sim).beams[1]);
    sim_put(sim, "puck", 0.33, 0.05, 0);
    sim_steps(sim, 1);
    assert_true(look(sim).beams[0] && look(sim).beams[1]);
    assert_false(look(sim).contacts[0] || look(sim).contacts[1]);
    tpi_sim_destroy(sim);
}

static void closing_takes_what_is_between(void **state)
{
    tpi_sim *sim = make(ROBOT PUCK("0.33", "0.05"));

    (void)state;
    tell(sim, TPI_SIM_GRIP_CLOSE);
    sim_steps(sim, 30);
    assert_int_equal(look(sim).cargo, sim_named(sim, "puck"));
    sim_assert_near(look(sim).open, 0.04 / 0.12, 1e-9); /* as wide as the puck */
    assert_true(look(sim).contacts[0] && look(sim).contacts[1]);
    assert_puck_at(sim, 0.33, 0);
    tpi_sim_destroy(sim);
}

static void cargo_goes_where_the_robot_goes(void **state)
{
    tpi_sim *sim = make(ROBOT PUCK("0.33", "0"));
    const double turn = 0.5;

    (void)state;
    tell(sim, TPI_SIM_GRIP_CLOSE);
    sim_steps(sim, 30);
    drive(sim, 0.4, turn);
    sim_steps(sim, 20);
    const tpi_sim_pose r = tpi_sim_global_pose(sim, sim_named(sim, "r"));
    sim_assert_near(r.a, turn * 2, 1e-9); /* nothing stops it, its cargo least of all */
    assert_puck_at(sim, r.x + 0.33 * cos(r.a), r.y + 0.33 * sin(r.a));
    drive(sim, 0, 0);
    tell(sim, TPI_SIM_GRIP_OPEN);
    sim_steps(sim, 25);
    assert_int_equal(look(sim).cargo, TPI_SIM_NONE);
    drive(sim, -0.4, 0);
    sim_steps(sim, 5);
    assert_puck_at(sim, r.x + 0.33 * cos(r.a), r.y + 0.33 * sin(r.a));
    tpi_sim_destroy(sim);
}

/* The cargo's front is at 0.4: the wall at 1 stops both. */
static void what_stops_the_cargo_stops_the_robot(void **state)
{
    tpi_sim *sim = make(ROBOT "model( name \"puck\" pose [0.4 0 0 0] size [0.2 0.08 0.1] "
                              "gripper_return 1 )\n"
                              "model( name \"wall\" pose [1.5 0 0 0] size [1 4 1] )\n");
    tpi_sim_motion motion;

    (void)state;
    tell(sim, TPI_SIM_GRIP_CLOSE);
    sim_steps(sim, 30);
    assert_int_equal(look(sim).cargo, sim_named(sim, "puck"));
    drive(sim, 5, 0);
    sim_steps(sim, 3);
    assert_int_equal(tpi_sim_get_motion(sim, sim_named(sim, "r"), &motion, NULL), TP_OK);
    assert_true(motion.stalled);
    const double x = tpi_sim_global_pose(sim, sim_named(sim, "r")).x;
    sim_assert_near(x, 0.5, 2e-3);
    assert_puck_at(sim, x + 0.4, 0);
    tpi_sim_destroy(sim);
}

static void the_lift_raises_the_cargo_and_opening_drops_it(void **state)
{
    tpi_sim *sim = make(ROBOT PUCK("0.33", "0"));

    (void)state;
    tell(sim, TPI_SIM_GRIP_CLOSE);
    sim_steps(sim, 30);
    tell(sim, TPI_SIM_GRIP_UP);
    sim_steps(sim, 30);
    sim_assert_near(tpi_sim_global_pose(sim, sim_named(sim, "puck")).z, 0.2, 1e-9);
    assert_true(look(sim).beams[0]);
    tell(sim, TPI_SIM_GRIP_OPEN);
    sim_steps(sim, 30);
    sim_assert_near(tpi_sim_global_pose(sim, sim_named(sim, "puck")).z, 0, 1e-9);
    assert_false(look(sim).beams[0]); /* it is below */
    tpi_sim_destroy(sim);
}

/* A gripper that snatches, and a puck that is no obstacle, which is driven over. */
static void autosnatch_closes_by_itself(void **state)
{
    tpi_sim *sim =
        make("position( name \"r\" size [0.4 0.4 0.2]\n"
             "  gripper( name \"g\" pose [0.3 0 -0.2 0] autosnatch 1 ) )\n"
             "model( name \"puck\" pose [1 0 0 0] size [0.08 0.08 0.1] obstacle_return 0 "
             "gripper_return 1 )\n");

    (void)state;
    drive(sim, 0.03, 0);
    for (int i = 0; i < 400 && look(sim).cargo == TPI_SIM_NONE; i++) {
        sim_steps(sim, 1);
    }
    assert_int_equal(look(sim).cargo, sim_named(sim, "puck"));
    tpi_sim_destroy(sim);
}

static void what_is_held_is_not_taken_away(void **state)
{
    tpi_sim *sim = make(
        ROBOT PUCK("0.33", "0") "position( name \"s\" pose [0.66 0 0 180] size [0.4 0.4 0.2]\n"
                                "  gripper( name \"g\" pose [0.3 0 -0.2 0] paddle_size [0.3 0.1 "
                                "0.4] obstacle_return 0 ) )\n");
    tpi_sim_gripper other;

    (void)state;
    tell(sim, TPI_SIM_GRIP_CLOSE);
    sim_steps(sim, 30);
    assert_int_equal(look(sim).cargo, sim_named(sim, "puck"));
    tpi_sim_subscribe(sim, sim_named(sim, "s.g"));
    assert_int_equal(tpi_sim_grip_do(sim, sim_named(sim, "s.g"), TPI_SIM_GRIP_CLOSE, NULL), TP_OK);
    sim_steps(sim, 30);
    assert_int_equal(tpi_sim_get_gripper(sim, sim_named(sim, "s.g"), &other, NULL), TP_OK);
    assert_int_equal(other.cargo, TPI_SIM_NONE);
    tpi_sim_destroy(sim);
}

static void a_restored_gripper_holds_what_it_held(void **state)
{
    tpi_sim *sim = make(ROBOT PUCK("0.33", "0"));
    tpi_buf saved = {0};

    (void)state;
    tell(sim, TPI_SIM_GRIP_CLOSE);
    sim_steps(sim, 30);
    drive(sim, 0.3, 0.2);
    tpi_sim_save(sim, &saved);
    sim_steps(sim, 10);
    const uint64_t later = tpi_sim_hash(sim);
    tell(sim, TPI_SIM_GRIP_OPEN);
    sim_steps(sim, 30);
    assert_int_equal(look(sim).cargo, TPI_SIM_NONE);
    assert_int_equal(tpi_sim_restore(sim, saved.data, saved.length, NULL), TP_OK);
    assert_int_equal(look(sim).cargo, sim_named(sim, "puck"));
    sim_steps(sim, 10);
    assert_true(tpi_sim_hash(sim) == later);
    tpi_buf_fini(&saved);
    tpi_sim_destroy(sim);
}

static void bad_grippers_are_told(void **state)
{
    static const char *const texts[][2] = {
        {"gripper( paddle_size [1 0.1 0.4] )",
         "x.world:1:10: \"paddle_size\" has shares of the box, from 0 to 1, not 1"},
        {"gripper( paddle_state [\"ajar\" \"up\"] )",
         "x.world:1:24: \"paddle_state\" is \"closed\" or \"open\", not \"ajar\""},
        {"gripper( paddle_state [\"open\" \"dwn\"] )",
         "x.world:1:31: \"paddle_state\" is \"down\" or \"up\", not \"dwn\"; did you mean "
         "\"down\"?"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        tp_error err = {0};
        tpi_sim *sim = NULL;
        assert_int_equal(
            tpi_sim_parse(&sim, "x.world", texts[i][0], strlen(texts[i][0]), NULL, &err),
            TP_E_SYNTAX);
        assert_string_equal(err.text, texts[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paddles_take_two_seconds),
        cmocka_unit_test(paddles_are_bodies),
        cmocka_unit_test(beams_tell_what_is_between),
        cmocka_unit_test(closing_takes_what_is_between),
        cmocka_unit_test(cargo_goes_where_the_robot_goes),
        cmocka_unit_test(what_stops_the_cargo_stops_the_robot),
        cmocka_unit_test(the_lift_raises_the_cargo_and_opening_drops_it),
        cmocka_unit_test(autosnatch_closes_by_itself),
        cmocka_unit_test(what_is_held_is_not_taken_away),
        cmocka_unit_test(a_restored_gripper_holds_what_it_held),
        cmocka_unit_test(bad_grippers_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
