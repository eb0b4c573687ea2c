/* trip.h - round trips of universal commands through an emulated robot on a pty. */
#ifndef TROUPE_BENCH_UNIVERSAL_TRIP_H
#define TROUPE_BENCH_UNIVERSAL_TRIP_H

#include "universal/wired.h"

/* Measure and print ReadAnalog of an emulated NXT on a pty beside the bare pty, and how far apart
 * the writes of both wheels are. `folders` has the bodies of robots. 0, or 1 if a goal is missed or
 * something did not answer. */
int universal_trip(const tpi_wired *nxt, const char *folders);

/* Print how many writes both wheels of a robot take, and replies that are waited for between them.
 */
int universal_wheels(const tpi_wired *wired);

#endif
