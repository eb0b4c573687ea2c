/*
 * keepalive.c - TCP connections whose other side has vanished without a word.
 *
 * The kernel's own means do half of it: keep-alive probes are sent on idle connections only, and
 * TCP_USER_TIMEOUT would also end connections to peers that are there and do not read, such as a
 * program in a debugger. So what the kernel knows of a connection with bytes under way is looked
 * at: how often it has tried in vain, and when it heard of the peer last.
 */
#define _GNU_SOURCE /* what the kernel knows of a connection */
#include "loop/keepalive.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <sys/socket.h>

enum { PROBES = 3 };

void tpi_keepalive_set(int fd, unsigned patience_s)
{
    const int on = patience_s > 0;
    const int probes = PROBES;
    const int every_s = patience_s > 2 * PROBES ? (int)patience_s / (2 * PROBES) : 1;
    const int idle_s = (int)patience_s > PROBES * every_s ? (int)patience_s - PROBES * every_s : 1;

    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every_s, sizeof every_s);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

unsigned tpi_keepalive_pulse_s(unsigned patience_s)
{
    return patience_s > 5 ? patience_s / 5 : 1;
}

/* A peer that is lost before the next pulse is lost now, so that it is gone when the time is over.
 */
bool tpi_keepalive_is_lost(int fd, unsigned patience_s)
{
    const unsigned pulse_s = tpi_keepalive_pulse_s(patience_s);
    const unsigned allowed_s = patience_s > 2 * pulse_s ? patience_s - pulse_s : patience_s;
    struct tcp_info info = {0};
    socklen_t length = sizeof info;

    return patience_s > 0 && getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 &&
           info.tcpi_retransmits + info.tcpi_probes >= 2 &&
           info.tcpi_last_ack_recv / 1000 >= allowed_s;
}
