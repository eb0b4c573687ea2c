/*
 * runner.h - a machine with its memory, and its requests as commands for a robot.
 *
 * What every host of a program needs: the computer that it runs on, the server, experiments. It
 * knows no robot and no clock. Motions that the program has begun are remembered, so that a host
 * can stop the robot and go on later.
 */
#ifndef TROUPE_PLAY_RUNNER_H
#define TROUPE_PLAY_RUNNER_H

#include "play/machine.h"
#include "play/program.h"
#include "universal/expression.h"

enum {
    TPI_PLAY_CELLS = 4096,
    TPI_PLAY_FRAMES = 1000,
    TPI_PLAY_SLOTS = 64,
    TPI_PLAY_SLOT_SIZE = 251,
    TPI_PLAY_MOST_MOTIONS = 16,
};

/* A command of the program for the robot. */
typedef struct tpi_play_order {
    tpi_command command;
    int device; /* of the program; -1 for none */
    unsigned count;
    tpi_value values[TPI_MOST_VALUES]; /* texts lie in `rooms` */
    tpi_buf rooms[TPI_MOST_VALUES];    /* owned; an all-zero order is empty */
} tpi_play_order;

/* A motion that goes on. */
typedef struct tpi_play_motion {
    tpi_command command;
    int device;
    unsigned count;
    double values[TPI_MOST_VALUES];
} tpi_play_motion;

typedef struct tpi_play_runner {
    const tpi_play_program *program; /* borrowed */
    tpi_play_machine machine;
    tpi_play_cell cells[TPI_PLAY_CELLS], constants[256];
    tpi_play_frame frames[TPI_PLAY_FRAMES];
    char slots[TPI_PLAY_SLOTS * TPI_PLAY_SLOT_SIZE];
    unsigned motion_count;
    tpi_play_motion motions[TPI_PLAY_MOST_MOTIONS]; /* in the order in which they were begun */
} tpi_play_runner;

/* Prepare to run a compiled program from its beginning. TP_E_LIMIT if it does not fit. */
tp_status tpi_play_runner_begin(tpi_play_runner *runner, const tpi_play_program *program,
                                uint32_t seed, tp_error *err);

/* The line of the task that runs or ran last, from 1; 0 for none. */
unsigned tpi_play_runner_line(const tpi_play_runner *runner);

/* The line that a task is in, or its first one if it has not begun; 0 if it has ended. */
unsigned tpi_play_runner_task_line(const tpi_play_runner *runner, uint8_t task);

/* The line of a fault. */
unsigned tpi_play_runner_fault_line(const tpi_play_runner *runner);

/* The request of the machine as a command. TP_E_UNSUPPORTED if there is no such command. */
tp_status tpi_play_order_read(tpi_play_order *out, const tpi_play_runner *runner, tp_error *err);
void tpi_play_order_fini(tpi_play_order *order);

/* The command was carried out with these results: they go into the machine, which can run on. */
void tpi_play_order_done(tpi_play_runner *runner, const tpi_play_order *order,
                         const tpi_value *results, unsigned count);

/* ---- The state, for moving a program ---- */

/* Append the state of machine and motions. */
void tpi_play_runner_save(tpi_buf *out, const tpi_play_runner *runner);

/* Put a saved state into a runner that was begun with the same program. What is no state of it is
 * refused; then the runner must be begun again. */
tp_status tpi_play_runner_restore(tpi_play_runner *runner, const uint8_t *bytes, size_t length,
                                  tp_error *err);

#endif
