/*
 * reader.h - the server's reader of one client, made slow.
 *
 * Section VI-B of the paper lets the server's reader sleep for a random time of 0 to 0.1 s after it
 * has polled a client's socket, before the package is cached. The same is done here in the reader
 * of one connection. The program is linked so that the calls of the front for its streams come here
 * first (--wrap): the server itself has no code for it. All other connections go straight through.
 *
 * The slow reader sleeps without keeping the loop's thread: a timer of the server's clock ends it.
 * While it sleeps the socket is not read, so the kernel holds back the client in the end.
 */
#ifndef TROUPE_BENCH_CONGESTION_READER_H
#define TROUPE_BENCH_CONGESTION_READER_H

#include <stddef.h>
#include <stdint.h>

#include "troupe/loop.h"

/* The next connection that the front accepts on this loop has the reader, which is fast at first.
 */
void reader_on(tp_loop *loop);

/* From now on it sleeps so often for each package. Also begins to note. */
void reader_slow(unsigned polls, uint64_t seed);

/* When each package of commands was handed to the front, in their order; borrowed. */
const int64_t *reader_arrivals(size_t *count);

/* The server has ended. */
void reader_off(void);

/* The next number of 0 to 1. */
double reader_random(uint64_t *seed);

#endif
