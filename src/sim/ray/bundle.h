/*
 * bundle.h - rays of a bundle and the bodies that they may meet: what kernels share.
 */
#ifndef TROUPE_SIM_RAY_BUNDLE_H
#define TROUPE_SIM_RAY_BUNDLE_H

#include <math.h>

#include "sim/ray/kernel.h"
#include "sim/ray/ray.h"

/* Where a body is in the bundle's frame. */
static inline void sim_bundle_place(const struct sim_frame *f, const struct sim_spot *spot,
                                    double *x, double *y)
{
    const double dx = spot->x - f->x;
    const double dy = spot->y - f->y;

    *x = f->c * dx + f->s * dy;
    *y = f->c * dy - f->s * dx;
}

/* The body's frame in the bundle's, where it is at x, y. */
static inline struct sim_frame sim_bundle_frame(const struct sim_frame *f,
                                                const struct sim_spot *spot, double x, double y)
{
    return (struct sim_frame){.x = x,
                              .y = y,
                              .z = f->z - spot->z,
                              .c = f->c * spot->c + f->s * spot->s,
                              .s = f->c * spot->s - f->s * spot->c};
}

/* Of a body that was found: behind the last of its rays, in the order of their angles. */
static inline uint32_t sim_bundle_end(const struct sim_found *found, uint32_t n,
                                      const struct sim_rays *rays)
{
    return found->from[n] + (found->rays[n] < rays->count ? found->rays[n] : rays->count);
}

/* Whether a ray comes near a circle before it ends. */
static inline bool sim_bundle_near(const struct sim_rays *rays, uint32_t i, double x, double y,
                                   double radius)
{
    const double rx = x - rays->x[i];
    const double ry = y - rays->y[i];
    const double across = rx * rays->dy[i] - ry * rays->dx[i];
    const double along = rx * rays->dx[i] + ry * rays->dy[i];

    return (fabs(across) <= radius) & (along >= -radius) & (along - radius <= rays->ranges[i]);
}

/* One ray and a body; `at` is the body's frame in the bundle's. */
static inline void sim_bundle_ray(const struct sim_rays *rays, uint32_t i,
                                  const struct sim_template *template, const struct sim_frame *at)
{
    const double x = rays->x[i] - at->x;
    const double y = rays->y[i] - at->y;
    const struct sim_ray ray = {.x = at->c * x + at->s * y,
                                .y = at->c * y - at->s * x,
                                .dx = at->c * rays->dx[i] + at->s * rays->dy[i],
                                .dy = at->c * rays->dy[i] - at->s * rays->dx[i]};

    for (uint32_t k = 0; k < template->part_count; k++) {
        const struct sim_part *part = &template->parts[k];
        if ((part->flags & SIM_VISIBLE) != 0 && sim_within(at->z, part->z0, part->z1)) {
            const double range = sim_meet_part(template, part, &ray);
            if (sim_is_nearer(range, (double)part->ranger_return, rays->ranges[i],
                              rays->returns[i])) {
                rays->ranges[i] = range;
                rays->returns[i] = (double)part->ranger_return;
            }
        }
    }
}

#endif
