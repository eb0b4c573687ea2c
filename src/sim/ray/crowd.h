/*
 * crowd.h - which bodies are near: walking through the crowd.
 *
 *     struct sim_near near;
 *     const struct sim_spot *end;
 *     sim_near_init(&near, &sim->crowd, x, y, radius);
 *     for (const struct sim_spot *at = sim_near_run(&near, &end); at != NULL; ...) {
 *         for (; at < end; at++) { ... }
 *     }
 *
 * Every body whose circle touches the circle that was asked for is among the spots; so are others.
 */
#ifndef TROUPE_SIM_RAY_CROWD_H
#define TROUPE_SIM_RAY_CROWD_H

#include <math.h>

#include "sim/ray/group.h"

struct sim_near {
    const struct sim_crowd *crowd; /* borrowed */
    double x, y, reach;            /* of the circle that holds all middles; from the first cell */
    uint32_t row, last;            /* rows; `last` belongs to them */
    bool large;                    /* those too large for cells are still to come */
};

/* The cell that a coordinate is in; those outside count to the border. */
static inline uint32_t sim_crowd_cell(double offset, double per_cell, uint32_t count)
{
    const double last = (double)(int32_t)(count - 1);
    const double at = offset * per_cell;
    const double low = at > 0 ? at : 0;

    return (uint32_t)(int32_t)(low < last ? low : last);
}

static inline void sim_near_init(struct sim_near *near, const struct sim_crowd *crowd, double x,
                                 double y, double radius)
{
    const double reach = (radius + crowd->widest) * (1 + 1e-9);

    near->crowd = crowd;
    near->x = x - crowd->x;
    near->y = y - crowd->y;
    near->reach = reach;
    near->row = sim_crowd_cell(near->y - reach, crowd->per_cell, crowd->rows);
    near->last = sim_crowd_cell(near->y + reach, crowd->per_cell, crowd->rows);
    near->large = true;
}

/* How far the circle reaches to either side in a row. Rows at the border go on for ever. */
static inline double sim_near_width(const struct sim_near *near, uint32_t row)
{
    const double bottom = row * near->crowd->cell;
    const double below = bottom - near->y;
    const double above = near->y - (bottom + near->crowd->cell);
    const double away = below > above ? below : above;
    const double square = near->reach * near->reach - away * away;

    if (away <= 0 || row == 0 || row + 1 == near->crowd->rows) {
        return near->reach;
    }
    return square > 0 ? sqrt(square) * (1 + 1e-9) + 1e-9 : 1e-9;
}

/* The spots of the next row: from one up to, but without, another. There is such a row. */
static inline void sim_near_row(struct sim_near *near, uint32_t *from, uint32_t *to)
{
    const struct sim_crowd *crowd = near->crowd;
    const uint32_t *first = crowd->first + (size_t)near->row * crowd->columns;
    const double width = sim_near_width(near, near->row);

    near->row++;
    *from = first[sim_crowd_cell(near->x - width, crowd->per_cell, crowd->columns)];
    *to = first[sim_crowd_cell(near->x + width, crowd->per_cell, crowd->columns) + 1];
}

static inline bool sim_near_has_rows(const struct sim_near *near)
{
    return near->row <= near->last && near->crowd->small > 0;
}

/* Whether those too large for cells come next; they do so once. */
static inline bool sim_near_is_large(struct sim_near *near)
{
    const bool large = near->large && near->crowd->count > near->crowd->small;

    near->large = false;
    return large;
}

/* The next run of spots; NULL after the last. A run may be empty. */
static inline const struct sim_spot *sim_near_run(struct sim_near *near,
                                                  const struct sim_spot **end)
{
    const struct sim_crowd *crowd = near->crowd;

    if (sim_near_has_rows(near)) {
        uint32_t from;
        uint32_t to;
        sim_near_row(near, &from, &to);
        *end = crowd->spots + to;
        return crowd->spots + from;
    }
    if (sim_near_is_large(near)) {
        *end = crowd->spots + crowd->count;
        return crowd->spots + crowd->small;
    }
    return NULL;
}

/* The same for rangers, but only those that their rays may meet, many at a time. */
struct sim_search {
    struct sim_near near;
    const struct sim_kernel *kernel; /* borrowed */
    struct sim_probe probe;
    struct sim_runs runs;
    struct sim_found found;
};

static inline void sim_search_init(struct sim_search *search, const struct sim_crowd *crowd,
                                   const struct sim_frame *frame,
                                   const struct sim_ranger_group *group, const uint32_t *before)
{
    const double x = frame->x - crowd->x;
    const double y = frame->y - crowd->y;

    sim_near_init(&search->near, crowd, frame->x, frame->y, group->reach);
    search->kernel = tpi_sim_kernel();
    search->probe = (struct sim_probe){
        .x = (float)x,
        .y = (float)y,
        .c = (float)frame->c,
        .s = (float)frame->s,
        .reach = (float)(group->reach * (1 + 1e-6) + (fabs(x) + fabs(y)) * 2e-7),
        .offset = (float)(group->offset * (1 + 1e-6) + (fabs(x) + fabs(y)) * 2e-7),
        .before = before,
    };
    search->runs.at = search->runs.count = 0;
}

/* Make sure that there are runs to look through; false after the last. */
static inline bool sim_search_runs(struct sim_search *search)
{
    struct sim_near *near = &search->near;
    struct sim_runs *runs = &search->runs;

    if (runs->at < runs->count) {
        return true;
    }
    runs->at = 0;
    if (sim_near_has_rows(near)) {
        search->kernel->rows(near, runs);
        return true;
    }
    if (sim_near_is_large(near)) {
        runs->count = 1;
        runs->from[0] = near->crowd->small;
        runs->to[0] = near->crowd->count;
        return true;
    }
    runs->count = 0;
    return false;
}

/* The next ones, in `found`; false after the last. */
static inline bool sim_search_next(struct sim_search *search)
{
    search->found.count = 0;
    while (search->found.count == 0 && sim_search_runs(search)) {
        search->kernel->find(search->near.crowd, &search->runs, &search->probe, &search->found);
    }
    return search->found.count > 0;
}

#endif
