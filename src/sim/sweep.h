/*
 * sweep.h - when two moving bodies touch.
 *
 * A body moves with constant velocity in its own frame: along a straight line or a circle. Time is
 * walked in safe steps. For a corner of one body and an edge of the other, at the distance d and
 * coming nearer at the rate r, the distance after a time h is at least d - r h - m h^2 / 2, where m
 * bounds all accelerations: an edge is convex, so it lies behind the line through its nearest point
 * across the shortest connection. The smallest h of all corners and edges is free of contact. So
 * nothing is missed however fast and thin it is, a body slides along a wall in one step, and one
 * that turns while touching takes a few.
 *
 * Bodies stop a little before they touch, at the *gap*. One that is nearer already, by rounding,
 * may go anywhere but nearer.
 */
#ifndef TROUPE_SIM_SWEEP_H
#define TROUPE_SIM_SWEEP_H

#include "sim/inside.h"

#define SIM_GAP 1e-4 /* metres between bodies that touch */

/* A body at the beginning of a step, and its motion. */
struct sim_body {
    const struct sim_plan *plan; /* borrowed */
    double x, y, z;
    double c, s;
    double vx, vy, w; /* in its own frame */
    double until;     /* seconds after which it stands still */
};

/* The body of a spot with its motion in this step. */
struct sim_body tpi_sim_body_of(const tpi_sim *sim, const struct sim_spot *spot);

/* Seconds until the two touch; HUGE_VAL if they do not while either moves. */
double tpi_sim_touch(const struct sim_body *a, const struct sim_body *b);

/* Seconds until the body touches a wall while it moves; HUGE_VAL if it does not. Walls of `except`
 * (a tree; TPI_SIM_NONE for none) do not count. */
double tpi_sim_touch_walls(const struct sim_walls *walls, const struct sim_body *body,
                           uint32_t except);

/* Whether the two are in each other, as they stand. */
bool tpi_sim_overlap(const struct sim_body *a, const struct sim_body *b);

/* A tree whose walls the body stands in; TPI_SIM_NONE if there is none. */
uint32_t tpi_sim_overlap_walls(const struct sim_walls *walls, const struct sim_body *body);

/* The direction away from what the body touches, or is about to, while it moves as it does: a unit
 * vector in the world, or 0, 0 if nothing is near. For sliding. */
void tpi_sim_touch_normal(const tpi_sim *sim, const struct sim_body *body, uint32_t tree,
                          double *nx, double *ny);

#endif
