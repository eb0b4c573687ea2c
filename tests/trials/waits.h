/*
 * waits.h - how long threads of a process had to wait for a processor.
 *
 * Whoever is ready to run and is not let is late by no fault of its own. The system counts that for
 * each thread (/proc/PID/task/TID/schedstat); where it does not, nothing is known and nobody
 * waited.
 */
#ifndef TROUPE_TRIALS_WAITS_H
#define TROUPE_TRIALS_WAITS_H

#include <stdint.h>

enum { WAITS_THREADS = 128 };

/* What each thread had waited for at some time. */
typedef struct waits {
    unsigned count;
    struct {
        int thread;
        int64_t waited_ns;
    } of[WAITS_THREADS];
} waits;

/* Of a process's threads, until now. */
void waits_look(waits *w, int process);

/* The longest time that one thread has waited for, since then. */
int64_t waits_worst(const waits *since, int process);

#endif
