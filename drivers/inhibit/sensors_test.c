/* sensors_test.c - what the sensors of a robot see, and where. */
#include "inhibit_test.h"

#include <math.h>

#include "troupe/interfaces/bumper.h"
#include "troupe/interfaces/ir.h"
#include "troupe/interfaces/ranger.h"
#include "troupe/interfaces/sonar.h"

/* It sits at the back and looks there. */
static void a_laser_sees_from_where_it_sits(void **state)
{
    play *p = begin("position2d:0 laser:0", "poses=-0.2,0.1,3.14159265358979");

    (void)state;
    see(p, 0, 0.2f); /* behind, at (-0.4, 0.1) */
    go(p, 0.5, 0, 0);
    assert_told(p, 0.5, 0, 0);
    assert_denied(p, -0.5, 0, 0,
                  "stopped: the laser sees something after 0.20 m, stop_distance is 0.30 m");
    play_destroy(p);
}

static void a_laser_may_hang_upside_down(void **state)
{
    const tp_laser_geom hanging = {.pose = {.proll = 180 * degree}};
    play *p = play_create();

    (void)state;
    play_add(p, &puppet_driver, "position2d:0 laser:0", NULL, NULL);
    puppet_at(&p->b, base)->answers[TP_POSITION2D_REQ_GET_GEOM] = &robot;
    puppet_at(&p->b, laser)->answers[TP_LASER_REQ_GET_GEOM] = &hanging;
    play_add(p, &tp_driver_inhibit, "position2d:9", "position2d:0 laser:0", NULL);
    play_open(p);
    puppet_wait(&p->b, 0);
    see(p, 90 * degree, 0.5f); /* its left, the robot's right */
    go(p, 0, 0.5, 0);
    assert_denied(p, 0, -0.5, 0,
                  "stopped: the laser sees something after 0.25 m, stop_distance is 0.30 m");
    play_destroy(p);
}

static void scans_come_in_several_forms(void **state)
{
    play *p = begin_laser(NULL);
    float ranges[] = {0.6f, 8};
    float angles[] = {0, 1};
    const tp_laser_data_scanangle uneven = {
        .max_range = 8, .ranges_count = 2, .ranges = ranges, .angles_count = 2, .angles = angles};
    const tp_laser_data_scanpose posed = {
        .scan = {.resolution = 1, .max_range = 8, .ranges_count = 2, .ranges = ranges}};
    const char *why = "stopped: the laser sees something after 0.20 m, stop_distance is 0.30 m";

    (void)state;
    puppet_send(&p->b, laser, TP_LASER_DATA_SCANANGLE, &uneven);
    assert_denied(p, 0.5, 0, 0, why);
    see(p, 0, 8);
    puppet_send(&p->b, laser, TP_LASER_DATA_SCANPOSE, &posed);
    assert_denied(p, 0.5, 0, 0, why);
    play_destroy(p);
}

static void readings_that_are_none_do_not_count(void **state)
{
    play *p = begin_laser("nearest=0.35");
    float ranges[] = {0, -1, NAN, INFINITY, 8, 9, 0.3f};
    const tp_laser_data data = {.resolution = 0.01f,
                                .max_range = 8,
                                .ranges_count = sizeof ranges / sizeof ranges[0],
                                .ranges = ranges};

    (void)state;
    puppet_send(&p->b, laser, TP_LASER_DATA_SCAN, &data);
    go(p, 0.5, 0, 0);
    assert_told(p, 0.5, 0, 0);
    float farthest = 0.6f;
    const tp_laser_data short_sighted = {
        .resolution = 1, .max_range = 0.6f, .ranges_count = 1, .ranges = &farthest};
    puppet_send(&p->b, laser, TP_LASER_DATA_SCAN, &short_sighted);
    assert_told(p, 0.5, 0, 0);
    play_destroy(p);
}

/* A ring that is turned to the left: what is at its left is behind. */
static void elements_turn_with_their_ranger(void **state)
{
    play *p = begin("position2d:0 ranger:0", "poses=0,0,1.5707963267948966");
    tp_pose3d elements[] = {{.py = 0.2, .pyaw = 90 * degree}, {.px = 0.25}};
    const tp_ranger_geom geom = {.element_poses_count = 2, .element_poses = elements};
    double ranges[] = {0.2, 8};
    const tp_ranger_data_range data = {.ranges_count = 2, .ranges = ranges};

    (void)state;
    puppet_send(&p->b, "ranger:0", TP_RANGER_DATA_GEOM, &geom);
    puppet_send(&p->b, "ranger:0", TP_RANGER_DATA_RANGE, &data);
    go(p, 0.5, 0, 0);
    assert_denied(p, -0.5, 0, 0,
                  "stopped: the ranger sees something after 0.20 m, stop_distance is 0.30 m");
    play_destroy(p);
}

static void a_laser_without_a_place_sees_nothing(void **state)
{
    play *p = begin("position2d:0 laser:1", NULL);
    float range = 8;
    const tp_laser_data data = {
        .resolution = 1, .max_range = 8, .ranges_count = 1, .ranges = &range};

    (void)state;
    puppet_send(&p->b, "laser:1", TP_LASER_DATA_SCAN, &data);
    assert_denied(p, 0.5, 0, 0, "stopped: the laser does not say where it sits");
    play_destroy(p);
}

static void sonars_see_in_cones(void **state)
{
    play *p = play_create();
    tp_pose3d poses[] = {{.px = 0.4}, {.px = 0.3, .py = 0.2, .pyaw = 90 * degree}};
    const tp_sonar_geom geom = {.poses_count = 2, .poses = poses};
    float ranges[] = {5, 5, 5};
    tp_sonar_data data = {.ranges_count = 2, .ranges = ranges};

    (void)state;
    play_add(p, &puppet_driver, "position2d:0 sonar:0", NULL, NULL);
    puppet_at(&p->b, base)->answers[TP_POSITION2D_REQ_GET_GEOM] = &robot;
    puppet_at(&p->b, "sonar:0")->answers[TP_SONAR_REQ_GET_GEOM] = &geom;
    play_add(p, &tp_driver_inhibit, "position2d:9", "sonar:0 position2d:0", "cone=0.5236");
    play_open(p);
    puppet_wait(&p->b, 0);
    puppet_send(&p->b, "sonar:0", TP_SONAR_DATA_RANGES, &data);
    go(p, 0.5, 0, 0);
    ranges[0] = 0.25f;
    puppet_send(&p->b, "sonar:0", TP_SONAR_DATA_RANGES, &data);
    assert_told(p, 0, 0, 0);
    ranges[0] = 5;
    ranges[1] = 0.3f; /* the edges of its cone are nearer than its middle */
    puppet_send(&p->b, "sonar:0", TP_SONAR_DATA_RANGES, &data);
    go(p, 0.5, 0, 0);
    assert_denied(p, 0, 0.5, 0,
                  "stopped: the sonar sees something after 0.24 m, stop_distance is 0.30 m");
    data.ranges_count = 3;
    puppet_send(&p->b, "sonar:0", TP_SONAR_DATA_RANGES, &data);
    assert_denied(p, 0.5, 0, 0, "stopped: the sonar has more readings than places");
    play_destroy(p);
}

static void infrared_sensors_see_too(void **state)
{
    play *p = begin("position2d:0 ir:0", NULL);
    tp_pose3d pose = {.px = -0.2, .pyaw = 180 * degree};
    const tp_ir_pose geom = {.poses_count = 1, .poses = &pose};
    float range = 0.2f;
    const tp_ir_data data = {.ranges_count = 1, .ranges = &range};

    (void)state;
    play_close(p);
    puppet_at(&p->b, "ir:0")->answers[TP_IR_REQ_POSE] = &geom;
    play_open(p);
    puppet_wait(&p->b, 0);
    puppet_send(&p->b, "ir:0", TP_IR_DATA_RANGES, &data);
    go(p, 0.5, 0, 0);
    assert_denied(p, -0.5, 0, 0,
                  "stopped: the ir sees something after 0.20 m, stop_distance is 0.30 m");
    play_destroy(p);
}

static void bumpers_stop_what_presses_them(void **state)
{
    play *p = begin("position2d:0 bumper:0", NULL);
    tp_bumper_define define[] = {{.pose = {.px = 0.42}}, {.pose = {.py = 0.25}}};
    const tp_bumper_geom geom = {.bumper_def_count = 2, .bumper_def = define};
    uint8_t pressed[] = {0, 0};
    const tp_bumper_data data = {.bumpers_count = 2, .bumpers = pressed};

    (void)state;
    puppet_send(&p->b, "bumper:0", TP_BUMPER_DATA_GEOM, &geom); /* told later */
    puppet_send(&p->b, "bumper:0", TP_BUMPER_DATA_STATE, &data);
    go(p, 0.5, 0, 0);
    pressed[0] = 1;
    puppet_send(&p->b, "bumper:0", TP_BUMPER_DATA_STATE, &data);
    assert_told(p, 0, 0, 0);
    go(p, -0.5, 0, 0);
    assert_told(p, -0.5, 0, 0);
    pressed[0] = 0;
    pressed[1] = 1; /* to the left */
    puppet_send(&p->b, "bumper:0", TP_BUMPER_DATA_STATE, &data);
    go(p, 0.5, 0, 0);
    assert_told(p, 0.5, 0, 0);
    assert_denied(p, 0, 0.5, 0,
                  "stopped: the bumper sees something after 0.00 m, stop_distance is 0.30 m");
    play_destroy(p);
}

static void rangers_scan_or_have_elements(void **state)
{
    play *p = begin("position2d:0 ranger:0", "poses=0,0,0");
    double ranges[] = {8, 0.6, 8};
    const tp_ranger_data_range data = {.ranges_count = 3, .ranges = ranges};
    tp_ranger_data_rangestamped stamped = {
        .data = data,
        .have_config = 1,
        .config = {.min_angle = -90 * degree, .angular_res = 90 * degree, .max_range = 8}};
    tp_pose3d elements[] = {{.px = -0.2, .pyaw = 180 * degree}, {.px = 0.4}, {.py = 0.2}};
    const tp_ranger_geom geom = {.element_poses_count = 3, .element_poses = elements};
    const tp_ranger_data_intns shine = {.intensities_count = 3, .intensities = ranges};

    (void)state;
    puppet_send(&p->b, "ranger:0", TP_RANGER_DATA_RANGE, &data);
    assert_denied(p, 0.5, 0, 0, "stopped: the ranger does not say at which angles it measures");
    puppet_send(&p->b, "ranger:0", TP_RANGER_DATA_RANGESTAMPED, &stamped);
    assert_denied(p, 0.5, 0, 0,
                  "stopped: the ranger sees something after 0.20 m, stop_distance is 0.30 m");
    puppet_send(&p->b, "ranger:0", TP_RANGER_DATA_INTNS, &shine); /* no ranges at all */
    go(p, -0.5, 0, 0);
    puppet_send(&p->b, "ranger:0", TP_RANGER_DATA_GEOM, &geom);
    puppet_send(&p->b, "ranger:0", TP_RANGER_DATA_RANGE, &data);
    go(p, 0.5, 0, 0); /* the second one sees 0.6 ahead of the front */
    const tp_position2d_cmd_vel *told = puppet_last(&p->b, base, TP_POSITION2D_CMD_VEL);
    play_assert_near(told->vel.px, 0.5 * (0.6 * cos(0.15) - 0.3) / 0.7);
    play_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_laser_sees_from_where_it_sits),
        cmocka_unit_test(a_laser_may_hang_upside_down),
        cmocka_unit_test(scans_come_in_several_forms),
        cmocka_unit_test(readings_that_are_none_do_not_count),
        cmocka_unit_test(elements_turn_with_their_ranger),
        cmocka_unit_test(a_laser_without_a_place_sees_nothing),
        cmocka_unit_test(sonars_see_in_cones),
        cmocka_unit_test(infrared_sensors_see_too),
        cmocka_unit_test(bumpers_stop_what_presses_them),
        cmocka_unit_test(rangers_scan_or_have_elements),
    };

    return cmocka_run_group_tests_name("sensors_test", tests, NULL, NULL);
}
