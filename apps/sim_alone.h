/*
 * sim_alone.h - a world that runs by itself, without a server; and its picture.
 *
 * Controllers run as they do in a server, those that are plug-ins too.
 */
#ifndef TROUPE_APPS_SIM_ALONE_H
#define TROUPE_APPS_SIM_ALONE_H

#include "sim/draw/draw.h"
#include "sim_record.h"

enum { SIM_TRAIL = 400 }; /* places that robots leave behind them in pictures */

typedef struct sim_alone_options {
    uint64_t steps;
    bool has_steps;     /* otherwise one is made: sensors have looked once */
    const char *render; /* borrowed: the picture; NULL for none */
    tpi_draw_look look; /* of the picture, without trails */
    uint32_t threads;
    uint64_t seed;
    double speed; /* simulated seconds for each real one; 0 for as fast as it can */
    bool quiet;   /* does not print how fast it was */
} sim_alone_options;

/* Load a world, make the steps, draw it. Ends early when the world's quit_time comes, or with a
 * signal, and then draws what there is. Errors of the world begin with its place. `record` may be
 * NULL. */
tp_status sim_alone_run(const sim_alone_options *options, const char *path, sim_record *record,
                        tp_error *err);

#endif
