/*
 * control.h - controllers that are part of the simulator, so that worlds run by themselves.
 *
 * A controller sits in a driven model and uses its rangers, or its floor sensor. It is run right
 * after they have looked, and gives the command of the next step.
 */
#ifndef TROUPE_SIM_CONTROL_H
#define TROUPE_SIM_CONTROL_H

#include "sim/inside.h"

/* The controller of that name; 0 if there is none. */
uint32_t tpi_sim_control_find(const char *name);

/* Whether the controller wants to be subscribed to models of a kind. */
bool tpi_sim_control_uses(uint32_t control, tpi_sim_kind kind);

/* Let the tree's controller read its sensors and give a command. */
void tpi_sim_control_run(tpi_sim *sim, uint32_t tree);

/* control_follow.c: the command of one that follows lines. */
void tpi_sim_control_follow(const tpi_sim *sim, uint32_t tree, double goal[3]);

#endif
