/* canvas.h - pixels to draw on. */
#ifndef TROUPE_SIM_DRAW_CANVAS_H
#define TROUPE_SIM_DRAW_CANVAS_H

#include "sim/draw/pen.h"

struct draw_canvas {
    struct draw_pen pen; /* first, so that it is the canvas */
    uint32_t width, height;
    unsigned char *pixels;  /* owned; three bytes each, row by row from the top */
    float *sums;            /* owned; a row has two more than pixels; all zero between two calls */
    float *shade;           /* owned; how dark each pixel is in a shadow that is being drawn */
    float *line;            /* owned; one row or column of it */
    struct draw_path trace; /* outlines of what is stroked */
    uint32_t shade_colour;
    double blur;
    bool in_shadow;
};

/* All pixels have the colour at first. */
tp_status tpi_draw_canvas_init(struct draw_canvas *canvas, uint32_t width, uint32_t height,
                               uint32_t colour, tp_error *err);
void tpi_draw_canvas_fini(struct draw_canvas *canvas); /* safe after a failure */

#endif
