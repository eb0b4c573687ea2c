/* gps_test.c - fixes: true poses, places on Earth, errors. */
#include "sim/sense/earth.h"
#include "sim/sense/sensors.h"
#include "support/sim.h"

static void near(double a, double b, double error)
{
    if (!(fabs(a - b) <= error)) {
        fail_msg("%.12g is not %.12g", a, b);
    }
}

static tpi_sim_fix fix_of(const tpi_sim *sim, const char *name)
{
    tpi_sim_fix fix;

    assert_int_equal(tpi_sim_get_fix(sim, sim_named(sim, name), &fix, NULL), TP_OK);
    return fix;
}

/* In the zone that the place itself is in. */
static void utm_of(double latitude, double longitude, double *east, double *north)
{
    const double origin[2] = {latitude, longitude};

    tpi_sim_earth_utm(origin, latitude, longitude, east, north);
}

static void utm_is_that_of_maps(void **state)
{
    double e;
    double n;

    (void)state;
    utm_of(0, 3, &e, &n);
    near(e, 500000, 1e-6);
    near(n, 0, 1e-6);
    utm_of(45, 9, &e, &n); /* the arc from the equator is 4,984,944.378 m */
    near(e, 500000, 1e-6);
    near(n, 0.9996 * 4984944.378, 1e-3);
    utm_of(-45, 9, &e, &n);
    near(n, 10000000 - 0.9996 * 4984944.378, 1e-3);
    utm_of(43 + 38 / 60.0 + 33.24 / 3600, -(79 + 23 / 60.0 + 13.7 / 3600), &e, &n);
    near(e, 630084, 1); /* the tower of Toronto */
    near(n, 4833438, 1);
    utm_of(10, 180, &e, &n); /* the last zone ends there */
    assert_true(e > 800000);
}

/* Where zones and hemispheres meet, which is where worlds are that say nothing, it goes on. */
static void utm_does_not_jump_within_a_world(void **state)
{
    static const char *const origins[] = {"", "gps_origin [0 12 0]", "gps_origin [-0.00001 180 0]",
                                          "gps_origin [50 -6 0]"};
    char text[200];

    (void)state;
    for (int i = 0; i < 4; i++) {
        snprintf(text, sizeof text, "%s position ( name \"r\" gps ( alwayson 1 ) )", origins[i]);
        tpi_sim *sim = sim_make(text);
        sim_put(sim, "r", -30, -40, 0);
        tpi_sim_step(sim);
        const tpi_sim_fix from = fix_of(sim, "r.gps:0");
        sim_put(sim, "r", 30, 40, 0);
        tpi_sim_step(sim);
        const tpi_sim_fix to = fix_of(sim, "r.gps:0");
        near(hypot(to.utm_e - from.utm_e, to.utm_n - from.utm_n), 100, 0.2);
        tpi_sim_destroy(sim);
    }
}

/* From the equator to a latitude, by adding up small pieces. */
static double meridian(double latitude)
{
    const double f = 1 / 298.257223563;
    const double ee = f * (2 - f);
    const int count = 20000;
    const double piece = latitude * SIM_PI / 180 / count;
    double sum = 0;

    for (int i = 0; i < count; i++) {
        const double s = sin((i + 0.5) * piece);
        sum += piece * 6378137 * (1 - ee) / pow(1 - ee * s * s, 1.5);
    }
    return sum;
}

static void northings_are_arcs_of_the_meridian(void **state)
{
    (void)state;
    for (double latitude = 5; latitude < 84; latitude += 7.3) {
        double e;
        double n;
        utm_of(latitude, -3, &e, &n);
        near(e, 500000, 1e-6);
        near(n, 0.9996 * meridian(latitude), 1e-3);
    }
}

static void metres_become_degrees(void **state)
{
    double latitude;
    double longitude;

    (void)state;
    tpi_sim_earth_place(0, 0, 1113.1949, 1105.7427, &latitude, &longitude);
    near(latitude, 0.01, 1e-8);
    near(longitude, 0.01, 1e-8);
    tpi_sim_earth_place(60, 179.999, 1000, 0, &latitude, &longitude);
    near(latitude, 60, 1e-12);
    near(longitude, -179.9831, 1e-4); /* 55,800 m for a degree */
}

static void without_noise_it_tells_the_truth(void **state)
{
    tpi_sim *sim = sim_make("gps_origin [ 51.5 -0.1 30 ]\n"
                            "position ( name \"r\" pose [100 200 0 90] alwayson 1 size [1 1 0.5]\n"
                            "  velocity_bounds [-5 5 0 0 0 0 -90 90]\n"
                            "  gps ( pose [0 0 0.5 0] alwayson 1 ) )\n");
    const double goal[3] = {2, 0, 0.5};
    double latitude;
    double longitude;

    (void)state;
    assert_true(fix_of(sim, "r.gps:0").time_us == -1);
    tpi_sim_drive(sim, sim_named(sim, "r"), TPI_SIM_DRIVE_VELOCITY, goal, NULL);
    sim_steps(sim, 10);
    const tpi_sim_fix fix = fix_of(sim, "r.gps:0");
    const tpi_sim_pose pose = tpi_sim_global_pose(sim, sim_named(sim, "r"));
    assert_true(fix.time_us == 1000000);
    assert_true(fix.pose.x == pose.x && fix.pose.y == pose.y && fix.pose.a == pose.a);
    near(fix.pose.z, 1, 1e-12);
    near(fix.altitude, 31, 1e-12);
    near(fix.speed, 2, 1e-9); /* along the arc, not the chord */
    near(fix.course, pose.a, 1e-9);
    sim_put(sim, "r", -1000, 0, 1); /* by hand: that is no speed */
    tpi_sim_step(sim);
    near(fix_of(sim, "r.gps:0").speed, 2, 1e-9);
    tpi_sim_earth_place(51.5, -0.1, pose.x, pose.y, &latitude, &longitude);
    assert_true(fix.latitude == latitude && fix.longitude == longitude);
    tpi_sim_destroy(sim);
}

static void the_first_fix_knows_the_speed(void **state)
{
    tpi_sim *sim =
        sim_make("position ( name \"r\" pose [0 0 0 30] velocity [0.5 0 0 0] gps ( ) )\n");

    (void)state;
    sim_steps(sim, 10);
    tpi_sim_subscribe(sim, sim_named(sim, "r.gps:0"));
    tpi_sim_step(sim);
    near(fix_of(sim, "r.gps:0").speed, 0.5, 1e-9);
    near(fix_of(sim, "r.gps:0").course, SIM_PI / 6, 1e-9);
    tpi_sim_destroy(sim);
}

static void a_world_may_be_turned_on_earth(void **state)
{
    /* north is where x points, so y points west */
    tpi_sim *sim = sim_make("gps_origin [ 0 0 ] north 0\n"
                            "gps ( name \"g\" pose [1105.7427 -1113.1949 0 0] alwayson 1 )\n");

    (void)state;
    tpi_sim_step(sim);
    near(fix_of(sim, "g").latitude, 0.01, 1e-8);
    near(fix_of(sim, "g").longitude, 0.01, 1e-8);
    tpi_sim_destroy(sim);
}

static void errors_are_as_large_as_the_file_says(void **state)
{
    tpi_sim *sim = sim_make("gps ( name \"g\" alwayson 1 noise [2 5] )\n"
                            "gps ( name \"b\" alwayson 1 bias [3 0] )\n");
    double sum = 0;
    double square = 0;
    double up = 0;
    const int count = 2000;

    (void)state;
    for (int i = 0; i < count; i++) {
        tpi_sim_step(sim);
        const tpi_sim_fix fix = fix_of(sim, "g");
        sum += fix.pose.x;
        square += fix.pose.x * fix.pose.x;
        up += fix.pose.z * fix.pose.z;
        near(fix.pose.a, 0, 0);
    }
    near(sum / count, 0, 0.2); /* 4.5 standard deviations of the mean */
    near(sqrt(square / count), 2, 0.15);
    near(sqrt(up / count), 5, 0.4);
    assert_true(fix_of(sim, "g").error_horizontal == 2 && fix_of(sim, "g").error_vertical == 5);
    const tpi_sim_fix fix = fix_of(sim, "b");
    assert_true(fabs(fix.pose.x) <= 3 && fix.pose.x != 0 && fix.pose.z == 0);
    tpi_sim_step(sim);
    assert_true(fix_of(sim, "b").pose.x == fix.pose.x);
    tpi_sim_destroy(sim);
}

static void bad_properties_are_named(void **state)
{
    tp_error err;
    tpi_sim_fix fix;
    tpi_sim *sim = sim_make("model ( )");

    (void)state;
    assert_int_equal(tpi_sim_get_fix(sim, 0, &fix, &err), TP_E_UNSUPPORTED);
    assert_string_equal(err.text, "the model is no gps");
    tpi_sim_destroy(sim);
    sim_refuse("gps ( noise [-1 0] )",
               "x.world:1:7: \"noise\" is not negative and not larger than the world");
    sim_refuse("gps_origin [91 0]", "x.world:1:1: \"gps_origin\" is a latitude from -80 to 84, a "
                                    "longitude from -180 to 180 and an altitude");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utm_is_that_of_maps),
        cmocka_unit_test(utm_does_not_jump_within_a_world),
        cmocka_unit_test(northings_are_arcs_of_the_meridian),
        cmocka_unit_test(metres_become_degrees),
        cmocka_unit_test(without_noise_it_tells_the_truth),
        cmocka_unit_test(the_first_fix_knows_the_speed),
        cmocka_unit_test(a_world_may_be_turned_on_earth),
        cmocka_unit_test(errors_are_as_large_as_the_file_says),
        cmocka_unit_test(bad_properties_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
