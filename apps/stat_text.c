/* stat_text.c - statistics of a server in words. */
#include "stat_text.h"

#include <math.h>
#include <stdio.h>

const char *stat_state(unsigned state)
{
    static const char *const names[] = {"idle", "starting", "running", "stopping", "failed"};

    return state < sizeof names / sizeof names[0] ? names[state] : "?";
}

const char *stat_latency(char *out, size_t size, double seconds)
{
    if (!(seconds > 0)) {
        snprintf(out, size, "-");
    } else if (seconds < 0.001) {
        snprintf(out, size, "%.0f us", seconds * 1e6);
    } else if (seconds < 1) {
        snprintf(out, size, "%.1f ms", seconds * 1e3);
    } else {
        snprintf(out, size, "%.1f s", seconds);
    }
    return out;
}

const char *stat_duration(char *out, size_t size, double seconds)
{
    if (!(seconds >= 0 && seconds < 1e12)) { /* also not a number */
        snprintf(out, size, "?");
        return out;
    }
    const long long whole = (long long)seconds;
    if (whole < 60) {
        snprintf(out, size, "%lld s", whole);
    } else if (whole < 3600) {
        snprintf(out, size, "%lld min %lld s", whole / 60, whole % 60);
    } else if (whole < 86400) {
        snprintf(out, size, "%lld h %lld min", whole / 3600, whole / 60 % 60);
    } else {
        snprintf(out, size, "%lld d %lld h", whole / 86400, whole / 3600 % 24);
    }
    return out;
}
