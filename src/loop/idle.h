/* idle.h - how long the loop has waited. */
#ifndef TROUPE_LOOP_IDLE_H
#define TROUPE_LOOP_IDLE_H

#include "troupe/loop.h"

/* How long the wait before the current turn has lasted, or before the last one between turns. Bytes
 * that are read in the turn may have come at its end. 0 if there was no wait, and if the wait ended
 * later than the next timer was due: then the program was frozen for a part of it, and nobody knows
 * when the bytes came. */
int64_t tpi_loop_idle_ns(const tp_loop *loop);

#endif
