/* kernel_plain.c - the innermost loops of rangers in plain C. */
#include <math.h>

#include "sim/angle.h"
#include "sim/ray/bundle.h"
#include "sim/ray/crowd.h"
#include "sim/ray/kernel.h"
#include "sim/ray/ray.h"

static const double per_sector = SIM_SECTORS / (2 * SIM_PI);

/* Add a body that covers the sectors from one to another of several turns, if any ray points
 * there. */
static void add(struct sim_found *found, const struct sim_probe *probe, uint32_t spot,
                uint32_t first, uint32_t last)
{
    const uint32_t from = probe->before[first];
    const uint32_t rays = probe->before[last + 1] - from;

    found->spot[found->count] = spot;
    found->from[found->count] = from;
    found->rays[found->count] = rays;
    found->count += rays > 0 ? 1 : 0;
}

/* One body that is within reach, at x, y from the probe. */
static void find_one(const struct sim_probe *probe, uint32_t spot, double x, double y,
                     double radius, struct sim_found *found)
{
    const double c = (double)probe->c;
    const double s = (double)probe->s;
    const double angle = sim_rough_angle(c * x + s * y, c * y - s * x);
    const double wide = radius + (double)probe->offset;
    const double distance = sqrt(x * x + y * y);
    const double middle = angle * per_sector + SIM_SECTORS / 2;
    const double width =
        distance > 1.3 * wide ? sim_rough_width(wide, distance) * per_sector + 0.01 : SIM_SECTORS;

    add(found, probe, spot, (uint32_t)(middle - width + 2 * SIM_SECTORS),
        (uint32_t)(middle + width + 2 * SIM_SECTORS));
}

static void plain_rows(struct sim_near *near, struct sim_runs *runs)
{
    runs->at = runs->count = 0;
    while (runs->count < SIM_ROWS && sim_near_has_rows(near)) {
        sim_near_row(near, &runs->from[runs->count], &runs->to[runs->count]);
        runs->count++;
    }
}

static void plain_find(const struct sim_crowd *crowd, struct sim_runs *runs,
                       const struct sim_probe *probe, struct sim_found *found)
{
    for (; runs->at < runs->count; runs->at++) {
        for (uint32_t *i = &runs->from[runs->at]; *i < runs->to[runs->at]; ++*i) {
            const double x = (double)crowd->at_x[*i] - (double)probe->x;
            const double y = (double)crowd->at_y[*i] - (double)probe->y;
            const double radius = (double)crowd->at_radius[*i];
            const double most = radius + (double)probe->reach;
            if (found->count == SIM_MOST_FOUND) {
                return;
            }
            if (x * x + y * y <= most * most) {
                find_one(probe, *i, x, y, radius, found);
            }
        }
    }
}

static void plain_meet(const struct sim_rays *rays, uint32_t from, uint32_t to,
                       const struct sim_edge *edge)
{
    for (uint32_t i = from; i < to; i++) {
        const double a = edge->px * rays->dy[i] - edge->py * rays->dx[i];
        const double b = rays->dx[i] * edge->qy - rays->dy[i] * edge->qx;
        const double range = edge->cross / (a + b);
        if (a >= 0 && b >= 0 &&
            sim_is_nearer(range, edge->ranger_return, rays->ranges[i], rays->returns[i])) {
            rays->ranges[i] = range;
            rays->returns[i] = edge->ranger_return;
        }
    }
}

static void plain_bodies(const struct sim_crowd *crowd, const struct sim_frame *frame, uint32_t own,
                         const uint32_t *order, const struct sim_found *found,
                         const struct sim_rays *rays)
{
    for (uint32_t n = 0; n < found->count; n++) {
        const struct sim_spot *spot = &crowd->spots[found->spot[n]];
        const uint32_t end = sim_bundle_end(found, n, rays);
        double x;
        double y;
        if (spot->group == own) {
            continue;
        }
        sim_bundle_place(frame, spot, &x, &y);
        const struct sim_frame at = sim_bundle_frame(frame, spot, x, y);
        for (uint32_t k = found->from[n]; k < end; k++) {
            if (sim_bundle_near(rays, order[k], x, y, (double)spot->radius)) {
                sim_bundle_ray(rays, order[k], spot->template, &at);
            }
        }
    }
}

static void walk_one(const struct sim_walls *walls, const struct sim_walk *walk)
{
    const struct sim_frame *f = &walk->frame;
    const struct sim_rays *rays = &walk->rays;

    for (uint32_t i = 0; i < rays->count; i++) {
        const struct sim_ray ray = {
            .x = f->x + (f->c * rays->x[i] - f->s * rays->y[i]),
            .y = f->y + (f->s * rays->x[i] + f->c * rays->y[i]),
            .z = f->z,
            .dx = f->c * rays->dx[i] - f->s * rays->dy[i],
            .dy = f->s * rays->dx[i] + f->c * rays->dy[i],
            .group = walk->own,
            .sees = SIM_VISIBLE,
        };
        struct sim_hit hit = {.range = rays->ranges[i], .ranger_return = rays->returns[i]};
        tpi_sim_cast_walls(walls, &ray, &hit);
        rays->ranges[i] = hit.range;
        rays->returns[i] = hit.ranger_return;
    }
}

static void plain_walk(const struct sim_walls *walls, const struct sim_walk *walks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        walk_one(walls, &walks[i]);
    }
}

const struct sim_kernel tpi_sim_kernel_plain = {.name = "plain",
                                                .rows = plain_rows,
                                                .find = plain_find,
                                                .meet = plain_meet,
                                                .bodies = plain_bodies,
                                                .walk = plain_walk};
