/* line_port.c - where hosts reach an emulated device; see line_port.h. */
#include "line_port.h"

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

static tp_status fail_errno(const char *what, int error, tp_error *err)
{
    char reason[96];

    return tp_fail(err, TP_E_IO, "%s: %s", what, tpi_line_reason(error, reason, sizeof reason));
}

/* ---- Ports ----------------------------------------------------------------------------------- */

static tp_status split_address(line_port *port, const char *scheme, const char *address,
                               tp_error *err)
{
    const size_t length = strlen(scheme);
    const char *host =
        strncmp(address, scheme, length) == 0 && address[length] == ':' ? address + length + 1 : "";
    const char *colon = strrchr(host, ':');
    char *end = NULL;
    const unsigned long number = colon == NULL ? 0 : strtoul(colon + 1, &end, 10);

    if (colon == NULL || colon == host || (size_t)(colon - host) >= sizeof port->host ||
        end == colon + 1 || *end != '\0' || number > 65535) {
        return tp_fail(err, TP_E_INVALID, "\"%.80s\" is no address, as %s:127.0.0.1:0 is", address,
                       scheme);
    }
    (void)snprintf(port->host, sizeof port->host, "%.*s", (int)(colon - host), host);
    port->port = (unsigned)number;
    return TP_OK;
}

static void learn_number(line_port *port)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    char number[16] = "";

    if (getsockname(port->listener, (struct sockaddr *)&address, &length) == 0 &&
        getnameinfo((struct sockaddr *)&address, length, NULL, 0, number, sizeof number,
                    NI_NUMERICSERV) == 0) {
        port->port = (unsigned)strtoul(number, NULL, 10);
    }
}

static tp_status listen_at(line_port *port, const struct addrinfo *at, tp_error *err)
{
    const int on = 1;

    port->listener = socket(at->ai_family, at->ai_socktype, 0);
    if (port->listener < 0 ||
        setsockopt(port->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(port->listener, at->ai_addr, at->ai_addrlen) != 0 ||
        (at->ai_socktype == SOCK_STREAM && listen(port->listener, 4) != 0) ||
        fcntl(port->listener, F_SETFL, O_NONBLOCK) != 0 ||
        fcntl(port->listener, F_SETFD, FD_CLOEXEC) != 0) {
        return fail_errno("cannot listen", errno, err);
    }
    learn_number(port);
    return TP_OK;
}

tp_status line_port_open(line_port *port, const char *scheme, const char *address, tp_error *err)
{
    const struct addrinfo hints = {.ai_socktype =
                                       strcmp(scheme, "udp") == 0 ? SOCK_DGRAM : SOCK_STREAM,
                                   .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    char number[16];
    tp_status status = split_address(port, scheme, address, err);

    if (status != TP_OK) {
        return status;
    }
    (void)snprintf(number, sizeof number, "%u", port->port);
    const int result = getaddrinfo(port->host, number, &hints, &found);
    status = result != 0 ? tp_fail(err, TP_E_INVALID, "%s", gai_strerror(result))
                         : listen_at(port, found, err);
    if (found != NULL) {
        freeaddrinfo(found);
    }
    return status == TP_OK ? TP_OK : tp_wrap(err, status, address);
}

void line_port_close(line_port *port)
{
    if (port->listener >= 0) {
        close(port->listener);
    }
    port->listener = -1;
}

void line_port_accept(const line_port *port, int *peer, bool welcome)
{
    for (;;) {
        const int on = 1;
        const int fd = accept(port->listener, NULL, NULL);
        if (fd < 0) {
            return;
        }
        if (*peer >= 0 || !welcome || fcntl(fd, F_SETFL, O_NONBLOCK) != 0) {
            close(fd);
        } else {
            (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
            (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            *peer = fd;
        }
    }
}

/* ---- Links ----------------------------------------------------------------------------------- */

tp_status line_link_make(const char *link, const char *target, tp_error *err)
{
    struct stat there;

    if (lstat(link, &there) == 0 && !S_ISLNK(there.st_mode)) {
        return tp_fail(err, TP_E_INVALID, "%s is there and is no link", link);
    }
    (void)unlink(link);
    return symlink(target, link) == 0 ? TP_OK : fail_errno(link, errno, err);
}
