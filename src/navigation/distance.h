/*
 * distance.h - how far each cell of a grid is from the nearest one that is not free.
 */
#ifndef TROUPE_NAVIGATION_DISTANCE_H
#define TROUPE_NAVIGATION_DISTANCE_H

#include "navigation/grid.h"

/* Fill `out`, a number for each cell, with the distance in cells between the centres of the cell
 * and of the nearest occupied one, at most `most`. Exact. With `unknown`, cells that are unknown
 * count as occupied. */
tp_status tpi_nav_distance(const tpi_nav_grid *grid, bool unknown, double most, float *out,
                           tp_error *err);

#endif
