/* segment.h - straight pieces, and how near they come to each other. */
#ifndef TROUPE_SIM_RAY_SEGMENT_H
#define TROUPE_SIM_RAY_SEGMENT_H

#include <stdbool.h>

struct sim_segment {
    double x0, y0, x1, y1;
};

/* The square of the distance from a point to a segment. */
static inline double sim_segment_square(double x, double y, const struct sim_segment *s)
{
    const double dx = s->x1 - s->x0;
    const double dy = s->y1 - s->y0;
    const double square = dx * dx + dy * dy;
    double t = square > 0 ? ((x - s->x0) * dx + (y - s->y0) * dy) / square : 0;

    t = t < 0 ? 0 : t > 1 ? 1 : t;
    const double ex = s->x0 + t * dx - x;
    const double ey = s->y0 + t * dy - y;
    return ex * ex + ey * ey;
}

/* On which side of the line through a segment a point is. */
static inline double sim_segment_side(const struct sim_segment *s, double x, double y)
{
    return (s->x1 - s->x0) * (y - s->y0) - (s->y1 - s->y0) * (x - s->x0);
}

static inline bool sim_segments_cross(const struct sim_segment *a, const struct sim_segment *b)
{
    const double a0 = sim_segment_side(b, a->x0, a->y0);
    const double a1 = sim_segment_side(b, a->x1, a->y1);
    const double b0 = sim_segment_side(a, b->x0, b->y0);
    const double b1 = sim_segment_side(a, b->x1, b->y1);

    return ((a0 < 0 && a1 > 0) || (a0 > 0 && a1 < 0)) && ((b0 < 0 && b1 > 0) || (b0 > 0 && b1 < 0));
}

/* Whether they cross, or come as near as `reach`. */
static inline bool sim_segments_near(const struct sim_segment *a, const struct sim_segment *b,
                                     double reach)
{
    const double square = reach * reach;

    return sim_segments_cross(a, b) || sim_segment_square(a->x0, a->y0, b) <= square ||
           sim_segment_square(a->x1, a->y1, b) <= square ||
           sim_segment_square(b->x0, b->y0, a) <= square ||
           sim_segment_square(b->x1, b->y1, a) <= square;
}

#endif
