/*
 * clients.h - many clients in one process, on one epoll; written from docs/reference/protocol.md.
 * Of what comes they look at the headers only.
 */
#ifndef TROUPE_BENCH_SERVER_CLIENTS_H
#define TROUPE_BENCH_SERVER_CLIENTS_H

#include "peer.h"
#include "spread.h"

/* One connection that waits: a socket that has read its greeting. The caller closes it. */
int client_connect(unsigned port, bool small_buffers);

/* Open a device and read the answer. */
void client_open_device(int fd, unsigned interf, unsigned index);

/* Read so many scans; gives up if they do not come. */
void client_read_scans(int fd, int count);

/* Ask GET_GEOM of position2d:index so often, one after the other. */
void client_ask(int fd, unsigned index, int times, bench_spread *round_trips);

typedef struct bench_clients bench_clients;

/* With small buffers little is under way between a server and clients that do not read. */
bench_clients *clients_connect(unsigned port, int count, bool small_buffers);
void clients_open_device(bench_clients *clients, unsigned interf, unsigned index);

/* Ask once each: for the floor, so that TCP has seen the same. It acknowledges data at once to
 * whoever only reads, and later to whoever has asked before. */
void clients_ask(bench_clients *clients);

void clients_close(bench_clients *clients);

/* Read what comes until then; `ages` (may be NULL) gets the age of each message. How many there
 * were. */
uint64_t clients_read(bench_clients *clients, int64_t until_ns, bench_spread *ages);

#endif
