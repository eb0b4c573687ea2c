/*
 * overlap_test.c - bodies that were put into something: they can leave it, get no deeper, and never
 * through. And chance: from any place, flush or not, nobody gets through a thin wall.
 */
#include "sim/move/contact.h"
#include "sim/move/resolve.h"

#include "support/contact.h"

/* ---- Overlaps -------------------------------------------------------------------------------- */

/* Up to its middle in a thin wall: it comes out where its middle is, from however deep. */
static void who_stands_in_a_wall_leaves_where_its_middle_is(void **state)
{
    static const double deep[] = {2e-6, 1e-4, 0.01, 0.1, 0.19, 0.199};

    (void)state;
    for (size_t i = 0; i < sizeof deep / sizeof deep[0]; i++) {
        for (int thick = 0; thick < 3; thick++) {
            static const double sizes[] = {0.01, 0.1, 3};
            const double size = sizes[thick];
            char text[300];
            snprintf(text, sizeof text,
                     "position ( name \"r\" size [0.4 0.3 0.2] pose [-5 0 0 0] " FAST ")"
                     "model ( pose [%.17g 0 0 0] size [%g 4 1] )",
                     0.2 + size / 2, size);
            tpi_sim *sim = sim_make(text);
            sim_put(sim, "r", deep[i], 0, 0);
            assert_true(overlaps(sim, "r"));
            assert_stays(sim, "r", 1, 0, 0); /* no deeper */
            assert_stays(sim, "r", 200, 1, 0);
            assert_stays(sim, "r", 0.1, 0, 1);
            drive(sim, "r", 0, 1, 0); /* along */
            sim_steps(sim, 5);
            sim_assert_at(sim, "r", deep[i], 0.5, 0, 0);
            assert_true(overlaps(sim, "r"));
            drive(sim, "r", -deep[i] * 5, 0, 0); /* half out */
            sim_steps(sim, 1);
            sim_assert_at(sim, "r", deep[i] / 2, 0.5, 0, 0);
            assert_stays(sim, "r", 1, 0, 0);
            drive(sim, "r", -1, 0, 0);
            sim_steps(sim, 5);
            assert_false(touches(sim, "r") || overlaps(sim, "r"));
            drive(sim, "r", 20, 0, 0); /* not in again */
            sim_steps(sim, 5);
            sim_assert_near(pose_of(sim, "r").x, 0, 2 * SIM_GAP);
            tpi_sim_destroy(sim);
        }
    }
}

/* A rod that lies in the side of a long wall is free to go along it, however that is turned. */
static void who_stands_in_a_wall_does_not_stick_to_it(void **state)
{
    (void)state;
    for (int degrees = -170; degrees <= 180; degrees += 10) {
        const double a = degrees * SIM_PI / 180;
        char text[300];
        snprintf(text, sizeof text,
                 "position ( name \"r\" size [2 0.02 0.2] pose [%.15f %.15f 0 0] " FAST ")"
                 "model ( pose [%.15f %.15f 0 %d] size [3000 4 1] )",
                 9 * sin(a), -9 * cos(a), -2 * sin(a), 2 * cos(a), degrees);
        tpi_sim *sim = sim_make(text);
        sim_put(sim, "r", 0.005 * sin(a) + 900 * cos(a), -0.005 * cos(a) + 900 * sin(a), a);
        const tpi_sim_pose pose = pose_of(sim, "r");
        assert_true(overlaps(sim, "r"));
        drive(sim, "r", 20, 0, 0);
        sim_steps(sim, 20);
        assert_false(is_stalled(sim, "r"));
        assert_came(sim, "r", pose, a, 40, 0);
        tpi_sim_destroy(sim);
    }
}

/* With its middle in something that has no room for it, it leaves by the nearest side. */
static void who_is_lodged_can_leave(void **state)
{
    static const double sizes[] = {0.01, 0.2, 0.4, 0.5};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (int way = -1; way <= 1; way += 2) {
            char text[300];
            snprintf(text, sizeof text,
                     "position ( name \"r\" size [0.4 0.3 0.2] pose [-5 0 0 0] " FAST ")"
                     "model ( size [%g 4 1] )",
                     sizes[i]);
            tpi_sim *sim = sim_make(text);
            sim_put(sim, "r", way * sizes[i] / 3, 0, 0);
            assert_true(overlaps(sim, "r"));
            drive(sim, "r", -way * 20, 0, 0); /* not by the other side */
            sim_steps(sim, 10);
            assert_true(is_stalled(sim, "r"));
            assert_true(fabs(pose_of(sim, "r").x) <= sizes[i] / 2);
            sim_put(sim, "r", way * sizes[i] / 3, 0, 0);
            drive(sim, "r", way * 0.5, 0, 0);
            sim_steps(sim, 20);
            sim_assert_near(pose_of(sim, "r").x, way * (sizes[i] / 3 + 1), 1e-9);
            assert_false(overlaps(sim, "r"));
            sim_put(sim, "r", 0, 0, 0); /* right in the middle it may choose */
            drive(sim, "r", way * 0.5, 0, 0);
            sim_steps(sim, 20);
            if (sizes[i] < 0.4) { /* else it is wholly inside */
                sim_assert_near(pose_of(sim, "r").x, way * 1.0, 1e-9);
            }
            tpi_sim_destroy(sim);
        }
    }
}

/* A post that is half within a robot has a side that is wholly so: that does not keep it. */
static void who_stands_in_a_post_can_leave_it(void **state)
{
    tpi_sim *sim = sim_make("position ( name \"r\" size [0.4 0.3 0.2] pose [-5 0 0 0] " FAST ")"
                            "model ( pose [0.2 0 0 0] size [0.1 0.1 1] )");

    (void)state;
    sim_put(sim, "r", 0, 0, 0);
    assert_true(overlaps(sim, "r"));
    assert_stays(sim, "r", 1, 0, 0);
    drive(sim, "r", -0.5, 0, 0);
    sim_steps(sim, 4);
    sim_assert_at(sim, "r", -0.2, 0, 0, 0);
    assert_false(overlaps(sim, "r"));
    tpi_sim_destroy(sim);
}

/* A box that is a room keeps who stands in its side, with the middle within; and keeps out. */
static void the_side_of_a_room_is_a_wall(void **state)
{
    for (int i = 0; i < 2; i++) {
        tpi_sim *sim = sim_make("position ( name \"r\" size [0.4 0.3 0.2] " FAST ")"
                                "model ( name \"room\" size [8 6 1] )");
        (void)state;
        if (i == 1) { /* a room that moves */
            sim_put(sim, "room", 0, 0, 0);
        }
        sim_put(sim, "r", 3.9, 0, 0);
        assert_true(overlaps(sim, "r"));
        assert_stays(sim, "r", 3, 0, 0);
        drive(sim, "r", -1, 0, 0);
        sim_steps(sim, 10);
        sim_assert_at(sim, "r", 2.9, 0, 0, 0);
        drive(sim, "r", 20, 0, 0);
        sim_steps(sim, 10);
        sim_assert_near(pose_of(sim, "r").x, 3.8, 2 * SIM_GAP);
        sim_put(sim, "r", 4.1, 0, 0);
        assert_stays(sim, "r", -3, 0, 0);
        drive(sim, "r", 1, 0, 0);
        sim_steps(sim, 10);
        sim_assert_at(sim, "r", 5.1, 0, 0, 0);
        tpi_sim_destroy(sim);
    }
}

/* However deep they are in each other, they may part and nothing else. */
static void two_in_each_other_can_only_part(void **state)
{
    static const double apart[] = {0.399, 0.3, 0.2, 0.1, 0.01, 1e-5};

    (void)state;
    for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++) {
        for (size_t k = 0; k < sizeof turns / sizeof turns[0]; k++) {
            const double a = turns[k] * SIM_PI / 180;
            tpi_sim *sim = make_two(turns[k], 3);
            sim_put(sim, "b", 5 + apart[i] * cos(a), 6 + apart[i] * sin(a), a + SIM_PI);
            assert_true(overlaps(sim, "b"));
            const tpi_sim_pose pa = pose_of(sim, "a");
            const tpi_sim_pose pb = pose_of(sim, "b");
            drive(sim, "b", 1, 0, 0);
            assert_stays(sim, "a", 1, 0, 0);
            drive(sim, "b", 0, 0, 0);
            assert_stays(sim, "a", 20, 0, 0);
            drive(sim, "a", -1, 0, 0);
            drive(sim, "b", -0.5, 0, 0);
            sim_steps(sim, 10);
            assert_came(sim, "a", pa, a, -1, 0);
            assert_came(sim, "b", pb, a, 0.5, 0);
            assert_false(overlaps(sim, "b"));
            drive(sim, "b", 0, 0, 0);
            drive(sim, "a", 20, 0, 0);
            sim_steps(sim, 10);
            assert_came(sim, "a", pb, a, 0.1, 0);
            tpi_sim_destroy(sim);
        }
    }
}

/* In one place, of one size: nobody is a room for the other. */
static void all_in_one_place_can_part(void **state)
{
    static const char names[] = "abcd";
    tpi_sim *sim = sim_make("define bot position ( size [0.5 0.3 0.2] " FAST ")"
                            "bot ( name \"a\" ) bot ( name \"b\" pose [2 0 0 0] ) "
                            "bot ( name \"c\" pose [4 0 0 0] ) bot ( name \"d\" pose [6 0 0 0] )");

    (void)state;
    for (int i = 0; i < 4; i++) {
        sim_put(sim, (char[]){names[i], '\0'}, 1, 1, 0.3);
    }
    for (int i = 0; i < 4; i++) {
        const double a = i * SIM_PI / 2;
        assert_true(i == 0 || overlaps(sim, (char[]){names[i], '\0'}));
        drive(sim, (char[]){names[i], '\0'}, cos(a), sin(a), 0);
    }
    sim_steps(sim, 10);
    for (int i = 0; i < 4; i++) {
        assert_false(overlaps(sim, (char[]){names[i], '\0'}));
        const tpi_sim_pose pose = pose_of(sim, (char[]){names[i], '\0'});
        sim_assert_near(hypot(pose.x - 1, pose.y - 1), 1, 1e-6);
    }
    tpi_sim_destroy(sim);
}

/* ---- Chance ---------------------------------------------------------------------------------- */

/* A robot, of one world, put flush with its wall: with a side, or with a corner. */
static void put_flush(tpi_sim *sim, struct sim_dice *dice, const double size[2], double wall)
{
    const bool corner = sim_throw(dice, 0, 1) < 0.4;
    const double turn = corner ? sim_throw(dice, -SIM_PI, SIM_PI)
                               : SIM_PI / 2 * floor(sim_throw(dice, 0, 4)) + wall;
    const double off = sim_throw(dice, 0, 1) < 0.3 ? 0 : sim_throw(dice, -9e-7, 9e-7);
    const double side = sim_throw(dice, 0, 1) < 0.5 ? -1 : 1;
    const double c = fabs(cos(turn - wall));
    const double s = fabs(sin(turn - wall));
    const double across = side * (0.005 + (c * size[1] + s * size[0]) / 2 + off);
    const double along = sim_throw(dice, -3, 3);

    sim_put(sim, "r", cos(wall) * along - sin(wall) * across,
            sin(wall) * along + cos(wall) * across, turn);
    assert_true(touches(sim, "r"));
    assert_false(overlaps(sim, "r"));
}

/* On which side of a wall through the origin it is, and how far away. */
static double side_of(const tpi_sim *sim, double wall)
{
    const tpi_sim_pose pose = pose_of(sim, "r");

    return cos(wall) * pose.y - sin(wall) * pose.x;
}

/* Ten steps from a place that is flush with the wall: it stays on its side, and out of the wall. */
static void drive_from_wall(tpi_sim *sim, struct sim_dice *dice, const double size[2], double wall)
{
    put_flush(sim, dice, size, wall);
    const double side = side_of(sim, wall);
    for (int step = 0; step < 10; step++) {
        const double fast = step % 3 == 0 ? 20 : 0.3;
        const double turn = sim_throw(dice, -fast, fast); /* the same with every compiler */
        const double sideways = sim_throw(dice, -fast, fast);
        drive(sim, "r", sim_throw(dice, -fast, fast), sideways, turn);
        tpi_sim_step(sim);
        assert_false(is_in_walls(sim, "r", size[0], size[1], 1.1 * SIM_TOLERANCE));
        const tpi_sim_pose pose = pose_of(sim, "r");
        if (hypot(pose.x, pose.y) > 4) {
            break; /* it may go round the end */
        }
        assert_true(side_of(sim, wall) * side > 0);
    }
}

/* In several orders of chance: what turns while it goes along has got in by some micrometres, once
 * in 100,000 steps. */
static void nobody_gets_through_from_a_flush_place(void **state)
{
    char text[300];

    (void)state;
    for (uint64_t order = 7; order < 10; order++) {
        struct sim_dice dice = {order};
        for (int world = 0; world < 13; world++) {
            const double size[2] = {sim_throw(&dice, 0.02, 1), sim_throw(&dice, 0.02, 1)};
            const double degrees = world % 5 == 0 ? 30 : sim_throw(&dice, -180, 180);
            const double wall = degrees * SIM_PI / 180;
            snprintf(text, sizeof text,
                     "position ( name \"r\" size [%.17g %.17g 0.2] pose [9 9 0 0] %s " FAST ")"
                     "model ( pose [0 0 0 %.17g] size [9 0.01 1] )",
                     size[0], size[1], world % 2 == 0 ? "" : "collision \"slide\"", degrees);
            tpi_sim *sim = sim_make(text);
            for (int i = 0; i < 200; i++) {
                drive_from_wall(sim, &dice, size, wall);
            }
            tpi_sim_destroy(sim);
        }
    }
}

/* The middle of a body, whose first part is the largest. */
static void put_middle(const tpi_sim *sim, const char *name, double *x, double *y)
{
    const tpi_sim_pose pose = pose_of(sim, name);
    const struct sim_template *template = sim->trees.template[sim->tree_of[sim_named(sim, name)]];
    double mx = 0;
    double my = 0;

    for (uint32_t i = 0; i < template->parts[0].count; i++) {
        mx += template->vx[i] / template->parts[0].count;
        my += template->vy[i] / template->parts[0].count;
    }
    *x = pose.x + cos(pose.a) * mx - sin(pose.a) * my;
    *y = pose.y + sin(pose.a) * mx + cos(pose.a) * my;
}

/* The room of the world below that somebody is in: three in a row, and the outside; -1 for the
 * walls. */
static int room_of(const tpi_sim *sim, const char *name)
{
    double x;
    double y;

    put_middle(sim, name, &x, &y);
    if (fabs(y) > 2.005 || fabs(x) > 3.005) {
        return 0;
    }
    if (fabs(y) > 1.995 || fabs(x) > 2.995 || fabs(fabs(x) - 1) < 0.005) {
        return -1;
    }
    return x < -1 ? 1 : x < 1 ? 2 : 3;
}

/* Walls of a centimetre, robots of all forms, some of them in walls, or in each other. */
static tpi_sim *make_rooms(struct sim_dice *dice)
{
    tpi_buf text = {0};

    tpi_buf_puts(&text,
                 "define wall model ( )"
                 "wall ( pose [0 2 0 0] size [6.01 0.01 1] )"
                 "wall ( pose [0 -2 0 0] size [6.01 0.01 1] )"
                 "wall ( pose [-3 0 0 0] size [0.01 4 1] ) wall ( pose [3 0 0 0] size [0.01 4 1] )"
                 "wall ( pose [-1 0 0 0] size [0.01 4 1] ) wall ( pose [1 0 0 0] size [0.01 4 1] )"
                 "wall ( pose [0 0 0 30] size [0.3 0.3 1] )");
    for (int i = 0; i < 8; i++) {
        static const char *const forms[] = {
            "block ( points 3 point[0] [0 0] point[1] [3 0] point[2] [0 2] z [0 1] )", "",
            "block ( points 4 point[0] [0 0] point[1] [2 0] point[2] [2 4] point[3] [0 4] ) "
            "block ( points 4 point[0] [2 0] point[1] [4 0] point[2] [4 1] point[3] [2 1] ) "
            "block ( points 4 point[0] [2 3] point[1] [4 3] point[2] [4 4] point[3] [2 4] )"};
        const double length = sim_throw(dice, 0.05, 0.8);
        tpi_buf_printf(&text,
                       "position ( name \"r%d\" pose [%d 9 0 0] size [%.17g %.17g 0.2] %s %s ", i,
                       3 * i, length, i % 3 == 2 ? length : sim_throw(dice, 0.05, 0.8),
                       i % 2 == 0 ? "" : "collision \"slide\"", forms[i % 3]);
        tpi_buf_puts(&text, FAST ")");
    }
    tpi_sim *sim = NULL;
    const tpi_sim_options options = {0}; /* without notes: all of them overlap */
    assert_int_equal(
        tpi_sim_parse(&sim, "x.world", tpi_buf_text(&text), text.length, &options, NULL), TP_OK);
    tpi_buf_fini(&text);
    return sim;
}

/* Who has the middle in a wall is on neither side, and put elsewhere. */
static int put_anywhere(tpi_sim *sim, struct sim_dice *dice, const char *name)
{
    do {
        sim_put(sim, name, sim_throw(dice, -3.5, 3.5), sim_throw(dice, -2.5, 2.5),
                sim_throw(dice, -SIM_PI, SIM_PI));
    } while (room_of(sim, name) < 0);
    return room_of(sim, name);
}

/* Whether a robot that is a box stands in a wall; others are not looked at. */
static bool stands_in_wall(const tpi_sim *sim, const char *name)
{
    const struct sim_template *template = sim->trees.template[sim->tree_of[sim_named(sim, name)]];
    double half[2] = {0, 0};

    for (uint32_t i = 0; i < 4; i++) {
        half[0] = fmax(half[0], fabs(template->vx[i]));
        half[1] = fmax(half[1], fabs(template->vy[i]));
    }
    return template->part_count != 1 || template->parts[0].count != 4 ||
           is_in_walls(sim, name, 2 * half[0], 2 * half[1], 1.1 * SIM_TOLERANCE);
}

static void drive_anyhow(tpi_sim *sim, struct sim_dice *dice, const char *name, double fast)
{
    drive(sim, name, sim_throw(dice, -fast, fast), sim_throw(dice, -fast, fast),
          sim_throw(dice, -fast, fast));
}

/* Ten thousand steps; who has got out of all walls does not get into one again. */
static void nobody_ever_changes_rooms(void **state)
{
    struct sim_dice dice = {11};

    (void)state;
    for (int world = 0; world < 50; world++) {
        tpi_sim *sim = make_rooms(&dice);
        int rooms[8];
        bool in_wall[8];
        for (int i = 0; i < 8; i++) {
            const char name[] = {'r', (char)('0' + i), '\0'};
            rooms[i] = put_anywhere(sim, &dice, name);
            in_wall[i] = true;
        }
        for (int step = 0; step < 200; step++) {
            for (int i = 0; i < 8; i++) {
                const char name[] = {'r', (char)('0' + i), '\0'};
                drive_anyhow(sim, &dice, name, step % 3 == 0 ? 20 : 0.5);
            }
            tpi_sim_step(sim);
            for (int i = 0; i < 8; i++) {
                const char name[] = {'r', (char)('0' + i), '\0'};
                const bool in = stands_in_wall(sim, name);
                assert_int_equal(room_of(sim, name), rooms[i]);
                assert_true(in_wall[i] || !in);
                in_wall[i] = in;
            }
        }
        tpi_sim_destroy(sim);
    }
}

/* Two alike, flush or in each other: once they are apart they stay so, and neither goes through the
 * other: as they are, their middles do not come nearer than half their width. */
static void two_never_get_through_each_other(void **state)
{
    struct sim_dice dice = {13};

    (void)state;
    for (int world = 0; world < 300; world++) {
        const double degrees = sim_throw(&dice, -180, 180);
        const double a = degrees * SIM_PI / 180;
        const double far = world % 2 == 0 ? 0.4 : sim_throw(&dice, 0.05, 0.4);
        tpi_sim *sim = make_two(degrees, 2);
        sim_put(sim, "b", 5 + far * cos(a), 6 + far * sin(a), a + (world % 3 == 0 ? SIM_PI : 0));
        bool apart = world % 2 == 0;
        assert_int_equal(overlaps(sim, "b"), !apart);
        for (int step = 0; step < 40; step++) {
            const double fast = step % 3 == 0 ? 20 : 0.5;
            drive_anyhow(sim, &dice, "a", fast);
            drive_anyhow(sim, &dice, "b", fast);
            tpi_sim_step(sim);
            const tpi_sim_pose pa = pose_of(sim, "a");
            const tpi_sim_pose pb = pose_of(sim, "b");
            const struct sim_body a_body = tpi_sim_body_of(sim, &sim->crowd.spots[0]);
            const struct sim_body b_body = tpi_sim_body_of(sim, &sim->crowd.spots[1]);
            const bool in = tpi_sim_overlap(&a_body, &b_body);
            apart = apart || !in;
            assert_true(!apart || hypot(pa.x - pb.x, pa.y - pb.y) > 0.3 - 2 * SIM_GAP);
            assert_true(!apart || !in);
        }
        tpi_sim_destroy(sim);
    }
}

/* ---- Cost ------------------------------------------------------------------------------------ */

/* So many boxes that stand still and so many robots, at random in one square metre. */
static tpi_sim *make_pile(uint32_t boxes, uint32_t robots)
{
    struct sim_dice dice = {7};
    tpi_buf text = {0};

    for (uint32_t i = 0; i < boxes + robots; i++) {
        tpi_buf_printf(&text, "%s ( pose [%.6f %.6f 0 %.3f] size [1 1 1] )\n",
                       i < boxes ? "model" : "position", sim_throw(&dice, 0, 1),
                       sim_throw(&dice, 0, 1), sim_throw(&dice, 0, 360));
    }
    tpi_sim *sim = NULL;
    const tpi_sim_options options = {0}; /* without notes: all of them overlap */
    assert_int_equal(
        tpi_sim_parse(&sim, "x.world", tpi_buf_text(&text), text.length, &options, NULL), TP_OK);
    tpi_buf_fini(&text);
    return sim;
}

/* Edges that are compared, without a limit. */
static uint64_t cost_of(tpi_sim *sim)
{
    struct sim_effort effort = {.left = UINT64_MAX};

    assert_int_equal(tpi_sim_check_overlaps(sim, &effort, NULL, NULL), 0);
    return UINT64_MAX - effort.left;
}

/* A wall is in the lists of many cells, but where these are long it is compared with a body no more
 * than a few times. */
static void a_body_among_many_walls_is_compared_with_each_a_few_times(void **state)
{
    (void)state;
    for (uint32_t count = 100; count <= 400; count *= 2) {
        tpi_sim *sim = make_pile(count, count);
        assert_int_equal(sim->crowd.count, count);
        const uint64_t most = 2 * sim->walls.count + 5 * count + 4096; /* for each body */
        assert_true(cost_of(sim) <= most * count);
        tpi_sim_destroy(sim);
    }
}

static void the_cost_of_a_check_grows_no_faster_than_the_bodies(void **state)
{
    tpi_sim *small = make_pile(100, 100);
    tpi_sim *large = make_pile(200, 200);

    (void)state;
    assert_true(tpi_sim_overlap_effort(large).left <= 2 * tpi_sim_overlap_effort(small).left);
    tpi_sim_destroy(small);
    tpi_sim_destroy(large);
}

static void bodies_that_are_not_checked_move_with_care(void **state)
{
    tpi_sim *sim = make_pile(100, 100);
    struct sim_effort effort = {.left = 5000};
    struct sim_effort none = {0};
    uint32_t unchecked = tpi_sim_check_overlaps(sim, &effort, NULL, NULL);

    (void)state;
    assert_true(unchecked > 0 && unchecked < 100);
    unchecked = tpi_sim_check_overlaps(sim, &none, NULL, NULL);
    assert_int_equal(unchecked, 100);
    for (uint32_t i = 0; i < sim->crowd.count; i++) {
        assert_true((sim->trees.flags[sim->crowd.spots[i].tree] & SIM_TOUCHES) != 0);
    }
    tpi_sim_destroy(sim);
}

/* Lists of cells are no longer than the walls need; without a bound they grow as the 1.5th power.
 */
static void the_lists_of_walls_that_cross_grow_no_faster_than_the_walls(void **state)
{
    tpi_sim *small = make_pile(2000, 0);
    tpi_sim *large = make_pile(4000, 0);

    (void)state;
    assert_true(large->walls.list_count <= 2.2 * small->walls.list_count);
    tpi_sim_destroy(small);
    tpi_sim_destroy(large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_stands_in_a_wall_leaves_where_its_middle_is),
        cmocka_unit_test(who_stands_in_a_wall_does_not_stick_to_it),
        cmocka_unit_test(who_is_lodged_can_leave),
        cmocka_unit_test(who_stands_in_a_post_can_leave_it),
        cmocka_unit_test(the_side_of_a_room_is_a_wall),
        cmocka_unit_test(two_in_each_other_can_only_part),
        cmocka_unit_test(all_in_one_place_can_part),
        cmocka_unit_test(nobody_gets_through_from_a_flush_place),
        cmocka_unit_test(nobody_ever_changes_rooms),
        cmocka_unit_test(two_never_get_through_each_other),
        cmocka_unit_test(a_body_among_many_walls_is_compared_with_each_a_few_times),
        cmocka_unit_test(the_cost_of_a_check_grows_no_faster_than_the_bodies),
        cmocka_unit_test(bodies_that_are_not_checked_move_with_care),
        cmocka_unit_test(the_lists_of_walls_that_cross_grow_no_faster_than_the_walls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
