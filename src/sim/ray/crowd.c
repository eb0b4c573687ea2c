/*
 * crowd.c - the bodies that can move, sorted by where they are.
 *
 * A counting sort: how many are in each cell, where each cell begins, then every body to its place.
 * The grid covers the bodies wherever they have gone; if they spread, its cells grow, so that there
 * are never more of them than memory was taken for.
 */
#include "sim/ray/crowd.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_CELLS = 64, MOST_LARGE = 64 };

/* ---- Memory ---------------------------------------------------------------------------------- */

void tpi_sim_crowd_fini(struct sim_crowd *crowd)
{
    free(crowd->spots);
    free(crowd->slot);
    free(crowd->at_x);
    free(crowd->at_y);
    free(crowd->at_radius);
    free(crowd->first);
    free(crowd->cell_of);
    *crowd = (struct sim_crowd){0};
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;

    return a < b ? -1 : a > b;
}

/* The radius up to which bodies are kept in cells: twice that of nine in ten, or that of the
 * largest if otherwise many would be left out. */
static double usual_radius(double *radii, uint32_t count)
{
    uint32_t large = 0;

    if (count == 0) {
        return 0;
    }
    qsort(radii, count, sizeof radii[0], compare);
    const double usual = 2 * radii[(count - 1) / 10 * 9];
    while (large < count && radii[count - 1 - large] > usual) {
        large++;
    }
    return large > MOST_LARGE ? radii[count - 1] : usual;
}

static tp_status choose_radius(tpi_sim *sim, tp_error *err)
{
    double *radii = calloc(sim->trees.count + 1, sizeof radii[0]);
    uint32_t count = 0;

    if (radii == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (uint32_t i = 0; i < sim->trees.count; i++) {
        if ((sim->trees.flags[i] & SIM_MOVING) != 0) {
            radii[count++] = sim->trees.template[i] -> radius;
        }
    }
    sim->crowd.usual_radius = usual_radius(radii, count);
    free(radii);
    return TP_OK;
}

tp_status tpi_sim_crowd_init(tpi_sim *sim, tp_error *err)
{
    struct sim_crowd *crowd = &sim->crowd;
    const uint32_t count = sim->trees.count;
    uint32_t moving = 0;

    for (uint32_t i = 0; i < count; i++) {
        moving += (sim->trees.flags[i] & SIM_MOVING) != 0 ? 1 : 0;
    }
    crowd->capacity = moving + LEAST_CELLS;
    crowd->spots = tpi_sim_take(sim, count, sizeof crowd->spots[0]);
    crowd->slot = tpi_sim_take(sim, count, sizeof crowd->slot[0]);
    /* loops that take eight at a time may read seven too many */
    crowd->at_x = tpi_sim_take(sim, (size_t)count + 7, sizeof crowd->at_x[0]);
    crowd->at_y = tpi_sim_take(sim, (size_t)count + 7, sizeof crowd->at_y[0]);
    crowd->at_radius = tpi_sim_take(sim, (size_t)count + 7, sizeof crowd->at_radius[0]);
    crowd->first = tpi_sim_take(sim, (size_t)crowd->capacity + 2, sizeof crowd->first[0]);
    crowd->cell_of = tpi_sim_take(sim, count, sizeof crowd->cell_of[0]);
    if (crowd->spots == NULL || crowd->slot == NULL || crowd->first == NULL ||
        crowd->at_x == NULL || crowd->at_y == NULL || crowd->at_radius == NULL ||
        crowd->cell_of == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    return choose_radius(sim, err);
}

/* ---- Cells ----------------------------------------------------------------------------------- */

static bool is_small(const tpi_sim *sim, uint32_t tree)
{
    return (sim->trees.flags[tree] & SIM_MOVING) != 0 &&
               sim->trees.template[tree] -> radius <= sim -> crowd.usual_radius;
}

/* How far any body is from the corner of the cells, along an axis. */
static double farthest(const tpi_sim *sim)
{
    double most = 0;

    for (uint32_t i = 0; i < sim->trees.count; i++) {
        if ((sim->trees.flags[i] & SIM_MOVING) != 0) {
            most = fmax(most, fabs(sim->trees.x[i] - sim->crowd.x));
            most = fmax(most, fabs(sim->trees.y[i] - sim->crowd.y));
        }
    }
    return most;
}

/* Cells for the space that the bodies take up now: about one for each, and not smaller than them.
 */
static void choose_cells(tpi_sim *sim)
{
    struct sim_crowd *crowd = &sim->crowd;
    double x0 = HUGE_VAL;
    double y0 = HUGE_VAL;
    double x1 = -HUGE_VAL;
    double y1 = -HUGE_VAL;

    crowd->widest = 0;
    for (uint32_t i = 0; i < sim->trees.count; i++) {
        if (is_small(sim, i)) {
            x0 = sim->trees.x[i] < x0 ? sim->trees.x[i] : x0;
            x1 = sim->trees.x[i] > x1 ? sim->trees.x[i] : x1;
            y0 = sim->trees.y[i] < y0 ? sim->trees.y[i] : y0;
            y1 = sim->trees.y[i] > y1 ? sim->trees.y[i] : y1;
            crowd->widest = fmax(crowd->widest, sim->trees.template[i] -> radius);
        }
    }
    const double width = x1 > x0 ? x1 - x0 : 0;
    const double height = y1 > y0 ? y1 - y0 : 0;
    double cell = fmax(sqrt(width * height / crowd->capacity), 2 * crowd->widest);
    cell = fmax(cell, 1e-3);
    do { /* the last column and row are begun, so that the estimate may be too small */
        crowd->cell = cell;
        crowd->columns = (uint32_t)fmin(width / cell, 1e9) + 1;
        crowd->rows = (uint32_t)fmin(height / cell, 1e9) + 1;
        cell *= 1.125;
    } while ((uint64_t)crowd->columns * crowd->rows > crowd->capacity);
    crowd->per_cell = 1 / crowd->cell;
    crowd->x = x1 >= x0 ? x0 : 0;
    crowd->y = y1 >= y0 ? y0 : 0;
    /* a float has 24 bits; large bodies may stand outside of the cells, so all are taken */
    crowd->rounding = farthest(sim) * 4e-7 + 1e-5;
}

/* ---- Sorting --------------------------------------------------------------------------------- */

static void put_spot(tpi_sim *sim, uint32_t tree, uint32_t slot)
{
    const struct sim_trees *t = &sim->trees;
    const struct sim_template *template = t->template[tree];

    sim->crowd.slot[tree] = slot;
    sim->crowd.at_x[slot] = (float)(t->x[tree] - sim->crowd.x);
    sim->crowd.at_y[slot] = (float)(t->y[tree] - sim->crowd.y);
    sim->crowd.at_radius[slot] = (float)(template->radius + sim->crowd.rounding);
    sim->crowd.spots[slot] = (struct sim_spot){
        .x = t->x[tree],
        .y = t->y[tree],
        .z = t->z[tree],
        .c = t->c[tree],
        .s = t->s[tree],
        .template = template,
        .radius = (float)template->radius * 1.000001f,
        .tree = tree,
        .group = t->group[tree],
        .flags = template->flags,
    };
}

/* How many bodies are in each cell; the count stands in the entry behind the cell's own. */
static void count_bodies(tpi_sim *sim)
{
    struct sim_crowd *crowd = &sim->crowd;
    const size_t cells = (size_t)crowd->columns * crowd->rows;

    for (size_t i = 0; i <= cells + 1; i++) {
        crowd->first[i] = 0;
    }
    for (uint32_t i = 0; i < sim->trees.count; i++) {
        if (is_small(sim, i)) {
            const uint32_t column =
                sim_crowd_cell(sim->trees.x[i] - crowd->x, crowd->per_cell, crowd->columns);
            const uint32_t row =
                sim_crowd_cell(sim->trees.y[i] - crowd->y, crowd->per_cell, crowd->rows);
            crowd->cell_of[i] = row * crowd->columns + column;
            crowd->first[crowd->cell_of[i] + 2]++;
        }
    }
    for (size_t i = 2; i <= cells + 1; i++) {
        crowd->first[i] += crowd->first[i - 1];
    }
    crowd->small = crowd->first[cells + 1];
}

void tpi_sim_crowd_sort(tpi_sim *sim)
{
    struct sim_crowd *crowd = &sim->crowd;

    choose_cells(sim);
    count_bodies(sim);
    crowd->count = crowd->small;
    for (uint32_t i = 0; i < sim->trees.count; i++) {
        if (is_small(sim, i)) {
            put_spot(sim, i, crowd->first[crowd->cell_of[i] + 1]++);
        } else if ((sim->trees.flags[i] & SIM_MOVING) != 0) {
            put_spot(sim, i, crowd->count++);
        }
    }
    sim->crowd_is_old = false;
}
