/* plugin.h - shared objects that are loaded while the program runs. */
#ifndef TROUPE_PLATFORM_PLUGIN_H
#define TROUPE_PLATFORM_PLUGIN_H

#include <stdbool.h>

#include "troupe/status.h"

typedef struct tpi_plugin tpi_plugin;

/* Whether there is such a file, of any kind but a folder. */
bool tpi_plugin_exists(const char *path);

/* Load the shared object in this file; nothing is searched for. Everything that it needs has to be
 * there at once, and nobody else sees its symbols. Only a regular file is loaded: the call does not
 * wait for a pipe. Fails with the loader's sentence. */
tp_status tpi_plugin_open(tpi_plugin **out, const char *path, tp_error *err);

/* NULL is accepted. Nothing of it may be in use any more. */
void tpi_plugin_close(tpi_plugin *plugin);

/* As it was opened. */
const char *tpi_plugin_path(const tpi_plugin *plugin);

/* An object that it has; NULL if there is none with this name. */
const void *tpi_plugin_symbol(const tpi_plugin *plugin, const char *name);

/* This thread runs code of a plug-in from now on, borrowed until it is out of it again (NULL); and
 * the path of the one that it is in, NULL for none, which a signal handler may ask. */
void tpi_plugin_enter(const tpi_plugin *plugin);
const char *tpi_plugin_inside(void);

#endif
