/* sweep.c - when two moving bodies touch; see sweep.h. */
#include "sim/move/sweep.h"

#include <math.h>

#include "sim/maths.h"
#include "sim/move/contact.h"
#include "sim/move/position.h"
#include "sim/move/rivals.h"

enum { MOST_ROUNDS = 200 };

/* How much nearer than it is already, if that is too near, a body may get at once: so little that
 * it adds up to nothing, and enough to make out with numbers far from the origin. */
static const double slack = 1e-8;

/* How far apart two corners may pass each other: as far as bodies get when they touch. */
static const double passing = SIM_GAP / 2 - 1.1 * SIM_TOLERANCE;

/* ---- A moment -------------------------------------------------------------------------------- */

/* Where a body is at some time, and how it moves then, in the world. */
struct moment {
    double x, y, c, s;
    double vx, vy, w;
    const struct sim_fit *fit; /* borrowed; NULL: all of the body counts */
};

static void moment_at(const struct sim_body *body, double time, struct moment *m)
{
    const bool moves = time < body->until;
    const double t = moves ? time : body->until;
    double x;
    double y;
    double s;
    double c;

    tpi_sim_arc(body->vx, body->vy, body->w, t, &x, &y);
    sim_sincos(body->w * t, &s, &c);
    m->x = body->x + body->c * x - body->s * y;
    m->y = body->y + body->s * x + body->c * y;
    m->c = body->c * c - body->s * s;
    m->s = body->s * c + body->c * s;
    m->vx = moves ? m->c * body->vx - m->s * body->vy : 0;
    m->vy = moves ? m->s * body->vx + m->c * body->vy : 0;
    m->w = moves ? body->w : 0;
    m->fit = body->fit;
}

static inline double corner_x(const struct moment *m, double x, double y)
{
    return m->x + m->c * x - m->s * y;
}

static inline double corner_y(const struct moment *m, double x, double y)
{
    return m->y + m->s * x + m->c * y;
}

/* A corner of what counts of a part. */
static void put_fit_corner(const struct moment *m, const struct sim_template *template,
                           const struct sim_part *part, uint32_t i, double out[2])
{
    double x;
    double y;

    tpi_sim_fit_corner(m->fit, template, part, i, &x, &y);
    out[0] = corner_x(m, x, y);
    out[1] = corner_y(m, x, y);
}

/* ---- The walk through time ------------------------------------------------------------------- */

struct walk {
    struct moment a, b;
    bool careful;   /* they touched before they moved */
    double least;   /* what comes nearer more slowly does not count: that is rounding */
    double apart;   /* how far apart two corners may pass each other */
    double bend;    /* bounds the accelerations */
    double step;    /* the safe step so far */
    double nearest; /* distance of what is about to touch, and the direction away from b */
    double nx, ny;
};

static double length(double x, double y)
{
    return sqrt(x * x + y * y);
}

/* Two bodies at a time; all points of either are within `far` of both middles. */
static void walk_begin(struct walk *walk, double far)
{
    const struct moment *a = &walk->a;
    const struct moment *b = &walk->b;
    const double va = length(a->vx, a->vy);
    const double vb = length(b->vx, b->vy);
    const double wa = fabs(a->w);
    const double wb = fabs(b->w);
    const double fastest = va + vb + (wa + wb) * far;

    walk->bend = va * wa + vb * wb + (wa * wa + wb * wb) * far + 2 * (wa > wb ? wa : wb) * fastest;
    walk->least = walk->careful ? 1e-8 * (1 + fastest) : 1e-9;
    walk->apart = passing;
    walk->step = HUGE_VAL;
    walk->nearest = HUGE_VAL;
}

/* How long it is safe, if the distance d, which grows at the rate r, may become `least`. Of what
 * comes nearer the root is not taken as a difference: for a bend of next to nothing, as of a robot
 * that turns by a billionth of a degree, that would be rounding alone. */
static inline double safe_step(const struct walk *walk, double d, double r, double least)
{
    const double root = sqrt(r * r + 2 * walk->bend * (d - least));

    if (r < 0) {
        return 2 * (d - least) / (root - r);
    }
    return walk->bend > 0 ? (r + root) / walk->bend : HUGE_VAL;
}

static inline void shorten(struct walk *walk, double step)
{
    walk->step = step < walk->step ? step : walk->step;
}

/* What is about to touch: the direction away from b, and the distance. */
static inline void note_nearest(struct walk *walk, double nx, double ny, double d, double side)
{
    if (d < walk->nearest && d > 0) {
        walk->nearest = d;
        walk->nx = side * nx / d;
        walk->ny = side * ny / d;
    }
}

/* A corner and an edge that are too near already: from the nearest point of the edge to the corner,
 * and how the corner moves as seen from there. */
struct meeting {
    double nx, ny, ux, uy;
    double side;
    bool corners; /* the edge is nearest at its end */
};

/* How near they may get. With care the corners are up to SIM_INSET_MOST times as far inside as the
 * sides: a body whose corner is at half the gap would be in the wall. */
static double least_distance(const struct walk *walk, double d)
{
    const double least = walk->careful ? SIM_INSET_MOST * SIM_GAP / 2 : SIM_GAP / 2;

    if (d > least + slack) {
        return least;
    }
    return d > 2 * slack ? d - slack : d / 2;
}

/* It stops if it comes nearer, unless it is going to pass another corner. */
static void consider_near(struct walk *walk, const struct meeting *m)
{
    const double d = length(m->nx, m->ny);
    const double r = d > 0 ? m->side * (m->nx * m->ux + m->ny * m->uy) / d : -1;
    double least = least_distance(walk, d);

    if (r < -walk->least) {
        const double miss =
            m->corners ? fabs(m->nx * m->uy - m->ny * m->ux) / length(m->ux, m->uy) : 0;
        if (!(miss >= walk->apart)) {
            walk->step = 0;
            note_nearest(walk, m->nx, m->ny, d, m->side);
            return;
        }
        least = miss / 2;
    }
    shorten(walk, safe_step(walk, d, r, least));
}

/* The same with care: the edge is seen at a right angle, however near it is; x, y is from its
 * beginning to the corner. */
static void consider_line(struct walk *walk, struct meeting m, double x, double y, double ex,
                          double ey)
{
    if (walk->careful && !m.corners) {
        const double off = (y * ex - x * ey) / (ex * ex + ey * ey);
        m.nx = -ey * off;
        m.ny = ex * off;
    }
    consider_near(walk, &m);
}

/* A corner p of one body and an edge from q0 to q1 of the other; `side` is 1 if the corner is of a,
 * -1 if it is of b. */
static inline void consider(struct walk *walk, double px, double py, double q0x, double q0y,
                            double q1x, double q1y, double side)
{
    const double ex = q1x - q0x;
    const double ey = q1y - q0y;
    const double square = ex * ex + ey * ey;
    double along = (px - q0x) * ex + (py - q0y) * ey;

    along = along <= 0 || square <= 0 ? 0 : along >= square ? 1 : along / square;
    const double nx = px - q0x - along * ex;
    const double ny = py - q0y - along * ey;
    const double d = length(nx, ny);
    const struct moment *a = &walk->a;
    const struct moment *b = &walk->b;
    const double ux = a->vx - b->vx - a->w * (py - a->y) + b->w * (py - b->y);
    const double uy = a->vy - b->vy + a->w * (px - a->x) - b->w * (px - b->x);

    if (d <= SIM_GAP * 1.05) {
        const bool corners = along == 0 || along == 1;
        consider_line(walk, (struct meeting){nx, ny, ux, uy, side, corners}, px - q0x, py - q0y, ex,
                      ey);
        return;
    }
    const double r = side * (nx * ux + ny * uy) / d;
    shorten(walk, safe_step(walk, d, r, SIM_GAP));
    if (r < -walk->least) {
        note_nearest(walk, nx, ny, d, side);
    }
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* Corners of a part of one body against one edge of the other. */
static void consider_corners(struct walk *walk, const struct moment *m,
                             const struct sim_template *template, const struct sim_part *part,
                             const double edge[4], double side)
{
    const double *vx = template->vx + part->first;
    const double *vy = template->vy + part->first;
    double corner[2];

    for (uint32_t i = 0; m->fit == NULL && i < part->count; i++) {
        consider(walk, corner_x(m, vx[i], vy[i]), corner_y(m, vx[i], vy[i]), edge[0], edge[1],
                 edge[2], edge[3], side);
    }
    for (uint32_t i = 0; m->fit != NULL && i < part->count; i++) {
        put_fit_corner(m, template, part, part->first + i, corner);
        consider(walk, corner[0], corner[1], edge[0], edge[1], edge[2], edge[3], side);
    }
}

/* Whether an edge is farther from a circle than anything moves in the time. */
static bool is_far(const double edge[4], double x, double y, double most)
{
    const double ex = edge[2] - edge[0];
    const double ey = edge[3] - edge[1];
    const double square = ex * ex + ey * ey;
    double along = (x - edge[0]) * ex + (y - edge[1]) * ey;

    along = along <= 0 || square <= 0 ? 0 : along >= square ? 1 : along / square;
    const double dx = x - edge[0] - along * ex;
    const double dy = y - edge[1] - along * ey;
    return dx * dx + dy * dy > most * most;
}

static void edge_of(const struct moment *m, const struct sim_template *template,
                    const struct sim_part *part, uint32_t i, double edge[4])
{
    if (m->fit != NULL) {
        put_fit_corner(m, template, part, i, edge);
        put_fit_corner(m, template, part, i + 1, edge + 2);
        return;
    }
    edge[0] = corner_x(m, template->vx[i], template->vy[i]);
    edge[1] = corner_y(m, template->vx[i], template->vy[i]);
    edge[2] = corner_x(m, template->vx[i + 1], template->vy[i + 1]);
    edge[3] = corner_y(m, template->vx[i + 1], template->vy[i + 1]);
}

/* Edges of a part of one body against the corners of a part of the other. */
static void consider_edges(struct walk *walk, const struct moment *m,
                           const struct sim_template *template, const struct sim_part *part,
                           const struct moment *other_m, const struct sim_template *other_plan,
                           const struct sim_part *other, double reach, double side)
{
    const bool scaled = other_m->fit != NULL && other_m->fit->scale < 1; /* its circle is not */
    const double x = corner_x(other_m, other->x, other->y);
    const double y = corner_y(other_m, other->x, other->y);
    double edge[4];

    for (uint32_t i = part->first; i < part->first + part->count; i++) {
        edge_of(m, template, part, i, edge);
        if (scaled || !is_far(edge, x, y, other->radius + reach)) {
            consider_corners(walk, other_m, other_plan, other, edge, side);
        }
    }
}

static bool is_solid(const struct sim_part *part)
{
    return (part->flags & SIM_OBSTACLE) != 0;
}

/* All solid parts of two bodies that are at the same height; nothing moves farther than `reach`. */
static void consider_bodies(struct walk *walk, const struct sim_body *a, const struct sim_body *b,
                            double reach)
{
    for (uint32_t i = 0; i < a->template->part_count; i++) {
        const struct sim_part *p = &a->template->parts[i];
        for (uint32_t k = 0; k < b->template->part_count; k++) {
            const struct sim_part *q = &b->template->parts[k];
            if (!is_solid(p) || !is_solid(q) || a->z + p->z0 > b->z + q->z1 ||
                b->z + q->z0 > a->z + p->z1) {
                continue;
            }
            consider_edges(walk, &walk->b, b->template, q, &walk->a, a->template, p, reach, 1);
            consider_edges(walk, &walk->a, a->template, p, &walk->b, b->template, q, reach, -1);
        }
    }
}

/* How far any point of the body may still get within the time. */
static double reach_of(const struct sim_body *body, double time)
{
    const double left = body->until - time;

    return left > 0
               ? (length(body->vx, body->vy) + fabs(body->w) * body->template->solid_radius) * left
               : 0;
}

double tpi_sim_touch(const struct sim_body *a, const struct sim_body *b, double most)
{
    const double first = a->until < b->until ? a->until : b->until;
    const double last = a->until < b->until ? b->until : a->until;
    double time = 0;

    for (int i = 0; time < last && i < MOST_ROUNDS; i++) {
        const double reach = reach_of(a, time) + reach_of(b, time);
        struct walk walk;
        walk.careful = a->fit != NULL;
        moment_at(a, time, &walk.a);
        moment_at(b, time, &walk.b);
        const double apart = length(walk.a.x - walk.b.x, walk.a.y - walk.b.y);
        if (apart > a->template->solid_radius + b->template->solid_radius + reach + SIM_GAP) {
            return HUGE_VAL;
        }
        walk_begin(&walk, apart + a->template->solid_radius + b->template->solid_radius);
        consider_bodies(&walk, a, b, reach + 2 * SIM_GAP);
        if (walk.step <= 0) {
            return time;
        }
        /* when one of them stops, the bounds have to be found anew */
        const double end = time < first ? first : last;
        time = time + walk.step < end ? time + walk.step : end;
        if (time >= most) {
            return HUGE_VAL;
        }
    }
    return time < last ? time : HUGE_VAL;
}

/* ---- Walls ----------------------------------------------------------------------------------- */

/* The cells round a body. */
struct patch {
    uint32_t left, right, bottom, top; /* all belong to it */
};

static struct patch patch_of(const struct sim_walls *walls, double x, double y, double radius)
{
    return (struct patch){
        .left = sim_crowd_cell(x - radius - walls->x, walls->per_cell, walls->columns),
        .right = sim_crowd_cell(x + radius - walls->x, walls->per_cell, walls->columns),
        .bottom = sim_crowd_cell(y - radius - walls->y, walls->per_cell, walls->rows),
        .top = sim_crowd_cell(y + radius - walls->y, walls->per_cell, walls->rows),
    };
}

/* One wall against all parts of the body, which is a; b stands still. */
static void consider_wall(struct walk *walk, const struct sim_wall *wall,
                          const struct sim_body *body, double reach)
{
    const struct sim_template *template = body->template;
    const double edge[4] = {wall->x0, wall->y0, wall->x1, wall->y1};
    double own[4];

    if (is_far(edge, walk->a.x, walk->a.y, template->solid_radius + reach)) {
        return;
    }
    for (uint32_t i = 0; i < template->part_count; i++) {
        const struct sim_part *part = &template->parts[i];
        if (!is_solid(part) || wall->z0 > body->z + part->z1 || body->z + part->z0 > wall->z1) {
            continue;
        }
        consider_corners(walk, &walk->a, template, part, edge, 1);
        for (uint32_t k = part->first; k < part->first + part->count; k++) {
            edge_of(&walk->a, template, part, k, own);
            consider(walk, wall->x0, wall->y0, own[0], own[1], own[2], own[3], -1);
            consider(walk, wall->x1, wall->y1, own[0], own[1], own[2], own[3], -1);
        }
    }
}

static void consider_walls(struct walk *walk, const struct sim_walls *walls,
                           const struct sim_body *body, double reach, const struct sim_hold *hold)
{
    const struct patch patch =
        patch_of(walls, walk->a.x, walk->a.y, body->template->solid_radius + reach);

    for (uint32_t row = patch.bottom; row <= patch.top; row++) {
        const uint32_t *first = walls->first + (size_t)row * walls->columns;
        for (uint32_t i = first[patch.left]; i < first[patch.right + 1]; i++) {
            const struct sim_wall *wall = &walls->items[walls->list[i]];
            struct sim_fit fit;
            if ((wall->flags & SIM_OBSTACLE) == 0) {
                continue;
            }
            if (hold != NULL) {
                walk->a.fit = tpi_sim_hold_wall(hold, wall, &fit);
                if (walk->a.fit == NULL) {
                    continue;
                }
                walk->apart = walk->a.fit->scale < 1 ? SIM_TOLERANCE : passing;
            }
            consider_wall(walk, wall, body, reach);
        }
    }
}

double tpi_sim_touch_walls(const struct sim_walls *walls, const struct sim_body *body,
                           const struct sim_hold *hold)
{
    double time = 0;

    for (int i = 0; walls->count > 0 && time < body->until && i < MOST_ROUNDS; i++) {
        const double reach = reach_of(body, time) + 2 * SIM_GAP;
        struct walk walk = {.careful = hold != NULL};
        moment_at(body, time, &walk.a);
        walk.b.x = walk.a.x;
        walk.b.y = walk.a.y;
        walk_begin(&walk, body->template->solid_radius + reach);
        consider_walls(&walk, walls, body, reach, hold);
        if (walk.step <= 0) {
            return time;
        }
        time = time + walk.step < body->until ? time + walk.step : body->until;
    }
    return walls->count > 0 && time < body->until ? time : HUGE_VAL;
}

/* ---- Sliding --------------------------------------------------------------------------------- */

struct sim_body tpi_sim_body_of(const tpi_sim *sim, const struct sim_spot *spot)
{
    const double dt = (double)sim->interval_us * 1e-6;

    return (struct sim_body){.template = spot->template,
                             .x = spot->x,
                             .y = spot->y,
                             .z = spot->z,
                             .c = spot->c,
                             .s = spot->s,
                             .vx = sim->motions.vx[spot->tree],
                             .vy = sim->motions.vy[spot->tree],
                             .w = sim->motions.w[spot->tree],
                             .until = sim->motions.until[spot->tree] * dt};
}

/* A neighbour that stands still, in the way of a body. */
static void consider_neighbour(struct walk *walk, const tpi_sim *sim, const struct sim_body *body,
                               uint32_t tree, const struct sim_spot *spot)
{
    const uint8_t flags = sim->trees.flags[tree] | sim->trees.flags[spot->tree];
    struct sim_body other = tpi_sim_body_of(sim, spot);
    struct sim_fit fit;
    struct sim_fit other_fit;
    bool holds = true;

    other.until = 0;
    moment_at(body, 0, &walk->a);
    moment_at(&other, 0, &walk->b);
    walk->careful = (flags & SIM_TOUCHES) != 0;
    if (walk->careful) {
        holds = sim->trees.key[tree] < sim->trees.key[spot->tree]
                    ? tpi_sim_hold_pair(body, &other, &fit, &other_fit)
                    : tpi_sim_hold_pair(&other, body, &other_fit, &fit);
        walk->a.fit = &fit;
        walk->b.fit = &other_fit;
    }
    if (holds) {
        consider_bodies(walk, body, &other, 3 * SIM_GAP);
    }
}

void tpi_sim_touch_normal(const tpi_sim *sim, const struct sim_body *body, uint32_t tree,
                          double *nx, double *ny)
{
    const double reach = 3 * SIM_GAP;
    const double radius = body->template->solid_radius;
    const struct sim_spot *other;
    struct walk walk = {.careful = (sim->trees.flags[tree] & SIM_TOUCHES) != 0};
    struct sim_rivals rivals;
    struct sim_hold hold;

    moment_at(body, 0, &walk.a);
    walk.b.x = walk.a.x;
    walk.b.y = walk.a.y;
    walk_begin(&walk, radius);
    if (walk.careful) {
        tpi_sim_hold_init(&hold, sim, body, NULL);
    }
    if (sim->walls.count > 0) {
        consider_walls(&walk, &sim->walls, body, reach, walk.careful ? &hold : NULL);
    }
    tpi_sim_rivals_init(&rivals, sim, &sim->crowd.spots[sim->crowd.slot[tree]], reach);
    while ((other = tpi_sim_rivals_next(&rivals)) != NULL) {
        consider_neighbour(&walk, sim, body, tree, other);
    }
    *nx = walk.nearest < reach ? walk.nx : 0;
    *ny = walk.nearest < reach ? walk.ny : 0;
}
