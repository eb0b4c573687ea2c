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
 * Bodies stop a little before they touch, at the *gap*. One that is nearer already may go anywhere
 * but nearer. One that was put nearer still, or into something, is treated as contact.h says.
 */
#ifndef TROUPE_SIM_MOVE_SWEEP_H
#define TROUPE_SIM_MOVE_SWEEP_H

#include "sim/inside.h"

#define SIM_GAP 1e-4 /* metres between bodies that touch */

/* A body at the beginning of a step, and its motion. */
struct sim_body {
    const struct sim_template *template; /* borrowed */
    double x, y, z;
    double c, s;
    double vx, vy, w;          /* in its own frame */
    double until;              /* seconds after which it stands still */
    const struct sim_fit *fit; /* borrowed; what of it counts (contact.h); NULL: all */
};

struct sim_hold;

/* The body of a spot with its motion in this step. */
struct sim_body tpi_sim_body_of(const tpi_sim *sim, const struct sim_spot *spot);

/* Seconds until the two touch; HUGE_VAL if they do not while either moves, or not before `most`. */
double tpi_sim_touch(const struct sim_body *a, const struct sim_body *b, double most);

/* Seconds until the body touches a wall while it moves; HUGE_VAL if it does not. `hold` is how
 * walls hold it (contact.h); NULL for one that touches nothing before it moves. */
double tpi_sim_touch_walls(const struct sim_walls *walls, const struct sim_body *body,
                           const struct sim_hold *hold);

/* The direction away from what the body touches, or is about to, while it moves as it does: a unit
 * vector in the world, or 0, 0 if nothing is near. For sliding. */
void tpi_sim_touch_normal(const tpi_sim *sim, const struct sim_body *body, uint32_t tree,
                          double *nx, double *ny);

#endif
