/* dial.h - one connection to a server of this machine, that waits. What fails ends the benchmark.
 */
#ifndef TROUPE_BENCH_SERVER_DIAL_H
#define TROUPE_BENCH_SERVER_DIAL_H

#include <stdbool.h>
#include <stddef.h>

/* A connected socket that blocks, which the caller closes; -1 if nothing listens there. With small
 * buffers little is under way between a server and a client that does not read. */
int dial(unsigned port, bool small_buffers);

void dial_send(int fd, const void *bytes, size_t length);

/* Wait for so many bytes. */
void dial_receive(int fd, void *bytes, size_t length);

#endif
