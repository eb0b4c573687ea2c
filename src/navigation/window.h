/*
 * window.h - what stands around a robot: a small grid that moves with it.
 *
 * Each cell remembers the last point that was seen in it, exactly, and when. A beam that goes
 * through a cell, less than half a cell from its point, forgets the point. Points that were not
 * seen again for `memory` seconds are forgotten too. Places are in the frame of the odometry.
 *
 * The points are also in a list, so the work grows with what is known and not with the cells.
 */
#ifndef TROUPE_NAVIGATION_WINDOW_H
#define TROUPE_NAVIGATION_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "troupe/status.h"

typedef struct tpi_nav_point {
    double x, y;
} tpi_nav_point;

typedef struct tpi_nav_pose {
    double x, y, a;
} tpi_nav_pose;

/* One reading: a beam from a place in a direction, both on the robot. */
typedef struct tpi_nav_beam {
    double x, y, angle;
    double dx, dy; /* cosine and sine of the angle */
    double range;  /* how far it is free */
    bool hit;      /* something is at its end */
} tpi_nav_beam;

typedef struct tpi_nav_window {
    uint32_t side;              /* cells along each side */
    double cell;                /* side of a cell, in metres */
    double memory;              /* s */
    struct window_point *known; /* owned: the points */
    size_t count;               /* of points; at most one for each cell */
    uint32_t *numbers; /* owned: the number of the point of each cell, from 1; 0 for none. A torus:
                          column and row of the plane modulo `side` */
} tpi_nav_window;

/* A reading with its direction computed. */
tpi_nav_beam tpi_nav_beam_make(double x, double y, double angle, double range, bool hit);

tp_status tpi_nav_window_init(tpi_nav_window *window, uint32_t side, double cell, double memory,
                              tp_error *err);
void tpi_nav_window_fini(tpi_nav_window *window);

/* Forget everything: the odometry has jumped. */
void tpi_nav_window_clear(tpi_nav_window *window);

/* Take readings that were made at a time, in seconds, with the robot at a pose. */
void tpi_nav_window_take(tpi_nav_window *window, const tpi_nav_pose *pose,
                         const tpi_nav_beam *beams, size_t count, double time);

/* The points that are known, in the frame of the robot; their number, at most `most`. */
size_t tpi_nav_window_points(const tpi_nav_window *window, const tpi_nav_pose *pose, double time,
                             tpi_nav_point *out, size_t most);

/* An angle between -pi and pi. */
double tpi_nav_angle(double angle);

/* The pose `to` as seen from the pose `from`. */
tpi_nav_pose tpi_nav_between(const tpi_nav_pose *from, const tpi_nav_pose *to);

/* The pose that is `by` from the pose `from`: the opposite. */
tpi_nav_pose tpi_nav_after(const tpi_nav_pose *from, const tpi_nav_pose *by);

#endif
