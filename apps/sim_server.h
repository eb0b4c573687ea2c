/*
 * sim_server.h - a server whose devices are those of one world, and a look into that world.
 *
 * The world belongs to the thread of its driver. Whoever wants to look at it gives a watcher, which
 * that thread calls after every step, and also without one; the watcher may look at everything and
 * keep nothing. When the world's end has come time stands still there, to the step, and the server
 * stops. There is one such server in a program at a time.
 */
#ifndef TROUPE_APPS_SIM_SERVER_H
#define TROUPE_APPS_SIM_SERVER_H

#include "sim/sim.h"
#include "troupe/server.h"

typedef struct sim_server_options {
    const char *world; /* the file */
    double speed;      /* simulated seconds for each real one; 0 for as fast as it can */
    uint64_t seed;
    uint32_t threads;
    bool lockstep;
    uint32_t expected; /* how many take part in lockstep at least; 0 for whoever is there */
    /* Both 0 for up to quit_time, if any. */
    double seconds;           /* of simulated time to run, rounded up to a step */
    uint64_t steps;           /* to make */
    tp_server_options server; /* without file and drivers */

    /* Called by the world's thread. Optional. */
    void (*watch)(void *context, const tpi_sim *sim);

    /* Called once by tp_server_destroy(): the world when everything has stopped. Optional. */
    void (*look_back)(void *context, const tpi_sim *sim);
    void *context; /* borrowed, of both */
} sim_server_options;

/* Load the world and listen; as tp_server_create(). Errors of the world begin with its place:
 * "FILE:LINE:COLUMN: ...", and so do its notes. Says on standard error that it is at work if that
 * takes long. */
tp_status sim_server_create(tp_server **out, const sim_server_options *options, tp_error *err);

/* Print what can be subscribed to: model, device, what it is. Before tp_server_begin(). */
void sim_server_print_devices(const tp_server *server);

#endif
