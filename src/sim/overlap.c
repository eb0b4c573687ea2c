/*
 * overlap.c - whether bodies stand in each other: whether any of their edges cross, or one is
 * wholly inside of the other.
 *
 * Polygons have their inside on the left and holes run the other way round, so that a point is in
 * those that run round it more often to the left than to the right.
 */
#include <math.h>

#include "sim/crowd.h"
#include "sim/sweep.h"

struct edge {
    double x0, y0, x1, y1;
};

static double side(const struct edge *e, double x, double y)
{
    return (e->x1 - e->x0) * (y - e->y0) - (e->y1 - e->y0) * (x - e->x0);
}

static bool cross(const struct edge *e, const struct edge *f)
{
    const double a = side(e, f->x0, f->y0);
    const double b = side(e, f->x1, f->y1);
    const double c = side(f, e->x0, e->y0);
    const double d = side(f, e->x1, e->y1);

    return ((a <= 0 && b >= 0) || (a >= 0 && b <= 0)) &&
           ((c <= 0 && d >= 0) || (c >= 0 && d <= 0)) && (a != 0 || b != 0 || c != 0 || d != 0);
}

static struct edge edge_of(const struct sim_body *body, uint32_t i)
{
    const double *vx = body->plan->vx + i;
    const double *vy = body->plan->vy + i;

    return (struct edge){.x0 = body->x + body->c * vx[0] - body->s * vy[0],
                         .y0 = body->y + body->s * vx[0] + body->c * vy[0],
                         .x1 = body->x + body->c * vx[1] - body->s * vy[1],
                         .y1 = body->y + body->s * vx[1] + body->c * vy[1]};
}

/* Whether an edge crosses one of a part. */
static bool crosses(const struct edge *edge, const struct sim_body *body,
                    const struct sim_part *part)
{
    for (uint32_t i = part->first; i < part->first + part->count; i++) {
        const struct edge own = edge_of(body, i);
        if (cross(edge, &own)) {
            return true;
        }
    }
    return false;
}

/* Whether two parts could touch, by their kind and height. */
static bool parts_meet(const struct sim_body *a, const struct sim_part *p, const struct sim_body *b,
                       const struct sim_part *q)
{
    return (p->flags & q->flags & SIM_OBSTACLE) != 0 && a->z + p->z0 <= b->z + q->z1 &&
           b->z + q->z0 <= a->z + p->z1;
}

static bool parts_overlap(const struct sim_body *a, const struct sim_part *p,
                          const struct sim_body *b, const struct sim_part *q)
{
    if (!parts_meet(a, p, b, q)) {
        return false;
    }
    for (uint32_t i = p->first; i < p->first + p->count; i++) {
        const struct edge edge = edge_of(a, i);
        if (crosses(&edge, b, q)) {
            return true;
        }
    }
    return false;
}

/* What the edge adds to how often edges run round the point: 1 to the left, -1 to the right. */
static int32_t turn(const struct edge *e, double x, double y)
{
    if (e->y0 <= y && y < e->y1) {
        return side(e, x, y) > 0;
    }
    return e->y1 <= y && y < e->y0 && side(e, x, y) < 0 ? -1 : 0;
}

/* Whether a part of `a`, whose edges cross none of the other's, is inside of it. */
static bool is_inside(const struct sim_body *a, const struct sim_part *p, const struct sim_body *b)
{
    const struct edge own = edge_of(a, p->first);
    int32_t turns = 0;

    for (uint32_t k = 0; k < b->plan->part_count; k++) {
        const struct sim_part *q = &b->plan->parts[k];
        for (uint32_t i = q->first; i < q->first + q->count && parts_meet(a, p, b, q); i++) {
            const struct edge edge = edge_of(b, i);
            turns += turn(&edge, own.x0, own.y0);
        }
    }
    return turns > 0;
}

static bool holds_part(const struct sim_body *a, const struct sim_body *b)
{
    for (uint32_t i = 0; i < b->plan->part_count; i++) {
        if (is_inside(b, &b->plan->parts[i], a)) {
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
    return holds_part(a, b) || holds_part(b, a);
}

/* ---- Walls ----------------------------------------------------------------------------------- */

static bool is_in(const struct sim_body *body, const struct sim_wall *wall)
{
    const struct edge edge = {wall->x0, wall->y0, wall->x1, wall->y1};

    for (uint32_t i = 0; i < body->plan->part_count; i++) {
        const struct sim_part *part = &body->plan->parts[i];
        if ((part->flags & wall->flags & SIM_OBSTACLE) != 0 && body->z + part->z0 <= wall->z1 &&
            wall->z0 <= body->z + part->z1 && crosses(&edge, body, part)) {
            return true;
        }
    }
    return false;
}

/* A corner of a body, which is looked for in walls. */
struct corner {
    const struct sim_walls *walls; /* borrowed */
    double x, y, z0, z1;           /* its place, and the heights of its part */
    uint32_t flags;
};

/* Whether a cell lists the wall. */
static bool has_wall(const struct sim_walls *walls, const uint32_t *cell, uint32_t wall)
{
    for (uint32_t i = cell[0]; i < cell[1]; i++) {
        if (walls->list[i] == wall) {
            return true;
        }
    }
    return false;
}

/* How often walls run round the corner: those of one tree, or of all (TPI_SIM_NONE). Along its row
 * of cells each wall counts in the first cell that lists it. `next` becomes the first tree after
 * `after` that has walls there. */
static int32_t turns_round(const struct corner *at, uint32_t tree, int64_t after, uint32_t *next)
{
    const struct sim_walls *walls = at->walls;
    const uint32_t begin = sim_crowd_cell(at->x - walls->x, walls->per_cell, walls->columns);
    const uint32_t row = sim_crowd_cell(at->y - walls->y, walls->per_cell, walls->rows);
    const uint32_t *first = walls->first + (size_t)row * walls->columns;
    int32_t turns = 0;

    *next = TPI_SIM_NONE;
    for (uint32_t i = first[begin], column = begin; i < first[walls->columns]; i++) {
        const struct sim_wall *wall = &walls->items[walls->list[i]];
        const struct edge edge = {wall->x0, wall->y0, wall->x1, wall->y1};
        while (i >= first[column + 1]) {
            column++;
        }
        const int32_t one = turn(&edge, at->x, at->y);
        if (one == 0 || (wall->flags & at->flags & SIM_OBSTACLE) == 0 || wall->z0 > at->z1 ||
            wall->z1 < at->z0 ||
            (column > begin && has_wall(walls, &first[column - 1], walls->list[i]))) {
            continue;
        }
        turns += tree == TPI_SIM_NONE || tree == wall->tree ? one : 0;
        *next = wall->tree > after && wall->tree < *next ? wall->tree : *next;
    }
    return turns;
}

/* The first tree whose walls a part is inside of. */
static uint32_t find_around(const struct sim_walls *walls, const struct sim_body *body,
                            const struct sim_part *part)
{
    const struct edge own = edge_of(body, part->first);
    const struct corner at = {walls,      own.x0, own.y0, body->z + part->z0, body->z + part->z1,
                              part->flags};
    uint32_t next;

    if (turns_round(&at, TPI_SIM_NONE, -1, &next) <= 0) {
        return TPI_SIM_NONE;
    }
    for (uint32_t tree = next; tree != TPI_SIM_NONE; tree = next) {
        if (turns_round(&at, tree, tree, &next) > 0) {
            return tree;
        }
    }
    return TPI_SIM_NONE;
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
    for (uint32_t i = 0; i < body->plan->part_count; i++) {
        const uint32_t around = find_around(walls, body, &body->plan->parts[i]);
        found = around < found ? around : found;
    }
    return found;
}
