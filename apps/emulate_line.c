/* emulate_line.c - pseudo-terminals, TCP and UDP ports of emulated robots; see emulate_line.h. */
#include "emulate_line.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "emulate/garble.h"
#include "line_port.h"
#include "platform/pty.h"

enum { CHUNK = 4096, MOST_PENDING = 256 * 1024 };

struct emulate_line {
    tpi_emu *robot;   /* borrowed */
    const char *link; /* borrowed; NULL for none */
    bool is_tcp;
    bool is_udp;
    bool linked; /* the link is ours */
    tpi_pty pty;
    line_port port;
    int peer;                     /* the host; -1 for none */
    struct sockaddr_storage from; /* the host on UDP: the last one that sent something */
    socklen_t from_length;        /* 0 for none */
    tpi_buf pending;              /* for the host, already garbled */
    uint64_t received;
};

/* ---- Ports ----------------------------------------------------------------------------------- */

static tp_status open_port(emulate_line *line, const char *address, tp_error *err)
{
    return line_port_open(&line->port, line->is_udp ? "udp" : "tcp", address, err);
}

static void close_peer(emulate_line *line)
{
    if (line->peer >= 0) {
        close(line->peer);
    }
    line->peer = -1;
    tpi_buf_clear(&line->pending);
}

/* ---- Pseudo-terminals ------------------------------------------------------------------------ */

/* Make the link, if there is to be one. */
static tp_status make_link(emulate_line *line, tp_error *err)
{
    const tp_status status =
        line->link == NULL ? TP_OK : line_link_make(line->link, line->pty.path, err);

    line->linked = line->link != NULL && status == TP_OK;
    return status;
}

static tp_status open_pty(emulate_line *line, tp_error *err)
{
    const tp_status status = tpi_pty_open(&line->pty, tpi_emu_baud(line->robot), err);

    return status == TP_OK ? make_link(line, err) : status;
}

static void close_pty(emulate_line *line)
{
    tpi_pty_close(&line->pty);
    tpi_buf_clear(&line->pending);
    if (line->linked) {
        (void)unlink(line->link);
        line->linked = false;
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

tp_status emulate_line_open(emulate_line **out, tpi_emu *robot, const char *listen,
                            const char *link, tp_error *err)
{
    emulate_line *line = calloc(1, sizeof *line);

    if (line == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    *line = (emulate_line){.robot = robot,
                           .link = link,
                           .is_tcp = listen != NULL && !tpi_emu_has_packets(robot),
                           .is_udp = tpi_emu_has_packets(robot),
                           .pty.fd = -1,
                           .port.listener = -1,
                           .peer = -1};
    listen = listen == NULL && line->is_udp ? "udp:127.0.0.1:0" : listen;
    const tp_status status = listen != NULL ? open_port(line, listen, err) : open_pty(line, err);
    if (status != TP_OK) {
        emulate_line_close(line);
        return status;
    }
    *out = line;
    return TP_OK;
}

void emulate_line_close(emulate_line *line)
{
    if (line == NULL) {
        return;
    }
    close_peer(line);
    close_pty(line);
    line_port_close(&line->port);
    tpi_buf_fini(&line->pending);
    free(line);
}

void emulate_line_put_url(const emulate_line *line, tpi_buf *out)
{
    const unsigned baud = tpi_emu_baud(line->robot);

    if (line->is_tcp || line->is_udp) {
        tpi_buf_printf(out, "%s:%s:%u", line->is_tcp ? "tcp" : "udp", line->port.host,
                       line->port.port);
    } else if (line->pty.fd < 0) {
        tpi_buf_puts(out, "unplugged");
    } else {
        tpi_buf_printf(out, "serial:%s", line->link != NULL ? line->link : line->pty.path);
        if (baud > 0) {
            tpi_buf_printf(out, "?baud=%u", baud);
        }
    }
}

uint64_t emulate_line_received(const emulate_line *line)
{
    return line->received;
}

/* A pseudo-terminal that nobody has open is always readable, which would end every wait. */
int emulate_line_fd(const emulate_line *line)
{
    if (line->is_tcp || line->is_udp) {
        return line->peer >= 0 ? line->peer : line->port.listener;
    }
    return tpi_pty_is_used(&line->pty) ? line->pty.fd : -1;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* The speed that the host has set if it is a wrong one; 0 if all is well. */
static unsigned wrong_baud(const emulate_line *line)
{
    const unsigned own = tpi_emu_baud(line->robot);
    const unsigned set = line->is_tcp || own == 0 ? own : tpi_pty_baud(&line->pty);

    return set == own ? 0 : set;
}

static void take_bytes(emulate_line *line, const char *bytes, size_t length)
{
    const unsigned baud = wrong_baud(line);
    char garbled[16 * CHUNK];

    line->received += length;
    if (baud > 0) {
        const size_t got =
            tpi_garble(bytes, length, baud, tpi_emu_baud(line->robot), garbled, sizeof garbled);
        tpi_emu_input(line->robot, garbled, got);
    } else {
        tpi_emu_input(line->robot, bytes, length);
    }
}

static void receive(emulate_line *line, int fd)
{
    char bytes[CHUNK];
    ssize_t length;

    do {
        length = read(fd, bytes, sizeof bytes);
        if (length > 0) {
            take_bytes(line, bytes, (size_t)length);
        }
    } while (length == CHUNK);
    if (line->is_tcp && (length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR))) {
        close_peer(line);
    }
}

static void collect(emulate_line *line)
{
    const unsigned baud = wrong_baud(line);
    char bytes[CHUNK];
    char garbled[16 * CHUNK];
    size_t length;

    while (line->pending.length < MOST_PENDING &&
           (length = tpi_emu_output(line->robot, bytes, sizeof bytes)) > 0) {
        if (baud > 0) {
            length =
                tpi_garble(bytes, length, tpi_emu_baud(line->robot), baud, garbled, sizeof garbled);
        }
        tpi_buf_put(&line->pending, baud > 0 ? garbled : bytes, length);
    }
}

static void transmit(emulate_line *line, int fd)
{
    if (line->pending.length == 0 || line->pending.failed) {
        tpi_buf_clear(&line->pending);
        return;
    }
    const ssize_t sent = line->is_tcp
                             ? send(fd, line->pending.data, line->pending.length, MSG_NOSIGNAL)
                             : write(fd, line->pending.data, line->pending.length);
    if (sent > 0) {
        line->pending.length -= (size_t)sent;
        memmove(line->pending.data, line->pending.data + sent, line->pending.length);
    }
}

/* Bytes for nobody are lost, as on a real line. */
static void drop_output(emulate_line *line)
{
    char bytes[CHUNK];

    while (tpi_emu_output(line->robot, bytes, sizeof bytes) > 0) {
    }
    tpi_buf_clear(&line->pending);
}

/* ---- Packets --------------------------------------------------------------------------------- */

/* A robot that is away has no port: a host that sends something gets an error. */
static void plug_packets(emulate_line *line, bool plugged)
{
    char address[sizeof line->port.host + 16];

    if (!plugged && line->port.listener >= 0) {
        line_port_close(&line->port);
        line->from_length = 0;
    }
    if (plugged && line->port.listener < 0) {
        (void)snprintf(address, sizeof address, "udp:%s:%u", line->port.host, line->port.port);
        (void)open_port(line, address, NULL);
    }
}

/* Send to another port of the host. */
static void report(const emulate_line *line, const char *bytes, size_t length, unsigned port)
{
    struct sockaddr_storage to = line->from;

    if (to.ss_family == AF_INET6) {
        ((struct sockaddr_in6 *)&to)->sin6_port = htons((uint16_t)port);
    } else {
        ((struct sockaddr_in *)&to)->sin_port = htons((uint16_t)port);
    }
    (void)sendto(line->port.listener, bytes, length, 0, (const struct sockaddr *)&to,
                 line->from_length);
}

static void exchange_packets(emulate_line *line)
{
    enum { MOST_AT_ONCE = 64 };
    struct sockaddr_storage from;
    socklen_t from_length = sizeof from;
    char bytes[CHUNK];
    ssize_t got = 0;
    size_t length;

    for (unsigned i = 0; i < MOST_AT_ONCE && line->port.listener >= 0 && got >= 0; i++) {
        from_length = sizeof from;
        got = recvfrom(line->port.listener, bytes, sizeof bytes, 0, (struct sockaddr *)&from,
                       &from_length);
        if (got > 0) {
            line->from = from;
            line->from_length = from_length;
            line->received += (size_t)got;
            tpi_emu_input(line->robot, bytes, (size_t)got);
        }
    }
    const bool has_host = line->port.listener >= 0 && line->from_length > 0;
    while ((length = tpi_emu_output(line->robot, bytes, sizeof bytes)) > 0) {
        if (has_host) {
            (void)sendto(line->port.listener, bytes, length, 0,
                         (const struct sockaddr *)&line->from, line->from_length);
        }
    }
    unsigned port = 0;
    if (has_host && (length = tpi_emu_report(line->robot, bytes, sizeof bytes, &port)) > 0) {
        report(line, bytes, length, port);
    }
}

/* True if it has another URL now. */
static bool plug(emulate_line *line, bool plugged)
{
    if (line->is_tcp) {
        if (!plugged) {
            close_peer(line);
        }
        line_port_accept(&line->port, &line->peer, plugged);
        return false;
    }
    if (plugged == (line->pty.fd >= 0)) {
        return false;
    }
    if (!plugged) {
        close_pty(line);
        return true;
    }
    return open_pty(line, NULL) == TP_OK;
}

bool emulate_line_exchange(emulate_line *line)
{
    if (line->is_udp) {
        plug_packets(line, !tpi_emu_has_fault(line->robot, TPI_EMU_UNPLUGGED));
        exchange_packets(line);
        return false;
    }
    const bool changed = plug(line, !tpi_emu_has_fault(line->robot, TPI_EMU_UNPLUGGED));
    const int fd = line->is_tcp ? line->peer : tpi_pty_is_used(&line->pty) ? line->pty.fd : -1;

    if (fd < 0) {
        if (line->pty.fd >= 0) {
            receive(line, line->pty.fd); /* what a host wrote before it left: the stop bytes */
        }
        drop_output(line);
        return changed;
    }
    receive(line, fd);
    collect(line);
    if (!line->is_tcp || line->peer >= 0) {
        transmit(line, fd);
    }
    return changed;
}
