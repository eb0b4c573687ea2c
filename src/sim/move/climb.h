/* climb.h - aircraft inside: the part of a step that changes heights (aircraft.c). */
#ifndef TROUPE_SIM_MOVE_CLIMB_H
#define TROUPE_SIM_MOVE_CLIMB_H

#include "sim/inside.h"

/* Let all aircraft climb or sink. The crowd has to be sorted, and is sorted afterwards. */
void tpi_sim_climb(tpi_sim *sim);

/* Let it stay at its height; nothing for other models. */
void tpi_sim_hover(tpi_sim *sim, tpi_sim_model model);

/* Whether the tree was commanded to stay at its height and is still getting slower; for trees with
 * a driver. */
bool tpi_sim_climb_brakes(const tpi_sim *sim, uint32_t tree);

#endif
