/* bind.h - which parts of a robot the devices of a program are, explained before anything moves. */
#ifndef TROUPE_PLAY_BIND_H
#define TROUPE_PLAY_BIND_H

#include "play/program.h"
#include "universal/wired.h"

/* A command that a program uses, with a device of its own or without one. */
typedef struct tpi_play_use_of {
    tpi_command command;
    int device; /* -1 for none */
} tpi_play_use_of;

/* The next command of the code that needs a part of the robot; begin with `*at` 0. False behind the
 * last one. The same use can come again. */
bool tpi_play_next_use(const tpi_play_program *program, unsigned *at, tpi_play_use_of *use);

/* Whether a device that was matched elsewhere lacks the unit that the program needs: `explanation`
 * is the sentence of the match, which names the class that was used instead. */
bool tpi_play_lacks_unit(const tpi_play_device *device, const tpi_vocabulary *vocabulary,
                         const char *explanation, bool is_percent_only);

/* Match a program to a robot without running it: append a line for each device, and for each
 * command that is used without one. How many do not fit; `err` gets the first reason. */
unsigned tpi_play_explain(tpi_buf *out, const tpi_play_program *program, const tpi_wired *wired,
                          bool is_loose, tp_error *err);

#endif
