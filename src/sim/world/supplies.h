/*
 * supplies.h - the macros that the files of worlds/ define: robots, furniture, those of Stage.
 *
 * The program contains the list, so that the error about a missing `include` can name the file.
 */
#ifndef TROUPE_SIM_WORLD_SUPPLIES_H
#define TROUPE_SIM_WORLD_SUPPLIES_H

#include <stdbool.h>
#include <stddef.h>

/* `; include "robots/pioneer.inc" defines it` of such a macro; with `nearly`, also of a name that
 * was most likely meant to be one. False, and nothing is written, for others. */
bool tpi_sim_hint_supply(const char *type, bool nearly, char *hint, size_t size);

#endif
