/*
 * bundle.h - rays of a bundle and the bodies that they may meet: the loop that kernels share, each
 * compiled for its processor.
 */
#ifndef TROUPE_SIM_BUNDLE_H
#define TROUPE_SIM_BUNDLE_H

#include <math.h>

#include "sim/kernel.h"
#include "sim/ray.h"

/* Whether a ray comes near a circle before it ends. */
static inline bool sim_bundle_near(const struct sim_rays *rays, uint32_t i, double x, double y,
                                   double radius)
{
    const double rx = x - rays->x[i];
    const double ry = y - rays->y[i];
    const double across = rx * rays->dy[i] - ry * rays->dx[i];

    if (fabs(across) > radius) {
        return false;
    }
    const double along = rx * rays->dx[i] + ry * rays->dy[i];
    return along >= -radius && along - radius <= rays->ranges[i];
}

/* Where a ray, given in the tree's frame, meets a part: sim_meet_part(), or the same faster. */
typedef double sim_part_meeter(const struct sim_plan *plan, const struct sim_part *part,
                               const struct sim_ray *ray);

/* One ray and a body; `at` is the body's frame in the bundle's. */
static inline void sim_bundle_ray(const struct sim_rays *rays, uint32_t i,
                                  const struct sim_plan *plan, const struct sim_frame *at,
                                  sim_part_meeter *meet_part)
{
    const double x = rays->x[i] - at->x;
    const double y = rays->y[i] - at->y;
    const struct sim_ray ray = {.x = at->c * x + at->s * y,
                                .y = at->c * y - at->s * x,
                                .dx = at->c * rays->dx[i] + at->s * rays->dy[i],
                                .dy = at->c * rays->dy[i] - at->s * rays->dx[i]};

    for (uint32_t k = 0; k < plan->part_count; k++) {
        const struct sim_part *part = &plan->parts[k];
        if ((part->flags & SIM_VISIBLE) != 0 && sim_within(at->z, part->z0, part->z1)) {
            const double range = meet_part(plan, part, &ray);
            if (sim_is_nearer(range, (double)part->ranger_return, rays->ranges[i],
                              rays->returns[i])) {
                rays->ranges[i] = range;
                rays->returns[i] = (double)part->ranger_return;
            }
        }
    }
}

/* A body and those rays, in the order of their angles, that may meet it. */
static inline void sim_bundle_body(const struct sim_frame *f, const struct sim_rays *rays,
                                   const uint32_t *order, const struct sim_spot *spot,
                                   uint32_t from, uint32_t count, sim_part_meeter *meet_part)
{
    const double dx = spot->x - f->x;
    const double dy = spot->y - f->y;
    const double x = f->c * dx + f->s * dy;
    const double y = f->c * dy - f->s * dx;
    const uint32_t end = from + (count < rays->count ? count : rays->count);

    for (uint32_t k = from; k < end; k++) {
        const uint32_t i = order[k];
        if (sim_bundle_near(rays, i, x, y, (double)spot->radius)) {
            const struct sim_frame at = {.x = x,
                                         .y = y,
                                         .z = f->z - spot->z,
                                         .c = f->c * spot->c + f->s * spot->s,
                                         .s = f->c * spot->s - f->s * spot->c};
            sim_bundle_ray(rays, i, spot->plan, &at, meet_part);
        }
    }
}

/* All that were found. */
static inline void sim_bundle_meet(const struct sim_crowd *crowd, const struct sim_frame *frame,
                                   uint32_t own, const uint32_t *order,
                                   const struct sim_found *found, const struct sim_rays *rays,
                                   sim_part_meeter *meet_part)
{
    for (uint32_t i = 0; i < found->count; i++) {
        const struct sim_spot *spot = &crowd->spots[found->spot[i]];
        if (spot->group != own) {
            sim_bundle_body(frame, rays, order, spot, found->from[i], found->rays[i], meet_part);
        }
    }
}

#endif
