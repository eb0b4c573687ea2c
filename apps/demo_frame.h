/*
 * demo_frame.h - one picture of a world at a time, made by the thread that has the world for the
 * one that has the terminal.
 *
 * The terminal's thread orders a picture of some size; the next time that the world's thread passes
 * by it draws it. The last order may be for a file.
 */
#ifndef TROUPE_APPS_DEMO_FRAME_H
#define TROUPE_APPS_DEMO_FRAME_H

#include "base/buf.h"
#include "sim/draw.h"

enum { DEMO_ROBOTS = 8, DEMO_NAME = 24 };

/* A robot, for those who look on. */
struct demo_robot {
    char name[DEMO_NAME];
    uint32_t colour; /* 0xRRGGBBAA */
    double speed;    /* m/s, ahead */
    double nearest;  /* metres to what its ranger sees nearest; negative without one */
};

/* What was drawn. */
struct demo_picture {
    uint32_t width, height;
    tpi_buf pixels; /* owned; empty for a file */
    double time_s;  /* of the world */
    struct demo_robot robots[DEMO_ROBOTS];
    uint32_t robot_count; /* all of them, also those that are not listed */
};

typedef struct demo_frame demo_frame;

tp_status demo_frame_create(demo_frame **out, tp_error *err);
void demo_frame_destroy(demo_frame *frame); /* NULL is accepted; after the world's end */

/* ---- The world's thread ---------------------------------------------------------------------- */

/* Passes by: a sim_server watcher; `context` is the frame. */
void demo_frame_watch(void *context, const tpi_sim *sim);

/* ---- The terminal's thread ------------------------------------------------------------------- */

/* The time of the world in seconds, as of the last visit. */
double demo_frame_time_s(demo_frame *frame);

/* Order pixels, or a file; replaces an order that is still open. */
void demo_frame_order(demo_frame *frame, uint32_t width, uint32_t height);
void demo_frame_order_file(demo_frame *frame, const char *path);

/* Whether the order is done; then it is taken, and what it gave is swapped with `picture`. For a
 * file that could not be written, `status` and `err` say why. */
bool demo_frame_take(demo_frame *frame, struct demo_picture *picture, tp_status *status,
                     tp_error *err);

#endif
