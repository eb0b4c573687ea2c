/* folder.h - a folder for things that live as long as the program. */
#ifndef TROUPE_PLATFORM_FOLDER_H
#define TROUPE_PLATFORM_FOLDER_H

#include <stddef.h>

#include "troupe/status.h"

/* Make one that only this user can enter, below TMPDIR or /tmp; `size` is at least 48. */
tp_status tpi_folder_make(char *out, size_t size, tp_error *err);

/* Remove it with the files in it; not with folders. "" is accepted. */
void tpi_folder_remove(const char *path);

#endif
