/*
 * kernel.h - the innermost loops of rangers, for every processor and for those with AVX2.
 *
 * Both give the same bits: they do the same operations, only more of them at once.
 */
#ifndef TROUPE_SIM_KERNEL_H
#define TROUPE_SIM_KERNEL_H

#include "sim/inside.h"

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

enum { SIM_MOST_FOUND = 64 };

/* Bodies that were found near a frame: their numbers among the spots, and their circles in the
 * frame. */
struct sim_found {
    uint32_t spot[SIM_MOST_FOUND];
    double x[SIM_MOST_FOUND], y[SIM_MOST_FOUND], radius[SIM_MOST_FOUND];
    uint32_t count;
};

struct sim_kernel {
    const char *name;

    /* Add those of the spots `from` up to, but without, `to` that touch a circle round the frame.
     * There has to be room for all of them. */
    void (*gather)(const struct sim_crowd *crowd, uint32_t from, uint32_t to,
                   const struct sim_frame *frame, double radius, struct sim_found *found);

    /* For each body: which of the rays, at most 64, come near it before they end. A bit for each;
     * some that only almost do may be set too. */
    void (*near)(const struct sim_rays *rays, const struct sim_found *found, uint64_t *bits);

    /* Shorten the rays `from` up to, but without, `to` that meet the edge. They begin at the
     * origin. Other rays may be looked at too. */
    void (*meet)(const struct sim_rays *rays, uint32_t from, uint32_t to,
                 const struct sim_edge *edge);

    /* Shorten all rays, which are given in the frame, to where they meet walls that are visible and
     * not of the tree `own`. */
    void (*walk)(const struct sim_walls *walls, const struct sim_frame *frame, uint32_t own,
                 const struct sim_rays *rays);
};

extern const struct sim_kernel tpi_sim_kernel_plain;

/* The fastest that this processor has. */
const struct sim_kernel *tpi_sim_kernel(void);

#endif
