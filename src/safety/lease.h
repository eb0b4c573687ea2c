/*
 * lease.h - how long a device may keep moving without a message from its mover.
 *
 * Two threads share a lease, and all they share is one number: when it ends. The loop hears the
 * mover and writes it; the worker that owns the actuator waits for it and stops the actuator. So a
 * loop that is stalled keeps nothing moving.
 *
 *          loop: extend                      worker: take_expired
 *     NONE ------------> HELD ------------------------------------> NONE, and the actuator is
 *      ^                  | ^                                        stopped
 *      |                  +-+ loop: extend
 *      |                  | loop: end (the mover is gone)
 *      |                  v
 *      +--------------- OVER
 *        worker: take_expired
 *
 * A command that moves something is extended for before it is handed to the worker, and the worker
 * carries it out only while the lease is HELD: one that waited too long in the inbox moves nothing.
 */
#ifndef TROUPE_SAFETY_LEASE_H
#define TROUPE_SAFETY_LEASE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "troupe/clock.h"

/* No limit: for drivers, which are stopped by other means. Less than TP_NEVER, which is NONE. */
#define TPI_LEASE_UNLIMITED (TP_NEVER - 1)

typedef struct tpi_lease {
    _Atomic int64_t ends_ns; /* TP_NEVER for none */
} tpi_lease;

void tpi_lease_init(tpi_lease *lease);

/* ---- The loop -------------------------------------------------------------------------------- */

/* It ends at this time from now on. */
void tpi_lease_extend(tpi_lease *lease, int64_t ends_ns);

/* The same, but only if it has not ended by now: a message of the mover that moves nothing. A lease
 * that ended while the program was frozen is not renewed. */
void tpi_lease_renew(tpi_lease *lease, int64_t now_ns, int64_t ends_ns);

/* It is over now, unless there is none. */
void tpi_lease_end(tpi_lease *lease);

/* ---- The worker ------------------------------------------------------------------------------ */

/* When it ends; TP_NEVER if there is nothing to wait for. */
int64_t tpi_lease_deadline(const tpi_lease *lease);

/* Whether a command may move something now. */
bool tpi_lease_is_held(const tpi_lease *lease, int64_t now_ns);

/* True once for each lease that has ended: the actuator is to be stopped. */
bool tpi_lease_take_expired(tpi_lease *lease, int64_t now_ns);

#endif
