/* file_kind.h - files of another kind than a command takes, known by the ends of their names. */
#ifndef TROUPE_APPS_FILE_KIND_H
#define TROUPE_APPS_FILE_KIND_H

#include "base/buf.h"

/* Whether the file is of a kind that is none of `wanted`, endings of file names that NULL ends;
 * then appends what it is, that it is no `what`, and which command takes it: "x.play is a program,
 * no world: troupe play x.play --check". If there is no such file, appends that instead. */
bool file_kind_put_other(tpi_buf *out, const char *path, const char *const *wanted,
                         const char *what);

#endif
