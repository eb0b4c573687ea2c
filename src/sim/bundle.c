/*
 * bundle.c - a few rays from here and there, such as sixteen sonars.
 *
 * The crowd is asked once for all of them: every body near enough is compared with all rays at
 * once, and only those that come near its circle look at its edges. Then the rays walk through the
 * grid of walls, unless that says that none is within reach.
 */
#include <math.h>

#include "sim/crowd.h"
#include "sim/ranger.h"
#include "sim/ray.h"

/* One ray and all edges of a part; `at` is the body's frame in the bundle's. */
static void meet_part(const struct sim_rays *rays, uint32_t i, const struct sim_plan *plan,
                      const struct sim_part *part, const struct sim_frame *at)
{
    const double *vx = plan->vx + part->first;
    const double *vy = plan->vy + part->first;
    const double x = at->x - rays->x[i];
    const double y = at->y - rays->y[i];
    double px = x + at->c * vx[0] - at->s * vy[0];
    double py = y + at->s * vx[0] + at->c * vy[0];
    double a = rays->dx[i] * py - rays->dy[i] * px;

    for (uint32_t k = 1; k <= part->count; k++) {
        const double qx = x + at->c * vx[k] - at->s * vy[k];
        const double qy = y + at->s * vx[k] + at->c * vy[k];
        const double b = rays->dx[i] * qy - rays->dy[i] * qx;
        const double range = sim_meet(a, b, px, py, qx, qy);
        if (range >= 0 &&
            sim_is_nearer(range, (double)part->ranger_return, rays->ranges[i], rays->returns[i])) {
            rays->ranges[i] = range;
            rays->returns[i] = (double)part->ranger_return;
        }
        px = qx;
        py = qy;
        a = b;
    }
}

/* A body and the rays that come near it, one bit each; x, y is its middle in the bundle's frame. */
static void meet_body(const struct sim_frame *f, const struct sim_rays *rays,
                      const struct sim_spot *spot, double x, double y, uint64_t bits)
{
    const struct sim_frame at = {.x = x,
                                 .y = y,
                                 .z = f->z - spot->z,
                                 .c = f->c * spot->c + f->s * spot->s,
                                 .s = f->c * spot->s - f->s * spot->c};

    for (uint32_t k = 0; k < spot->plan->part_count; k++) {
        const struct sim_part *part = &spot->plan->parts[k];
        if ((part->flags & SIM_VISIBLE) != 0 && sim_within(at.z, part->z0, part->z1)) {
            for (uint64_t left = bits; left != 0; left &= left - 1) {
                meet_part(rays, (uint32_t)__builtin_ctzll(left), spot->plan, part, &at);
            }
        }
    }
}

static void meet_crowd(const tpi_sim *sim, const struct sim_frame *frame, double reach,
                       uint32_t own, const struct sim_rays *rays)
{
    struct sim_gather gather;
    uint64_t bits[SIM_MOST_FOUND];

    sim_gather_init(&gather, &sim->crowd, frame, reach);
    while (sim_gather_next(&gather)) {
        const struct sim_found *found = &gather.found;
        gather.kernel->near(rays, found, bits);
        for (uint32_t i = 0; i < found->count; i++) {
            const struct sim_spot *spot = &sim->crowd.spots[found->spot[i]];
            if (bits[i] != 0 && spot->group != own) {
                meet_body(frame, rays, spot, found->x[i], found->y[i], bits[i]);
            }
        }
    }
}

void tpi_sim_bundle(const tpi_sim *sim, const struct sim_ranger_group *group,
                    const struct sim_frame *frame, uint32_t own, const struct sim_rays *rays)
{
    if (sim->crowd.count > 0) {
        meet_crowd(sim, frame, group->reach, own, rays);
    }
    if (tpi_sim_room(&sim->walls, frame->x, frame->y) < group->reach) {
        tpi_sim_kernel()->walk(&sim->walls, frame, own, rays);
    }
}
