/*
 * files.h - finding and loading robot files, wiring files and the vocabulary.
 *
 * A robot is named by a path, or by a name that is looked for in the folders of TROUPE_ROBOT_PATH
 * and in our own ones.
 */
#ifndef TROUPE_UNIVERSAL_HOST_FILES_H
#define TROUPE_UNIVERSAL_HOST_FILES_H

#include "base/buf.h"
#include "universal/wired.h"

enum { TPI_MOST_PATH = 4096, TPI_MOST_MANIFESTS = 32 };

/* Load the vocabulary, classes.xml. */
tp_status tpi_files_vocabulary(tpi_vocabulary **out, tp_error *err);

/* A robot with all that belongs to it. */
typedef struct tpi_loaded {
    char path[TPI_MOST_PATH];
    tpi_vocabulary *vocabulary; /* owned */
    tpi_robotfile *robot;       /* owned */
    tpi_wired *wired;           /* owned */
    char *wiring_path;          /* owned; for messages */
    tpi_buf text;               /* the robot file */
    uint32_t revision;          /* of the robot file and the wiring file; never 0 */
    struct tpi_manifest *manifests[TPI_MOST_MANIFESTS]; /* owned: those that the files name */
    unsigned manifest_count;
    tpi_mistakes *mistakes; /* borrowed; receives all mistakes of the files; may be NULL */
} tpi_loaded;

/* Load a robot by name or path, with a wiring file (NULL for none). The struct must be zeroed; fini
 * is safe after a failure. */
tp_status tpi_loaded_init(tpi_loaded *out, const char *name, const char *wiring, tp_error *err);
void tpi_loaded_fini(tpi_loaded *loaded);

/* The path of a robot, by its name or path. */
tp_status tpi_files_find(char path[TPI_MOST_PATH], const char *name, tp_error *err);

/* The path of the robot that a wiring file is for; "" if the file is no wiring file. */
tp_status tpi_files_wired_robot(char out[TPI_MOST_PATH], const char *path, tp_error *err);

/* The path of a file in a folder ("" or with a slash at its end) if `name` is a relative path and
 * the file is there; else `name`. */
const char *tpi_files_beside(char out[TPI_MOST_PATH], const char *folder, const char *name);

/* The paths of the robot files in a folder, in order, each ended by a NUL; how many, or -1 if it is
 * no folder. */
int tpi_files_in(tpi_buf *out, const char *folder);

/* The names of all robots that can be found, in order, each ended by a NUL; how many. */
unsigned tpi_files_names(tpi_buf *out);

#endif
