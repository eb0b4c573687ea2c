/* plan_way.c - straight lines through the costs, waypoints, and things on the map; see plan.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "navigation/plan_inside.h"

static const double ticks = 2;     /* of the time of things, in a second */
static const double slower = 1.03; /* a straight line may cost that much more than the path */

/* ---- Straight lines -------------------------------------------------------------------------- */

/* What a straight line costs, in the units of the search; 0 if it crosses a closed cell. */
static double line_cost(const tpi_nav_plan *plan, tpi_nav_point a, tpi_nav_point b)
{
    const double length = hypot(b.x - a.x, b.y - a.y) / plan->grid.scale;
    const double steps = ceil(length * 2) + 1;
    double sum = 0;

    for (double i = 0; i <= steps; i++) {
        const double share = i / steps;
        uint32_t column;
        uint32_t row;
        if (!tpi_nav_grid_at(&plan->grid, a.x + share * (b.x - a.x), a.y + share * (b.y - a.y),
                             &column, &row)) {
            return 0;
        }
        const uint32_t cost =
            tpi_nav_plan_cost(plan, (uint32_t)((size_t)row * plan->grid.width + column));
        if (cost == 0) {
            return 0;
        }
        sum += cost;
    }
    return sum / (steps + 1) * length * 10 + 1e-9;
}

bool tpi_nav_plan_is_open(const tpi_nav_plan *plan, tpi_nav_point a, tpi_nav_point b)
{
    return line_cost(plan, a, b) > 0;
}

/* ---- Waypoints ------------------------------------------------------------------------------- */

static tpi_nav_point centre(const tpi_nav_plan *plan, size_t i)
{
    tpi_nav_point p;

    tpi_nav_grid_centre(&plan->grid, plan->path[i] % plan->grid.width,
                        plan->path[i] / plan->grid.width, &p.x, &p.y);
    return p;
}

static bool is_straight(const tpi_nav_plan *plan, size_t from, size_t to)
{
    const double cost = line_cost(plan, centre(plan, from), centre(plan, to));
    const double path =
        (double)plan->reached[plan->path[to]] - (double)plan->reached[plan->path[from]];

    return cost > 0 && cost <= path * slower + 200;
}

/* How far a straight line leads: twice as far as long as it does, then by halves. */
static size_t farthest(const tpi_nav_plan *plan, size_t from)
{
    const size_t last = plan->path_count - 1;
    size_t good = from + 1;
    size_t step = 1;

    while (good < last) {
        const size_t next = good + step < last ? good + step : last;
        if (is_straight(plan, from, next)) {
            good = next;
            step *= 2;
        } else if (step > 1) {
            step /= 4;
            step = step > 0 ? step : 1;
        } else {
            return good;
        }
    }
    return last;
}

static bool add(tpi_nav_plan *plan, tpi_nav_point at)
{
    if (plan->waypoint_count == plan->waypoint_capacity) {
        const size_t capacity = plan->waypoint_capacity * 2 + 64;
        tpi_nav_point *room = realloc(plan->waypoints, capacity * sizeof *room);
        if (room == NULL) {
            return false;
        }
        plan->waypoints = room;
        plan->waypoint_capacity = capacity;
    }
    plan->waypoints[plan->waypoint_count++] = at;
    return true;
}

tp_status tpi_nav_plan_pull(tpi_nav_plan *plan, tpi_nav_point goal, tp_error *err)
{
    const size_t last = plan->path_count - 1;
    tpi_nav_point before = centre(plan, 0);
    bool good = true;

    for (size_t i = 0; i < last && good;) {
        i = farthest(plan, i);
        const tpi_nav_point at = centre(plan, i);
        good = add(plan, at);
        plan->length += hypot(at.x - before.x, at.y - before.y);
        before = at;
    }
    if (good && last == 0) {
        good = add(plan, before);
    }
    /* The goal itself, if it was not moved to another cell. */
    if (good && hypot(goal.x - before.x, goal.y - before.y) < plan->grid.scale) {
        plan->waypoints[plan->waypoint_count - 1] = goal;
    }
    return good ? TP_OK : tp_fail(err, TP_E_NOMEM, "out of memory");
}

/* ---- Things ---------------------------------------------------------------------------------- */

void tpi_nav_plan_time(tpi_nav_plan *plan, double seconds)
{
    const double tick = fmod(fmax(seconds, 0) * ticks, 60000) + 1;

    if (tick < plan->now) {
        tpi_nav_plan_forget(plan); /* the time has begun anew */
    }
    plan->now = (uint16_t)tick;
}

void tpi_nav_plan_forget(tpi_nav_plan *plan)
{
    if (plan->things != NULL) {
        memset(plan->things, 0,
               (size_t)plan->grid.width * plan->grid.height * sizeof *plan->things);
    }
}

/* All cells that the robot's centre must not enter because of the thing. */
tp_status tpi_nav_plan_put(tpi_nav_plan *plan, double x, double y, double seconds, tp_error *err)
{
    const size_t count = (size_t)plan->grid.width * plan->grid.height;
    const int64_t reach = (int64_t)ceil(plan->settings.near / plan->grid.scale);
    const double until = fmin(plan->now + seconds * ticks, 65535);
    uint32_t column;
    uint32_t row;

    if (!tpi_nav_grid_at(&plan->grid, x, y, &column, &row) ||
        plan->room[(size_t)row * plan->grid.width + column] * plan->grid.scale < 0.25) {
        return TP_OK;
    }
    if (plan->things == NULL) {
        plan->things = calloc(count, sizeof *plan->things);
        if (plan->things == NULL) {
            return tp_fail(err, TP_E_NOMEM, "out of memory");
        }
    }
    for (int64_t v = (int64_t)row - reach; v <= (int64_t)row + reach; v++) {
        for (int64_t u = (int64_t)column - reach; u <= (int64_t)column + reach; u++) {
            const double away = hypot((double)(u - column), (double)(v - row)) * plan->grid.scale;
            if (u >= 0 && v >= 0 && u < plan->grid.width && v < plan->grid.height &&
                away < plan->settings.near) {
                plan->things[(size_t)v * plan->grid.width + (size_t)u] = (uint16_t)until;
            }
        }
    }
    return TP_OK;
}
