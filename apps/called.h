/*
 * called.h - what the user types to call this program: hints that can be copied say the same.
 *
 * There is one command line, so there is one state.
 */
#ifndef TROUPE_APPS_CALLED_H
#define TROUPE_APPS_CALLED_H

#include "base/buf.h"

/* Before anything else: argv[0], and the environment's TROUPE_COMMAND, with which a script that
 * calls the program says how it was called itself. Each may be NULL. */
void called_set(const char *program, const char *command);

/* As a shell takes it: "troupe", "./troupe", "'/my robots/troupe'". */
const char *called(void);

/* The server that this command line names, for hints at further commands; NULL for none. */
void called_set_server(const char *url);

/* The server, as an argument of a further command: " localhost:7000"; "" if none was named. */
const char *called_server(void);

/* The file of this program; NULL if the system does not say. */
const char *called_program(void);

/* Append a text in which each "troupe " that begins a command line is what the user types. */
void called_put(tpi_buf *out, const char *text);

#endif
