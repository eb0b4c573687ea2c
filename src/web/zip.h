/*
 * zip.h - a ZIP file without compression, in memory.
 *
 *     tpi_zip_add() for each file -> tpi_zip_end()
 *
 * Names are UTF-8. A buffer that has failed makes a file that is not whole; the caller looks at it.
 */
#ifndef TROUPE_WEB_ZIP_H
#define TROUPE_WEB_ZIP_H

#include <stdint.h>

#include "base/buf.h"

enum { TPI_ZIP_FILES = 24, TPI_ZIP_NAME = 144 };

typedef struct tpi_zip {
    tpi_buf *out; /* borrowed; the file */
    unsigned count;
    struct {
        char name[TPI_ZIP_NAME];
        uint32_t crc, length, offset;
    } files[TPI_ZIP_FILES];
} tpi_zip;

/* Add a file. More than TPI_ZIP_FILES are left out. */
void tpi_zip_add(tpi_zip *zip, const char *name, const tpi_buf *content);

/* Add the directory: the file is whole. */
void tpi_zip_end(tpi_zip *zip);

#endif
