/* readers.h - many readers of one system in one process, on one epoll. */
#ifndef TROUPE_BENCH_PEERS_READERS_H
#define TROUPE_BENCH_PEERS_READERS_H

#include "server/spread.h"
#include "system.h"

typedef struct bench_readers bench_readers;

/* Connect and subscribe `count` readers. */
bench_readers *readers_join(const bench_system *system, unsigned port, int count, bool flat);
void readers_close(bench_readers *readers);

/* Read until then. Returns how many messages have begun; `ages` gets the age of each. */
uint64_t readers_read(bench_readers *readers, int64_t until_ns, bench_spread *ages);

#endif
