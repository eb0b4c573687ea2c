/*
 * sockets.h - many WebSocket clients in one process, on one epoll; written from
 * docs/reference/web.md. Of what comes they look at the heads only.
 */
#ifndef TROUPE_BENCH_WEB_SOCKETS_H
#define TROUPE_BENCH_WEB_SOCKETS_H

#include "server/spread.h"

typedef struct bench_sockets bench_sockets;

/* Connect and subscribe each to one channel. */
bench_sockets *sockets_connect(unsigned port, int count, unsigned channel);
void sockets_close(bench_sockets *sockets);

/* Read what comes until then; `ages` (may be NULL) gets the age of each message of data. How many
 * there were. */
uint64_t sockets_read(bench_sockets *sockets, int64_t until_ns, bench_spread *ages);

/* The mean length of a frame of data. */
double sockets_frame_bytes(const bench_sockets *sockets);

#endif
