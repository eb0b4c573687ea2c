/*
 * options.h - option structs that can grow.
 *
 * A public option struct begins with its size, as the program's compiler knows it. New fields are
 * added at the end. So a library can serve programs that were compiled with an older header (their
 * missing fields are zero) or a newer one (the fields that the library does not know must be zero).
 */
#ifndef TROUPE_BASE_OPTIONS_H
#define TROUPE_BASE_OPTIONS_H

#include <stddef.h>

#include "troupe/status.h"

/* Where a struct ends whose last field is `field`. */
#define TPI_OPTIONS_END(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

/* An option struct, as a library knows it. */
typedef struct tpi_options_kind {
    const char *name; /* "tp_client_options" */
    size_t size;      /* of the struct in this library */
    size_t first;     /* of the first version that had a size: what a size of 0 stands for */
} tpi_options_kind;

/* Copy the program's options (NULL for all zero) into `out`, which has the size of this library.
 * TP_E_INVALID for a size that is no size, TP_E_UNSUPPORTED if a field is set that this library
 * does not know. */
tp_status tpi_options_take(void *out, const tpi_options_kind *kind, const void *options,
                           tp_error *err);

#endif
