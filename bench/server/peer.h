/*
 * peer.h - the processes that serve: the subject, and the floors that it is measured against.
 *
 * A peer listens on a port of 127.0.0.1, greets whoever connects with 32 bytes as Player does, and
 * is pinned to a core of its own. What flows is a laser scan of 361 ranges and intensities.
 */
#ifndef TROUPE_BENCH_SERVER_PEER_H
#define TROUPE_BENCH_SERVER_PEER_H

#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    GREETING_SIZE = 32,
    HEADER_SIZE = 40,
    RANGES = 361,
    GEOM_SIZE = 112, /* the reply to GET_GEOM */
    SCAN_SIZE = 1884,
    RANGES_SIZE = SCAN_SIZE - (RANGES + 3) / 4 * 4, /* without intensities */
    BATCH_SIZE = 65536 / SCAN_SIZE * SCAN_SIZE,     /* what the floor sends at once */
};

/* Memory that the peer and the client both see. */
typedef struct peer_flow {
    sem_t ready;
    unsigned port;     /* set before it is ready */
    unsigned web_port; /* the same, of a subject with the web front */
    int64_t began_ns;  /* when it began to make its server */
    double result;     /* of a peer that measures by itself */
    atomic_bool on;    /* scans may flow */
    atomic_ulong made; /* scans so far, each of them for every client */
    pid_t broker;      /* a process that the peer has started and that ends with it; 0 for none */
} peer_flow;

typedef struct bench_peer {
    pid_t pid;
    peer_flow *flow; /* owned */
} bench_peer;

/* What the process of a peer does: make a server, call peer_ready(), serve for ever. */
typedef void peer_main(peer_flow *flow, int mode);
void peer_ready(peer_flow *flow, unsigned port);

/* The server itself, with drivers of the benchmark's own:
 *   position2d:0 answers GET_GEOM on the loop, position2d:1 on a thread,
 *   laser:0 publishes at 100 Hz, laser:1 flat out, laser:2 flat out but waits for readers.
 * The mode is 0, or SUBJECT_WITH_WEB for a server that has the web front too. */
peer_main subject_main;
enum { SUBJECT_WITH_WEB = 1 };
/* Index of the laser: at 100 Hz; flat out; flat out without losses; flat out without intensities.
 */
enum { SUBJECT_PACED, SUBJECT_FLAT, SUBJECT_LOSSLESS, SUBJECT_RANGES };

/* Only counts how often the server encodes one scan for `clients` sessions: `result`. */
peer_main subject_count_encodings;

/* Sockets and libuv, nothing else. The mode says what it does. */
peer_main floor_main;
enum {
    FLOOR_ANSWERS, /* GEOM_SIZE bytes for whatever comes, as the others do too */
    FLOOR_PACED,   /* a scan to every client at 100 Hz */
    FLOOR_FLAT,    /* BATCH_SIZE bytes of scans to every client, again and again */
};

/* Start a process and wait until it is ready; whatever goes wrong ends the benchmark. */
void peer_start(bench_peer *out, peer_main *run, int mode);
void peer_end(bench_peer *peer);

/* The processor time that the peer and its broker have used. */
int64_t peer_cpu_ns(const bench_peer *peer);

/* The memory that belongs to the peer alone. */
double peer_memory_bytes(const bench_peer *peer);

#endif
