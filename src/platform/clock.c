/* clock.c - the machine's clock. */
#include "platform/clock.h"

#include <time.h>

#include "troupe/clock.h"

static int64_t read_ns(clockid_t id)
{
    struct timespec now;

    clock_gettime(id, &now);
    return now.tv_sec * TP_NS_PER_S + now.tv_nsec;
}

static int64_t real_now_ns(const tp_clock *clock)
{
    (void)clock;
    return read_ns(CLOCK_BOOTTIME); /* runs on while the machine is suspended */
}

static double real_wall_s(const tp_clock *clock)
{
    struct timespec now;

    (void)clock;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / (double)TP_NS_PER_S;
}

const tp_clock *tp_clock_real(void)
{
    static const tp_clock real = {.now_ns = real_now_ns, .wall_s = real_wall_s};

    return &real;
}

int64_t tp_clock_now_ns(const tp_clock *clock)
{
    return clock->now_ns(clock);
}

double tp_clock_wall_s(const tp_clock *clock)
{
    return clock->wall_s(clock);
}

int64_t tpi_clock_monotonic_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}
