/*
 * kernel.h - the innermost loops of rangers, for every processor and for those with AVX2.
 *
 * All kernels give the same results, bit by bit. What decides on a result is the same operations in
 * double precision; what only finds out whom to look at closely may be rounded, as long as nobody
 * is missed.
 */
#ifndef TROUPE_SIM_RAY_KERNEL_H
#define TROUPE_SIM_RAY_KERNEL_H

#include "sim/inside.h"

/* A circle is divided into sectors, the first one beginning behind. */
enum { SIM_SECTORS = 256, SIM_TURNS = 5, SIM_BEFORE = SIM_TURNS * SIM_SECTORS };

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

/* A search for bodies. */
struct sim_probe {
    float x, y; /* from the corner of the crowd's cells */
    float c, s;
    float reach;            /* how far rays get, from the middle */
    float offset;           /* how far from the middle they begin */
    const uint32_t *before; /* borrowed; SIM_BEFORE numbers: how many rays, in the order of their
                               angles, point to before each sector of several turns */
};

enum { SIM_ROWS = 8 };

/* Runs of spots: from one up to, but without, another. */
struct sim_runs {
    uint32_t at, count; /* those before `at` have been looked through */
    uint32_t from[SIM_ROWS];
    uint32_t to[SIM_ROWS];
};

/* How many bodies are found at once, and room for kernels that write a few too many. */
enum { SIM_MOST_FOUND = 64, SIM_FOUND_ROOM = SIM_MOST_FOUND + 8 };

/* Bodies that rays may meet: their numbers among the spots, and the rays, in the order of their
 * angles; after the last comes the first again. */
struct sim_found {
    uint32_t count;
    uint32_t spot[SIM_FOUND_ROOM];
    uint32_t from[SIM_FOUND_ROOM]; /* counted from some turn on */
    uint32_t rays[SIM_FOUND_ROOM]; /* how many; there may be more than there are */
};

/* Rays that look for walls. */
struct sim_walk {
    struct sim_frame frame; /* that they are given in */
    double free;            /* no wall is nearer than this to where a ray begins */
    uint32_t own;           /* tree that they do not see */
    uint32_t spare;
    struct sim_rays rays;
};

struct sim_near;

struct sim_kernel {
    const char *name;

    /* The runs of the next rows of cells that a circle reaches (crowd.h), SIM_ROWS at most. There
     * are bodies in cells, and rows left. */
    void (*rows)(struct sim_near *near, struct sim_runs *runs);

    /* Find those of the spots in runs that rays may meet, until all runs have been looked through
     * or there may be no room for more. */
    void (*find)(const struct sim_crowd *crowd, struct sim_runs *runs,
                 const struct sim_probe *probe, struct sim_found *found);

    /* Shorten the rays `from` up to, but without, `to` that meet the edge. They begin at the
     * origin. Other rays may be looked at too. */
    void (*meet)(const struct sim_rays *rays, uint32_t from, uint32_t to,
                 const struct sim_edge *edge);

    /* Shorten rays of a bundle, which are given in the frame, that meet bodies which were found and
     * are not of the group `own`; `order` is that of the rays' angles. */
    void (*bodies)(const struct sim_crowd *crowd, const struct sim_frame *frame, uint32_t own,
                   const uint32_t *order, const struct sim_found *found,
                   const struct sim_rays *rays);

    /* Shorten all rays to where they meet walls that are visible and not their own. There are
     * walls, and walks; the ranges of all are in one array, in their order, and so are the returns.
     */
    void (*walk)(const struct sim_walls *walls, const struct sim_walk *walks, uint32_t count);
};

extern const struct sim_kernel tpi_sim_kernel_plain;

/* The fastest that this processor has. */
const struct sim_kernel *tpi_sim_kernel(void);

#endif
