/*
 * play_log.h - the file of `log`: a table, or a recording if its name ends in .mcap.
 */
#ifndef TROUPE_APPS_PLAY_LOG_H
#define TROUPE_APPS_PLAY_LOG_H

#include "play/machine.h"

typedef struct play_log play_log;

/* Create the file; an exit code. */
int play_log_open(play_log **out, const char *path);

/* Add what a program logs: a name and a value, at the time of the machine. A failure is told by the
 * close. */
void play_log_row(play_log *log, const tpi_play_machine *machine, const tpi_play_request *request);

/* End the file; an exit code. NULL is accepted. */
int play_log_close(play_log *log);

#endif
