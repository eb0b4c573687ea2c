/*
 * experiment.h - the same program on several robots in one world, in lockstep.
 *
 * Everything is inside of this program: the world, the emulated robot and its bytes, the
 * conversation that a robot file describes, and the machine of the program. Time is that of the
 * world, so every run gives the same result. Nothing of it knows another part's tables.
 */
#ifndef TROUPE_APPS_EXPERIMENT_H
#define TROUPE_APPS_EXPERIMENT_H

#include "base/buf.h"
#include "play/program.h"

enum { EXPERIMENT_PLACES = 1024, EXPERIMENT_TEXT = 256 };

/* A robot that takes part. */
typedef struct experiment_robot {
    const char *title;
    const char *robot; /* its robot file */
    const char *kind;  /* of emulator; NULL for a model of the world that is devices */
    const char *model; /* without an emulator: the text of its model, with %f for the heading */
} experiment_robot;

/* One run. */
typedef struct experiment_run {
    const experiment_robot *robot;   /* borrowed */
    const tpi_play_program *program; /* borrowed */
    const char *world;               /* borrowed: path of the world file */
    double heading;                  /* degrees */
    double seconds;
    bool is_frozen; /* sensors keep their first values */
    uint32_t seed;
} experiment_run;

/* What came of it. */
typedef struct experiment_result {
    double lamp[2];
    double places[EXPERIMENT_PLACES][2]; /* x and y in metres, from the first to the last */
    unsigned count;
    unsigned commands;
    char matches[EXPERIMENT_TEXT]; /* how the first device was matched */
} experiment_result;

/* Run it. TP_E_UNKNOWN if the program does not fit the robot. */
tp_status experiment_play(experiment_result *out, const experiment_run *run, tp_error *err);

#endif
