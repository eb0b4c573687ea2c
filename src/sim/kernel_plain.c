/* kernel_plain.c - the innermost loops of rangers in plain C. */
#include <math.h>

#include "sim/kernel.h"
#include "sim/ray.h"

static void plain_gather(const struct sim_crowd *crowd, uint32_t from, uint32_t to,
                         const struct sim_frame *frame, double radius, struct sim_found *found)
{
    uint32_t count = found->count;

    for (uint32_t i = from; i < to; i++) {
        const double dx = crowd->at_x[i] - frame->x;
        const double dy = crowd->at_y[i] - frame->y;
        const double most = crowd->at_radius[i] + radius;
        found->spot[count] = i;
        found->x[count] = frame->c * dx + frame->s * dy;
        found->y[count] = frame->c * dy - frame->s * dx;
        found->radius[count] = crowd->at_radius[i];
        count += dx * dx + dy * dy <= most * most ? 1 : 0;
    }
    found->count = count;
}

static uint64_t near_one(const struct sim_rays *rays, double x, double y, double radius)
{
    uint64_t bits = 0;

    for (uint32_t i = 0; i < rays->count; i++) {
        const double rx = x - rays->x[i];
        const double ry = y - rays->y[i];
        const double along = rx * rays->dx[i] + ry * rays->dy[i];
        const double across = rx * rays->dy[i] - ry * rays->dx[i];
        const bool near =
            fabs(across) <= radius && along >= -radius && along - radius <= rays->ranges[i];
        bits |= (uint64_t)near << i;
    }
    return bits;
}

static void plain_near(const struct sim_rays *rays, const struct sim_found *found, uint64_t *bits)
{
    for (uint32_t i = 0; i < found->count; i++) {
        bits[i] = near_one(rays, found->x[i], found->y[i], found->radius[i]);
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
            (range < rays->ranges[i] ||
             (range == rays->ranges[i] && edge->ranger_return > rays->returns[i]))) {
            rays->ranges[i] = range;
            rays->returns[i] = edge->ranger_return;
        }
    }
}

static void plain_walk(const struct sim_walls *walls, const struct sim_frame *frame, uint32_t own,
                       const struct sim_rays *rays)
{
    const struct sim_frame *f = frame;

    for (uint32_t i = 0; i < rays->count; i++) {
        const struct sim_ray ray = {
            .x = f->x + (f->c * rays->x[i] - f->s * rays->y[i]),
            .y = f->y + (f->s * rays->x[i] + f->c * rays->y[i]),
            .z = f->z,
            .dx = f->c * rays->dx[i] - f->s * rays->dy[i],
            .dy = f->s * rays->dx[i] + f->c * rays->dy[i],
            .group = own,
            .sees = SIM_VISIBLE,
        };
        struct sim_hit hit = {.range = rays->ranges[i], .ranger_return = rays->returns[i]};
        tpi_sim_cast_walls(walls, &ray, &hit);
        rays->ranges[i] = hit.range;
        rays->returns[i] = hit.ranger_return;
    }
}

const struct sim_kernel tpi_sim_kernel_plain = {.name = "plain",
                                                .gather = plain_gather,
                                                .near = plain_near,
                                                .meet = plain_meet,
                                                .walk = plain_walk};
