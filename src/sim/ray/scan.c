/*
 * scan.c - a fan of many rays from one place.
 *
 * Casting each ray by itself would walk through the same cells again and again. Instead everything
 * near is turned into the sensor's frame, edge by edge; an edge covers a range of rays, and those
 * are shortened to where they meet it. Of polygons that the sensor is not inside of only the edges
 * that face it matter.
 */
#include <math.h>

#include "sim/angle.h"
#include "sim/ray/crowd.h"
#include "sim/ray/group.h"
#include "sim/ray/ray.h"

struct fan {
    const struct sim_kernel *kernel; /* borrowed, like the others */
    const struct sim_ranger_group *group;
    const struct sim_frame *frame;
    const struct sim_rays *rays;
    double per_step;
    double slack;    /* what the angle of an edge may be off, in rays */
    double reach_sq; /* of the longest ray */
    bool forward;    /* no ray looks back */
    uint32_t own;
};

enum { WALLS_PER_RAY = 12 }; /* beyond this, walking through the grid is faster */

/* The ray at an angle, as a number with a fraction. */
static inline double ray_at(const struct fan *fan, double x, double y)
{
    return (sim_rough_angle(x, y) - fan->group->start) * fan->per_step;
}

/* ---- Edges ----------------------------------------------------------------------------------- */

static inline void meet_rays(const struct fan *fan, double first, double last,
                             const struct sim_edge *edge)
{
    const uint32_t count = fan->group->count;
    const uint32_t from = first > 0 ? (uint32_t)first : 0; /* one too many does no harm */
    const uint32_t to = last < 0 ? 0 : last < count - 1 ? (uint32_t)last + 1 : count;

    if (from < to) {
        fan->kernel->meet(fan->rays, from, to, edge);
    }
}

/* An edge from p to q, which covers the rays from `first` to `last`. */
static inline void cover(const struct fan *fan, const struct sim_edge *edge, double first,
                         double last)
{
    first -= fan->slack;
    last += fan->slack;
    if (first <= last) {
        meet_rays(fan, first, last, edge);
    } else { /* it is behind: it covers both ends of the fan */
        meet_rays(fan, first, fan->group->count, edge);
        meet_rays(fan, -1, last, edge);
    }
}

/* An edge in the sensor's frame, not seen edge-on. */
static inline void meet_edge(const struct fan *fan, double px, double py, double qx, double qy,
                             double cross, double ranger_return)
{
    const bool turned = cross < 0;
    const struct sim_edge edge = {.px = turned ? qx : px,
                                  .py = turned ? qy : py,
                                  .qx = turned ? px : qx,
                                  .qy = turned ? py : qy,
                                  .cross = fabs(cross),
                                  .ranger_return = ranger_return};

    cover(fan, &edge, ray_at(fan, edge.px, edge.py), ray_at(fan, edge.qx, edge.qy));
}

/* ---- Walls ----------------------------------------------------------------------------------- */

static inline void meet_wall(const struct fan *fan, const struct sim_wall *wall, bool outside)
{
    const struct sim_frame *f = fan->frame;
    const double x0 = wall->x0 - f->x;
    const double y0 = wall->y0 - f->y;
    const double x1 = wall->x1 - f->x;
    const double y1 = wall->y1 - f->y;
    const double cross = x0 * y1 - y0 * x1;
    const double square = (x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0);
    const double px = f->c * x0 + f->s * y0;
    const double qx = f->c * x1 + f->s * y1;

    /* from without, the inside on the left of an edge is the far side */
    if ((outside && cross > 0 && (wall->flags & SIM_ONE_SIDED) != 0) ||
        (fan->forward && px < 0 && qx < 0) || cross * cross > fan->reach_sq * square ||
        cross == 0 || (wall->flags & SIM_VISIBLE) == 0 || wall->tree == fan->own ||
        !sim_within(f->z, wall->z0, wall->z1)) {
        return;
    }
    meet_edge(fan, px, f->c * y0 - f->s * x0, qx, f->c * y1 - f->s * x1, cross,
              (double)wall->ranger_return);
}

static void meet_walls(const struct fan *fan, const struct sim_walls *walls)
{
    const struct sim_frame *f = fan->frame;
    const struct sim_patch patch = sim_patch_of(walls, f->x, f->y, fan->group->reach);
    const bool outside = sim_is_outside(walls, f->x, f->y);

    if (sim_patch_count(walls, &patch) > fan->group->count * WALLS_PER_RAY) {
        const struct sim_walk walk = {.frame = *f,
                                      .free = tpi_sim_room(walls, f->x, f->y),
                                      .own = fan->own,
                                      .rays = *fan->rays};
        fan->kernel->walk(walls, &walk, 1);
        return;
    }
    for (uint32_t row = patch.bottom; row <= patch.top; row++) {
        const uint32_t *first = walls->block_first + (size_t)row * walls->block_columns;
        for (uint32_t i = first[patch.left]; i < first[patch.right + 1]; i++) {
            meet_wall(fan, &walls->items[walls->block_list[i]], outside);
        }
    }
}

/* ---- Bodies ---------------------------------------------------------------------------------- */

/* A part of a body whose middle is at x, y in the sensor's frame, turned by c and s. */
static void meet_part(const struct fan *fan, const struct sim_template *template,
                      const struct sim_part *part, const struct sim_frame *at, bool outside)
{
    const double *vx = template->vx + part->first;
    const double *vy = template->vy + part->first;
    const bool one_sided = outside && (part->flags & SIM_ONE_SIDED) != 0;
    double px = at->x + at->c * vx[0] - at->s * vy[0];
    double py = at->y + at->s * vx[0] + at->c * vy[0];

    for (uint32_t i = 1; i <= part->count; i++) {
        const double qx = at->x + at->c * vx[i] - at->s * vy[i];
        const double qy = at->y + at->s * vx[i] + at->c * vy[i];
        const double cross = px * qy - py * qx;
        if (cross < 0 || (cross > 0 && !one_sided)) {
            meet_edge(fan, px, py, qx, qy, cross, (double)part->ranger_return);
        }
        px = qx;
        py = qy;
    }
}

static void meet_body(const struct fan *fan, const struct sim_spot *spot)
{
    const struct sim_frame *f = fan->frame;
    const double dx = spot->x - f->x;
    const double dy = spot->y - f->y;
    const double radius = (double)spot->radius;
    const bool outside = dx * dx + dy * dy > radius * radius;
    const struct sim_frame at = {.x = f->c * dx + f->s * dy,
                                 .y = f->c * dy - f->s * dx,
                                 .z = f->z - spot->z,
                                 .c = f->c * spot->c + f->s * spot->s,
                                 .s = f->c * spot->s - f->s * spot->c};

    for (uint32_t i = 0; i < spot->template->part_count; i++) {
        const struct sim_part *part = &spot->template->parts[i];
        if ((part->flags & SIM_VISIBLE) != 0 && sim_within(at.z, part->z0, part->z1)) {
            meet_part(fan, spot->template, part, &at, outside);
        }
    }
}

static void meet_crowd(const struct fan *fan, const struct sim_crowd *crowd, const uint32_t *before)
{
    struct sim_search search;

    sim_search_init(&search, crowd, fan->frame, fan->group, before);
    while (sim_search_next(&search)) {
        for (uint32_t i = 0; i < search.found.count; i++) {
            const struct sim_spot *spot = &crowd->spots[search.found.spot[i]];
            if (spot->group != fan->own) {
                meet_body(fan, spot);
            }
        }
    }
}

/* ---- The whole ------------------------------------------------------------------------------- */

void tpi_sim_fan(const tpi_sim *sim, const struct sim_ranger_group *group,
                 const struct sim_frame *frame, uint32_t own, const uint32_t *before,
                 const struct sim_rays *rays)
{
    const struct fan fan = {
        .kernel = tpi_sim_kernel(),
        .group = group,
        .frame = frame,
        .rays = rays,
        .per_step = 1 / group->step,
        .slack = SIM_ANGLE_ERROR / group->step + 1e-6,
        .reach_sq = group->reach * group->reach * (1 + 1e-9),
        .forward = group->start >= -SIM_PI / 2,
        .own = own,
    };

    if (sim->walls.count > 0 && tpi_sim_room(&sim->walls, frame->x, frame->y) < group->reach) {
        meet_walls(&fan, &sim->walls);
    }
    if (sim->crowd.count > 0) {
        meet_crowd(&fan, &sim->crowd, before);
    }
}
