/* angle.h - angles that are nearly right, for finding out which rays to look at closely. */
#ifndef TROUPE_SIM_ANGLE_H
#define TROUPE_SIM_ANGLE_H

#include <math.h>

#include "sim/maths.h"

#define SIM_ANGLE_ERROR 4e-6

/* The angle of a point, to within the error above: a polynomial of the arc tangent up to an eighth
 * of a turn, and its mirror images. */
static inline double sim_rough_angle(double x, double y)
{
    const double ax = fabs(x);
    const double ay = fabs(y);
    const double low = ax < ay ? ax : ay;
    const double high = ax < ay ? ay : ax;
    const double t = high > 0 ? low / high : 0;
    const double tt = t * t;
    double angle =
        t * (0.9999772200 +
             tt * (-0.3326228354 +
                   tt * (0.1935403864 +
                         tt * (-0.1164264606 + tt * (0.0526472994 - tt * 0.0117191086)))));

    angle = ax < ay ? SIM_PI / 2 - angle : angle;
    angle = x < 0 ? SIM_PI - angle : angle;
    return y < 0 ? -angle : angle;
}

/* At least the arc sine of radius over distance, if the distance is at least 1.3 times the radius.
 */
static inline double sim_rough_width(double radius, double distance)
{
    return 1.25 * radius / distance;
}

#endif
