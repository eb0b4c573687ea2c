/* keepalive.h - TCP connections whose other side has vanished without a word. */
#ifndef TROUPE_LOOP_KEEPALIVE_H
#define TROUPE_LOOP_KEEPALIVE_H

#include <stdbool.h>

/* Have the kernel ask after a peer that is silent, so that a connection on which nothing is under
 * way ends when its machine has not answered for about so many seconds. 0 for never. */
void tpi_keepalive_set(int fd, unsigned patience_s);

/* How often to look for a patience: every so many seconds. */
unsigned tpi_keepalive_pulse_s(unsigned patience_s);

/* Whether bytes are under way and the peer's machine has answered nothing for so long: the kernel
 * alone would try on for a quarter of an hour. False for a peer whose machine answers, though it
 * does not read. */
bool tpi_keepalive_is_lost(int fd, unsigned patience_s);

#endif
