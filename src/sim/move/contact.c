/* contact.c - bodies that touch, or stand in each other, before they move; see contact.h. */
#include "sim/move/contact.h"

#include <math.h>

#include "sim/move/fit.h"
#include "sim/ray/crowd.h"

/* A middle that is nearer to a side, as a share of the body's size, is on neither side of it. */
static const double least_scale = 1e-6;

/* ---- Rooms ----------------------------------------------------------------------------------- */

/* What is round a point: how far the outline of something is ahead, behind, to the left and to the
 * right, if ahead is where it is nearest. */
struct rooms {
    double x, y;
    double nearest;
    double nx, ny;
    double chord[4];
    int winding; /* how often the outline goes round the point */
};

static void rooms_init(struct rooms *rooms, double x, double y)
{
    *rooms = (struct rooms){.x = x, .y = y, .nearest = HUGE_VAL, .nx = 1};
    for (int i = 0; i < 4; i++) {
        rooms->chord[i] = HUGE_VAL;
    }
}

/* Every edge is looked at twice: first for the nearest, ... */
static void rooms_near(struct rooms *rooms, const struct sim_segment *edge)
{
    const double distance = sqrt(sim_segment_square(rooms->x, rooms->y, edge));

    if (distance < rooms->nearest) {
        const double ex = edge->x1 - edge->x0;
        const double ey = edge->y1 - edge->y0;
        const double length = hypot(ex, ey);
        rooms->nearest = distance;
        rooms->nx = length > 0 ? ey / length : 1;
        rooms->ny = length > 0 ? -ex / length : 0;
    }
}

/* ... then for all. */
static void rooms_add(struct rooms *rooms, const struct sim_segment *edge)
{
    const struct sim_segment s = sim_segment_from(rooms->x, rooms->y, edge);
    const double ahead = sim_line_hit(rooms->nx, rooms->ny, &s);
    const double aside = sim_line_hit(-rooms->ny, rooms->nx, &s);
    const double turn = s.x0 * s.y1 - s.x1 * s.y0;

    rooms->chord[ahead < 0] = fmin(rooms->chord[ahead < 0], fabs(ahead));
    rooms->chord[2 + (aside < 0)] = fmin(rooms->chord[2 + (aside < 0)], fabs(aside));
    if (s.y0 <= 0 && s.y1 > 0 && turn > 0) {
        rooms->winding++;
    } else if (s.y0 > 0 && s.y1 <= 0 && turn < 0) {
        rooms->winding--;
    }
}

/* Whether a body with its middle there is within, and has no room: it does not fit in, or cannot
 * move at all. One that stands in the outline needs twice its own width: what is narrower was
 * hardly meant to be a room, and is a thick wall or a pillar. */
static bool is_too_narrow(const struct rooms *rooms, const struct sim_middle *middle, bool overlaps)
{
    const double deep = rooms->chord[0] + rooms->chord[1];
    const double wide = rooms->chord[2] + rooms->chord[3];
    const double own = 2 * middle->narrow;

    return rooms->winding != 0 &&
           (fmin(deep, wide) < (overlaps ? 2 * own + SIM_GAP : own - 2 * SIM_TOLERANCE) ||
            fmax(deep, wide) < own + 2 * SIM_GAP);
}

/* ---- Walls ----------------------------------------------------------------------------------- */

static bool body_meets_wall(const struct sim_body *body, const struct sim_wall *wall)
{
    bool meets = false;

    for (uint32_t i = 0; i < body->template->part_count && !meets; i++) {
        meets = sim_wall_meets(body, &body->template->parts[i], wall);
    }
    return meets;
}

static struct sim_segment segment_of(const struct sim_wall *wall)
{
    return (struct sim_segment){wall->x0, wall->y0, wall->x1, wall->y1};
}

/* More entries than this in the lists round a body are no usual world, but models that overlap. */
enum { MOST_ENTRIES = 1 << 12 };

/* Take a wall into account if it is in the way of the body; the tree of the nearest so far. */
static uint32_t nearer_tree(const struct sim_hold *hold, struct rooms *rooms,
                            const struct sim_wall *wall, uint32_t tree)
{
    const struct sim_segment edge = segment_of(wall);
    const double before = rooms->nearest;

    if (body_meets_wall(hold->body, wall)) {
        rooms_near(rooms, &edge);
    }
    return rooms->nearest < before ? wall->tree : tree;
}

/* The tree with the wall that is nearest to the middle, of those that cut into the body. */
static uint32_t nearest_tree(const struct sim_hold *hold, struct rooms *rooms,
                             struct sim_effort *effort)
{
    const struct sim_walls *walls = &hold->sim->walls;
    const double reach = hold->middle.narrow + SIM_GAP;
    const struct sim_cells cells = tpi_sim_cells_round(walls, hold->x, hold->y, reach);
    const bool pile = cells.entries > walls->count && cells.entries > MOST_ENTRIES;
    uint32_t tree = TPI_SIM_NONE;

    if (!sim_effort_spend(effort, pile ? walls->count : cells.entries)) {
        return TPI_SIM_NONE;
    }
    for (uint32_t i = 0; pile && i < walls->count; i++) {
        tree = nearer_tree(hold, rooms, &walls->items[i], tree);
    }
    for (uint32_t row = cells.bottom; !pile && row <= cells.top; row++) {
        const uint32_t *first = walls->first + (size_t)row * walls->columns;
        for (uint32_t i = first[cells.left]; i < first[cells.right + 1]; i++) {
            tree = nearer_tree(hold, rooms, &walls->items[walls->list[i]], tree);
        }
    }
    return rooms->nearest <= reach ? tree : TPI_SIM_NONE;
}

void tpi_sim_hold_init(struct sim_hold *hold, const tpi_sim *sim, const struct sim_body *body,
                       struct sim_effort *effort)
{
    const struct sim_walls *walls = &sim->walls;
    struct rooms rooms;

    *hold = (struct sim_hold){.sim = sim,
                              .body = body,
                              .middle = tpi_sim_middle_of(body->template),
                              .lodged = TPI_SIM_NONE};
    sim_put_middle(body, &hold->middle, &hold->x, &hold->y);
    hold->touching.scale = 1;
    hold->touching.inset = SIM_GAP / 2;
    tpi_sim_fit_keep(&hold->touching, body->template);
    if (walls->count == 0) {
        return;
    }
    rooms_init(&rooms, hold->x, hold->y);
    const uint32_t tree = nearest_tree(hold, &rooms, effort);
    const uint32_t end = tree == TPI_SIM_NONE ? 0 : walls->count;
    for (uint32_t i = tree == TPI_SIM_NONE ? 0 : tpi_sim_first_wall(walls, tree);
         i < end && walls->items[i].tree == tree; i++) {
        const struct sim_segment edge = segment_of(&walls->items[i]);
        if (body_meets_wall(body, &walls->items[i])) {
            rooms_add(&rooms, &edge);
        }
    }
    if (tree != TPI_SIM_NONE &&
        is_too_narrow(&rooms, &hold->middle, tpi_sim_is_in_tree(walls, body, tree, effort))) {
        hold->lodged = tree;
        hold->within = rooms.nearest + SIM_GAP;
    }
}

/* Whether a point, in the template's frame, is within a part. */
static bool is_within(const struct sim_template *template, const struct sim_part *part, double x,
                      double y)
{
    struct rooms rooms;

    rooms_init(&rooms, x, y);
    for (uint32_t i = part->first; i < part->first + part->count; i++) {
        const struct sim_segment edge = {template->vx[i], template->vy[i], template->vx[i + 1],
                                         template->vy[i + 1]};
        rooms_add(&rooms, &edge);
    }
    return rooms.winding != 0;
}

/* Whether a wall begins inside of the body. */
static bool is_covered(const struct sim_body *body, const struct sim_wall *wall)
{
    const double dx = wall->x0 - body->x;
    const double dy = wall->y0 - body->y;
    bool covered = false;

    for (uint32_t i = 0; i < body->template->part_count && !covered; i++) {
        const struct sim_part *part = &body->template->parts[i];
        covered = sim_wall_meets(body, part, wall) &&
                  is_within(body->template, part, body->c * dx + body->s * dy,
                            body->c * dy - body->s * dx);
    }
    return covered;
}

/* A little smaller than what comes as far as something: by no more than half the gap, anywhere. */
static double less(double scale, double margin, double wide)
{
    return scale - fmin(margin / wide, scale / 2);
}

const struct sim_fit *tpi_sim_hold_wall(const struct sim_hold *hold, const struct sim_wall *wall,
                                        struct sim_fit *fit)
{
    const struct sim_body *body = hold->body;
    const struct sim_segment edge = segment_of(wall);
    double scale = HUGE_VAL;

    if (wall->tree == hold->lodged &&
        sqrt(sim_segment_square(hold->x, hold->y, &edge)) <= hold->within) {
        return NULL;
    }
    /* what is within does not hold from there, if it belongs to something that reaches out */
    if (!tpi_sim_is_in_wall(body, wall) &&
        !(is_covered(body, wall) &&
          tpi_sim_is_in_tree(&hold->sim->walls, body, wall->tree, NULL))) {
        return &hold->touching;
    }
    for (uint32_t i = 0; i < body->template->part_count; i++) {
        const struct sim_part *part = &body->template->parts[i];
        if (sim_wall_meets(body, part, wall)) {
            scale = fmin(scale, tpi_sim_part_scale(body, hold->x, hold->y, part, &edge));
        }
    }
    if (scale >= 1) {
        return &hold->touching;
    }
    *fit = (struct sim_fit){hold->middle.x, hold->middle.y, .kept = false};
    fit->scale = less(scale, SIM_GAP / 2, hold->middle.wide);
    return scale > least_scale ? fit : NULL;
}

/* ---- Bodies ---------------------------------------------------------------------------------- */

/* Two bodies; the first is not the larger one. */
struct pair {
    const struct sim_body *a, *b; /* borrowed */
    struct sim_middle ma, mb;
    double m[2], n[2]; /* the middles, in the world */
};

/* Returns whether they were exchanged. */
static bool pair_init(struct pair *pair, const struct sim_body *a, const struct sim_body *b)
{
    const bool exchanged = b->template->solid_radius < a->template->solid_radius;

    pair->a = exchanged ? b : a;
    pair->b = exchanged ? a : b;
    pair->ma = tpi_sim_middle_of(pair->a->template);
    pair->mb = tpi_sim_middle_of(pair->b->template);
    sim_put_middle(pair->a, &pair->ma, &pair->m[0], &pair->m[1]);
    sim_put_middle(pair->b, &pair->mb, &pair->n[0], &pair->n[1]);
    return exchanged;
}

/* Edges of the larger one in the way of any part of the smaller, for the nearest or for all. */
static void look_round(const struct pair *pair, struct rooms *rooms,
                       void (*look)(struct rooms *rooms, const struct sim_segment *edge))
{
    for (uint32_t i = 0; i < pair->b->template->part_count; i++) {
        const struct sim_part *q = &pair->b->template->parts[i];
        bool meets = false;
        for (uint32_t k = 0; k < pair->a->template->part_count && !meets; k++) {
            meets = sim_parts_meet(pair->a, &pair->a->template->parts[k], pair->b, q);
        }
        for (uint32_t k = q->first; meets && k < q->first + q->count; k++) {
            const struct sim_segment edge = sim_body_edge(pair->b, k);
            look(rooms, &edge);
        }
    }
}

enum place { OUTSIDE, LODGED, IN_ROOM };

/* Where the smaller one is in the larger one. Something must be much larger to be a room. */
static enum place place_of(const struct pair *pair, bool overlaps)
{
    const double far = hypot(pair->m[0] - pair->b->x, pair->m[1] - pair->b->y);
    struct rooms rooms;

    if (far > pair->b->template->solid_radius) {
        return OUTSIDE;
    }
    rooms_init(&rooms, pair->m[0], pair->m[1]);
    look_round(pair, &rooms, rooms_near);
    look_round(pair, &rooms, rooms_add);
    if (rooms.winding == 0) {
        return OUTSIDE;
    }
    return is_too_narrow(&rooms, &pair->ma, overlaps) || pair->mb.wide < 1.5 * pair->ma.wide
               ? LODGED
               : IN_ROOM;
}

bool tpi_sim_is_lodged(const struct sim_body *a, const struct sim_body *b)
{
    struct pair pair;

    pair_init(&pair, a, b);
    return place_of(&pair, false) == LODGED;
}

/* The least scale at which the smaller one comes as far as the other, which keeps its size, ... */
static double scale_alone(const struct pair *pair)
{
    const struct sim_template *template = pair->b->template;
    double least = HUGE_VAL;

    for (uint32_t i = 0; i < pair->a->template->part_count; i++) {
        const struct sim_part *p = &pair->a->template->parts[i];
        for (uint32_t k = 0; k < template->part_count; k++) {
            const struct sim_part *q = &template->parts[k];
            for (uint32_t n = q->first;
                 sim_parts_meet(pair->a, p, pair->b, q) && n < q->first + q->count; n++) {
                const struct sim_segment edge = sim_body_edge(pair->b, n);
                least = fmin(least, tpi_sim_part_scale(pair->a, pair->m[0], pair->m[1], p, &edge));
            }
        }
    }
    return least;
}

/* ... and that at which both do. */
static double scale_both(const struct pair *pair)
{
    double least = HUGE_VAL;
    bool meets = false;

    for (uint32_t i = 0; i < pair->a->template->part_count; i++) {
        const struct sim_part *p = &pair->a->template->parts[i];
        for (uint32_t k = 0; k < pair->b->template->part_count; k++) {
            const struct sim_part *q = &pair->b->template->parts[k];
            if (sim_parts_meet(pair->a, p, pair->b, q)) {
                meets = true;
                least = fmin(least, tpi_sim_corner_scale(pair->a, p, pair->m, pair->b, q, pair->n));
                least = fmin(least, tpi_sim_corner_scale(pair->b, q, pair->n, pair->a, p, pair->m));
            }
        }
    }
    /* middles in one place: however small they are, they are in each other */
    return meets && pair->m[0] == pair->n[0] && pair->m[1] == pair->n[1] ? 0 : least;
}

/* What of two bodies that overlap holds the other. */
static bool hold_apart(const struct pair *pair, struct sim_fit *small, struct sim_fit *large)
{
    const bool alone = place_of(pair, true) == IN_ROOM;
    const double scale = alone ? scale_alone(pair) : scale_both(pair);

    if (scale < 1) {
        small->scale =
            less(scale, alone ? SIM_GAP / 2 : SIM_GAP / 4, fmax(pair->ma.wide, pair->mb.wide));
        large->scale = alone ? 1 : small->scale;
        small->inset = large->inset = 0;
    }
    return scale > least_scale;
}

bool tpi_sim_hold_pair(const struct sim_body *a, const struct sim_body *b, struct sim_fit *fit_a,
                       struct sim_fit *fit_b)
{
    struct pair pair;
    const bool exchanged = pair_init(&pair, a, b);
    struct sim_fit *small = exchanged ? fit_b : fit_a;
    struct sim_fit *large = exchanged ? fit_a : fit_b;
    bool holds = true;

    *small = (struct sim_fit){pair.ma.x, pair.ma.y, 1, SIM_GAP / 4, .kept = false};
    *large = (struct sim_fit){pair.mb.x, pair.mb.y, 1, SIM_GAP / 4, .kept = false};
    if (tpi_sim_overlap(a, b)) {
        holds = hold_apart(&pair, small, large);
    } else if (place_of(&pair, false) != OUTSIDE) {
        large->inset = -large->inset; /* away from the body within */
    }
    tpi_sim_fit_keep(small, pair.a->template);
    tpi_sim_fit_keep(large, pair.b->template);
    return holds;
}
