/*
 * kernel_test.c - the loops for this processor against those in plain C: the same bits where they
 * give results, nobody missed where they only say whom to look at.
 */
#include "sim/ray/kernel.h"

#include "sim/ray/crowd.h"
#include "sim/ray/ray.h"
#include "support/sim.h"

enum { ROBOTS = 100, THINGS = 64 };

static const double half_world = 12;

/* Robots, and walls of several forms, some of which rangers look through. */
static tpi_sim *make_world(struct sim_dice *dice)
{
    static const char *const kinds[] = {
        "size [1 0.6 0.5]",
        "size [2 1.5 0.6] block ( points 8 point[0] [0 0] point[1] [5 0] point[2] [5 1] "
        "point[3] [1 1] point[4] [1 3] point[5] [5 3] point[6] [5 4] point[7] [0 4] z [0 1] )",
        "size [1 1 0.7] block ( points 3 point[0] [0 0] point[1] [1 0] point[2] [0.3 0.8] "
        "z [0 0.5] ) block ( points 3 point[0] [0 0] point[1] [0.2 1] point[2] [1 0.9] "
        "z [0.1 1] )",
        "size [1.5 0.2 1] ranger_return -1",
        "size [0.5 0.5 1] ranger_return 0.25",
    };
    tpi_buf text = {0};
    tpi_sim *sim = NULL;
    tp_error err = {0};

    tpi_buf_puts(&text, "define bot position ( size [0.5 0.4 0.3] )\n");
    for (int i = 0; i < THINGS; i++) {
        tpi_buf_printf(&text, "model ( name \"m%d\" pose [%.3f %.3f 0 %.1f] %s )\n", i,
                       sim_throw(dice, -half_world, half_world),
                       sim_throw(dice, -half_world, half_world), sim_throw(dice, -180, 180),
                       kinds[i % 5]);
    }
    for (int i = 0; i < ROBOTS; i++) {
        tpi_buf_printf(&text, "bot ( name \"r%d\" )\n", i);
    }
    assert_int_equal(tpi_sim_parse(&sim, "x.world", text.data, text.length, NULL, &err), TP_OK);
    tpi_buf_fini(&text);
    return sim;
}

/* Put all robots somewhere in a square. */
static void spread(tpi_sim *sim, struct sim_dice *dice, double half)
{
    char name[32];

    for (int i = 0; i < ROBOTS; i++) {
        snprintf(name, sizeof name, "r%d", i);
        sim_put(sim, name, sim_throw(dice, -half, half), sim_throw(dice, -half, half),
                sim_throw(dice, -SIM_PI, SIM_PI));
    }
}

/* The loops for this processor and those in plain C give the same bits. */
static void all_kernels_meet_edges_alike(void **state)
{
    enum { RAYS = 61 };
    const struct sim_kernel *fast = tpi_sim_kernel();
    struct sim_dice dice = {4};
    double dx[RAYS];
    double dy[RAYS];
    double ranges[2][RAYS];
    double returns[2][RAYS];

    (void)state;
    for (int round = 0; round < 2000; round++) {
        const uint32_t count = 1 + (uint32_t)round % RAYS;
        for (uint32_t i = 0; i < RAYS; i++) {
            dx[i] = cos(i * 0.05 - 1.5);
            dy[i] = sin(i * 0.05 - 1.5);
            ranges[0][i] = ranges[1][i] = sim_throw(&dice, 0.5, 5);
            returns[0][i] = returns[1][i] = i % 2 == 0 ? HUGE_VAL : 0.5;
        }
        const struct sim_rays plain = {NULL, NULL, dx, dy, ranges[0], returns[0], count};
        const struct sim_rays other = {NULL, NULL, dx, dy, ranges[1], returns[1], count};
        const double p[] = {sim_throw(&dice, -3, 3), sim_throw(&dice, -3, 3)};
        const double q[] = {sim_throw(&dice, -3, 3), sim_throw(&dice, -3, 3)};
        const double cross = p[0] * q[1] - p[1] * q[0];
        const double *first = cross > 0 ? p : q;
        const double *last = cross > 0 ? q : p;
        const struct sim_edge edge = {first[0], first[1], last[0], last[1], fabs(cross), 1};
        tpi_sim_kernel_plain.meet(&plain, 0, count, &edge);
        fast->meet(&other, 0, count, &edge);
        assert_memory_equal(ranges[0], ranges[1], sizeof ranges[0]);
        assert_memory_equal(returns[0], returns[1], sizeof returns[0]);
    }
}

/* Rays of several rangers, in each kernel's own arrays. */
enum { WALKS = 40, RAYS_PER_WALK = 23 };

struct walkers {
    double numbers[4][RAYS_PER_WALK];
    double ranges[2][WALKS * RAYS_PER_WALK];
    double returns[2][WALKS * RAYS_PER_WALK];
    struct sim_walk walks[2][WALKS];
};

/* Where and how many rays begin is up to the dice. */
static void throw_walks(struct walkers *w, struct sim_dice *dice, double half, uint32_t walks)
{
    uint32_t first = 0;

    for (uint32_t n = 0; n < walks; n++) {
        const tpi_sim_pose pose = {sim_throw(dice, -half, half), sim_throw(dice, -half, half), 0.3,
                                   sim_throw(dice, -SIM_PI, SIM_PI)};
        const uint32_t count = (uint32_t)sim_throw(dice, 1, RAYS_PER_WALK + 0.99);
        for (int kernel = 0; kernel < 2; kernel++) {
            w->walks[kernel][n] = (struct sim_walk){
                .frame = sim_frame_of(&pose),
                .own = 3,
                .rays = {w->numbers[0], w->numbers[1], w->numbers[2], w->numbers[3],
                         w->ranges[kernel] + first, w->returns[kernel] + first, count}};
        }
        first += count + n % 3; /* some are of others */
    }
    for (uint32_t i = 0; i < WALKS * RAYS_PER_WALK; i++) {
        w->ranges[0][i] = w->ranges[1][i] = sim_throw(dice, 0.5, 5);
        w->returns[0][i] = w->returns[1][i] = HUGE_VAL;
    }
}

static void walk_alike(const tpi_sim *sim, double half, int rounds)
{
    static struct walkers w;
    struct sim_dice dice = {5};

    for (int i = 0; i < RAYS_PER_WALK; i++) {
        w.numbers[0][i] = sim_throw(&dice, -0.2, 0.2);
        w.numbers[1][i] = sim_throw(&dice, -0.2, 0.2);
        w.numbers[2][i] = cos(i * 0.3);
        w.numbers[3][i] = sin(i * 0.3);
    }
    for (int round = 0; round < rounds; round++) {
        const uint32_t count = 1 + (uint32_t)round % (WALKS - 4);
        throw_walks(&w, &dice, half, count);
        tpi_sim_kernel_plain.walk(&sim->walls, w.walks[0], count);
        tpi_sim_kernel()->walk(&sim->walls, w.walks[1], count);
        assert_memory_equal(w.ranges[0], w.ranges[1], sizeof w.ranges[0]);
        assert_memory_equal(w.returns[0], w.returns[1], sizeof w.returns[0]);
    }
}

static void all_kernels_walk_alike(void **state)
{
    struct sim_dice dice = {5};
    tpi_sim *sim = make_world(&dice);

    (void)state;
    walk_alike(sim, half_world, 500);
    walk_alike(sim, 4000 * sim->walls.cell, 50); /* some too far away for rounding */
    tpi_sim_destroy(sim);
}

/* A cell with more walls than are looked at together, and rays through all corners of it. */
static void all_kernels_walk_alike_where_walls_are_dense(void **state)
{
    tpi_buf text = {0};
    tpi_sim *sim = NULL;
    tp_error err = {0};
    uint32_t most = 0;

    (void)state;
    for (int i = 0; i < 120; i++) {
        tpi_buf_printf(&text, "model ( name \"m%d\" pose [%g %g 0 %d] size [0.02 0.01 0.5] )\n", i,
                       0.001 * (i % 11), 0.002 * (i % 7), i * 3);
    }
    tpi_buf_puts(&text, "model ( name \"far\" pose [9 9 0 0] size [1 1 0.5] )\n");
    assert_int_equal(tpi_sim_parse(&sim, "x.world", text.data, text.length, NULL, &err), TP_OK);
    for (size_t i = 0; i < (size_t)sim->walls.columns * sim->walls.rows; i++) {
        const uint32_t count = sim->walls.first[i + 1] - sim->walls.first[i];
        most = count > most ? count : most;
    }
    assert_true(most > 100);
    walk_alike(sim, 0.5, 500);
    tpi_buf_fini(&text);
    tpi_sim_destroy(sim);
}

/* More rays from one place than walk together. */
static void all_kernels_walk_alike_with_many_rays(void **state)
{
    enum { RAYS = 1000 };
    static double numbers[4][RAYS];
    static double ranges[2][RAYS];
    static double returns[2][RAYS];
    struct sim_dice dice = {6};
    tpi_sim *sim = make_world(&dice);

    (void)state;
    for (int i = 0; i < RAYS; i++) {
        numbers[2][i] = cos(i * 0.01);
        numbers[3][i] = sin(i * 0.01);
        ranges[0][i] = ranges[1][i] = 9;
        returns[0][i] = returns[1][i] = HUGE_VAL;
    }
    for (int kernel = 0; kernel < 2; kernel++) {
        const struct sim_walk walk = {.frame = {.z = 0.3, .c = 1},
                                      .rays = {numbers[0], numbers[1], numbers[2], numbers[3],
                                               ranges[kernel], returns[kernel], RAYS}};
        (kernel == 0 ? &tpi_sim_kernel_plain : tpi_sim_kernel())->walk(&sim->walls, &walk, 1);
    }
    assert_memory_equal(ranges[0], ranges[1], sizeof ranges[0]);
    assert_memory_equal(returns[0], returns[1], sizeof returns[0]);
    tpi_sim_destroy(sim);
}

/* Everybody whom a ray comes near is found; some too many do no harm. */
static void all_kernels_find_the_bodies_near_rays(void **state)
{
    const struct sim_kernel *const kernels[] = {&tpi_sim_kernel_plain, tpi_sim_kernel()};
    struct sim_dice dice = {6};
    tpi_sim *sim = make_world(&dice);

    (void)state;
    spread(sim, &dice, half_world);
    for (uint32_t round = 0; round < 20000; round++) {
        const double x = sim_throw(&dice, -half_world, half_world) - sim->crowd.x;
        const double y = sim_throw(&dice, -half_world, half_world) - sim->crowd.y;
        const double angle = sim_throw(&dice, -SIM_PI, SIM_PI);
        const double offset = round % 3 == 0 ? 0 : 0.25;
        const double sideways = sim_throw(&dice, -offset, offset);
        const uint32_t sector =
            (uint32_t)((angle / (2 * SIM_PI) + 0.5) * SIM_SECTORS) % SIM_SECTORS;
        uint32_t before[SIM_BEFORE]; /* one ray */
        for (uint32_t i = 0; i < SIM_BEFORE; i++) {
            before[i] = (i + SIM_SECTORS - 1 - sector) / SIM_SECTORS;
        }
        const struct sim_probe probe = {.x = (float)x,
                                        .y = (float)y,
                                        .c = 1,
                                        .reach = 3.25f,
                                        .offset = (float)offset,
                                        .before = before};
        for (int which = 0; which < 2; which++) {
            struct sim_found found = {.count = 0};
            struct sim_runs runs = {.count = 2, .from = {3, 30}, .to = {30, 60}};
            kernels[which]->find(&sim->crowd, &runs, &probe, &found);
            assert_int_equal(runs.at, 2);
            for (uint32_t i = 3, at = 0; i < 60; i++) {
                const struct sim_spot *spot = &sim->crowd.spots[i];
                const double dx = spot->x - sim->crowd.x - x;
                const double dy = spot->y - sim->crowd.y - y;
                const double along = dx * cos(angle) + dy * sin(angle);
                const double across = dy * cos(angle) - dx * sin(angle) - sideways;
                const bool there = at < found.count && found.spot[at] == i;
                const bool met =
                    fabs(across) < (double)spot->radius - 1e-4 && along > 0 && along < 3;
                assert_true(there || !met);
                at += there ? 1 : 0;
            }
        }
    }
    tpi_sim_destroy(sim);
}

/* Of a circle that is anywhere, and as large as wanted. */
static void all_kernels_find_the_rows_of_a_circle(void **state)
{
    const struct sim_kernel *const kernels[] = {&tpi_sim_kernel_plain, tpi_sim_kernel()};
    struct sim_dice dice = {7};
    tpi_sim *sim = make_world(&dice);
    const struct sim_crowd *crowd = &sim->crowd;

    (void)state;
    spread(sim, &dice, half_world);
    for (uint32_t round = 0; round < 20000; round++) {
        const double x = sim_throw(&dice, -2 * half_world, 2 * half_world);
        const double y = sim_throw(&dice, -2 * half_world, 2 * half_world);
        const double radius = round % 100 == 0 ? 1e6 : sim_throw(&dice, 0, half_world);
        for (int which = 0; which < 2; which++) {
            bool seen[ROBOTS] = {false};
            struct sim_near near;
            struct sim_runs runs;
            sim_near_init(&near, crowd, x, y, radius);
            while (sim_near_has_rows(&near)) {
                kernels[which]->rows(&near, &runs);
                for (uint32_t i = 0; i < runs.count; i++) {
                    for (uint32_t k = runs.from[i]; k < runs.to[i]; k++) {
                        assert_false(seen[k]);
                        seen[k] = true;
                    }
                }
            }
            for (uint32_t i = 0; i < crowd->small; i++) {
                const struct sim_spot *spot = &crowd->spots[i];
                const double away = hypot(spot->x - x, spot->y - y);
                assert_true(seen[i] || away > radius + (double)spot->radius);
            }
        }
    }
    tpi_sim_destroy(sim);
}

/* Bodies of two kinds, so that not all that are compared at once are alike. */
static void all_kernels_meet_bodies_alike(void **state)
{
    enum { RAYS = 21 };
    const struct sim_kernel *fast = tpi_sim_kernel();
    struct sim_dice dice = {8};
    tpi_sim *sim = make_world(&dice);
    double numbers[4][RAYS];
    double ranges[2][RAYS];
    double returns[2][RAYS];
    uint32_t order[RAYS * 2];
    uint32_t hits = 0;
    char name[32];

    (void)state;
    spread(sim, &dice, 3);
    for (int i = 0; i < 20; i++) { /* what is moved is a body */
        snprintf(name, sizeof name, "m%d", i);
        sim_put(sim, name, sim_throw(&dice, -3, 3), sim_throw(&dice, -3, 3), i);
    }
    for (uint32_t round = 0; round < 2000; round++) {
        const tpi_sim_pose pose = {sim_throw(&dice, -3, 3), sim_throw(&dice, -3, 3),
                                   sim_throw(&dice, 0, 0.5), sim_throw(&dice, -SIM_PI, SIM_PI)};
        const struct sim_frame frame = sim_frame_of(&pose);
        struct sim_found found = {.count = 40};
        for (int i = 0; i < RAYS; i++) {
            numbers[0][i] = sim_throw(&dice, -0.2, 0.2);
            numbers[1][i] = sim_throw(&dice, -0.2, 0.2);
            numbers[2][i] = cos(i * 0.3);
            numbers[3][i] = sin(i * 0.3);
            ranges[0][i] = ranges[1][i] = sim_throw(&dice, 0.5, 5);
            returns[0][i] = returns[1][i] = HUGE_VAL;
            order[i] = order[i + RAYS] = (uint32_t)i;
        }
        for (uint32_t i = 0; i < found.count; i++) {
            found.spot[i] = (uint32_t)sim_throw(&dice, 0, sim->crowd.count - 0.01);
            found.from[i] = (uint32_t)sim_throw(&dice, 0, RAYS);
            found.rays[i] = 1 + i % RAYS;
        }
        const struct sim_rays plain = {numbers[0], numbers[1], numbers[2], numbers[3],
                                       ranges[0],  returns[0], RAYS};
        const struct sim_rays other = {numbers[0], numbers[1], numbers[2], numbers[3],
                                       ranges[1],  returns[1], RAYS};
        tpi_sim_kernel_plain.bodies(&sim->crowd, &frame, 3, order, &found, &plain);
        fast->bodies(&sim->crowd, &frame, 3, order, &found, &other);
        assert_memory_equal(ranges[0], ranges[1], sizeof ranges[0]);
        assert_memory_equal(returns[0], returns[1], sizeof returns[0]);
        hits += returns[0][0] < HUGE_VAL ? 1 : 0;
    }
    assert_true(hits > 200);
    tpi_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kernels_meet_edges_alike),
        cmocka_unit_test(all_kernels_walk_alike),
        cmocka_unit_test(all_kernels_walk_alike_where_walls_are_dense),
        cmocka_unit_test(all_kernels_walk_alike_with_many_rays),
        cmocka_unit_test(all_kernels_find_the_bodies_near_rays),
        cmocka_unit_test(all_kernels_find_the_rows_of_a_circle),
        cmocka_unit_test(all_kernels_meet_bodies_alike),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
