/*
 * field.h - how well readings fit a map.
 *
 * The likelihood field: a reading fits the better, the nearer its end is to an obstacle of the map.
 * Distances are kept as a byte for each cell, so that a look takes one access to memory. The model
 * of beams compares each reading with a ray through the map instead; it costs more and sees also
 * what is missing.
 */
#ifndef TROUPE_NAVIGATION_FIELD_H
#define TROUPE_NAVIGATION_FIELD_H

#include "navigation/grid.h"
#include "navigation/window.h"

typedef struct tpi_nav_field {
    const tpi_nav_grid *grid; /* borrowed */
    uint8_t *away;            /* owned: distance to the nearest obstacle */
    float table[256];         /* how well that fits: the logarithm of a probability */
    float outside;            /* of a reading that ends outside of the map */
    double deviation;         /* m: of readings */
    double bad;               /* share of readings that have nothing to do with the map */
    bool beams;               /* compare with rays */
} tpi_nav_field;

/* `grid` stays as long as the field. */
tp_status tpi_nav_field_init(tpi_nav_field *field, const tpi_nav_grid *grid, double deviation,
                             double bad, tp_error *err);
void tpi_nav_field_fini(tpi_nav_field *field);

/* How well readings fit a pose: the mean of the logarithms, 0 at best. Readings without a hit count
 * only with rays. */
double tpi_nav_field_fit(const tpi_nav_field *field, const tpi_nav_pose *pose,
                         const tpi_nav_beam *beams, size_t count);

/* The same by distances, never by rays: for trying many poses. */
double tpi_nav_field_glance(const tpi_nav_field *field, const tpi_nav_pose *pose,
                            const tpi_nav_beam *beams, size_t count);

#endif
