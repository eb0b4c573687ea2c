/* level.c - see level.h. */
#include "sim/move/level.h"

#include <math.h>

#include "sim/ray/crowd.h"
#include "sim/ray/segment.h"

static const double gap = 1e-6; /* metres that stay free: what touches cannot move sideways */

/* Where a tree is. */
struct stand {
    const struct sim_template *template; /* borrowed */
    double x, y, z, c, s;
};

/* A look for the nearest level in the way. */
struct look {
    const tpi_sim *sim; /* borrowed */
    struct stand own;
    uint32_t tree, group;
    double climb; /* what is free so far */
};

static void corner_of(const struct stand *at, uint32_t i, double *x, double *y)
{
    const double vx = at->template->vx[i];
    const double vy = at->template->vy[i];

    *x = at->x + at->c * vx - at->s * vy;
    *y = at->y + at->s * vx + at->c * vy;
}

static struct sim_segment edge_of(const struct stand *at, uint32_t i)
{
    struct sim_segment edge;

    corner_of(at, i, &edge.x0, &edge.y0);
    corner_of(at, i + 1, &edge.x1, &edge.y1);
    return edge;
}

static bool cross(const struct sim_segment *e, const struct sim_segment *f)
{
    return sim_segment_side(e, f->x0, f->y0) * sim_segment_side(e, f->x1, f->y1) < 0 &&
           sim_segment_side(f, e->x0, e->y0) * sim_segment_side(f, e->x1, e->y1) < 0;
}

static bool edges_cross(const struct stand *a, const struct sim_part *p, const struct stand *b,
                        const struct sim_part *q)
{
    for (uint32_t i = p->first; i < p->first + p->count; i++) {
        const struct sim_segment e = edge_of(a, i);
        for (uint32_t k = q->first; k < q->first + q->count; k++) {
            const struct sim_segment f = edge_of(b, k);
            if (cross(&e, &f)) {
                return true;
            }
        }
    }
    return false;
}

/* How often a line to the right from a point crosses the outline. */
static uint32_t count_right(const struct stand *at, const struct sim_part *part, double x, double y)
{
    uint32_t count = 0;

    for (uint32_t i = part->first; i < part->first + part->count; i++) {
        const struct sim_segment e = edge_of(at, i);
        if ((e.y0 > y) != (e.y1 > y) && x < e.x0 + (y - e.y0) / (e.y1 - e.y0) * (e.x1 - e.x0)) {
            count++;
        }
    }
    return count;
}

static bool is_solid(const struct sim_part *part)
{
    return (part->flags & SIM_OBSTACLE) != 0;
}

/* Outlines of a picture lie in each other, as holes do: all of one model and height count. */
static bool holds(const struct stand *at, const struct sim_part *part, double x, double y)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < at->template->part_count; i++) {
        const struct sim_part *other = &at->template->parts[i];
        if (is_solid(other) && other->member == part->member && other->z0 == part->z0 &&
            other->z1 == part->z1) {
            count += count_right(at, other, x, y);
        }
    }
    return count % 2 != 0;
}

static bool circles_meet(const struct stand *a, const struct sim_part *p, const struct stand *b,
                         const struct sim_part *q)
{
    const double dx = a->x + a->c * p->x - a->s * p->y - (b->x + b->c * q->x - b->s * q->y);
    const double dy = a->y + a->s * p->x + a->c * p->y - (b->y + b->s * q->x + b->c * q->y);
    const double reach = p->radius + q->radius;

    return dx * dx + dy * dy <= reach * reach;
}

/* Whether one would stand on the other. */
static bool is_above(const struct stand *a, const struct sim_part *p, const struct stand *b,
                     const struct sim_part *q)
{
    double x;
    double y;

    if (!circles_meet(a, p, b, q)) {
        return false;
    }
    if (edges_cross(a, p, b, q)) {
        return true;
    }
    corner_of(a, p->first, &x, &y);
    if (holds(b, q, x, y)) {
        return true;
    }
    corner_of(b, q->first, &x, &y);
    return holds(a, p, x, y);
}

/* The way that is left to a part of another body; `share` of it is this one's. */
static void meet_part(struct look *look, const struct sim_part *p, const struct stand *other,
                      const struct sim_part *q, double share)
{
    const double up = other->z + q->z0 - (look->own.z + p->z1);
    const double down = look->own.z + p->z0 - (other->z + q->z1);
    const double room = look->climb > 0 ? up : down;

    if (room < -gap || room * share - gap >= fabs(look->climb) ||
        !is_above(&look->own, p, other, q)) {
        return;
    }
    look->climb = copysign(fmax(room * share - gap, 0), look->climb);
}

static void meet_tree(struct look *look, const struct stand *other, double share)
{
    for (uint32_t i = 0; i < look->own.template->part_count; i++) {
        const struct sim_part *p = &look->own.template->parts[i];
        for (uint32_t k = 0; is_solid(p) && k < other->template->part_count; k++) {
            if (is_solid(&other->template->parts[k])) {
                meet_part(look, p, other, &other->template->parts[k], share);
            }
        }
    }
}

static bool flies(const struct sim_template *template)
{
    return template->members[0].type->kind == TPI_SIM_AIRCRAFT;
}

static void meet_crowd(struct look *look)
{
    const struct sim_spot *end;
    struct sim_near near;

    sim_near_init(&near, &look->sim->crowd, look->own.x, look->own.y, look->own.template->radius);
    for (const struct sim_spot *at = sim_near_run(&near, &end); at != NULL;
         at = sim_near_run(&near, &end)) {
        for (; at < end; at++) {
            const struct stand other = {at->template, at->x, at->y, at->z, at->c, at->s};
            if (at->group != look->group) {
                meet_tree(look, &other, flies(at->template) ? 0.5 : 1);
            }
        }
    }
}

static void meet_walls(struct look *look)
{
    const struct sim_trees *t = &look->sim->trees;

    for (uint32_t i = 0; i < t->count; i++) {
        const struct stand other = {t->template[i], t -> x[i], t -> y[i],
                                    t -> z[i],      t -> c[i], t -> s[i]};
        const double dx = t->x[i] - look->own.x;
        const double dy = t->y[i] - look->own.y;
        const double reach = t->template[i] -> radius + look -> own.template->radius;
        if ((t->flags[i] & SIM_MOVING) == 0 && dx * dx + dy * dy <= reach * reach) {
            meet_tree(look, &other, 1);
        }
    }
}

double tpi_sim_level_free(const tpi_sim *sim, uint32_t tree, double climb)
{
    const struct sim_spot *spot = &sim->crowd.spots[sim->crowd.slot[tree]];
    struct look look = {
        .sim = sim,
        .own = {spot->template, spot->x, spot->y, spot->z, spot->c, spot->s},
        .tree = tree,
        .group = spot->group,
        .climb = climb,
    };

    if (climb != 0) {
        meet_crowd(&look);
        meet_walls(&look);
    }
    return look.climb;
}
