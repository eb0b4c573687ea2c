/* file.h - whole files in and out. */
#ifndef TROUPE_BASE_FILE_H
#define TROUPE_BASE_FILE_H

#include <stdio.h>

#include "base/buf.h"

/* Open a regular file to read it. Pipes, devices and folders are refused without waiting. */
tp_status tpi_file_open(FILE **out, const char *path, tp_error *err);

/* Whether there is something at a path. It is not opened: a pipe would wait for its writer. */
bool tpi_file_exists(const char *path);

/* Append the contents of a regular file ("-" is standard input) to `out`. Fails with TP_E_LIMIT
 * beyond `most` bytes, so that a wrong path cannot fill the memory. Pipes, devices and folders are
 * refused without waiting: the call ends, whatever the path names. */
tp_status tpi_file_read(tpi_buf *out, const char *path, size_t most, tp_error *err);

/* The same, but a pipe is read to its end too, which waits for its writer. */
tp_status tpi_file_read_any(tpi_buf *out, const char *path, size_t most, tp_error *err);

/* Replace the file by `length` bytes; an unchanged file is not touched, so builds stay short. */
tp_status tpi_file_write(const char *path, const void *bytes, size_t length, tp_error *err);

/* Replace the file at once: it has its old contents or the new ones, also if the system ends at any
 * time, and is on the disk when this returns. Only its owner can read it. */
tp_status tpi_file_keep(const char *path, const void *bytes, size_t length, tp_error *err);

#endif
