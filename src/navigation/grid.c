/* grid.c - maps of the plane as grids; see grid.h. */
#include "navigation/grid.h"

#include <math.h>
#include <stdlib.h>

static const double farthest = 1e12; /* cells from the map */

tp_status tpi_nav_grid_init(tpi_nav_grid *grid, uint32_t width, uint32_t height, double scale,
                            tp_error *err)
{
    *grid = (tpi_nav_grid){.width = width, .height = height, .scale = scale};
    if (width == 0 || height == 0) {
        return tp_fail(err, TP_E_RANGE, "the map is empty");
    }
    if (width > TPI_NAV_MOST_CELLS / height) {
        return tp_fail(err, TP_E_LIMIT, "the map has more than %d cells", TPI_NAV_MOST_CELLS);
    }
    if (!(scale > 0 && scale <= 1e6)) {
        return tp_fail(err, TP_E_RANGE, "the side of a cell, %g m, is not a length above 0", scale);
    }
    grid->cells = calloc((size_t)width * height, 1);
    return grid->cells != NULL ? TP_OK : tp_fail(err, TP_E_NOMEM, "out of memory");
}

void tpi_nav_grid_fini(tpi_nav_grid *grid)
{
    free(grid->cells);
    grid->cells = NULL;
}

bool tpi_nav_grid_at(const tpi_nav_grid *grid, double x, double y, uint32_t *column, uint32_t *row)
{
    const double across = floor((x - grid->x) / grid->scale);
    const double up = floor((y - grid->y) / grid->scale);

    if (!(across >= 0 && across < grid->width && up >= 0 && up < grid->height)) {
        return false;
    }
    *column = (uint32_t)across;
    *row = (uint32_t)up;
    return true;
}

void tpi_nav_grid_centre(const tpi_nav_grid *grid, uint32_t column, uint32_t row, double *x,
                         double *y)
{
    *x = grid->x + (column + 0.5) * grid->scale;
    *y = grid->y + (row + 0.5) * grid->scale;
}

int8_t tpi_nav_grid_value(const tpi_nav_grid *grid, double x, double y)
{
    uint32_t column;
    uint32_t row;

    return tpi_nav_grid_at(grid, x, y, &column, &row)
               ? grid->cells[(size_t)row * grid->width + column]
               : TPI_NAV_UNKNOWN;
}

/* Distance along the ray to the next border between cells on one axis, and from border to border.
 */
static void borders(double at, double along, double *next, double *step)
{
    const double cell = floor(at);

    *step = along != 0 ? fabs(1 / along) : HUGE_VAL;
    *next = along > 0 ? (cell + 1 - at) * *step : along < 0 ? (at - cell) * *step : HUGE_VAL;
}

double tpi_nav_grid_ray(const tpi_nav_grid *grid, double x, double y, double angle, double longest)
{
    return tpi_nav_grid_ray_along(grid, x, y, cos(angle), sin(angle), longest);
}

/* From border to border, in units of cells. */
double tpi_nav_grid_ray_along(const tpi_nav_grid *grid, double x, double y, double dx, double dy,
                              double longest)
{
    const double most = longest / grid->scale;
    const double across = (x - grid->x) / grid->scale;
    const double up = (y - grid->y) / grid->scale;
    double next_x, next_y, step_x, step_y;
    double way = 0;

    if (!(fabs(across) < farthest && fabs(up) < farthest)) {
        return longest;
    }
    borders(across, dx, &next_x, &step_x);
    borders(up, dy, &next_y, &step_y);
    int64_t column = (int64_t)floor(across);
    int64_t row = (int64_t)floor(up);
    const int64_t right = dx > 0 ? 1 : -1;
    const int64_t upward = dy > 0 ? 1 : -1;
    while (way < most) {
        const bool inside = (uint64_t)column < grid->width && (uint64_t)row < grid->height;
        if (inside && grid->cells[row * grid->width + column] > 0) {
            return way * grid->scale;
        }
        const bool sideways = next_x < next_y;
        way = sideways ? next_x : next_y;
        next_x += sideways ? step_x : 0;
        next_y += sideways ? 0 : step_y;
        column += sideways ? right : 0;
        row += sideways ? 0 : upward;
    }
    return longest;
}
