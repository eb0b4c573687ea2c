/*
 * contact_test.c - bodies that were put flush with something: nobody gets into it, and nobody
 * sticks.
 */
#include "sim/move/contact.h"

#include "support/contact.h"

/* ---- Flush with a wall ----------------------------------------------------------------------- */

/* A robot at the side of a wall, both turned, as far apart as said; at x, y in the world. */
static tpi_sim *make_flush(const char *kind, double x, double y, double degrees, double gap)
{
    const double a = degrees * SIM_PI / 180;
    const double far = 0.15 + 0.1 + gap;
    char text[500];

    snprintf(text, sizeof text,
             "position ( name \"r\" size [0.4 0.3 0.2] pose [%.17g %.17g 0 %.17g] %s " FAST ")"
             "model ( name \"w\" pose [%.17g %.17g 0 %.17g] size [60 0.2 1] )",
             x, y, degrees, kind, x - far * sin(a), y + far * cos(a), degrees);
    return sim_make(text); /* without a note */
}

static const double gaps[] = {0, 1e-12, -1e-12, 1e-9, -1e-9, 5e-7, -5e-7, 1e-5};

static void who_is_flush_with_a_wall_does_not_get_into_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof gaps / sizeof gaps[0]; i++) {
        for (size_t k = 0; k < sizeof turns / sizeof turns[0]; k++) {
            tpi_sim *sim = make_flush("", 1, 2, turns[k], gaps[i]);
            assert_true(touches(sim, "r") && !overlaps(sim, "r"));
            assert_stays(sim, "r", 0, 1, 0);
            assert_stays(sim, "r", 0, 20, 0);
            assert_stays(sim, "r", 1, 1e-3, 0);
            assert_stays(sim, "r", 0, 0, 0.5);
            assert_stays(sim, "r", 0, 0, -20);
            assert_stays(sim, "r", 1, 0, 0.1);
            tpi_sim_destroy(sim);
        }
    }
}

static void who_is_flush_with_a_wall_goes_along_and_away(void **state)
{
    static const double speeds[] = {0.1, 1, 20, -1};

    (void)state;
    for (size_t i = 0; i < sizeof gaps / sizeof gaps[0]; i++) {
        for (size_t k = 0; k < sizeof turns / sizeof turns[0]; k++) {
            const double a = turns[k] * SIM_PI / 180;
            tpi_sim *sim = make_flush("", 10, -200, turns[k], gaps[i]);
            for (size_t n = 0; n < 4; n++) {
                const tpi_sim_pose pose = pose_of(sim, "r");
                drive(sim, "r", speeds[n], 0, 0);
                sim_steps(sim, 10);
                assert_false(is_stalled(sim, "r"));
                assert_came(sim, "r", pose, a, speeds[n], 0);
            }
            const tpi_sim_pose pose = pose_of(sim, "r");
            drive(sim, "r", 0.5, -0.5, 0);
            sim_steps(sim, 10);
            assert_false(touches(sim, "r"));
            assert_came(sim, "r", pose, a, 0.5, -0.5);
            drive(sim, "r", 0, 1, 0); /* and is stopped when it comes back */
            sim_steps(sim, 10);
            assert_true(is_stalled(sim, "r"));
            assert_came(sim, "r", pose, a, 0.5, 0);
            assert_false(is_in_walls(sim, "r", 0.4, 0.3, 0));
            tpi_sim_destroy(sim);
        }
    }
}

/* Where numbers have few digits left. */
static void far_away_it_is_the_same(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof turns / sizeof turns[0]; k++) {
        const double a = turns[k] * SIM_PI / 180;
        tpi_sim *sim = make_flush("", 80000, -90000, turns[k], 0);
        assert_stays(sim, "r", 0, 3, 0);
        const tpi_sim_pose pose = pose_of(sim, "r");
        drive(sim, "r", 2, 0, 0);
        sim_steps(sim, 100);
        assert_came(sim, "r", pose, a, 20, 0);
        assert_false(is_in_walls(sim, "r", 0.4, 0.3, SIM_TOLERANCE));
        tpi_sim_destroy(sim);
    }
}

/* A wall of many pieces, which the robot is flush with, or has met before; beyond its end, too. */
static void nobody_sticks_where_pieces_of_a_wall_meet(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof turns / sizeof turns[0]; k++) {
        const double a = turns[k] * SIM_PI / 180;
        for (int i = 0; i < 12; i++) {
            const double far = 0.25 + i * 1e-5;
            tpi_buf text = {0};
            tpi_buf_puts(&text,
                         "position ( name \"r\" size [0.4 0.3 0.2] pose [0 9 0 0] " FAST ")");
            for (int n = 0; n < 8; n++) {
                tpi_buf_printf(&text, "model ( pose [%.15f %.15f 0 %g] size [1 0.2 1] )",
                               n * cos(a) - 0.25 * sin(a), n * sin(a) + 0.25 * cos(a), turns[k]);
            }
            tpi_sim *sim = sim_make(tpi_buf_text(&text));
            tpi_buf_fini(&text);
            sim_put(sim, "r", (far - 0.25) * sin(a), (0.25 - far) * cos(a), a);
            drive(sim, "r", 0, i == 11 ? 1 : 0, 0);
            sim_steps(sim, 1); /* the last one is stopped by the wall */
            const tpi_sim_pose pose = pose_of(sim, "r");
            drive(sim, "r", 1.234, 0, 0);
            sim_steps(sim, 90);
            assert_false(is_stalled(sim, "r"));
            assert_came(sim, "r", pose, a, 1.234 * 9, 0);
            tpi_sim_destroy(sim);
        }
    }
}

static void who_is_flush_with_a_wall_slides_along_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof gaps / sizeof gaps[0]; i++) {
        for (size_t k = 0; k < sizeof turns / sizeof turns[0]; k++) {
            const double a = turns[k] * SIM_PI / 180;
            tpi_sim *sim = make_flush("collision \"slide\"", 3, 4, turns[k], gaps[i]);
            const tpi_sim_pose pose = pose_of(sim, "r");
            drive(sim, "r", 1, 2, 0);
            sim_steps(sim, 20);
            assert_true(is_stalled(sim, "r"));
            assert_came(sim, "r", pose, a, 2, 0);
            assert_false(is_in_walls(sim, "r", 0.4, 0.3, SIM_TOLERANCE));
            tpi_sim_destroy(sim);
        }
    }
}

static void in_an_exact_corner_two_ways_are_free(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof turns / sizeof turns[0]; k++) {
        const double a = turns[k] * SIM_PI / 180;
        const double c = cos(a);
        const double s = sin(a);
        char text[300];
        snprintf(text, sizeof text,
                 "position ( name \"r\" size [0.4 0.3 0.2] " FAST ")"
                 "model ( size [8 6 1] pose [0 0 0 %g] )", /* a room */
                 turns[k]);
        tpi_sim *sim = sim_make(text);
        sim_put(sim, "r", 3.8 * c - 2.85 * s, 3.8 * s + 2.85 * c, a);
        const tpi_sim_pose pose = pose_of(sim, "r");
        assert_true(touches(sim, "r") && !overlaps(sim, "r"));
        assert_stays(sim, "r", 1, 0, 0);
        assert_stays(sim, "r", 0, 1, 0);
        assert_stays(sim, "r", 1, 1, 0);
        assert_stays(sim, "r", 1, -0.5, 0);
        assert_stays(sim, "r", 0, 0, 1);
        drive(sim, "r", -1, 0, 0);
        sim_steps(sim, 10);
        assert_came(sim, "r", pose, a, -1, 0);
        drive(sim, "r", 0, -1, 0);
        sim_steps(sim, 10);
        assert_came(sim, "r", pose, a, -1, -1);
        tpi_sim_destroy(sim);
    }
}

/* Two walls, or a long box that is a room; stopping, or sliding while it pushes aside. */
static void a_corridor_as_wide_as_the_robot_lets_it_pass(void **state)
{
    char text[600];

    (void)state;
    for (size_t k = 0; k < sizeof turns / sizeof turns[0]; k++) {
        const double a = turns[k] * SIM_PI / 180;
        for (int i = 0; i < 6; i++) {
            const bool room = i % 2 == 0;
            const double off = room ? 0 : 0.25;
            snprintf(text, sizeof text,
                     "position ( name \"r\" size [0.4 0.3 0.2] pose [1 2 0 %g] %s " FAST ")"
                     "model ( pose [%.17g %.17g 0 %g] size [40 %g 1] ) %s"
                     "( pose [%.17g %.17g 0 %g] size [40 0.2 1] )",
                     turns[k], i >= 4 ? "collision \"slide\"" : "", 1 - off * sin(a),
                     2 + off * cos(a), turns[k], room ? 0.3 : 0.2, room ? "position" : "model",
                     room ? 90 : 1 + off * sin(a), room ? 90 : 2 - off * cos(a), turns[k]);
            tpi_sim *sim = sim_make(text);
            const tpi_sim_pose pose = pose_of(sim, "r");
            assert_stays(sim, "r", 0, 1, 0);
            assert_stays(sim, "r", 0, -30, 0);
            assert_stays(sim, "r", 0, 0, 1);
            drive(sim, "r", 2, i >= 4 ? 1 : 0, 0);
            sim_steps(sim, 50);
            assert_came(sim, "r", pose, a, 10, 0);
            drive(sim, "r", -2, i >= 4 ? -3 : 0, 0);
            sim_steps(sim, 50);
            assert_came(sim, "r", pose, a, 0, 0);
            assert_false(is_in_walls(sim, "r", 0.4, 0.3, SIM_TOLERANCE));
            tpi_sim_destroy(sim);
        }
    }
}

/* A corner that touches: to turn one way is free. */
static void a_corner_does_not_turn_into_a_wall(void **state)
{
    const double corner = hypot(0.2, 0.15);
    const double low = SIM_PI / 6; /* how far the robot is turned */
    char text[300];

    (void)state;
    snprintf(text, sizeof text,
             "position ( name \"r\" size [0.4 0.3 0.2] pose [0 0 0 30] " FAST ")"
             "model ( pose [0 %.17g 0 0] size [8 0.2 1] )",
             corner * sin(atan2(0.15, 0.2) + low) + 0.1);
    tpi_sim *sim = sim_make(text);
    assert_true(touches(sim, "r") && !overlaps(sim, "r"));
    assert_stays(sim, "r", 0, 0, 1);
    drive(sim, "r", 0, 0, -1);
    sim_steps(sim, 5);
    assert_false(is_stalled(sim, "r"));
    sim_assert_at(sim, "r", 0, 0, 0, low - 0.5);
    drive(sim, "r", 0, 0, 40); /* back, and no farther than it was */
    sim_steps(sim, 5);
    assert_true(is_stalled(sim, "r"));
    sim_assert_near(pose_of(sim, "r").a, low, 2e-3);
    assert_false(is_in_walls(sim, "r", 0.4, 0.3, 0));
    tpi_sim_destroy(sim);
}

/* A fork with a post between its tines, which it touches everywhere: it can only back away. */
static void a_body_of_several_blocks_is_held_by_each(void **state)
{
    tpi_sim *sim =
        sim_make("position ( name \"r\" size [0.4 0.4 0.2] pose [0 0 0 0] " FAST
                 "block ( points 4 point[0] [0 0] point[1] [2 0] point[2] [2 4] point[3] [0 4] ) "
                 "block ( points 4 point[0] [2 0] point[1] [4 0] point[2] [4 1] point[3] [2 1] ) "
                 "block ( points 4 point[0] [2 3] point[1] [4 3] point[2] [4 4] point[3] [2 4] ) ) "
                 "model ( pose [0.1 0 0 0] size [0.2 0.2 1] )");

    (void)state;
    assert_true(touches(sim, "r") && !overlaps(sim, "r"));
    assert_stays(sim, "r", 1, 0, 0);
    assert_stays(sim, "r", 0, 1, 0);
    assert_stays(sim, "r", 0, -1, 0);
    assert_stays(sim, "r", 0, 0, 1);
    assert_stays(sim, "r", -1, 0.1, 0);
    drive(sim, "r", -1, 0, 0);
    sim_steps(sim, 3);
    sim_assert_at(sim, "r", -0.3, 0, 0, 0);
    drive(sim, "r", 1, 0, 0); /* it is too wide to be taken again */
    sim_steps(sim, 10);
    assert_true(is_stalled(sim, "r"));
    sim_assert_near(pose_of(sim, "r").x, -0.2, 2 * SIM_GAP);
    tpi_sim_destroy(sim);
}

/* A body that is one polygon with a notch, as deep and wide as a post. */
static void a_notch_is_no_way_through(void **state)
{
    tpi_sim *sim =
        sim_make("position ( name \"r\" size [0.4 0.4 0.2] " FAST
                 "block ( points 8 point[0] [0 0] point[1] [4 0] point[2] [4 1] point[3] [1 1] "
                 "  point[4] [1 3] point[5] [4 3] point[6] [4 4] point[7] [0 4] ) ) "
                 "model ( pose [0.05 0 0 0] size [0.3 0.2 1] )");

    (void)state;
    assert_true(touches(sim, "r") && !overlaps(sim, "r"));
    assert_stays(sim, "r", 1, 0, 0);
    assert_stays(sim, "r", 0, 20, 0);
    assert_stays(sim, "r", 0, 0, -1);
    drive(sim, "r", -1, 0, 0);
    sim_steps(sim, 4);
    sim_assert_at(sim, "r", -0.4, 0, 0, 0);
    tpi_sim_destroy(sim);
}

/* However sharp it is, it does not creep in. */
static void a_needle_does_not_get_in_bit_by_bit(void **state)
{
    tpi_sim *sim =
        sim_make("position ( name \"r\" size [1 0.02 0.2] pose [-0.5 0 0 0] " FAST
                 "block ( points 3 point[0] [0 0] point[1] [100 1] point[2] [0 2] z [0 1] ) ) "
                 "model ( pose [1 0 0 0] size [2 9 1] )");

    (void)state;
    assert_true(touches(sim, "r") && !overlaps(sim, "r"));
    for (int i = 0; i < 50; i++) {
        assert_stays(sim, "r", 20, i % 3 - 1, 0);
    }
    sim_assert_near(pose_of(sim, "r").x, -0.5, SIM_TOLERANCE);
    tpi_sim_destroy(sim);
}

/* A wall that is put onto a robot holds it, too. */
static void a_wall_that_is_put_flush_with_a_robot_holds_it(void **state)
{
    tpi_sim *sim = make_flush("", 0, 0, 0, 1);

    (void)state;
    sim_steps(sim, 1);
    assert_false(touches(sim, "r"));
    sim_put(sim, "w", 0, 0.25, 0);
    assert_true(touches(sim, "r") && !overlaps(sim, "r"));
    assert_stays(sim, "r", 0, 1, 0);
    tpi_sim_destroy(sim);
}

/* ---- Each other ------------------------------------------------------------------------------ */

static void two_that_touch_do_not_get_into_each_other(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof gaps / sizeof gaps[0]; i++) {
        for (size_t k = 0; k < sizeof turns / sizeof turns[0]; k++) {
            tpi_sim *sim = make_two(turns[k], 0.4 + gaps[i]);
            const double a = turns[k] * SIM_PI / 180;
            tpi_sim_pose pa = pose_of(sim, "a");
            const tpi_sim_pose pb = pose_of(sim, "b");
            assert_true(touches(sim, "a") && touches(sim, "b"));
            assert_false(overlaps(sim, "a") || overlaps(sim, "b"));
            drive(sim, "b", 5, 0, 0); /* head on */
            assert_stays(sim, "a", 5, 0, 0);
            assert_came(sim, "b", pb, a, 0, 0);
            drive(sim, "b", 0, 0, 0); /* one pushes */
            assert_stays(sim, "a", 1, 0, 0);
            assert_stays(sim, "a", 0, 0, 2);
            assert_false(is_stalled(sim, "b"));
            drive(sim, "b", 0, -1, 0); /* side by side, one a little faster */
            drive(sim, "a", 0, 1.1, 0);
            sim_steps(sim, 2);
            assert_came(sim, "a", pa, a, 0, 0.22);
            assert_came(sim, "b", pb, a, 0, 0.2);
            drive(sim, "b", -1, 0, 0); /* one leaves, the other is slower */
            drive(sim, "a", 0.5, 0, 0);
            sim_steps(sim, 4);
            assert_came(sim, "a", pa, a, 0.2, 0.22);
            assert_came(sim, "b", pb, a, 0.4, 0.2);
            pa = pose_of(sim, "a");
            drive(sim, "b", 0, 0, 0);
            drive(sim, "a", 20, 0, 0);
            sim_steps(sim, 4);
            assert_came(sim, "a", pa, a, 0.2, 0);
            tpi_sim_destroy(sim);
        }
    }
}

/* A file of robots, bumper to bumper, marches on; it closes up when the first one stops. */
static void a_column_without_gaps_marches_on(void **state)
{
    tpi_sim *sim = sim_make("define bot position ( size [0.2 0.2 0.2] )"
                            "bot ( name \"a\" ) bot ( name \"b\" pose [0.2 0 0 0] )"
                            "bot ( name \"c\" pose [0.4 0 0 0] )");

    (void)state;
    for (const char *name = "abc"; *name != '\0'; name++) {
        drive(sim, (char[]){*name, '\0'}, 0.5, 0, 0);
    }
    sim_steps(sim, 20);
    sim_assert_at(sim, "a", 1, 0, 0, 0);
    sim_assert_at(sim, "c", 1.4, 0, 0, 0);
    drive(sim, "c", 0, 0, 0);
    sim_steps(sim, 5);
    sim_assert_near(pose_of(sim, "a").x, 1, 2 * SIM_GAP);
    assert_true(is_stalled(sim, "a") && is_stalled(sim, "b"));
    tpi_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_flush_with_a_wall_does_not_get_into_it),
        cmocka_unit_test(who_is_flush_with_a_wall_goes_along_and_away),
        cmocka_unit_test(far_away_it_is_the_same),
        cmocka_unit_test(nobody_sticks_where_pieces_of_a_wall_meet),
        cmocka_unit_test(who_is_flush_with_a_wall_slides_along_it),
        cmocka_unit_test(in_an_exact_corner_two_ways_are_free),
        cmocka_unit_test(a_corridor_as_wide_as_the_robot_lets_it_pass),
        cmocka_unit_test(a_corner_does_not_turn_into_a_wall),
        cmocka_unit_test(a_body_of_several_blocks_is_held_by_each),
        cmocka_unit_test(a_notch_is_no_way_through),
        cmocka_unit_test(a_needle_does_not_get_in_bit_by_bit),
        cmocka_unit_test(a_wall_that_is_put_flush_with_a_robot_holds_it),
        cmocka_unit_test(two_that_touch_do_not_get_into_each_other),
        cmocka_unit_test(a_column_without_gaps_marches_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
