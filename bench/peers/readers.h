/* readers.h - many readers of one system in one process, on one epoll. */
#ifndef TROUPE_BENCH_PEERS_READERS_H
#define TROUPE_BENCH_PEERS_READERS_H

#include "server/crowd.h"
#include "system.h"

/* Connect and subscribe `count` readers. A message counts when its time stamp has come. */
bench_crowd *readers_join(const bench_system *system, unsigned port, int count, bool flat);

/* Have their kernel acknowledge each message when it is read, on the core of the readers; or every
 * second one when it comes, which on the loopback interface is in the write of the server. */
void readers_acknowledge(const bench_crowd *readers, bool at_once);

#endif
