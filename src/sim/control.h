/*
 * control.h - controllers that are part of the simulator, so that worlds run by themselves.
 *
 * A controller sits in a driven model and uses its rangers, its finder of markers or its floor
 * sensor. It is run right after they have looked, and gives the command of the next step.
 */
#ifndef TROUPE_SIM_CONTROL_H
#define TROUPE_SIM_CONTROL_H

#include "sim/inside.h"

/* The controller that the first word of a `ctrl` names; 0 if there is none. */
uint32_t tpi_sim_control_find(const char *text);

/* Names of controllers, from 0; NULL after the last. Those that only stand for others come after
 * the others. */
const char *tpi_sim_control_name(uint32_t index);

enum { TPI_SIM_OWN_CONTROLS = 6 }; /* that do not stand for others */

/* Whether it drives nothing, but makes the ranges of the ranger that names it noisy. */
bool tpi_sim_control_is_noise(uint32_t control);

/* Whether it carries things from a source to a sink. */
bool tpi_sim_control_forages(uint32_t control);

/* Whether it drives a robot. */
bool tpi_sim_control_drives(uint32_t control);

/* Whether it cannot do without a model of a kind on the robot. */
bool tpi_sim_control_needs(uint32_t control, tpi_sim_kind kind);

/* Whether the controller wants to be subscribed to models of a kind. */
bool tpi_sim_control_uses(uint32_t control, tpi_sim_kind kind);

/* Let the tree's controller read its sensors and give a command. */
void tpi_sim_control_run(tpi_sim *sim, uint32_t tree);

/* control_follow.c: the command of one that follows lines. */
void tpi_sim_control_follow(const tpi_sim *sim, uint32_t tree, double goal[3]);

/* ---- control_forage.c ------------------------------------------------------------------------ */

struct sim_position_state;

/* Find the ways to source and sink, if robots forage. `lost`: they do, and there are not both. */
tp_status tpi_sim_forage_init(tpi_sim *sim, bool *lost, tp_error *err);
void tpi_sim_forage_free(struct sim_forage *forage);

/* Load or unload, if the robot is there. */
void tpi_sim_forage_work(const tpi_sim *sim, uint32_t tree, struct sim_position_state *state);

/* How fast the robot has to turn to be on its way, in rad/s. */
double tpi_sim_forage_turn(const tpi_sim *sim, uint32_t tree,
                           const struct sim_position_state *state);

#endif
