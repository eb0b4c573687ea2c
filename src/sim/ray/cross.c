/*
 * cross.c - everything that a ray goes through, in the order in which it does.
 *
 * A wall is in the lists of several cells and is met once for each; it counts once. Where two
 * sides are crossed at the same distance the order follows from the numbers of trees and edges,
 * which do not depend on the order of the file.
 */
#include <math.h>

#include "sim/ray/cross.h"
#include "sim/ray/crowd.h"

/* ---- Collecting ------------------------------------------------------------------------------ */

static int compare(const struct sim_crossing *a, const struct sim_crossing *b)
{
    if (a->range != b->range) {
        return a->range < b->range ? -1 : 1;
    }
    if (a->tree != b->tree) {
        return a->tree < b->tree ? -1 : 1;
    }
    return a->edge < b->edge ? -1 : a->edge > b->edge;
}

static void add(struct sim_crossings *out, const struct sim_crossing *found)
{
    uint32_t at = out->count;

    while (at > 0 && compare(found, &out->items[at - 1]) < 0) {
        at--;
    }
    if (at == SIM_MOST_CROSSINGS || (at > 0 && compare(found, &out->items[at - 1]) == 0)) {
        return;
    }
    if (out->count < SIM_MOST_CROSSINGS) {
        out->count++;
    }
    for (uint32_t i = out->count - 1; i > at; i--) {
        out->items[i] = out->items[i - 1];
    }
    out->items[at] = *found;
}

/* An edge from p to q, both seen from the beginning of the ray. False if it is not met in time. */
static bool meet(const struct sim_ray *ray, double px, double py, double qx, double qy, double most,
                 struct sim_crossing *found)
{
    const double a = ray->dx * py - ray->dy * px;
    const double b = ray->dx * qy - ray->dy * qx;

    found->range = sim_meet(a, b, px, py, qx, qy);
    if (!(found->range <= most)) {
        return false;
    }
    found->facing = (a - b) / hypot(qx - px, qy - py);
    return true;
}

/* ---- Walls ----------------------------------------------------------------------------------- */

/* Whether a wall is met in time. */
static bool meet_wall(const struct sim_walls *walls, uint32_t index, const struct sim_ray *ray,
                      double most, struct sim_crossing *found)
{
    const struct sim_wall *wall = &walls->items[index];

    *found = (struct sim_crossing){
        .z0 = wall->z0, .z1 = wall->z1, .tree = wall->tree, .member = wall->member, .edge = index};
    return (wall->flags & ray->sees) != 0 && wall->tree != ray->group &&
           meet(ray, wall->x0 - ray->x, wall->y0 - ray->y, wall->x1 - ray->x, wall->y1 - ray->y,
                most, found);
}

static void cross_walls(const struct sim_walls *walls, const struct sim_ray *ray, double most,
                        struct sim_crossings *out)
{
    struct sim_way way = tpi_sim_way_of(walls, ray, most);
    struct sim_crossing found;
    size_t cell;

    while (tpi_sim_way_next(&way, walls, most, &cell)) {
        for (uint32_t i = walls->first[cell]; i < walls->first[cell + 1]; i++) {
            if (meet_wall(walls, walls->list[i], ray, most, &found)) {
                add(out, &found);
            }
        }
    }
}

/* ---- Bodies ---------------------------------------------------------------------------------- */

static void cross_part(const struct sim_spot *spot, const struct sim_part *part,
                       const struct sim_ray *turned, double most, struct sim_crossings *out)
{
    const struct sim_template *template = spot->template;

    for (uint32_t i = part->first; i < part->first + part->count; i++) {
        struct sim_crossing found = {.z0 = spot->z + part->z0,
                                     .z1 = spot->z + part->z1,
                                     .tree = spot->tree,
                                     .member = part->member,
                                     .edge = i};
        if (meet(turned, template->vx[i] - turned->x, template->vy[i] - turned->y,
                 template->vx[i + 1] - turned->x, template->vy[i + 1] - turned->y, most, &found)) {
            add(out, &found);
        }
    }
}

static void cross_body(const struct sim_spot *spot, const struct sim_ray *ray, double most,
                       struct sim_crossings *out)
{
    const double x = ray->x - spot->x;
    const double y = ray->y - spot->y;
    const struct sim_ray turned = {.x = spot->c * x + spot->s * y,
                                   .y = spot->c * y - spot->s * x,
                                   .dx = spot->c * ray->dx + spot->s * ray->dy,
                                   .dy = spot->c * ray->dy - spot->s * ray->dx};

    for (uint32_t i = 0; i < spot->template->part_count; i++) {
        if ((spot->template->parts[i].flags & ray->sees) != 0) {
            cross_part(spot, &spot->template->parts[i], &turned, most, out);
        }
    }
}

/* Whether the ray comes near the circle round a body. */
static bool comes_near(const struct sim_spot *spot, const struct sim_ray *ray)
{
    const double across = (spot->x - ray->x) * ray->dy - (spot->y - ray->y) * ray->dx;

    return fabs(across) <= (double)spot->radius;
}

static void cross_crowd(const struct sim_crowd *crowd, const struct sim_ray *ray, double most,
                        struct sim_crossings *out)
{
    const struct sim_spot *end;
    struct sim_near near;

    sim_near_init(&near, crowd, ray->x + ray->dx * most / 2, ray->y + ray->dy * most / 2, most / 2);
    for (const struct sim_spot *at = sim_near_run(&near, &end); at != NULL;
         at = sim_near_run(&near, &end)) {
        for (; at < end; at++) {
            if ((at->flags & ray->sees) != 0 && at->group != ray->group && comes_near(at, ray)) {
                cross_body(at, ray, most, out);
            }
        }
    }
}

/* ---- Both ------------------------------------------------------------------------------------ */

void tpi_sim_cross(const tpi_sim *sim, const struct sim_ray *ray, double range, bool crowd,
                   struct sim_crossings *out)
{
    out->count = 0;
    cross_walls(&sim->walls, ray, range, out);
    if (crowd && sim->crowd.count > 0) {
        cross_crowd(&sim->crowd, ray, range, out);
    }
}

/* ---- Between two places ---------------------------------------------------------------------- */

/* Whether the line goes through a side at its height, and not at its own end. */
static bool is_between(const tpi_sim *sim, const struct sim_line *line, double length,
                       const struct sim_crossing *at)
{
    const double z = line->z + line->dz * (at->range / length);

    return sim->trees.group[at->tree] != sim->trees.group[line->tree] &&
           sim_within(z, at->z0, at->z1);
}

static uint32_t count(const tpi_sim *sim, const struct sim_line *line, double length,
                      const struct sim_crossings *crossings)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < crossings->count; i++) {
        found += is_between(sim, line, length, &crossings->items[i]) ? 1 : 0;
    }
    return found;
}

uint32_t tpi_sim_count_between(const tpi_sim *sim, const struct sim_line *line, bool crowd)
{
    const double length = sim_line_length(line);
    struct sim_crossings crossings;

    if (length < 1e-9) {
        return 0;
    }
    const struct sim_ray ray = sim_line_ray(line, length);
    tpi_sim_cross(sim, &ray, length, crowd, &crossings);
    return count(sim, line, length, &crossings);
}

/* Walls first: most of what cannot be seen is behind one that is near. */
bool tpi_sim_is_hidden(const tpi_sim *sim, const struct sim_line *line)
{
    const struct sim_walls *walls = &sim->walls;
    const double length = sim_line_length(line);
    struct sim_crossings crossings;
    struct sim_crossing found;
    size_t cell;

    if (length < 1e-9) {
        return false;
    }
    const struct sim_ray ray = sim_line_ray(line, length);
    struct sim_way way = tpi_sim_way_of(walls, &ray, length);
    while (tpi_sim_way_next(&way, walls, length, &cell)) {
        for (uint32_t i = walls->first[cell]; i < walls->first[cell + 1]; i++) {
            if (meet_wall(walls, walls->list[i], &ray, length, &found) &&
                is_between(sim, line, length, &found)) {
                return true;
            }
        }
    }
    crossings.count = 0;
    if (sim->crowd.count > 0) {
        cross_crowd(&sim->crowd, &ray, length, &crossings);
    }
    return count(sim, line, length, &crossings) > 0;
}
