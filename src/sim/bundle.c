/*
 * bundle.c - a few rays from here and there, such as sixteen sonars.
 *
 * The crowd is asked once for all of them. It is told into which sectors of the circle the rays
 * point, and names only bodies that cover one of these; then each ray of those sectors is compared
 * with the body. At last the rays walk through the grid of walls, unless that says that none is
 * within reach.
 */
#include <math.h>

#include "sim/crowd.h"
#include "sim/ranger.h"
#include "sim/ray.h"

/* Whether a ray comes near a circle before it ends. */
static inline bool comes_near(const struct sim_rays *rays, uint32_t i, double x, double y,
                              double radius)
{
    const double rx = x - rays->x[i];
    const double ry = y - rays->y[i];
    const double along = rx * rays->dx[i] + ry * rays->dy[i];
    const double across = rx * rays->dy[i] - ry * rays->dx[i];

    /* without branches, which could not be foretold */
    return (fabs(across) <= radius) & (along >= -radius) & (along - radius <= rays->ranges[i]);
}

/* One ray and a body; `at` is the body's frame in the bundle's. */
static void meet_ray(const struct sim_rays *rays, uint32_t i, const struct sim_plan *plan,
                     const struct sim_frame *at)
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
            const double range = sim_meet_part(plan, part, &ray);
            if (sim_is_nearer(range, (double)part->ranger_return, rays->ranges[i],
                              rays->returns[i])) {
                rays->ranges[i] = range;
                rays->returns[i] = (double)part->ranger_return;
            }
        }
    }
}

/* A body and those rays, in the order of their angles, that may meet it. */
static void meet_body(const struct sim_frame *f, const struct sim_rays *rays, const uint32_t *order,
                      const struct sim_spot *spot, uint32_t from, uint32_t count)
{
    const double dx = spot->x - f->x;
    const double dy = spot->y - f->y;
    const struct sim_frame at = {.x = f->c * dx + f->s * dy,
                                 .y = f->c * dy - f->s * dx,
                                 .z = f->z - spot->z,
                                 .c = f->c * spot->c + f->s * spot->s,
                                 .s = f->c * spot->s - f->s * spot->c};
    const uint32_t end = from + (count < rays->count ? count : rays->count);

    for (uint32_t k = from; k < end; k++) {
        const uint32_t i = order[k];
        if (comes_near(rays, i, at.x, at.y, (double)spot->radius)) {
            meet_ray(rays, i, spot->plan, &at);
        }
    }
}

void tpi_sim_bundle(const tpi_sim *sim, const struct sim_ranger_group *group,
                    const struct sim_frame *frame, uint32_t own, const uint32_t *before,
                    const uint32_t *order, const struct sim_rays *rays)
{
    struct sim_search search;

    sim_search_init(&search, &sim->crowd, frame, group, before);
    while (sim_search_next(&search)) {
        const struct sim_found *found = &search.found;
        for (uint32_t i = 0; i < found->count; i++) {
            const struct sim_spot *spot = &sim->crowd.spots[found->spot[i]];
            if (spot->group != own) {
                meet_body(frame, rays, order, spot, found->from[i], found->rays[i]);
            }
        }
    }
    if (tpi_sim_room(&sim->walls, frame->x, frame->y) < group->reach) {
        tpi_sim_kernel()->walk(&sim->walls, frame, own, rays);
    }
}
