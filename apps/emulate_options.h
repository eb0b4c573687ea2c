/* emulate_options.h - the command line of troupe emulate: robots, each with its options behind it.
 */
#ifndef TROUPE_APPS_EMULATE_OPTIONS_H
#define TROUPE_APPS_EMULATE_OPTIONS_H

#include "emulate/scene.h"

#define EMULATE_NAME "emulate"

enum { EMULATE_MOST_WIRES = 16 };

/* What the options behind a robot say. */
typedef struct emulate_robot {
    const char *wires[EMULATE_MOST_WIRES + 1];
    size_t wire_count;
    tpi_emu_fault faults[TPI_EMU_MOST_FAULTS];
    size_t fault_count;
    const char *listen; /* NULL for a pseudo-terminal */
    const char *link;
} emulate_robot;

typedef struct emulate_options {
    tpi_scene_actor actors[TPI_SCENE_MOST];
    emulate_robot robots[TPI_SCENE_MOST];
    size_t count;
    const char *world;
    const char *listen; /* of robots that have none of their own */
    const char *record;
    const char *render;
    uint64_t seed;
    double speed;
    double seconds; /* 0 for ever */
    bool lockstep;
    bool trace;
    bool list;
} emulate_options;

/* Read the command line into zeroed options, which must not move afterwards. `trace` receives the
 * trace if it is wanted. An exit code. */
int emulate_options_read(emulate_options *o, int argc, char **argv, tpi_emu_trace *trace);

#endif
