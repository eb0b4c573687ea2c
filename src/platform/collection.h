/*
 * collection.h - files of one kind in several folders, found by name: robots, sensors, programs.
 *
 * The folders are those of the environment, then our own ones. A file hides those of the same name
 * in later folders.
 */
#ifndef TROUPE_PLATFORM_COLLECTION_H
#define TROUPE_PLATFORM_COLLECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "troupe/status.h"

typedef struct tpi_collection {
    const char *what;     /* for errors: "robot" */
    const char *ending;   /* of the files: ".xml" */
    const char *kind;     /* of our own folders, for tpi_folder_own() */
    const char *variable; /* of the environment: folders with ":" between them */
    const char *first;    /* a folder that comes before all others; NULL or "" for none */
    const char *except;   /* a file that does not count; NULL for none */
} tpi_collection;

enum { TPI_COLLECTION_NAME = 64 /* bytes of a name, with its NUL */ };

/* Append all names in order, each ended by a NUL, with the ending of the files or without it. How
 * many there are; at most 256. */
unsigned tpi_collection_names(const tpi_collection *all, bool endings, tpi_buf *out);

/* The same for the files of one folder; -1 if it is no folder. */
int tpi_collection_names_in(const tpi_collection *all, const char *folder, bool endings,
                            tpi_buf *out);

/* The path of a file, by its name with the ending. False if no folder has it. */
bool tpi_collection_file(const tpi_collection *all, const char *file, char *path, size_t size);

/* The path of a file: `name` is a name without the ending, or a path (with a / or the ending).
 * TP_E_UNKNOWN, with the nearest name and all others, if there is none. */
tp_status tpi_collection_find(const tpi_collection *all, const char *name, char *path, size_t size,
                              tp_error *err);

#endif
