/* outline.c - the way of a rectangle along an arc, in small steps; see outline.h. */
#include "navigation/outline.h"

#include <math.h>

static const double step = 0.02; /* m */

double tpi_nav_outline_circle(const tpi_nav_outline *outline)
{
    return hypot(fmax(outline->front, outline->back), outline->side);
}

/* How deep a point is inside of the rectangle that is larger by the margin; negative outside. */
static double depth(const tpi_nav_outline *o, double margin, double x, double y)
{
    const double along = fmin(o->front + margin - x, o->back + margin + x);
    const double across = o->side + margin - fabs(y);

    return fmin(along, across);
}

/* The point as the robot has it after a way along the arc. */
static tpi_nav_point seen(const tpi_nav_point *p, double forward, double turn, double time)
{
    const double a = turn * time;
    double x = forward * time;
    double y = 0;

    if (fabs(turn) > 1e-6) {
        x = forward / turn * sin(a);
        y = forward / turn * (1 - cos(a));
    }
    const double dx = p->x - x;
    const double dy = p->y - y;
    return (tpi_nav_point){cos(a) * dx + sin(a) * dy, cos(a) * dy - sin(a) * dx};
}

/* Time until this point is touched, at most `most`. */
static double time_to(const tpi_nav_outline *o, double margin, double forward, double turn,
                      const tpi_nav_point *p, double pace, double most)
{
    double last = depth(o, margin, p->x, p->y);

    for (double time = pace; time < most + pace; time += pace) {
        const tpi_nav_point q = seen(p, forward, turn, time);
        const double now = depth(o, margin, q.x, q.y);
        if (now > 0 && now > last + 1e-6) {
            return fmin(time - pace, most);
        }
        last = now;
    }
    return most;
}

double tpi_nav_outline_way(const tpi_nav_outline *outline, double margin, double forward,
                           double turn, const tpi_nav_point *points, size_t count, double horizon)
{
    const double circle = tpi_nav_outline_circle(outline);
    const double speed = fabs(forward) > 1e-3 ? fabs(forward) : fabs(turn) * circle;
    const double fastest = fabs(forward) + fabs(turn) * circle;

    if (!(speed > 1e-6)) {
        return horizon;
    }
    const double pace = step / fastest;
    const double reach = circle + margin + horizon * fastest / speed;
    double most = horizon / speed;
    for (size_t i = 0; i < count && most > 0; i++) {
        if (hypot(points[i].x, points[i].y) <= reach) {
            most = time_to(outline, margin, forward, turn, &points[i], pace, most);
        }
    }
    return most * speed;
}
