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

/* Names of controllers, from 0; NULL after the last. Those that only stand for others come after
 * the others. */
const char *tpi_sim_control_name(uint32_t index);

enum { TPI_SIM_OWN_CONTROLS = 3 }; /* that do not stand for others */

/* What it cannot do without on a robot. */
tpi_sim_kind tpi_sim_control_needs(uint32_t control);

/* Whether the controller wants to be subscribed to models of a kind. */
bool tpi_sim_control_uses(uint32_t control, tpi_sim_kind kind);

/* Let the tree's controller read its sensors and give a command. */
void tpi_sim_control_run(tpi_sim *sim, uint32_t tree);

/* control_follow.c: the command of one that follows lines. */
void tpi_sim_control_follow(const tpi_sim *sim, uint32_t tree, double goal[3]);

#endif
