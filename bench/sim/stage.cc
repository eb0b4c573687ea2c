/*
 * stage.cc - runs a world in Stage and tells what a step takes; for ./troupe bench sim --stage.
 *
 * Not part of the build: it needs Stage 4.3 with its example controllers, from which it takes
 * nothing but the library. With Stage installed in /opt/stage:
 *
 *     g++ -O2 -I/opt/stage/include/Stage-4.3 -o stage-harness bench/sim/stage.cc \
 *         -L/opt/stage/lib -Wl,-rpath,/opt/stage/lib -lstage
 *     STAGEPATH=/opt/stage/lib/Stage-4.3 ./troupe bench sim --stage ./stage-harness
 *
 * Usage: stage-harness WORLD WARM-UP-STEPS STEPS MILLISECONDS. It steps until both are over and
 * prints milliseconds of CPU for loading, and of CPU and wall time for one step.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "stage.hh"

static double clock_ms(clockid_t which)
{
    struct timespec now;

    clock_gettime(which, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: %s WORLD WARM-UP-STEPS STEPS MILLISECONDS\n", argv[0]);
        return 2;
    }
    Stg::Init(&argc, &argv);
    Stg::World world;
    const double before = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
    if (!world.Load(argv[1])) {
        return 1;
    }
    const double load_ms = clock_ms(CLOCK_PROCESS_CPUTIME_ID) - before;
    /* its workers have to wait before the first step, which otherwise waits for ever */
    const struct timespec pause = {0, 100000000};
    nanosleep(&pause, NULL);
    world.Start();
    for (int i = 0; i < atoi(argv[2]); i++) {
        world.Update();
    }
    const double cpu = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
    const double wall = clock_ms(CLOCK_MONOTONIC);
    int steps = 0;
    while (steps < atoi(argv[3]) || clock_ms(CLOCK_MONOTONIC) - wall < atof(argv[4])) {
        world.Update();
        steps++;
    }
    printf("load_ms %.3f cpu_ms %.6f wall_ms %.6f\n", load_ms,
           (clock_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu) / steps,
           (clock_ms(CLOCK_MONOTONIC) - wall) / steps);
    fflush(stdout);
    _exit(0); /* Stage does not stop its workers */
}
