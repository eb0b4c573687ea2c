/* plugin.c - shared objects, with the loader of the system. */
#include "platform/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

struct tpi_plugin {
    void *handle; /* owned */
    char path[];
};

bool tpi_plugin_exists(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && !S_ISDIR(about.st_mode);
}

/* Of a larger one the loader waits for the rest. */
enum { MOST_READ = 256 << 20 };

/* What is no shared object, whatever its size, the loader refuses by its first bytes. */
static void read_object(FILE *file)
{
    static const char magic[] = {0x7f, 'E', 'L', 'F'};
    char room[16384];
    size_t length = fread(room, 1, sizeof room, file);
    size_t sum = length;

    if (length < sizeof magic || memcmp(room, magic, sizeof magic) != 0) {
        return;
    }
    while (length > 0 && sum < MOST_READ) {
        length = fread(room, 1, sizeof room, file);
        sum += length;
    }
}

/* The loader opens whatever has the name, and waits for the writer of a pipe or for a slow disk. It
 * holds a lock then, which every new thread of the program needs. So the kind of the file is looked
 * at before, and it is read once: the kernel keeps it, and the loader does not wait. */
static tp_status read_before(const char *path, tp_error *err)
{
    FILE *file = NULL;

    if (!tpi_plugin_exists(path)) {
        return TP_OK; /* the loader has a sentence for that */
    }
    const tp_status status = tpi_file_open(&file, path, err);

    if (status == TP_OK) {
        read_object(file);
        fclose(file); /* what cannot be read the loader reports */
    }
    return status;
}

tp_status tpi_plugin_open(tpi_plugin **out, const char *path, tp_error *err)
{
    /* without a slash the loader would look in the folders of the system instead */
    const char *here = strchr(path, '/') == NULL ? "./" : "";
    const size_t size = strlen(here) + strlen(path) + 1;
    tpi_plugin *plugin = malloc(sizeof *plugin + size);

    if (plugin == NULL) {
        return tp_fail(err, TP_E_NOMEM, "%s: out of memory", path);
    }
    (void)snprintf(plugin->path, size, "%s%s", here, path);
    const tp_status status = read_before(plugin->path, err);
    if (status != TP_OK) {
        free(plugin);
        return status;
    }
    plugin->handle = dlopen(plugin->path, RTLD_NOW | RTLD_LOCAL);
    if (plugin->handle == NULL) {
        const char *why = dlerror();
        free(plugin);
        return tp_fail(err, TP_E_IO, "%s", why == NULL ? path : why);
    }
    *out = plugin;
    return TP_OK;
}

void tpi_plugin_close(tpi_plugin *plugin)
{
    if (plugin != NULL) {
        dlclose(plugin->handle);
        free(plugin);
    }
}

const char *tpi_plugin_path(const tpi_plugin *plugin)
{
    return plugin->path;
}

const void *tpi_plugin_symbol(const tpi_plugin *plugin, const char *name)
{
    return dlsym(plugin->handle, name);
}

/* ---- The plug-in that runs
 * -------------------------------------------------------------------------------- */

static _Thread_local const char *inside; /* borrowed */

void tpi_plugin_enter(const tpi_plugin *plugin)
{
    inside = plugin == NULL ? NULL : plugin->path;
}

const char *tpi_plugin_inside(void)
{
    return inside;
}
