/* run_table.h - what a server that starts has to say: its devices, where it listens, what to type
 * next. */
#ifndef TROUPE_APPS_RUN_TABLE_H
#define TROUPE_APPS_RUN_TABLE_H

#include "troupe/server.h"

/* The devices of a configuration. */
void run_table_print(const tp_server *server, const char *path);

/* Where it listens, and commands to try. */
void run_table_print_places(const tp_server *server, const tp_server_options *options);

#endif
