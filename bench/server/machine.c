/* machine.c - cores and quiet; see machine.h. */
#define _GNU_SOURCE 1 /* sched_setaffinity */
#include "machine.h"

#include <sched.h>
#include <stdio.h>
#include <time.h>

#include "bench.h"
#include "troupe/clock.h"

void machine_pin(int core)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)core, &set);
    sched_setaffinity(0, sizeof set, &set);
}

void machine_rest_ms(int ms)
{
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * TP_NS_PER_MS};

    nanosleep(&time, NULL);
}

/* The processors' time so far: all of it, and how much was idle. */
static void read_load(double *all, double *idle)
{
    double times[8] = {0};
    FILE *file = fopen("/proc/stat", "r");

    if (file == NULL ||
        fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &times[0], &times[1], &times[2],
               &times[3], &times[4], &times[5], &times[6], &times[7]) != 8) {
        bench_give_up("cannot read /proc/stat");
    }
    fclose(file);
    *all = 0;
    for (int i = 0; i < 8; i++) {
        *all += times[i];
    }
    *idle = times[3] + times[4];
}

void machine_wait_until_quiet(int *patience_ms)
{
    const int step_ms = 100; /* the kernel counts in hundredths of a second */

    for (; *patience_ms > 0; *patience_ms -= step_ms) {
        double all[2];
        double idle[2];
        read_load(&all[0], &idle[0]);
        machine_rest_ms(step_ms);
        read_load(&all[1], &idle[1]);
        if (idle[1] - idle[0] >= 0.9 * (all[1] - all[0])) {
            return;
        }
    }
}
