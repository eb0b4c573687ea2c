/*
 * grid.h - maps of the plane as grids of cells.
 *
 * A cell is free (-1), unknown (0) or occupied (1), as in the interface `map`. Row 0 is the lowest.
 */
#ifndef TROUPE_NAVIGATION_GRID_H
#define TROUPE_NAVIGATION_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "troupe/status.h"

enum { TPI_NAV_FREE = -1, TPI_NAV_UNKNOWN = 0, TPI_NAV_OCCUPIED = 1 };

/* As many as a picture may have. */
enum { TPI_NAV_MOST_CELLS = 128 << 20 };

typedef struct tpi_nav_grid {
    uint32_t width, height;
    double scale;  /* side of a cell, in metres */
    double x, y;   /* the lower left corner of the lower left cell */
    int8_t *cells; /* row by row from the lowest; whoever made the grid owns them */
} tpi_nav_grid;

/* Take memory for the cells, all unknown. TP_E_LIMIT for too many, TP_E_RANGE for a scale that is
 * no length. */
tp_status tpi_nav_grid_init(tpi_nav_grid *grid, uint32_t width, uint32_t height, double scale,
                            tp_error *err);

/* Release cells that tpi_nav_grid_init() took; safe after a failure. */
void tpi_nav_grid_fini(tpi_nav_grid *grid);

/* The cell at a place; false outside of the grid. */
bool tpi_nav_grid_at(const tpi_nav_grid *grid, double x, double y, uint32_t *column, uint32_t *row);

/* The centre of a cell. */
void tpi_nav_grid_centre(const tpi_nav_grid *grid, uint32_t column, uint32_t row, double *x,
                         double *y);

/* The value of the cell at a place; unknown outside. */
int8_t tpi_nav_grid_value(const tpi_nav_grid *grid, double x, double y);

/* How far a ray goes from a place until it meets an occupied cell; at most `longest`. Unknown cells
 * and what is outside do not stop it. */
double tpi_nav_grid_ray(const tpi_nav_grid *grid, double x, double y, double angle, double longest);

/* The same in a direction: the cosine and sine of the angle. */
double tpi_nav_grid_ray_along(const tpi_nav_grid *grid, double x, double y, double dx, double dy,
                              double longest);

#endif
