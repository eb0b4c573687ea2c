/*
 * rivals.h - which bodies may be in the way of one.
 *
 *     struct sim_rivals rivals;
 *     tpi_sim_rivals_init(&rivals, sim, spot, reach);
 *     while ((other = tpi_sim_rivals_next(&rivals)) != NULL) { ... }
 *
 * Where very many bodies overlap, as of a thousand robots in one place, each would be in the way of
 * each. Of such a *pile* a body that is in it too meets only SIM_MOST_PILED others, the first ones
 * in the order of the crowd; what is not in the pile meets all of it. So a step takes time in
 * proportion to the number of bodies, and a world without a pile is as if there were no such rule.
 */
#ifndef TROUPE_SIM_MOVE_RIVALS_H
#define TROUPE_SIM_MOVE_RIVALS_H

#include "sim/ray/crowd.h"

enum {
    SIM_MOST_PILED = 32,  /* others of a pile that a body of it meets ... */
    SIM_MOST_LOOKS = 1024 /* ... among the first ones that are looked at */
};

struct sim_rivals {
    const tpi_sim *sim;          /* borrowed */
    const struct sim_spot *spot; /* borrowed */
    struct sim_near near;
    double reach; /* metres between the outlines */
    bool ways;    /* and the way of the other one in this step */
    /* the spots of the current run: slots, or places in sim->contest.order */
    uint32_t at, end;
    bool piled;           /* the body is in a pile */
    uint32_t from, to;    /* slots of the current run, whose piled ones are still to come */
    uint32_t left, looks; /* how many of those may still be met, and looked at */
};

/* Sort out which bodies overlap something. The crowd is sorted. Called before the others. */
void tpi_sim_rivals_sort(tpi_sim *sim);

/* Begin with those whose outlines may come within `reach` of that of the body. */
void tpi_sim_rivals_init(struct sim_rivals *rivals, const tpi_sim *sim, const struct sim_spot *spot,
                         double reach);

/* Begin with those that the body may touch in this step, wherever both move. */
void tpi_sim_rivals_init_step(struct sim_rivals *rivals, const tpi_sim *sim,
                              const struct sim_spot *spot);

/* The next one; NULL after the last. */
const struct sim_spot *tpi_sim_rivals_next(struct sim_rivals *rivals);

/* Whether no body is near enough, which is so for most and quick to find out: with rounded numbers,
 * and without a look at the others themselves. */
bool tpi_sim_rivals_is_none(const struct sim_rivals *rivals);

#endif
