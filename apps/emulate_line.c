/* emulate_line.c - pseudo-terminals, TCP and UDP ports of emulated robots; see emulate_line.h. */
#include "emulate_line.h"

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

#include "emulate/garble.h"
#include "platform/line.h"
#include "platform/pty.h"

enum { CHUNK = 4096, MOST_PENDING = 256 * 1024, LONGEST_HOST = 256 };

struct emulate_line {
    tpi_emu *robot;   /* borrowed */
    const char *link; /* borrowed; NULL for none */
    bool is_tcp;
    bool is_udp;
    bool linked; /* the link is ours */
    tpi_pty pty;
    int listener; /* the TCP or UDP port; -1 for none */
    int peer;     /* the host; -1 for none */
    char host[LONGEST_HOST];
    unsigned port;
    struct sockaddr_storage from; /* the host on UDP: the last one that sent something */
    socklen_t from_length;        /* 0 for none */
    tpi_buf pending;              /* for the host, already garbled */
    uint64_t received;
};

/* ---- TCP ------------------------------------------------------------------------------------- */

static tp_status fail_errno(const char *what, int error, tp_error *err)
{
    char reason[96];

    return tp_fail(err, TP_E_IO, "%s: %s", what, tpi_line_reason(error, reason, sizeof reason));
}

/* "tcp:HOST:PORT", or udp: for robots with packets */
static tp_status split_address(emulate_line *line, const char *listen, tp_error *err)
{
    const char *scheme = line->is_udp ? "udp:" : "tcp:";
    const char *host = strncmp(listen, scheme, 4) == 0 ? listen + 4 : NULL;
    const char *colon = host == NULL ? NULL : strrchr(host, ':');
    char *end = NULL;
    const unsigned long port = colon == NULL ? 0 : strtoul(colon + 1, &end, 10);

    if (colon == NULL || colon == host || (size_t)(colon - host) >= sizeof line->host ||
        end == colon + 1 || *end != '\0' || port > 65535) {
        return tp_fail(err, TP_E_INVALID, "\"%.80s\" is no address, as %s127.0.0.1:0 is", listen,
                       scheme);
    }
    (void)snprintf(line->host, sizeof line->host, "%.*s", (int)(colon - host), host);
    line->port = (unsigned)port;
    return TP_OK;
}

static void learn_port(emulate_line *line)
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

static tp_status listen_at(emulate_line *line, const struct addrinfo *at, tp_error *err)
{
    const int on = 1;

    line->listener = socket(at->ai_family, line->is_udp ? SOCK_DGRAM : SOCK_STREAM, 0);
    if (line->listener < 0 ||
        setsockopt(line->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(line->listener, at->ai_addr, at->ai_addrlen) != 0 ||
        (!line->is_udp && listen(line->listener, 4) != 0) ||
        fcntl(line->listener, F_SETFL, O_NONBLOCK) != 0 ||
        fcntl(line->listener, F_SETFD, FD_CLOEXEC) != 0) {
        return fail_errno("cannot listen", errno, err);
    }
    learn_port(line);
    return TP_OK;
}

static tp_status open_port(emulate_line *line, const char *address, tp_error *err)
{
    const struct addrinfo hints = {.ai_socktype = line->is_udp ? SOCK_DGRAM : SOCK_STREAM,
                                   .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    char port[16];
    tp_status status = split_address(line, address, err);

    if (status != TP_OK) {
        return status;
    }
    (void)snprintf(port, sizeof port, "%u", line->port);
    const int result = getaddrinfo(line->host, port, &hints, &found);
    status = result != 0 ? tp_fail(err, TP_E_INVALID, "%s", gai_strerror(result))
                         : listen_at(line, found, err);
    if (found != NULL) {
        freeaddrinfo(found);
    }
    return status == TP_OK ? TP_OK : tp_wrap(err, status, address);
}

static void close_peer(emulate_line *line)
{
    if (line->peer >= 0) {
        close(line->peer);
    }
    line->peer = -1;
    tpi_buf_clear(&line->pending);
}

/* A line has one host: others are closed at once, and so is everybody while it is unplugged. */
static void accept_hosts(emulate_line *line, bool plugged)
{
    for (;;) {
        const int on = 1;
        const int fd = accept(line->listener, NULL, NULL);
        if (fd < 0) {
            return;
        }
        if (line->peer >= 0 || !plugged || fcntl(fd, F_SETFL, O_NONBLOCK) != 0) {
            close(fd);
        } else {
            (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
            (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            line->peer = fd;
        }
    }
}

/* ---- Pseudo-terminals ------------------------------------------------------------------------ */

/* Replace a link that is there, and nothing else. */
static tp_status make_link(emulate_line *line, tp_error *err)
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
                           .listener = -1,
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
    if (line->listener >= 0) {
        close(line->listener);
    }
    tpi_buf_fini(&line->pending);
    free(line);
}

void emulate_line_put_url(const emulate_line *line, tpi_buf *out)
{
    const unsigned baud = tpi_emu_baud(line->robot);

    if (line->is_tcp || line->is_udp) {
        tpi_buf_printf(out, "%s:%s:%u", line->is_tcp ? "tcp" : "udp", line->host, line->port);
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
        return line->peer >= 0 ? line->peer : line->listener;
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
    char address[LONGEST_HOST + 16];

    if (!plugged && line->listener >= 0) {
        close(line->listener);
        line->listener = -1;
        line->from_length = 0;
    }
    if (plugged && line->listener < 0) {
        (void)snprintf(address, sizeof address, "udp:%s:%u", line->host, line->port);
        (void)open_port(line, address, NULL);
    }
}

static void exchange_packets(emulate_line *line)
{
    enum { MOST_AT_ONCE = 64 };
    struct sockaddr_storage from;
    socklen_t from_length = sizeof from;
    char bytes[CHUNK];
    ssize_t got = 0;
    size_t length;

    for (unsigned i = 0; i < MOST_AT_ONCE && line->listener >= 0 && got >= 0; i++) {
        from_length = sizeof from;
        got = recvfrom(line->listener, bytes, sizeof bytes, 0, (struct sockaddr *)&from,
                       &from_length);
        if (got > 0) {
            line->from = from;
            line->from_length = from_length;
            line->received += (size_t)got;
            tpi_emu_input(line->robot, bytes, (size_t)got);
        }
    }
    while ((length = tpi_emu_output(line->robot, bytes, sizeof bytes)) > 0) {
        if (line->listener >= 0 && line->from_length > 0) {
            (void)sendto(line->listener, bytes, length, 0, (const struct sockaddr *)&line->from,
                         line->from_length);
        }
    }
}

/* True if it has another URL now. */
static bool plug(emulate_line *line, bool plugged)
{
    if (line->is_tcp) {
        if (!plugged) {
            close_peer(line);
        }
        accept_hosts(line, plugged);
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
