/*
 * fit.h - the shapes of bodies that touch or overlap something: their corners, their middles, and
 * how much smaller they have to be.
 */
#ifndef TROUPE_SIM_MOVE_FIT_H
#define TROUPE_SIM_MOVE_FIT_H

#include <math.h>

#include "sim/move/contact.h"
#include "sim/ray/segment.h"

/* Find out all corners of a fit at once, since they are asked for often. */
void tpi_sim_fit_keep(struct sim_fit *fit, const struct sim_template *template);

/* The largest of the solid parts has the middle. */
struct sim_middle tpi_sim_middle_of(const struct sim_template *template);

/* The least scale about x, y, in the world, at which a part of a body comes as far as a segment;
 * HUGE_VAL if it never does. */
double tpi_sim_part_scale(const struct sim_body *body, double x, double y,
                          const struct sim_part *part, const struct sim_segment *other);

/* The least scale at which corners of one part come as far as the edges of another, each about its
 * own middle, which are `m` and `n`; HUGE_VAL if they never do. */
double tpi_sim_corner_scale(const struct sim_body *a, const struct sim_part *p, const double m[2],
                            const struct sim_body *b, const struct sim_part *q, const double n[2]);

static inline struct sim_segment sim_body_edge(const struct sim_body *body, uint32_t i)
{
    const double *vx = body->template->vx + i;
    const double *vy = body->template->vy + i;

    return (struct sim_segment){.x0 = body->x + body->c * vx[0] - body->s * vy[0],
                                .y0 = body->y + body->s * vx[0] + body->c * vy[0],
                                .x1 = body->x + body->c * vx[1] - body->s * vy[1],
                                .y1 = body->y + body->s * vx[1] + body->c * vy[1]};
}

static inline void sim_put_middle(const struct sim_body *body, const struct sim_middle *middle,
                                  double *x, double *y)
{
    *x = body->x + body->c * middle->x - body->s * middle->y;
    *y = body->y + body->s * middle->x + body->c * middle->y;
}

/* Where the line from 0, 0 through x, y meets a segment, as a share of the way there; HUGE_VAL if
 * it does not. */
static inline double sim_line_hit(double x, double y, const struct sim_segment *s)
{
    const double ex = s->x1 - s->x0;
    const double ey = s->y1 - s->y0;
    const double turn = x * ey - y * ex;
    const double along = (s->x0 * y - s->y0 * x) / turn; /* of the segment */

    return fabs(turn) > 0 && along >= -1e-12 && along <= 1 + 1e-12
               ? (s->x0 * ey - s->y0 * ex) / turn
               : HUGE_VAL;
}

static inline struct sim_segment sim_segment_from(double x, double y, const struct sim_segment *s)
{
    return (struct sim_segment){s->x0 - x, s->y0 - y, s->x1 - x, s->y1 - y};
}

#endif
