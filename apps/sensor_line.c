/* sensor_line.c - pseudo-terminals and TCP ports of emulated sensors; see sensor_line.h. */
#include "sensor_line.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/line.h"
#include "platform/pty.h"

enum { LONGEST_HOST = 256 };

struct sensor_line {
    const char *link; /* borrowed; NULL for none */
    bool is_tcp, is_plugged;
    bool linked;  /* the link is ours */
    bool is_used; /* a host was there at the last read */
    unsigned baud;
    tpi_pty pty;
    int listener, peer; /* -1 for none */
    char host[LONGEST_HOST];
    unsigned port;
};

static tp_status fail_errno(const char *what, int error, tp_error *err)
{
    char reason[96];

    return tp_fail(err, TP_E_IO, "%s: %s", what, tpi_line_reason(error, reason, sizeof reason));
}

/* ---- TCP ------------------------------------------------------------------------------------- */

/* "tcp:HOST:PORT" */
static tp_status split_address(sensor_line *line, const char *listen, tp_error *err)
{
    const char *host = strncmp(listen, "tcp:", 4) == 0 ? listen + 4 : NULL;
    const char *colon = host == NULL ? NULL : strrchr(host, ':');
    char *end = NULL;
    const unsigned long port = colon == NULL ? 0 : strtoul(colon + 1, &end, 10);

    if (colon == NULL || colon == host || (size_t)(colon - host) >= sizeof line->host ||
        end == colon + 1 || *end != '\0' || port > 65535) {
        return tp_fail(err, TP_E_INVALID, "\"%.80s\" is no address, as tcp:127.0.0.1:0 is", listen);
    }
    (void)snprintf(line->host, sizeof line->host, "%.*s", (int)(colon - host), host);
    line->port = (unsigned)port;
    return TP_OK;
}

static void learn_port(sensor_line *line)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    char port[16] = "";

    if (getsockname(line->listener, (struct sockaddr *)&address, &length) == 0 &&
        getnameinfo((struct sockaddr *)&address, length, NULL, 0, port, sizeof port,
                    NI_NUMERICSERV) == 0) {
        line->port = (unsigned)strtoul(port, NULL, 10);
    }
}

static tp_status open_port(sensor_line *line, const char *listen_at, tp_error *err)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
    struct addrinfo *at = NULL;
    const int on = 1;
    char port[16];
    tp_status status = split_address(line, listen_at, err);

    if (status != TP_OK) {
        return status;
    }
    (void)snprintf(port, sizeof port, "%u", line->port);
    const int result = getaddrinfo(line->host, port, &hints, &at);
    if (result != 0) {
        return tp_fail(err, TP_E_INVALID, "%s: %s", listen_at, gai_strerror(result));
    }
    line->listener = socket(at->ai_family, SOCK_STREAM, 0);
    if (line->listener < 0 ||
        setsockopt(line->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(line->listener, at->ai_addr, at->ai_addrlen) != 0 || listen(line->listener, 4) != 0 ||
        fcntl(line->listener, F_SETFL, O_NONBLOCK) != 0 ||
        fcntl(line->listener, F_SETFD, FD_CLOEXEC) != 0) {
        status = fail_errno(listen_at, errno, err);
    }
    freeaddrinfo(at);
    learn_port(line);
    return status;
}

static void close_peer(sensor_line *line)
{
    if (line->peer >= 0) {
        close(line->peer);
    }
    line->peer = -1;
}

/* A line has one host: others are closed at once, and so is everybody while it is unplugged. */
static void accept_hosts(sensor_line *line)
{
    for (;;) {
        const int on = 1;
        const int fd = accept(line->listener, NULL, NULL);
        if (fd < 0) {
            return;
        }
        if (line->peer >= 0 || !line->is_plugged || fcntl(fd, F_SETFL, O_NONBLOCK) != 0) {
            close(fd);
        } else {
            (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
            (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            line->peer = fd;
        }
    }
}

/* ---- Pseudo-terminals ------------------------------------------------------------------------ */

/* Replace a link that is there, and nothing else. The rename makes it appear as a whole. */
static tp_status make_link(sensor_line *line, tp_error *err)
{
    struct stat there;

    if (line->link == NULL) {
        return TP_OK;
    }
    if (lstat(line->link, &there) == 0 && !S_ISLNK(there.st_mode)) {
        return tp_fail(err, TP_E_INVALID, "%s is there and is no link", line->link);
    }
    (void)unlink(line->link);
    if (symlink(line->pty.path, line->link) != 0) {
        return fail_errno(line->link, errno, err);
    }
    line->linked = true;
    return TP_OK;
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
                          .listener = -1,
                          .peer = -1};
    tp_status status = line->is_tcp ? open_port(line, listen, err) : TP_OK;
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
        if (line->listener >= 0) {
            close(line->listener);
        }
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
        tpi_buf_printf(out, "tcp:%s:%u", line->host, line->port);
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
        accept_hosts(line);
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
    return line->is_tcp && line->peer < 0 ? line->listener : used_fd(line);
}
