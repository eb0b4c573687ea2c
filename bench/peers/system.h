/*
 * system.h - the systems that `bench peers` compares: each sends the same scans to many readers.
 *
 * A system runs in processes of its own on one core: a source, and a broker if it has one. Readers
 * are plain sockets in the process of the benchmark. They speak just enough of the system's
 * protocol to subscribe, so that only the sending side is measured. Each message has the same size
 * on the wire, so that readers need not parse.
 */
#ifndef TROUPE_BENCH_PEERS_SYSTEM_H
#define TROUPE_BENCH_PEERS_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>

#include "server/peer.h"

typedef struct bench_system {
    const char *name;
    const char *setting; /* how it is set up, for the legend */
    peer_main *run;      /* mode 1 sends flat out, mode 0 at 100 Hz, while the flow is on */
    /* Subscribe with a connected socket that blocks; gives up on failure. Everything that follows
     * on the socket is messages. */
    void (*join)(int fd, bool flat);
    size_t before; /* bytes on the wire before the scan of a message */
    size_t after;  /* bytes behind it */
    /* A request with an answer of fixed size, on a connected socket after `meet`; NULL if the
     * system has none. */
    void (*meet)(int fd);
    const char *ask;
    size_t ask_size;
    size_t answer_size;
} bench_system;

extern const bench_system bench_troupe, bench_floor, bench_redis, bench_zeromq, bench_nng,
    bench_mosquitto;

/* ---- What systems share ------------------------------------------------------------------------
 */

enum { STAMP_AT = 24 }; /* where a scan has its time: a big-endian double, in seconds */

/* A scan with the time of now. */
void source_stamp(unsigned char scan[SCAN_SIZE]);

/* Send scans as long as the process lives: `send` passes `count` scans on and may wait. */
_Noreturn void source_run(peer_flow *flow, int mode, void (*send)(void *context, int count),
                          void *context);

/* A port of 127.0.0.1 that is free now. */
unsigned source_free_port(void);

/* A connected socket that blocks; waits for the server to come. */
int source_connect(unsigned port);

#endif
