/* folder.c - the recordings of a folder; see folder.h. */
#include "log/host/folder.h"

#include <string.h>

static bool ends_in(const char *name, const char *ending)
{
    const size_t length = strlen(name), tail = strlen(ending);

    return length > tail && strcmp(name + length - tail, ending) == 0;
}

static bool is_recording(const char *name)
{
    return ends_in(name, ".mcap") || ends_in(name, ".log");
}

size_t tpi_log_folder_list(const char *folder, tpi_listed *out, size_t most)
{
    return tpi_listing_read(folder, is_recording, out, most);
}
