/* control.h - what a plain program does with the same threads, in the same run. */
#ifndef TROUPE_BENCH_MOTION_CONTROL_H
#define TROUPE_BENCH_MOTION_CONTROL_H

#include <stdint.h>

#include "server/spread.h"

/* A timer thread that hands over to another thread every period, two thirds of it after the
 * frames that begin at `start_ns`. control_end() stops it; `late` is what the second thread has
 * seen. */
void control_begin(int64_t start_ns, int64_t period_ns);
void control_end(bench_spread *late);

/* Three threads that wait for the same instants, a third of a period after the frames: how far
 * apart they wake. They run until `rounds` instants are over. */
void control_skew_begin(int64_t start_ns, int64_t period_ns, unsigned rounds);
void control_skew_end(bench_spread *skew);

/* A byte on a TCP connection to a thread, which hands over to another one. Returns how long it took
 * from sending to the second thread. */
void control_hop_begin(void);
int64_t control_hop(void);
void control_hop_end(void);

#endif
