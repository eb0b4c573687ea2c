/*
 * power.h - batteries: what they lose, and what chargers give them.
 *
 * A battery is a device of the model that has `joules`, beside the one of its kind. A model with
 * `give_watts` charges whatever has `take_watts` and touches it, from its own battery or, without
 * one, from the mains.
 */
#ifndef TROUPE_SIM_MOVE_POWER_H
#define TROUPE_SIM_MOVE_POWER_H

#include "sim/inside.h"

tp_status tpi_sim_power_init(tpi_sim *sim, tp_error *err);

/* At the end of a step: draw from all batteries, then charge. The crowd is sorted. */
void tpi_sim_power_flow(tpi_sim *sim);

#endif
