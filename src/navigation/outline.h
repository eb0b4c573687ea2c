/*
 * outline.h - how far a rectangular robot can go along an arc before it touches a point.
 */
#ifndef TROUPE_NAVIGATION_OUTLINE_H
#define TROUPE_NAVIGATION_OUTLINE_H

#include "navigation/window.h"

/* From the robot's centre of turning to its edges. */
typedef struct tpi_nav_outline {
    double front, back, side;
} tpi_nav_outline;

/* The radius of the circle through the farthest corner. */
double tpi_nav_outline_circle(const tpi_nav_outline *outline);

/* How far the robot can go, forward and turning at given speeds, until a point is nearer to it than
 * `margin`: metres along its way, at most `horizon`. If it turns on the spot, metres that its
 * farthest corner goes. A point that is nearer already counts only if the way leads closer to it.
 */
double tpi_nav_outline_way(const tpi_nav_outline *outline, double margin, double forward,
                           double turn, const tpi_nav_point *points, size_t count, double horizon);

#endif
