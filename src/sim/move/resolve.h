/*
 * resolve.h - which bodies stop: all motions of a step against each other.
 *
 * Every body that moves first finds out how far the walls let it go. Those that may touch others
 * are *contenders*. They go through rounds: in each, a body compares its way with those of its
 * neighbours, each cut where it had to stop in the round before, and cuts its own where it first
 * touches one. Two bodies that meet while both move both stop there; one that runs into another
 * that has stopped stops alone. Ways only get shorter, so the rounds end. Every round reads the
 * results of the one before and writes others, so the order of bodies does not matter.
 */
#ifndef TROUPE_SIM_MOVE_RESOLVE_H
#define TROUPE_SIM_MOVE_RESOLVE_H

#include "sim/inside.h"

struct sim_effort; /* contact.h */

/* Find sim->motions.until for all motions. The crowd has to be sorted. */
void tpi_sim_resolve(tpi_sim *sim);

/* Whether a body overlaps anything. Bodies that have any of the flags `except` do not count. */
bool tpi_sim_has_overlap(const tpi_sim *sim, const struct sim_spot *spot, uint32_t except);

/* Find out for one tree, in a sorted crowd, whether it touches or overlaps something. */
void tpi_sim_check_overlap(tpi_sim *sim, uint32_t tree);

/* What the next call may cost by default. It grows with the number of bodies and not faster. */
struct sim_effort tpi_sim_overlap_effort(const tpi_sim *sim);

/* Find out for all bodies whether they touch or overlap something; report each that overlaps
 * through `tell`, which may be NULL: `other` is a tree. `effort` may be NULL for the default.
 * Returns how many bodies were not checked because it was used up, where very many models overlap;
 * these are moved with care, as if they overlapped something. */
uint32_t tpi_sim_check_overlaps(tpi_sim *sim, struct sim_effort *effort,
                                void (*tell)(void *context, uint32_t tree, uint32_t other),
                                void *context);

/* Look again at a body that touched or overlapped something. */
void tpi_sim_forget_overlaps(tpi_sim *sim, uint32_t slot);

#endif
