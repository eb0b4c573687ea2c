/* zip.c - a ZIP file without compression; see zip.h. */
#include "web/zip.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

static void put_little(tpi_buf *out, uint32_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        tpi_buf_putc(out, (char)(number >> 8 * i));
    }
}

/* What a file and its entry in the directory have in common: from the version on. */
static void put_facts(tpi_zip *zip, unsigned place)
{
    tpi_buf *out = zip->out;

    put_little(out, 20, 2);     /* version needed */
    put_little(out, 0x0800, 2); /* names in UTF-8 */
    put_little(out, 0, 2);      /* stored */
    put_little(out, 0, 2);      /* time */
    put_little(out, 0x21, 2);   /* 1980-01-01 */
    put_little(out, zip->files[place].crc, 4);
    put_little(out, zip->files[place].length, 4);
    put_little(out, zip->files[place].length, 4);
    put_little(out, (uint32_t)strlen(zip->files[place].name), 2);
    put_little(out, 0, 2);
}

void tpi_zip_add(tpi_zip *zip, const char *name, const tpi_buf *content)
{
    const unsigned place = zip->count;

    if (place >= TPI_ZIP_FILES) {
        return;
    }
    zip->count++;
    (void)snprintf(zip->files[place].name, TPI_ZIP_NAME, "%s", name);
    zip->files[place].offset = (uint32_t)zip->out->length;
    zip->files[place].length = (uint32_t)content->length;
    zip->files[place].crc =
        (uint32_t)crc32(0, (const unsigned char *)tpi_buf_text(content), (unsigned)content->length);
    tpi_buf_put(zip->out, "PK\3\4", 4);
    put_facts(zip, place);
    tpi_buf_puts(zip->out, zip->files[place].name);
    tpi_buf_put(zip->out, tpi_buf_text(content), content->length);
    zip->out->failed = zip->out->failed || content->failed;
}

void tpi_zip_end(tpi_zip *zip)
{
    tpi_buf *out = zip->out;
    const uint32_t begin = (uint32_t)out->length;

    for (unsigned i = 0; i < zip->count; i++) {
        tpi_buf_put(out, "PK\1\2", 4);
        put_little(out, 20, 2);
        put_facts(zip, i);
        put_little(out, 0, 2); /* comment */
        put_little(out, 0, 2); /* disk */
        put_little(out, 0, 2);
        put_little(out, 0, 4);
        put_little(out, zip->files[i].offset, 4);
        tpi_buf_puts(out, zip->files[i].name);
    }
    const uint32_t length = (uint32_t)out->length - begin;
    tpi_buf_put(out, "PK\5\6", 4);
    put_little(out, 0, 4);
    put_little(out, zip->count, 2);
    put_little(out, zip->count, 2);
    put_little(out, length, 4);
    put_little(out, begin, 4);
    put_little(out, 0, 2);
}
