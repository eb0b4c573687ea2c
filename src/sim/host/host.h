/*
 * host.h - a world in a process: with files from Troupe's folders, threads and plug-ins.
 *
 * The engine (sim.h) starts no threads and loads no code. A host does both: it finds the files that
 * a world includes, shares the work of a step among threads, and runs the controllers that are
 * plug-ins (troupe/controller.h) after each step. The driver `sim` has one for each world; programs
 * that run a world without a server have one of their own.
 *
 *     tpi_sim_host host = {0};
 *     status = tpi_sim_host_load(&host, "cave.world", &options, &err);
 *     tpi_sim_host_step(&host);
 *     tpi_sim_host_fini(&host);
 *
 * A host belongs to one thread at a time: the thread that loads it, then the thread that steps it.
 */
#ifndef TROUPE_SIM_HOST_HOST_H
#define TROUPE_SIM_HOST_HOST_H

#include "sim/sim.h"

/* Bounds of what users choose: threads of a world, and simulated seconds for each real one. */
enum { TPI_SIM_MOST_THREADS = 64 };
#define TPI_SIM_FASTEST 1e6

struct tpi_crew;
typedef struct tpi_sim_controllers tpi_sim_controllers;

/* Calls for a program that looks at a world which a driver steps. Each is optional. The thread that
 * steps the world makes the calls. They may read the whole world and keep no pointer into it. */
typedef struct tpi_sim_watcher {
    /* After each step. Returns false after the last step: then time stands still. */
    bool (*stepped)(void *context, const tpi_sim *world);

    /* Each time the thread looks for work, with or without a step. */
    void (*passed)(void *context, const tpi_sim *world);

    /* Once, after the last step, when no client waits for another one, or a second later. */
    void (*ended)(void *context);

    void *context; /* borrowed */
} tpi_sim_watcher;

typedef struct tpi_sim_host {
    tpi_sim *world;                   /* owned; NULL before loading */
    struct tpi_crew *crew;            /* owned; NULL for one thread */
    tpi_sim_controllers *controllers; /* owned */
    tpi_cfg_note *note;               /* for the operator; never NULL after loading */
    void *note_context;               /* borrowed */
    tpi_sim_watcher watcher;          /* set by the caller before the first step */
} tpi_sim_host;

typedef struct tpi_sim_host_options {
    uint64_t seed;      /* of all noise */
    uint32_t threads;   /* 1 to TPI_SIM_MOST_THREADS */
    tpi_cfg_note *note; /* receives notes of the world, on the host's thread; may be NULL */
    void *context;      /* of `note`; borrowed as long as the host */
} tpi_sim_host_options;

/* Load a world into a zeroed host. Errors and notes begin with their place: "FILE:LINE:COLUMN: ".
 * The watcher stays as it is. */
tp_status tpi_sim_host_load(tpi_sim_host *host, const char *path,
                            const tpi_sim_host_options *options, tp_error *err);

/* Make one step of the world, then one of each controller that is a plug-in. */
void tpi_sim_host_step(tpi_sim_host *host);

/* Also after a failed load. */
void tpi_sim_host_fini(tpi_sim_host *host);

/* ---- folders.c ------------------------------------------------------------------------------- */

/* A folder where the worlds that come with Troupe may be, whether or not it exists. False if there
 * is no folder with this number, which counts from 0. */
bool tpi_sim_own_folder(char *folder, size_t size, size_t index);

/* Append the folders in which the files of a world are searched, with colons in between: those of
 * STAGEPATH, those of TROUPE_WORLD_PATH, the two above the world (a file; NULL for none), and
 * Troupe's own that exist. */
void tpi_sim_folders(tpi_buf *path, const char *world);

/* If there is no file `path`, it becomes the first one of these folders with this name, and true is
 * returned. An absolute name is left alone. */
bool tpi_sim_find_world(tpi_buf *path, const char *name);

#endif
