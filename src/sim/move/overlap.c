/*
 * overlap.c - whether bodies touch each other or stand in each other: how near their edges are, and
 * whether they cross.
 *
 * Shapes are hollow: what is wholly inside of another does not overlap it.
 */
#include <math.h>

#include "sim/move/contact.h"
#include "sim/ray/crowd.h"
#include "sim/ray/ray.h"
#include "sim/ray/segment.h"

/* ---- Edges ----------------------------------------------------------------------------------- */

static bool cross(const struct sim_segment *e, const struct sim_segment *f)
{
    const double a = sim_segment_side(e, f->x0, f->y0);
    const double b = sim_segment_side(e, f->x1, f->y1);
    const double c = sim_segment_side(f, e->x0, e->y0);
    const double d = sim_segment_side(f, e->x1, e->y1);

    return ((a <= 0 && b >= 0) || (a >= 0 && b <= 0)) &&
           ((c <= 0 && d >= 0) || (c >= 0 && d <= 0)) && (a != 0 || b != 0 || c != 0 || d != 0);
}

static void put_corner(const struct sim_body *body, const struct sim_part *part, uint32_t i,
                       double inset, double *x, double *y)
{
    const struct sim_fit fit = {.scale = 1, .inset = inset};
    double vx = body->template->vx[i];
    double vy = body->template->vy[i];

    if (inset > 0) {
        tpi_sim_fit_corner(&fit, body->template, part, i, &vx, &vy);
    }
    *x = body->x + body->c * vx - body->s * vy;
    *y = body->y + body->s * vx + body->c * vy;
}

static struct sim_segment edge_of(const struct sim_body *body, const struct sim_part *part,
                                  uint32_t i, double inset)
{
    struct sim_segment edge;

    put_corner(body, part, i, inset, &edge.x0, &edge.y0);
    put_corner(body, part, i + 1, inset, &edge.x1, &edge.y1);
    return edge;
}

/* What is asked of two edges: whether they cross, or are close. */
typedef bool meet(const struct sim_segment *a, const struct sim_segment *b);

static bool is_close(const struct sim_segment *a, const struct sim_segment *b)
{
    return sim_segments_near(a, b, SIM_CLOSE);
}

/* Whether an edge is too far from a part to meet it. */
static bool is_far(const struct sim_segment *edge, const struct sim_body *body,
                   const struct sim_part *part)
{
    const double dx = body->c * part->x - body->s * part->y;
    const double dy = body->s * part->x + body->c * part->y;
    const double far = part->radius + 2 * SIM_GAP;

    return sim_segment_square(body->x + dx, body->y + dy, edge) > far * far * (1 + 1e-9);
}

/* Whether an edge meets one of a part whose sides are moved inwards. */
static bool meets(const struct sim_segment *edge, const struct sim_body *body,
                  const struct sim_part *part, double inset, meet *asked)
{
    if (is_far(edge, body, part)) {
        return false;
    }
    for (uint32_t i = part->first; i < part->first + part->count; i++) {
        const struct sim_segment own = edge_of(body, part, i, inset);
        if (asked(edge, &own)) {
            return true;
        }
    }
    return false;
}

/* ---- Bodies ---------------------------------------------------------------------------------- */

/* Whether edges of two bodies meet; the sides of the first are moved inwards. */
static bool bodies_meet(const struct sim_body *a, const struct sim_body *b, double inset,
                        meet *asked)
{
    for (uint32_t i = 0; i < a->template->part_count; i++) {
        const struct sim_part *p = &a->template->parts[i];
        for (uint32_t k = 0; k < b->template->part_count; k++) {
            const struct sim_part *q = &b->template->parts[k];
            for (uint32_t n = p->first; sim_parts_meet(a, p, b, q) && n < p->first + p->count;
                 n++) {
                const struct sim_segment edge = edge_of(a, p, n, inset);
                if (meets(&edge, b, q, 0, asked)) {
                    return true;
                }
            }
        }
    }
    return false;
}

bool tpi_sim_is_close(const struct sim_body *a, const struct sim_body *b)
{
    const double far = a->template->solid_radius + b->template->solid_radius + SIM_CLOSE;

    return hypot(a->x - b->x, a->y - b->y) <= far && bodies_meet(a, b, 0, is_close);
}

bool tpi_sim_overlap(const struct sim_body *a, const struct sim_body *b)
{
    const bool larger = b->template->solid_radius < a->template->solid_radius;
    const struct sim_body *small = larger ? b : a; /* it may be within the other */
    const struct sim_body *large = larger ? a : b;

    return tpi_sim_is_close(a, b) &&
           (bodies_meet(small, large, SIM_TOLERANCE, cross) || tpi_sim_is_lodged(a, b));
}

/* ---- Walls ----------------------------------------------------------------------------------- */

static bool wall_meets(const struct sim_body *body, const struct sim_wall *wall, double inset,
                       meet *asked)
{
    const struct sim_segment edge = {wall->x0, wall->y0, wall->x1, wall->y1};

    for (uint32_t i = 0; i < body->template->part_count; i++) {
        const struct sim_part *part = &body->template->parts[i];
        if (sim_wall_meets(body, part, wall) && meets(&edge, body, part, inset, asked)) {
            return true;
        }
    }
    return false;
}

struct sim_cells tpi_sim_cells_round(const struct sim_walls *walls, double x, double y,
                                     double radius)
{
    const double dx = x - walls->x;
    const double dy = y - walls->y;
    struct sim_cells cells = {
        .left = sim_crowd_cell(dx - radius, walls->per_cell, walls->columns),
        .right = sim_crowd_cell(dx + radius, walls->per_cell, walls->columns),
        .bottom = sim_crowd_cell(dy - radius, walls->per_cell, walls->rows),
        .top = sim_crowd_cell(dy + radius, walls->per_cell, walls->rows),
    };

    for (uint32_t row = cells.bottom; row <= cells.top; row++) {
        const uint32_t *first = walls->first + (size_t)row * walls->columns;
        cells.entries += first[cells.right + 1] - first[cells.left];
    }
    return cells;
}

uint32_t tpi_sim_first_wall(const struct sim_walls *walls, uint32_t tree)
{
    uint32_t low = 0;
    uint32_t high = walls->count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (walls->items[middle].tree < tree) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* What a body is compared with. */
struct asking {
    const struct sim_walls *walls; /* borrowed, as the others */
    const struct sim_body *body;
    double inset;
    meet *asked;
    struct sim_effort *effort;
};

/* The first tree with a wall in the cells that the body meets, from `from` and below `found`;
 * `found` if there is none. */
static uint32_t find_in_cells(const struct asking *a, const struct sim_cells *cells, uint32_t from,
                              uint32_t found)
{
    const struct sim_walls *walls = a->walls;

    for (uint32_t row = cells->bottom; row <= cells->top; row++) {
        const uint32_t *first = walls->first + (size_t)row * walls->columns;
        if (!sim_effort_spend(a->effort, first[cells->right + 1] - first[cells->left])) {
            break;
        }
        for (uint32_t i = first[cells->left]; i < first[cells->right + 1]; i++) {
            const struct sim_wall *wall = &walls->items[walls->list[i]];
            if (wall->tree >= from && wall->tree < found &&
                wall_meets(a->body, wall, a->inset, a->asked)) {
                found = wall->tree;
            }
        }
    }
    return found;
}

/* The same among the walls from one up to, but without, another. */
static uint32_t find_in_order(const struct asking *a, uint32_t first, uint32_t end, uint32_t none)
{
    for (uint32_t i = first; i < end && sim_effort_spend(a->effort, 1); i++) {
        if (wall_meets(a->body, &a->walls->items[i], a->inset, a->asked)) {
            return a->walls->items[i].tree;
        }
    }
    return none;
}

/* The first tree, from `from` up to but without `to`, one of whose walls a body meets; TPI_SIM_NONE
 * if there is none. Of several trees the first counts, whatever the order of walls. Where many
 * models overlap, one wall is in many cells: then each is looked at once, in the order of trees. */
static uint32_t find_tree(const struct asking *a, uint32_t from, uint32_t to)
{
    const double radius = a->body->template->solid_radius + SIM_CLOSE;
    const struct sim_walls *walls = a->walls;

    if (walls->count == 0 || tpi_sim_room(walls, a->body->x, a->body->y) > radius) {
        return TPI_SIM_NONE;
    }
    const struct sim_cells cells = tpi_sim_cells_round(walls, a->body->x, a->body->y, radius);
    const uint32_t first = from == 0 ? 0 : tpi_sim_first_wall(walls, from);
    const uint32_t end = to == TPI_SIM_NONE ? walls->count : tpi_sim_first_wall(walls, to);
    const uint32_t found = cells.entries > end - first ? find_in_order(a, first, end, to)
                                                       : find_in_cells(a, &cells, from, to);
    return found < to ? found : TPI_SIM_NONE;
}

bool tpi_sim_is_close_to_walls(const struct sim_walls *walls, const struct sim_body *body,
                               struct sim_effort *effort)
{
    const struct asking a = {walls, body, 0, is_close, effort};

    return find_tree(&a, 0, TPI_SIM_NONE) != TPI_SIM_NONE;
}

uint32_t tpi_sim_overlap_walls(const tpi_sim *sim, const struct sim_body *body,
                               struct sim_effort *effort)
{
    const struct asking a = {&sim->walls, body, SIM_TOLERANCE, cross, effort};
    const uint32_t found = find_tree(&a, 0, TPI_SIM_NONE);
    struct sim_hold hold;

    if (!tpi_sim_is_close_to_walls(&sim->walls, body, effort)) {
        return found;
    }
    tpi_sim_hold_init(&hold, sim, body, effort);
    return hold.lodged < found ? hold.lodged : found;
}

bool tpi_sim_is_in_wall(const struct sim_body *body, const struct sim_wall *wall)
{
    return wall_meets(body, wall, SIM_TOLERANCE, cross);
}

bool tpi_sim_is_in_tree(const struct sim_walls *walls, const struct sim_body *body, uint32_t tree,
                        struct sim_effort *effort)
{
    const struct asking a = {walls, body, SIM_TOLERANCE, cross, effort};

    return find_tree(&a, tree, tree + 1) != TPI_SIM_NONE;
}
