/*
 * afters.h - callbacks that wait for the end of a turn, by urgency; see tp_loop_after().
 *
 * What comes last takes half of the time at most: when it has used up its portion, it rests for as
 * long as it has worked. A loop that always has something to do is not served first by a busy
 * machine, so the others would notice that. Part of a loop, and of its thread.
 */
#ifndef TROUPE_LOOP_AFTERS_H
#define TROUPE_LOOP_AFTERS_H

#include "troupe/clock.h"
#include "troupe/loop.h"

typedef enum tpi_urgency { TPI_AFTER, TPI_LATER, TPI_LAST, TPI_URGENCIES } tpi_urgency;

typedef struct tpi_afters {
    struct {
        tp_after *oldest; /* borrowed */
        tp_after *newest;
    } queues[TPI_URGENCIES];
    unsigned turns;        /* whose callbacks were begun */
    const tp_clock *clock; /* borrowed: measures what comes last */
    bool may_rest;
    bool rests;       /* what comes last */
    int64_t used_ns;  /* what that has worked, less the time since */
    int64_t ended_ns; /* when it has worked */
} tpi_afters;

/* `clock` measures the work, also in a loop with another clock; such a loop never rests, since a
 * clock that stands still ends no rest. */
void tpi_afters_init(tpi_afters *afters, const tp_clock *clock, bool may_rest);

/* Queue a callback, or make one that waits more urgent; forget it. */
void tpi_afters_add(tpi_afters *afters, tp_after *after, tpi_urgency urgency);
void tpi_afters_cancel(tpi_afters *afters, tp_after *after);

/* The end of a turn: run those that are due. Callbacks may queue more, or cancel what is queued. */
void tpi_afters_run(tpi_afters *afters);

/* When the next turn is due, by the clock: INT64_MIN for now, TP_NEVER if nothing waits. */
int64_t tpi_afters_due_ns(const tpi_afters *afters);

#endif
