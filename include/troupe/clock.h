/*
 * clock.h - time that is handed in, never taken.
 *
 * Whoever needs the time holds a tp_clock: the real one, a simulated one, or a test's. Two times
 * matter: `now`, which never jumps and is what deadlines are made of, and `wall`, seconds since the
 * epoch, which is what messages are stamped with. A simulated clock has both as it likes.
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
    void *context; /* borrowed; the implementation's */
} tp_clock;

/* The machine's clock. Constant; may be used from any thread. */
TP_API const tp_clock *tp_clock_real(void);

/* Short for clock->now_ns(clock) and clock->wall_s(clock). */
TP_API int64_t tp_clock_now_ns(const tp_clock *clock);
TP_API double tp_clock_wall_s(const tp_clock *clock);

/* Wide, so that 5 * TP_NS_PER_S is what it says. */
#define TP_NS_PER_US INT64_C(1000)
#define TP_NS_PER_MS INT64_C(1000000)
#define TP_NS_PER_S INT64_C(1000000000)

/* "No deadline". */
#define TP_NEVER INT64_MAX

#ifdef __cplusplus
}
#endif
#endif
