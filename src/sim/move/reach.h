/* reach.h - limbs inside: the part of a step that leads them (limb.c). */
#ifndef TROUPE_SIM_MOVE_REACH_H
#define TROUPE_SIM_MOVE_REACH_H

#include "sim/inside.h"

/* Give the joints of all limbs that are on their way the commands of this step. */
void tpi_sim_limbs_move(tpi_sim *sim);

#endif
