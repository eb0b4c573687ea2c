/* file.c - whole files in and out, with the C library only. */
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static tp_status read_all(tpi_buf *out, FILE *file, const char *path, size_t most, tp_error *err)
{
    char block[16384];
    size_t length;
    size_t total = 0;

    while ((length = fread(block, 1, sizeof block, file)) > 0) {
        total += length;
        if (total > most) {
            return tp_fail(err, TP_E_LIMIT, "%s: longer than %zu bytes", path, most);
        }
        tpi_buf_put(out, block, length);
    }
    if (ferror(file)) {
        return tp_fail(err, TP_E_IO, "%s: %s", path, strerror(errno));
    }
    return out->failed ? tp_fail(err, TP_E_NOMEM, "%s: out of memory", path) : TP_OK;
}

static tp_status read_path(tpi_buf *out, const char *path, size_t most, tp_error *err)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return tp_fail(err, TP_E_IO, "%s: %s", path, strerror(errno));
    }
    tp_status status = read_all(out, file, path, most, err);
    fclose(file);
    return status;
}

tp_status tpi_file_read(tpi_buf *out, const char *path, size_t most, tp_error *err)
{
    return strcmp(path, "-") == 0 ? read_all(out, stdin, "standard input", most, err)
                                  : read_path(out, path, most, err);
}

static int holds_already(const char *path, const void *bytes, size_t length)
{
    tpi_buf old = {0};
    int same = read_path(&old, path, length + 1, NULL) == TP_OK && old.length == length &&
               (length == 0 || memcmp(tpi_buf_text(&old), bytes, length) == 0);

    tpi_buf_fini(&old);
    return same;
}

tp_status tpi_file_write(const char *path, const void *bytes, size_t length, tp_error *err)
{
    if (holds_already(path, bytes, length)) {
        return TP_OK;
    }
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        return tp_fail(err, TP_E_IO, "%s: %s", path, strerror(errno));
    }
    size_t written = length > 0 ? fwrite(bytes, 1, length, file) : 0;
    if (fclose(file) != 0 || written != length) {
        return tp_fail(err, TP_E_IO, "%s: cannot write: %s", path, strerror(errno));
    }
    return TP_OK;
}
