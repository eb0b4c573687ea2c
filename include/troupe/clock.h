/*
 * clock.h - the clock is a parameter.
 *
 * Code that needs the time holds a tp_clock: the real clock, a simulated one, or one of a test. A
 * clock has two times. `now` never jumps, and runs on while the machine is suspended; deadlines are
 * made of it. `wall` counts seconds since
 * the epoch; messages are stamped with it. A simulated clock defines both.
 */
#ifndef TROUPE_CLOCK_H
#define TROUPE_CLOCK_H

#include <stdint.h>

#include "troupe/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tp_clock {
    int64_t (*now_ns)(const struct tp_clock *clock);
    double (*wall_s)(const struct tp_clock *clock);
    void *context; /* borrowed; for the implementation */
} tp_clock;

/* The clock of the machine. Constant; any thread may use it. */
TP_API const tp_clock *tp_clock_real(void);

/* Returns clock->now_ns(clock). */
TP_API int64_t tp_clock_now_ns(const tp_clock *clock);

/* Returns clock->wall_s(clock). */
TP_API double tp_clock_wall_s(const tp_clock *clock);

/* 64 bits wide, so that 5 * TP_NS_PER_S does not overflow. */
#define TP_NS_PER_US INT64_C(1000)
#define TP_NS_PER_MS INT64_C(1000000)
#define TP_NS_PER_S INT64_C(1000000000)

/* "No deadline". */
#define TP_NEVER INT64_MAX

#ifdef __cplusplus
}
#endif
#endif
