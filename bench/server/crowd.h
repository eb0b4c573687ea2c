/*
 * crowd.h - many connections in one process, on one epoll, that only read. What the bytes mean is
 * the caller's: it is handed what each read brings, and counts the messages in it.
 */
#ifndef TROUPE_BENCH_SERVER_CROWD_H
#define TROUPE_BENCH_SERVER_CROWD_H

#include <stddef.h>

#include "spread.h"

typedef struct bench_crowd bench_crowd;

typedef struct crowd_kind {
    const char *server; /* borrowed: who sends, for errors */
    size_t state_size;  /* of a connection; its state is zeroed at first */
    /* Take the bytes of one read. Returns how many messages are counted for them; `ages` (may be
     * NULL) gets the age of each. */
    uint64_t (*parse)(void *context, void *state, const unsigned char *bytes, size_t length,
                      double now_s, bench_spread *ages);
    void *context; /* borrowed */
} crowd_kind;

/* A crowd of `count` sockets, which it owns from now on. `connect` makes them, in order. */
bench_crowd *crowd_create(const crowd_kind *kind, int count, int (*connect)(void *context),
                          void *context);
void crowd_close(bench_crowd *crowd);

int crowd_count(const bench_crowd *crowd);
int crowd_socket(const bench_crowd *crowd, int i);

/* Read what comes until then. Returns how many messages that were. */
uint64_t crowd_read(bench_crowd *crowd, int64_t until_ns, bench_spread *ages);

#endif
