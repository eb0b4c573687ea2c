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
