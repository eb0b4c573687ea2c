/* dial.c - see dial.h. */
#include "dial.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"

/* What goes to the memory of the kernel is not what is measured. */
static void make_buffers_small(int fd)
{
    const int segment = 1400;
    const int bytes = 4096;

    setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &segment, sizeof segment);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

int dial(unsigned port, bool small_buffers)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct linger at_once = {.l_onoff = 1}; /* leaves no port waiting behind */
    const int yes = 1;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0) {
        bench_give_up("no socket");
    }
    if (small_buffers) {
        make_buffers_small(fd);
    }
    if (connect(fd, (const struct sockaddr *)&to, sizeof to) != 0) {
        close(fd);
        return -1;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    return fd;
}

void dial_send(int fd, const void *bytes, size_t length)
{
    const char *from = bytes;

    while (length > 0) {
        const ssize_t sent = send(fd, from, length, MSG_NOSIGNAL);
        if (sent <= 0) {
            bench_give_up("cannot send");
        }
        from += sent;
        length -= (size_t)sent;
    }
}

void dial_receive(int fd, void *bytes, size_t length)
{
    if (recv(fd, bytes, length, MSG_WAITALL) != (ssize_t)length) {
        bench_give_up("a server does not send what it should");
    }
}
