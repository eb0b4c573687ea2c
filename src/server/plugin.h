/*
 * plugin.h - drivers (and their interfaces) from shared objects.
 *
 * A driver NAME is the symbol tp_driver_NAME, an interface the symbol tp_interface_NAME; letters
 * that no C name has are _ in a symbol. A plug-in "kmot" is a file kmot, kmot.so or libkmot.so in
 * one of these folders, in this order: those of TROUPE_PLUGIN_PATH (divided by colons), the folder
 * of the file that names it, the working folder, and where plug-ins are installed.
 */
#ifndef TROUPE_SERVER_PLUGIN_H
#define TROUPE_SERVER_PLUGIN_H

#include "base/buf.h"
#include "platform/plugin.h"
#include "troupe/driver.h"

/* The path of a plug-in; whether there is one. `beside` is the path of the file that names it. If
 * there is none, `path` is the list of folders that were searched. */
bool tpi_plugin_find(tpi_buf *path, const char *name, const char *beside);

/* A driver of a plug-in, which is checked: built for this ABI, and what it says it is. Fails with
 * the path and the reason. Borrowed as long as the plug-in is open. */
tp_status tpi_plugin_driver(const tpi_plugin *plugin, const char *name, const tp_driver **driver,
                            tp_error *err);

/* The same for a driver that may be missing; it is NULL then. */
tp_status tpi_plugin_has_driver(const tpi_plugin *plugin, const char *name,
                                const tp_driver **driver, tp_error *err);

/* NULL if it has no interface of this name. */
const tp_interface *tpi_plugin_interface(const tpi_plugin *plugin, const char *name);

#endif
