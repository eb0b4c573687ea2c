/*
 * ray_test.c - rays, bundles and scans against brute force over every edge.
 *
 * The worlds have turned polygons, concave ones, holes, bitmaps, bodies of several parts at several
 * heights, things that rangers look through, and sensors inside of hollow shapes.
 */
#include "sim/ray/ray.h"

#include <unistd.h>

#include "base/file.h"
#include "sim/sense/ranger.h"
#include "support/sim.h"

enum { ROBOTS = 100, ROUNDS = 100 };

static const double half_world = 12;

/* ---- Worlds ---------------------------------------------------------------------------------- */

static const char definitions[] =
    "define bot position ( size [0.5 0.4 0.3] origin [0.05 0 0 20] alwayson 1\n"
    "  block ( points 6 point[0] [0 0] point[1] [4 0] point[2] [4 3] point[3] [2 1] point[4] [1 "
    "4]\n"
    "          point[5] [0 3] z [0 1] )\n"
    "  ranger ( pose [0.1 0.05 -0.1 10] size [0.2 0.2 0.2] alwayson 1\n"
    "           block ( points 3 point[0] [0 0] point[1] [1 0] point[2] [0 2] z [0 1] )\n"
    "           sensor ( pose [0.02 0.01 0.04 -15] range [0 6] fov 270 samples 91 )\n"
    "           sensor ( pose [0.1 0.1 0.04 45] range [0 3] fov 30 samples 3 )\n"
    "           sensor ( pose [-0.1 0 0.04 170] range [0 9] )\n"
    "           sensor ( range [0 4] fov 360 samples 37 pose [0 0 0.3 0] ) ) )\n";

/* A ring: an outline with a hole, and a dot in it. */
static const char picture[] = "P1 9 8\n"
                              "0 0 0 0 0 0 0 0 0\n"
                              "0 1 1 1 1 1 1 0 0\n"
                              "0 1 0 0 0 0 1 1 0\n"
                              "0 1 0 1 0 0 0 1 0\n"
                              "0 1 0 0 0 0 0 1 0\n"
                              "0 1 1 0 0 1 1 1 0\n"
                              "0 0 1 1 1 0 1 0 0\n"
                              "0 0 0 0 0 0 0 0 1\n";

static void put_things(struct sim_dice *dice, tpi_buf *text)
{
    static const char *const kinds[] = {
        "size [1 0.6 0.5]",
        "size [2 1.5 0.6] block ( points 8 point[0] [0 0] point[1] [5 0] point[2] [5 1] "
        "point[3] [1 1] point[4] [1 3] point[5] [5 3] point[6] [5 4] point[7] [0 4] z [0 1] )",
        "size [1 1 0.7] block ( points 3 point[0] [0 0] point[1] [1 0] point[2] [0.3 0.8] "
        "z [0 0.5] ) block ( points 3 point[0] [0 0] point[1] [0.2 1] point[2] [1 0.9] "
        "z [0.1 1] )",
        "size [0.8 0.8 0.4] block ( points 5 point[0] [0 3] point[1] [2 -3] point[2] [-3 1] "
        "point[3] [3 1] point[4] [-2 -3] z [0 1] )", /* a star that crosses itself */
        "size [3 3 0.8] bitmap \"ring.pgm\"",
        "size [1.5 0.2 1] ranger_return -1",
        "size [0.5 0.5 1] ranger_return 0.25",
        "size [4 3 0.45]", /* hollow, with room for robots */
    };

    for (int i = 0; i < 64; i++) {
        tpi_buf_printf(text, "model ( name \"m%d\" pose [%.3f %.3f %.2f %.1f] %s )\n", i,
                       sim_throw(dice, -half_world, half_world),
                       sim_throw(dice, -half_world, half_world), i % 5 == 0 ? 0.1 : 0.0,
                       sim_throw(dice, -180, 180), kinds[i % 8]);
    }
    tpi_buf_printf(text, "model ( name \"walls\" size [%g %g 2] noblocks 0 boundary 1 )\n",
                   2 * half_world, 2 * half_world);
    for (int i = 0; i < ROBOTS; i++) {
        tpi_buf_printf(text, "bot ( name \"r%d\" )\n", i);
    }
}

static tpi_sim *make_world(struct sim_dice *dice)
{
    char folder[] = "/tmp/troupe-ray-XXXXXX";
    char path[64];
    char bitmap[64];
    tpi_buf text = {0};
    tpi_sim *sim = NULL;
    tp_error err = {0};

    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.world", folder);
    snprintf(bitmap, sizeof bitmap, "%s/ring.pgm", folder);
    assert_int_equal(tpi_file_write(bitmap, picture, sizeof picture - 1, &err), TP_OK);
    tpi_buf_puts(&text, definitions);
    put_things(dice, &text);
    assert_int_equal(tpi_sim_parse(&sim, path, text.data, text.length, NULL, &err), TP_OK);
    unlink(bitmap);
    rmdir(folder);
    tpi_buf_fini(&text);
    return sim;
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static void same_hit(const struct sim_hit *wanted, double range, float value)
{
    if (!(fabs(wanted->range - range) <= 1e-6)) {
        fail_msg("range %.9f, by brute force %.9f", range, wanted->range);
    }
    if ((double)value != (wanted->tree == TPI_SIM_NONE ? 0 : wanted->ranger_return)) {
        fail_msg("return %g at %.9f, by brute force %g", (double)value, range,
                 wanted->ranger_return);
    }
}

/* The samples of a sensor of a ranger, every so many of them. */
static void compare_sensor(const tpi_sim *sim, tpi_sim_model ranger, uint32_t index, uint32_t from,
                           uint32_t every)
{
    const uint32_t tree = sim->tree_of[ranger];
    const struct sim_frame body = tpi_sim_member_frame(sim, tree, ranger - sim->trees.model[tree]);
    tpi_sim_sensor sensor;
    tpi_sim_scan scan;

    assert_int_equal(tpi_sim_get_sensor(sim, ranger, index, &sensor, NULL), TP_OK);
    assert_int_equal(tpi_sim_get_scan(sim, ranger, index, &scan, NULL), TP_OK);
    assert_int_equal(scan.count, sensor.samples);
    assert_true(scan.time_us == tpi_sim_time_us(sim));
    const struct sim_frame local = sim_frame_of(&sensor.pose);
    const struct sim_frame frame = sim_frame_join(&body, &local);
    for (uint32_t i = from % every; i < scan.count; i += every) {
        const double angle =
            sensor.samples == 1 ? 0 : -sensor.fov / 2 + sensor.fov / (sensor.samples - 1) * i;
        const struct sim_ray ray = {.x = frame.x,
                                    .y = frame.y,
                                    .z = frame.z + sensor.size[2] / 2,
                                    .dx = cos(frame.a + angle),
                                    .dy = sin(frame.a + angle),
                                    .group = tree,
                                    .sees = SIM_VISIBLE};
        const struct sim_hit wanted = brute_cast(sim, &ray, sensor.range_max);
        same_hit(&wanted, scan.ranges[i], scan.intensities[i]);
    }
}

static void scans_and_bundles_are_exact(void **state)
{
    struct sim_dice dice = {1};
    tpi_sim *sim = make_world(&dice);
    char name[32];

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < ROBOTS; i++) {
            snprintf(name, sizeof name, "r%d", i);
            sim_put(sim, name, sim_throw(&dice, -half_world, half_world),
                    sim_throw(&dice, -half_world, half_world), sim_throw(&dice, -SIM_PI, SIM_PI));
            const double goal[3] = {sim_throw(&dice, -1, 1), 0, sim_throw(&dice, -1, 1)};
            tpi_sim_drive(sim, sim_named(sim, name), TPI_SIM_DRIVE_VELOCITY, goal, NULL);
        }
        sim_steps(sim, 2); /* they move before they look */
        for (int i = 0; i < ROBOTS; i++) {
            snprintf(name, sizeof name, "r%d.ranger:0", i);
            const tpi_sim_model ranger = sim_named(sim, name);
            /* brute force is slow: others in every round */
            compare_sensor(sim, ranger, 0, (uint32_t)round, 7);
            compare_sensor(sim, ranger, 1, (uint32_t)round, 2);
            compare_sensor(sim, ranger, 2, 0, 1);
            compare_sensor(sim, ranger, 3, (uint32_t)round, 5);
        }
    }
    tpi_sim_destroy(sim);
}

static void single_rays_are_exact(void **state)
{
    struct sim_dice dice = {2};
    tpi_sim *sim = make_world(&dice);

    (void)state;
    for (int i = 0; i < 20000; i++) {
        const double angle =
            i % 10 == 0 ? (i / 10 % 8) * SIM_PI / 4 : sim_throw(&dice, -SIM_PI, SIM_PI);
        const struct sim_ray ray = {.x = sim_throw(&dice, -1.5 * half_world, 1.5 * half_world),
                                    .y = sim_throw(&dice, -1.5 * half_world, 1.5 * half_world),
                                    .z = sim_throw(&dice, 0, 1),
                                    .dx = cos(angle),
                                    .dy = sin(angle),
                                    .group = TPI_SIM_NONE,
                                    .sees = i % 3 == 0 ? SIM_ANY : SIM_VISIBLE,
                                    .flat = i % 7 == 0};
        const double range = sim_throw(&dice, 0.1, 40);
        const struct sim_hit wanted = brute_cast(sim, &ray, range);
        struct sim_hit hit = sim_no_hit(range);
        assert_int_equal(tpi_sim_cast(sim, &ray, &hit), wanted.tree != TPI_SIM_NONE);
        same_hit(&wanted, hit.range, hit.tree == TPI_SIM_NONE ? 0 : (float)hit.ranger_return);
    }
    tpi_sim_destroy(sim);
}

/* ---- Corners --------------------------------------------------------------------------------- */

/* Rays straight at the corners of a box, from many places: none slips through. */
static void no_ray_slips_between_two_edges(void **state)
{
    tpi_sim *sim = sim_make("model ( size [2 2 1] pose [0 0 0 30] )");
    const struct sim_wall *walls = sim->walls.items;
    struct sim_dice dice = {3};

    (void)state;
    for (int i = 0; i < 20000; i++) {
        const struct sim_wall *wall = &walls[i % 4];
        const double x = sim_throw(&dice, -0.5, 0.5);
        const double y = sim_throw(&dice, -0.5, 0.5);
        const double far = hypot(wall->x0 - x, wall->y0 - y);
        const struct sim_ray ray = {.x = x,
                                    .y = y,
                                    .z = 0.5,
                                    .dx = (wall->x0 - x) / far,
                                    .dy = (wall->y0 - y) / far,
                                    .group = TPI_SIM_NONE,
                                    .sees = SIM_VISIBLE};
        struct sim_hit hit = sim_no_hit(10);
        assert_true(tpi_sim_cast(sim, &ray, &hit));
        assert_true(fabs(hit.range - far) < 1e-6);
    }
    tpi_sim_destroy(sim);
}

static void heights_are_closed_intervals(void **state)
{
    static const struct {
        double z;
        bool hits;
    } cases[] = {{0.1, true}, {0.3, true}, {0.2, true}, {0.0999, false}, {0.3001, false}};
    tpi_sim *sim = sim_make("model ( size [1 1 0.2] pose [2 0 0.1 0] )");

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct sim_ray ray = {
            .z = cases[i].z, .dx = 1, .group = TPI_SIM_NONE, .sees = SIM_VISIBLE};
        struct sim_hit hit = sim_no_hit(10);
        assert_int_equal(tpi_sim_cast(sim, &ray, &hit), cases[i].hits);
        assert_true(hit.range == (cases[i].hits ? 1.5 : 10));
    }
    tpi_sim_destroy(sim);
}

/* Two walls in the same place: the greater return counts, whichever stands first. */
static void of_two_at_one_distance_the_brighter_counts(void **state)
{
    static const char *const texts[] = {
        "model ( name \"a\" pose [2 0 0 0] ranger_return 0.5 )"
        "model ( name \"b\" pose [2 0 0 0] ranger_return 2 )",
        "model ( name \"b\" pose [2 0 0 0] ranger_return 2 )"
        "model ( name \"a\" pose [2 0 0 0] ranger_return 0.5 )",
    };

    (void)state;
    for (int i = 0; i < 2; i++) {
        tpi_sim *sim = sim_make(texts[i]);
        const struct sim_ray ray = {.z = 0.5, .dx = 1, .group = TPI_SIM_NONE, .sees = SIM_VISIBLE};
        struct sim_hit hit = sim_no_hit(10);
        assert_true(tpi_sim_cast(sim, &ray, &hit));
        assert_true(hit.range == 1.8);
        assert_true(hit.ranger_return == 2);
        tpi_sim_destroy(sim);
    }
}

/* ---- Room ------------------------------------------------------------------------------------ */

/* Whether a square of cells that begins with one and goes some way has no walls. */
static bool is_empty(const struct sim_walls *walls, int x, int y, int size, bool left, bool down)
{
    for (int i = 0; i < size * size; i++) {
        const int at_x = left ? x - i % size : x + i % size;
        const int at_y = down ? y - i / size : y + i / size;
        const bool there =
            at_x >= 0 && at_y >= 0 && at_x < (int)walls->columns && at_y < (int)walls->rows;
        const size_t cell = there ? (size_t)at_y * walls->columns + (size_t)at_x : 0;
        if (there && walls->first[cell] != walls->first[cell + 1]) {
            return false;
        }
    }
    return true;
}

/* The largest empty square in each quadrant, of some cells. */
static void room_is_the_largest_empty_square(void **state)
{
    struct sim_dice dice = {4};
    tpi_sim *sim = make_world(&dice);
    const struct sim_walls *walls = &sim->walls;

    (void)state;
    for (size_t i = 0; i < (size_t)walls->columns * walls->rows; i += 7) {
        const int x = (int)(i % walls->columns);
        const int y = (int)(i / walls->columns);
        for (int q = 0; q < 4; q++) {
            const bool left = (q & 1) != 0;
            const bool down = (q & 2) != 0;
            const int room = (int)sim_room_ahead(walls->room[i], sim_quadrant(left, down));
            assert_true(is_empty(walls, x, y, room, left, down));
            assert_true(room == 255 || !is_empty(walls, x, y, room + 1, left, down));
        }
    }
    tpi_sim_destroy(sim);
}

static void an_empty_world_stops_no_ray(void **state)
{
    tpi_sim *sim = sim_make("");
    const struct sim_ray ray = {.dx = 1, .group = TPI_SIM_NONE, .sees = SIM_ANY};
    struct sim_hit hit = sim_no_hit(10);

    (void)state;
    assert_false(tpi_sim_cast(sim, &ray, &hit));
    assert_true(hit.range == 10);
    tpi_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scans_and_bundles_are_exact),
        cmocka_unit_test(single_rays_are_exact),
        cmocka_unit_test(no_ray_slips_between_two_edges),
        cmocka_unit_test(heights_are_closed_intervals),
        cmocka_unit_test(of_two_at_one_distance_the_brighter_counts),
        cmocka_unit_test(room_is_the_largest_empty_square),
        cmocka_unit_test(an_empty_world_stops_no_ray),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
