/*
 * group.h - groups of rays that are cast together: the rays of a scan, or of a bundle.
 *
 * Rays that stand at their greatest ranges are shortened to what they hit. sense/ranger.h says how
 * rangers are made of groups.
 */
#ifndef TROUPE_SIM_RAY_GROUP_H
#define TROUPE_SIM_RAY_GROUP_H

#include "sim/ray/kernel.h"

enum sim_ranger_form { SIM_BUNDLE, SIM_LOOSE, SIM_SCAN };

struct sim_ranger_group {
    struct sim_frame frame; /* in the ranger's frame; z is the height of the rays */
    double reach;           /* from its origin to the farthest end of a ray */
    double offset;          /* from its origin to the farthest beginning of a ray */
    double start, step;     /* of a scan: the angle of the first ray, and between two */
    uint32_t first, count;  /* samples */
    uint32_t sensor;        /* the first one */
    uint32_t form;
};

enum { SIM_MOST_BUNDLED = 64 }; /* rays of a bundle */

/* scan.c. Shorten the rays of a scan, which stand at their greatest ranges, to what they hit. */
void tpi_sim_fan(const tpi_sim *sim, const struct sim_ranger_group *group,
                 const struct sim_frame *frame, uint32_t own, const uint32_t *before,
                 const struct sim_rays *rays);

/* bundle.c. Shorten the rays of a bundle to bodies that they hit. Sets walk->free. True if they
 * still have to look for walls. */
bool tpi_sim_bundle(const tpi_sim *sim, const struct sim_ranger_group *group,
                    const uint32_t *before, const uint32_t *order, struct sim_walk *walk);

#endif
