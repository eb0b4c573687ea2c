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
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
