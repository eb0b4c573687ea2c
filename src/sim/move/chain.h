/*
 * chain.h - the kinematics of a chain of joints: where its tip is, and how to bring it somewhere.
 *
 * This file knows nothing of worlds: a chain is a list of joints and of fixed frames between them,
 * and both functions are pure. limb.c makes a chain of actuators; another solver can take the place
 * of tpi_sim_chain_solve() without changes there.
 *
 * As everywhere in the engine bodies stay upright: of a turn only the part about z counts.
 */
#ifndef TROUPE_SIM_MOVE_CHAIN_H
#define TROUPE_SIM_MOVE_CHAIN_H

#include "sim/type.h"

enum { SIM_MOST_CHAIN = 16 };

struct sim_chain_joint {
    struct sim_frame before; /* at position 0, in the frame that the joint before moves */
    double axis[3];
    double low, high;
    bool linear;
};

struct sim_chain {
    struct sim_chain_joint joints[SIM_MOST_CHAIN];
    uint32_t count;
    struct sim_frame tip; /* in the frame that the last joint moves */
};

struct sim_chain_goal {
    double x, y, z;
    double heading;
    bool has_heading; /* else any will do */
};

/* Where the tip is, in the frame of the chain, with the joints at these positions. */
struct sim_frame tpi_sim_chain_tip(const struct sim_chain *chain, const double *positions);

/* Find positions within all bounds that bring the tip to the goal, near the given ones if there are
 * several; false if none was found, and the positions then are the best that were. */
bool tpi_sim_chain_solve(const struct sim_chain *chain, const struct sim_chain_goal *goal,
                         double *positions);

#endif
