/*
 * panic.h - the one authority that stops everything that moves.
 *
 * Raised by anybody, from any thread, without waiting: one number changes, and the bell of every
 * worker rings. The number is the *epoch*: odd while there is a panic, higher with every change.
 * Code that writes to hardware checks it first; workers that wake up and find a new
 * panic stop their devices as the robot's configuration says. It stays until it is reset on
 * purpose.
 *
 * A signal handler cannot do all this; it rings a bell of its own, and a thread that waits for
 * nothing else raises the panic. Neither needs the loop.
 */
#ifndef TROUPE_SAFETY_PANIC_H
#define TROUPE_SAFETY_PANIC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "platform/thread.h"
#include "troupe/clock.h"
#include "troupe/driver.h"
#include "troupe/status.h"

typedef struct tpi_panic tpi_panic;

/* Threads are woken in this order: what they do then takes time, and hardware stops first. */
typedef enum tpi_panic_rank {
    TPI_PANIC_MOVES,    /* it moves hardware */
    TPI_PANIC_COMMANDS, /* it moves devices of others */
    TPI_PANIC_LOOKS,    /* it moves nothing */
} tpi_panic_rank;

/* A thread that a panic wakes. The caller owns the memory until the seat has left. */
typedef struct tpi_panic_seat {
    const tpi_bell *bell; /* borrowed */
    tpi_panic_rank rank;
    struct tpi_panic_seat *next;
} tpi_panic_seat;

/* `told` is called, by whichever thread it is, whenever a panic was raised or reset. Optional. The
 * clock is borrowed, and asked by any thread. */
tp_status tpi_panic_create(tpi_panic **out, const tp_clock *clock, void (*told)(void *context),
                           void *context, tp_error *err);
void tpi_panic_destroy(tpi_panic *panic); /* all have left; NULL is accepted */

/* From any thread. */
void tpi_panic_join(tpi_panic *panic, tpi_panic_seat *seat);
void tpi_panic_leave(tpi_panic *panic, tpi_panic_seat *seat);

/* Changes with every panic and every reset. One atomic load. */
unsigned tpi_panic_epoch(const tpi_panic *panic);
bool tpi_panic_is_on(const tpi_panic *panic);

/* From any thread; texts are copied. The first one keeps its name and its reason; of those that
 * come later the last one is kept, and they wake everybody again. */
void tpi_panic_raise(tpi_panic *panic, const char *who, const char *why);

/* From any thread: wake everybody, so that they look at their deadlines again. */
void tpi_panic_wake(tpi_panic *panic);

/* How devices are stopped in a panic, unless their instance has a way of its own. Set by the loop,
 * read by any thread. */
void tpi_panic_set_way(tpi_panic *panic, tp_halt way);
tp_halt tpi_panic_way(const tpi_panic *panic);

/* From a signal handler. */
void tpi_panic_raise_by_signal(const tpi_panic *panic);

enum { TPI_PANIC_NAME = 160, TPI_PANIC_REASON = 128 };

/* The client that raised it, and why; "" if there is none. */
typedef struct tpi_panic_state {
    unsigned epoch;
    bool on;
    char who[TPI_PANIC_NAME];
    char why[TPI_PANIC_REASON];
    unsigned raises;               /* how often, since it was off */
    char last_who[TPI_PANIC_NAME]; /* the last of them; "" if there was only one */
    char last_why[TPI_PANIC_REASON];
    int64_t since_ns; /* by the clock */
    double since_s;   /* the same, since the epoch */
} tpi_panic_state;
void tpi_panic_look(const tpi_panic *panic, tpi_panic_state *out);

/* End the panic with this epoch. The caller has checked the right to do so. False if another panic
 * was raised meanwhile: it is not ended. */
bool tpi_panic_reset(tpi_panic *panic, unsigned epoch);

#endif
