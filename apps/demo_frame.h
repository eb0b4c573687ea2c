/*
 * demo_frame.h - one picture of a world at a time, made by the thread that has the world for the
 * one that has the terminal.
 *
 * The terminal's thread orders a picture of some size; the next time that the world's thread passes
 * by it draws it. Neither waits for the other. Drawing is time that the world does not have, so the
 * more a picture costs, the fewer are made.
 */
#ifndef TROUPE_APPS_DEMO_FRAME_H
#define TROUPE_APPS_DEMO_FRAME_H

#include "base/buf.h"
#include "demo_crew.h"
#include "sim/draw/draw.h"
#include "troupe/clock.h"

enum { DEMO_ROBOTS = 8, DEMO_NAME = 24 };

/* A robot, as the demo shows it. */
struct demo_robot {
    char name[DEMO_NAME];
    unsigned device; /* position2d:N */
    double place[2]; /* in the picture, from 0 to 1 from its left and its upper edge */
    uint32_t colour; /* 0xRRGGBBAA */
    double speed;    /* m/s, ahead */
    double nearest;  /* metres to what its ranger sees nearest; negative without one */
};

/* What was drawn. */
struct demo_picture {
    uint32_t width, height;
    tpi_buf pixels; /* owned */
    double time_s;  /* of the world */
    uint32_t first; /* number in the crew of the first that is listed */
    struct demo_robot robots[DEMO_ROBOTS];
    uint32_t robot_count; /* all of them, also those that are not listed */
    uint32_t own_count;   /* of these, how many a controller of the world drives */
};

typedef struct demo_frame demo_frame;

/* The last picture will be in the file. Its name and the clock are borrowed. */
tp_status demo_frame_create(demo_frame **out, const char *file, const tp_clock *clock,
                            tp_error *err);

/* Its robots, borrowed; before the world runs. */
void demo_frame_know(demo_frame *frame, const struct demo_crew *crew);

void demo_frame_destroy(demo_frame *frame); /* NULL is accepted; after the world's end */

/* ---- The world's thread ---------------------------------------------------------------------- */

/* Passes by: a sim_server watcher; `context` is the frame. */
void demo_frame_watch(void *context, const tpi_sim *sim);

/* The world has come to its end: draw it to the file. */
void demo_frame_save(void *context, const tpi_sim *sim);

/* ---- The terminal's thread ------------------------------------------------------------------- */

/* Order pixels and the list of robots from `first` on, unless there is an open order. */
void demo_frame_order(demo_frame *frame, uint32_t width, uint32_t height, uint32_t first);

/* Whether the order is done; then it is taken, and what it gave is swapped with `picture`.
 * TP_E_NOMEM in `status` if it could not be drawn. */
bool demo_frame_take(demo_frame *frame, struct demo_picture *picture, tp_status *status);

/* How the file went, and the time that it shows; when the world is gone. */
tp_status demo_frame_saved(const demo_frame *frame, double *time_s, tp_error *err);

#endif
