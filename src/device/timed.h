/*
 * timed.h - commands with due times, as the rest of the device layer sees them. What a grant is
 * made of: grant.h.
 */
#ifndef TROUPE_DEVICE_TIMED_H
#define TROUPE_DEVICE_TIMED_H

#include <stdatomic.h>

#include "loop/task.h"
#include "safety/mover.h"
#include "troupe/driver.h"

/* timed.c: the grants that an instance plays. */
struct timed {
    tp_grant *played;      /* borrowed list: grants of its devices; where it runs */
    tp_grant *playing;     /* borrowed: whose command is being carried out; where it runs */
    bool finished;         /* that one has ended meanwhile; where it runs */
    uint32_t realtime;     /* real-time priority of the thread; where it runs */
    tp_timer *timer;       /* owned: for drivers on the loop; NULL until the first grant */
    atomic_llong rests_ns; /* when it looks next by itself, unless it is at work; of all */
    tpi_task wake_task;    /* for drivers on the loop: something was posted */
    atomic_bool wake_sent; /* the task is on its way */
};

/* grant.c and grant_use.c: the grants that it has asked for, and those of its devices. */
struct grants {
    tp_grant *asked;   /* owned list; where it runs */
    uint32_t targeted; /* of its devices, that are not closed; the loop's */
};

/* ---- timed.c: the player --------------------------------------------------------------------- */

/* Before the instance is released. */
void tpi_timed_fini(tp_instance *self);

/* Where the instance runs: carry out what is due, and finish grants that have ended. */
void tpi_timed_serve(tp_instance *self);

/* Where the instance runs, right before it waits: when it has to be served next; TP_NEVER if
 * nothing waits. What is posted for a later time does not wake it until then. */
int64_t tpi_timed_rest(tp_instance *self);

/* Where the instance runs: it stops, which ends all grants of its devices. */
void tpi_timed_stop(tp_instance *self);

/* ---- grant.c: the owner and the loop --------------------------------------------------------- */

/* Where the instance runs: it stops, which ends its own grants. */
void tpi_grants_end(tp_instance *self);

/* On the loop: another writer (nobody for the server) sends the device a message. */
void tpi_grant_overridden(tp_device *device, const tp_message *what, const tpi_mover *writer);

/* On the loop: how many commands the grant that holds the device has carried out or seen refused.
 */
uint64_t tpi_grant_commands(const tp_device *device);

#endif
