/*
 * timed.h - commands with due times, as the rest of the device layer sees them. What a grant is
 * made of: grant.h.
 */
#ifndef TROUPE_DEVICE_TIMED_H
#define TROUPE_DEVICE_TIMED_H

#include <stdatomic.h>

#include "loop/task.h"
#include "safety/lease.h"
#include "troupe/driver.h"

/* What an instance has to do with grants. */
struct timed {
    tp_grant *asked;       /* owned list: its own grants; where it runs */
    tp_grant *played;      /* borrowed list: grants of its devices; where it runs */
    tp_grant *playing;     /* borrowed: whose command is being carried out; where it runs */
    bool finished;         /* that one has ended meanwhile; where it runs */
    uint32_t targeted;     /* grants of its devices that are not closed; the loop's */
    tp_timer *timer;       /* owned: for drivers on the loop; NULL until the first grant */
    tpi_task wake_task;    /* the same: something was posted */
    atomic_bool wake_sent; /* the task is on its way */
};

/* The grant that holds a device; the loop's. */
struct granted {
    tp_grant *grant;        /* borrowed; NULL for none */
    const tpi_lease *lease; /* borrowed: of the grant; NULL for none */
};

/* ---- timed.c: the player --------------------------------------------------------------------- */

/* Before the instance is released. */
void tpi_timed_fini(tp_instance *self);

/* Where the instance runs: carry out what is due, and finish grants that have ended. */
void tpi_timed_serve(tp_instance *self);

/* Where the instance runs: when it has to be served next; TP_NEVER if nothing waits. */
int64_t tpi_timed_deadline_ns(const tp_instance *self);

/* Where the instance runs: it stops, which ends all grants of its devices. */
void tpi_timed_stop(tp_instance *self);

/* ---- grant.c: the owner and the loop --------------------------------------------------------- */

/* Where the instance runs: it stops, which ends its own grants. */
void tpi_grants_end(tp_instance *self);

/* On the loop: another writer (NULL for the server) sends the device a message. */
void tpi_grant_overridden(tp_device *device, const tp_message *what, const void *who);

/* On the loop: a client has the device exclusively. */
void tpi_grant_shut_out(tp_device *device);

/* On the loop: how many commands the grant that holds the device has carried out or seen refused.
 */
uint64_t tpi_grant_commands(const tp_device *device);

#endif
