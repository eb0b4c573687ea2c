/*
 * files.h - the files of the dashboard, in memory.
 *
 * They are read once. A request names one of them exactly, so that no path leads elsewhere. A file
 * is gzipped when somebody wants it, in portions: all together take longer than other clients of
 * the thread should wait.
 */
#ifndef TROUPE_WEB_HOST_FILES_H
#define TROUPE_WEB_HOST_FILES_H

#include <stdbool.h>

#include "base/buf.h"

typedef struct tpi_web_file {
    char *name;       /* owned: "/assets/page.js" */
    const char *type; /* its media type */
    tpi_buf bytes;
    tpi_buf packed; /* the same, gzipped; empty if that is not shorter, and until it is ready */
    char tag[20];   /* of its contents, for caches; when it is ready */
    bool ready;
    struct tpi_web_packing *packing; /* owned; while it is being packed */
} tpi_web_file;

typedef struct tpi_web_files {
    tpi_web_file *files; /* owned */
    size_t count;
} tpi_web_files;

/* Read all files of a folder; NULL: of our own one, if there is one. TP_E_IO if a folder that was
 * given cannot be read, TP_E_LIMIT if it has too much. fini is safe after a failure. */
tp_status tpi_web_files_init(tpi_web_files *files, const char *folder, tp_error *err);
void tpi_web_files_fini(tpi_web_files *files);

/* The file of this name; "/" is the page. NULL if there is none. */
tpi_web_file *tpi_web_files_find(const tpi_web_files *files, const char *name);

/* Pack the next `most` bytes of it. Whether it is ready: a file that cannot be packed for want of
 * memory is ready without it. */
bool tpi_web_file_prepare(tpi_web_file *file, size_t most);

#endif
