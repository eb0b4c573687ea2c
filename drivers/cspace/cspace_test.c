/* cspace_test.c - scans of a laser or ranger become free space for the robot. */
#include <math.h>

#include "conformance/puppet.h"
#include "support/memory.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/ranger.h"

extern const tp_driver tp_driver_cspace;
extern const tp_driver tp_driver_fake;

static const double degree = 0.017453292519943295;
static const float quarter = 1.5707964f;

/* ---- A laser ahead, to the left and to the right --------------------------------------------- */

static play *begin_at(const tp_laser_geom *geom, const char *settings)
{
    play *p = play_create();

    play_add(p, &puppet_driver, "laser:0", NULL, NULL);
    puppet_at(&p->b, "laser:0")->answers[TP_LASER_REQ_GET_GEOM] = geom;
    play_add(p, &tp_driver_cspace, "laser:1", "laser:0", settings);
    play_open(p);
    return p;
}

static play *begin(const char *settings)
{
    return begin_at(NULL, settings);
}

static tp_laser_data three(float *ranges)
{
    return (tp_laser_data){.min_angle = -quarter,
                           .max_angle = quarter,
                           .resolution = quarter,
                           .max_range = 8,
                           .ranges_count = 3,
                           .ranges = ranges,
                           .id = 5};
}

/* What becomes of a scan to the right, ahead and to the left. */
static const tp_laser_data *scan(play *p, float right, float ahead, float left)
{
    float ranges[] = {right, ahead, left};
    const tp_laser_data data = three(ranges);

    return puppet_await(&p->r, "laser:0", TP_LASER_DATA_SCAN, &data, TP_LASER_DATA_SCAN);
}

static void assert_ways(const tp_laser_data *scan, double right, double ahead, double left)
{
    assert_int_equal(scan->ranges_count, 3);
    play_assert_near((double)scan->ranges[0], right);
    play_assert_near((double)scan->ranges[1], ahead);
    play_assert_near((double)scan->ranges[2], left);
}

static void a_round_robot_goes_as_far_as_its_edge_lets_it(void **state)
{
    play *p = begin("radius=0.5");
    const tp_laser_data *out = scan(p, 2, 3, 4);

    (void)state;
    assert_ways(out, 1.5, 2.5, 3.5);
    play_assert_near((double)out->min_angle, -90 * degree);
    play_assert_near((double)out->max_angle, 90 * degree);
    play_assert_near((double)out->resolution, 90 * degree);
    play_assert_near((double)out->max_range, 8);
    assert_int_equal(out->id, 5);
    assert_int_equal(out->intensity_count, 0);
    play_destroy(p);
}

static void a_near_thing_is_in_the_way_of_other_directions_too(void **state)
{
    play *p = begin("radius=0.5");
    const double hit = 0.5 * sqrt(0.5); /* at 45 degrees, between two beams */
    float ranges[] = {8, 8, 0.5f, 8, 8};
    tp_laser_data data = three(ranges);

    (void)state;
    data.ranges_count = 5;
    data.resolution = quarter / 2;
    const tp_laser_data *out =
        puppet_await(&p->r, "laser:0", TP_LASER_DATA_SCAN, &data, TP_LASER_DATA_SCAN);
    assert_int_equal(out->ranges_count, 5);
    play_assert_near((double)out->ranges[2], 0);
    play_assert_near((double)out->ranges[1], 0.5 * cos(45 * degree) - hit);
    play_assert_near((double)out->ranges[3], 0.5 * cos(45 * degree) - hit);
    play_destroy(p);
}

static void an_outline_counts_by_its_corners(void **state)
{
    play *p = begin("outline=0.6,0.2,-0.4,0.2,-0.4,-0.2,0.6,-0.2");

    (void)state;
    assert_ways(scan(p, 2, 3, 4), 1.8, 2.4, 3.8);
    play_destroy(p);
}

static void what_is_not_seen_is_not_in_the_way(void **state)
{
    play *p = begin("radius=0.5");

    (void)state;
    assert_ways(scan(p, 8, 3, 9), 8, 2.5, 8);
    assert_ways(scan(p, 0, 3, -1), 8, 2.5, 8);
    assert_ways(scan(p, NAN, 3, INFINITY), 8, 2.5, 8);
    play_destroy(p);
}

/* ---- Where the sensor sits ------------------------------------------------------------------- */

static void the_way_is_that_of_the_centre_not_of_the_laser(void **state)
{
    const tp_laser_geom geom = {.pose = {.px = 0.25, .pz = 0.4}, .size = {.sl = 0.1}};
    play *p = begin_at(&geom, "radius=0.5");
    const tp_laser_data *out = scan(p, 2, 3, 2);
    const double beside = 2 - sqrt(0.25 - 0.0625); /* the point is a quarter ahead of the centre */

    (void)state;
    assert_ways(out, beside, 2.75, beside);
    const tp_laser_geom *told = play_get(p, TP_LASER_REQ_GET_GEOM, NULL);
    play_assert_near(told->pose.px, 0);
    play_assert_near(told->pose.pz, 0.4);
    play_assert_near(told->size.sl, 0.1);
    const tp_geometry *common = play_get(p, TP_COMMON_REQ_GET_GEOMETRY, NULL);
    assert_int_equal(common->known, TP_GEOMETRY_MEASURED);
    play_assert_near(common->pose.px, 0);
    assert_string_equal(common->parent, "base");
    assert_string_equal(common->frame, "cspace0");
    play_destroy(p);
}

/* It looks to the left: what is ahead of it is to the left of the robot. */
static void a_turned_laser_turns_the_outline(void **state)
{
    const tp_laser_geom geom = {.pose = {.py = 0.1, .pyaw = 90 * degree}};
    play *p = begin_at(&geom, "outline=0.6,0.2,-0.4,0.2,-0.4,-0.2,0.6,-0.2");

    (void)state;
    assert_ways(scan(p, 2, 3, 4), 1.4, 2.9, 3.6); /* ahead, to the left, behind */
    const tp_laser_geom *told = play_get(p, TP_LASER_REQ_GET_GEOM, NULL);
    play_assert_near(told->pose.pyaw, 90 * degree);
    play_destroy(p);
}

/* Upside down its left is the robot's right. */
static void a_laser_may_hang_upside_down(void **state)
{
    const tp_laser_geom geom = {.pose = {.py = 0.3, .proll = 180 * degree}};
    play *p = begin_at(&geom, "radius=0.5");

    (void)state;
    const tp_laser_data *out = scan(p, 2, 8, 3); /* the robot's left, then its right */
    assert_ways(out, 1.8, 8, 2.2);
    play_destroy(p);
}

static void the_configuration_knows_better(void **state)
{
    const tp_laser_geom geom = {.pose = {.px = 5}};
    play *p = begin_at(&geom, "radius=0.5 pose=0.25,0,0");

    (void)state;
    assert_ways(scan(p, 8, 3, 8), 8, 2.75, 8);
    const tp_geometry *common = play_get(p, TP_COMMON_REQ_GET_GEOMETRY, NULL);
    assert_int_equal(common->known, TP_GEOMETRY_CONFIGURED);
    play_destroy(p);
}

static void a_laser_that_moves_is_followed(void **state)
{
    play *p = begin("radius=0.5");
    const tp_geometry there = {.known = TP_GEOMETRY_MEASURED, .pose = {.px = 1}};

    (void)state;
    const tp_geometry *common = play_get(p, TP_COMMON_REQ_GET_GEOMETRY, NULL);
    assert_int_equal(common->known, TP_GEOMETRY_UNKNOWN);
    puppet_send(&p->b, "laser:0", TP_COMMON_DATA_GEOMETRY, &there);
    assert_ways(scan(p, 8, 3, 8), 8, 3.5, 8);
    play_destroy(p);
}

static void a_scan_with_a_pose_has_that_of_the_centre(void **state)
{
    play *p = begin("radius=0.5 pose=0.25,0.3,0");
    float ranges[] = {8, 3, 8};
    const tp_laser_data_scanpose data = {.scan = three(ranges), .pose = {4, 5, 90 * degree}};

    (void)state;
    const tp_laser_data_scanpose *out =
        puppet_await(&p->r, "laser:0", TP_LASER_DATA_SCANPOSE, &data, TP_LASER_DATA_SCANPOSE);
    assert_ways(&out->scan, 8, 3.25 - 0.4, 8); /* 0.3 to the left of the centre */
    play_assert_pose(&out->pose, 4.3, 4.75, 90 * degree);
    play_destroy(p);
}

/* ---- Scans that are none --------------------------------------------------------------------- */

static void scans_without_sense_are_left_out(void **state)
{
    play *p = begin("radius=0.5");
    float ranges[] = {2, 3, 4};
    static const struct {
        float min_angle;
        float resolution;
        uint32_t count;
    } bad[] = {{0, 0, 3}, {0, -1, 3}, {NAN, 1, 3}, {0, 1e30f, 3}, {0, 1, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tp_laser_data data = three(ranges);
        data.min_angle = bad[i].min_angle;
        data.resolution = bad[i].resolution;
        data.ranges_count = bad[i].count;
        puppet_send(&p->b, "laser:0", TP_LASER_DATA_SCAN, &data);
    }
    assert_ways(scan(p, 2, 3, 4), 1.5, 2.5, 3.5);
    assert_int_equal(p->r.counts[TP_LASER_DATA_SCAN], 1);
    play_destroy(p);
}

/* The last beam is the first one again, or a hair beyond. */
static void a_scan_may_go_all_around(void **state)
{
    play *p = begin("radius=0.5");
    float ranges[361];
    const tp_laser_data data = {.min_angle = (float)(-180 * degree),
                                .max_angle = (float)(180 * degree),
                                .resolution = 0.0174534f,
                                .max_range = 8,
                                .ranges_count = 361,
                                .ranges = ranges};

    (void)state;
    for (int i = 0; i < 361; i++) {
        ranges[i] = i == 360 ? 3 : 8;
    }
    const tp_laser_data *out =
        puppet_await(&p->r, "laser:0", TP_LASER_DATA_SCAN, &data, TP_LASER_DATA_SCAN);
    assert_true(out->ranges[0] < 2.51f && out->ranges[9] < 8 && out->ranges[10] == 8);
    assert_true(out->ranges[360] == 2.5f);
    play_destroy(p);
}

static void a_failure_of_the_laser_is_passed_on(void **state)
{
    play *p = begin("radius=0.5");
    const tp_failure failure = {.code = TP_E_IO, .text_count = 4, .text = play_chars("off")};

    (void)state;
    const tp_failure *told =
        puppet_await(&p->r, "laser:0", TP_COMMON_DATA_ERROR, &failure, TP_COMMON_DATA_ERROR);
    assert_string_equal(told->text, "off");
    play_destroy(p);
}

/* ---- Rangers --------------------------------------------------------------------------------- */

static play *begin_ranger(const tp_ranger_config *config, const char *provides)
{
    play *p = play_create();

    play_add(p, &puppet_driver, "ranger:0", NULL, NULL);
    puppet_at(&p->b, "ranger:0")->answers[TP_RANGER_REQ_GET_CONFIG] = config;
    play_add(p, &tp_driver_cspace, provides, "ranger:0", "radius=0.5");
    play_open(p);
    return p;
}

static void a_ranger_becomes_both(void **state)
{
    const tp_ranger_config config = {
        .min_angle = -90 * degree, .angular_res = 90 * degree, .max_range = 8, .frequency = 10};
    play *p = begin_ranger(&config, "laser:1 ranger:1");
    double ranges[] = {2, 3, 8};
    const tp_ranger_data_range data = {.ranges_count = 3, .ranges = ranges};
    bench_reader r;

    (void)state;
    assert_int_equal(bench_open(&p->b, &r, bench_find(&p->b, "ranger:1")), TP_OK);
    assert_ways(puppet_await(&p->r, "ranger:0", TP_RANGER_DATA_RANGE, &data, TP_LASER_DATA_SCAN),
                1.5, 2.5, 8);
    if (r.counts[TP_RANGER_DATA_RANGE] == 0) {
        bench_await(&r, TP_RANGER_DATA_RANGE);
    }
    const tp_ranger_data_range *out = tp_msg_payload(r.last[TP_RANGER_DATA_RANGE]);
    assert_int_equal(out->ranges_count, 3);
    play_assert_near(out->ranges[1], 2.5);
    const tp_laser_config *told = play_get(p, TP_LASER_REQ_GET_CONFIG, NULL);
    play_assert_near((double)told->scanning_frequency, 10);
    play_assert_request_refused(p, TP_LASER_REQ_POWER, &(tp_laser_power_config){1},
                                "POWER is not supported");
    bench_close(&r);
    play_destroy(p);
}

static void stamped_ranges_bring_their_settings(void **state)
{
    play *p = begin_ranger(NULL, "ranger:1");
    double ranges[] = {2, 3, 8};
    const tp_ranger_data_rangestamped data = {
        .data = {.ranges_count = 3, .ranges = ranges},
        .have_config = 1,
        .config = {.min_angle = -90 * degree, .angular_res = 90 * degree, .max_range = 8}};

    (void)state;
    const tp_ranger_data_range *out =
        puppet_await(&p->r, "ranger:0", TP_RANGER_DATA_RANGESTAMPED, &data, TP_RANGER_DATA_RANGE);
    play_assert_near(out->ranges[0], 1.5);
    const tp_ranger_geom *geom = play_get(p, TP_RANGER_REQ_GET_GEOM, NULL);
    assert_int_equal(geom->element_poses_count, 1);
    play_destroy(p);
}

static void a_ranger_without_angles_is_an_error(void **state)
{
    play *p = begin_ranger(NULL, "ranger:1");
    double ranges[] = {2, 3};
    const tp_ranger_data_range data = {.ranges_count = 2, .ranges = ranges};

    (void)state;
    const tp_failure *why =
        puppet_await(&p->r, "ranger:0", TP_RANGER_DATA_RANGE, &data, TP_COMMON_DATA_ERROR);
    assert_string_equal(why->text, "cspace0: the ranger does not say at which angles it measures");
    play_destroy(p);
}

/* ---- Requests -------------------------------------------------------------------------------- */

static void settings_are_the_sensors(void **state)
{
    play *p = play_create();
    const tp_laser_config half = {.min_angle = 0, .max_angle = 1, .resolution = 0.01f};
    const tp_capabilities_req ranges = {TP_KIND_DATA, TP_LASER_DATA_SCANPOSE};
    const tp_capabilities_req angles = {TP_KIND_DATA, TP_LASER_DATA_SCANANGLE};

    (void)state;
    play_add(p, &tp_driver_fake, "laser:0", NULL, "rate=1000 noise=0");
    play_add(p, &tp_driver_cspace, "laser:1", "laser:0", "radius=0.2");
    play_open(p);
    bench_await(&p->r, TP_LASER_DATA_SCAN);
    const tp_laser_config *told = play_get(p, TP_LASER_REQ_GET_CONFIG, NULL);
    play_assert_near((double)told->max_angle, 90 * degree);
    play_assert_near((double)told->scanning_frequency, 1000);
    told = play_get(p, TP_LASER_REQ_SET_CONFIG, &half);
    play_assert_near((double)told->min_angle, 0);
    told = play_get(p, TP_LASER_REQ_GET_CONFIG, NULL);
    play_assert_near((double)told->min_angle, 0);
    const tp_laser_get_id_config *id = play_get(p, TP_LASER_REQ_GET_ID, NULL);
    assert_int_equal(id->serial_number, 100);
    play_request(p, TP_COMMON_REQ_CAPABILITIES, &ranges);
    play_assert_request_refused(p, TP_COMMON_REQ_CAPABILITIES, &angles,
                                "message 3 of kind 1 is not supported");
    play_destroy(p);
}

static void wrong_settings_are_refused_with_a_sentence(void **state)
{
    static const struct {
        const char *settings;
        const char *why;
    } wrong[] = {
        {NULL, "cspace0: give either radius or outline, the size of the robot"},
        {"radius=1 outline=1,1,-1,1,0,-1",
         "cspace0: give either radius or outline, the size of the robot"},
        {"radius=-1", "cspace0: radius \"-1\" is not a length above 0"},
        {"outline=1,1,-1,1,0", "cspace0: outline has 5 values: up to 32 corners have two each"},
        {"outline=1,1,-1,1", "cspace0: an outline has 3 to 32 corners, not 2"},
        {"outline=1,1,2,1,1,2", "cspace0: the outline is not convex around the robot's centre"},
        {"radius=1 pose=1,2", "cspace0: pose has 2 values in place of 3"},
        {"radius=1 pose=1,2,inf", "cspace0: pose is no place"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        play_assert_not_added(&tp_driver_cspace, "laser:1", "laser:0", wrong[i].settings,
                              wrong[i].why);
    }
    play_assert_not_added(&tp_driver_cspace, "laser:1", "sonar:0", "radius=1",
                          "cspace0: `requires` has neither a laser nor a ranger");
}

static void scans_allocate_nothing_once_it_runs(void **state)
{
    play *p = begin("radius=0.5");

    (void)state;
    for (int i = 0; i < 200; i++) {
        scan(p, 2, 3, 4);
    }
    const size_t before = memory_allocations();
    for (int i = 0; i < 100; i++) {
        scan(p, 2, 3, 4);
    }
    assert_int_equal(memory_allocations(), before);
    play_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_robot_goes_as_far_as_its_edge_lets_it),
        cmocka_unit_test(a_near_thing_is_in_the_way_of_other_directions_too),
        cmocka_unit_test(an_outline_counts_by_its_corners),
        cmocka_unit_test(what_is_not_seen_is_not_in_the_way),
        cmocka_unit_test(the_way_is_that_of_the_centre_not_of_the_laser),
        cmocka_unit_test(a_turned_laser_turns_the_outline),
        cmocka_unit_test(a_laser_may_hang_upside_down),
        cmocka_unit_test(the_configuration_knows_better),
        cmocka_unit_test(a_laser_that_moves_is_followed),
        cmocka_unit_test(a_scan_with_a_pose_has_that_of_the_centre),
        cmocka_unit_test(scans_without_sense_are_left_out),
        cmocka_unit_test(a_scan_may_go_all_around),
        cmocka_unit_test(a_failure_of_the_laser_is_passed_on),
        cmocka_unit_test(a_ranger_becomes_both),
        cmocka_unit_test(stamped_ranges_bring_their_settings),
        cmocka_unit_test(a_ranger_without_angles_is_an_error),
        cmocka_unit_test(settings_are_the_sensors),
        cmocka_unit_test(wrong_settings_are_refused_with_a_sentence),
        cmocka_unit_test(scans_allocate_nothing_once_it_runs),
    };

    return cmocka_run_group_tests_name("cspace_test", tests, NULL, NULL);
}
