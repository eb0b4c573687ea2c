/* play_paths.c - what the user typed, for a configuration that lies elsewhere; see play.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "play.h"
#include "universal/host/files.h"

/* Append a path; a relative one is from here. A name without a folder is a file only if it is here.
 */
static void put_path(tpi_buf *out, const char *path, size_t length)
{
    char folder[4096], name[512];

    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : 0), path);
    if (length > 0 && path[0] != '/' && getcwd(folder, sizeof folder) != NULL &&
        (memchr(path, '/', length) != NULL || access(name, F_OK) == 0)) {
        tpi_buf_printf(out, "%s/", folder);
    }
    tpi_buf_put(out, path, length);
}

void play_put_port(tpi_buf *out, const char *port)
{
    const char *file = strncmp(port, "script:", 7) == 0 ? strchr(port, ':') + 1 : NULL;
    const char *world = strncmp(port, "emulate:", 8) == 0 ? strstr(port, "world=") : NULL;

    if (file != NULL) {
        tpi_buf_puts(out, "script:");
        put_path(out, file, strcspn(file, "?"));
        tpi_buf_puts(out, file + strcspn(file, "?"));
    } else if (world != NULL && world > port && (world[-1] == '?' || world[-1] == '&')) {
        world += strlen("world=");
        tpi_buf_put(out, port, (size_t)(world - port));
        put_path(out, world, strcspn(world, "&"));
        tpi_buf_puts(out, world + strcspn(world, "&"));
    } else {
        tpi_buf_puts(out, port);
    }
}

int play_check_maps(const play_options *options, const char *who)
{
    tpi_loaded *loaded;
    tp_error err = {0};
    int result = EXIT_DONE;

    if (options->robot == NULL || options->map_count == 0) {
        return EXIT_DONE;
    }
    loaded = calloc(1, sizeof *loaded);
    if (loaded == NULL) {
        return command_fail(who, EXIT_FAILED, "out of memory");
    }
    tp_status status = tpi_loaded_init(loaded, options->robot, options->wiring, &err);
    if (status != TP_OK) {
        result = command_fail(who, EXIT_FAILED, "%s", err.text);
    }
    for (unsigned i = 0; i < options->map_count && status == TP_OK; i++) {
        status = tpi_wired_map(loaded->wired, options->maps[i], &err);
        if (status != TP_OK) {
            result = command_fail(who, EXIT_FAILED, "%s", err.text);
        }
    }
    tpi_loaded_fini(loaded);
    free(loaded);
    return result;
}
