/* pace.c - see pace.h. */
#include "pace.h"

#include "troupe/clock.h"

static const int64_t most_behind_ns = TP_NS_PER_S; /* of real time */
static const int64_t kept_up_ns = 10 * TP_NS_PER_S;
static const int64_t least_period_ns = TP_NS_PER_MS;
static const int64_t least_gap_ns = 200 * TP_NS_PER_MS;

enum { LEAST_BEHIND = 4, LEAST_GAP = 2 }; /* steps */

void tpi_simd_pace_begin(simd_pace *pace, int64_t now_ns)
{
    pace->from_ns = pace->looked_ns = now_ns;
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

/* Whether nobody looked for longer than one step and a busy machine explain. */
static bool has_gap(const simd_pace *pace, int64_t now_ns)
{
    const double gap_ns = (double)(now_ns - pace->looked_ns);

    return gap_ns > (double)least_gap_ns && gap_ns > LEAST_GAP * real_ns(pace);
}

/* How many of the steps that are due are not let go. After a gap none, but one where this has
 * happened just before, or steps take long: a world that is slow goes on. */
static int64_t most_now(simd_pace *pace, int64_t now_ns)
{
    const bool gap = has_gap(pace, now_ns), goes_on = pace->gap || pace->stepped;

    pace->gap = gap;
    pace->stepped = false;
    pace->looked_ns = now_ns;
    return gap ? goes_on : most_behind(pace);
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
    const int64_t most = most_now(pace, now_ns);

    if (due > most) {
        if (most > 0) { /* a gap does not show that the world is slow */
            pace->late = true;
            pace->late_ns = now_ns;
        }
        pace->made += due - most; /* as if they had been made */
        return most;
    }
    pace->late = pace->late && now_ns - pace->late_ns < kept_up_ns;
    return due > 0 ? due : 0;
}

void tpi_simd_pace_made(simd_pace *pace)
{
    pace->made++;
    pace->stepped = true;
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
