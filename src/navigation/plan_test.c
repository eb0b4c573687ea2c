/* plan_test.c - distances against the plain way, ways through maps, things on them. */
#include "navigation/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "navigation/distance.h"
#include "support/random.h"
#include "support/unit.h"

static tpi_nav_grid grid_of(uint32_t width, uint32_t height, double scale)
{
    tpi_nav_grid grid;

    assert_int_equal(tpi_nav_grid_init(&grid, width, height, scale, NULL), TP_OK);
    memset(grid.cells, -1, (size_t)width * height);
    return grid;
}

static void block(tpi_nav_grid *grid, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1)
{
    for (uint32_t y = y0; y <= y1; y++) {
        for (uint32_t x = x0; x <= x1; x++) {
            grid->cells[(size_t)y * grid->width + x] = 1;
        }
    }
}

static double plain_distance(const tpi_nav_grid *grid, uint32_t x, uint32_t y, double most)
{
    double least = most;

    for (uint32_t v = 0; v < grid->height; v++) {
        for (uint32_t u = 0; u < grid->width; u++) {
            if (grid->cells[(size_t)v * grid->width + u] > 0) {
                least = fmin(least, hypot((double)u - x, (double)v - y));
            }
        }
    }
    return least;
}

static void distances_are_exact(void **state)
{
    random_source source = {7};
    float out[40 * 25];

    (void)state;
    for (int round = 0; round < 20; round++) {
        tpi_nav_grid grid = grid_of(40, 25, 1);
        for (uint32_t i = 0; i < random_below(&source, 30); i++) {
            grid.cells[random_below(&source, 1000)] = 1;
        }
        assert_int_equal(tpi_nav_distance(&grid, false, 30, out, NULL), TP_OK);
        for (uint32_t i = 0; i < 1000; i++) {
            assert_true(fabs((double)out[i] - plain_distance(&grid, i % 40, i / 40, 30)) < 1e-4);
        }
        tpi_nav_grid_fini(&grid);
    }
}

static void open_ground_is_crossed_in_one_line(void **state)
{
    const tpi_nav_plan_settings settings = {0.3, 1, 1};
    tpi_nav_grid grid = grid_of(200, 100, 0.1);
    tpi_nav_plan plan;

    (void)state;
    assert_int_equal(tpi_nav_plan_init(&plan, &grid, &settings, NULL), TP_OK);
    assert_int_equal(
        tpi_nav_plan_find(&plan, (tpi_nav_point){2, 2}, (tpi_nav_point){18, 7}, 0.1, NULL), TP_OK);
    assert_int_equal(plan.waypoint_count, 1);
    assert_true(plan.waypoints[0].x == 18 && plan.waypoints[0].y == 7);
    assert_true(fabs(plan.length - hypot(16, 5)) < 0.2);
    tpi_nav_plan_fini(&plan);
    tpi_nav_grid_fini(&grid);
}

static void a_wall_is_passed_through_its_door(void **state)
{
    const tpi_nav_plan_settings settings = {0.4, 1, 1};
    tpi_nav_grid grid = grid_of(200, 100, 0.1);
    tpi_nav_point at = {2, 2};
    tpi_nav_plan plan;

    (void)state;
    block(&grid, 100, 0, 101, 69);
    block(&grid, 100, 81, 101, 99); /* the door is from 7 to 8.1 */
    assert_int_equal(tpi_nav_plan_init(&plan, &grid, &settings, NULL), TP_OK);
    assert_int_equal(tpi_nav_plan_find(&plan, at, (tpi_nav_point){18, 2}, 0.1, NULL), TP_OK);
    assert_in_range(plan.waypoint_count, 3, 12);
    for (size_t i = 0; i < plan.waypoint_count; i++) {
        assert_true(tpi_nav_plan_is_open(&plan, at, plan.waypoints[i]));
        at = plan.waypoints[i];
    }
    assert_true(plan.length > 2 * hypot(8, 5) && plan.length < 2 * hypot(8, 5.6) + 1);
    tpi_nav_plan_fini(&plan);
    tpi_nav_grid_fini(&grid);
}

static void there_may_be_no_way(void **state)
{
    const tpi_nav_plan_settings settings = {0.4, 1, 1};
    tpi_nav_grid grid = grid_of(100, 50, 0.1);
    tp_error err = {0};
    tpi_nav_plan plan;

    (void)state;
    block(&grid, 50, 0, 50, 44); /* half a metre is left: too narrow */
    assert_int_equal(tpi_nav_plan_init(&plan, &grid, &settings, NULL), TP_OK);
    assert_int_equal(
        tpi_nav_plan_find(&plan, (tpi_nav_point){2, 2}, (tpi_nav_point){8, 2}, 0.1, &err),
        TP_E_UNKNOWN);
    assert_string_equal(err.text, "there is no way to the goal on the map");
    assert_int_equal(
        tpi_nav_plan_find(&plan, (tpi_nav_point){2, 2}, (tpi_nav_point){5, 2}, 0.1, &err),
        TP_E_UNKNOWN);
    assert_string_equal(err.text,
                        "the goal 5.00 2.00 is outside of the map, or too near to an obstacle");
    assert_int_equal(
        tpi_nav_plan_find(&plan, (tpi_nav_point){NAN, 2}, (tpi_nav_point){5, 2}, 0.1, &err),
        TP_E_RANGE);
    tpi_nav_plan_fini(&plan);
    tpi_nav_grid_fini(&grid);
}

static void things_close_a_way_for_a_while(void **state)
{
    const tpi_nav_plan_settings settings = {0.4, 1, 1};
    const tpi_nav_point a = {2, 2.5};
    const tpi_nav_point b = {8, 2.5};
    tpi_nav_grid grid = grid_of(100, 50, 0.1);
    tpi_nav_plan plan;

    (void)state;
    assert_int_equal(tpi_nav_plan_init(&plan, &grid, &settings, NULL), TP_OK);
    tpi_nav_plan_time(&plan, 100);
    assert_int_equal(tpi_nav_plan_put(&plan, 5, 2.5, 5, NULL), TP_OK);
    assert_false(tpi_nav_plan_is_open(&plan, a, b));
    assert_int_equal(tpi_nav_plan_find(&plan, a, b, 0.1, NULL), TP_OK);
    assert_true(plan.length > 6.02);
    tpi_nav_plan_time(&plan, 106);
    assert_true(tpi_nav_plan_is_open(&plan, a, b));
    tpi_nav_plan_fini(&plan);
    tpi_nav_grid_fini(&grid);
}

/* ---- Against the plain way ------------------------------------------------------------------- */

/* Bellman-Ford: the least cost from one cell to another, or UINT32_MAX. */
static uint32_t plain_cost(const tpi_nav_plan *plan, uint32_t from, uint32_t to)
{
    const int width = (int)plan->grid.width;
    const int height = (int)plan->grid.height;
    const size_t count = (size_t)width * (size_t)height;
    uint32_t *cost = malloc(count * sizeof *cost);
    bool changed = true;

    assert_non_null(cost);
    memset(cost, 0xff, count * sizeof *cost);
    cost[from] = 1;
    while (changed) {
        changed = false;
        for (int i = 0; i < width * height; i++) {
            for (int k = 0; k < 9 && cost[i] != UINT32_MAX; k++) {
                const int dx = k % 3 - 1;
                const int dy = k / 3 - 1;
                const int x = i % width + dx;
                const int y = i / width + dy;
                if (x < 0 || y < 0 || x >= width || y >= height || plan->cost[y * width + x] == 0 ||
                    (dx != 0 && dy != 0 &&
                     (plan->cost[i + dx] == 0 || plan->cost[i + dy * width] == 0))) {
                    continue;
                }
                const uint32_t next =
                    cost[i] + plan->cost[y * width + x] * (dx != 0 && dy != 0 ? 14u : 10u);
                if (next < cost[y * width + x]) {
                    cost[y * width + x] = next;
                    changed = true;
                }
            }
        }
    }
    const uint32_t least = cost[to];
    free(cost);
    return least;
}

static void the_way_is_the_cheapest(void **state)
{
    const tpi_nav_plan_settings settings = {0.04, 0.3, 3};
    random_source source = {3};
    int found = 0;

    (void)state;
    for (int round = 0; round < 40; round++) {
        tpi_nav_grid grid = grid_of(30, 20, 0.1);
        tpi_nav_plan plan;
        for (int i = 0; i < 60; i++) {
            grid.cells[random_below(&source, 600)] = 1;
        }
        grid.cells[0] = grid.cells[599] = -1;
        assert_int_equal(tpi_nav_plan_init(&plan, &grid, &settings, NULL), TP_OK);
        const tpi_nav_point a = {0.05, 0.05};
        const tpi_nav_point b = {2.95, 1.95};
        if (plan.cost[0] != 0 && plan.cost[599] != 0) {
            const uint32_t least = plain_cost(&plan, 0, 599);
            const tp_status status = tpi_nav_plan_find(&plan, a, b, 0.01, NULL);
            assert_int_equal(status == TP_OK, least != UINT32_MAX);
            found += status == TP_OK;
            assert_true(status != TP_OK || plan.reached[599] == least);
        }
        tpi_nav_plan_fini(&plan);
        tpi_nav_grid_fini(&grid);
    }
    assert_true(found > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_exact),
        cmocka_unit_test(open_ground_is_crossed_in_one_line),
        cmocka_unit_test(a_wall_is_passed_through_its_door),
        cmocka_unit_test(there_may_be_no_way),
        cmocka_unit_test(things_close_a_way_for_a_while),
        cmocka_unit_test(the_way_is_the_cheapest),
    };

    return cmocka_run_group_tests_name("plan_test", tests, NULL, NULL);
}
