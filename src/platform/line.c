/* line.c - lines that are descriptors. */
#include "platform/line.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *tpi_line_reason(int error, char *out, size_t size)
{
    (void)snprintf(out, size, "%s", strerror(error));
    out[0] = (char)tolower((unsigned char)out[0]);
    return out;
}

static bool is_gone(int error)
{
    return error == EPIPE || error == ECONNRESET || error == EIO || error == ENXIO ||
           error == ENODEV;
}

static bool means_later(int error)
{
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

static tp_status fail(const tpi_line *line, int error, const char *what, tp_error *err)
{
    char reason[96];

    if (is_gone(error)) {
        return tp_fail(err, TP_E_CLOSED, "%s: the other side is gone", line->url);
    }
    return tp_fail(err, TP_E_IO, "%s: cannot %s: %s", line->url, what,
                   tpi_line_reason(error, reason, sizeof reason));
}

tp_status tpi_line_read_fd(tpi_line *line, void *bytes, size_t size, size_t *length, tp_error *err)
{
    const ssize_t got = read(line->fd, bytes, size);

    *length = got > 0 ? (size_t)got : 0;
    if (got > 0 || (got < 0 && means_later(errno))) {
        return TP_OK;
    }
    return fail(line, got == 0 ? EPIPE : errno, "read", err);
}

tp_status tpi_line_write_fd(tpi_line *line, const void *bytes, size_t size, size_t *length,
                            tp_error *err)
{
    const ssize_t taken = write(line->fd, bytes, size);

    *length = taken > 0 ? (size_t)taken : 0;
    return taken >= 0 || means_later(errno) ? TP_OK : fail(line, errno, "write", err);
}

bool tpi_line_wait_writable(int fd, int64_t deadline_ns)
{
    struct pollfd polled = {.fd = fd, .events = POLLOUT};

    for (;;) {
        const int64_t left_ns = deadline_ns - tp_clock_now_ns(tp_clock_real());
        const int64_t left_ms = left_ns > 0 ? left_ns / TP_NS_PER_MS + 1 : 0;
        const int ready = poll(&polled, 1, left_ms < 60000 ? (int)left_ms : 60000);
        if (ready > 0) {
            return true;
        }
        if (left_ms == 0 && (ready == 0 || errno != EINTR)) {
            return false;
        }
    }
}

int64_t tpi_line_real_deadline(const tp_clock *clock, int64_t deadline_ns)
{
    const int64_t real_ns = tp_clock_now_ns(tp_clock_real());

    if (clock == tp_clock_real() || deadline_ns == TP_NEVER) {
        return deadline_ns;
    }
    const int64_t left_ns = deadline_ns - tp_clock_now_ns(clock);
    if (left_ns <= 0) {
        return real_ns;
    }
    return left_ns > TP_NEVER - real_ns ? TP_NEVER : real_ns + left_ns;
}
