/* actuator_test.c - joints: how they move, what they carry along and what stops them. */
#include "sim/move/actuators.h"

#include "support/sim.h"

/* A fixed post with a joint that turns, and on it one that slides, with a ball at its end. */
static const char *const arm_text =
    "interval_sim 100\n"
    "model( name \"post\" pose [1 2 0 90] size [0.2 0.2 0.5]\n"
    "  actuator( name \"pan\" type \"rotational\" pose [0 0 0 0] size [0.1 0.1 0.1]\n"
    "    min_position -3 max_position 3 max_speed 1\n"
    "    actuator( name \"slide\" type \"linear\" axis [1 0 0] pose [0.5 0 0 0] size [0.1 0.1 "
    "0.1]\n"
    "      max_position 0.4 max_speed 0.2 start_position 0.1\n"
    "      model( name \"ball\" pose [0.1 0 0 0] size [0.05 0.05 0.05] ) ) ) )\n";

static tpi_sim_actuator look(const tpi_sim *sim, const char *name)
{
    tpi_sim_actuator actuator;

    assert_int_equal(tpi_sim_get_actuator(sim, sim_named(sim, name), &actuator, NULL), TP_OK);
    return actuator;
}

static void go(tpi_sim *sim, const char *name, double position, double speed)
{
    assert_int_equal(tpi_sim_actuator_go(sim, sim_named(sim, name), position, speed, NULL), TP_OK);
}

static void assert_at(const tpi_sim *sim, const char *name, double x, double y, double a)
{
    const tpi_sim_pose pose = tpi_sim_global_pose(sim, sim_named(sim, name));

    sim_assert_near(pose.x, x, 1e-9);
    sim_assert_near(pose.y, y, 1e-9);
    sim_assert_near(sim_normal(pose.a - a), 0, 1e-9);
}

static void a_start_position_displaces_what_stands_on_it(void **state)
{
    tpi_sim *sim = sim_make(arm_text);

    (void)state;
    sim_assert_near(look(sim, "post.pan.slide").position, 0.1, 0);
    assert_at(sim, "post.pan.slide", 1, 2.6, SIM_PI / 2); /* the post looks along y */
    assert_at(sim, "post.pan.slide.ball", 1, 2.7, SIM_PI / 2);
    tpi_sim_destroy(sim);
}

static void joints_move_at_their_speed_and_stop_at_their_goal(void **state)
{
    tpi_sim *sim = sim_make(arm_text);

    (void)state;
    tpi_sim_subscribe(sim, sim_named(sim, "post.pan"));
    tpi_sim_subscribe(sim, sim_named(sim, "post.pan.slide"));
    go(sim, "post.pan", SIM_PI / 2, 0);
    go(sim, "post.pan.slide", 0.3, 0.1);
    sim_steps(sim, 10);
    sim_assert_near(look(sim, "post.pan").position, 1, 1e-9);
    sim_assert_near(look(sim, "post.pan").velocity, 1, 1e-6);
    sim_assert_near(look(sim, "post.pan.slide").position, 0.2, 1e-9);
    sim_steps(sim, 20);
    sim_assert_near(look(sim, "post.pan").position, SIM_PI / 2, 0);
    sim_assert_near(look(sim, "post.pan").velocity, 0, 0);
    sim_assert_near(look(sim, "post.pan.slide").position, 0.3, 1e-9);
    /* the arm points to -x now: half a metre, the slide's way, and the ball's tenth */
    assert_at(sim, "post.pan.slide.ball", 1 - 0.5 - 0.3 - 0.1, 2, SIM_PI);
    tpi_sim_destroy(sim);
}

static void goals_and_speeds_are_cut_to_what_it_can(void **state)
{
    tpi_sim *sim = sim_make(arm_text);

    (void)state;
    tpi_sim_subscribe(sim, sim_named(sim, "post.pan"));
    go(sim, "post.pan", 99, 99);
    sim_assert_near(look(sim, "post.pan").goal, 3, 0);
    sim_steps(sim, 1);
    sim_assert_near(look(sim, "post.pan").position, 0.1, 1e-9);
    assert_int_equal(tpi_sim_actuator_turn(sim, sim_named(sim, "post.pan"), -99, NULL), TP_OK);
    sim_steps(sim, 100);
    sim_assert_near(look(sim, "post.pan").position, -3, 0);
    assert_false(look(sim, "post.pan").stalled);
    tpi_sim_destroy(sim);
}

static void nobody_s_joint_stands_still(void **state)
{
    tpi_sim *sim = sim_make(arm_text);

    (void)state;
    go(sim, "post.pan", 1, 0);
    sim_steps(sim, 3);
    sim_assert_near(look(sim, "post.pan").position, 0, 0);
    tpi_sim_subscribe(sim, sim_named(sim, "post.pan"));
    sim_steps(sim, 3);
    tpi_sim_unsubscribe(sim, sim_named(sim, "post.pan"));
    tpi_sim_subscribe(sim, sim_named(sim, "post.pan"));
    sim_steps(sim, 3);
    sim_assert_near(look(sim, "post.pan").position, 0.3, 1e-9);
    tpi_sim_destroy(sim);
}

/* The arm's ball is at 0.7 m; a wall of a millimetre stands in its way. */
static void an_arm_stops_at_what_is_in_its_way(void **state)
{
    char text[2048];
    tpi_sim *sim;

    (void)state;
    snprintf(text, sizeof text, "%smodel( name \"wall\" pose [0.4 2 0 45] size [0.001 1 2] )\n",
             arm_text);
    sim = sim_make(text);
    tpi_sim_subscribe(sim, sim_named(sim, "post.pan"));
    go(sim, "post.pan", 3, 0);
    sim_steps(sim, 60);
    assert_true(look(sim, "post.pan").stalled);
    assert_in_range((long)(look(sim, "post.pan").position * 1000), 500, 1500);
    go(sim, "post.pan", 0, 0); /* and it comes back */
    sim_steps(sim, 60);
    assert_false(look(sim, "post.pan").stalled);
    sim_assert_near(look(sim, "post.pan").position, 0, 0);
    tpi_sim_destroy(sim);
}

/* A ranger on a turning joint looks where it points. */
static void sensors_turn_with_it(void **state)
{
    tpi_sim *sim =
        sim_make("actuator( name \"neck\" type \"rotational\" size [0.1 0.1 0.1] max_position 2\n"
                 "  ranger( name \"eye\" pose [0 0 0 0] sensor( range [0 9] samples 1 ) ) )\n"
                 "model( name \"east\" pose [3.5 0 0 0] size [1 1 2] )\n"
                 "model( name \"north\" pose [0 2.5 0 0] size [1 1 2] )\n");
    tpi_sim_scan scan;

    (void)state;
    tpi_sim_subscribe(sim, sim_named(sim, "neck"));
    tpi_sim_subscribe(sim, sim_named(sim, "neck.eye"));
    sim_steps(sim, 1);
    assert_int_equal(tpi_sim_get_scan(sim, sim_named(sim, "neck.eye"), 0, &scan, NULL), TP_OK);
    sim_assert_near(scan.ranges[0], 3, 1e-9);
    go(sim, "neck", SIM_PI / 2, 0);
    sim_steps(sim, 20);
    assert_int_equal(tpi_sim_get_scan(sim, sim_named(sim, "neck.eye"), 0, &scan, NULL), TP_OK);
    sim_assert_near(scan.ranges[0], 2, 1e-9);
    tpi_sim_destroy(sim);
}

static void a_restored_arm_is_where_it_was(void **state)
{
    tpi_sim *sim = sim_make(arm_text);
    tpi_buf saved = {0};

    (void)state;
    tpi_sim_subscribe(sim, sim_named(sim, "post.pan"));
    go(sim, "post.pan", 2, 0);
    sim_steps(sim, 7);
    tpi_sim_save(sim, &saved);
    const tpi_sim_pose then = tpi_sim_global_pose(sim, sim_named(sim, "post.pan.slide.ball"));
    sim_steps(sim, 7);
    const uint64_t later = tpi_sim_hash(sim);
    assert_int_equal(tpi_sim_restore(sim, saved.data, saved.length, NULL), TP_OK);
    assert_at(sim, "post.pan.slide.ball", then.x, then.y, then.a);
    sim_steps(sim, 7);
    assert_true(tpi_sim_hash(sim) == later);
    tpi_buf_fini(&saved);
    tpi_sim_destroy(sim);
}

static void what_cannot_be_is_refused(void **state)
{
    tpi_sim *sim = sim_make(arm_text);
    tpi_sim_actuator actuator;
    tp_error err = {0};

    (void)state;
    assert_int_equal(tpi_sim_get_actuator(sim, sim_named(sim, "post"), &actuator, &err),
                     TP_E_UNSUPPORTED);
    assert_string_equal(err.text, "the model is no actuator");
    assert_int_equal(tpi_sim_actuator_go(sim, sim_named(sim, "post.pan"), NAN, 0, &err),
                     TP_E_RANGE);
    assert_int_equal(tpi_sim_actuator_turn(sim, sim_named(sim, "post.pan"), NAN, &err), TP_E_RANGE);
    tpi_sim_destroy(sim);
    assert_int_equal(tpi_sim_parse(&sim, "x.world", "actuator( type \"round\" )", 24, NULL, &err),
                     TP_E_SYNTAX);
    assert_string_equal(err.text,
                        "x.world:1:16: \"type\" is \"linear\" or \"rotational\", not \"round\"");
    assert_int_equal(tpi_sim_parse(&sim, "x.world", "actuator( min_position 2 )", 26, NULL, &err),
                     TP_E_SYNTAX);
    assert_string_equal(err.text, "x.world:1:11: the actuator's positions are from 2 to 1");
}

/* ---- Lamps ----------------------------------------------------------------------------------- */

static void lamps_blink_by_simulated_time(void **state)
{
    tpi_sim *sim = sim_make("blinkenlight( name \"b\" period 400 dutycycle 0.5 )\n"
                            "lightindicator( name \"l\" pose [3 0 0 0] )\n");
    tpi_sim_lamp lamp;
    tp_error err;
    char seen[9] = {0};

    (void)state;
    for (int i = 0; i < 8; i++) {
        assert_int_equal(tpi_sim_get_lamp(sim, sim_named(sim, "b"), &lamp, NULL), TP_OK);
        seen[i] = lamp.lit ? 'x' : '.';
        sim_steps(sim, 1);
    }
    assert_string_equal(seen, "xx..xx..");
    lamp.enabled = false;
    assert_int_equal(tpi_sim_set_lamp(sim, sim_named(sim, "b"), &lamp, NULL), TP_OK);
    assert_int_equal(tpi_sim_get_lamp(sim, sim_named(sim, "b"), &lamp, NULL), TP_OK);
    assert_false(lamp.lit);
    sim_assert_near(lamp.period, 0.4, 1e-12);
    assert_int_equal(tpi_sim_get_lamp(sim, sim_named(sim, "l"), &lamp, NULL), TP_OK);
    assert_false(lamp.lit);
    lamp.enabled = true;
    assert_int_equal(tpi_sim_set_lamp(sim, sim_named(sim, "l"), &lamp, NULL), TP_OK);
    assert_int_equal(tpi_sim_get_lamp(sim, sim_named(sim, "l"), &lamp, NULL), TP_OK);
    assert_true(lamp.lit);
    lamp.period = 0.5;
    lamp.duty = 0.5;
    assert_int_equal(tpi_sim_set_lamp(sim, sim_named(sim, "l"), &lamp, &err), TP_E_UNSUPPORTED);
    assert_string_equal(err.text, "a lightindicator is on or off; a blinkenlight blinks");
    lamp.duty = 2;
    assert_int_equal(tpi_sim_set_lamp(sim, sim_named(sim, "b"), &lamp, NULL), TP_E_RANGE);
    tpi_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_position_displaces_what_stands_on_it),
        cmocka_unit_test(joints_move_at_their_speed_and_stop_at_their_goal),
        cmocka_unit_test(goals_and_speeds_are_cut_to_what_it_can),
        cmocka_unit_test(nobody_s_joint_stands_still),
        cmocka_unit_test(an_arm_stops_at_what_is_in_its_way),
        cmocka_unit_test(sensors_turn_with_it),
        cmocka_unit_test(a_restored_arm_is_where_it_was),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(lamps_blink_by_simulated_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
