/*
 * level.h - motion straight up and down: what is above and below a body.
 *
 * A body that flies passes over what is lower than it is, and lands on it. Unlike the sweep in the
 * plane (sweep.h) this looks at bodies as solid: one that is wholly within the outline of another
 * stands on its top.
 */
#ifndef TROUPE_SIM_MOVE_LEVEL_H
#define TROUPE_SIM_MOVE_LEVEL_H

#include "sim/inside.h"

/* How much of `climb` (metres, negative for down) the tree can do before it touches something; of
 * the room between it and another body that flies each has half. The floor does not count. The
 * crowd has to be sorted. */
double tpi_sim_level_free(const tpi_sim *sim, uint32_t tree, double climb);

#endif
