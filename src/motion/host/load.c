/* load.c - see load.h. */
#include "motion/host/load.h"

#include <stdio.h>

#include "base/file.h"
#include "platform/folder.h"

enum { MOST_BYTES = 16 << 20 };

/* The file in the folder, or else among those of Troupe. The error is that of the first place. */
static tp_status read_text(tpi_buf *text, char *found, size_t size, const char *folder,
                           const char *path, tp_error *err)
{
    char own[3200];
    const bool whole = path[0] == '/';

    (void)snprintf(found, size, "%s%s", whole ? "" : folder, path);
    tp_status status = tpi_file_read(text, found, MOST_BYTES, err);
    for (size_t i = 0; status != TP_OK && !whole && tpi_folder_own("robots", own, sizeof own, i);
         i++) {
        (void)snprintf(found, size, "%s/%s", own, path);
        tpi_buf_clear(text);
        status = tpi_file_read(text, found, MOST_BYTES, NULL);
    }
    return status;
}

tp_status tpi_motion_load(tpi_motion_model **out, const char *folder, const char *path, bool planar,
                          tp_error *err)
{
    char found[4096];
    tpi_buf text = {0};
    tp_status status = read_text(&text, found, sizeof found, folder, path, err);

    if (status == TP_OK) {
        status = tpi_motion_model_read_base(out, text.data, text.length, found, planar, err);
    }
    tpi_buf_fini(&text);
    return status;
}
