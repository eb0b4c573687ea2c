/*
 * camera.h - cameras inside: how a picture is drawn without a screen.
 *
 * A picture is drawn column by column. All that a column shows lies in one vertical plane, along
 * one ray on the ground; the sides that this ray crosses are upright, so each covers a run of
 * pixels. Between two sides of a body there is its top, or from below its underside. What is nearer
 * covers what is behind it, pixel by pixel, so nothing has to be sorted and nothing depends on an
 * order.
 *
 * The picture plane is always upright. Tilt shifts the picture instead of turning the plane, as the
 * lens of an architect's camera does: what is upright stays upright, straight lines stay straight,
 * and the middle of the picture looks exactly where the tilt says.
 *
 * Depth is the distance straight ahead to the plane through a point that is parallel to the picture
 * plane. At the depth d, row r of h looks at the height eye + d slope(r) with
 *
 *     slope(r) = tan(tilt) + (1 - (2 r + 1) / h) tan(fov / 2)
 *
 * and likewise column c of w looks d (1 - (2 c + 1) / w) tan(fov / 2) to the left.
 */
#ifndef TROUPE_SIM_SENSE_CAMERA_H
#define TROUPE_SIM_SENSE_CAMERA_H

#include "sim/sense/sense.h"

struct sim_camera {
    uint32_t width, height;
    double near, far;
    double fov_across, fov_up; /* as the file has them */
    double shade;              /* how much darker is what is seen from the side */
    tpi_sim_lens lens;         /* at the beginning */
};

/* A picture that is being drawn. */
struct sim_canvas {
    const struct sim_view *view;     /* borrowed */
    const struct sim_camera *config; /* borrowed */
    struct sim_frame eye;
    double across, up; /* tangents of half the fields of view */
    double rise;       /* tangent of the tilt */
    uint8_t *rgb;      /* borrowed */
    float *depth;      /* borrowed; 0 for nothing */
};

/* camera.c. How a picture is seen that is taken now, where the first picture of the model is kept.
 * The model's configuration begins with struct sim_camera, its state with struct sim_lens_state. */
tpi_sim_image tpi_sim_camera_image(const struct sim_view *view);

/* Take a picture from so many metres to the left of the model. */
void tpi_sim_camera_take(const struct sim_view *view, double aside, uint8_t *rgb, float *depth);

/* Draw column `column`, all of it. */
void tpi_sim_draw_column(const struct sim_canvas *canvas, uint32_t column);

#endif
