/* offer_test.c - which models sections get, and as what. */
#include "simulator_test.h"

#include <stdio.h>

#include "troupe/front.h"
#include "troupe/interfaces/actarray.h"
#include "troupe/interfaces/gripper.h"
#include "troupe/interfaces/ir.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/simulation.h"
#include "troupe/interfaces/sonar.h"

#define STILL DATA("mixed") " sleep=1 paused=1"

/* The model of a device; "" for none. */
static const char *model_of(stage *s, const char *address)
{
    const tp_device *device = bench_find(&s->p->b, address);

    return device == NULL ? "(no device)" : tp_device_property_text(device, "model");
}

static void assert_model(stage *s, const char *address, const char *model)
{
    const char *found = model_of(s, address);

    if (strcmp(found, model) != 0) {
        fail_msg("%s is %s, not %s", address, found, model);
    }
}

/* ---- Everything ------------------------------------------------------------------------------ */

static void everything_has_lasers_sonars_and_eyes_robot_by_robot(void **state)
{
    static const char *const devices[][2] = {
        {"position2d:0", "ant"},      {"position2d:1", "bat"},    {"position2d:2", "cat"},
        {"ranger:0", "ant.whiskers"}, {"ranger:1", "bat.sonar"},  {"ranger:2", "cat.whiskers"},
        {"ranger:3", "cat.sonar"},    {"ranger:4", "cat.laser"},  {"laser:0", "cat.laser"},
        {"sonar:0", "ant.whiskers"},  {"sonar:1", "bat.sonar"},   {"sonar:2", "cat.whiskers"},
        {"sonar:3", "cat.sonar"},     {"ir:0", "ant.whiskers"},   {"ir:1", "cat.whiskers"},
        {"laser:1", "(no device)"},   {"sonar:4", "(no device)"}, {"ir:2", "(no device)"},
    };
    stage s;

    (void)state;
    stage_begin(&s, NULL, STILL);
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        assert_model(&s, devices[i][0], devices[i][1]);
    }
    stage_end(&s);
}

static void eyes_tell_ranges_and_voltages(void **state)
{
    stage s;
    const tp_ir_power_req off = {0};

    (void)state;
    stage_begin(&s, "world:0 ir:0", STILL " model=cat");
    assert_model(&s, "ir:0", "cat.whiskers");
    bench_reader *r = stage_open(&s, "ir:0");
    stage_step(&s, 1);
    const tp_ir_data *data = stage_last(r, TP_IR_DATA_RANGES);
    assert_int_equal(data->ranges_count, 2);
    assert_int_equal(data->voltages_count, 2);
    assert_true(fabsf(data->ranges[0] - 0.8f) < 1e-6f);
    assert_true(fabsf(data->voltages[1] - (float)(0.4 + 2.6 * exp(-0.8))) < 1e-6f);
    const tp_ir_pose *geom = stage_get(&s, r, TP_IR_REQ_POSE, NULL);
    assert_int_equal(geom->poses_count, 2);
    play_assert_near(geom->poses[1].py, -0.1);
    stage_request(&s, r, TP_IR_REQ_POWER, &off);
    const uint32_t before = r->counts[TP_IR_DATA_RANGES];
    stage_step(&s, 2);
    assert_int_equal(r->counts[TP_IR_DATA_RANGES], before);
    stage_end(&s);
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static void what_suits_goes_before_what_will_do(void **state)
{
    stage s;

    (void)state;
    stage_begin(&s, "world:0 sonar:0 sonar:1 ir:0 ir:1 ranger:0 ranger:1 ranger:2",
                STILL " model=cat");
    assert_model(&s, "sonar:0", "cat.sonar");
    assert_model(&s, "sonar:1", "cat.whiskers");
    assert_model(&s, "ir:0", "cat.whiskers");
    assert_model(&s, "ir:1", "cat.sonar");
    assert_model(&s, "ranger:0", "cat.whiskers"); /* in the order of the file, as in Stage */
    assert_model(&s, "ranger:1", "cat.sonar");
    assert_model(&s, "ranger:2", "cat.laser");
    stage_end(&s);
}

static void no_ranger_is_a_laser_and_a_sonar(void **state)
{
    (void)state;
    play_assert_not_added(&tp_driver_sim, "sonar:0 sonar:1 sonar:2", NULL, STILL " model=cat",
                          "sim0: there is no model for sonar left in the model \"cat\": it takes a "
                          "ranger with several sensors, or with one of a single sample");
    play_assert_not_added(&tp_driver_sim, "laser:0", NULL, STILL " model=ant",
                          "sim0: there is no model for laser left in the model \"ant\": it takes a "
                          "ranger with one sensor");
}

static void a_single_beam_is_a_laser_for_who_asks_for_one(void **state)
{
    const tp_laser_config wanted = {.min_angle = -1, .max_angle = 1, .resolution = 0.1f};
    stage s;

    (void)state;
    stage_begin(&s, "world:0 laser:0 sonar:0", STILL " model=bat");
    assert_model(&s, "laser:0", "bat.sonar");
    assert_model(&s, "sonar:0", "bat.sonar");
    bench_reader *r = stage_open(&s, "laser:0");
    stage_step(&s, 1);
    const tp_laser_data *scan = stage_last(r, TP_LASER_DATA_SCAN);
    assert_int_equal(scan->ranges_count, 1);
    assert_true(fabsf(scan->ranges[0] - 5) < 1e-6f);
    assert_true(scan->min_angle == 0 && scan->max_angle == 0);
    assert_true(fabsf(scan->resolution - 0.1f) < 1e-6f);
    const tp_laser_config *config = stage_get(&s, r, TP_LASER_REQ_GET_CONFIG, NULL);
    assert_true(config->min_angle == 0 && config->max_angle == 0);
    stage_refused(&s, r, TP_LASER_REQ_SET_CONFIG, &wanted,
                  "it does not scan, so there is nothing to change");
    stage_end(&s);
}

/* Though bat comes before cat. */
static void a_scanner_goes_before_a_single_beam(void **state)
{
    stage s;

    (void)state;
    stage_begin(&s, "world:0 laser:0 laser:1", STILL);
    assert_model(&s, "laser:0", "cat.laser");
    assert_model(&s, "laser:1", "bat.sonar");
    stage_end(&s);
    stage_begin(&s, "world:0 laser:0 gripper:0 position2d:0", STILL); /* bat has a gripper, too */
    assert_model(&s, "laser:0", "cat.laser");
    stage_end(&s);
}

/* ---- Sections without a model ---------------------------------------------------------------- */

static char noted[256];

static void keep_note(void *context, const char *text)
{
    (void)context;
    snprintf(noted, sizeof noted, "%s", text);
}

/* As stage_begin(), with an ear for notes. */
static void begin_noting(stage *s, const char *provides, const char *settings)
{
    memset(s, 0, sizeof *s);
    noted[0] = '\0';
    s->p = play_create();
    tpi_hub_set_note(s->p->b.hub, keep_note, NULL);
    play_add(s->p, &tp_driver_sim, provides, NULL, settings);
}

static void a_section_without_a_model_is_one_robot(void **state)
{
    stage s;

    (void)state;
    begin_noting(&s, "simulation:0 position2d:0 laser:0 sonar:0", STILL);
    assert_model(&s, "position2d:0", "cat"); /* the first that has all of them */
    assert_model(&s, "laser:0", "cat.laser");
    assert_model(&s, "sonar:0", "cat.sonar");
    assert_string_equal(noted, "");
    stage_end(&s);
    begin_noting(&s, "position2d:0 sonar:0", STILL);
    assert_model(&s, "position2d:0", "ant");
    assert_model(&s, "sonar:0", "ant.whiskers");
    stage_end(&s);
    begin_noting(&s, "position2d:0 power:0", STILL);
    assert_model(&s, "position2d:0", "cat");
    assert_model(&s, "power:0", "cat");
    stage_end(&s);
}

static void a_section_that_no_robot_can_be_is_told(void **state)
{
    stage s;

    (void)state;
    begin_noting(&s, "position2d:0 laser:0 sonar:0 gripper:0 position2d:1", STILL);
    assert_model(&s, "position2d:0", "ant"); /* the first of those that have most */
    assert_model(&s, "sonar:0", "ant.whiskers");
    assert_model(&s, "laser:0", "cat.laser");
    assert_model(&s, "gripper:0", "ant.lower.jaw");
    assert_model(&s, "position2d:1", "bat");
    assert_string_equal(noted, "sim0: no robot has all that a section without \"model\" provides: "
                               "it is ant, but its laser is of cat");
    stage_end(&s);
}

static void a_profile_for_nobody_is_told(void **state)
{
    stage s;

    (void)state;
    begin_noting(&s, "sonar:0", STILL " profile=p2os");
    assert_string_equal(noted, "sim0: the profile \"p2os\" is for no device of its section");
    stage_end(&s);
    begin_noting(&s, "sonar:0 position2d:0", STILL " profile=p2os");
    assert_string_equal(noted, "");
    stage_end(&s);
}

static void a_key_that_means_nothing_is_told(void **state)
{
    stage s;

    (void)state;
    begin_noting(&s, "left@gripper:0 lift@actarray:0", STILL " model=bat");
    assert_model(&s, "gripper:0", "bat.hand");
    assert_string_equal(noted, "sim0: the key \"left\" of gripper means nothing here");
    stage_end(&s);
    begin_noting(&s, "lift@actarray:0", STILL " model=bat");
    assert_string_equal(noted, "");
    stage_end(&s);
}

/* ---- Lifts ----------------------------------------------------------------------------------- */

static void a_gripper_has_a_lift(void **state)
{
    stage s;
    const tp_actarray_position_cmd up = {.position = 0.1f};
    const tp_actarray_position_cmd wrong = {.joint = 1};
    const tp_actarray_position_cmd bad = {.position = NAN};
    const tp_actarray_home_cmd home = {.joint = -1};

    (void)state;
    stage_begin(&s, "world:0 gripper:0 actarray:0", STILL " model=bat");
    assert_model(&s, "actarray:0", "bat.hand");
    bench_reader *lift = stage_open(&s, "actarray:0");
    bench_reader *hand = stage_open(&s, "gripper:0");
    stage_command(&s, lift, TP_ACTARRAY_CMD_POS, &up);
    stage_step(&s, 10);
    const tp_actarray_data *data = stage_last(lift, TP_ACTARRAY_DATA_STATE);
    assert_int_equal(data->actuators[0].state, TP_ACTARRAY_ACTSTATE_MOVING);
    assert_true(fabsf(data->actuators[0].position - 0.05f) < 1e-6f);
    assert_true(fabsf(data->actuators[0].speed - 0.05f) < 1e-6f);
    const tp_gripper_data *fingers = stage_last(hand, TP_GRIPPER_DATA_STATE);
    assert_int_equal(fingers->state, TP_GRIPPER_STATE_OPEN); /* they do not move */
    stage_command(&s, hand, TP_GRIPPER_CMD_STOP, NULL);      /* which is about fingers alone */
    stage_step(&s, 10);
    data = stage_last(lift, TP_ACTARRAY_DATA_STATE);
    assert_int_equal(data->actuators[0].state, TP_ACTARRAY_ACTSTATE_IDLE);
    assert_true(fabsf(data->actuators[0].position - 0.1f) < 1e-6f);
    stage_command(&s, lift, TP_ACTARRAY_CMD_HOME, &home);
    stage_step(&s, 5);
    stage_request(&s, lift, TP_COMMON_REQ_HALT, NULL);
    stage_step(&s, 5);
    data = stage_last(lift, TP_ACTARRAY_DATA_STATE);
    assert_true(fabsf(data->actuators[0].position - 0.075f) < 1e-6f);
    const tp_actarray_geom *geom = stage_get(&s, lift, TP_ACTARRAY_REQ_GET_GEOM, NULL);
    assert_true(geom->actuators_count == 1 && fabsf(geom->actuators[0].max - 0.1f) < 1e-6f);
    assert_true(bench_command(&s.p->b, lift->reader.device, TP_ACTARRAY_CMD_POS, &wrong) < 0);
    assert_string_equal(s.p->b.err.text, "there is no actuator 1");
    assert_true(bench_command(&s.p->b, lift->reader.device, TP_ACTARRAY_CMD_POS, &bad) < 0);
    assert_string_equal(s.p->b.err.text, "position nan is not a number");
    stage_end(&s);
}

static void a_lift_is_asked_for_by_its_key(void **state)
{
    stage s;

    (void)state;
    stage_begin(&s, "world:0 lift@actarray:0 actarray:1", STILL " model=ant");
    assert_model(&s, "actarray:0", "ant.lower.jaw");
    assert_model(&s, "actarray:1", "ant.lower");
    bench_reader *arm = stage_open(&s, "actarray:1");
    const tp_actarray_geom *geom = stage_get(&s, arm, TP_ACTARRAY_REQ_GET_GEOM, NULL);
    assert_int_equal(geom->actuators_count, 2); /* all of it: the lift is no actarray beside it */
    stage_end(&s);
    stage_begin(&s, "world:0 actarray:0", STILL " model=ant"); /* as in Stage */
    assert_model(&s, "actarray:0", "ant.lower");
    stage_end(&s);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static tp_pose3d place_of(stage *s, const char *from, const char *to)
{
    tp_pose3d pose = {0};
    double time_s;
    tp_error err = {0};

    if (tp_hub_transform(s->p->b.hub, BENCH_ROBOT, from, to, &pose, &time_s, &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
    return pose;
}

static void assert_place(stage *s, const char *from, const char *to, double x, double y)
{
    const tp_pose3d pose = place_of(s, from, to);

    play_assert_near(pose.px, x);
    play_assert_near(pose.py, y);
}

static void frames_are_known_before_anybody_reads(void **state)
{
    stage s;
    const tp_simulation_pose2d_req there = {
        .name_count = 4, .name = play_chars("bat"), .pose = {.px = 1, .py = 5}};

    (void)state;
    stage_begin(&s, NULL, STILL);
    (void)play_get(s.p, TP_WORLD_REQ_GET_STATE, NULL); /* what it sent before has come */
    assert_place(&s, "base", "map", 0, 8);             /* ant */
    assert_place(&s, "base1", "map", 0, 4);            /* bat */
    assert_place(&s, "laser:0", "base2", 0, 0);
    assert_place(&s, "power:0", "base2", 0, 0);
    assert_place(&s, "power:0", "map", 0, 0);
    assert_place(&s, "gripper:1", "map", 0.3, 4);
    assert_place(&s, "simulation:0", "map", 0, 0);
    stage_request(&s, stage_open(&s, "simulation:0"), TP_SIMULATION_REQ_SET_POSE2D, &there);
    assert_place(&s, "gripper:1", "map", 1.3, 5);
    stage_end(&s);
}

static double number_of(stage *s, const char *address, const char *key)
{
    return tp_device_property_number(bench_find(&s->p->b, address), key);
}

/* Clients choose sensors by them. */
static void rangers_tell_what_they_can(void **state)
{
    const double degree = acos(-1) / 180;
    const tp_laser_config less = {
        .min_angle = -1, .max_angle = 1, .resolution = (float)(2 * degree)};
    stage s;

    (void)state;
    stage_begin(&s, "world:0 laser:0 ranger:0 ranger:1 sonar:0",
                DATA("yard") " sleep=1 paused=1 model=r0 profile=lms200");
    play_assert_near(number_of(&s, "ranger:0", "max_range"), 5); /* two eyes */
    play_assert_near(number_of(&s, "ranger:1", "max_range"), 8);
    play_assert_near(number_of(&s, "ranger:1", "min_range"), 0);
    play_assert_near(number_of(&s, "ranger:1", "fov"), 180 * degree);
    play_assert_near(number_of(&s, "sonar:0", "max_range"), 5);
    play_assert_near(number_of(&s, "sonar:0", "sensors"), 2);
    assert_true(number_of(&s, "sonar:0", "fov") >= 60 * degree - 1e-9);
    assert_true(number_of(&s, "sonar:0", "fov") < 70 * degree);
    play_assert_near(number_of(&s, "laser:0", "readings"), 181);
    play_assert_near(number_of(&s, "laser:0", "resolution"), degree);
    stage_end(&s);
    stage_begin(&s, "world:0 laser:0", DATA("yard") " sleep=1 paused=1 model=r0 profile=urg");
    play_assert_near(number_of(&s, "laser:0", "max_range"), 5.6);
    stage_request(&s, stage_open(&s, "laser:0"), TP_LASER_REQ_SET_CONFIG, &less);
    play_assert_near(number_of(&s, "laser:0", "readings"), 58);
    play_assert_near(number_of(&s, "laser:0", "fov"), 114 * degree);
    stage_end(&s);
}

/* A base is on the floor, and robots have heights; Player's own answers count as Stage does. */
static void frames_have_true_heights(void **state)
{
    stage s;

    (void)state;
    stage_begin(&s, NULL, STILL);
    (void)play_get(s.p, TP_WORLD_REQ_GET_STATE, NULL);
    play_assert_near(place_of(&s, "base2", "map").pz, 0);
    play_assert_near(place_of(&s, "laser:0", "base2").pz, 0.21); /* in the middle of its sensor */
    play_assert_near(place_of(&s, "laser:0", "map").pz, 0.21);
    play_assert_near(place_of(&s, "gripper:1", "map").pz, 0);   /* bat's, from the top down */
    play_assert_near(place_of(&s, "gripper:0", "map").pz, 1.1); /* ant's, on an arm of a metre */
    bench_reader *laser = stage_open(&s, "laser:0");
    const tp_laser_geom *geom = stage_get(&s, laser, TP_LASER_REQ_GET_GEOM, NULL);
    play_assert_near(geom->pose.pz, 0);
    stage_end(&s);
}

/* A published configuration names the robot of another version of its world. */
static void the_only_robot_stands_in_for_a_name_that_is_not_there(void **state)
{
    stage s;

    (void)state;
    begin_noting(&s, "position2d:0 ranger:0", DATA("lone") " sleep=1 paused=1 model=robot1");
    assert_model(&s, "position2d:0", "solo");
    assert_model(&s, "ranger:0", "solo.ranger:0");
    assert_string_equal(noted, "sim0: there is no model \"robot1\" in the world lone; its only "
                               "robot, solo, is taken");
    stage_end(&s);
    play_assert_not_added(&tp_driver_sim, "position2d:0", NULL, DATA("lone") " model=robot1.laser",
                          "sim0: there is no model \"robot1.laser\" in the world lone");
    play_assert_not_added(&tp_driver_sim, "position2d:0", NULL, STILL " model=robot1",
                          "sim0: there is no model \"robot1\" in the world mixed");
}

/* Likewise, and the world has several that are alike by now. */
static void the_first_of_robots_that_are_alike_stands_in(void **state)
{
    stage s;

    (void)state;
    begin_noting(&s, "position2d:0 ranger:0", DATA("twins") " sleep=1 paused=1 model=robot1");
    assert_model(&s, "position2d:0", "left");
    assert_model(&s, "ranger:0", "left.ranger:0");
    assert_string_equal(noted,
                        "sim0: there is no model \"robot1\" in the world twins; the first of "
                        "its robots, left, is taken");
    stage_end(&s);
    play_assert_not_added(&tp_driver_sim, "position2d:0", NULL, DATA("twins") " model=rigth",
                          "sim0: there is no model \"rigth\" in the world twins; did you mean "
                          "\"right\"?");
    play_assert_not_added(&tp_driver_sim, "position2d:0", NULL, DATA("twins") " model=robota",
                          "sim0: there is no model \"robota\" in the world twins");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_of_robots_that_are_alike_stands_in),
        cmocka_unit_test(the_only_robot_stands_in_for_a_name_that_is_not_there),
        cmocka_unit_test(everything_has_lasers_sonars_and_eyes_robot_by_robot),
        cmocka_unit_test(eyes_tell_ranges_and_voltages),
        cmocka_unit_test(what_suits_goes_before_what_will_do),
        cmocka_unit_test(no_ranger_is_a_laser_and_a_sonar),
        cmocka_unit_test(a_single_beam_is_a_laser_for_who_asks_for_one),
        cmocka_unit_test(a_scanner_goes_before_a_single_beam),
        cmocka_unit_test(a_section_without_a_model_is_one_robot),
        cmocka_unit_test(a_section_that_no_robot_can_be_is_told),
        cmocka_unit_test(a_profile_for_nobody_is_told),
        cmocka_unit_test(a_key_that_means_nothing_is_told),
        cmocka_unit_test(a_gripper_has_a_lift),
        cmocka_unit_test(a_lift_is_asked_for_by_its_key),
        cmocka_unit_test(frames_are_known_before_anybody_reads),
        cmocka_unit_test(rangers_tell_what_they_can),
        cmocka_unit_test(frames_have_true_heights),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
