/* clock.h - the time that the kernel and other event loops count; see troupe/clock.h for ours. */
#ifndef TROUPE_PLATFORM_CLOCK_H
#define TROUPE_PLATFORM_CLOCK_H

#include <stdint.h>

/* Nanoseconds of CLOCK_MONOTONIC, which stands still while the machine is suspended. */
int64_t tpi_clock_monotonic_ns(void);

#endif
