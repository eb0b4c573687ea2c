/* control_test.c - robots that find their own way: they keep out of walls, follow lines, get free
 * when they are stuck, and leave the wheel to whoever takes it. */
#include "support/sim.h"
#include "support/unit.h"

static const char walls[] =
    "define wall model ( size [10 0.2 1] )\n"
    "wall ( pose [0 4 0 0] ) wall ( pose [0 -4 0 0] )\n"
    "wall ( pose [4.9 0 0 90] size [8 0.2 1] ) wall ( pose [-4.9 0 0 90] size [8 0.2 1] )\n"
    "define bot position ( size [0.4 0.4 0.3] ctrl \"wander\"\n"
    "  ranger ( sensor ( range [0 5] fov 180 samples 61 ) ) )\n";

static tpi_sim *make(const char *more)
{
    tpi_buf text = {0};

    tpi_buf_puts(&text, walls);
    tpi_buf_puts(&text, more);
    tpi_sim *sim = sim_make(tpi_buf_text(&text));
    tpi_buf_fini(&text);
    return sim;
}

static tpi_sim_pose where(const tpi_sim *sim, const char *name)
{
    return tpi_sim_global_pose(sim, sim_named(sim, name));
}

static void who_wanders_sees_all_of_a_room(void **state)
{
    tpi_sim *sim = make("bot ( name \"r\" pose [1 1 0 20] )");
    bool seen[4] = {false};
    int stalls = 0;

    (void)state;
    for (int i = 0; i < 3000; i++) {
        tpi_sim_motion motion;
        tpi_sim_step(sim);
        const tpi_sim_pose at = where(sim, "r");
        seen[(at.x > 0) + 2 * (at.y > 0)] = true;
        assert_int_equal(tpi_sim_get_motion(sim, sim_named(sim, "r"), &motion, NULL), TP_OK);
        stalls += motion.stalled;
    }
    assert_true(seen[0] && seen[1] && seen[2] && seen[3]);
    assert_int_equal(stalls, 0);
    tpi_sim_destroy(sim);
}

static tpi_sim_pose after_a_minute(uint64_t seed)
{
    static const char text[] = "position ( name \"r\" size [0.4 0.4 0.3] ctrl \"wander\"\n"
                               "  ranger ( sensor ( fov 180 samples 61 ) ) )\n";
    const tpi_sim_options options = {.seed = seed};
    tpi_sim *sim = NULL;

    assert_int_equal(tpi_sim_parse(&sim, "x", text, strlen(text), &options, NULL), TP_OK);
    sim_steps(sim, 600);
    const tpi_sim_pose pose = where(sim, "r");
    tpi_sim_destroy(sim);
    return pose;
}

static void whims_follow_from_the_seed(void **state)
{
    const tpi_sim_pose one = after_a_minute(1);
    const tpi_sim_pose again = after_a_minute(1);
    const tpi_sim_pose other = after_a_minute(2);

    (void)state;
    assert_true(one.x == again.x && one.y == again.y && one.a == again.a);
    assert_true(hypot(one.x - other.x, one.y - other.y) > 0.1);
}

static void two_who_met_part_again(void **state)
{
    tpi_sim *sim =
        make("bot ( name \"a\" pose [0 0 0 0] ) bot ( name \"b\" pose [0.45 0.1 0 180] )");
    double apart = 0;

    (void)state;
    for (int i = 0; i < 1200; i++) {
        tpi_sim_step(sim);
        const tpi_sim_pose a = where(sim, "a");
        const tpi_sim_pose b = where(sim, "b");
        apart = fmax(apart, hypot(a.x - b.x, a.y - b.y));
    }
    assert_true(apart > 2);
    tpi_sim_destroy(sim);
}

/* How far it gets from where it began, in a minute, in the open. */
static double wander_with_reach(double reach)
{
    tpi_buf text = {0};
    double farthest = 0;

    tpi_buf_printf(&text,
                   "position ( name \"r\" size [0.2 0.2 0.2] ctrl \"wander\"\n"
                   "  ranger ( sensor ( range [0 %g] fov 180 samples 19 ) ) )\n",
                   reach);
    tpi_sim *sim = sim_make(tpi_buf_text(&text));
    for (int i = 0; i < 600; i++) {
        tpi_sim_step(sim);
        farthest = fmax(farthest, hypot(where(sim, "r").x, where(sim, "r").y));
    }
    tpi_sim_destroy(sim);
    tpi_buf_fini(&text);
    return farthest;
}

static void who_sees_little_sees_that_nothing_is_there(void **state)
{
    static const double reaches[] = {0.3, 0.5, 0.6, 0.8, 1, 1.1, 1.2, 1.5, 2, 5};

    (void)state;
    for (size_t i = 0; i < sizeof reaches / sizeof reaches[0]; i++) {
        assert_true(wander_with_reach(reaches[i]) > 10);
    }
}

/* Eyes that look ahead, and a corner ahead: all that it sees of room is there. */
static const char dead_end[] =
    "define wall model ( size [2 0.1 1] )\n"
    "wall ( pose [0 0.3 0 0] ) wall ( pose [0 -0.3 0 0] ) wall ( pose [1 0 0 90] size [0.7 0.1 1] "
    ")\n"
    "position ( name \"r\" pose [0 0 0 0] size [0.2 0.15 0.1] ctrl \"expand\" ranger (\n"
    "  sensor ( range [0 0.8] ) sensor ( pose [0 0.02 0 30] range [0 0.8] )\n"
    "  sensor ( pose [0 -0.02 0 -30] range [0 0.8] ) sensor ( pose [0 0.03 0 70] range [0 0.8] )\n"
    "  sensor ( pose [0 -0.03 0 -70] range [0 0.8] ) ) )\n";

static void nobody_stays_in_a_dead_end(void **state)
{
    tpi_sim *sim = sim_make(dead_end);
    tpi_buf saved = {0};
    int steps = 0;

    (void)state;
    sim_steps(sim, 150);
    assert_true(where(sim, "r").x > 0.5);
    tpi_sim_save(sim, &saved); /* how long it has been there is part of the state */
    for (; where(sim, "r").x > -1.2; steps++) {
        tpi_sim_step(sim);
        assert_true(steps < 1200);
    }
    assert_int_equal(tpi_sim_restore(sim, saved.data, saved.length, NULL), TP_OK);
    sim_steps(sim, steps - 1);
    assert_true(where(sim, "r").x > -1.2);
    tpi_sim_step(sim);
    assert_true(where(sim, "r").x <= -1.2);
    tpi_buf_fini(&saved);
    tpi_sim_destroy(sim);
}

/* A command from outside holds, also one to stand still, until the robot is given back to its
 * controller. */
static void whoever_takes_the_wheel_has_it(void **state)
{
    static const double spin[3] = {0, 0, 1};
    static const double still[3] = {0, 0, 0};
    tpi_sim *sim = make("bot ( name \"r\" pose [0 0 0 0] )");
    const tpi_sim_model robot = sim_named(sim, "r");

    (void)state;
    sim_steps(sim, 20);
    const tpi_sim_pose before = where(sim, "r");
    assert_true(hypot(before.x, before.y) > 0.3);
    assert_int_equal(tpi_sim_drive(sim, robot, TPI_SIM_DRIVE_VELOCITY, spin, NULL), TP_OK);
    sim_steps(sim, 100);
    const tpi_sim_pose after = where(sim, "r");
    sim_assert_near(after.x, before.x, 0.15); /* it needed a moment to stop */
    sim_assert_near(after.y, before.y, 0.15);
    tpi_buf saved = {0};
    tpi_sim_save(sim, &saved); /* who has the wheel is part of the state */
    assert_int_equal(tpi_sim_drive(sim, robot, TPI_SIM_DRIVE_VELOCITY, still, NULL), TP_OK);
    sim_steps(sim, 100);
    sim_assert_near(where(sim, "r").x, after.x, 0.15);
    sim_assert_near(where(sim, "r").y, after.y, 0.15);
    tpi_sim_lead(sim, robot, false);
    sim_steps(sim, 100);
    const tpi_sim_pose later = where(sim, "r");
    assert_true(hypot(later.x - after.x, later.y - after.y) > 0.3);
    assert_int_equal(tpi_sim_restore(sim, saved.data, saved.length, NULL), TP_OK);
    sim_steps(sim, 100);
    sim_assert_near(where(sim, "r").x, after.x, 1e-6);
    tpi_buf_fini(&saved);
    tpi_sim_destroy(sim);
}

/* Both those that are built in and others. */
static void all_controllers_can_rest(void **state)
{
    static const double ahead[3] = {0.5, 0, 0};
    tpi_sim *sim = make("bot ( name \"r\" pose [0 0 0 0] )");
    const tpi_sim_model robot = sim_named(sim, "r");

    (void)state;
    sim_steps(sim, 20);
    tpi_sim_rest(sim, true);
    tpi_sim_stop(sim, robot);
    sim_steps(sim, 20);
    const tpi_sim_pose before = where(sim, "r");
    assert_int_equal(tpi_sim_steer(sim, robot, ahead, NULL), TP_OK);
    sim_steps(sim, 50);
    sim_assert_near(where(sim, "r").x, before.x, 1e-9);
    tpi_sim_rest(sim, false);
    sim_steps(sim, 50);
    const tpi_sim_pose after = where(sim, "r");
    assert_true(hypot(after.x - before.x, after.y - before.y) > 0.3);
    tpi_sim_destroy(sim);
}

static void who_follows_stays_on_the_line(void **state)
{
    tpi_sim *sim =
        sim_make("interval_sim 20\n"
                 "floor ( size [6 1 0] color \"white\" )\n"
                 "floor ( pose [0 0 0.001 2] size [6 0.03 0] color \"black\" )\n"
                 "position ( name \"r\" pose [-2.5 -0.08 0 0] size [0.1 0.1 0.1] ctrl \"follow\"\n"
                 "  update_interval 20 velocity_bounds [-1 1 0 0 0 0 -200 200]\n"
                 "  acceleration_bounds [-4 4 0 0 0 0 -2000 2000]\n"
                 "  floorsensor ( pose [0.05 0 0 0] update_interval 20\n"
                 "    sensor ( pose [0 0.02 0 0] ) sensor ( pose [0 0 0 0] ) sensor ( pose [0 "
                 "-0.02 0 0] ) ) )\n");

    (void)state;
    while (where(sim, "r").x < 2.5) {
        tpi_sim_step(sim);
        const tpi_sim_pose at = where(sim, "r");
        sim_assert_near(at.y, at.x * tan(SIM_PI / 90), 0.03);
        assert_true(tpi_sim_time_us(sim) < 60000000);
    }
    tpi_sim_destroy(sim);
}

/* Six robots in the open, with headings all over a right angle and more. */
static tpi_sim *make_flock(const char *control)
{
    static const int headings[] = {80, -70, 15, -35, 60, -5};
    tpi_buf text = {0};

    tpi_buf_printf(&text,
                   "define bot position ( size [0.44 0.38 0.22] fiducial_return 1 ctrl \"%s\"\n"
                   "  ranger ( pose [0 0 -0.1 0] sensor ( range [0 5] fov 180 samples 16 ) )\n"
                   "  fiducial ( pose [0 0 -0.1 0] ) )\n",
                   control);
    for (int i = 0; i < 6; i++) {
        tpi_buf_printf(&text, "bot ( name \"r%d\" pose [%g %g 0 %d] )\n", i, 1.6 * (i / 2),
                       1.6 * (i % 2), headings[i]);
    }
    tpi_sim *sim = sim_make(tpi_buf_text(&text));
    tpi_buf_fini(&text);
    return sim;
}

/* How much they go in one direction, 1 for all; and how far the farthest are from each other. */
static double measure_flock(const tpi_sim *sim, double *widest)
{
    tpi_sim_pose at[6];
    double x = 0;
    double y = 0;

    *widest = 0;
    for (int i = 0; i < 6; i++) {
        const char name[] = {'r', (char)('0' + i), '\0'};
        at[i] = where(sim, name);
        x += cos(at[i].a) / 6;
        y += sin(at[i].a) / 6;
        for (int k = 0; k < i; k++) {
            *widest = fmax(*widest, hypot(at[i].x - at[k].x, at[i].y - at[k].y));
        }
    }
    return hypot(x, y);
}

static void a_flock_goes_in_one_direction_and_stays_together(void **state)
{
    tpi_sim *sim = make_flock("flocking");
    tpi_sim *others = make_flock("expand");
    double widest;

    (void)state;
    assert_true(measure_flock(sim, &widest) < 0.7);
    for (int i = 0; i < 1200; i++) {
        tpi_sim_step(sim);
        for (int k = 0; k < 6; k++) {
            const char name[] = {'r', (char)('0' + k), '\0'};
            tpi_sim_motion motion;
            assert_int_equal(tpi_sim_get_motion(sim, sim_named(sim, name), &motion, NULL), TP_OK);
            assert_false(motion.stalled);
        }
    }
    const double order = measure_flock(sim, &widest);
    assert_true(order > 0.95);
    assert_true(widest < 12);
    assert_true(hypot(where(sim, "r0").x, where(sim, "r0").y) > 15); /* of the 48 m it can go */
    sim_steps(others, 1200); /* the same robots without an eye for each other */
    assert_true(measure_flock(others, &widest) < 0.7);
    assert_true(widest > 24);
    tpi_sim_destroy(others);
    tpi_sim_destroy(sim);
}

static void nobody_flocks_without_a_finder(void **state)
{
    tpi_sim *sim = sim_make_noted(
        "position ( name \"r\" ctrl \"pioneer_flocking\" ranger ( sensor ( ) ) )",
        "x.world:1:26: \"pioneer_flocking\" needs a \"fiducial\" on the robot; without one it "
        "stands still");

    (void)state;
    sim_steps(sim, 200);
    sim_assert_near(where(sim, "r").x, 0, 1e-9);
    tpi_sim_destroy(sim);
}

/* How the ranges of two rangers at one place compare, as mean and deviation of their ratio. */
static void compare_scans(const tpi_sim *sim, double *mean, double *deviation)
{
    tpi_sim_scan noisy;
    tpi_sim_scan exact;
    double squares = 0;
    double sum = 0;

    assert_int_equal(tpi_sim_get_scan(sim, sim_named(sim, "r.ranger:0"), 0, &noisy, NULL), TP_OK);
    assert_int_equal(tpi_sim_get_scan(sim, sim_named(sim, "r.ranger:1"), 0, &exact, NULL), TP_OK);
    assert_int_equal(noisy.count, 2000);
    for (uint32_t i = 0; i < noisy.count; i++) {
        const double ratio = noisy.ranges[i] / exact.ranges[i];
        sum += ratio;
        squares += ratio * ratio;
    }
    *mean = sum / noisy.count;
    *deviation = sqrt(squares / noisy.count - *mean * *mean);
}

static void noise_is_five_percent_of_each_range(void **state)
{
    tpi_sim *sim =
        sim_make("model ( size [8 4 1] boundary 1 )\n"
                 "position ( name \"r\" pose [1 0.5 0 0] size [0.2 0.2 0.2]\n"
                 "  ranger ( ctrl \"lasernoise\" sensor ( range [0 20] fov 360\n"
                 "    samples 2000 ) )\n"
                 "  ranger ( alwayson 1 sensor ( range [0 20] fov 360 samples 2000 ) ) )");
    tpi_sim_scan scan;
    double deviation;
    double mean;

    (void)state;
    assert_false(tpi_sim_is_controlled(sim, sim_named(sim, "r")));
    tpi_sim_step(sim);
    compare_scans(sim, &mean, &deviation);
    sim_assert_near(mean, 1, 0.005); /* four times its deviation */
    sim_assert_near(deviation, 0.05, 0.004);
    assert_int_equal(tpi_sim_get_scan(sim, sim_named(sim, "r.ranger:0"), 0, &scan, NULL), TP_OK);
    const double first = scan.ranges[0];
    tpi_sim_step(sim); /* nothing has moved */
    assert_true(scan.ranges[0] != first);
    tpi_sim_destroy(sim);
}

/* A wall between source and sink, with a door at its far end. */
static const char farm[] =
    "model ( size [10 8 1] boundary 1 )\n"
    "model ( pose [0 -1 0 0] size [0.2 6 1] obstacle_return 0 )\n"
    "define zone model ( size [1.5 1.5 0.01] obstacle_return 0 ranger_return -1 )\n"
    "zone ( name \"source\" pose [-3 -2 0 0] ctrl \"source\" )\n"
    "zone ( name \"sink\" pose [3 -2 0 0] ctrl \"sink\" )\n"
    "define bot position ( size [0.4 0.4 0.3] ctrl \"fasr\"\n"
    "  ranger ( sensor ( range [0 3] fov 180 samples 32 ) ) )\n"
    "bot ( name \"a\" pose [-4 0 0 90] ) bot ( name \"b\" pose [-3 2 0 0] )\n"
    "bot ( name \"c\" pose [2 1 0 0] )\n";

static uint32_t delivered(const tpi_sim *sim, const char *name)
{
    return tpi_sim_delivered(sim, sim_named(sim, name));
}

static void who_forages_carries_things_from_the_source_to_the_sink(void **state)
{
    tpi_sim *sim = sim_make(farm);
    tpi_buf saved = {0};

    (void)state;
    for (int i = 0; delivered(sim, "sink") == 0; i++) {
        tpi_sim_step(sim);
        assert_true(i < 900); /* 12 m and more lie between them: 30 s */
    }
    assert_true(tpi_sim_time_us(sim) > 30000000);
    tpi_sim_save(sim, &saved);
    sim_steps(sim, 6000);
    const uint32_t all = delivered(sim, "sink");
    assert_int_equal(all, delivered(sim, "a") + delivered(sim, "b") + delivered(sim, "c"));
    assert_true(delivered(sim, "a") >= 8 && delivered(sim, "b") >= 8 && delivered(sim, "c") >= 8);
    assert_int_equal(delivered(sim, "source"), 0);
    assert_int_equal(tpi_sim_restore(sim, saved.data, saved.length, NULL), TP_OK);
    assert_int_equal(delivered(sim, "sink"), 1);
    sim_steps(sim, 6000);
    assert_int_equal(delivered(sim, "sink"), all);
    tpi_buf_fini(&saved);
    tpi_sim_destroy(sim);
}

static void nobody_forages_without_a_sink(void **state)
{
    tpi_sim *sim = sim_make_noted(
        "model ( name \"source\" pose [5 0 0 0] )\n"
        "position ( name \"r\" size [1 1 0.5] ctrl \"fasr\" ranger ( sensor ( ) ) )",
        "x.world: \"fasr\" needs models with the names \"source\" and \"sink\"; without them its "
        "robots stand still");

    (void)state;
    sim_steps(sim, 200);
    sim_assert_near(where(sim, "r").x, 0, 1e-9);
    assert_int_equal(delivered(sim, "r"), 0);
    tpi_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_wanders_sees_all_of_a_room),
        cmocka_unit_test(whims_follow_from_the_seed),
        cmocka_unit_test(two_who_met_part_again),
        cmocka_unit_test(who_sees_little_sees_that_nothing_is_there),
        cmocka_unit_test(nobody_stays_in_a_dead_end),
        cmocka_unit_test(whoever_takes_the_wheel_has_it),
        cmocka_unit_test(all_controllers_can_rest),
        cmocka_unit_test(who_follows_stays_on_the_line),
        cmocka_unit_test(a_flock_goes_in_one_direction_and_stays_together),
        cmocka_unit_test(nobody_flocks_without_a_finder),
        cmocka_unit_test(noise_is_five_percent_of_each_range),
        cmocka_unit_test(who_forages_carries_things_from_the_source_to_the_sink),
        cmocka_unit_test(nobody_forages_without_a_sink),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
