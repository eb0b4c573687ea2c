/*
 * draw.h - a world from above, as a picture.
 *
 * Bodies with their shadows, where robots look and what their rangers see, the ways that they came,
 * names and a scale bar; as PNG, as SVG, or as pixels. The same world gives the same picture: no
 * fonts, no graphics library, nothing of the machine goes into it.
 *
 * Needs memory, so it is nothing for a step; nothing else waits. A picture belongs to
 * the thread that asks for it, which has to be the one that owns the world.
 */
#ifndef TROUPE_SIM_DRAW_DRAW_H
#define TROUPE_SIM_DRAW_DRAW_H

#include "sim/sim.h"

enum { TPI_DRAW_MOST_PIXELS = 16 << 20 };

/* ---- Trails ---------------------------------------------------------------------------------- */

/* Where robots have been. */
typedef struct tpi_draw_trails tpi_draw_trails;

/* For a world; `length` is how many places each robot leaves behind it. */
tp_status tpi_draw_trails_create(tpi_draw_trails **out, const tpi_sim *sim, uint32_t length,
                                 tp_error *err);
void tpi_draw_trails_destroy(tpi_draw_trails *trails); /* NULL is accepted */

/* Remember where all robots are now, without those that have hardly moved since the last time. */
void tpi_draw_trails_note(tpi_draw_trails *trails, const tpi_sim *sim);

/* ---- Pictures -------------------------------------------------------------------------------- */

/* A picture without width and height has those of the world's window, if it has one. */
typedef struct tpi_draw_look {
    uint32_t width, height;        /* in pixels; where one is 0, what suits the world */
    bool dark;                     /* light on dark, for terminals that are */
    bool bare;                     /* without names and scale bar */
    const tpi_draw_trails *trails; /* borrowed; may be NULL */
} tpi_draw_look;

/* Where a model stands in such a picture: from 0 to 1 from its left and its upper edge. `width` and
 * `height` must be given. */
tp_status tpi_draw_places(const tpi_sim *sim, const tpi_draw_look *look,
                          const tpi_sim_model *models, uint32_t count, double (*places)[2]);

/* Append the picture as a file. Fails if it is too large, or if memory runs out. */
tp_status tpi_draw_png(tpi_buf *out, const tpi_sim *sim, const tpi_draw_look *look, tp_error *err);
tp_status tpi_draw_svg(tpi_buf *out, const tpi_sim *sim, const tpi_draw_look *look, tp_error *err);

/* Append it as pixels of three bytes, row by row from the top; `width` and `height` must be given.
 */
tp_status tpi_draw_pixels(tpi_buf *out, const tpi_sim *sim, const tpi_draw_look *look,
                          tp_error *err);

#endif
