/*
 * clients.h - many clients in one process, on one epoll; written from docs/reference/protocol.md.
 * Of what comes they look at the headers only.
 */
#ifndef TROUPE_BENCH_SERVER_CLIENTS_H
#define TROUPE_BENCH_SERVER_CLIENTS_H

#include "crowd.h"
#include "peer.h"

/* One connection that waits: a socket that has read its greeting. The caller closes it. With
 * small buffers little is under way between a server and a client that does not read. */
int client_connect(unsigned port, bool small_buffers);

/* Open a device and read the answer. */
void client_open_device(int fd, unsigned interf, unsigned index);

/* Read so many scans; gives up if they do not come. */
void client_read_scans(int fd, int count);

/* Ask GET_GEOM of position2d:index so often, one after the other. */
void client_ask(int fd, unsigned index, int times, bench_spread *round_trips);

/* Many on one epoll; crowd_read() reads what comes for them. */
bench_crowd *clients_connect(unsigned port, int count, bool small_buffers);
void clients_open_device(const bench_crowd *clients, unsigned interf, unsigned index);

/* Ask once each: for the floor, so that TCP has seen the same. It acknowledges data at once to
 * whoever only reads, and later to whoever has asked before. */
void clients_ask(const bench_crowd *clients);

#endif
