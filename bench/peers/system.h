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

/* What the source of a system does. It sends while the flow is on. */
enum { SOURCE_PACED, SOURCE_FLAT, SOURCE_SILENT };

typedef struct bench_system {
    const char *name;
    const char *setting; /* how it is set up, for the legend */
    peer_main *run;      /* in one of the modes below */
    /* Subscribe with a connected socket that blocks; gives up on failure. Everything that follows
     * on the socket is messages. */
    void (*join)(int fd, bool flat);
    size_t before; /* bytes on the wire before the scan of a message */
    size_t after;  /* bytes behind it */
    /* A request that reads what the server has, on a connected socket after `meet`; NULL if the
     * system has none. All have the same size, and so have the answers. */
    void (*meet)(int fd);
    const char *ask; /* HEADER_SIZE bytes; the answer has GEOM_SIZE */
} bench_system;

extern const bench_system bench_troupe, bench_floor, bench_redis, bench_zeromq, bench_nng,
    bench_mosquitto;

/* ---- What systems share ------------------------------------------------------------------------
 */

enum { STAMP_AT = 24 }; /* where a scan has its time: a big-endian double, in seconds */

/* A scan with the time of now. */
void source_stamp(unsigned char scan[SCAN_SIZE]);

/* Send scans as long as the process lives, or nothing: `send` passes `count` scans on and may wait.
 */
_Noreturn void source_run(peer_flow *flow, int mode, void (*send)(void *context, int count),
                          void *context);

/* A port of 127.0.0.1 that is free now. */
unsigned source_free_port(void);

/* A connected socket that blocks; waits for the server to come. */
int source_connect(unsigned port);

#endif
