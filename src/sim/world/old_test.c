/*
 * old_test.c - what files for older Stages mean. Each world shows one thing that they have.
 */
#include "sim/sense/sensors.h"
#include "support/sim.h"

/* What the middle ray of a ranger's first sensor measures after a while. */
static double range_of(tpi_sim *sim, const char *name)
{
    const tpi_sim_model model = sim_named(sim, name);
    tpi_sim_scan scan;

    tpi_sim_subscribe(sim, model);
    sim_steps(sim, 3);
    assert_int_equal(tpi_sim_get_scan(sim, model, 0, &scan, NULL), TP_OK);
    return (double)scan.ranges[scan.count / 2];
}

/* Worlds were flat: a laser sees what is as high as the robot that it stands on. */
static void flat_robots_see_flat_walls(void **state)
{
    tpi_sim *sim =
        sim_make_noted("position ( name \"r\" size [0.4 0.4] laser ( size [0.1 0.1] ) )\n"
                       "model ( pose [2 0 0] size [0.2 4] )",
                       "x.world:1:21: \"size\" has two values, as in old files; the height "
                       "stays 1 m\n"
                       "x.world:1:36: \"laser\" is an old word: this is a \"ranger\" now\n"
                       "x.world:1:44: \"size\" has two values, as in old files; the height "
                       "stays 0.2 m\n"
                       "x.world:2:22: \"size\" has two values, as in old files; the height "
                       "stays 1 m\n"
                       "x.world:2:9: \"pose\" has three values, as in old files: x, y and "
                       "heading");

    (void)state;
    sim_assert_near(range_of(sim, "r.ranger:0"), 1.9, 1e-3);
    tpi_sim_destroy(sim);
}

/* What is said about stacking counts more. */
static void flat_robots_may_stack(void **state)
{
    tpi_sim *sim =
        sim_make_noted("position ( name \"r\" size [0.4 0.4] stack_children 1 fiducial ( ) )",
                       "x.world:1:21: \"size\" has two values, as in old files; the height "
                       "stays 1 m");

    (void)state;
    sim_assert_near(tpi_sim_global_pose(sim, sim_named(sim, "r.fiducial:0")).z, 1, 0);
    tpi_sim_destroy(sim);
}

static void polygons_are_blocks(void **state)
{
    tpi_sim *sim = sim_make_noted("position ( name \"r\" pose [0 0 0 0] size [2 2 1]\n"
                                  "  polygons 1 polygon[0].points 4 polygon[0].filled 1\n"
                                  "  polygon[0].point[0] [1 0] polygon[0].point[1] [0 1]\n"
                                  "  polygon[0].point[2] [-1 0] polygon[0].point[3] [0 -1] )\n"
                                  "ranger ( name \"eye\" pose [-3 0.5 0.5 0] sensor ( ) )",
                                  "x.world:2:3: \"polygons\" are called \"block\"s now");

    (void)state;
    sim_assert_near(range_of(sim, "eye"), 2.5, 1e-6); /* to the side of the rhombus, not of a box */
    tpi_sim_destroy(sim);
}

static void polygons_without_points_are_told(void **state)
{
    tpi_sim *sim = sim_make_noted("model ( polygons 1 )",
                                  "x.world:1:9: \"polygons\" are called \"block\"s now\n"
                                  "x.world:1:1: a block of 0 points is no body");

    (void)state;
    tpi_sim_destroy(sim);
}

static void three_values_are_x_y_and_heading(void **state)
{
    tpi_sim *sim = sim_make_noted(
        "position ( name \"r\" pose [3 1 0 90] localization_origin [1 1 90] velocity [0 0 0] )",
        "x.world:1:66: \"velocity\" has three values, as in old files: x, y and heading\n"
        "x.world:1:37: \"localization_origin\" has three values, as in old files: x, y and "
        "heading");
    tpi_sim_motion motion;

    (void)state;
    tpi_sim_subscribe(sim, sim_named(sim, "r"));
    sim_steps(sim, 2);
    assert_int_equal(tpi_sim_get_motion(sim, sim_named(sim, "r"), &motion, NULL), TP_OK);
    sim_assert_near(motion.estimate[0], 0, 1e-9);
    sim_assert_near(motion.estimate[1], -2, 1e-9);
    sim_assert_near(motion.estimate[2], 0, 1e-9);
    tpi_sim_destroy(sim);
}

/* ptz, speech and energy have no body; what stands on them is found below the robot. */
static void old_devices_are_unseen(void **state)
{
    tpi_sim *sim = sim_make_noted(
        "position ( name \"r\" size [0.4 0.4 0.3]\n"
        "  ptz ( blobfinder ( ) ) speech ( ) energy ( ) fiducialfinder ( ) )\n"
        "ranger ( name \"eye\" pose [-3 0 0.3 0] sensor ( ) ) model ( pose [0 9 0 0] )",
        "x.world:2:3: \"ptz\" is an old word: this is a \"model\" now\n"
        "x.world:2:26: \"speech\" is an old word: this is a \"model\" now\n"
        "x.world:2:37: \"energy\" is an old word: this is a \"model\" now\n"
        "x.world:2:48: \"fiducialfinder\" is an old word: this is a \"fiducial\" now");

    (void)state;
    sim_assert_near(range_of(sim, "eye"), 5, 0); /* nothing is above the robot */
    sim_assert_near(tpi_sim_global_pose(sim, sim_named(sim, "r.model:0.blobfinder:0")).z, 0.3,
                    1e-9);
    sim_named(sim, "r.fiducial:0");
    tpi_sim_destroy(sim);
}

/* What the root of a tree is like. */
static const struct sim_traits *traits_of(const tpi_sim *sim, const char *name)
{
    return &sim->trees.template[sim->tree_of[sim_named(sim, name)]] -> members[0].traits;
}

static void old_names_mean_the_new(void **state)
{
    tpi_sim *sim =
        sim_make_noted("size [16 16] threadpool 2\n"
                       "model ( name \"m\" laser_return -1 blobfinder_return 0 )",
                       "x.world:2:34: \"blobfinder_return\" is called \"blob_return\" now\n"
                       "x.world:2:18: \"laser_return\" is called \"ranger_return\" now");

    (void)state;
    assert_false(traits_of(sim, "m")->blob_return);
    assert_true(traits_of(sim, "m")->ranger_return < 0);
    tpi_sim_destroy(sim);
}

static void the_new_name_counts_more(void **state)
{
    tpi_sim *sim = sim_make_noted(
        "model ( name \"m\" laser_return -1 ranger_return 1\n"
        "  blobfinder_return 0 blob_return 1 )\n"
        "model ( laser_return 1 ranger_return 1 )",
        "x.world:2:3: \"blobfinder_return\" has no effect: \"blob_return\" says otherwise\n"
        "x.world:1:18: \"laser_return\" has no effect: \"ranger_return\" says otherwise");

    (void)state;
    assert_true(traits_of(sim, "m")->blob_return && traits_of(sim, "m")->ranger_return > 0);
    tpi_sim_destroy(sim);
}

/* Coefficients in dB for each power of ten, and exponents under another name. */
static void networks_fade_as_they_did(void **state)
{
    tpi_sim *sim =
        sim_make_noted("define station wifi ( freq 1000 power 10 alwayson 1 )\n"
                       "station ( name \"a\" plc 30 ) station ( name \"b\" ple 40 )\n"
                       "station ( pose [10 0 0 0] )",
                       "x.world:2:20: \"plc\" is in dB, as in old files: the exponent is 3\n"
                       "x.world:2:48: \"ple\" is called \"plc\" now\n"
                       "x.world:2:48: \"ple\" is in dB, as in old files: the exponent is 4");
    tpi_sim_links links;

    (void)state;
    sim_steps(sim, 2);
    assert_int_equal(tpi_sim_get_links(sim, sim_named(sim, "a"), &links, NULL), TP_OK);
    sim_assert_near(links.items[1].level, 10 - (60 - 27.55) - 30, 1e-9);
    assert_int_equal(tpi_sim_get_links(sim, sim_named(sim, "b"), &links, NULL), TP_OK);
    sim_assert_near(links.items[1].level, 10 - (60 - 27.55) - 40, 1e-9);
    tpi_sim_destroy(sim);
}

/* The properties of a laser under the new word. */
static void rangers_may_have_the_properties_of_lasers(void **state)
{
    tpi_sim *sim =
        sim_make_noted("ranger ( name \"eye\" range_max 4 fov 90 samples 91 )",
                       "x.world:1:21: \"range_max\" belongs in a \"sensor\"; the ranger has "
                       "none and is taken for a \"laser\" of old files");
    tpi_sim_sensor sensor;

    (void)state;
    assert_int_equal(tpi_sim_get_sensor(sim, sim_named(sim, "eye"), 0, &sensor, NULL), TP_OK);
    assert_int_equal(sensor.samples, 91);
    sim_assert_near(sensor.range_max, 4, 0);
    tpi_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_robots_see_flat_walls),
        cmocka_unit_test(flat_robots_may_stack),
        cmocka_unit_test(polygons_are_blocks),
        cmocka_unit_test(polygons_without_points_are_told),
        cmocka_unit_test(three_values_are_x_y_and_heading),
        cmocka_unit_test(old_devices_are_unseen),
        cmocka_unit_test(old_names_mean_the_new),
        cmocka_unit_test(the_new_name_counts_more),
        cmocka_unit_test(networks_fade_as_they_did),
        cmocka_unit_test(rangers_may_have_the_properties_of_lasers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
