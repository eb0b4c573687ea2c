/* plugged.h - lines that sensors may be plugged into: the files that fit a pattern. */
#ifndef TROUPE_SENSORS_HOST_PLUGGED_H
#define TROUPE_SENSORS_HOST_PLUGGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TPI_PLUGGED_MOST = 32, TPI_PLUGGED_PATH = 128 };

/* A line that is there. A file that was made anew has another mark. */
typedef struct tpi_plugged {
    char path[TPI_PLUGGED_PATH];
    uint64_t mark;
} tpi_plugged;

/* Whether a text is a pattern of the shell. */
bool tpi_plugged_is_pattern(const char *text);

/* The files that fit a pattern, sorted; how many, at most TPI_PLUGGED_MOST. */
size_t tpi_plugged_list(const char *pattern, tpi_plugged out[TPI_PLUGGED_MOST]);

#endif
