/* floor_test.c - floors of one colour and with pictures, and sensors that look down. */
#include <unistd.h>

#include "base/file.h"
#include "sim/sense/sensors.h"
#include "support/memory.h"
#include "support/sim.h"

/* ---- Floors ---------------------------------------------------------------------------------- */

static void the_highest_and_then_the_smallest_is_seen(void **state)
{
    tpi_sim *sim = sim_make("floor_color \"green\"\n"
                            "floor ( size [0.2 4 0] )\n" /* a black line */
                            "floor ( size [2 2 0] color \"red\" )\n"
                            "floor ( size [4 0.2 0] pose [0 0 0.001 45] color \"blue\" )\n");

    (void)state;
    assert_int_equal(tpi_sim_floor_colour(sim, 5, 5), 0x00ff00ff);
    assert_int_equal(tpi_sim_floor_colour(sim, 0.9, -0.5), 0xff0000ff);
    assert_int_equal(tpi_sim_floor_colour(sim, 0.09, -0.5), 0x000000ff); /* smaller than the red */
    assert_int_equal(tpi_sim_floor_colour(sim, 0.11, 1.5), 0x00ff00ff);
    assert_int_equal(tpi_sim_floor_colour(sim, 0, 0), 0x0000ffff);
    assert_int_equal(tpi_sim_floor_colour(sim, 1.3, 1.3), 0x0000ffff);
    assert_int_equal(tpi_sim_floor_colour(sim, 1.5, 1.5), 0x00ff00ff); /* it is 2 m long */
    tpi_sim_destroy(sim);
}

static void floors_are_no_bodies(void **state)
{
    tpi_sim *sim = sim_make(
        "floor ( size [4 4 0] )\n"
        "position ( name \"r\" pose [-3 0 0 0] alwayson 1 ranger ( pose [0 0 -1 0] alwayson 1\n"
        "  sensor ( size [0 0 0] range [0 9] ) ) )\n");
    const double goal[3] = {1, 0, 0};
    tpi_sim_scan scan;

    (void)state;
    tpi_sim_drive(sim, sim_named(sim, "r"), TPI_SIM_DRIVE_VELOCITY, goal, NULL);
    sim_steps(sim, 30);
    assert_int_equal(tpi_sim_get_scan(sim, sim_named(sim, "r.ranger:0"), 0, &scan, NULL), TP_OK);
    assert_true(scan.ranges[0] == 9);
    assert_true(fabs(tpi_sim_global_pose(sim, sim_named(sim, "r")).x) < 1e-9);
    tpi_sim_destroy(sim);
}

/* ---- Sensors --------------------------------------------------------------------------------- */

static tpi_sim_floor_values look(tpi_sim *sim)
{
    tpi_sim_floor_values values;

    tpi_sim_step(sim);
    assert_int_equal(tpi_sim_get_floor(sim, sim_named(sim, "s"), &values, NULL), TP_OK);
    assert_true(values.time_us == tpi_sim_time_us(sim));
    return values;
}

static void near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-6)) {
        fail_msg("%.9g is not %.9g", a, b);
    }
}

static void each_sensor_sees_what_is_below_it(void **state)
{
    tpi_sim *sim = sim_make("floor ( size [10 0.1 0] )\n"
                            "floor ( size [1 1 0] pose [0 2 0 0] color_rgba [1 0 0 1] )\n"
                            "floorsensor ( name \"s\" pose [0 0 0.5 90] alwayson 1 threshold 0.35\n"
                            "  sensor ( pose [0 0.2 0 0] ) sensor ( pose [0.1 0 0 0] )\n"
                            "  sensor ( pose [2 0 0 0] ) )\n");
    const tpi_sim_floor_values values = look(sim);

    (void)state;
    assert_int_equal(values.count, 3);
    near((double)values.items[0].reflectance, 0); /* at -0.2, 0 */
    assert_int_equal(values.items[0].colour, 0x000000);
    assert_int_equal(values.items[0].dark, 1);
    near((double)values.items[1].reflectance, 1);
    assert_int_equal(values.items[1].colour, 0xffffff);
    assert_int_equal(values.items[1].dark, 0);
    near((double)values.items[2].reflectance, 0.299);
    assert_int_equal(values.items[2].colour, 0xff0000);
    assert_int_equal(values.items[2].dark, 1);
    tpi_sim_destroy(sim);
}

/* The edge of the black half plane is at x = 0; a spot is 5 cm wide, with points every centimetre.
 */
static void a_spot_that_is_partly_dark_is_grey(void **state)
{
    tpi_sim *sim = sim_make("floor ( size [10 10 0] pose [-5 0 0 0] )\n"
                            "floorsensor ( name \"s\" alwayson 1 spot 0.05 )\n");
    static const double cases[][2] = {{-0.021, 0},  {-0.015, 0.2}, {-0.005, 0.4},
                                      {0.005, 0.6}, {0.015, 0.8},  {0.021, 1}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sim_put(sim, "s", cases[i][0], 0, 0);
        const tpi_sim_floor_values values = look(sim);
        near((double)values.items[0].reflectance, cases[i][1]);
        assert_int_equal(values.items[0].dark, cases[i][1] < 0.5);
    }
    tpi_sim_destroy(sim);
}

static void noise_stays_within_black_and_white(void **state)
{
    tpi_sim *sim = sim_make("floor_color \"grey50\"\n" /* 127 of 255 */
                            "floorsensor ( name \"s\" alwayson 1 noise 0.3 )\n");
    double sum = 0;
    bool cut = false;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        const double value = (double)look(sim).items[0].reflectance;
        assert_true(value >= 0 && value <= 1);
        cut = cut || value == 0 || value == 1;
        sum += value;
    }
    assert_true(cut);
    assert_true(fabs(sum / 1000 - 127 / 255.0) < 0.04);
    tpi_sim_destroy(sim);
}

static void geometry_is_told(void **state)
{
    tpi_sim *sim = sim_make("floorsensor ( name \"s\" sensor ( pose [1 2 3 90] ) )\n");
    tpi_sim_pose pose;
    tp_error err;

    (void)state;
    assert_int_equal(tpi_sim_get_floor_sensor(sim, 0, 0, &pose, NULL), TP_OK);
    assert_true(pose.x == 1 && pose.y == 2 && pose.z == 3 && pose.a == SIM_PI / 2);
    assert_int_equal(tpi_sim_get_floor_sensor(sim, 0, 1, &pose, &err), TP_E_RANGE);
    assert_string_equal(err.text, "the model has 1 sensors; there is no number 1");
    assert_int_equal(tpi_sim_get_floor_sensor(sim, 1, 1, &pose, &err), TP_E_UNSUPPORTED);
    assert_string_equal(err.text, "the model is no floorsensor");
    tpi_sim_destroy(sim);
}

/* ---- Pictures -------------------------------------------------------------------------------- */

/* Load a world beside a picture; the caller destroys it. */
static tpi_sim *load_with(const void *picture, size_t length, const char *text)
{
    char folder[] = "/tmp/troupe-floor-XXXXXX";
    char path[64];
    char world[64];
    tpi_sim *sim = NULL;
    tp_error err = {0};

    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/p", folder);
    snprintf(world, sizeof world, "%s/x.world", folder);
    assert_int_equal(tpi_file_write(path, picture, length, &err), TP_OK);
    tpi_sim_parse(&sim, world, text, strlen(text), NULL, &err);
    unlink(path);
    rmdir(folder);
    assert_string_equal(err.text, "");
    return sim;
}

static void check_corners(tpi_sim *sim, const uint32_t corners[4])
{
    /* the picture is 3 wide and 2 high, on 3 x 2 m: pixels of one metre */
    assert_int_equal(tpi_sim_floor_colour(sim, -1.4, 0.9), corners[0]);
    assert_int_equal(tpi_sim_floor_colour(sim, 1.4, 0.9), corners[1]);
    assert_int_equal(tpi_sim_floor_colour(sim, -1.4, -0.9), corners[2]);
    assert_int_equal(tpi_sim_floor_colour(sim, 1.5, -1), corners[3]); /* the very corner */
    assert_int_equal(tpi_sim_floor_colour(sim, 1.501, 0), 0xffffffff);
    tpi_sim_destroy(sim);
}

static void pictures_lie_with_their_top_to_the_north(void **state)
{
    static const struct {
        const char *text;
        size_t length;
        uint32_t corners[4];
    } cases[] = {
#define TEXT(text) text, sizeof text - 1
        {TEXT("P3 3 2 255  10 20 30  0 0 0  40 50 60   70 80 90  0 0 0  100 110 120"),
         {0x0a141eff, 0x28323cff, 0x46505aff, 0x646e78ff}},
        {TEXT("P6 3 2 255 abcdefghijklmnopqr"), {0x616263ff, 0x676869ff, 0x6a6b6cff, 0x707172ff}},
        {TEXT("P2 3 2 15  0 1 15  5 6 10"), {0x000000ff, 0xffffffff, 0x555555ff, 0xaaaaaaff}},
        {TEXT("P1 3 2  1 0 0  0 0 1"), {0x000000ff, 0xffffffff, 0xffffffff, 0x000000ff}},
        {TEXT("P4 3 2 \x80\x20"), {0x000000ff, 0xffffffff, 0xffffffff, 0x000000ff}},
#undef TEXT
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_corners(
            load_with(cases[i].text, cases[i].length, "floor ( size [3 2 0] picture \"p\" )\n"),
            cases[i].corners);
    }
}

static void a_picture_may_be_turned(void **state)
{
    tpi_sim *sim = load_with("P3 2 1 255 255 0 0 0 0 255", 26,
                             "floor ( size [2 1 0] pose [10 0 0 90] picture \"p\" )\n");

    (void)state;
    assert_int_equal(tpi_sim_floor_colour(sim, 10.4, -0.9), 0xff0000ff);
    assert_int_equal(tpi_sim_floor_colour(sim, 9.6, 0.9), 0x0000ffff);
    assert_int_equal(tpi_sim_floor_colour(sim, 10.6, 0), 0xffffffff);
    tpi_sim_destroy(sim);
}

/* Load a world whose picture is there. */
static tp_status load_world(void *context)
{
    static const char text[] = "floor ( picture \"p\" ) floorsensor ( sensor ( ) )";
    tpi_sim *sim = NULL;
    tp_error err;
    const tp_status status = tpi_sim_parse(&sim, context, text, sizeof text - 1, NULL, &err);

    tpi_sim_destroy(sim);
    return status;
}

static void memory_may_run_out(void **state)
{
    static const char picture[] = "P3 2 1 255 255 0 0 0 0 255";
    char folder[] = "/tmp/troupe-floor-XXXXXX";
    char path[64];
    char world[64];

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/p", folder);
    snprintf(world, sizeof world, "%s/x.world", folder);
    assert_int_equal(tpi_file_write(path, picture, sizeof picture - 1, NULL), TP_OK);
    memory_sweep(load_world, world);
    unlink(path);
    rmdir(folder);
}

static void bad_pictures_are_refused(void **state)
{
    (void)state;
    sim_refuse("floor ( picture [ ] )", "x.world:1:9: \"picture\" needs a file");
    sim_refuse("floor ( picture \"none.png\" )",
               "x.world:1:9: none.png: No such file or directory");
    sim_refuse("floorsensor ( spot -1 )", "x.world:1:15: \"spot\" is from 0 to 10, not -1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_highest_and_then_the_smallest_is_seen),
        cmocka_unit_test(floors_are_no_bodies),
        cmocka_unit_test(each_sensor_sees_what_is_below_it),
        cmocka_unit_test(a_spot_that_is_partly_dark_is_grey),
        cmocka_unit_test(noise_stays_within_black_and_white),
        cmocka_unit_test(geometry_is_told),
        cmocka_unit_test(pictures_lie_with_their_top_to_the_north),
        cmocka_unit_test(a_picture_may_be_turned),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(bad_pictures_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
