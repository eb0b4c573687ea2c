/*
 * panic.c - the one authority that stops everything that moves.
 *
 * The epoch is changed under the lock, so that raising and resetting cannot cross, and read without
 * it. The lock also guards the list of seats: it is held for as long as it takes to ring the bells.
 */
#include "safety/panic.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

struct tpi_panic {
    atomic_uint epoch;
    atomic_int way; /* one of tp_halt */
    atomic_bool quit;
    tpi_bell alarm;     /* rung by signal handlers */
    tpi_thread *thread; /* owned: waits for the alarm */
    tpi_lock *lock;     /* owned: of what follows, and of changes of the epoch */
    tpi_panic_seat *seats;
    void (*told)(void *context);
    void *context;         /* borrowed */
    tpi_panic_state state; /* but for the epoch */
    const tp_clock *clock; /* borrowed */
};

static void ring_bells(const tpi_panic *panic)
{
    assert(tpi_lock_is_mine(panic->lock));
    for (const tpi_panic_seat *seat = panic->seats; seat != NULL; seat = seat->next) {
        tpi_bell_ring(seat->bell);
    }
}

static void ring_all(const tpi_panic *panic)
{
    ring_bells(panic);
    if (panic->told != NULL) {
        panic->told(panic->context);
    }
}

void tpi_panic_raise(tpi_panic *panic, const char *who, const char *why)
{
    tpi_panic_state *state = &panic->state;

    tpi_lock_take(panic->lock);
    state->raises++;
    if (!tpi_panic_is_on(panic)) {
        atomic_fetch_add(&panic->epoch, 1); /* before anything that takes time */
        (void)snprintf(state->who, sizeof state->who, "%s", who);
        (void)snprintf(state->why, sizeof state->why, "%s", why);
        state->since_ns = tp_clock_now_ns(panic->clock);
        state->since_s = tp_clock_wall_s(panic->clock);
    } else {
        (void)snprintf(state->last_who, sizeof state->last_who, "%s", who);
        (void)snprintf(state->last_why, sizeof state->last_why, "%s", why);
    }
    ring_all(panic);
    tpi_lock_give(panic->lock);
}

bool tpi_panic_reset(tpi_panic *panic, unsigned epoch)
{
    tpi_lock_take(panic->lock);
    const bool meant = tpi_panic_is_on(panic) && atomic_load(&panic->epoch) == epoch;
    if (meant) {
        panic->state = (tpi_panic_state){0};
        atomic_fetch_add(&panic->epoch, 1);
        ring_all(panic);
    }
    tpi_lock_give(panic->lock);
    return meant;
}

unsigned tpi_panic_epoch(const tpi_panic *panic)
{
    return atomic_load(&panic->epoch);
}

bool tpi_panic_is_on(const tpi_panic *panic)
{
    return (atomic_load(&panic->epoch) & 1) != 0;
}

void tpi_panic_set_way(tpi_panic *panic, tp_halt way)
{
    atomic_store(&panic->way, (int)way);
}

tp_halt tpi_panic_way(const tpi_panic *panic)
{
    return (tp_halt)atomic_load(&panic->way);
}

void tpi_panic_look(const tpi_panic *panic, tpi_panic_state *out)
{
    tpi_lock_take(panic->lock);
    *out = panic->state;
    out->epoch = atomic_load(&panic->epoch);
    out->on = (out->epoch & 1) != 0;
    tpi_lock_give(panic->lock);
}

/* ---- Seats ----------------------------------------------------------------------------------- */

void tpi_panic_join(tpi_panic *panic, tpi_panic_seat *seat)
{
    tpi_panic_seat **at = &panic->seats;

    tpi_lock_take(panic->lock);
    while (*at != NULL && (*at)->rank < seat->rank) {
        at = &(*at)->next;
    }
    seat->next = *at;
    *at = seat;
    tpi_lock_give(panic->lock);
}

void tpi_panic_wake(tpi_panic *panic)
{
    tpi_lock_take(panic->lock);
    ring_bells(panic);
    tpi_lock_give(panic->lock);
}

void tpi_panic_leave(tpi_panic *panic, tpi_panic_seat *seat)
{
    tpi_lock_take(panic->lock);
    for (tpi_panic_seat **at = &panic->seats; *at != NULL; at = &(*at)->next) {
        if (*at == seat) {
            *at = seat->next;
            break;
        }
    }
    tpi_lock_give(panic->lock);
}

/* ---- Signals --------------------------------------------------------------------------------- */

void tpi_panic_raise_by_signal(const tpi_panic *panic)
{
    tpi_bell_ring(&panic->alarm);
}

static void wait_for_alarm(void *context)
{
    tpi_panic *panic = context;

    for (;;) {
        tpi_wait(&panic->alarm.fd, 1, TP_NEVER);
        tpi_bell_silence(&panic->alarm);
        if (atomic_load(&panic->quit)) {
            return;
        }
        tpi_panic_raise(panic, "signal", "the server was sent the panic signal");
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

tp_status tpi_panic_create(tpi_panic **out, const tp_clock *clock, void (*told)(void *context),
                           void *context, tp_error *err)
{
    tpi_panic *panic = calloc(1, sizeof *panic);

    if (panic == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    panic->alarm.fd = -1;
    panic->clock = clock;
    panic->told = told;
    panic->context = context;
    tp_status status = tpi_lock_create(&panic->lock, err);
    status = status == TP_OK ? tpi_bell_init(&panic->alarm, err) : status;
    status = status == TP_OK ? tpi_thread_start(&panic->thread, "panic", wait_for_alarm, panic, err)
                             : status;
    if (status != TP_OK) {
        tpi_panic_destroy(panic);
        return status;
    }
    *out = panic;
    return TP_OK;
}

void tpi_panic_destroy(tpi_panic *panic)
{
    if (panic == NULL) {
        return;
    }
    if (panic->thread != NULL) {
        atomic_store(&panic->quit, true);
        tpi_bell_ring(&panic->alarm);
        tpi_thread_join(panic->thread);
    }
    tpi_bell_fini(&panic->alarm);
    tpi_lock_destroy(panic->lock);
    free(panic);
}
