/* listing.h - the newest files of a folder. */
#ifndef TROUPE_PLATFORM_LISTING_H
#define TROUPE_PLATFORM_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TPI_LISTED_NAME = 128 };

typedef struct tpi_listed {
    char name[TPI_LISTED_NAME];
    int64_t size, modified_ns; /* since the epoch */
} tpi_listed;

/* Whether a file of this name belongs to the list. */
typedef bool tpi_listing_wanted(const char *name);

/* Regular files of a folder, the newest first; at most `most`. "" is the folder of the process.
 * Files that begin with a dot or have longer names are left out. How many. */
size_t tpi_listing_read(const char *folder, tpi_listing_wanted *wanted, tpi_listed *out,
                        size_t most);

#endif
