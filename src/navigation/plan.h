/*
 * plan.h - the cheapest way through a map.
 *
 * Cells that are nearer to an obstacle than the robot may come are closed. Others cost their
 * length, and more the nearer the obstacle is, up to `far`. The way is found by A* over eight
 * neighbours with whole numbers as costs and a bucket for each, so that a cell costs the same
 * however many are open. Then it is pulled straight wherever a straight line costs no more.
 *
 * Things that are not in the map can be put on top of it for a while.
 */
#ifndef TROUPE_NAVIGATION_PLAN_H
#define TROUPE_NAVIGATION_PLAN_H

#include "navigation/grid.h"
#include "navigation/window.h"

typedef struct tpi_nav_plan_settings {
    double near;    /* m: the robot's centre does not come nearer to an obstacle */
    double far;     /* m: from here on the distance does not matter */
    double penalty; /* how much more a cell at `near` costs than one at `far` */
} tpi_nav_plan_settings;

typedef struct tpi_nav_plan {
    tpi_nav_plan_settings settings;
    tpi_nav_grid grid; /* size and place; without cells */
    uint8_t *cost;     /* owned: of a cell, 16 or more; 0 if it is closed */
    uint8_t *room;     /* owned: cells to the nearest obstacle, at most 255 */
    uint16_t *things;  /* owned: until when a thing closes the cell; NULL without things */
    uint16_t now;      /* the time of `things` */

    uint32_t *reached;       /* owned: the least cost to a cell; 0 if it was not reached */
    uint8_t *from;           /* owned: from which neighbour */
    struct plan_node *nodes; /* owned */
    size_t node_count, node_capacity;
    uint32_t *buckets; /* owned */

    uint32_t *path; /* owned: cells from the start to the goal */
    size_t path_count, path_capacity;
    tpi_nav_point *waypoints; /* owned: from the second place to the goal */
    size_t waypoint_count, waypoint_capacity;
    double length; /* m: along the waypoints */
    size_t looked; /* cells that the last search has taken up */
} tpi_nav_plan;

/* Take a map; its cells are not needed afterwards. */
tp_status tpi_nav_plan_init(tpi_nav_plan *plan, const tpi_nav_grid *grid,
                            const tpi_nav_plan_settings *settings, tp_error *err);
void tpi_nav_plan_fini(tpi_nav_plan *plan);

/* Find the way; path, waypoints and length are its result. A start or goal that is closed is
 * replaced by the nearest open cell within `slack` metres. TP_E_UNKNOWN if there is no way. */
tp_status tpi_nav_plan_find(tpi_nav_plan *plan, tpi_nav_point start, tpi_nav_point goal,
                            double slack, tp_error *err);

/* The time of things, in seconds; it does not run backwards. */
void tpi_nav_plan_time(tpi_nav_plan *plan, double seconds);

/* Put a thing on the map for so many seconds, unless the map has an obstacle near it. */
tp_status tpi_nav_plan_put(tpi_nav_plan *plan, double x, double y, double seconds, tp_error *err);

/* Forget the things. */
void tpi_nav_plan_forget(tpi_nav_plan *plan);

/* Whether a straight line crosses no closed cell. */
bool tpi_nav_plan_is_open(const tpi_nav_plan *plan, tpi_nav_point a, tpi_nav_point b);

#endif
