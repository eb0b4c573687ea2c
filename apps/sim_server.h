/*
 * sim_server.h - a server whose devices are those of one world, and a look into that world.
 *
 * The world belongs to the driver's thread while the server runs. That thread calls `watch` after
 * every step and each time it looks for work; `watch` may read everything and keeps no pointer. At
 * the end that the options set, time stands still, to the step, and the server stops.
 */
#ifndef TROUPE_APPS_SIM_SERVER_H
#define TROUPE_APPS_SIM_SERVER_H

#include "sim/sim.h"
#include "troupe/server.h"

typedef struct sim_server sim_server;

typedef struct sim_server_options {
    const char *world; /* the file */
    double speed;      /* simulated seconds for each real one; 0 for as fast as possible */
    uint64_t seed;
    uint32_t threads;
    bool lockstep;
    uint32_t expected; /* the least number of clients in lockstep; 0 for those that are there */
    /* Both 0 for an end at quit_time, if the world has one. */
    double seconds;           /* of simulated time to run, rounded up to a step */
    uint64_t steps;           /* to make */
    tp_server_options server; /* without file and drivers; its `note` is called by the loop */

    /* A configuration instead of everything in the world: its text and its path, for messages and
     * relative names. Its section `sim` is the world, whatever its worldfile. NULL for none. */
    const char *config, *config_path;
    const char *driver; /* the name of that section's driver; NULL for "sim" */

    /* Receives notes of the world: from sim_server_create(), then from the world's thread. */
    void (*note)(void *context, const char *text);
    void *note_context; /* borrowed */

    /* Called by the world's thread. Optional. */
    void (*watch)(void *context, const tpi_sim *sim);

    /* The same after each step alone; may drive models. Optional. */
    void (*act)(void *context, tpi_sim *sim);

    /* Called once by sim_server_destroy(), when the server has stopped. Optional. */
    void (*finished)(void *context, const tpi_sim *sim);
    void *context; /* borrowed, of all */
} sim_server_options;

/* Load the world and listen; as tp_server_create(). Errors and notes of the world begin with their
 * place: "FILE:LINE:COLUMN: ". Prints to standard error that it is at work if loading takes long.
 */
tp_status sim_server_create(sim_server **out, const sim_server_options *options, tp_error *err);

/* Stop the server; then look back. NULL is accepted. */
void sim_server_destroy(sim_server *s);

/* The server, which belongs to `s`. */
tp_server *sim_server_get(const sim_server *s);

/* Its world; before tp_server_begin(). */
const tpi_sim *sim_server_world(const sim_server *s);

/* Print what can be subscribed to: model, device, description. Before tp_server_begin(). */
void sim_server_print_devices(const sim_server *s);

#endif
