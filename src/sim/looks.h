/*
 * looks.h - what a world looks like, for programs that draw it themselves.
 *
 * Shapes: the polygons of a model in its own frame. Models that were written alike share a shape.
 * Poses: every model has a place in the table, in the frame of its parent, which never changes; a
 * model that is elsewhere now has moved. Heights are included: what stands on a model that stacks
 * its children is as much higher.
 *
 * A table is made for one world, which has to outlive it, and belongs to the same thread. Nothing
 * here allocates, except for making the table and what is appended to buffers.
 */
#ifndef TROUPE_SIM_LOOKS_H
#define TROUPE_SIM_LOOKS_H

#include "sim/sim.h"

/* The colour that a model has in pictures, 0xRRGGBBAA: its own, or where the file gives none, one
 * that tells robots from walls and from each other. */
uint32_t tpi_sim_look_colour(const tpi_sim *sim, tpi_sim_model model);

/* The colour of the ground, and the light that is everywhere. */
void tpi_sim_look_ground(const tpi_sim *sim, uint32_t *colour, double *ambient);

/* Numbers that differ when colours, or drawings (sketch.h), have changed. */
uint32_t tpi_sim_look_changes(const tpi_sim *sim);
uint32_t tpi_sim_look_drawings(const tpi_sim *sim);

/* Lamps, in the order of models. */
uint32_t tpi_sim_look_light_count(const tpi_sim *sim);
tpi_sim_model tpi_sim_look_light(const tpi_sim *sim, uint32_t index);

/* ---- The table ------------------------------------------------------------------------------- */

typedef struct tpi_sim_looks tpi_sim_looks;

tp_status tpi_sim_looks_create(tpi_sim_looks **out, const tpi_sim *sim, tp_error *err);
void tpi_sim_looks_destroy(tpi_sim_looks *looks); /* NULL is accepted */

/* A rectangle that holds all bodies and floors, as they were when the table was made. */
typedef struct tpi_sim_bounds {
    double x0, y0, x1, y1;
} tpi_sim_bounds;

tpi_sim_bounds tpi_sim_looks_bounds(const tpi_sim_looks *looks);

uint32_t tpi_sim_looks_shape_count(const tpi_sim_looks *looks);

/* The shape of a model; TPI_SIM_NONE for one without a body. */
uint32_t tpi_sim_looks_shape(const tpi_sim_looks *looks, tpi_sim_model model);

/* Where the table has a model. */
tpi_sim_pose tpi_sim_looks_pose(const tpi_sim_looks *looks, tpi_sim_model model);

/* Whether it is a robot: it can be driven. */
bool tpi_sim_looks_is_robot(const tpi_sim_looks *looks, tpi_sim_model model);

/* Whether dragging it makes sense: it stands on nothing, and is neither a floor nor a room. */
bool tpi_sim_looks_drags(const tpi_sim_looks *looks, tpi_sim_model model);

/* ---- Polygons -------------------------------------------------------------------------------- */

typedef struct tpi_sim_look_polygon {
    uint32_t shape;
    uint32_t part;  /* 0, or which part of the model that moves on it */
    uint32_t count; /* of corners */
    double z0, z1;  /* above the model */
} tpi_sim_look_polygon;

/* All of them, by shape. */
uint32_t tpi_sim_looks_polygon_count(const tpi_sim_looks *looks);
void tpi_sim_looks_polygon(const tpi_sim_looks *looks, uint32_t index,
                           tpi_sim_look_polygon *polygon);

/* x and y of each corner. */
void tpi_sim_looks_corners(const tpi_sim_looks *looks, uint32_t index, float *xy);

/* ---- What has moved -------------------------------------------------------------------------- */

/* A model that is not where the table has it. */
typedef struct tpi_sim_moved {
    tpi_sim_model model;
    tpi_sim_pose pose; /* in the frame of its parent */
} tpi_sim_moved;

/* A part that has moved on its model. */
typedef struct tpi_sim_shifted {
    tpi_sim_model model;
    uint32_t part;
    double x, y, z; /* how far, in the frame of the model */
} tpi_sim_shifted;

/* The model at the bottom that a model stands on. */
tpi_sim_model tpi_sim_looks_root(const tpi_sim_looks *looks, tpi_sim_model model);

/* Append what has moved of a model that stands on nothing and of all that stands on it:
 * tpi_sim_moved to one buffer, tpi_sim_shifted to the other. */
void tpi_sim_looks_moved(const tpi_sim_looks *looks, tpi_sim_model root, tpi_buf *moved,
                         tpi_buf *shifted);

#endif
