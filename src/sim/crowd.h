/*
 * crowd.h - who is near: walking through the crowd.
 *
 *     struct sim_near near;
 *     const struct sim_spot *end;
 *     tpi_sim_near_init(&near, &sim->crowd, x, y, radius);
 *     for (const struct sim_spot *at = tpi_sim_near_run(&near, &end); at != NULL; ...) {
 *         for (; at < end; at++) { ... }
 *     }
 *
 * Every body whose circle touches the circle that was asked for is among the spots; so are others.
 */
#ifndef TROUPE_SIM_CROWD_H
#define TROUPE_SIM_CROWD_H

#include <math.h>

#include "sim/inside.h"
#include "sim/kernel.h"
#include "sim/ranger.h"

struct sim_near {
    const struct sim_crowd *crowd; /* borrowed */
    double x, y, reach;            /* of the circle that holds all middles; from the first cell */
    uint32_t row, last;            /* rows; `last` belongs to them */
    bool large;                    /* those too large for cells are still to come */
};

/* The cell that a coordinate is in; those outside count to the border. */
static inline uint32_t sim_crowd_cell(double offset, double per_cell, uint32_t count)
{
    const double at = offset * per_cell;

    if (!(at > 0)) {
        return 0;
    }
    return at < count ? (uint32_t)at : count - 1;
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

/* The next run of spots; NULL after the last. A run may be empty. */
static inline const struct sim_spot *sim_near_run(struct sim_near *near,
                                                  const struct sim_spot **end)
{
    const struct sim_crowd *crowd = near->crowd;

    if (near->row <= near->last && crowd->small > 0) {
        const uint32_t *first = crowd->first + (size_t)near->row * crowd->columns;
        const double width = sim_near_width(near, near->row);
        near->row++;
        *end = crowd->spots +
               first[sim_crowd_cell(near->x + width, crowd->per_cell, crowd->columns) + 1];
        return crowd->spots +
               first[sim_crowd_cell(near->x - width, crowd->per_cell, crowd->columns)];
    }
    if (near->large && crowd->count > crowd->small) {
        near->large = false;
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
    uint32_t at, end; /* what is left of the current run */
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
    search->at = search->end = 0;
}

/* Go on to a run that is not empty; false after the last. */
static inline bool sim_search_run(struct sim_search *search)
{
    while (search->at == search->end) {
        const struct sim_spot *end;
        const struct sim_spot *run = sim_near_run(&search->near, &end);
        if (run == NULL) {
            return false;
        }
        search->at = (uint32_t)(run - search->near.crowd->spots);
        search->end = (uint32_t)(end - search->near.crowd->spots);
    }
    return true;
}

/* The next ones, in `found`; false after the last. */
static inline bool sim_search_next(struct sim_search *search)
{
    struct sim_found *found = &search->found;

    found->count = 0;
    while (found->count < SIM_MOST_FOUND && sim_search_run(search)) {
        const uint32_t left = search->end - search->at;
        const uint32_t room = SIM_MOST_FOUND - found->count;
        const uint32_t to = search->at + (left < room ? left : room);
        search->kernel->find(search->near.crowd, search->at, to, &search->probe, found);
        search->at = to;
    }
    return found->count > 0;
}

#endif
