/*
 * run_line.h - programs as lines: run:PROGRAM ARGUMENTS starts a program and is connected to its
 * input and output.
 *
 * Arguments are separated by blanks, without quotes. The program is ended when the line is closed.
 */
#ifndef TROUPE_LOOP_RUN_LINE_H
#define TROUPE_LOOP_RUN_LINE_H

#include "platform/line.h"

extern const tp_scheme tpi_scheme_run;

#endif
