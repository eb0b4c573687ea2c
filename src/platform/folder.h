/* folder.h - a folder for things that live as long as the program, and folders around it. */
#ifndef TROUPE_PLATFORM_FOLDER_H
#define TROUPE_PLATFORM_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "troupe/status.h"

/* Make one that only this user can enter, below TMPDIR or /tmp; `size` is at least 48. */
tp_status tpi_folder_make(char *out, size_t size, tp_error *err);

/* Remove it with the files in it; not with folders. "" is accepted. */
void tpi_folder_remove(const char *path);

/* The folder so many levels above a file that runs: the program, or the shared object that this
 * code is a part of. False if there is no such object, or nobody knows. */
bool tpi_folder_above(bool object, int levels, char *out, size_t size);

/* The folders of our own files of a kind, such as "worlds": those of an installation, and those of
 * the source tree that the program was built in. False if there is no more. */
bool tpi_folder_own(const char *kind, char *out, size_t size, size_t index);

bool tpi_folder_exists(const char *path);

/* A number that differs for a file, or a link to one, that was made anew; 0 if it is not there. */
uint64_t tpi_folder_mark(const char *path);

#endif
