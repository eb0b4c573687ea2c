/* plan.c - maps as costs, and the search; see plan.h. plan_way.c makes waypoints. */
#include "navigation/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "navigation/distance.h"
#include "navigation/plan_inside.h"

enum {
    STRAIGHT = 10, /* cost of a step, times that of the cell */
    DIAGONAL = 14,
    BUCKETS = 4096, /* more than the most that an estimate grows in one step */
    NONE = 0,       /* no node */
};

struct plan_node {
    uint32_t cell;
    uint32_t next; /* in its bucket */
};

/* Neighbours: column, row, cost of the step. The opposite of k is 7 - k. */
static const struct {
    int across, up;
    uint32_t length;
} neighbours[8] = {{-1, -1, DIAGONAL}, {0, -1, STRAIGHT}, {1, -1, DIAGONAL}, {-1, 0, STRAIGHT},
                   {1, 0, STRAIGHT},   {-1, 1, DIAGONAL}, {0, 1, STRAIGHT},  {1, 1, DIAGONAL}};

/* ---- Costs ----------------------------------------------------------------------------------- */

static uint8_t cost_of(const tpi_nav_plan_settings *s, double away)
{
    if (away < s->near) {
        return 0;
    }
    if (away >= s->far || s->far <= s->near) {
        return PLAN_LEAST_COST;
    }
    const double share = (s->far - away) / (s->far - s->near);
    return (uint8_t)fmin(PLAN_LEAST_COST * (1 + 2 * s->penalty * share * share), 255);
}

/* Outside of the map nothing is known. Cells to there. */
static float to_edge(const tpi_nav_grid *grid, size_t cell)
{
    const size_t column = cell % grid->width;
    const size_t row = cell / grid->width;
    const size_t across = column < grid->width - 1 - column ? column : grid->width - 1 - column;
    const size_t up = row < grid->height - 1 - row ? row : grid->height - 1 - row;

    return (float)((across < up ? across : up) + 1);
}

static tp_status make_costs(tpi_nav_plan *plan, const tpi_nav_grid *grid, tp_error *err)
{
    const size_t count = (size_t)grid->width * grid->height;
    float *away = malloc(count * sizeof *away);
    tp_status status = away == NULL ? tp_fail(err, TP_E_NOMEM, "out of memory")
                                    : tpi_nav_distance(grid, true, 255, away, err);

    for (size_t i = 0; i < count && status == TP_OK; i++) {
        away[i] = fminf(away[i], to_edge(grid, i));
        plan->room[i] = (uint8_t)away[i];
        /* The nearest edge of an obstacle is half a cell before its centre. */
        plan->cost[i] = cost_of(&plan->settings, fmax((double)away[i] - 0.5, 0) * grid->scale);
    }
    free(away);
    return status;
}

tp_status tpi_nav_plan_init(tpi_nav_plan *plan, const tpi_nav_grid *grid,
                            const tpi_nav_plan_settings *settings, tp_error *err)
{
    const size_t count = (size_t)grid->width * grid->height;

    *plan = (tpi_nav_plan){.settings = *settings, .grid = *grid, .now = 1};
    plan->grid.cells = NULL;
    if (grid->scale < 1e-6 || count > UINT32_MAX / 2) {
        return tp_fail(err, TP_E_RANGE, "the map is no map");
    }
    plan->cost = malloc(count);
    plan->room = malloc(count);
    plan->from = malloc(count);
    plan->reached = calloc(count, sizeof *plan->reached);
    plan->buckets = calloc(BUCKETS, sizeof *plan->buckets);
    if (plan->cost == NULL || plan->room == NULL || plan->from == NULL || plan->reached == NULL ||
        plan->buckets == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    plan->node_count = 1; /* 0 is no node */
    return make_costs(plan, grid, err);
}

void tpi_nav_plan_fini(tpi_nav_plan *plan)
{
    free(plan->cost);
    free(plan->room);
    free(plan->things);
    free(plan->reached);
    free(plan->from);
    free(plan->nodes);
    free(plan->buckets);
    free(plan->path);
    free(plan->waypoints);
    *plan = (tpi_nav_plan){0};
}

/* ---- The search ------------------------------------------------------------------------------ */

/* What the way to the goal costs at least: all of it over the cheapest cells. */
static uint32_t estimate(const tpi_nav_plan *plan, uint32_t cell, uint32_t goal)
{
    const int64_t width = plan->grid.width;
    const int64_t across = llabs((int64_t)(cell % width) - (int64_t)(goal % width));
    const int64_t up = llabs((int64_t)(cell / width) - (int64_t)(goal / width));
    const int64_t less = across < up ? across : up;
    const int64_t more = across < up ? up : across;

    return (uint32_t)(PLAN_LEAST_COST * (DIAGONAL * less + STRAIGHT * (more - less)));
}

static bool push(tpi_nav_plan *plan, uint32_t cell, uint32_t total)
{
    if (plan->node_count >= plan->node_capacity) {
        const size_t capacity = plan->node_capacity * 2 + 65536;
        struct plan_node *nodes = realloc(plan->nodes, capacity * sizeof *nodes);
        if (nodes == NULL) {
            return false;
        }
        plan->nodes = nodes;
        plan->node_capacity = capacity;
    }
    uint32_t *bucket = &plan->buckets[total % BUCKETS];
    plan->nodes[plan->node_count] = (struct plan_node){cell, *bucket};
    *bucket = (uint32_t)plan->node_count++;
    return true;
}

/* The cell that is so many columns and rows away; it is inside. */
static uint32_t beside(const tpi_nav_plan *plan, uint32_t cell, int across, int up)
{
    return (uint32_t)((int64_t)cell + across + up * (int64_t)plan->grid.width);
}

/* A step between two cells that touch only at corners must not cut the corners of closed ones. */
static bool cuts(const tpi_nav_plan *plan, uint32_t cell, int k)
{
    const int across = neighbours[k].across;
    const int up = neighbours[k].up;

    return across != 0 && up != 0 &&
           (tpi_nav_plan_cost(plan, beside(plan, cell, across, 0)) == 0 ||
            tpi_nav_plan_cost(plan, beside(plan, cell, 0, up)) == 0);
}

/* Take a cell up: every neighbour that is cheaper from here. False if there is no memory. */
static bool expand(tpi_nav_plan *plan, uint32_t cell, uint32_t goal)
{
    const int64_t width = plan->grid.width;
    const int64_t column = cell % width;
    const int64_t row = cell / width;

    for (int k = 0; k < 8; k++) {
        const int64_t x = column + neighbours[k].across;
        const int64_t y = row + neighbours[k].up;
        if (x < 0 || y < 0 || x >= width || y >= plan->grid.height) {
            continue;
        }
        const uint32_t next = (uint32_t)(y * width + x);
        const uint32_t cost = tpi_nav_plan_cost(plan, next);
        const uint32_t total = plan->reached[cell] + cost * neighbours[k].length;
        if (cost == 0 || (plan->reached[next] != 0 && plan->reached[next] <= total) ||
            cuts(plan, cell, k)) {
            continue;
        }
        plan->reached[next] = total;
        plan->from[next] = (uint8_t)(7 - k);
        if (!push(plan, next, total + estimate(plan, next, goal))) {
            return false;
        }
    }
    return true;
}

/* Only cells that were touched have to be made new. */
static void clear(tpi_nav_plan *plan)
{
    for (size_t i = 1; i < plan->node_count; i++) {
        plan->reached[plan->nodes[i].cell] = 0;
    }
    plan->node_count = 1;
    memset(plan->buckets, 0, BUCKETS * sizeof *plan->buckets);
}

/* The costs to all cells that matter; `open` is how many nodes wait. */
static tp_status search(tpi_nav_plan *plan, uint32_t start, uint32_t goal, tp_error *err)
{
    uint32_t total = 1 + estimate(plan, start, goal);
    unsigned empty = 0;

    clear(plan);
    plan->looked = 0;
    plan->reached[start] = 1;
    plan->from[start] = 8;
    if (!push(plan, start, total)) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    while (empty < BUCKETS) {
        uint32_t *bucket = &plan->buckets[total % BUCKETS];
        if (*bucket == NONE) {
            total++;
            empty++;
            continue;
        }
        empty = 0;
        const uint32_t cell = plan->nodes[*bucket].cell;
        *bucket = plan->nodes[*bucket].next;
        if (plan->reached[cell] + estimate(plan, cell, goal) != total) {
            continue; /* it was reached more cheaply since */
        }
        plan->looked++;
        if (cell == goal) {
            return TP_OK;
        }
        if (!expand(plan, cell, goal)) {
            return tp_fail(err, TP_E_NOMEM, "out of memory");
        }
    }
    return tp_fail(err, TP_E_UNKNOWN, "there is no way to the goal on the map");
}

/* ---- From the start to the goal -------------------------------------------------------------- */

/* The nearest open cell; false if none is within `slack`. */
static bool open_near(const tpi_nav_plan *plan, tpi_nav_point at, double slack, uint32_t *out)
{
    const int64_t reach = (int64_t)(slack / plan->grid.scale) + 1;
    const int64_t width = plan->grid.width;
    const int64_t column = (int64_t)floor((at.x - plan->grid.x) / plan->grid.scale);
    const int64_t row = (int64_t)floor((at.y - plan->grid.y) / plan->grid.scale);
    int64_t best = INT64_MAX;

    for (int64_t y = row - reach; y <= row + reach; y++) {
        for (int64_t x = column - reach; x <= column + reach; x++) {
            const int64_t away = (x - column) * (x - column) + (y - row) * (y - row);
            if (x >= 0 && y >= 0 && x < width && y < plan->grid.height && away < best &&
                away <= reach * reach && tpi_nav_plan_cost(plan, (uint32_t)(y * width + x)) != 0) {
                best = away;
                *out = (uint32_t)(y * width + x);
            }
        }
    }
    return best != INT64_MAX;
}

static tp_status trace(tpi_nav_plan *plan, uint32_t goal, tp_error *err)
{
    size_t count = 1;

    for (uint32_t cell = goal; plan->from[cell] < 8; count++) {
        const int k = plan->from[cell];
        cell = beside(plan, cell, neighbours[k].across, neighbours[k].up);
    }
    if (count > plan->path_capacity) {
        uint32_t *path = realloc(plan->path, count * sizeof *path);
        if (path == NULL) {
            return tp_fail(err, TP_E_NOMEM, "out of memory");
        }
        plan->path = path;
        plan->path_capacity = count;
    }
    plan->path_count = count;
    for (uint32_t cell = goal; count > 0;) {
        const int k = plan->from[cell];
        plan->path[--count] = cell;
        cell = k < 8 ? beside(plan, cell, neighbours[k].across, neighbours[k].up) : cell;
    }
    return TP_OK;
}

tp_status tpi_nav_plan_find(tpi_nav_plan *plan, tpi_nav_point start, tpi_nav_point goal,
                            double slack, tp_error *err)
{
    uint32_t from = 0;
    uint32_t to = 0;

    plan->path_count = 0;
    plan->waypoint_count = 0;
    plan->length = 0;
    if (!(fabs(start.x) + fabs(start.y) + fabs(goal.x) + fabs(goal.y) < 1e9)) {
        return tp_fail(err, TP_E_RANGE, "the start or the goal is no place");
    }
    if (!open_near(plan, goal, slack, &to)) {
        return tp_fail(err, TP_E_UNKNOWN,
                       "the goal %.2f %.2f is outside of the map, or too near to an obstacle",
                       goal.x, goal.y);
    }
    if (!open_near(plan, start, fmax(slack, 2 * plan->settings.near + 0.2), &from)) {
        return tp_fail(err, TP_E_UNKNOWN,
                       "the robot at %.2f %.2f is outside of the map, or in an obstacle", start.x,
                       start.y);
    }
    tp_status status = search(plan, from, to, err);
    status = status == TP_OK ? trace(plan, to, err) : status;
    return status == TP_OK ? tpi_nav_plan_pull(plan, goal, err) : status;
}
