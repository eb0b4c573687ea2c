/* touch.h - straight pieces that feel bodies and walls. */
#ifndef TROUPE_SIM_RAY_TOUCH_H
#define TROUPE_SIM_RAY_TOUCH_H

#include "sim/inside.h"

/* A straight piece that feels what comes near it. */
struct sim_stick {
    double x0, y0, x1, y1;
    double z0, z1;
    double reach;   /* how near */
    uint32_t group; /* what it does not feel */
    uint32_t feels; /* what has one of these flags */
    bool flat;      /* heights do not matter */
};

/* Whether the edge of any body or wall is within reach. */
bool tpi_sim_feels(const tpi_sim *sim, const struct sim_stick *stick);

/* Whether its first end is within a body that can move. */
bool tpi_sim_is_covered(const tpi_sim *sim, const struct sim_stick *stick);

#endif
