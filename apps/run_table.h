/* run_table.h - what a server that starts has to say: its devices, where it listens, what to type
 * next. */
#ifndef TROUPE_APPS_RUN_TABLE_H
#define TROUPE_APPS_RUN_TABLE_H

#include "troupe/server.h"

/* The devices of a configuration. */
void run_table_print(const tp_server *server, const char *path);

/* Where it listens, and commands to try: on the first device that sends data, or the first of the
 * interface `prefer`, which may be NULL. */
void run_table_print_places(const tp_server *server, const tp_server_options *options,
                            const char *prefer);

/* Where it listens as far as nobody could know: ports that the system has chosen, and who may do
 * what where that is not the usual. */
void run_table_print_odd(const tp_server *server, const tp_server_options *options);

#endif
