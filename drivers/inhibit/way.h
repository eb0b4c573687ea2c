/*
 * way.h - how far a rectangular robot can go before it touches a point.
 *
 * Exact for straight lines and arcs: seen from the robot the point moves along a line or a circle,
 * and what counts is where that enters the outline. A way is measured at the part of the robot that
 * would touch the point.
 */
#ifndef TROUPE_DRIVERS_INHIBIT_WAY_H
#define TROUPE_DRIVERS_INHIBIT_WAY_H

/* Distances of the edges from the point that the robot turns about; all at least 0. */
typedef struct way_outline {
    double front;
    double back;
    double side; /* to the left and to the right */
} way_outline;

/* A velocity in the robot's own frame: forward, to the left, turning left. */
typedef struct way_motion {
    double forward;
    double sideways;
    double turn;
} way_motion;

typedef struct way_point {
    double x;
    double y;
} way_point;

/* The way to the point; HUGE_VAL if the robot never touches it. A point inside the outline is at 0
 * if the edge nearest to it moves towards it, and does not count otherwise. A motion that only
 * turns is judged by the circle that the outline turns in: 0 for a point inside of that. */
double tpi_inhibit_way_to_point(const way_outline *outline, const way_motion *motion,
                                way_point point);

/* Radius of the circle that the outline turns in. */
double tpi_inhibit_way_circle(const way_outline *outline);

#endif
