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
    const double c = cos(turn * time);
    const double s = sin(turn * time);
    double x = forward * time;
    double y = 0;

    if (fabs(turn) > 1e-6) {
        x = forward / turn * s;
        y = forward / turn * (1 - c);
    }
    const double dx = p->x - x;
    const double dy = p->y - y;
    return (tpi_nav_point){c * dx + s * dy, c * dy - s * dx};
}

/* Time until this point is touched, at most `most`. Paces in which it cannot be touched, since it
 * comes nearer by `closing` at most in each, are skipped. */
static double time_to(const tpi_nav_outline *o, double margin, double forward, double turn,
                      const tpi_nav_point *p, double pace, double closing, double most)
{
    double last = depth(o, margin, p->x, p->y);
    double paces = 1 + floor(fmax(-last, 0) / closing);

    while ((paces - 1) * pace < most) {
        const tpi_nav_point q = seen(p, forward, turn, paces * pace);
        const double now = depth(o, margin, q.x, q.y);
        if (now > 0 && now > last + 1e-6) {
            return fmin((paces - 1) * pace, most);
        }
        last = now;
        paces += 1 + floor(fmax(-now, 0) / closing);
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
    /* A corner of the outline with its margin is farther from the centre than `circle`. */
    const double closing = pace * (fabs(forward) + fabs(turn) * (circle + 1.5 * margin));
    const double reach = circle + margin + horizon * fastest / speed;
    double most = horizon / speed;
    for (size_t i = 0; i < count && most > 0; i++) {
        const double square = points[i].x * points[i].x + points[i].y * points[i].y;
        if (square <= reach * reach) {
            most = time_to(outline, margin, forward, turn, &points[i], pace, closing, most);
        }
    }
    return most * speed;
}
