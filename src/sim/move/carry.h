/*
 * carry.h - what grippers hold.
 *
 * What is held stays a tree, but belongs to the group of the tree that holds it: the two neither
 * see nor touch each other. It moves as if it were one body with its holder: it gets the same
 * motion, what stops one stops both, and after the step it is put exactly where the gripper is.
 */
#ifndef TROUPE_SIM_MOVE_CARRY_H
#define TROUPE_SIM_MOVE_CARRY_H

#include "sim/inside.h"

/* A gripper; all of them are in a list, in the order of their trees. */
struct sim_grip {
    uint32_t tree, device;
    uint32_t cargo; /* a tree; TPI_SIM_NONE for nothing */
};

tp_status tpi_sim_carry_init(tpi_sim *sim, tp_error *err);

/* The next tree that `tree` holds, after `cargo` (TPI_SIM_NONE: the first); TPI_SIM_NONE at the
 * end. */
uint32_t tpi_sim_carry_next(const tpi_sim *sim, uint32_t tree, uint32_t cargo);

/* In a step: give what is held the motion of its holder; ... */
void tpi_sim_carry_velocities(tpi_sim *sim);

/* ... let what stops one stop both; ... */
void tpi_sim_carry_ways(tpi_sim *sim);

/* ... put it where its holder is; ... */
void tpi_sim_carry_along(tpi_sim *sim);

/* ... and take and let go. The crowd is sorted, before and after. */
void tpi_sim_carry_settle(tpi_sim *sim);

/* Find out again which gripper holds what, from the states; a tree that is gone is not held. */
void tpi_sim_carry_restore(tpi_sim *sim);

/* The tree that a gripper holds; TPI_SIM_NONE for none. */
uint32_t tpi_sim_carry_cargo(const tpi_sim *sim, uint32_t tree, uint32_t device);

#endif
