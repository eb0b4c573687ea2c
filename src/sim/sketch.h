/*
 * sketch.h - what programs draw on a world: points, lines and shapes, each in the frame of a model.
 *
 * They are seen in pictures (draw/draw.h) and by nobody in the world, and are no part of its state.
 * A model keeps up to TPI_SIM_MOST_SKETCHED points; further points replace the oldest. Like
 * everything in sim.h it belongs to the thread that steps. Only adding allocates, and that less and
 * less: the memory of what was cleared or lost is used again.
 *
 * Sheets lie on the world and are not of a model: TPI_SIM_SHEET(n) instead of a model. Each is
 * cleared by itself.
 */
#ifndef TROUPE_SIM_SKETCH_H
#define TROUPE_SIM_SKETCH_H

#include "sim/sim.h"

enum { TPI_SIM_MOST_SKETCHED = 16384 };

#define TPI_SIM_SHEET(number) ((tpi_sim_model)(UINT32_C(0x80000000) + (number)))

typedef enum tpi_sim_stroke_kind {
    TPI_SIM_STROKE_POINTS,
    TPI_SIM_STROKE_LINE,  /* through all points */
    TPI_SIM_STROKE_LINES, /* of two points each */
    TPI_SIM_STROKE_SHAPE, /* closed */
} tpi_sim_stroke_kind;

typedef struct tpi_sim_stroke {
    tpi_sim_stroke_kind kind;
    uint32_t colour; /* 0xRRGGBBAA */
    uint32_t fill;   /* of a shape; 0 for none */
    uint32_t count;  /* of points */
} tpi_sim_stroke;

/* Add a stroke; `xy` has two numbers for each point. Fails for numbers that are not finite, for
 * more points than a model keeps, and if memory runs out. */
tp_status tpi_sim_sketch(tpi_sim *sim, tpi_sim_model model, const tpi_sim_stroke *stroke,
                         const double *xy, tp_error *err);

void tpi_sim_sketch_clear(tpi_sim *sim, tpi_sim_model model);

/* All of them, one after the other: begin with zero. False at the end. */
typedef struct tpi_sim_sketched {
    const void *sketch;  /* inside */
    size_t at, point;    /* inside */
    tpi_sim_model model; /* TPI_SIM_NONE for the world */
    tpi_sim_stroke stroke;
    const float *xy; /* borrowed until something is added or cleared */
} tpi_sim_sketched;

bool tpi_sim_sketch_next(const tpi_sim *sim, tpi_sim_sketched *sketched);

#endif
