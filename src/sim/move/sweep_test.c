/*
 * sweep_test.c - bodies that meet walls and each other: nobody gets through, whoever is fast or
 * thin; stopping and sliding; bodies that overlap from the beginning.
 */
#include "sim/move/sweep.h"

#include "sim/move/contact.h"
#include "support/sim.h"

/* ---- Helpers --------------------------------------------------------------------------------- */

static void drive(tpi_sim *sim, const char *name, double x, double y, double a)
{
    const double goal[3] = {x, y, a};
    const tpi_sim_model model = sim_named(sim, name);
    tpi_sim_info info;

    tpi_sim_model_info(sim, model, &info);
    if (!info.subscribed) {
        tpi_sim_subscribe(sim, model);
    }
    assert_int_equal(tpi_sim_drive(sim, model, TPI_SIM_DRIVE_VELOCITY, goal, NULL), TP_OK);
}

static tpi_sim_pose pose_of(const tpi_sim *sim, const char *name)
{
    return tpi_sim_global_pose(sim, sim_named(sim, name));
}

static tpi_sim_motion motion_of(const tpi_sim *sim, const char *name)
{
    tpi_sim_motion motion;

    assert_int_equal(tpi_sim_get_motion(sim, sim_named(sim, name), &motion, NULL), TP_OK);
    return motion;
}

static void near(double value, double wanted, double most)
{
    if (!(fabs(value - wanted) <= most)) {
        fail_msg("%.12g, not %.12g", value, wanted);
    }
}

/* Robots that are fast and agile. */
#define FAST "velocity_bounds [-200 200 -200 200 0 0 -9999 9999] drive \"omni\" "

/* ---- Walls ----------------------------------------------------------------------------------- */

/* At 10 m/s a step is a metre long, a hundred times the wall. */
static void nobody_gets_through_a_thin_wall(void **state)
{
    static const double speeds[] = {0.01, 1, 3.3, 10, 200};

    (void)state;
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        tpi_sim *sim = sim_make("position ( name \"r\" size [0.2 0.2 0.2] " FAST ")"
                                "model ( pose [1.505 0 0 0] size [0.01 4 1] )");
        drive(sim, "r", speeds[i], 0, 0);
        for (int step = 0; step < 1500 && !motion_of(sim, "r").stalled; step++) {
            tpi_sim_step(sim);
            assert_true(pose_of(sim, "r").x <= 1.4);
        }
        assert_true(motion_of(sim, "r").stalled);
        assert_true(motion_of(sim, "r").velocity[0] == 0);
        near(pose_of(sim, "r").x, 1.4, 2 * SIM_GAP); /* it stands before the wall */
        sim_steps(sim, 5);
        assert_true(motion_of(sim, "r").stalled);
        near(pose_of(sim, "r").x, 1.4, 2 * SIM_GAP);
        drive(sim, "r", -0.1, 0, 0); /* and may go back */
        sim_steps(sim, 1);
        assert_false(motion_of(sim, "r").stalled);
        near(pose_of(sim, "r").x, 1.39, 2 * SIM_GAP);
        tpi_sim_destroy(sim);
    }
}

/* A turn of next to nothing, as controllers and accelerations leave behind, is nearly a straight
 * line: what is left of the arc must not get lost in rounding. */
static void a_turn_of_next_to_nothing_ends_at_the_same_place(void **state)
{
    (void)state;
    for (double turn = 1e-3; turn > 1e-22; turn /= 3) {
        tpi_sim *sim =
            sim_make("position ( name \"r\" size [0.2 0.2 0.2] pose [0 -1 0 13] " FAST ")"
                     "model ( pose [0.505 0 0 0] size [0.01 4 1] )"
                     "define bot position ( size [0.1 0.1 0.1] " FAST ")"
                     "bot ( name \"a\" pose [-2 0 0 20] )"
                     "bot ( name \"b\" pose [-1.6 0 0 -170] )");
        drive(sim, "r", 7, 0, turn);
        drive(sim, "a", 3, 0, -turn);
        drive(sim, "b", 3, 0, turn);
        sim_steps(sim, 3);
        for (uint32_t k = 0; k < sim->crowd.count; k++) {
            const struct sim_body body = tpi_sim_body_of(sim, &sim->crowd.spots[k]);
            assert_int_equal(tpi_sim_overlap_walls(sim, &body, NULL), TPI_SIM_NONE);
            for (uint32_t n = 0; n < k; n++) {
                const struct sim_body other = tpi_sim_body_of(sim, &sim->crowd.spots[n]);
                assert_false(tpi_sim_overlap(&body, &other));
            }
        }
        assert_true(motion_of(sim, "r").stalled && motion_of(sim, "a").stalled);
        near(pose_of(sim, "r").x, 0.5 - 0.1 * (cos(13 * SIM_PI / 180) + sin(13 * SIM_PI / 180)),
             2 * SIM_GAP);
        tpi_sim_destroy(sim);
    }
}

/* From everywhere, in every direction, turning and going sideways, in a room with thin walls of
 * odd shapes: nobody leaves it, and nobody ever stands in a wall. */
static void nobody_leaves_the_room(void **state)
{
    tpi_sim *sim = sim_make(
        "define bot position ( size [0.3 0.2 0.2] " FAST ")"
        "bot ( name \"a\" pose [-1 -1 0 0] ) bot ( name \"b\" pose [1 -1 0 45] )"
        "bot ( name \"c\" pose [-1 1 0 77] collision \"slide\" )"
        "bot ( name \"d\" pose [1 1 0 10] collision \"slide\" )"
        "model ( size [4 4 1] noblocks 0 )" /* hollow */
        "model ( size [0.002 1 1] pose [0 0 0 33] ) model ( size [1 0.5 1] pose [0.2 -1.6 0 5] "
        "  block ( points 4 point[0] [0 0] point[1] [2 1] point[2] [4 0] point[3] [2 3] z [0 1] ) "
        ")");
    static const char *const names[] = {"a", "b", "c", "d"};
    struct sim_dice dice = {1};

    (void)state;
    for (int i = 0; i < 4000; i++) {
        for (int k = 0; k < 4; k++) {
            const double fast = i % 3 == 0 ? 30 : 1;
            drive(sim, names[k], sim_throw(&dice, -fast, fast), sim_throw(&dice, -fast, fast),
                  sim_throw(&dice, -40, 40));
        }
        tpi_sim_step(sim);
        for (uint32_t k = 0; k < sim->crowd.count; k++) {
            const struct sim_body body = tpi_sim_body_of(sim, &sim->crowd.spots[k]);
            assert_true(fabs(body.x) < 2 && fabs(body.y) < 2);
            assert_int_equal(tpi_sim_overlap_walls(sim, &body, NULL), TPI_SIM_NONE);
            for (uint32_t n = 0; n < k; n++) {
                const struct sim_body other = tpi_sim_body_of(sim, &sim->crowd.spots[n]);
                assert_false(tpi_sim_overlap(&body, &other));
            }
        }
    }
    tpi_sim_destroy(sim);
}

/* A long rod that turns meets a wall with its end, at the angle that trigonometry gives. */
static void a_turning_body_stops_where_it_touches(void **state)
{
    tpi_sim *sim = sim_make("position ( name \"r\" size [2 0.02 0.2] " FAST ")"
                            "model ( pose [0 0.65 0 0] size [4 0.1 1] )");

    (void)state;
    drive(sim, "r", 0, 0, 20); /* two radians in a step */
    tpi_sim_step(sim);
    assert_true(motion_of(sim, "r").stalled);
    /* the corner (1, 0.01) comes to the height 0.6 */
    const double far = hypot(1, 0.01);
    near(pose_of(sim, "r").a, asin((0.6 - SIM_GAP) / far) - atan(0.01), 1e-4);
    tpi_sim_destroy(sim);
}

static void what_is_higher_or_no_obstacle_does_not_stop(void **state)
{
    tpi_sim *sim = sim_make("position ( name \"r\" size [0.2 0.2 0.2] )"
                            "model ( pose [0.5 0 0.3 0] size [0.1 2 1] )"
                            "model ( pose [1 0 0 0] size [0.1 2 1] obstacle_return 0 )");

    (void)state;
    drive(sim, "r", 1, 0, 0);
    sim_steps(sim, 20);
    near(pose_of(sim, "r").x, 2, 1e-9);
    assert_false(motion_of(sim, "r").stalled);
    tpi_sim_destroy(sim);
}

/* ---- Sliding --------------------------------------------------------------------------------- */

static void it_stops_or_slides_as_the_file_says(void **state)
{
    static const char *const ways[] = {"", "collision \"stop\"", "collision \"slide\""};
    char text[256];

    (void)state;
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text,
                 "position ( name \"r\" size [0.2 0.2 0.2] %s drive \"omni\" )"
                 "model ( pose [0 0.65 0 0] size [20 0.1 1] )",
                 ways[i]);
        tpi_sim *sim = sim_make(text);
        drive(sim, "r", 0.5, 0.5, 0);
        sim_steps(sim, 40);
        assert_true(motion_of(sim, "r").stalled);
        near(pose_of(sim, "r").y, 0.5, 3 * SIM_GAP);
        near(pose_of(sim, "r").x, i == 2 ? 2 : 0.5, 0.01);
        tpi_sim_destroy(sim);
    }
}

/* However fast it is and however long the wall; it reports how fast it slides, and speeds up as it
 * may. */
static void it_slides_on_for_ever(void **state)
{
    static const double speeds[][2] = {{10, 5}, {100, 3}, {0.2, 7}};
    const double far = 900000;
    char text[400];

    (void)state;
    for (int i = 0; i < 6; i++) {
        const double *v = speeds[i / 2];
        const double y = i % 2 == 0 ? 0 : far; /* where numbers have few digits left */
        const double error = i % 2 == 0 ? 1e-3 : 0.02;
        snprintf(
            text, sizeof text,
            "position ( name \"r\" size [0.4 0.4 0.2] pose [4.5 %f 0 0] collision \"slide\" " FAST
            " ) model ( pose [5 %f 0 0] size [0.01 5000 1] )",
            y, y);
        tpi_sim *sim = sim_make(text);
        drive(sim, "r", v[0], v[1], 0);
        sim_steps(sim, 100);
        near(pose_of(sim, "r").y - y, 10 * v[1], error);
        assert_true(pose_of(sim, "r").x < 4.795);
        near(pose_of(sim, "r").x, 4.795, error);
        near(motion_of(sim, "r").velocity[0], 0, error);
        near(motion_of(sim, "r").velocity[1], v[1], error);
        drive(sim, "r", v[0], 0, 0);
        sim_steps(sim, 2);
        assert_true(motion_of(sim, "r").stalled);
        near(motion_of(sim, "r").velocity[1], 0, error);
        tpi_sim_destroy(sim);
    }
}

static void it_speeds_up_while_it_slides(void **state)
{
    tpi_sim *sim = sim_make("position ( name \"r\" size [0.2 0.2 0.2] pose [0 0.49 0 0] "
                            "drive \"omni\" collision \"slide\" "
                            "acceleration_bounds [-1 0.5 -1 0.5 0 0 -90 90] )"
                            "model ( pose [0 0.7 0 0] size [40 0.1 1] )");

    (void)state;
    drive(sim, "r", 1, 1, 0);
    sim_steps(sim, 10);
    assert_true(motion_of(sim, "r").stalled);
    near(motion_of(sim, "r").velocity[0], 0.5, 1e-3);
    sim_steps(sim, 20);
    near(motion_of(sim, "r").velocity[0], 1, 1e-3);
    near(motion_of(sim, "r").velocity[1], 0, 1e-3);
    tpi_sim_destroy(sim);
}

/* ---- Each other ------------------------------------------------------------------------------ */

/* Two alike that meet are treated alike. */
static void two_that_meet_both_stop_in_the_middle(void **state)
{
    tpi_sim *sim = sim_make("define bot position ( size [0.2 0.2 0.2] " FAST ")"
                            "bot ( name \"a\" pose [-1 0 0 0] ) bot ( name \"b\" pose [1 0 0 180] "
                            ")");

    (void)state;
    drive(sim, "a", 10, 0, 0);
    drive(sim, "b", 10, 0, 0);
    sim_steps(sim, 3);
    near(pose_of(sim, "a").x, -0.1, SIM_GAP);
    near(pose_of(sim, "b").x, 0.1, SIM_GAP);
    near(pose_of(sim, "a").x + pose_of(sim, "b").x, 0, 1e-12);
    assert_true(motion_of(sim, "a").stalled);
    assert_true(motion_of(sim, "b").stalled);
    tpi_sim_destroy(sim);
}

static void one_that_stands_is_not_stalled_by_another(void **state)
{
    tpi_sim *sim = sim_make("define bot position ( size [0.2 0.2 0.2] )"
                            "bot ( name \"a\" ) bot ( name \"b\" pose [1 0 0 0] )");

    (void)state;
    drive(sim, "a", 1, 0, 0);
    drive(sim, "b", 0, 0, 0);
    sim_steps(sim, 20);
    assert_true(motion_of(sim, "a").stalled);
    assert_false(motion_of(sim, "b").stalled);
    near(pose_of(sim, "a").x, 0.8, 2 * SIM_GAP);
    assert_true(pose_of(sim, "b").x == 1);
    tpi_sim_destroy(sim);
}

/* One behind another at the same speed: no step is lost. */
static void a_column_marches_on(void **state)
{
    tpi_sim *sim = sim_make("define bot position ( size [0.2 0.2 0.2] )"
                            "bot ( name \"a\" ) bot ( name \"b\" pose [0.201 0 0 0] )"
                            "bot ( name \"c\" pose [0.402 0 0 0] )");

    (void)state;
    for (const char *name = "abc"; *name != '\0'; name++) {
        const char one[2] = {*name, '\0'};
        drive(sim, one, 0.5, 0, 0);
    }
    sim_steps(sim, 20);
    near(pose_of(sim, "a").x, 1, 1e-9);
    near(pose_of(sim, "c").x, 1.402, 1e-9);
    tpi_sim_destroy(sim);
}

/* What another carries away in the same step cannot be passed through. */
static void two_that_cross_at_speed_do_not_pass_through_each_other(void **state)
{
    tpi_sim *sim = sim_make("define bot position ( size [0.2 0.2 0.2] " FAST ")"
                            "bot ( name \"a\" pose [-0.5 0 0 0] ) bot ( name \"b\" pose [0 -0.5 0 "
                            "90] )");

    (void)state;
    drive(sim, "a", 10, 0, 0);
    drive(sim, "b", 10, 0, 0);
    sim_steps(sim, 1);
    assert_true(motion_of(sim, "a").stalled);
    assert_true(motion_of(sim, "b").stalled);
    near(pose_of(sim, "a").x, -0.2, 0.11);
    near(pose_of(sim, "a").x, pose_of(sim, "b").y, 1e-12);
    tpi_sim_destroy(sim);
}

/* ---- Overlaps -------------------------------------------------------------------------------- */

/* Who is put into something can leave it, and is held back by it as soon as he has. */
static void one_that_is_put_into_a_wall_can_leave_it(void **state)
{
    tpi_sim *sim = sim_make("position ( name \"r\" size [0.2 0.2 0.2] )"
                            "model ( pose [2 0 0 0] size [0.4 4 1] )"
                            "model ( pose [3 0 0 0] size [0.4 4 1] )");

    (void)state;
    sim_put(sim, "r", 2.15, 0, 0);
    drive(sim, "r", 0.5, 0, 0);
    sim_steps(sim, 20);
    near(pose_of(sim, "r").x, 2.7, 2 * SIM_GAP); /* out, and as far as the next one */
    drive(sim, "r", -0.5, 0, 0);
    sim_steps(sim, 20);
    near(pose_of(sim, "r").x, 2.3, 2 * SIM_GAP); /* not in again */
    tpi_sim_destroy(sim);
}

static void two_that_overlap_can_part(void **state)
{
    tpi_sim *sim = sim_make("define bot position ( size [0.2 0.2 0.2] )"
                            "bot ( name \"a\" ) bot ( name \"b\" pose [1 0 0 0] )");

    (void)state;
    sim_put(sim, "b", 0.1, 0, 0);
    drive(sim, "a", -0.5, 0, 0);
    sim_steps(sim, 4);
    near(pose_of(sim, "a").x, -0.2, 1e-9);
    drive(sim, "a", 0.5, 0, 0);
    sim_steps(sim, 4);
    near(pose_of(sim, "a").x, -0.1, 2 * SIM_GAP);
    tpi_sim_destroy(sim);
}

static void poses_that_are_no_places_are_refused(void **state)
{
    tpi_sim *sim = sim_make("model ( name \"m\" pose [1 2 3 0] )");
    const tpi_sim_pose bad[] = {{.x = NAN}, {.y = INFINITY}, {.z = 1e7}, {.a = NAN}};
    static const char *const texts[] = {
        "a pose of nan is too far away", "a pose of inf is too far away",
        "a pose of 1e+07 is too far away", "a pose of nan is too far away"};
    tp_error err;

    (void)state;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(tpi_sim_set_pose(sim, sim_named(sim, "m"), &bad[i], &err), TP_E_RANGE);
        assert_string_equal(err.text, texts[i]);
        assert_true(pose_of(sim, "m").z == 3);
    }
    tpi_sim_destroy(sim);
}

/* What was a wall is seen and felt where it was put. */
static void a_wall_that_is_moved_is_where_it_was_put(void **state)
{
    tpi_sim *sim =
        sim_make("position ( name \"r\" size [0.2 0.2 0.2] ranger ( name \"eye\" alwayson 1 "
                 "pose [0 0 -0.1 0] sensor ( range [0 5] ) ) )"
                 "model ( name \"w\" pose [0 3 0 0] size [0.4 0.4 1] ranger_return 0.5 )");
    tpi_sim_scan scan;

    (void)state;
    for (int i = 0; i < 3; i++) {
        sim_put(sim, "w", 1 + i, 0, 0);
        tpi_sim_step(sim);
        assert_int_equal(tpi_sim_get_scan(sim, sim_named(sim, "r.eye"), 0, &scan, NULL), TP_OK);
        near(scan.ranges[0], 0.8 + i, 1e-12);
    }
    drive(sim, "r", 1, 0, 0);
    sim_steps(sim, 40);
    near(pose_of(sim, "r").x, 2.7, 2 * SIM_GAP);
    tpi_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_gets_through_a_thin_wall),
        cmocka_unit_test(a_turn_of_next_to_nothing_ends_at_the_same_place),
        cmocka_unit_test(nobody_leaves_the_room),
        cmocka_unit_test(a_turning_body_stops_where_it_touches),
        cmocka_unit_test(what_is_higher_or_no_obstacle_does_not_stop),
        cmocka_unit_test(it_stops_or_slides_as_the_file_says),
        cmocka_unit_test(it_slides_on_for_ever),
        cmocka_unit_test(it_speeds_up_while_it_slides),
        cmocka_unit_test(two_that_meet_both_stop_in_the_middle),
        cmocka_unit_test(one_that_stands_is_not_stalled_by_another),
        cmocka_unit_test(a_column_marches_on),
        cmocka_unit_test(two_that_cross_at_speed_do_not_pass_through_each_other),
        cmocka_unit_test(one_that_is_put_into_a_wall_can_leave_it),
        cmocka_unit_test(two_that_overlap_can_part),
        cmocka_unit_test(poses_that_are_no_places_are_refused),
        cmocka_unit_test(a_wall_that_is_moved_is_where_it_was_put),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
