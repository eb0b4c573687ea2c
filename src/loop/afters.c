/* afters.c - callbacks that wait for the end of a turn; see afters.h. */
#include "loop/afters.h"

#include <stddef.h>

/* How much a turn does of what may be done later: a millisecond or two of sending. */
enum { PORTION = 32 };

/* How long what comes last works before it rests, in a turn or in several. */
static const int64_t last_portion_ns = TP_NS_PER_MS / 2;

void tpi_afters_init(tpi_afters *afters, const tp_clock *clock, bool may_rest)
{
    *afters = (tpi_afters){.clock = clock, .may_rest = may_rest};
}

void tpi_afters_add(tpi_afters *afters, tp_after *after, tpi_urgency urgency)
{
    if (after->queued && after->urgency <= urgency) {
        return;
    }
    tpi_afters_cancel(afters, after);
    after->queued = true;
    after->urgency = (unsigned char)urgency;
    after->turn = afters->turns;
    after->next = NULL;
    after->previous = afters->queues[urgency].newest;
    *(after->previous != NULL ? &after->previous->next : &afters->queues[urgency].oldest) = after;
    afters->queues[urgency].newest = after;
}

void tpi_afters_cancel(tpi_afters *afters, tp_after *after)
{
    if (!after->queued) {
        return;
    }
    *(after->previous != NULL ? &after->previous->next : &afters->queues[after->urgency].oldest) =
        after->next;
    *(after->next != NULL ? &after->next->previous : &afters->queues[after->urgency].newest) =
        after->previous;
    after->queued = false;
}

/* The oldest callback that no callback of this turn has queued; NULL if there is none. */
static tp_after *next_callback(const tpi_afters *afters, tpi_urgency urgency)
{
    tp_after *oldest = afters->queues[urgency].oldest;

    return oldest != NULL && oldest->turn != afters->turns ? oldest : NULL;
}

static void run_callback(tpi_afters *afters, tp_after *after)
{
    tpi_afters_cancel(afters, after);
    after->run(after);
}

/* Whether what comes last may begin: the time since its last work pays that back. */
static bool may_begin(tpi_afters *afters, int64_t now_ns)
{
    const int64_t since_ns = now_ns - afters->ended_ns;

    if (afters->rests && since_ns < afters->used_ns) {
        return false;
    }
    afters->used_ns = since_ns < afters->used_ns ? afters->used_ns - since_ns : 0;
    return true;
}

/* One callback at least, so that none of them waits for ever. */
static void run_last(tpi_afters *afters, tp_after *after)
{
    const int64_t begun_ns = tp_clock_now_ns(afters->clock);
    int64_t worked_ns = 0;

    if (!may_begin(afters, begun_ns)) {
        return;
    }
    while (after != NULL) {
        run_callback(afters, after);
        worked_ns = tp_clock_now_ns(afters->clock) - begun_ns;
        after =
            afters->used_ns + worked_ns < last_portion_ns ? next_callback(afters, TPI_LAST) : NULL;
    }
    afters->used_ns += worked_ns;
    afters->ended_ns = begun_ns + worked_ns;
    afters->rests = afters->may_rest && afters->used_ns >= last_portion_ns;
}

void tpi_afters_run(tpi_afters *afters)
{
    tp_after *after;

    afters->turns++;
    while ((after = next_callback(afters, TPI_AFTER)) != NULL) {
        run_callback(afters, after);
    }
    for (int i = 0; i < PORTION && (after = next_callback(afters, TPI_LATER)) != NULL; i++) {
        run_callback(afters, after);
    }
    if ((after = next_callback(afters, TPI_LAST)) != NULL) {
        run_last(afters, after);
    }
}

int64_t tpi_afters_due_ns(const tpi_afters *afters)
{
    if (afters->queues[TPI_AFTER].oldest != NULL || afters->queues[TPI_LATER].oldest != NULL) {
        return INT64_MIN;
    }
    if (afters->queues[TPI_LAST].oldest == NULL) {
        return TP_NEVER;
    }
    return afters->rests ? afters->ended_ns + afters->used_ns : INT64_MIN;
}
