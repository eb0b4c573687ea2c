/* window.c - what stands around a robot; see window.h. */
#include "navigation/window.h"

#include <math.h>
#include <stdlib.h>

struct window_cell {
    int32_t column, row; /* of the plane */
    bool used;
    double x, y, time;
};

static const double pi = 3.14159265358979323846;
static const double farthest = 1e8; /* cells from the origin */

double tpi_nav_angle(double angle)
{
    const double turned = remainder(angle, 2 * pi);

    return isfinite(turned) ? turned : 0;
}

tp_status tpi_nav_window_init(tpi_nav_window *window, uint32_t side, double cell, double memory,
                              tp_error *err)
{
    *window = (tpi_nav_window){.side = side, .cell = cell, .memory = memory};
    window->cells = calloc((size_t)side * side, sizeof *window->cells);
    return window->cells != NULL ? TP_OK : tp_fail(err, TP_E_NOMEM, "out of memory");
}

void tpi_nav_window_fini(tpi_nav_window *window)
{
    free(window->cells);
    window->cells = NULL;
}

void tpi_nav_window_clear(tpi_nav_window *window)
{
    for (size_t i = 0; i < (size_t)window->side * window->side; i++) {
        window->cells[i].used = false;
    }
}

static struct window_cell *cell_at(const tpi_nav_window *window, int32_t column, int32_t row)
{
    const int32_t side = (int32_t)window->side;
    const int32_t across = (column % side + side) % side;
    const int32_t up = (row % side + side) % side;

    return &window->cells[(size_t)up * window->side + (size_t)across];
}

static bool is_near(const tpi_nav_window *window, const tpi_nav_pose *pose, double x, double y)
{
    const double half = (window->side / 2.0 - 1) * window->cell;

    return fabs(x - pose->x) < half && fabs(y - pose->y) < half;
}

/* How far a beam stays among the cells that are remembered. */
static double within(const tpi_nav_window *window, const tpi_nav_pose *pose, double x, double y,
                     double dx, double dy)
{
    const double half = (window->side / 2.0 - 1) * window->cell;
    const double to_x = dx > 0 ? pose->x + half - x : pose->x - half - x;
    const double to_y = dy > 0 ? pose->y + half - y : pose->y - half - y;
    const double by_x = fabs(dx) > 1e-9 ? to_x / dx : HUGE_VAL;
    const double by_y = fabs(dy) > 1e-9 ? to_y / dy : HUGE_VAL;

    return is_near(window, pose, x, y) ? fmin(by_x, by_y) : 0;
}

/* A beam that only grazes a cell does not tell about the point in its other corner. */
static void pass(struct window_cell *cell, double x, double y, double dx, double dy, double step)
{
    if (cell->used && fabs((cell->x - x) * dy - (cell->y - y) * dx) < step) {
        cell->used = false;
    }
}

/* A place along one axis of the torus, in cells: from 0 to below `side`, of which it is at most one
 * step away. */
static double wrap(double at, double side)
{
    const double wrapped = at >= side ? at - side : at < 0 ? at + side : at;

    return wrapped < side ? wrapped : 0; /* rounding can make it `side` */
}

/* Forget the points of cells that a beam crosses, up to a cell before its end. */
static void sweep(tpi_nav_window *window, const tpi_nav_pose *pose, double x, double y,
                  double angle, double range)
{
    const double step = window->cell / 2;
    const double dx = cos(angle);
    const double dy = sin(angle);
    const double most = fmin(range - 1.5 * window->cell, within(window, pose, x, y, dx, dy));
    const double side = window->side;
    double column = wrap(x / window->cell - side * floor(x / window->cell / side), side);
    double row = wrap(y / window->cell - side * floor(y / window->cell / side), side);
    size_t last = SIZE_MAX;

    for (double way = 0; way < most; way += step) {
        const size_t at = (size_t)row * window->side + (size_t)column;
        if (at != last) {
            pass(&window->cells[at], x, y, dx, dy, step);
            last = at;
        }
        column = wrap(column + dx / 2, side);
        row = wrap(row + dy / 2, side);
    }
}

static void put(tpi_nav_window *window, const tpi_nav_pose *pose, double x, double y, double time)
{
    if (!is_near(window, pose, x, y)) {
        return;
    }
    const int32_t column = (int32_t)floor(x / window->cell);
    const int32_t row = (int32_t)floor(y / window->cell);
    struct window_cell *cell = cell_at(window, column, row);
    const bool same = cell->used && cell->column == column && cell->row == row;
    /* Of several points of one scan in a cell, the one that is nearest to the robot counts. */
    if (same && cell->time == time &&
        hypot(cell->x - pose->x, cell->y - pose->y) <= hypot(x - pose->x, y - pose->y)) {
        return;
    }
    *cell = (struct window_cell){column, row, true, x, y, time};
}

void tpi_nav_window_take(tpi_nav_window *window, const tpi_nav_pose *pose,
                         const tpi_nav_beam *beams, size_t count, double time)
{
    const double c = cos(pose->a);
    const double s = sin(pose->a);

    if (!(fabs(pose->x) / window->cell < farthest && fabs(pose->y) / window->cell < farthest)) {
        return;
    }
    for (int hits = 0; hits < 2; hits++) { /* what is seen now stays, whatever else is swept */
        for (size_t i = 0; i < count; i++) {
            const double x = pose->x + c * beams[i].x - s * beams[i].y;
            const double y = pose->y + s * beams[i].x + c * beams[i].y;
            const double angle = pose->a + beams[i].angle;
            if (hits == 0) {
                sweep(window, pose, x, y, angle, beams[i].range);
            } else if (beams[i].hit) {
                put(window, pose, x + beams[i].range * cos(angle), y + beams[i].range * sin(angle),
                    time);
            }
        }
    }
}

size_t tpi_nav_window_points(const tpi_nav_window *window, const tpi_nav_pose *pose, double time,
                             tpi_nav_point *out, size_t most)
{
    const double c = cos(pose->a);
    const double s = sin(pose->a);
    size_t count = 0;

    for (size_t i = 0; i < (size_t)window->side * window->side && count < most; i++) {
        const struct window_cell *cell = &window->cells[i];
        if (cell->used && time - cell->time <= window->memory &&
            is_near(window, pose, cell->x, cell->y)) {
            const double dx = cell->x - pose->x;
            const double dy = cell->y - pose->y;
            out[count++] = (tpi_nav_point){c * dx + s * dy, c * dy - s * dx};
        }
    }
    return count;
}

tpi_nav_pose tpi_nav_between(const tpi_nav_pose *from, const tpi_nav_pose *to)
{
    const double dx = to->x - from->x;
    const double dy = to->y - from->y;

    return (tpi_nav_pose){cos(from->a) * dx + sin(from->a) * dy,
                          cos(from->a) * dy - sin(from->a) * dx, tpi_nav_angle(to->a - from->a)};
}

tpi_nav_pose tpi_nav_after(const tpi_nav_pose *from, const tpi_nav_pose *by)
{
    return (tpi_nav_pose){from->x + cos(from->a) * by->x - sin(from->a) * by->y,
                          from->y + sin(from->a) * by->x + cos(from->a) * by->y,
                          tpi_nav_angle(from->a + by->a)};
}
