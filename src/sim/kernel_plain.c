/* kernel_plain.c - the innermost loops of rangers in plain C. */
#include <math.h>

#include "sim/angle.h"
#include "sim/kernel.h"
#include "sim/ray.h"

static const double per_sector = SIM_SECTORS / (2 * SIM_PI);

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

    sim_found_add(found, probe, spot, (uint32_t)(middle - width + 2 * SIM_SECTORS),
                  (uint32_t)(middle + width + 2 * SIM_SECTORS));
}

static void plain_find(const struct sim_crowd *crowd, uint32_t from, uint32_t to,
                       const struct sim_probe *probe, struct sim_found *found)
{
    for (uint32_t i = from; i < to; i++) {
        const double x = (double)crowd->at_x[i] - (double)probe->x;
        const double y = (double)crowd->at_y[i] - (double)probe->y;
        const double radius = (double)crowd->at_radius[i];
        const double most = radius + (double)probe->reach;
        if (x * x + y * y <= most * most) {
            find_one(probe, i, x, y, radius, found);
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

const struct sim_kernel tpi_sim_kernel_plain = {
    .name = "plain", .find = plain_find, .meet = plain_meet, .walk = plain_walk};
