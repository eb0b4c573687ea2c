/*
 * distance.c - the exact Euclidean distance transform; see distance.h.
 *
 * After P. Felzenszwalb and D. Huttenlocher, Distance Transforms of Sampled Functions: distances
 * within columns first, then, row by row, the lower envelope of parabolas. Each cell is visited a
 * fixed number of times.
 */
#include "navigation/distance.h"

#include <math.h>
#include <stdlib.h>

/* One row: the parabolas of the lower envelope. */
struct envelope {
    double *height;   /* owned: squared distances within the columns */
    uint32_t *vertex; /* owned */
    double *from;     /* owned: where each parabola begins to be the lowest */
};

static bool is_obstacle(int8_t cell, bool unknown)
{
    return cell > 0 || (unknown && cell == 0);
}

/* Distances within a column, row after row, so that memory is read in its order. */
static void columns(const tpi_nav_grid *grid, bool unknown, float most, float *out)
{
    const size_t width = grid->width;

    for (size_t row = 0; row < grid->height; row++) {
        for (size_t i = row * width; i < (row + 1) * width; i++) {
            const float below = row == 0 ? most : out[i - width] + 1;
            out[i] = is_obstacle(grid->cells[i], unknown) ? 0 : fminf(below, most);
        }
    }
    for (size_t row = grid->height - 1; row-- > 0;) {
        for (size_t i = row * width; i < (row + 1) * width; i++) {
            out[i] = fminf(out[i], out[i + width] + 1);
        }
    }
}

/* Where the parabola at q becomes lower than that at p. */
static double crossing(const struct envelope *e, uint32_t p, uint32_t q)
{
    return ((e->height[q] + (double)q * q) - (e->height[p] + (double)p * p)) /
           (2.0 * ((double)q - p));
}

static void row_of(const struct envelope *e, float *row, uint32_t width, double most)
{
    uint32_t last = 0;

    for (uint32_t x = 0; x < width; x++) {
        e->height[x] = (double)row[x] * (double)row[x];
    }
    e->vertex[0] = 0;
    e->from[0] = -HUGE_VAL;
    for (uint32_t x = 1; x < width; x++) {
        double at = crossing(e, e->vertex[last], x);
        while (at <= e->from[last]) {
            last--;
            at = crossing(e, e->vertex[last], x);
        }
        last++;
        e->vertex[last] = x;
        e->from[last] = at;
    }
    uint32_t k = 0;
    for (uint32_t x = 0; x < width; x++) {
        while (k < last && e->from[k + 1] < x) {
            k++;
        }
        const double across = (double)x - e->vertex[k];
        row[x] = (float)fmin(sqrt(across * across + e->height[e->vertex[k]]), most);
    }
}

tp_status tpi_nav_distance(const tpi_nav_grid *grid, bool unknown, double most, float *out,
                           tp_error *err)
{
    struct envelope e = {.height = calloc(grid->width, sizeof *e.height),
                         .vertex = calloc(grid->width, sizeof *e.vertex),
                         .from = calloc((size_t)grid->width + 1, sizeof *e.from)};
    tp_status status = TP_OK;

    if (e.height == NULL || e.vertex == NULL || e.from == NULL) {
        status = tp_fail(err, TP_E_NOMEM, "out of memory");
    } else {
        columns(grid, unknown, (float)most, out);
        for (uint32_t row = 0; row < grid->height; row++) {
            row_of(&e, out + (size_t)row * grid->width, grid->width, most);
        }
    }
    free(e.height);
    free(e.vertex);
    free(e.from);
    return status;
}
