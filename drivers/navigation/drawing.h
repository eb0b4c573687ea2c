/*
 * drawing.h - what navigation shows to people: ways, particles and maps, on a graphics2d.
 *
 * The device's frame must be that of the map, as with the key "world" of the driver `sim`. Each
 * driver needs a graphics2d of its own, since it wipes it. Without one, nothing is drawn.
 */
#ifndef TROUPE_DRIVERS_NAVIGATION_DRAWING_H
#define TROUPE_DRIVERS_NAVIGATION_DRAWING_H

#include "navigation/filter.h"
#include "troupe/driver.h"

/* Use the graphics2d in `requires`; `*out` is NULL if there is none. From init. */
tp_status tpi_drawing_require(tp_instance *self, tp_link **out, tp_error *err);

/* Wipe what was drawn. A NULL link is accepted, here and below. */
void tpi_drawing_clear(tp_link *link);

/* A way from a place through waypoints, and its end. */
void tpi_drawing_way(tp_link *link, tpi_nav_point from, const tpi_nav_point *waypoints,
                     size_t count, tpi_nav_point goal);

/* Some of the particles, as short lines, and the guesses, as ellipses of two deviations. */
void tpi_drawing_particles(tp_link *link, const tpi_nav_filter *filter);

/* The occupied cells of a map, as points; of a map with too many, some of them, evenly. */
void tpi_drawing_map(tp_link *link, const tpi_nav_grid *grid);

#endif
