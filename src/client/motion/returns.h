/*
 * returns.h - the return cache: answers that wait until the program takes them.
 *
 * A hash multi-map from tags to answers, and all answers in the order of their arrival. It is
 * bounded: the oldest answer goes when it is full.
 */
#ifndef TROUPE_CLIENT_MOTION_RETURNS_H
#define TROUPE_CLIENT_MOTION_RETURNS_H

#include <stdint.h>

#include "troupe/motion.h"

enum {
    TPI_RETURNS_MOST = 8192,      /* answers that are kept */
    TPI_RETURNS_BYTES = 16 << 20, /* of them, at most */
    TPI_RETURNS_BUCKETS = 1024,   /* a power of 2 */
};

/* An answer that is kept. */
typedef struct tpi_return {
    struct tpi_return *older, *newer; /* of all */
    struct tpi_return *next;          /* newer one in the same bucket */
    size_t bytes;
    tp_motion_reply *reply; /* owned */
} tpi_return;

typedef struct tpi_returns_bucket {
    tpi_return *first, *last; /* oldest first */
} tpi_returns_bucket;

/* All zero: empty. */
typedef struct tpi_returns {
    tpi_returns_bucket buckets[TPI_RETURNS_BUCKETS]; /* owned */
    tpi_return *oldest, *newest;
    uint32_t count;
    size_t bytes;
    uint64_t dropped;
} tpi_returns;

void tpi_returns_fini(tpi_returns *returns);

/* Keep an answer of so many bytes, which is consumed even if it cannot be kept. */
void tpi_returns_add_take(tpi_returns *returns, tp_motion_reply *reply, size_t bytes);

/* The oldest answer with the tag (0: with any), which stays; NULL if there is none. */
const tp_motion_reply *tpi_returns_peek(const tpi_returns *returns, uint32_t tag);

/* The same; it is the caller's. */
tp_motion_reply *tpi_returns_take(tpi_returns *returns, uint32_t tag);

#endif
