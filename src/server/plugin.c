/*
 * plugin.c - finding plug-ins and what is in them. TROUPE_LIBRARY_DIR (relative to the prefix) and
 * TROUPE_PLUGIN_DIR come from meson.build.
 */
#include "server/plugin.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/folder.h"

/* ---- Files ----------------------------------------------------------------------------------- */

enum { MOST_FOLDERS = 64, LONGEST_FOLDER = 4096 };

/* Folders to look in, each once. */
struct folders {
    struct {
        const char *text; /* borrowed */
        size_t length;
    } items[MOST_FOLDERS];
    size_t count;
    char own[LONGEST_FOLDER];
};

static void add_folder(struct folders *folders, const char *text, size_t length)
{
    if (length == 0) {
        text = ".";
        length = 1;
    }
    for (size_t i = 0; i < folders->count; i++) {
        if (folders->items[i].length == length &&
            memcmp(folders->items[i].text, text, length) == 0) {
            return;
        }
    }
    if (folders->count < MOST_FOLDERS) {
        folders->items[folders->count].text = text;
        folders->items[folders->count++].length = length;
    }
}

void tpi_plugin_own_folder(char *out, size_t size)
{
    /* Installed: bin/troupe, lib/libtroupe-server.so. */
    static const struct {
        bool library;
        int up;
        const char *down;
    } places[] = {{false, 2, TROUPE_LIBRARY_DIR "/troupe"}, {true, 1, "troupe"}};
    char above[LONGEST_FOLDER - 256];

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (tpi_folder_above(places[i].library, places[i].up, above, sizeof above)) {
            snprintf(out, size, "%s/%s", above, places[i].down);
            if (tpi_folder_exists(out)) {
                return;
            }
        }
    }
    snprintf(out, size, "%s", TROUPE_PLUGIN_DIR);
}

static void list_folders(struct folders *folders, const char *beside)
{
    const char *slash = strrchr(beside, '/');
    const char *wanted = getenv("TROUPE_PLUGIN_PATH");

    while (wanted != NULL && *wanted != '\0') {
        const size_t length = strcspn(wanted, ":");
        add_folder(folders, wanted, length);
        wanted += length + (wanted[length] == ':');
    }
    add_folder(folders, beside, slash == NULL ? 0 : (size_t)(slash - beside));
    add_folder(folders, ".", 1);
    tpi_plugin_own_folder(folders->own, sizeof folders->own);
    add_folder(folders, folders->own, strlen(folders->own));
}

/* Whether there is such a file; its path. */
static bool try_file(tpi_buf *path, const char *folder, size_t length, const char *name,
                     const char *prefix, const char *suffix)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash == NULL ? name : slash + 1;

    tpi_buf_clear(path);
    tpi_buf_printf(path, "%.*s%s%.*s%s%s%s", (int)length, folder, length > 0 ? "/" : "",
                   (int)(base - name), name, prefix, base, suffix);
    return !path->failed && tpi_plugin_exists(path->data);
}

static bool try_folder(tpi_buf *path, const char *folder, size_t length, const char *name)
{
    const size_t end = strlen(name);
    const bool whole = end >= 3 && strcmp(name + end - 3, ".so") == 0;
    const char *suffix = whole ? "" : ".so";

    return try_file(path, folder, length, name, "", "") ||
           (!whole && try_file(path, folder, length, name, "", suffix)) ||
           try_file(path, folder, length, name, "lib", suffix);
}

bool tpi_plugin_find(tpi_buf *path, const char *name, const char *beside)
{
    struct folders folders = {.count = 0};

    if (name[0] == '/') {
        if (try_folder(path, "", 0, name)) {
            return true;
        }
        tpi_buf_clear(path);
        return false;
    }
    list_folders(&folders, beside);
    for (size_t i = 0; i < folders.count; i++) {
        if (try_folder(path, folders.items[i].text, folders.items[i].length, name)) {
            return true;
        }
    }
    tpi_buf_clear(path);
    for (size_t i = 0; i < folders.count; i++) {
        tpi_buf_printf(path, "%s%.*s", i == 0 ? "" : ", ", (int)folders.items[i].length,
                       folders.items[i].text);
    }
    return false;
}

/* ---- Symbols --------------------------------------------------------------------------------- */

enum { LONGEST_SYMBOL = 160 };

/* tp_driver_NAME; false if the name is too long to be one. */
static bool name_symbol(char out[LONGEST_SYMBOL], const char *prefix, const char *name)
{
    const int length = snprintf(out, LONGEST_SYMBOL, "%s%s", prefix, name);

    for (char *c = out; *c != '\0'; c++) {
        *c = isalnum((unsigned char)*c) ? *c : '_';
    }
    return length > 0 && length < LONGEST_SYMBOL;
}

static tp_status check_abi(const tpi_plugin *plugin, const char *name, uint32_t abi, uint32_t ours,
                           tp_error *err)
{
    return abi == ours
               ? TP_OK
               : tp_fail(err, TP_E_UNSUPPORTED, "%s: %s was built for ABI %u, this server has %u",
                         tpi_plugin_path(plugin), name, (unsigned)abi, (unsigned)ours);
}

static tp_status check_name(const tpi_plugin *plugin, const char *kind, const char *name,
                            const char *own, tp_error *err)
{
    return own != NULL && strcmp(own, name) == 0
               ? TP_OK
               : tp_fail(err, TP_E_INVALID, "%s: the %s %s says that it is %s",
                         tpi_plugin_path(plugin), kind, name, own == NULL ? "nobody" : own);
}

static tp_status check_driver(const tpi_plugin *plugin, const void *symbol, const char *name,
                              tp_error *err)
{
    const tp_driver *driver = symbol;
    tp_status status = check_abi(plugin, name, driver->abi, TP_DRIVER_ABI, err);

    status = status == TP_OK ? check_name(plugin, "driver", name, driver->name, err) : status;
    if (status == TP_OK && (driver->ops == NULL || driver->ops->init == NULL)) {
        return tp_fail(err, TP_E_INVALID, "%s: the driver %s has no init", tpi_plugin_path(plugin),
                       name);
    }
    return status;
}

static tp_status check_front(const tpi_plugin *plugin, const void *symbol, const char *name,
                             tp_error *err)
{
    const tp_front *front = symbol;
    tp_status status = check_abi(plugin, name, front->abi, TP_FRONT_ABI, err);

    status = status == TP_OK ? check_name(plugin, "front", name, front->name, err) : status;
    if (status == TP_OK && (front->open == NULL || front->close == NULL || front->bound == NULL ||
                            front->schemes == NULL)) {
        return tp_fail(err, TP_E_INVALID, "%s: the front %s has no open, close, bound or schemes",
                       tpi_plugin_path(plugin), name);
    }
    return status;
}

static const struct {
    const char *name;
    const char *prefix;
    tp_status (*check)(const tpi_plugin *plugin, const void *symbol, const char *name,
                       tp_error *err);
} kinds[] = {
    [TPI_PLUGIN_DRIVER] = {"driver", "tp_driver_", check_driver},
    [TPI_PLUGIN_FRONT] = {"front", "tp_front_", check_front},
};

const char *tpi_plugin_kind_name(tpi_plugin_kind kind)
{
    return kinds[kind].name;
}

tp_status tpi_plugin_has(const tpi_plugin *plugin, tpi_plugin_kind kind, const char *name,
                         const void **found, tp_error *err)
{
    char symbol[LONGEST_SYMBOL];

    *found =
        name_symbol(symbol, kinds[kind].prefix, name) ? tpi_plugin_symbol(plugin, symbol) : NULL;
    return *found == NULL ? TP_OK : kinds[kind].check(plugin, *found, name, err);
}

tp_status tpi_plugin_get(const tpi_plugin *plugin, tpi_plugin_kind kind, const char *name,
                         const void **found, tp_error *err)
{
    char symbol[LONGEST_SYMBOL];
    tp_status status = tpi_plugin_has(plugin, kind, name, found, err);

    if (status != TP_OK || *found != NULL) {
        return status;
    }
    name_symbol(symbol, kinds[kind].prefix, name);
    return tp_fail(err, TP_E_UNKNOWN, "%s has no %s \"%s\": there is no symbol %s",
                   tpi_plugin_path(plugin), kinds[kind].name, name, symbol);
}

const tp_interface *tpi_plugin_interface(const tpi_plugin *plugin, const char *name)
{
    char symbol[LONGEST_SYMBOL];

    return name_symbol(symbol, "tp_interface_", name) ? tpi_plugin_symbol(plugin, symbol) : NULL;
}
