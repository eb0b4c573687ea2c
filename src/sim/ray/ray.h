/*
 * ray.h - where a ray ends.
 *
 * Exact: no cells in the result, only the intersection with the segment that was hit. The cross
 * products that decide on which side of a ray a corner lies are the same for both edges that share
 * the corner, so no ray slips through between them.
 */
#ifndef TROUPE_SIM_RAY_RAY_H
#define TROUPE_SIM_RAY_RAY_H

#include <math.h>

#include "sim/inside.h"

struct sim_ray {
    double x, y, z;
    double dx, dy;  /* a unit vector */
    uint32_t group; /* what it passes through: the group of the sensor's robot */
    uint32_t sees;  /* it is stopped by what has one of these flags: SIM_VISIBLE and so on */
    bool flat;      /* heights do not matter */
};

/* What stopped it. Before it is cast: the greatest range, and nothing. */
struct sim_hit {
    double range;
    double ranger_return; /* HUGE_VAL if nothing was hit */
    uint32_t tree, member;
};

/* A hit that nothing has stopped yet. */
static inline struct sim_hit sim_no_hit(double range)
{
    return (struct sim_hit){
        .range = range, .ranger_return = HUGE_VAL, .tree = TPI_SIM_NONE, .member = TPI_SIM_NONE};
}

/* At the same distance the greater return counts, so that the order does not. */
static inline bool sim_is_nearer(double range, double ranger_return, double old_range,
                                 double old_return)
{
    return range < old_range || (range == old_range && ranger_return > old_return);
}

/* Where a ray from the origin meets a segment from p to q, whose ends are on the sides a and b of
 * it; HUGE_VAL if it does not. Without branches, which could not be foretold. If both ends are on
 * the ray's line the range is infinite or no number. */
static inline double sim_meet(double a, double b, double px, double py, double qx, double qy)
{
    const double range = (px * qy - py * qx) / (b - a);

    return (a * b <= 0) & (range >= 0) ? range : HUGE_VAL;
}

/* Whether a height is within an interval; sums of decimals may be off by a little. */
static inline bool sim_within(double z, double z0, double z1)
{
    return z >= z0 - 1e-9 && z <= z1 + 1e-9;
}

/* Shorten a ray to where it meets a wall. */
static inline void sim_try_wall(const struct sim_wall *wall, const struct sim_ray *ray,
                                struct sim_hit *hit)
{
    const double px = wall->x0 - ray->x;
    const double py = wall->y0 - ray->y;
    const double qx = wall->x1 - ray->x;
    const double qy = wall->y1 - ray->y;
    const double range =
        sim_meet(ray->dx * py - ray->dy * px, ray->dx * qy - ray->dy * qx, px, py, qx, qy);

    if (sim_is_nearer(range, (double)wall->ranger_return, hit->range, hit->ranger_return) &&
        (wall->flags & ray->sees) != 0 && wall->tree != ray->group &&
        (ray->flat || sim_within(ray->z, wall->z0, wall->z1))) {
        *hit = (struct sim_hit){.range = range,
                                .ranger_return = (double)wall->ranger_return,
                                .tree = wall->tree,
                                .member = wall->member};
    }
}

/* Where a ray, given in the tree's frame, meets a part; HUGE_VAL if it does not. */
static inline double sim_meet_part(const struct sim_template *template, const struct sim_part *part,
                                   const struct sim_ray *ray)
{
    const double *vx = template->vx + part->first;
    const double *vy = template->vy + part->first;
    double px = vx[0] - ray->x;
    double py = vy[0] - ray->y;
    double a = ray->dx * py - ray->dy * px;
    double nearest = HUGE_VAL;

    for (uint32_t i = 1; i <= part->count; i++) {
        const double qx = vx[i] - ray->x;
        const double qy = vy[i] - ray->y;
        const double b = ray->dx * qy - ray->dy * qx;
        const double range = sim_meet(a, b, px, py, qx, qy);
        nearest = range < nearest ? range : nearest;
        px = qx;
        py = qy;
        a = b;
    }
    return nearest;
}

/* Cast a ray among walls and crowd. True if something was hit before hit->range. */
bool tpi_sim_cast(const tpi_sim *sim, const struct sim_ray *ray, struct sim_hit *hit);

/* Among walls only, and with one body only; both take the nearer of the new and the old hit. */
void tpi_sim_cast_walls(const struct sim_walls *walls, const struct sim_ray *ray,
                        struct sim_hit *hit);
void tpi_sim_cast_body(const struct sim_spot *spot, const struct sim_ray *ray, struct sim_hit *hit);

/* How far from here there is certainly no wall. */
double tpi_sim_room(const struct sim_walls *walls, double x, double y);

/* ---- Cells of walls -------------------------------------------------------------------------- */

/* The way of a ray through the cells: u and v count cells, t is in metres. */
struct sim_way {
    double u, v, du, dv;
    double per_u, per_v; /* one over du and dv */
    double t, end;
    int32_t x, y; /* the cell that it is in */
};

/* The way up to a range. */
struct sim_way tpi_sim_way_of(const struct sim_walls *walls, const struct sim_ray *ray,
                              double range);

/* The next cell with walls, up to a range that may have become less; false after the last. Goes
 * across all the empty space round a cell at once. */
bool tpi_sim_way_next(struct sim_way *way, const struct sim_walls *walls, double range,
                      size_t *cell);

/* ---- Blocks of walls ------------------------------------------------------------------------- */

/* The blocks round a place. */
struct sim_patch {
    uint32_t left, right, bottom, top; /* all belong to it */
};

static inline uint32_t sim_block_at(double offset, double per_block, uint32_t count)
{
    const double at = offset * per_block;

    if (!(at > 0)) {
        return 0;
    }
    return at < count ? (uint32_t)at : count - 1;
}

static inline struct sim_patch sim_patch_of(const struct sim_walls *walls, double x, double y,
                                            double radius)
{
    const double dx = x - walls->x;
    const double dy = y - walls->y;

    return (struct sim_patch){
        .left = sim_block_at(dx - radius, walls->per_block, walls->block_columns),
        .right = sim_block_at(dx + radius, walls->per_block, walls->block_columns),
        .bottom = sim_block_at(dy - radius, walls->per_block, walls->block_rows),
        .top = sim_block_at(dy + radius, walls->per_block, walls->block_rows),
    };
}

/* How many walls there are in the blocks; those in several count more than once. */
static inline uint32_t sim_patch_count(const struct sim_walls *walls, const struct sim_patch *patch)
{
    uint32_t count = 0;

    for (uint32_t row = patch->bottom; row <= patch->top; row++) {
        const uint32_t *first = walls->block_first + (size_t)row * walls->block_columns;
        count += first[patch->right + 1] - first[patch->left];
    }
    return count;
}

/* Whether a place is outside of all polygons of walls, as far as that is known. */
static inline bool sim_is_outside(const struct sim_walls *walls, double x, double y)
{
    const double u = (x - walls->x) * walls->per_cell;
    const double v = (y - walls->y) * walls->per_cell;

    if (!(u >= 0 && v >= 0 && u < walls->columns && v < walls->rows)) {
        return true;
    }
    const size_t cell = (size_t)v * walls->columns + (size_t)u;
    return (walls->room[cell] & 255) > 0 && walls->inside[cell] == 0;
}

#endif
