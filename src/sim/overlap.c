/*
 * overlap.c - whether bodies stand in each other: whether any of their edges cross.
 *
 * Shapes are hollow: what is wholly inside of another does not overlap it.
 */
#include <math.h>

#include "sim/crowd.h"
#include "sim/segment.h"
#include "sim/sweep.h"

static bool cross(const struct sim_segment *e, const struct sim_segment *f)
{
    const double a = sim_segment_side(e, f->x0, f->y0);
    const double b = sim_segment_side(e, f->x1, f->y1);
    const double c = sim_segment_side(f, e->x0, e->y0);
    const double d = sim_segment_side(f, e->x1, e->y1);

    return ((a <= 0 && b >= 0) || (a >= 0 && b <= 0)) &&
           ((c <= 0 && d >= 0) || (c >= 0 && d <= 0)) && (a != 0 || b != 0 || c != 0 || d != 0);
}

static struct sim_segment edge_of(const struct sim_body *body, uint32_t i)
{
    const double *vx = body->plan->vx + i;
    const double *vy = body->plan->vy + i;

    return (struct sim_segment){.x0 = body->x + body->c * vx[0] - body->s * vy[0],
                                .y0 = body->y + body->s * vx[0] + body->c * vy[0],
                                .x1 = body->x + body->c * vx[1] - body->s * vy[1],
                                .y1 = body->y + body->s * vx[1] + body->c * vy[1]};
}

/* Whether an edge crosses one of a part. */
static bool crosses(const struct sim_segment *edge, const struct sim_body *body,
                    const struct sim_part *part)
{
    for (uint32_t i = part->first; i < part->first + part->count; i++) {
        const struct sim_segment own = edge_of(body, i);
        if (cross(edge, &own)) {
            return true;
        }
    }
    return false;
}

static bool parts_overlap(const struct sim_body *a, const struct sim_part *p,
                          const struct sim_body *b, const struct sim_part *q)
{
    if ((p->flags & q->flags & SIM_OBSTACLE) == 0 || a->z + p->z0 > b->z + q->z1 ||
        b->z + q->z0 > a->z + p->z1) {
        return false;
    }
    for (uint32_t i = p->first; i < p->first + p->count; i++) {
        const struct sim_segment edge = edge_of(a, i);
        if (crosses(&edge, b, q)) {
            return true;
        }
    }
    return false;
}

bool tpi_sim_overlap(const struct sim_body *a, const struct sim_body *b)
{
    if (hypot(a->x - b->x, a->y - b->y) > a->plan->solid_radius + b->plan->solid_radius) {
        return false;
    }
    for (uint32_t i = 0; i < a->plan->part_count; i++) {
        for (uint32_t k = 0; k < b->plan->part_count; k++) {
            if (parts_overlap(a, &a->plan->parts[i], b, &b->plan->parts[k])) {
                return true;
            }
        }
    }
    return false;
}

static bool is_in(const struct sim_body *body, const struct sim_wall *wall)
{
    const struct sim_segment edge = {wall->x0, wall->y0, wall->x1, wall->y1};

    for (uint32_t i = 0; i < body->plan->part_count; i++) {
        const struct sim_part *part = &body->plan->parts[i];
        if ((part->flags & wall->flags & SIM_OBSTACLE) != 0 && body->z + part->z0 <= wall->z1 &&
            wall->z0 <= body->z + part->z1 && crosses(&edge, body, part)) {
            return true;
        }
    }
    return false;
}

uint32_t tpi_sim_overlap_walls(const struct sim_walls *walls, const struct sim_body *body)
{
    const double radius = body->plan->solid_radius;
    const double x = body->x - walls->x;
    const double y = body->y - walls->y;
    uint32_t found = TPI_SIM_NONE;

    if (walls->count == 0) {
        return TPI_SIM_NONE;
    }
    const uint32_t left = sim_crowd_cell(x - radius, walls->per_cell, walls->columns);
    const uint32_t right = sim_crowd_cell(x + radius, walls->per_cell, walls->columns);
    const uint32_t top = sim_crowd_cell(y + radius, walls->per_cell, walls->rows);
    for (uint32_t row = sim_crowd_cell(y - radius, walls->per_cell, walls->rows); row <= top;
         row++) {
        const uint32_t *first = walls->first + (size_t)row * walls->columns;
        for (uint32_t i = first[left]; i < first[right + 1]; i++) {
            const struct sim_wall *wall = &walls->items[walls->list[i]];
            /* of several trees the first counts, whatever the order of walls */
            if (wall->tree < found && is_in(body, wall)) {
                found = wall->tree;
            }
        }
    }
    return found;
}
