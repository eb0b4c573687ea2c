/* folders.c - where files of worlds are searched; see host.h. */
#include "sim/host/host.h"

#include <stdlib.h>
#include <string.h>

#include "platform/folder.h"

bool tpi_sim_own_folder(char *folder, size_t size, size_t index)
{
    return tpi_folder_own("worlds", folder, size, index);
}

static void add(tpi_buf *path, const char *folders)
{
    if (folders != NULL && folders[0] != '\0') {
        tpi_buf_printf(path, "%s%s", path->length > 0 ? ":" : "", folders);
    }
}

/* The two folders above that of a world. */
static void add_above(tpi_buf *path, const char *world)
{
    const char *slash = strrchr(world, '/');
    const int length = slash == NULL ? 0 : (int)(slash - world) + 1;

    if (strchr(world, ':') == NULL) { /* a list has no room for that */
        tpi_buf_printf(path, "%s%.*s..:%.*s../..", path->length > 0 ? ":" : "", length, world,
                       length, world);
    }
}

void tpi_sim_folders(tpi_buf *path, const char *world)
{
    char folder[4096];

    add(path, getenv("STAGEPATH"));
    add(path, getenv("TROUPE_WORLD_PATH"));
    if (world != NULL) {
        add_above(path, world);
    }
    for (size_t i = 0; tpi_sim_own_folder(folder, sizeof folder, i); i++) {
        if (tpi_folder_exists(folder)) {
            add(path, folder);
        }
    }
}

bool tpi_sim_find_world(tpi_buf *path, const char *name)
{
    tpi_buf folders = {0}, other = {0};
    bool found = false;

    if (name[0] == '/' || path->failed || tpi_folder_mark(tpi_buf_text(path)) != 0) {
        return false;
    }
    tpi_sim_folders(&folders, NULL);
    for (const char *at = tpi_buf_text(&folders); *at != '\0' && !found;) {
        const size_t length = strcspn(at, ":");
        tpi_buf_clear(&other);
        tpi_buf_printf(&other, "%.*s/%s", (int)length, at, name);
        found = length > 0 && !other.failed && tpi_folder_mark(tpi_buf_text(&other)) != 0;
        at += length + (at[length] == ':');
    }
    if (found) {
        tpi_buf_clear(path);
        tpi_buf_puts(path, tpi_buf_text(&other));
    }
    tpi_buf_fini(&other);
    tpi_buf_fini(&folders);
    return found;
}
