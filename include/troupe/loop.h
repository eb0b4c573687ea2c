/*
 * loop.h - the event loop: one thread that owns the bus, the registry and the fronts.
 *
 * A turn of the loop: (1) it waits, if it may and there is nothing to do; (2) sockets that are
 * ready are read and their callbacks run; (3) the clock is read once and timers that are due by it
 * are called, after the sockets so that a message that arrived in time is never beaten by its
 * deadline; (4) tasks that were posted before run; (5) the `after turn` callbacks run, which is
 * where fronts write what the turn has queued. On top of libuv; the type hides it from everybody
 * else.
 *
 * All calls but tp_loop_stop() and tp_loop_is_current() belong to the loop's
 * thread: the one that created it, until another one turns it.
 */
#ifndef TROUPE_LOOP_H
#define TROUPE_LOOP_H

#include <stdbool.h>

#include "troupe/clock.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tp_loop tp_loop;

/* The clock is borrowed. From now on the process ignores SIGPIPE, unless it handles it already. */
TP_API tp_status tp_loop_create(tp_loop **out, const tp_clock *clock, tp_error *err);

/* All timers, signals, listeners, streams and datagrams have to be closed; their closing is
 * completed here. Nobody may post any more; tasks that are still waiting are run. NULL is accepted.
 */
TP_API void tp_loop_destroy(tp_loop *loop);

TP_API const tp_clock *tp_loop_clock(const tp_loop *loop);

/* Turn until tp_loop_stop() is called, from any thread or a signal handler. The turn under way is
 * completed. A stop that comes before the run ends it at once. */
TP_API void tp_loop_run(tp_loop *loop);
TP_API void tp_loop_stop(tp_loop *loop);

/* One turn; waits for something to happen only if `wait`. Not to be called inside a turn. */
TP_API void tp_loop_turn(tp_loop *loop, bool wait);

TP_API bool tp_loop_is_current(const tp_loop *loop);

/* Whether a turn is under way: what runs now was called by the loop. */
TP_API bool tp_loop_is_turning(const tp_loop *loop);

/* ---- After each turn ------------------------------------------------------------------------- */

/* Something to do once at the end of this turn, however often it was asked for. What is asked for
 * by such callbacks is done at the end of the next turn, which then does not wait. Memory is the
 * caller's, zero but for `run` at first; it must stay until it runs or is cancelled. */
typedef struct tp_after {
    void (*run)(struct tp_after *after);
    struct tp_after *next;
    bool queued;
} tp_after;

TP_API void tp_loop_after(tp_loop *loop, tp_after *after);
TP_API void tp_loop_after_cancel(tp_loop *loop, tp_after *after);

/* ---- Timers ---------------------------------------------------------------------------------- */

/* Timers follow the loop's clock and are never early. With another clock than the real one they are
 * looked at in every turn, but nothing ends a wait: whoever moves the clock posts a task. */
typedef struct tp_timer tp_timer;

TP_API tp_status tp_timer_create(tp_timer **out, tp_loop *loop, void (*fire)(void *context),
                                 void *context, tp_error *err);
TP_API void tp_timer_destroy(tp_timer *timer); /* NULL is accepted; safe inside its own callback */

/* Fire once at a time of the loop's clock (milliseconds are what a wait resolves), or every period
 * from now on: beats that are missed are left out, the others stay in step. Replaces what was asked
 * for before. Cannot fail. A timer armed by a timer's callback fires in a later turn. */
TP_API void tp_timer_at(tp_timer *timer, int64_t deadline_ns);
TP_API void tp_timer_every(tp_timer *timer, int64_t period_ns);
TP_API void tp_timer_cancel(tp_timer *timer);

/* ---- Signals --------------------------------------------------------------------------------- */

typedef struct tp_signal tp_signal;

/* Call `fire` on the loop's thread for each signal of that number, which then does not do anything
 * else. */
TP_API tp_status tp_signal_create(tp_signal **out, tp_loop *loop, int number,
                                  void (*fire)(void *context, int number), void *context,
                                  tp_error *err);
TP_API void tp_signal_destroy(tp_signal *signal); /* NULL is accepted */

#ifdef __cplusplus
}
#endif
#endif
