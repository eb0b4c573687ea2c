/* folders.c - where files of worlds are searched; see host.h. */
#include "sim/host/host.h"

#include <stdio.h>
#include <stdlib.h>

#include "platform/folder.h"

bool tpi_sim_own_folder(char *folder, size_t size, size_t index)
{
    /* As they are installed (bin/troupe, lib/libtroupe-server.so, lib/MACHINE/libtroupe-server.so),
     * or built in the source tree (build/NAME/apps/troupe, build/NAME/src/core/...). */
    static const struct {
        bool library;
        int up;
        const char *down;
    } places[] = {{false, 2, "share/troupe/worlds"},
                  {false, 4, "worlds"},
                  {true, 2, "share/troupe/worlds"},
                  {true, 3, "share/troupe/worlds"},
                  {true, 5, "worlds"}};
    char above[3072];

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (tpi_folder_above(places[i].library, places[i].up, above, sizeof above) &&
            index-- == 0) {
            snprintf(folder, size, "%s/%s", above, places[i].down);
            return true;
        }
    }
    return false;
}

static void add(tpi_buf *path, const char *folders)
{
    if (folders != NULL && folders[0] != '\0') {
        tpi_buf_printf(path, "%s%s", path->length > 0 ? ":" : "", folders);
    }
}

void tpi_sim_folders(tpi_buf *path)
{
    char folder[4096];

    add(path, getenv("STAGEPATH"));
    add(path, getenv("TROUPE_WORLD_PATH"));
    for (size_t i = 0; tpi_sim_own_folder(folder, sizeof folder, i); i++) {
        if (tpi_folder_exists(folder)) {
            add(path, folder);
        }
    }
}
