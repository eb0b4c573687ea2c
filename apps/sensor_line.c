/* sensor_line.c - pseudo-terminals and TCP ports of emulated sensors; see sensor_line.h. */
#include "sensor_line.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "line_port.h"
#include "platform/pty.h"

struct sensor_line {
    const char *link; /* borrowed; NULL for none */
    bool is_tcp, is_plugged;
    bool linked;  /* the link is ours */
    bool is_used; /* a host was there at the last read */
    unsigned baud;
    tpi_pty pty;
    line_port port;
    int peer; /* the host on TCP; -1 for none */
};

static void close_peer(sensor_line *line)
{
    if (line->peer >= 0) {
        close(line->peer);
    }
    line->peer = -1;
}

/* ---- Pseudo-terminals ------------------------------------------------------------------------ */

/* Make the link, if there is to be one. */
static tp_status make_link(sensor_line *line, tp_error *err)
{
    const tp_status status =
        line->link == NULL ? TP_OK : line_link_make(line->link, line->pty.path, err);

    line->linked = line->link != NULL && status == TP_OK;
    return status;
}

static void close_pty(sensor_line *line)
{
    if (line->linked) {
        (void)unlink(line->link);
        line->linked = false;
    }
    tpi_pty_close(&line->pty);
}

/* ---- Life ------------------------------------------------------------------------------------ */

tp_status sensor_line_open(sensor_line **out, const char *listen, const char *link, unsigned baud,
                           tp_error *err)
{
    sensor_line *line = calloc(1, sizeof *line);

    if (line == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    *line = (sensor_line){.link = link,
                          .is_tcp = listen != NULL,
                          .baud = baud,
                          .pty.fd = -1,
                          .port.listener = -1,
                          .peer = -1};
    tp_status status = line->is_tcp ? line_port_open(&line->port, "tcp", listen, err) : TP_OK;
    status = status == TP_OK ? sensor_line_plug(line, true, err) : status;
    if (status != TP_OK) {
        sensor_line_close(line);
        return status;
    }
    *out = line;
    return TP_OK;
}

void sensor_line_close(sensor_line *line)
{
    if (line != NULL) {
        close_peer(line);
        close_pty(line);
        line_port_close(&line->port);
        free(line);
    }
}

tp_status sensor_line_plug(sensor_line *line, bool plugged, tp_error *err)
{
    tp_status status = TP_OK;

    if (plugged == line->is_plugged) {
        return TP_OK;
    }
    if (!plugged) {
        close_peer(line);
        close_pty(line);
    } else if (!line->is_tcp) {
        status = tpi_pty_open(&line->pty, line->baud, err);
        status = status == TP_OK ? make_link(line, err) : status;
    }
    line->is_plugged = plugged && status == TP_OK;
    line->is_used = false;
    return status;
}

bool sensor_line_is_plugged(const sensor_line *line)
{
    return line->is_plugged;
}

void sensor_line_put_url(const sensor_line *line, tpi_buf *out)
{
    if (!line->is_plugged) {
        tpi_buf_puts(out, "unplugged");
    } else if (line->is_tcp) {
        tpi_buf_printf(out, "tcp:%s:%u", line->port.host, line->port.port);
    } else {
        tpi_buf_printf(out, "serial:%s?baud=%u", line->link != NULL ? line->link : line->pty.path,
                       line->baud);
    }
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static int used_fd(const sensor_line *line)
{
    if (line->is_tcp) {
        return line->peer;
    }
    return line->pty.fd >= 0 && tpi_pty_is_used(&line->pty) ? line->pty.fd : -1;
}

size_t sensor_line_read(sensor_line *line, void *bytes, size_t size, bool *is_new)
{
    if (line->is_tcp) {
        line_port_accept(&line->port, &line->peer, line->is_plugged);
    }
    const int fd = used_fd(line);
    *is_new = fd >= 0 && !line->is_used;
    line->is_used = fd >= 0;
    if (fd < 0) {
        return 0;
    }
    const ssize_t length = read(fd, bytes, size);
    if (line->is_tcp && (length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR))) {
        close_peer(line);
    }
    return length > 0 ? (size_t)length : 0;
}

size_t sensor_line_write(sensor_line *line, const void *bytes, size_t length)
{
    const int fd = used_fd(line);

    if (fd < 0) {
        return length;
    }
    const ssize_t sent =
        line->is_tcp ? send(fd, bytes, length, MSG_NOSIGNAL) : write(fd, bytes, length);
    return sent > 0 ? (size_t)sent : 0;
}

int sensor_line_fd(const sensor_line *line)
{
    return line->is_tcp && line->peer < 0 ? line->port.listener : used_fd(line);
}
