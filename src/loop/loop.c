/*
 * loop.c - the event loop: turns, tasks, and what is done after a turn.
 *
 * libuv waits and serves the sockets. Timers are ours (timer.c), so that they follow the loop's
 * clock; of libuv's timers we use one, the alarm that ends a wait when the next of ours is due.
 */
#include "troupe/loop.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>

#include "base/order.h"
#include "loop/afters.h"
#include "loop/idle.h"
#include "loop/inside.h"
#include "loop/room.h"
#include "platform/owner.h"

/* How many tasks a turn runs, so that the messages among them are sent while they are in the cache.
 */
enum { TASKS = 128 };

/* A wait ends later than it was asked to: the clocks of the kernel and of libuv count milliseconds,
 * and other programs use the processor. */
static const int64_t punctual_ns = 20 * TP_NS_PER_MS;

struct tp_loop {
    uv_loop_t uv;
    tpi_bell bell;         /* something was posted, or the loop is to stop */
    uv_poll_t wake;        /* watches the bell */
    uv_timer_t alarm;      /* the next timer is due; only used with the real clock */
    const tp_clock *clock; /* borrowed */
    tpi_timers timers;
    tpi_inbox inbox;
    tpi_item *tasks;      /* taken out of the inbox, oldest first */
    tpi_item **tasks_end; /* where the next one is linked */
    atomic_bool stopping;
    tpi_owner owner;    /* the thread that has turned it last */
    int64_t turn_ns;    /* the beginning of the current turn, or of the last one */
    int64_t before_ns;  /* the beginning of the turn before */
    int64_t ended_ns;   /* the end of the last turn: a wait may follow ... */
    int64_t due_ns;     /* ... that ends at this time at the latest */
    int64_t idle_ns;    /* how long the wait before the current turn has lasted */
    int64_t arrival_ns; /* what is being read arrived then at the earliest; TP_NEVER for nothing */

    bool turning;
    tpi_afters afters;

    tpi_room (*make_room)(void *context, size_t waiting); /* NULL for nobody */
    void *room_context;                                   /* borrowed */
    size_t waiting;                                       /* to be accepted, of all listeners */
    size_t promised;                                      /* rooms that were made for listeners */
    const void *first_in_line; /* borrowed: the listener that gets the next room; NULL for any */
};

/* ---- Life ------------------------------------------------------------------------------------ */

tp_status tpi_uv_fail(tp_error *err, int code, const char *what)
{
    char why[128];

    uv_strerror_r(code, why, sizeof why);
    return tp_fail(err, code == UV_ENOMEM || code == UV_EAI_MEMORY ? TP_E_NOMEM : TP_E_IO, "%s: %s",
                   what, why);
}

static void ring(void *context)
{
    tp_loop *loop = context;

    tpi_bell_ring(&loop->bell);
}

/* The turn looks into the inbox anyway. */
static void on_wake(uv_poll_t *wake, int status, int events)
{
    (void)status;
    (void)events;
    tpi_bell_silence(&CONTAINER_OF(wake, tp_loop, wake)->bell);
}

static void on_alarm(uv_timer_t *alarm)
{
    uv_stop(alarm->loop); /* it may ring before libuv begins to wait, which then has to be short */
}

/* libuv writes with plain write(), so a peer that is gone would kill the process, and a file that
 * reaches the limit of the process would too. Both are errors of the call instead. A program that
 * handles a signal keeps its handler. */
static void ignore_failed_writes(void)
{
    static const int signals[] = {SIGPIPE, SIGXFSZ};
    struct sigaction action;

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler == SIG_DFL) {
            action.sa_handler = SIG_IGN;
            sigaction(signals[i], &action, NULL);
        }
    }
}

static void init(tp_loop *loop, const tp_clock *clock)
{
    loop->clock = clock;
    loop->tasks_end = &loop->tasks;
    loop->turn_ns = loop->before_ns = loop->ended_ns = tp_clock_now_ns(clock);
    loop->due_ns = TP_NEVER;
    loop->arrival_ns = TP_NEVER;
    tpi_timers_init(&loop->timers);
    tpi_inbox_init(&loop->inbox, ring, loop);
    tpi_afters_init(&loop->afters, tp_clock_real(), clock == tp_clock_real());
    atomic_init(&loop->stopping, false);
    tpi_owner_take(&loop->owner);
    ignore_failed_writes();
}

/* A bell and not a uv_async_t: libuv's sender marks it as sent behind the write that wakes the
 * loop, and a loop on the same core spins until then, for tens of microseconds. */
static tp_status watch_bell(tp_loop *loop, tp_error *err)
{
    const tp_status status = tpi_bell_init(&loop->bell, err);
    const int error = status == TP_OK ? uv_poll_init(&loop->uv, &loop->wake, loop->bell.fd) : 0;

    if (status != TP_OK || error != 0) {
        return status != TP_OK ? status : tpi_uv_fail(err, error, "bell");
    }
    uv_poll_start(&loop->wake, UV_READABLE, on_wake);
    return TP_OK;
}

tp_status tp_loop_create(tp_loop **out, const tp_clock *clock, tp_error *err)
{
    tp_loop *loop = calloc(1, sizeof *loop);

    if (loop == NULL) {
        return tp_fail(err, TP_E_NOMEM, "event loop: out of memory");
    }
    int error = uv_loop_init(&loop->uv);
    if (error != 0) {
        free(loop);
        return tpi_uv_fail(err, error, "event loop");
    }
    const tp_status status = watch_bell(loop, err);
    if (status != TP_OK) {
        uv_loop_close(&loop->uv);
        tpi_bell_fini(&loop->bell);
        free(loop);
        return tp_wrap(err, status, "event loop");
    }
    uv_timer_init(&loop->uv, &loop->alarm);
    init(loop, clock);
    *out = loop;
    return TP_OK;
}

/* The bell rings once for all that is in the inbox, so the inbox is emptied in every turn. */
static void run_tasks(tp_loop *loop)
{
    *loop->tasks_end = tpi_inbox_take(&loop->inbox);
    while (*loop->tasks_end != NULL) {
        loop->tasks_end = &(*loop->tasks_end)->next;
    }
    for (int i = 0; i < TASKS && loop->tasks != NULL; i++) {
        tpi_task *task = CONTAINER_OF(loop->tasks, tpi_task, item);
        loop->tasks = task->item.next;
        if (loop->tasks == NULL) {
            loop->tasks_end = &loop->tasks;
        }
        task->run(task);
    }
}

bool tpi_loop_has_tasks(const tp_loop *loop)
{
    return loop->tasks != NULL || atomic_load(&loop->inbox.posted) != NULL;
}

static void check_closing(uv_handle_t *handle, void *context)
{
    /* A process that was destroyed is waited for, and its timer makes sure that it ends. */
    const bool of_process = handle->type == UV_PROCESS || handle->type == UV_TIMER;

    (void)context;
    (void)of_process;
    /* Otherwise a stream, listener, datagram or signal is left. */
    assert(of_process || uv_is_closing(handle));
}

void tp_loop_destroy(tp_loop *loop)
{
    if (loop == NULL) {
        return;
    }
    while (tpi_loop_has_tasks(loop)) {
        run_tasks(loop);
    }
    uv_close((uv_handle_t *)&loop->wake, NULL);
    uv_close((uv_handle_t *)&loop->alarm, NULL);
    uv_walk(&loop->uv, check_closing, NULL);
    uv_run(&loop->uv, UV_RUN_DEFAULT);
    int error = uv_loop_close(&loop->uv);
    assert(error == 0);
    (void)error;
    tpi_timers_fini(&loop->timers);
    tpi_bell_fini(&loop->bell);
    free(loop);
}

const tp_clock *tp_loop_clock(const tp_loop *loop)
{
    return loop->clock;
}

struct uv_loop_s *tpi_loop_uv(tp_loop *loop)
{
    return &loop->uv;
}

tpi_timers *tpi_loop_timers(tp_loop *loop)
{
    return &loop->timers;
}

/* ---- File descriptors that are scarce -------------------------------------------------------- */

void tpi_loop_set_room(tp_loop *loop, tpi_room (*make)(void *context, size_t waiting),
                       void *context)
{
    loop->make_room = make;
    loop->room_context = context;
}

bool tpi_loop_has_room(const tp_loop *loop, const void *context)
{
    return loop->make_room != NULL && loop->room_context == context;
}

tpi_room tpi_loop_make_room(tp_loop *loop, const void *listener)
{
    if (listener != NULL && loop->first_in_line != NULL && loop->first_in_line != listener) {
        return TPI_ROOM_LATER;
    }
    tpi_loop_leave_line(loop, listener);
    return loop->make_room != NULL ? loop->make_room(loop->room_context, loop->waiting)
                                   : TPI_ROOM_NONE;
}

void tpi_loop_join_line(tp_loop *loop, const void *listener)
{
    loop->first_in_line = loop->first_in_line != NULL ? loop->first_in_line : listener;
}

void tpi_loop_leave_line(tp_loop *loop, const void *listener)
{
    loop->first_in_line = loop->first_in_line != listener ? loop->first_in_line : NULL;
}

void tpi_loop_add_promised(tp_loop *loop, long more)
{
    assert(more >= 0 || loop->promised >= (size_t)-more);
    loop->promised += (size_t)more;
}

size_t tpi_loop_promised(const tp_loop *loop)
{
    return loop->promised;
}

void tpi_loop_add_waiting(tp_loop *loop, long more)
{
    assert(more >= 0 || loop->waiting >= (size_t)-more);
    loop->waiting += (size_t)more;
}

/* ---- Turning --------------------------------------------------------------------------------- */

/* Let libuv wait until the deadline, by its own clock, which stands still while the machine is
 * suspended. Rounded up, so that no wait ends for nothing. */
static void set_alarm(tp_loop *loop, int64_t deadline_ns)
{
    const int64_t left_ns = deadline_ns - tp_clock_now_ns(loop->clock);
    const int64_t at_ns = (int64_t)uv_hrtime() + left_ns;
    const int64_t at_ms = at_ns / TP_NS_PER_MS + (at_ns % TP_NS_PER_MS > 0);
    const int64_t left_ms = at_ms - (int64_t)uv_now(&loop->uv);

    uv_timer_start(&loop->alarm, on_alarm, left_ms > 0 ? (uint64_t)left_ms : 0, 0);
}

/* When a turn is due, by the loop's clock: INT64_MIN for now, TP_NEVER if none is. */
static int64_t find_due(const tp_loop *loop)
{
    return loop->tasks != NULL
               ? INT64_MIN
               : tpi_smaller(tpi_afters_due_ns(&loop->afters), tpi_timers_next_ns(&loop->timers));
}

/* Whether there is nothing to do already; if so, the end of the wait is arranged. Another clock
 * than the real one cannot wake us: the code that moves it posts a task. */
static bool prepare_to_wait(tp_loop *loop)
{
    const int64_t next_ns = find_due(loop);

    uv_timer_stop(&loop->alarm);
    if (next_ns == TP_NEVER) {
        return true;
    }
    if (next_ns > INT64_MIN && loop->clock == tp_clock_real()) {
        set_alarm(loop, next_ns);
        return true;
    }
    return next_ns > tp_clock_now_ns(loop->clock);
}

static void note_wait(tp_loop *loop)
{
    const bool punctual =
        loop->turn_ns <= tpi_smaller(loop->due_ns, TP_NEVER - punctual_ns) + punctual_ns;

    loop->idle_ns = punctual ? loop->turn_ns - loop->ended_ns : 0;
}

static void turn(tp_loop *loop)
{
    assert(!loop->turning);
    loop->turning = true;
    tpi_owner_take(&loop->owner);
    loop->before_ns = loop->turn_ns;
    loop->turn_ns = tp_clock_now_ns(loop->clock);
    note_wait(loop);
    uv_run(&loop->uv, UV_RUN_NOWAIT);
    tpi_timers_fire(&loop->timers, tp_clock_now_ns(loop->clock));
    run_tasks(loop);
    tpi_afters_run(&loop->afters);
    loop->turning = false;
    loop->ended_ns = tp_clock_now_ns(loop->clock);
    loop->due_ns = tpi_larger(find_due(loop), loop->ended_ns);
}

/* libuv does not tell when its wait ended, and goes on waiting after a signal, so the wait is ours.
 * poll() is used and not epoll_wait(), which a process that was stopped and continued would leave
 * as if a signal had been handled. False if a signal has ended the wait. */
static bool wait_for_events(tp_loop *loop)
{
    struct pollfd ready = {.fd = uv_backend_fd(&loop->uv), .events = POLLIN};

    uv_update_time(&loop->uv);
    return !prepare_to_wait(loop) || poll(&ready, 1, uv_backend_timeout(&loop->uv)) >= 0 ||
           errno != EINTR;
}

void tp_loop_turn(tp_loop *loop, bool wait)
{
    while (wait && !wait_for_events(loop)) {
    }
    turn(loop);
}

bool tp_loop_turn_or_signal(tp_loop *loop)
{
    const bool ready = wait_for_events(loop);

    if (ready) {
        turn(loop);
    }
    return ready;
}

void tp_loop_run(tp_loop *loop)
{
    while (!atomic_exchange(&loop->stopping, false)) {
        tp_loop_turn(loop, true);
    }
}

void tp_loop_stop(tp_loop *loop)
{
    atomic_store(&loop->stopping, true);
    tpi_bell_ring(&loop->bell);
}

int64_t tpi_loop_before_ns(const tp_loop *loop)
{
    return loop->turning ? loop->before_ns : loop->turn_ns;
}

int64_t tpi_loop_idle_ns(const tp_loop *loop)
{
    return loop->idle_ns;
}

void tpi_loop_set_arrival(tp_loop *loop, int64_t arrival_ns)
{
    loop->arrival_ns = arrival_ns;
}

int64_t tp_loop_arrival_ns(const tp_loop *loop)
{
    return loop->arrival_ns;
}

void tp_loop_wake(tp_loop *loop)
{
    tpi_bell_ring(&loop->bell);
}

bool tp_loop_is_current(const tp_loop *loop)
{
    return tpi_owner_is_current(&loop->owner);
}

bool tp_loop_is_turning(const tp_loop *loop)
{
    return loop->turning;
}

void tpi_loop_take(tp_loop *loop)
{
    tpi_owner_take(&loop->owner);
}

void tpi_loop_post(tp_loop *loop, tpi_task *task)
{
    tpi_inbox_post(&loop->inbox, &task->item);
}

/* ---- Inside another event loop --------------------------------------------------------------- */

int tp_loop_fd(const tp_loop *loop)
{
    return uv_backend_fd(&loop->uv);
}

int64_t tp_loop_deadline(tp_loop *loop)
{
    const int64_t now_ns = tp_clock_now_ns(loop->clock);
    const int64_t next_ns = find_due(loop);

    uv_timer_stop(&loop->alarm); /* it repeats what our timers say */
    uv_update_time(&loop->uv);
    /* 0 while libuv has something to do first, for example to watch a new socket */
    const int timeout_ms = uv_backend_timeout(&loop->uv);
    if (next_ns == INT64_MIN || timeout_ms == 0) {
        return now_ns;
    }
    const int64_t uv_ns = timeout_ms < 0 ? TP_NEVER : now_ns + timeout_ms * TP_NS_PER_MS;
    return uv_ns < next_ns ? uv_ns : next_ns;
}

/* ---- After each turn ------------------------------------------------------------------------- */

static void add(tp_loop *loop, tp_after *after, tpi_urgency urgency)
{
    assert(tp_loop_is_current(loop));
    tpi_afters_add(&loop->afters, after, urgency);
}

void tp_loop_after(tp_loop *loop, tp_after *after)
{
    add(loop, after, TPI_AFTER);
}

void tp_loop_later(tp_loop *loop, tp_after *after)
{
    add(loop, after, TPI_LATER);
}

void tp_loop_last(tp_loop *loop, tp_after *after)
{
    add(loop, after, TPI_LAST);
}

void tp_loop_after_cancel(tp_loop *loop, tp_after *after)
{
    tpi_afters_cancel(&loop->afters, after);
}
