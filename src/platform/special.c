/* special.c - files that are devices; see special.h. */
#include "platform/special.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static tp_status cannot(const char *what, int error, tp_error *err)
{
    char reason[96];

    return tp_fail(err, TP_E_IO, "%s: %s", what, tpi_line_reason(error, reason, sizeof reason));
}

static void file_close(tpi_line *line)
{
    close(line->fd);
    free(line);
}

static const tpi_line_ops file_ops = {
    .read = tpi_line_read_fd,
    .write = tpi_line_write_fd,
    .close = file_close,
};

/* A pipe is opened for writing too, so that it has no end when its writers leave. */
static int open_special(const char *path)
{
    const int flags = O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    const int fd = open(path, O_RDWR | flags);

    return fd >= 0 || (errno != EACCES && errno != EROFS && errno != EPERM)
               ? fd
               : open(path, O_RDONLY | flags);
}

static tp_status file_open(tpi_line **out, const tpi_line_options *plan, tp_error *err)
{
    struct stat found;

    /* A file that is no device must not be opened: opening some has effects. */
    if (stat(plan->rest, &found) != 0) {
        return cannot(plan->rest, errno, err);
    }
    if (!S_ISCHR(found.st_mode) && !S_ISFIFO(found.st_mode)) {
        return tp_fail(err, TP_E_IO, "%s: it is no device", plan->rest);
    }
    const int fd = open_special(plan->rest);
    if (fd < 0) {
        return cannot(plan->rest, errno, err);
    }
    tpi_line *line = calloc(1, sizeof *line);
    if (line == NULL) {
        close(fd);
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    *line = (tpi_line){.ops = &file_ops, .url = plan->url, .fd = fd};
    *out = line;
    return TP_OK;
}

const tp_scheme tpi_scheme_file = {.name = "file", .open = file_open};
