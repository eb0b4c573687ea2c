/*
 * kernel_x86_walk.h - rays on their way through the grid of walls.
 *
 * A pack of rays, of many rangers, takes step after step together. In each, all rays that are still
 * under way move on to the next cell that is not known to be empty; those that come to a cell with
 * walls are tried with these then. Rays that have arrived make room for others, so that eight of
 * them are always worth stepping at once, and none of this depends on what a branch guesses.
 */
#ifndef TROUPE_SIM_RAY_KERNEL_X86_WALK_H
#define TROUPE_SIM_RAY_KERNEL_X86_WALK_H

#include "sim/ray/kernel_x86.h"

/* How many rays a pack has at most, and room for loops that write a few too many. */
enum { PACK = 512, PACK_ROOM = PACK + EIGHT };

/* Where rays are: in any order, and without those that have arrived. Axes are turned round where
 * the way of a ray goes down, so that it always goes up. */
struct ways {
    uint32_t count;
    float u[PACK_ROOM], v[PACK_ROOM];         /* beginning, in cells */
    float du[PACK_ROOM], dv[PACK_ROOM];       /* direction */
    float per_u[PACK_ROOM], per_v[PACK_ROOM]; /* one over it */
    float t[PACK_ROOM];                       /* how far they have come, in metres */
    uint32_t cell[PACK_ROOM];                 /* that they are in: column, and row times 2^16 */
    uint32_t who[PACK_ROOM]; /* number of the ray times 4, and 1 for leftward, 2 for downward */
};

/* A ray rounded, in cells. */
struct rough_ray {
    float u, v, dx, dy;
};

struct pack {
    const struct sim_walls *walls; /* borrowed, like the others */
    const struct sim_walk *walks;
    double *ranges, *returns; /* of the rays, by their numbers */
    uint32_t walk[PACK_ROOM]; /* that the ray belongs to */
    double x[PACK_ROOM], y[PACK_ROOM], dx[PACK_ROOM], dy[PACK_ROOM]; /* in the world */
    struct rough_ray rough[PACK_ROOM];
    float end[PACK_ROOM]; /* not less than the range */
    struct ways ways;
    __m256i strides, origin, shift; /* by quadrant: see cells_of() */
    /* rays that have come to cells with walls */
    uint32_t met_count;
    uint32_t met_who[PACK_ROOM];
    uint32_t met_room[PACK_ROOM]; /* see sim_rough_first() */
};

/* How far to go: a little farther than the ray reaches. */
static inline float end_of(double range)
{
    return (float)range * 1.000001f + 1e-5f;
}

/* kernel_x86_walls.c: shorten the rays that have come to cells with walls, where they meet them. */
void tpi_sim_x86_try_walls(struct pack *pack);

#endif
