/*
 * loop.h - the event loop: one thread that owns the bus, the registry and the fronts.
 *
 * A turn of the loop has five steps:
 *
 *     1. The loop waits, if waiting is allowed and there is nothing to do.
 *     2. Sockets that are ready are read, and their callbacks run.
 *     3. The clock is read once, and the timers that are due are called. Timers come after sockets,
 *        so that a message that arrives in time is handled before its deadline.
 *     4. Tasks that were posted before this step run.
 *     5. The `after` callbacks run. Fronts write here what the turn has queued.
 *
 * The loop is built on libuv, which no other folder sees.
 *
 * All functions except tp_loop_stop(), tp_loop_wake() and tp_loop_is_current() belong to the loop's
 * thread: the thread that created the loop, or the last thread that turned it.
 */
#ifndef TROUPE_LOOP_H
#define TROUPE_LOOP_H

#include <stdbool.h>

#include "troupe/clock.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tp_loop tp_loop;

/* Create a loop. The clock is borrowed. The process ignores SIGPIPE from then on, unless it already
 * handles that signal. */
TP_API tp_status tp_loop_create(tp_loop **out, const tp_clock *clock, tp_error *err);

/* Destroy the loop. All timers, signals, listeners, streams and datagrams must have been closed;
 * this call completes their closing. No thread may post any more; tasks that still wait are run.
 * NULL is accepted. */
TP_API void tp_loop_destroy(tp_loop *loop);

TP_API const tp_clock *tp_loop_clock(const tp_loop *loop);

/* Turn until tp_loop_stop() is called. The current turn is completed. */
TP_API void tp_loop_run(tp_loop *loop);

/* End tp_loop_run(). Any thread and any signal handler may call it. A stop before the run ends the
 * run at once. */
TP_API void tp_loop_stop(tp_loop *loop);

/* Make one turn. It waits for an event only if `wait` is true. Not allowed inside a turn. */
TP_API void tp_loop_turn(tp_loop *loop, bool wait);

/* Make one turn that waits for an event. A signal whose handler runs in this thread ends the wait:
 * the call returns false then, without a turn. Not allowed inside a turn. */
TP_API bool tp_loop_turn_or_signal(tp_loop *loop);

/* End the wait of a turn; if no turn waits, the next one does not wait. Any thread and any signal
 * handler may call it. */
TP_API void tp_loop_wake(tp_loop *loop);

/* Whether the calling thread is the loop's thread. */
TP_API bool tp_loop_is_current(const tp_loop *loop);

/* Whether a turn is in progress, so that the loop called the code that runs now. */
TP_API bool tp_loop_is_turning(const tp_loop *loop);

/* Inside a callback of a stream or datagram that delivers bytes: these bytes arrived at this time
 * of the loop's clock at the earliest. They are old if the program was frozen or busy. TP_NEVER
 * outside of such a callback. */
TP_API int64_t tp_loop_arrival_ns(const tp_loop *loop);

/* ---- Inside another event loop --------------------------------------------------------------- */

/* A descriptor that becomes readable when a turn has something to do. Another event loop waits for
 * it, and for the deadline below, and then makes a turn that does not wait. The descriptor stays
 * the same as long as the loop. */
TP_API int tp_loop_fd(const tp_loop *loop);

/* The time of the loop's clock at which a turn is due even if the descriptor is not readable;
 * TP_NEVER if none is. It changes with every turn and with every call that uses the loop. */
TP_API int64_t tp_loop_deadline(tp_loop *loop);

/* ---- After each turn ------------------------------------------------------------------------- */

/* A callback for the end of the current turn. It runs once, however often it was queued. A callback
 * that one of these queues runs at the end of the next turn, which then does not wait. The caller
 * owns the memory, sets `run` and zeroes the rest. The memory must stay until the callback has run
 * or was cancelled. */
typedef struct tp_after {
    void (*run)(struct tp_after *after);
    struct tp_after *next; /* the loop's, as all that follows */
    struct tp_after *previous;
    unsigned turn; /* in which it was queued */
    bool queued;
    unsigned char urgency; /* the lower, the sooner */
} tp_after;

/* Queue it. If it waits by one of the calls below, it is moved to the end of this turn. */
TP_API void tp_loop_after(tp_loop *loop, tp_after *after);

/* The same for work of which there may be much, such as sending data to thousands of clients. A
 * turn runs a portion of these, oldest first and behind all others; the next turn looks for other
 * work before it goes on with the rest. */
TP_API void tp_loop_later(tp_loop *loop, tp_after *after);

/* The same for work that the others must not notice, such as sending data to thousands of clients
 * without rights. These run behind all others, oldest first. After half a millisecond of work they
 * rest for as long as they have worked; a loop with another clock than the real one goes on in the
 * next turn. What waits here is moved by tp_loop_later() and tp_loop_after(). */
TP_API void tp_loop_last(tp_loop *loop, tp_after *after);

/* It does not run. Does nothing if it is not queued. */
TP_API void tp_loop_after_cancel(tp_loop *loop, tp_after *after);

/* ---- Timers ---------------------------------------------------------------------------------- */

/* Timers follow the loop's clock and never fire early. With a clock other than the real one, timers
 * are checked in every turn, but they do not end a wait: the code that moves the clock posts a
 * task.
 */
typedef struct tp_timer tp_timer;

TP_API tp_status tp_timer_create(tp_timer **out, tp_loop *loop, void (*fire)(void *context),
                                 void *context, tp_error *err);
TP_API void tp_timer_destroy(tp_timer *timer); /* NULL is accepted; safe inside its own callback */

/* Fire once at a time of the loop's clock. A wait resolves milliseconds. Replaces an earlier
 * setting. Cannot fail. A timer that is set in a timer's callback fires in a later turn. */
TP_API void tp_timer_at(tp_timer *timer, int64_t deadline_ns);

/* Fire every period from now on. Missed periods are left out; the others keep their phase.
 * Otherwise as tp_timer_at(). */
TP_API void tp_timer_every(tp_timer *timer, int64_t period_ns);
TP_API void tp_timer_cancel(tp_timer *timer);

/* ---- Signals --------------------------------------------------------------------------------- */

typedef struct tp_signal tp_signal;

/* Call `fire` on the loop's thread for each signal with this number. The signal has no other
 * effect.
 */
TP_API tp_status tp_signal_create(tp_signal **out, tp_loop *loop, int number,
                                  void (*fire)(void *context, int number), void *context,
                                  tp_error *err);
TP_API void tp_signal_destroy(tp_signal *signal); /* NULL is accepted */

#ifdef __cplusplus
}
#endif
#endif
