/* file.c - whole files in and out. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

tp_status tpi_file_read_any(tpi_buf *out, const char *path, size_t most, tp_error *err)
{
    return strcmp(path, "-") == 0 ? read_all(out, stdin, "standard input", most, err)
                                  : read_path(out, path, most, err);
}

/* ---- Regular files --------------------------------------------------------------------------- */

static const char *kind_of(mode_t mode)
{
    return S_ISFIFO(mode) ? "a pipe" : S_ISSOCK(mode) ? "a socket" : "a device";
}

/* Opening a pipe or a modem without O_NONBLOCK would wait for its other end. */
tp_status tpi_file_open(FILE **out, const char *path, tp_error *err)
{
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat about;

    if (fd < 0 || fstat(fd, &about) != 0) {
        const int why = errno;
        if (fd >= 0) {
            close(fd);
        }
        return tp_fail(err, TP_E_IO, "%s: %s", path, strerror(why));
    }
    if (!S_ISREG(about.st_mode)) {
        close(fd);
        return S_ISDIR(about.st_mode) ? tp_fail(err, TP_E_IO, "%s: %s", path, strerror(EISDIR))
                                      : tp_fail(err, TP_E_IO, "%s: it is %s, not a regular file",
                                                path, kind_of(about.st_mode));
    }
    *out = fdopen(fd, "rb");
    if (*out == NULL) {
        close(fd);
        return tp_fail(err, TP_E_NOMEM, "%s: out of memory", path);
    }
    return TP_OK;
}

bool tpi_file_exists(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0;
}

tp_status tpi_file_read(tpi_buf *out, const char *path, size_t most, tp_error *err)
{
    FILE *file = NULL;

    if (strcmp(path, "-") == 0) {
        return tpi_file_read_any(out, path, most, err);
    }
    tp_status status = tpi_file_open(&file, path, err);
    if (status == TP_OK) {
        status = read_all(out, file, path, most, err);
        fclose(file);
    }
    return status;
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

/* Write all bytes, and wait until they are on the disk. */
static bool write_through(int file, const char *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t done = write(file, bytes, length);
        if (done < 0 && errno != EINTR) {
            return false;
        }
        bytes += done > 0 ? done : 0;
        length -= done > 0 ? (size_t)done : 0;
    }
    return fsync(file) == 0;
}

/* The name of a file is on the disk when its folder is. */
static void sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[4096];

    if (slash == NULL) {
        strcpy(folder, ".");
    } else {
        (void)snprintf(folder, sizeof folder, "%.*s/", (int)(slash - path), path);
    }
    const int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file >= 0) {
        (void)fsync(file);
        close(file);
    }
}

tp_status tpi_file_keep(const char *path, const void *bytes, size_t length, tp_error *err)
{
    char fresh[4096];

    if (snprintf(fresh, sizeof fresh, "%s.new", path) >= (int)sizeof fresh) {
        return tp_fail(err, TP_E_LIMIT, "%.100s: the path is too long", path);
    }
    const int file = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) {
        return tp_fail(err, TP_E_IO, "%s: %s", fresh, strerror(errno));
    }
    const bool is_written = write_through(file, bytes, length);
    const int error = errno;
    if (close(file) != 0 || !is_written || rename(fresh, path) != 0) {
        tp_fail(err, TP_E_IO, "%s: cannot write: %s", path, strerror(is_written ? errno : error));
        unlink(fresh);
        return TP_E_IO;
    }
    sync_folder(path);
    return TP_OK;
}
