/* pace.c - see pace.h. */
#include "pace.h"

#include "troupe/clock.h"

static const int64_t most_behind_ns = TP_NS_PER_S; /* of real time */
static const int64_t kept_up_ns = 10 * TP_NS_PER_S;
static const int64_t least_period_ns = TP_NS_PER_MS;

enum { LEAST_BEHIND = 4 }; /* steps */

void tpi_simd_pace_begin(simd_pace *pace, int64_t now_ns)
{
    pace->from_ns = now_ns;
    pace->made = 0;
}

void tpi_simd_pace_set_speed(simd_pace *pace, double speed, int64_t now_ns)
{
    pace->speed = speed;
    pace->late = false;
    tpi_simd_pace_begin(pace, now_ns);
}

void tpi_simd_pace_set_paused(simd_pace *pace, bool paused, int64_t now_ns)
{
    pace->paused = paused;
    tpi_simd_pace_begin(pace, now_ns);
}

/* Real time of one step. */
static double real_ns(const simd_pace *pace)
{
    return (double)pace->interval_ns / pace->speed;
}

static int64_t most_behind(const simd_pace *pace)
{
    const double steps = (double)most_behind_ns / real_ns(pace);

    return steps > LEAST_BEHIND ? (int64_t)steps : LEAST_BEHIND;
}

int64_t tpi_simd_pace_due(simd_pace *pace, int64_t now_ns)
{
    if (pace->paused) {
        return 0;
    }
    if (pace->speed == 0) {
        return 1;
    }
    const int64_t due = (int64_t)((double)(now_ns - pace->from_ns) / real_ns(pace)) - pace->made;
    const int64_t most = most_behind(pace);
    if (due > most) {
        pace->late = true;
        pace->late_ns = now_ns;
        pace->made += due - most; /* as if they had been made */
        return most;
    }
    pace->late = pace->late && now_ns - pace->late_ns < kept_up_ns;
    return due > 0 ? due : 0;
}

void tpi_simd_pace_made(simd_pace *pace)
{
    pace->made++;
}

int64_t tpi_simd_pace_period_ns(const simd_pace *pace)
{
    if (pace->paused) {
        return 0;
    }
    if (pace->speed == 0) {
        return 1;
    }
    const double period_ns = real_ns(pace);
    return period_ns > (double)least_period_ns ? (int64_t)period_ns : least_period_ns;
}
