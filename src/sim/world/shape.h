/*
 * shape.h - the body of a model while it is being built: polygons with heights.
 *
 * Points are in whatever units the file has until tpi_sim_shape_fit() makes them fill the model's
 * box. Polygons have their inside on the left: outlines run counter-clockwise, holes clockwise.
 */
#ifndef TROUPE_SIM_WORLD_SHAPE_H
#define TROUPE_SIM_WORLD_SHAPE_H

#include "base/buf.h"
#include "sim/world/bitmap.h"

enum {
    TPI_SIM_MOST_CORNERS = 4 << 20, /* of one shape */
    TPI_SIM_MOST_TRACED = 1 << 19,  /* of a picture: maps have far fewer, noise has more */
};

struct sim_polygon {
    uint32_t first, count; /* points */
    double z0, z1;
    bool simple;   /* it does not cross itself */
    uint32_t role; /* which of the model's parts that move by themselves; 0 for none */
};

struct sim_point {
    double x, y;
};

struct sim_shape {
    tpi_buf polygons; /* owned: struct sim_polygon */
    tpi_buf points;   /* owned: struct sim_point */
};

/* An all-zero shape is empty and ready. */
void tpi_sim_shape_fini(struct sim_shape *shape);
void tpi_sim_shape_clear(struct sim_shape *shape);

uint32_t tpi_sim_shape_count(const struct sim_shape *shape);
struct sim_polygon *tpi_sim_shape_polygon(const struct sim_shape *shape, uint32_t index);
struct sim_point *tpi_sim_shape_point(const struct sim_shape *shape, uint32_t index);

/* Twice the area of a polygon, positive if its inside is on the left. */
double tpi_sim_area(const struct sim_point *points, uint32_t count);

/* Add a polygon; it is turned so that its inside is on the left. */
tp_status tpi_sim_shape_add(struct sim_shape *shape, const struct sim_point *points, uint32_t count,
                            double z0, double z1, tp_error *err);

/* Add a box with the given corners. */
tp_status tpi_sim_shape_add_box(struct sim_shape *shape, double x0, double y0, double x1, double y1,
                                double z0, double z1, tp_error *err);

/* Add the outlines of the occupied pixels, with z from 0 to 1. The y axis points up. */
tp_status tpi_sim_shape_trace(struct sim_shape *shape, struct sim_bitmap *bitmap, tp_error *err);

/* Move the middle of all polygons to 0, 0 and stretch them to fill `size`; heights are stretched
 * likewise, but not moved. */
void tpi_sim_shape_fit(struct sim_shape *shape, const double size[3]);

/* Add thin walls along the inner side of the box that holds all polygons, as high as they are. */
tp_status tpi_sim_shape_add_boundary(struct sim_shape *shape, tp_error *err);

/* Add thin walls along the inner side of a box of that size, whose middle is at 0, 0. */
tp_status tpi_sim_shape_add_room(struct sim_shape *shape, const double size[3], tp_error *err);

#endif
