/*
 * grant.h - grants, and the commands with due times that are posted through them.
 *
 * Three threads share a grant: the loop, which decides; the *owner*, the instance that has asked;
 * and the *player*, the thread of the device's instance. Either instance may run on the loop.
 *
 *     owner                      loop                        player
 *     tp_link_grant  --------->  decide          --------->  join
 *     done           <---------  joined          <---------
 *     post, cancel, renew  -------------------------------->  plays at the due time
 *                                revoke          --------->
 *     ended          <---------  finished        <---------  finish
 *                    --------->  closed: the device's instance may go
 *     tp_grant_end   --------->  released
 *
 * Memory of a command (a slot) belongs to one side at a time; its `state` says to which. The owner
 * writes a slot and posts it to the grant's inbox; the player returns it through a second inbox.
 */
#ifndef TROUPE_DEVICE_GRANT_H
#define TROUPE_DEVICE_GRANT_H

#include "device/inside.h"

/* Why a grant ends. The first reason counts. */
typedef enum tpi_grant_end {
    TPI_GRANT_LASTS,
    TPI_GRANT_SILENT,  /* its lease has ended */
    TPI_GRANT_PANIC,   /* a panic has begun */
    TPI_GRANT_TAKEN,   /* another writer has the device, or somebody asked for HALT */
    TPI_GRANT_STOPPED, /* the device was stopped */
    TPI_GRANT_DONE,    /* the owner has ended it */
} tpi_grant_end;

typedef enum tpi_slot_state {
    TPI_SLOT_FREE,      /* the owner's */
    TPI_SLOT_WAITING,   /* the player's, unless the owner cancels it */
    TPI_SLOT_TAKEN,     /* the player's, which carries it out or drops it */
    TPI_SLOT_CANCELLED, /* the player's, which returns it */
} tpi_slot_state;

/* A command that waits. */
typedef struct tpi_slot {
    tpi_item item;     /* of an inbox, or of the owner's free ones */
    atomic_int state;  /* one of tpi_slot_state */
    int64_t key_ns;    /* its due time, less what the grant was shifted by when it was posted */
    int64_t posted_ns; /* when it was posted */
    uint64_t serial;   /* of the grant: orders equal times */
    const tp_message *what;
    max_align_t value[];
} tpi_slot;

struct grant_counts {
    atomic_ullong posted, played, refused, late, panic, end, cancelled;
    atomic_llong last_late_ns, longest_late_ns;
};

/* grant_use.c: the owner's. */
struct grant_owned {
    tp_grant *next;        /* of the owner's grants */
    tpi_item *free_slots;  /* linked by `next` */
    uint64_t serial;       /* of the next slot */
    int64_t held_since_ns; /* while `held` */
    bool answered;         /* `done` was called */
    bool over;             /* the owner knows that it has ended */
    bool closing;          /* the loop has received it */
    bool released;         /* tp_grant_end() was called, or the owner was stopped */
};

/* timed.c: the player's. */
struct grant_player {
    tp_grant *next;         /* of the instance's */
    tpi_slot **heap;        /* in the block of the grant: what waits, the first one on top */
    uint32_t heap_count;    /* in it */
    struct tpi_call *spare; /* owned: for the next command; NULL if a driver has kept it */
};

/* On their way between the three; each is used once. */
struct grant_way {
    tpi_task ask_task;
    job join_job;
    job answer_job;
    tpi_task end_task;
    job end_job;
    tpi_task closed_task;
    tpi_task released_task;
    outcome decision; /* written by the loop or the player, read by the owner */
    outcome end;      /* the loop's until the owner has received it */
};

struct tp_grant {
    /* Constant from tp_link_grant() on. */
    tp_link *link;         /* borrowed; also the identity of the mover */
    tp_grant_options plan; /* as asked for */
    size_t slot_size;      /* bytes from one slot to the next */
    char *slots;           /* in the block of the grant */
    unsigned seen_epoch;   /* of the panic, that the owner had seen when it asked */

    /* Written by the loop in `decide`, constant from then on. */
    tp_device *device;     /* borrowed */
    tp_instance *target;   /* borrowed: the device's; it stays until `closed` */
    bool target_on_loop;   /* the player is the loop */
    unsigned epoch;        /* of the panic */
    int64_t lease_ns;      /* 0 for no limit */
    uint32_t device_takes; /* of the device, by this grant */

    /* Of all three. */
    tpi_lease lease;
    atomic_int ending;     /* one of tpi_grant_end; written once */
    tpi_inbox posted;      /* slots on their way to the player */
    tpi_inbox returned;    /* and back */
    atomic_bool held;      /* nothing is carried out */
    atomic_bool cancelled; /* some slots were, since the player looked */
    atomic_llong shift_ns; /* how long it was held in all */
    struct grant_counts counts;
    struct grant_owned own;
    struct grant_player player;
    struct grant_way way;
};

/* ---- timed.c: the player --------------------------------------------------------------------- */

/* On the loop: prepare an instance that runs there for its first grant. */
tp_status tpi_timed_prepare(tp_instance *self, tp_error *err);

/* Where the instance runs: take the grant in; from now on it is played. */
tp_status tpi_timed_join(tp_grant *grant, tp_error *err);

/* From any thread: the player has something to look at. */
void tpi_timed_wake(const tp_grant *grant);

/* ---- grant.c: the loop ----------------------------------------------------------------------- */

/* From the owner, once: have it decided. */
void tpi_grant_ask(tp_grant *grant);

/* ---- grant_state.c: what the three share ------------------------------------------------------
 */

/* Hand a task of the grant to the loop. */
void tpi_grant_to_loop(const tp_grant *grant, tpi_task *task);

/* Release its memory; nobody else has it. */
void tpi_grant_discard(tp_grant *grant);

/* From any thread: whether nothing has ended it so far. */
bool tpi_grant_lasts(const tp_grant *grant);

/* From any thread: the grant ends for this reason, unless it has ended already; false then. */
bool tpi_grant_close(tp_grant *grant, tpi_grant_end why);

/* Count what waits in a slot as dropped, unless it was cancelled. */
void tpi_grant_drop(tp_grant *grant, tpi_slot *slot);

/* From the player: it has let go of the grant. */
void tpi_grant_finished(tp_grant *grant);

#endif
