/* pace.c - how long work that others bring may take; see pace.h. */
#include "loop/pace.h"

#include "troupe/clock.h"

static const int64_t slice_ns = TP_NS_PER_MS / 2;    /* in a turn */
static const int64_t saved_ns = TP_NS_PER_S * 2 / 5; /* at most, of a quiet time */
enum { SHARE = 3 };                                  /* a third of the time */

void tpi_pace_begin(tpi_pace *pace, int64_t now_ns)
{
    pace->begun_ns = now_ns;
    if (pace->paid_ns < now_ns - saved_ns) {
        pace->paid_ns = now_ns - saved_ns;
    }
}

bool tpi_pace_has_time(const tpi_pace *pace, int64_t now_ns)
{
    return now_ns - pace->begun_ns < slice_ns;
}

/* A thread that was not on the processor meanwhile has not worked: no more counts than the slice.
 */
int64_t tpi_pace_end(tpi_pace *pace, int64_t now_ns)
{
    const int64_t took_ns = tpi_pace_has_time(pace, now_ns) ? now_ns - pace->begun_ns : slice_ns;

    pace->paid_ns += SHARE * took_ns;
    return pace->paid_ns > now_ns ? pace->paid_ns - now_ns : 0;
}
