/*
 * kernel.h - the innermost loops of rangers, for every processor and for those with AVX2.
 *
 * All kernels give the same results, bit by bit. What decides on a result is the same operations in
 * double precision; what only finds out whom to look at closely may be rounded, as long as nobody
 * is missed.
 */
#ifndef TROUPE_SIM_KERNEL_H
#define TROUPE_SIM_KERNEL_H

#include "sim/inside.h"

/* A circle is divided into sectors, the first one beginning behind. */
enum { SIM_SECTORS = 64, SIM_TURNS = 5, SIM_BEFORE = SIM_TURNS * SIM_SECTORS };

/* Rays in one frame, each with an origin and a direction, and how far it has come: arrays. */
struct sim_rays {
    const double *x, *y; /* borrowed, like the others */
    const double *dx, *dy;
    double *ranges;  /* to the nearest hit so far */
    double *returns; /* of that; HUGE_VAL for none */
    uint32_t count;
};

/* An edge as seen from the origin: q is to the left of p. */
struct sim_edge {
    double px, py, qx, qy;
    double cross; /* of p and q; positive */
    double ranger_return;
};

/* Somebody who looks for bodies. */
struct sim_probe {
    float x, y; /* from the corner of the crowd's cells */
    float c, s;
    float reach;            /* how far rays get, from the middle */
    float offset;           /* how far from the middle they begin */
    const uint32_t *before; /* borrowed; SIM_BEFORE numbers: how many rays, in the order of their
                               angles, point to before each sector of several turns */
};

enum { SIM_MOST_FOUND = 64 };

/* Bodies that rays may meet: their numbers among the spots, and the rays, in the order of their
 * angles; after the last comes the first again. */
struct sim_found {
    uint32_t count;
    uint32_t spot[SIM_MOST_FOUND];
    uint32_t from[SIM_MOST_FOUND]; /* counted from some turn on */
    uint32_t rays[SIM_MOST_FOUND]; /* how many; there may be more than there are */
};

struct sim_kernel {
    const char *name;

    /* Add those of the spots `from` up to, but without, `to` that rays may meet. There has to be
     * room for all of them. */
    void (*find)(const struct sim_crowd *crowd, uint32_t from, uint32_t to,
                 const struct sim_probe *probe, struct sim_found *found);

    /* Shorten the rays `from` up to, but without, `to` that meet the edge. They begin at the
     * origin. Other rays may be looked at too. */
    void (*meet)(const struct sim_rays *rays, uint32_t from, uint32_t to,
                 const struct sim_edge *edge);

    /* Shorten all rays, which are given in the frame, to where they meet walls that are visible and
     * not of the tree `own`. There are walls. */
    void (*walk)(const struct sim_walls *walls, const struct sim_frame *frame, uint32_t own,
                 const struct sim_rays *rays);
};

extern const struct sim_kernel tpi_sim_kernel_plain;

/* The fastest that this processor has. */
const struct sim_kernel *tpi_sim_kernel(void);

/* ---- Shared ---------------------------------------------------------------------------------- */

/* Add a body that covers the sectors from one to another of several turns, if any ray points
 * there. */
static inline void sim_found_add(struct sim_found *found, const struct sim_probe *probe,
                                 uint32_t spot, uint32_t first, uint32_t last)
{
    const uint32_t from = probe->before[first];
    const uint32_t rays = probe->before[last + 1] - from;

    found->spot[found->count] = spot;
    found->from[found->count] = from;
    found->rays[found->count] = rays;
    found->count += rays > 0 ? 1 : 0;
}

#endif
