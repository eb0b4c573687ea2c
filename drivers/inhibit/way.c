/* way.c - how far a rectangular robot can go before it touches a point; see way.h. */
#include "way.h"

#include <math.h>
#include <stdbool.h>

static const double circle = 6.283185307179586;
static const double slow = 1e-9; /* no motion */

/* Arcs that are wider than this, compared with the robot, are taken as straight. */
static const double wide = 1e6;

double tpi_inhibit_way_circle(const way_outline *outline)
{
    return hypot(fmax(outline->front, outline->back), outline->side);
}

static bool is_inside(const way_outline *o, way_point p)
{
    return p.x >= -o->back && p.x <= o->front && fabs(p.y) <= o->side;
}

/* Whether the edge that is nearest to a point inside moves towards it. */
static bool moves_towards(const way_outline *o, const way_motion *m, way_point p)
{
    const double ahead = m->forward - m->turn * p.y; /* of the robot at that point */
    const double left = m->sideways + m->turn * p.x;
    const double tolerance = 1e-6 * hypot(ahead, left);
    const double to_front = o->front - p.x;
    const double to_back = p.x + o->back;
    const double to_side = o->side - fabs(p.y);

    if (to_side < fmin(to_front, to_back)) {
        return left * p.y > tolerance * fabs(p.y);
    }
    return (to_front <= to_back ? ahead : -ahead) > tolerance;
}

/* ---- Straight -------------------------------------------------------------------------------- */

/* The part of the way in which a coordinate is between two bounds: from `enter` to `leave`. */
static void narrow(double at, double speed, double low, double high, double *enter, double *leave)
{
    const double a = (at - low) / speed;
    const double b = (at - high) / speed;

    if (speed != 0) {
        *enter = fmax(*enter, fmin(a, b));
        *leave = fmin(*leave, fmax(a, b));
    } else if (at < low || at > high) {
        *leave = -HUGE_VAL;
    }
}

static double straight(const way_outline *o, const way_motion *m, way_point p, double speed)
{
    double enter = -HUGE_VAL;
    double leave = HUGE_VAL;

    narrow(p.x, m->forward / speed, -o->back, o->front, &enter, &leave);
    narrow(p.y, m->sideways / speed, -o->side, o->side, &enter, &leave);
    return enter <= leave && enter >= 0 ? enter : HUGE_VAL;
}

/* ---- Arcs ------------------------------------------------------------------------------------ */

/* The circle that the point moves on, seen from the robot. */
struct arc {
    way_point centre;
    double radius;
    double start; /* where on the circle the point is */
    double sense; /* 1 if it moves counter-clockwise, -1 otherwise */
};

/* How far the point turns before it is at another place of its circle. */
static double turn_to(const struct arc *arc, way_point q)
{
    const double angle = atan2(q.y - arc->centre.y, q.x - arc->centre.x);
    const double turn = fmod(arc->sense * (angle - arc->start), circle);

    return turn < 0 ? turn + circle : turn;
}

/* The first place where the circle crosses the line x = at between two ends; `flipped` if the line
 * is y = at. */
static double turn_to_edge(const struct arc *arc, double at, double low, double high, bool flipped)
{
    const double away = at - (flipped ? arc->centre.y : arc->centre.x);
    const double middle = flipped ? arc->centre.x : arc->centre.y;
    const double root = arc->radius * arc->radius - away * away;
    double first = HUGE_VAL;

    for (int sign = -1; root >= 0 && sign <= 1; sign += 2) {
        const double along = middle + sign * sqrt(root);
        const way_point q = flipped ? (way_point){along, at} : (way_point){at, along};
        if (along >= low && along <= high) {
            first = fmin(first, turn_to(arc, q));
        }
    }
    return first;
}

static double along_arc(const way_outline *o, const way_motion *m, way_point p)
{
    struct arc arc = {.centre = {-m->sideways / m->turn, m->forward / m->turn},
                      .sense = m->turn > 0 ? -1 : 1};

    arc.radius = hypot(p.x - arc.centre.x, p.y - arc.centre.y);
    arc.start = atan2(p.y - arc.centre.y, p.x - arc.centre.x);
    const double ends = fmin(turn_to_edge(&arc, o->front, -o->side, o->side, false),
                             turn_to_edge(&arc, -o->back, -o->side, o->side, false));
    const double sides = fmin(turn_to_edge(&arc, o->side, -o->back, o->front, true),
                              turn_to_edge(&arc, -o->side, -o->back, o->front, true));
    const double turn = fmin(ends, sides);
    return turn < HUGE_VAL ? turn * arc.radius : HUGE_VAL;
}

double tpi_inhibit_way_to_point(const way_outline *outline, const way_motion *motion,
                                way_point point)
{
    const double speed = hypot(motion->forward, motion->sideways);
    const double turning = fabs(motion->turn) * tpi_inhibit_way_circle(outline);

    if (speed < slow && turning < slow) {
        return HUGE_VAL;
    }
    if (speed < slow) {
        return hypot(point.x, point.y) <= tpi_inhibit_way_circle(outline) ? 0 : HUGE_VAL;
    }
    if (is_inside(outline, point)) {
        return moves_towards(outline, motion, point) ? 0 : HUGE_VAL;
    }
    return turning * wide < speed ? straight(outline, motion, point, speed)
                                  : along_arc(outline, motion, point);
}
