/* socket_line.c - lines that are sockets. In the library net, apart from the loop. */
#include "loop/socket_line.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <unistd.h>

#include <uv.h>

#include "loop/address.h"

/* ---- Connecting ------------------------------------------------------------------------------ */

static int make_socket(const tpi_endpoint *endpoint, int type)
{
    const int one = 1;
    const int fd = socket(endpoint->as.any.sa_family, type, 0);

    if (fd < 0) {
        return -1;
    }
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    (void)fcntl(fd, F_SETFL, O_NONBLOCK);
    if (endpoint->as.any.sa_family != AF_UNIX && type == SOCK_STREAM) {
        /* commands are short and should go out at once */
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
    }
    return fd;
}

/* How a connection under way has ended: 0 or a number of errno. */
static int finish_connecting(int fd, int64_t deadline_ns)
{
    int error = 0;
    socklen_t size = sizeof error;

    if (!tpi_line_wait_writable(fd, deadline_ns)) {
        return ETIMEDOUT;
    }
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

/* A connected socket, or the negative of an errno. */
static int connect_to(const tpi_endpoint *endpoint, int type, int64_t deadline_ns)
{
    const int fd = make_socket(endpoint, type);
    int error = fd < 0 ? errno : 0;

    if (fd >= 0 && connect(fd, &endpoint->as.any, endpoint->length) != 0) {
        error = errno == EINPROGRESS ? finish_connecting(fd, deadline_ns) : errno;
    }
    if (error != 0 && fd >= 0) {
        close(fd);
    }
    return error == 0 ? fd : -error;
}

static tp_status find(tpi_address *address, const char *url, tpi_address_use use, tp_error *err)
{
    const char *wrong = tpi_address_parse(address, url, use);

    if (wrong != NULL) {
        return tp_fail(err, TP_E_INVALID, "%s", wrong);
    }
    const int code = tpi_address_resolve(address);
    if (code == UV_ENOMEM) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    return code == 0 ? TP_OK
                     : tp_fail(err, TP_E_UNKNOWN, "%s",
                               code == UV_EAI_AGAIN ? "the host cannot be looked up now"
                                                    : "there is no such host");
}

/* ---- The line -------------------------------------------------------------------------------- */

/* A connection that is closed with something unread is reset, and what was written last, the bytes
 * that stop a robot, may be lost with it. */
static void close_line(tpi_line *line)
{
    char bytes[512];

    (void)shutdown(line->fd, SHUT_WR);
    while (recv(line->fd, bytes, sizeof bytes, MSG_DONTWAIT) > 0) {
    }
    close(line->fd);
    free(line);
}

static const tpi_line_ops socket_ops = {
    .read = tpi_line_read_fd,
    .write = tpi_line_write_fd,
    .close = close_line,
};

/* A packet may be empty. A host where nobody listens may say so. */
static tp_status read_packet(tpi_line *line, void *bytes, size_t size, size_t *length,
                             tp_error *err)
{
    const ssize_t got = recv(line->fd, bytes, size, 0);

    *length = got > 0 ? (size_t)got : 0;
    if (got >= 0 || errno == EAGAIN || errno == EINTR) {
        return TP_OK;
    }
    return errno == ECONNREFUSED
               ? tp_fail(err, TP_E_CLOSED, "%s: nobody listens at this port", line->url)
               : tpi_line_read_fd(line, bytes, size, length, err);
}

/* An error of an earlier packet is not this one's: it is tried once more. */
static tp_status write_packet(tpi_line *line, const void *bytes, size_t size, size_t *length,
                              tp_error *err)
{
    ssize_t sent = send(line->fd, bytes, size, 0);

    if (sent < 0 && errno == ECONNREFUSED) {
        sent = send(line->fd, bytes, size, 0);
    }
    *length = sent > 0 ? (size_t)sent : 0;
    if (sent < 0 && errno == ECONNREFUSED) {
        return tp_fail(err, TP_E_CLOSED, "%s: nobody listens at this port", line->url);
    }
    return sent >= 0 ? TP_OK : tpi_line_write_fd(line, bytes, size, length, err);
}

static const tpi_line_ops packet_ops = {
    .read = read_packet,
    .write = write_packet,
    .close = close_line,
};

static tp_status open_any(tpi_line **out, const tpi_line_options *plan, int type, tp_error *err)
{
    const int64_t deadline_ns = tpi_line_real_deadline(plan->clock, plan->deadline_ns);
    const bool is_packets = type == SOCK_DGRAM;
    tpi_address address;
    char reason[96];
    int fd = -ECONNREFUSED;
    tp_status status =
        find(&address, plan->url, is_packets ? TPI_ADDRESS_SEND : TPI_ADDRESS_CONNECT, err);

    if (status != TP_OK) {
        return status;
    }
    for (unsigned i = 0; i < address.count && fd < 0; i++) {
        fd = connect_to(&address.endpoints[i], type, deadline_ns);
    }
    if (fd == -ETIMEDOUT) {
        return tp_fail(err, TP_E_TIMEOUT, "no connection in time");
    }
    if (fd < 0) {
        return tp_fail(err, TP_E_IO, "%s", tpi_line_reason(-fd, reason, sizeof reason));
    }
    tpi_line *line = calloc(1, sizeof *line);
    if (line == NULL) {
        close(fd);
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    *line = (tpi_line){.ops = is_packets ? &packet_ops : &socket_ops,
                       .url = plan->url,
                       .fd = fd,
                       .is_packets = is_packets};
    *out = line;
    return TP_OK;
}

static tp_status open_socket(tpi_line **out, const tpi_line_options *plan, tp_error *err)
{
    return open_any(out, plan, SOCK_STREAM, err);
}

static tp_status open_packets(tpi_line **out, const tpi_line_options *plan, tp_error *err)
{
    return open_any(out, plan, SOCK_DGRAM, err);
}

/* Names are looked up when it is opened. */
static tp_status check_address(const char *url, tpi_address_use use, tp_error *err)
{
    tpi_address address;
    const char *wrong = tpi_address_parse(&address, url, use);

    return wrong == NULL ? TP_OK : tp_fail(err, TP_E_INVALID, "%s", wrong);
}

static tp_status check_socket(const char *url, const char *rest, tp_error *err)
{
    (void)rest;
    return check_address(url, TPI_ADDRESS_CONNECT, err);
}

static tp_status check_packets(const char *url, const char *rest, tp_error *err)
{
    (void)rest;
    return check_address(url, TPI_ADDRESS_SEND, err);
}

const tp_scheme tpi_scheme_tcp = {.name = "tcp", .open = open_socket, .check = check_socket};
const tp_scheme tpi_scheme_unix = {.name = "unix", .open = open_socket, .check = check_socket};
const tp_scheme tpi_scheme_udp = {.name = "udp", .open = open_packets, .check = check_packets};
