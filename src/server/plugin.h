/*
 * plugin.h - drivers, fronts and interfaces from shared objects.
 *
 * A driver NAME is the symbol tp_driver_NAME, a front the symbol tp_front_NAME, an interface the
 * symbol tp_interface_NAME; letters that no C name has are _ in a symbol. A plug-in "kmot" is a
 * file kmot, kmot.so or libkmot.so in one of these folders, in this order: those of
 * TROUPE_PLUGIN_PATH (divided by colons), the folder of the file that names it, the working folder,
 * and where plug-ins are installed.
 */
#ifndef TROUPE_SERVER_PLUGIN_H
#define TROUPE_SERVER_PLUGIN_H

#include "base/buf.h"
#include "platform/plugin.h"
#include "troupe/front.h"

/* The path of a plug-in; whether there is one. `beside` is the path of the file that names it. If
 * there is none, `path` is the list of folders that were searched. */
bool tpi_plugin_find(tpi_buf *path, const char *name, const char *beside);

/* The folder where plug-ins are installed: that of this installation, wherever it was copied to. */
void tpi_plugin_own_folder(char *out, size_t size);

/* What a plug-in may bring beside interfaces. */
typedef enum tpi_plugin_kind {
    TPI_PLUGIN_DRIVER, /* tp_driver */
    TPI_PLUGIN_FRONT,  /* tp_front */
} tpi_plugin_kind;

const char *tpi_plugin_kind_name(tpi_plugin_kind kind); /* "driver", "front" */

/* A driver or front of a plug-in, which is checked: built for this ABI, and what it says it is.
 * Fails with the path and the reason. Borrowed as long as the plug-in is open. */
tp_status tpi_plugin_get(const tpi_plugin *plugin, tpi_plugin_kind kind, const char *name,
                         const void **found, tp_error *err);

/* The same for one that may be missing; it is NULL then. */
tp_status tpi_plugin_has(const tpi_plugin *plugin, tpi_plugin_kind kind, const char *name,
                         const void **found, tp_error *err);

/* NULL if it has no interface of this name. */
const tp_interface *tpi_plugin_interface(const tpi_plugin *plugin, const char *name);

#endif
