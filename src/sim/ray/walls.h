/*
 * walls.h - what does not move in a simulated world, as segments: for maps and pictures.
 *
 * Segments of a closed outline have its inside on their left, so that a place with a positive
 * winding number is inside of something. They may change with every call that moves a model.
 */
#ifndef TROUPE_SIM_RAY_WALLS_H
#define TROUPE_SIM_RAY_WALLS_H

#include "sim/sim.h"

typedef struct tpi_sim_segment {
    double x0, y0, x1, y1;
    double z0, z1;       /* how high it reaches */
    tpi_sim_model model; /* whose it is */
    bool obstacle;       /* bodies are stopped by it */
    bool visible;        /* rangers see it */
} tpi_sim_segment;

uint32_t tpi_sim_segment_count(const tpi_sim *sim);

/* One of them, by a number below the count. */
void tpi_sim_get_segment(const tpi_sim *sim, uint32_t index, tpi_sim_segment *segment);

#endif
