/*
 * step.h - how a step is cut into pieces of work.
 *
 * A chunk is a run of spots: bodies that are near each other. Which worker does which chunk does
 * not matter for any result.
 */
#ifndef TROUPE_SIM_STEP_H
#define TROUPE_SIM_STEP_H

#include "sim/inside.h"

enum { SIM_CHUNK = 64 };

struct sim_chunk {
    uint32_t first, end; /* spots */
};

static inline uint32_t sim_chunk_count(const tpi_sim *sim)
{
    return (sim->crowd.count + SIM_CHUNK - 1) / SIM_CHUNK;
}

static inline struct sim_chunk sim_chunk_of(const tpi_sim *sim, uint32_t item)
{
    const uint32_t first = item * SIM_CHUNK;
    const uint32_t end = first + SIM_CHUNK;

    return (struct sim_chunk){first, end < sim->crowd.count ? end : sim->crowd.count};
}

/* Let the crew do the work, with the world as its argument. */
void tpi_sim_run(tpi_sim *sim, tpi_sim_work *work, uint32_t count);

#endif
