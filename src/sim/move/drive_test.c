/*
 * drive_test.c - driven models: arcs against closed forms, limits, drives, position mode.
 */
#include "support/sim.h"

static const double dt = 0.1; /* seconds of a step */

/* ---- Helpers --------------------------------------------------------------------------------- */

/* A robot "r" at the origin with these properties, and somebody subscribed to it. */
static tpi_sim *make_robot(const char *properties)
{
    char text[512];

    snprintf(text, sizeof text, "position ( name \"r\" %s )", properties);
    tpi_sim *sim = sim_make(text);
    tpi_sim_subscribe(sim, sim_named(sim, "r"));
    return sim;
}

static void drive(tpi_sim *sim, tpi_sim_drive_mode mode, double x, double y, double a)
{
    const double goal[3] = {x, y, a};

    assert_int_equal(tpi_sim_drive(sim, sim_named(sim, "r"), mode, goal, NULL), TP_OK);
}

static tpi_sim_motion motion_of(const tpi_sim *sim)
{
    tpi_sim_motion motion;

    assert_int_equal(tpi_sim_get_motion(sim, sim_named(sim, "r"), &motion, NULL), TP_OK);
    return motion;
}

static tpi_sim_pose pose_of(const tpi_sim *sim)
{
    return tpi_sim_global_pose(sim, sim_named(sim, "r"));
}

static void near(double value, double wanted, double most)
{
    if (!(fabs(value - wanted) <= most)) {
        fail_msg("%.12g, not %.12g", value, wanted);
    }
}

static void stands_at(const tpi_sim *sim, double x, double y, double a)
{
    const tpi_sim_pose pose = pose_of(sim);

    near(pose.x, x, 1e-9);
    near(pose.y, y, 1e-9);
    near(sim_normal(pose.a - a), 0, 1e-9);
}

/* ---- Arcs ------------------------------------------------------------------------------------ */

static void circles_close(void **state)
{
    static const double turns[] = {1.5, -1.5, 0.1, 1e-3, 1e-9, -1e-5, 0};

    (void)state;
    for (size_t i = 0; i < sizeof turns / sizeof turns[0]; i++) {
        const double v = 0.7;
        const double w = turns[i];
        tpi_sim *sim = make_robot("pose [1 2 0 30]");
        drive(sim, TPI_SIM_DRIVE_VELOCITY, v, 0, w);
        for (int step = 1; step <= 1000; step++) {
            tpi_sim_step(sim);
            const double t = step * dt;
            const double half = w * t / 2;
            /* the chord, which is well defined for small turns too */
            const double chord = half == 0 ? v * t : v * t * (sin(half) / half);
            const double way = SIM_PI / 6 + half;
            stands_at(sim, 1 + chord * cos(way), 2 + chord * sin(way), SIM_PI / 6 + w * t);
        }
        tpi_sim_destroy(sim);
    }
}

/* The same way in steps of other lengths. */
static void the_interval_does_not_matter(void **state)
{
    static const char *const intervals[] = {"interval_sim 1000", "interval_sim 100",
                                            "interval_sim 20", "interval_sim 2.5"};
    static const int counts[] = {3, 30, 150, 1200};
    char text[256];

    (void)state;
    for (int i = 0; i < 4; i++) {
        snprintf(text, sizeof text, "%s position ( name \"r\" drive \"omni\" )", intervals[i]);
        tpi_sim *sim = sim_make(text);
        tpi_sim_subscribe(sim, sim_named(sim, "r"));
        drive(sim, TPI_SIM_DRIVE_VELOCITY, 0.5, -0.25, 0.8);
        sim_steps(sim, counts[i]);
        assert_int_equal(tpi_sim_time_us(sim), 3000000);
        const double s = sin(2.4) / 0.8;
        const double c = (1 - cos(2.4)) / 0.8;
        stands_at(sim, 0.5 * s + 0.25 * c, 0.5 * c - 0.25 * s, 2.4);
        tpi_sim_destroy(sim);
    }
}

/* ---- Drives ---------------------------------------------------------------------------------- */

static void a_diff_drive_does_not_go_sideways(void **state)
{
    tpi_sim *sim = make_robot("");

    (void)state;
    drive(sim, TPI_SIM_DRIVE_VELOCITY, 0.5, 0.5, 0);
    sim_steps(sim, 10);
    stands_at(sim, 0.5, 0, 0);
    assert_true(motion_of(sim).velocity[1] == 0);
    tpi_sim_destroy(sim);
}

static void an_omni_drive_goes_anywhere(void **state)
{
    tpi_sim *sim = make_robot("drive \"omni\" pose [0 0 0 90]");

    (void)state;
    drive(sim, TPI_SIM_DRIVE_VELOCITY, 0.5, 0.25, 0);
    sim_steps(sim, 10);
    stands_at(sim, -0.25, 0.5, SIM_PI / 2);
    tpi_sim_destroy(sim);
}

/* Its wheels are turned, however fast it has become: it stays on its circle, and brakes along it.
 */
static void a_car_that_speeds_up_stays_on_its_circle(void **state)
{
    tpi_sim *sim = make_robot("drive \"car\" wheelbase 0.5 "
                              "acceleration_bounds [-0.2 0.1 0 0 0 0 -9999 9999]");
    const double radius = 0.5 / tan(0.3);

    (void)state;
    drive(sim, TPI_SIM_DRIVE_VELOCITY, 0.8, 0, 0.3);
    for (int i = 0; i < 200; i++) {
        if (i == 120) {
            drive(sim, TPI_SIM_DRIVE_VELOCITY, 0, 0, 0.3);
        } else if (i == 150) {
            drive(sim, TPI_SIM_DRIVE_VELOCITY, -0.8, 0, 0.3);
        }
        tpi_sim_step(sim);
        const tpi_sim_pose pose = pose_of(sim);
        near(hypot(pose.x, pose.y - radius), radius, 1e-9);
        near(sim_normal(pose.a - atan2(pose.x, radius - pose.y)), 0, 1e-9);
    }
    near(motion_of(sim).velocity[0], -0.8 * cos(0.3), 1e-9);
    tpi_sim_destroy(sim);
}

/* The third number is the steering angle; speed is that of the front wheel. */
static void a_car_turns_by_its_steering_angle(void **state)
{
    tpi_sim *sim = make_robot("drive \"car\" wheelbase 0.5");
    const double goal[3] = {0};
    tp_error err;

    (void)state;
    drive(sim, TPI_SIM_DRIVE_VELOCITY, 0.8, 0, 0.3);
    sim_steps(sim, 20);
    const double v = 0.8 * cos(0.3);
    const double w = 0.8 * sin(0.3) / 0.5;
    stands_at(sim, v / w * sin(2 * w), v / w * (1 - cos(2 * w)), 2 * w);
    for (int mode = TPI_SIM_DRIVE_POSITION; mode <= TPI_SIM_DRIVE_HEADING; mode++) {
        assert_int_equal(
            tpi_sim_drive(sim, sim_named(sim, "r"), (tpi_sim_drive_mode)mode, goal, &err),
            TP_E_UNSUPPORTED);
        assert_string_equal(err.text, "a car takes speeds and steering angles only");
    }
    tpi_sim_destroy(sim);
}

static void a_velocity_of_the_file_is_driven(void **state)
{
    tpi_sim *sim = make_robot("velocity [0.5 0 0 0]");

    (void)state;
    sim_steps(sim, 4);
    stands_at(sim, 0.2, 0, 0);
    tpi_sim_destroy(sim);
}

/* ---- Limits ---------------------------------------------------------------------------------- */

static void velocities_keep_their_bounds(void **state)
{
    tpi_sim *sim = make_robot("drive \"omni\" velocity_bounds [-0.2 0.5 -0.1 0.3 0 0 -20 40]");
    static const double given[][3] = {{9, 9, 9}, {-9, -9, -9}, {0.1, 0.1, 0.1}};
    static const double kept[][3] = {
        {0.5, 0.3, 40 * SIM_PI / 180}, {-0.2, -0.1, -20 * SIM_PI / 180}, {0.1, 0.1, 0.1}};

    (void)state;
    for (int i = 0; i < 3; i++) {
        drive(sim, TPI_SIM_DRIVE_VELOCITY, given[i][0], given[i][1], given[i][2]);
        tpi_sim_step(sim);
        for (int k = 0; k < 3; k++) {
            near(motion_of(sim).velocity[k], kept[i][k], 1e-12);
        }
    }
    tpi_sim_destroy(sim);
}

static void without_bounds_of_its_own_it_has_those_of_stage(void **state)
{
    tpi_sim *sim = make_robot("drive \"omni\"");

    (void)state;
    drive(sim, TPI_SIM_DRIVE_VELOCITY, 9, -9, 9);
    tpi_sim_step(sim);
    assert_true(motion_of(sim).velocity[0] == 1);
    assert_true(motion_of(sim).velocity[1] == -1);
    near(motion_of(sim).velocity[2], SIM_PI / 2, 1e-12);
    tpi_sim_destroy(sim);
}

/* Speeding up, braking and going back, each at its own rate. */
static void accelerations_keep_their_bounds(void **state)
{
    tpi_sim *sim = make_robot("velocity_bounds [-1 1 0 0 0 0 -90 90] "
                              "acceleration_bounds [-2 0.5 0 0 0 0 -45 90]");
    double v = 0;
    double x = 0;

    (void)state;
    drive(sim, TPI_SIM_DRIVE_VELOCITY, 0.92, 0, 0);
    for (int i = 0; i < 25; i++) {
        tpi_sim_step(sim);
        v = fmin(v + 0.5 * dt, 0.92);
        x += v * dt;
        near(motion_of(sim).velocity[0], v, 1e-12);
        near(pose_of(sim).x, x, 1e-9);
    }
    drive(sim, TPI_SIM_DRIVE_VELOCITY, -0.5, 0, 0);
    for (int i = 0; i < 10; i++) {
        tpi_sim_step(sim);
        v = fmax(v - 2 * dt, -0.5);
        near(motion_of(sim).velocity[0], v, 1e-12);
    }
    assert_true(v == -0.5);
    tpi_sim_destroy(sim);
}

static void without_bounds_speed_changes_at_once(void **state)
{
    tpi_sim *sim = make_robot("");

    (void)state;
    drive(sim, TPI_SIM_DRIVE_VELOCITY, 1, 0, 0);
    tpi_sim_step(sim);
    stands_at(sim, 0.1, 0, 0);
    tpi_sim_destroy(sim);
}

static void acceleration_mode_adds_up(void **state)
{
    tpi_sim *sim = make_robot("acceleration_bounds [-0.5 0.5 0 0 0 0 -90 90]");

    (void)state;
    drive(sim, TPI_SIM_DRIVE_ACCELERATION, 0.3, 0, 0);
    for (int i = 1; i <= 10; i++) {
        tpi_sim_step(sim);
        near(motion_of(sim).velocity[0], 0.3 * dt * i, 1e-12);
    }
    drive(sim, TPI_SIM_DRIVE_ACCELERATION, 99, 0, 0); /* more than it can */
    tpi_sim_step(sim);
    near(motion_of(sim).velocity[0], 0.35, 1e-12);
    sim_steps(sim, 100);
    assert_true(motion_of(sim).velocity[0] == 1); /* the bound of velocity */
    tpi_sim_destroy(sim);
}

/* ---- Position mode --------------------------------------------------------------------------- */

/* It gets there, and never beyond. */
static void goes_to(const char *properties, double x, double y, double a, double most)
{
    tpi_sim *sim = make_robot(properties);

    drive(sim, TPI_SIM_DRIVE_POSITION, x, y, a);
    for (int i = 0; i < 400; i++) {
        tpi_sim_step(sim);
        assert_true(hypot(pose_of(sim).x, pose_of(sim).y) <= hypot(x, y) + 1e-9);
    }
    near(hypot(pose_of(sim).x - x, pose_of(sim).y - y), 0, most);
    near(sim_normal(pose_of(sim).a - a), 0, 1e-3);
    tpi_sim_destroy(sim);
}

static void position_mode_gets_there(void **state)
{
    static const double goals[][3] = {{1, 1, 0},   {-2, 0.5, 3}, {0, -3, -1},
                                      {-1, -1, 2}, {0.01, 0, 1}, {2, 0, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof goals / sizeof goals[0]; i++) {
        goes_to("", goals[i][0], goals[i][1], goals[i][2], 0.02);
        goes_to("drive \"omni\"", goals[i][0], goals[i][1], goals[i][2], 1e-6);
    }
}

/* ---- Headings -------------------------------------------------------------------------------- */

/* It drives at once, turns the short way without going too far, and then goes straight on. */
static void heads_for(const char *properties, double heading, double most)
{
    tpi_sim *sim = make_robot(properties);
    const double side = sim_normal(heading) < 0 ? -1 : 1;

    drive(sim, TPI_SIM_DRIVE_HEADING, 0.5, 0, heading);
    tpi_sim_step(sim);
    assert_true(motion_of(sim).velocity[0] > 0);
    for (int i = 0; i < 100; i++) {
        tpi_sim_step(sim);
        assert_true(side * sim_normal(pose_of(sim).a - heading) <= most);
    }
    const tpi_sim_pose before = pose_of(sim);
    near(sim_normal(before.a - heading), 0, 1e-3);
    sim_steps(sim, 10);
    near(pose_of(sim).x - before.x, 0.5 * cos(heading), 1e-3);
    near(pose_of(sim).y - before.y, 0.5 * sin(heading), 1e-3);
    tpi_sim_destroy(sim);
}

static void a_heading_is_taken_and_held(void **state)
{
    static const double headings[] = {0, 1, -1, 3, -3, 4, 0.001};

    (void)state;
    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) {
        heads_for("", headings[i], 1e-9);
        heads_for("drive \"omni\"", headings[i], 1e-9);
        heads_for("acceleration_bounds [-1 1 -1 1 -1 1 -45 45]", headings[i], 0.02);
    }
}

static void a_heading_is_that_of_the_odometry(void **state)
{
    tpi_sim *sim = make_robot("pose [1 2 0 90] localization \"odom\" odom_error [0 0 0 0]");

    (void)state;
    drive(sim, TPI_SIM_DRIVE_HEADING, 0, 0, 1);
    sim_steps(sim, 100);
    near(motion_of(sim).estimate[2], 1, 1e-6);
    near(pose_of(sim).a, SIM_PI / 2 + 1, 1e-6);
    tpi_sim_destroy(sim);
}

/* ---- Odometry -------------------------------------------------------------------------------- */

static void gps_reports_where_it_is_now(void **state)
{
    tpi_sim *sim = make_robot("pose [1 2 0 90]");

    (void)state;
    drive(sim, TPI_SIM_DRIVE_VELOCITY, 0.5, 0, 0.5);
    for (int i = 0; i < 10; i++) {
        tpi_sim_step(sim);
        assert_true(motion_of(sim).estimate[0] == pose_of(sim).x);
        assert_true(motion_of(sim).estimate[1] == pose_of(sim).y);
        assert_true(motion_of(sim).estimate[2] == pose_of(sim).a);
    }
    tpi_sim_destroy(sim);
}

static void gps_counts_from_where_it_is_told(void **state)
{
    tpi_sim *sim = make_robot("pose [1 2 0 90]");
    const tpi_sim_model r = sim_named(sim, "r");
    const double pose[3] = {3, 4, SIM_PI};
    const double zero[3] = {0};
    const double far[3] = {-1e6, 0, SIM_PI / 2};
    tp_error err = {0};

    (void)state;
    drive(sim, TPI_SIM_DRIVE_VELOCITY, 0.5, 0, 0);
    for (int i = 0; i < 2; i++) { /* whatever it was told before */
        assert_int_equal(tpi_sim_set_odometry(sim, r, pose, NULL), TP_OK);
        near(motion_of(sim).estimate[0], 3, 1e-9);
        sim_steps(sim, 10);
        near(motion_of(sim).estimate[0], 2.5, 1e-9);
        near(motion_of(sim).estimate[1], 4, 1e-9);
        near(fabs(motion_of(sim).estimate[2]), SIM_PI, 1e-9);
    }
    stands_at(sim, 1, 3, SIM_PI / 2);
    assert_int_equal(tpi_sim_set_odometry(sim, r, zero, NULL), TP_OK);
    sim_steps(sim, 10);
    near(motion_of(sim).estimate[0], 0.5, 1e-9);
    near(motion_of(sim).estimate[1], 0, 1e-9);
    assert_int_equal(tpi_sim_set_odometry(sim, r, far, &err), TP_E_RANGE);
    assert_string_equal(err.text, "the pose is too far away from where the robot is");
    tpi_sim_destroy(sim);
}

static void odometry_starts_at_its_origin(void **state)
{
    tpi_sim *sim = make_robot("pose [1 2 0 90] localization \"odom\" odom_error [0 0 0 0]");
    const double pose[3] = {3, 4, SIM_PI};

    (void)state;
    assert_true(motion_of(sim).estimate[0] == 0);
    drive(sim, TPI_SIM_DRIVE_VELOCITY, 0.5, 0, 0);
    sim_steps(sim, 10);
    near(motion_of(sim).estimate[0], 0.5, 1e-9);
    near(motion_of(sim).estimate[1], 0, 1e-9);
    stands_at(sim, 1, 2.5, SIM_PI / 2);
    assert_int_equal(tpi_sim_set_odometry(sim, sim_named(sim, "r"), pose, NULL), TP_OK);
    sim_steps(sim, 10);
    near(motion_of(sim).estimate[0], 2.5, 1e-9);
    near(motion_of(sim).estimate[1], 4, 1e-9);
    tpi_sim_destroy(sim);
    sim = make_robot("pose [1 2 0 90] localization \"odom\" localization_origin [1 1 0 0]");
    near(motion_of(sim).estimate[0], 0, 1e-12);
    near(motion_of(sim).estimate[1], 1, 1e-12);
    near(motion_of(sim).estimate[2], SIM_PI / 2, 1e-12);
    tpi_sim_destroy(sim);
}

/* Many robots drive straight on and turn: the shares that odometry is off are spread evenly over
 * what the file allows, with a mean of nothing, and differ between robots and between seeds. */
enum { DRIFTERS = 2000 };

static void drift(uint64_t seed, double shares[2][DRIFTERS])
{
    const tpi_sim_options options = {.seed = seed};
    tpi_buf text = {0};
    tpi_sim *sim = NULL;
    char name[16];

    tpi_buf_puts(&text, "define bot position ( localization \"odom\" odom_error [0.2 0 0 0.1] "
                        "obstacle_return 0 velocity [0.5 0 0 10] alwayson 1 )\n");
    for (int i = 0; i < DRIFTERS; i++) {
        tpi_buf_printf(&text, "bot ( name \"b%d\" pose [%d 0 0 0] )\n", i, i);
    }
    assert_int_equal(tpi_sim_parse(&sim, "x", text.data, text.length, &options, NULL), TP_OK);
    tpi_sim_step(sim);
    for (int i = 0; i < DRIFTERS; i++) {
        tpi_sim_motion motion;
        snprintf(name, sizeof name, "b%d", i);
        tpi_sim_get_motion(sim, sim_named(sim, name), &motion, NULL);
        const double *estimate = motion.estimate;
        const double turn = SIM_PI / 18 * dt;
        shares[0][i] = hypot(estimate[0], estimate[1]) / (0.05 * sin(turn / 2) / (turn / 2)) - 1;
        shares[1][i] = estimate[2] / turn - 1;
    }
    tpi_sim_destroy(sim);
    tpi_buf_fini(&text);
}

static void odometry_drifts_as_the_file_says(void **state)
{
    static double shares[2][DRIFTERS];
    static double others[2][DRIFTERS];
    static const double most[] = {0.1, 0.05};

    (void)state;
    drift(1, shares);
    drift(2, others);
    for (int k = 0; k < 2; k++) {
        double sum = 0;
        double squares = 0;
        double product = 0;
        for (int i = 0; i < DRIFTERS; i++) {
            assert_true(fabs(shares[k][i]) <= most[k] + 1e-4);
            sum += shares[k][i];
            squares += shares[k][i] * shares[k][i];
            product += shares[k][i] * others[k][i];
        }
        const double deviation = most[k] / sqrt(3); /* of an even spread */
        near(sum / DRIFTERS, 0, 4 * deviation / sqrt(DRIFTERS));
        near(sqrt(squares / DRIFTERS), deviation, 0.05 * deviation);
        near(product / DRIFTERS, 0, 4 * deviation * deviation / sqrt(DRIFTERS));
    }
}

static void wheels_that_slip_are_counted(void **state)
{
    tpi_sim *sim = sim_make("position ( name \"r\" localization \"odom\" odom_error [0 0 0 0] ) "
                            "model ( pose [0.5 0 0 0] size [0.2 2 1] )");

    (void)state;
    tpi_sim_subscribe(sim, sim_named(sim, "r"));
    drive(sim, TPI_SIM_DRIVE_VELOCITY, 0.5, 0, 0);
    sim_steps(sim, 20);
    near(motion_of(sim).estimate[0], 1, 1e-9);
    near(pose_of(sim).x, 0.2, 2e-4);
    tpi_sim_destroy(sim);
}

/* ---- Who drives ------------------------------------------------------------------------------ */

static void it_moves_only_while_somebody_is_subscribed(void **state)
{
    tpi_sim *sim = sim_make("position ( name \"r\" )");
    const tpi_sim_model robot = sim_named(sim, "r");

    (void)state;
    drive(sim, TPI_SIM_DRIVE_VELOCITY, 0.5, 0, 0);
    sim_steps(sim, 3);
    stands_at(sim, 0, 0, 0);
    tpi_sim_subscribe(sim, robot);
    tpi_sim_subscribe(sim, robot);
    sim_steps(sim, 1);
    stands_at(sim, 0.05, 0, 0);
    tpi_sim_unsubscribe(sim, robot);
    sim_steps(sim, 1);
    stands_at(sim, 0.1, 0, 0);
    tpi_sim_unsubscribe(sim, robot); /* the last one: the command is forgotten */
    tpi_sim_subscribe(sim, robot);
    sim_steps(sim, 1);
    stands_at(sim, 0.1, 0, 0);
    assert_true(motion_of(sim).velocity[0] == 0);
    tpi_sim_destroy(sim);
}

/* `velocity` in a file drives by itself, until somebody has something else in mind. */
static void it_begins_as_the_file_says(void **state)
{
    tpi_sim *sim = sim_make("position ( name \"r\" velocity [0.5 0 0 0] )");
    const tpi_sim_model robot = sim_named(sim, "r");

    (void)state;
    sim_steps(sim, 2);
    stands_at(sim, 0.1, 0, 0);
    tpi_sim_subscribe(sim, robot); /* to look is not to command */
    sim_steps(sim, 2);
    stands_at(sim, 0.2, 0, 0);
    tpi_sim_unsubscribe(sim, robot); /* its last user leaves: it stops */
    sim_steps(sim, 2);
    stands_at(sim, 0.2, 0, 0);
    tpi_sim_destroy(sim);

    sim = sim_make("position ( name \"r\" velocity [0.5 0 0 0] )");
    drive(sim, TPI_SIM_DRIVE_VELOCITY, 0.5, 0, 0); /* without a user commands do nothing */
    sim_steps(sim, 2);
    stands_at(sim, 0, 0, 0);
    tpi_sim_destroy(sim);
}

static void bad_commands_are_refused(void **state)
{
    tpi_sim *sim = sim_make("position ( name \"r\" ) model ( name \"m\" pose [3 0 0 0] )");
    const double bad[][3] = {{NAN, 0, 0}, {0, INFINITY, 0}, {0, 0, -2e6}};
    static const char *const texts[] = {"a command of nan is no number",
                                        "a command of inf is too large",
                                        "a command of -2e+06 is too large"};
    tpi_sim_motion motion;
    tp_error err;

    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(
            tpi_sim_drive(sim, sim_named(sim, "r"), TPI_SIM_DRIVE_VELOCITY, bad[i], &err),
            TP_E_RANGE);
        assert_string_equal(err.text, texts[i]);
        assert_int_equal(tpi_sim_set_odometry(sim, sim_named(sim, "r"), bad[i], &err), TP_E_RANGE);
    }
    assert_int_equal(tpi_sim_drive(sim, sim_named(sim, "m"), TPI_SIM_DRIVE_VELOCITY, bad[0], &err),
                     TP_E_UNSUPPORTED);
    assert_string_equal(err.text, "the model cannot be driven");
    assert_int_equal(tpi_sim_get_motion(sim, sim_named(sim, "m"), &motion, &err), TP_E_UNSUPPORTED);
    assert_int_equal(tpi_sim_set_odometry(sim, sim_named(sim, "m"), bad[0], &err),
                     TP_E_UNSUPPORTED);
    tpi_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circles_close),
        cmocka_unit_test(the_interval_does_not_matter),
        cmocka_unit_test(a_diff_drive_does_not_go_sideways),
        cmocka_unit_test(an_omni_drive_goes_anywhere),
        cmocka_unit_test(a_car_turns_by_its_steering_angle),
        cmocka_unit_test(a_car_that_speeds_up_stays_on_its_circle),
        cmocka_unit_test(a_velocity_of_the_file_is_driven),
        cmocka_unit_test(velocities_keep_their_bounds),
        cmocka_unit_test(without_bounds_of_its_own_it_has_those_of_stage),
        cmocka_unit_test(accelerations_keep_their_bounds),
        cmocka_unit_test(without_bounds_speed_changes_at_once),
        cmocka_unit_test(acceleration_mode_adds_up),
        cmocka_unit_test(position_mode_gets_there),
        cmocka_unit_test(a_heading_is_taken_and_held),
        cmocka_unit_test(a_heading_is_that_of_the_odometry),
        cmocka_unit_test(gps_reports_where_it_is_now),
        cmocka_unit_test(gps_counts_from_where_it_is_told),
        cmocka_unit_test(odometry_starts_at_its_origin),
        cmocka_unit_test(odometry_drifts_as_the_file_says),
        cmocka_unit_test(wheels_that_slip_are_counted),
        cmocka_unit_test(it_moves_only_while_somebody_is_subscribed),
        cmocka_unit_test(it_begins_as_the_file_says),
        cmocka_unit_test(bad_commands_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
