/*
 * timer.c - timers that follow the loop's clock, in a binary heap.
 *
 * Order: by deadline, then by the time of arming. A deadline that lies in the past is moved to
 * "now" while timers fire; so whatever is armed then comes behind everything that was due before.
 */
#include <assert.h>
#include <stdlib.h>

#include "loop/inside.h"

struct tp_timer {
    tp_loop *loop; /* borrowed */
    void (*fire)(void *context);
    void *context; /* borrowed */
    int64_t deadline_ns;
    int64_t period_ns; /* 0 for once */
    uint64_t sequence;
    size_t place; /* in the heap, while armed */
    bool armed;
};

/* ---- The heap -------------------------------------------------------------------------------- */

static bool comes_before(const tp_timer *a, const tp_timer *b)
{
    return a->deadline_ns != b->deadline_ns ? a->deadline_ns < b->deadline_ns
                                            : a->sequence < b->sequence;
}

static void put(tpi_timers *timers, size_t place, tp_timer *timer)
{
    timers->heap[place] = timer;
    timer->place = place;
}

/* Put the timer at a free place or further up. */
static void sift_up(tpi_timers *timers, size_t place, tp_timer *timer)
{
    while (place > 0 && comes_before(timer, timers->heap[(place - 1) / 2])) {
        put(timers, place, timers->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(timers, place, timer);
}

/* Put the timer at a free place or further down. */
static void sift_down(tpi_timers *timers, size_t place, tp_timer *timer)
{
    for (size_t child = 2 * place + 1; child < timers->armed; child = 2 * place + 1) {
        if (child + 1 < timers->armed &&
            comes_before(timers->heap[child + 1], timers->heap[child])) {
            child++;
        }
        if (!comes_before(timers->heap[child], timer)) {
            break;
        }
        put(timers, place, timers->heap[child]);
        place = child;
    }
    put(timers, place, timer);
}

static void disarm(tpi_timers *timers, tp_timer *timer)
{
    const size_t place = timer->place;

    if (!timer->armed) {
        return;
    }
    timer->armed = false;
    timers->armed--;
    if (place == timers->armed) {
        return;
    }
    tp_timer *last = timers->heap[timers->armed];
    if (place > 0 && comes_before(last, timers->heap[(place - 1) / 2])) {
        sift_up(timers, place, last);
    } else {
        sift_down(timers, place, last);
    }
}

static void arm(tpi_timers *timers, tp_timer *timer, int64_t deadline_ns)
{
    disarm(timers, timer);
    if (deadline_ns == TP_NEVER) {
        return;
    }
    timer->deadline_ns = deadline_ns > timers->floor_ns ? deadline_ns : timers->floor_ns;
    timer->sequence = ++timers->sequence;
    timer->armed = true;
    sift_up(timers, timers->armed++, timer);
}

static bool reserve(tpi_timers *timers)
{
    const size_t capacity = timers->capacity == 0 ? 16 : 2 * timers->capacity;

    if (timers->created < timers->capacity) {
        return true;
    }
    tp_timer **heap = realloc(timers->heap, capacity * sizeof(tp_timer *));
    if (heap == NULL) {
        return false;
    }
    timers->heap = heap;
    timers->capacity = capacity;
    return true;
}

/* ---- For the loop ---------------------------------------------------------------------------- */

void tpi_timers_init(tpi_timers *timers)
{
    *timers = (tpi_timers){.floor_ns = INT64_MIN};
}

void tpi_timers_fini(tpi_timers *timers)
{
    assert(timers->created == 0);
    free(timers->heap);
}

int64_t tpi_timers_next_ns(const tpi_timers *timers)
{
    return timers->armed > 0 ? timers->heap[0]->deadline_ns : TP_NEVER;
}

static int64_t add_time(int64_t a_ns, int64_t b_ns)
{
    return a_ns > TP_NEVER - b_ns ? TP_NEVER : a_ns + b_ns;
}

/* The beats of a timer that fires too late are lost, but it stays in step. */
static int64_t next_beat_ns(const tp_timer *timer, int64_t now_ns)
{
    const int64_t late_ns = now_ns - timer->deadline_ns;

    return add_time(now_ns - late_ns % timer->period_ns, timer->period_ns);
}

void tpi_timers_fire(tpi_timers *timers, int64_t now_ns)
{
    const uint64_t newest = timers->sequence;

    timers->floor_ns = now_ns;
    while (timers->armed > 0) {
        tp_timer *timer = timers->heap[0];
        if (timer->deadline_ns > now_ns || timer->sequence > newest) {
            break;
        }
        disarm(timers, timer);
        if (timer->period_ns > 0) {
            arm(timers, timer, next_beat_ns(timer, now_ns));
        }
        timer->fire(timer->context);
    }
    timers->floor_ns = INT64_MIN;
}

/* ---- For everybody --------------------------------------------------------------------------- */

tp_status tp_timer_create(tp_timer **out, tp_loop *loop, void (*fire)(void *context), void *context,
                          tp_error *err)
{
    tpi_timers *timers = tpi_loop_timers(loop);
    tp_timer *timer = calloc(1, sizeof *timer);

    if (timer == NULL || !reserve(timers)) {
        free(timer);
        return tp_fail(err, TP_E_NOMEM, "timer: out of memory");
    }
    timers->created++;
    timer->loop = loop;
    timer->fire = fire;
    timer->context = context;
    *out = timer;
    return TP_OK;
}

void tp_timer_destroy(tp_timer *timer)
{
    if (timer != NULL) {
        tp_timer_cancel(timer);
        tpi_loop_timers(timer->loop)->created--;
        free(timer);
    }
}

void tp_timer_at(tp_timer *timer, int64_t deadline_ns)
{
    assert(tp_loop_is_current(timer->loop));
    timer->period_ns = 0;
    arm(tpi_loop_timers(timer->loop), timer, deadline_ns);
}

void tp_timer_every(tp_timer *timer, int64_t period_ns)
{
    assert(tp_loop_is_current(timer->loop) && period_ns > 0);
    timer->period_ns = period_ns;
    arm(tpi_loop_timers(timer->loop), timer,
        add_time(tp_clock_now_ns(tp_loop_clock(timer->loop)), period_ns));
}

void tp_timer_cancel(tp_timer *timer)
{
    assert(tp_loop_is_current(timer->loop));
    disarm(tpi_loop_timers(timer->loop), timer);
}
