/*
 * plugins.c - the plug-ins of a server: those that the configuration names for all, and those of
 * single drivers.
 */
#include <stdlib.h>
#include <string.h>

#include "server/inside.h"
#include "server/plugin.h"

/* One that is open. */
struct plugin {
    tpi_plugin *object; /* owned */
    bool shared;        /* any driver or front may be in it */
    struct plugin *next;
};

/* ---- Opening --------------------------------------------------------------------------------- */

static struct plugin *find_open(const tp_server *server, const char *path)
{
    struct plugin *plugin = server->plugins;

    while (plugin != NULL && strcmp(tpi_plugin_path(plugin->object), path) != 0) {
        plugin = plugin->next;
    }
    return plugin;
}

/* The newest is the last, so that drivers are looked for in the order of the file. */
static void append(tp_server *server, struct plugin *plugin)
{
    struct plugin **last = &server->plugins;

    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = plugin;
}

static tp_status open_plugin(tp_server *server, const char *path, struct plugin **out,
                             tp_error *err)
{
    struct plugin *plugin = find_open(server, path);

    if (plugin == NULL) {
        plugin = tpi_arena_alloc(&server->arena, sizeof *plugin);
        if (plugin == NULL) {
            return tp_fail(err, TP_E_NOMEM, "out of memory");
        }
        const tp_status status = tpi_plugin_open(&plugin->object, path, err);
        if (status != TP_OK) {
            return status;
        }
        append(server, plugin);
    }
    *out = plugin;
    return TP_OK;
}

/* Find and open; *out is NULL if there is no such file, and `why` says where it was looked for. */
static tp_status get_plugin(tp_server *server, const tpi_cfg_value *value, struct plugin **out,
                            tp_error *why, tp_error *err)
{
    tpi_buf path = {0};
    tp_error reason = {0};
    tp_status status = TP_OK;

    *out = NULL;
    if (tpi_plugin_find(&path, value->text, value->place.file)) {
        status = open_plugin(server, path.data, out, &reason);
        if (status != TP_OK) {
            tpi_cfg_fail(&value->place, err, "%s", reason.text);
        }
    } else {
        tpi_cfg_fail(&value->place, why, "there is no plug-in \"%s\"%s%s", value->text,
                     path.length > 0 ? "; looked in " : "", tpi_buf_text(&path));
    }
    tpi_buf_fini(&path);
    return status;
}

static tp_status check_name(const tpi_cfg_value *value, tp_error *err)
{
    return value->kind == TPI_CFG_STRING && value->text[0] != '\0'
               ? TP_OK
               : tpi_cfg_fail(&value->place, err, "a plug-in is a name in quotes");
}

tp_status tpi_plugins_load(tp_server *server, tp_error *err)
{
    const tpi_cfg_field *field = tpi_cfg_find(tpi_cfg_root(server->file->cfg), "plugin");
    tp_status status = TP_OK;

    for (uint32_t i = 0; field != NULL && i < field->value_count && status == TP_OK; i++) {
        struct plugin *plugin = NULL;
        tp_error why = {0};
        status = check_name(&field->values[i], err);
        status =
            status == TP_OK ? get_plugin(server, &field->values[i], &plugin, &why, err) : status;
        if (plugin != NULL) {
            plugin->shared = true;
        } else if (status == TP_OK) { /* perhaps no driver needs it */
            tpi_server_note(server, why.text);
            server->file->missing_plugin = field->values[i].text;
        }
    }
    return status;
}

void tpi_plugins_close(tp_server *server)
{
    for (struct plugin *plugin = server->plugins; plugin != NULL; plugin = plugin->next) {
        tpi_plugin_close(plugin->object);
    }
    server->plugins = NULL;
}

/* ---- Choosing -------------------------------------------------------------------------------- */

/* From the plug-in that the section names. */
static tp_status choose_own(tp_server *server, tpi_plugin_kind kind, const tpi_cfg_value *value,
                            const char *name, const void **found, tp_error *err)
{
    struct plugin *plugin = NULL;
    tp_error why = {0};
    tp_error note;
    tp_status status = check_name(value, err);

    status = status == TP_OK ? get_plugin(server, value, &plugin, &why, err) : status;
    if (status != TP_OK) {
        return status;
    }
    if (plugin == NULL && *found != NULL) {
        tpi_cfg_fail(&value->place, &note, "plugin \"%s\" is not needed: %s is built in",
                     value->text, name);
        tpi_server_note(server, note.text);
        return TP_OK;
    }
    if (plugin == NULL) {
        return tp_fail(err, TP_E_UNKNOWN, "%s", why.text);
    }
    status = tpi_plugin_get(plugin->object, kind, name, found, &why);
    return status == TP_OK ? TP_OK : tpi_cfg_fail(&value->place, err, "%s", why.text);
}

/* From those that are there for all. */
static tp_status choose_shared(const tp_server *server, tpi_plugin_kind kind, const char *name,
                               const void **found, const tpi_cfg_place *place, tp_error *err)
{
    tp_status status = TP_OK;
    tp_error why = {0};

    for (const struct plugin *plugin = server->plugins;
         plugin != NULL && *found == NULL && status == TP_OK; plugin = plugin->next) {
        if (plugin->shared) {
            status = tpi_plugin_has(plugin->object, kind, name, found, &why);
        }
    }
    if (status != TP_OK) {
        return tpi_cfg_fail(place, err, "%s", why.text);
    }
    if (*found == NULL && server->file->missing_plugin != NULL) {
        return tpi_cfg_fail(place, err, "there is no %s \"%s\", and no plug-in \"%s\"",
                            tpi_plugin_kind_name(kind), name, server->file->missing_plugin);
    }
    return TP_OK;
}

static tp_status choose(tp_server *server, tpi_plugin_kind kind, tpi_cfg_section *section,
                        const char *name, const void **found, tp_error *err)
{
    const tpi_cfg_field *field = tpi_cfg_find(section, "plugin");

    if (field != NULL && field->value_count > 0) {
        return choose_own(server, kind, &field->values[0], name, found, err);
    }
    return *found != NULL ? TP_OK
                          : choose_shared(server, kind, name, found,
                                          &tpi_cfg_find(section, "name")->place, err);
}

tp_status tpi_plugins_choose_driver(tp_server *server, tpi_cfg_section *section, const char *name,
                                    const tp_driver **found, tp_error *err)
{
    const void *part = *found;
    const tp_status status = choose(server, TPI_PLUGIN_DRIVER, section, name, &part, err);

    *found = part;
    return status;
}

tp_status tpi_plugins_choose_front(tp_server *server, tpi_cfg_section *section, const char *name,
                                   const tp_front **found, tp_error *err)
{
    const void *part = *found;
    const tp_status status = choose(server, TPI_PLUGIN_FRONT, section, name, &part, err);

    *found = part;
    return status;
}

const tp_interface *tpi_plugins_interface(tp_server *server, const char *name)
{
    const tp_interface *found = NULL;

    for (const struct plugin *plugin = server->plugins; plugin != NULL && found == NULL;
         plugin = plugin->next) {
        found = tpi_plugin_interface(plugin->object, name);
    }
    return found != NULL && tp_catalogue_add(server->catalogue, found, NULL) == TP_OK ? found
                                                                                      : NULL;
}
