/*
 * safety.h - what may move a device, and what stops it.
 *
 * The device layer embeds a tpi_device_safety in each device and a tpi_instance_safety in each
 * instance, and calls the functions below. Safety decides; what has to be done is returned, or goes
 * through the table of operations that the instance gives at the beginning.
 *
 * The words (README.md explains them at length):
 *
 *     mover   what moves a device: a client, a driver or the server          mover.h
 *     claim   the terms on which a mover sends a message                     mover.h, claim.c
 *     lease   how long a device moves without another message of its mover   lease.h
 *     rank    which of two writers takes precedence                          rank.h, claim.c
 *     panic   everything stops until it is reset                             panic.h
 *     stop    a device is stopped, for whichever reason                      stop.c
 *     slow stop  a stop that somebody else carries out, and reports later    slow_stop.c
 *
 * "Loop" and "instance" in front of functions name the thread that may call them: the loop's, or
 * the one that the operations of the instance run on.
 */
#ifndef TROUPE_SAFETY_SAFETY_H
#define TROUPE_SAFETY_SAFETY_H

#include <stdatomic.h>

#include "platform/owner.h"
#include "safety/lease.h"
#include "safety/mover.h"
#include "safety/panic.h"
#include "troupe/driver.h"
#include "troupe/loop.h"
#include "troupe/padi.h"

typedef struct tpi_device_safety tpi_device_safety;
typedef struct tpi_instance_safety tpi_instance_safety;

/* Why a lease has ended. */
typedef enum tpi_leaving {
    TPI_LEAVING_SILENT,       /* the mover is there, but its lease has ended */
    TPI_LEAVING_DISCONNECTED, /* the mover's connection is closed, by any side */
    TPI_LEAVING_CLOSED,       /* the mover has closed the device */
    TPI_LEAVING_FORBIDDEN,    /* the mover may not move it any more */
} tpi_leaving;

enum { TPI_NO_REPORT = -1 }; /* none of them */

/* What safety asks of an instance; on the instance's thread. */
typedef struct tpi_safety_ops {
    /* Whether the driver is started; otherwise nothing is stopped. */
    bool (*runs)(const tpi_instance_safety *instance);
    /* Stop the device now. */
    void (*halt)(tpi_device_safety *device, tp_halt how);
    /* Report to the readers of the device why it stands still. `mover` had moved it; its label is
     * not valid here: the loop has it (tpi_claim_look_back()). */
    void (*report)(tpi_device_safety *device, const tpi_mover *mover, tpi_leaving why);
    /* A panic has begun or ended since the last call. */
    void (*panic_changed)(tpi_instance_safety *instance);
} tpi_safety_ops;

struct tpi_instance_safety {
    const tpi_safety_ops *ops;
    tpi_panic *panic;           /* borrowed */
    tp_loop *loop;              /* borrowed */
    tpi_device_safety *devices; /* borrowed list, oldest first */
    tpi_device_safety **last;   /* borrowed: where the next one goes */
    bool moves;                 /* one of its devices moves something */
    tpi_owner owner;            /* its thread; nobody for the loop */
    bool own_way;               /* a panic stops its devices as `way` says, not as all others */
    tp_halt way;

    /* The loop's. */
    tp_timer *timer;      /* owned: ends of leases; NULL for an instance with a thread */
    const tpi_bell *bell; /* borrowed: wakes the thread; NULL for none */
    tpi_panic_seat seat;

    /* The instance's. */
    unsigned epoch;            /* of the panic, that it has seen */
    bool halts;                /* an operation that stops something: it writes in a panic */
    bool halts_for_panic;      /* and that stops everything */
    tpi_device_safety *halted; /* borrowed: what is being stopped; NULL for nothing */
    uint8_t halt_way;          /* one of tp_halt_way: as it was asked for */
    tp_halt_reason halt_reason;

    atomic_bool lost;   /* its line failed, and no stop was written since; read by the loop */
    atomic_uint served; /* the last panic that everything was stopped for; read by the loop */
};

struct tpi_device_safety {
    tpi_instance_safety *instance; /* borrowed */
    const char *name;              /* borrowed: for errors */
    tpi_device_safety *next;       /* of the instance */
    bool moves;                    /* its interface has messages that move something */
    bool actuates;                 /* configured: what writes to it can move hardware */
    bool own_way;                  /* a panic stops it as `way` says, whatever the instance says */
    tp_halt way;

    /* The loop's: claim.c. */
    tpi_mover mover; /* whose lease it is; its label is the next */
    char label[TPI_MOVER_LABEL];
    tpi_mover labelled;       /* the mover that has this label, also after it has left */
    int64_t heard_ns;         /* the last message of that mover */
    bool limited;             /* the lease ends with its last command, whatever follows */
    int32_t rank;             /* writers of a lower one are refused ... */
    int64_t rank_until_ns;    /* ... before this time */
    int64_t lease_limit_ns;   /* no message renews the lease beyond this */
    const tpi_lease *granted; /* borrowed: of a grant that holds it; NULL for none */
    bool halt_reported;       /* that somebody else had it stopped, since it was moved */
    uint32_t takes;           /* how often it was moved */
    unsigned taken_epoch;     /* of the panic, when it was moved last */
    bool stands;              /* it was stopped since then */

    /* Of both threads. */
    tpi_lease lease;
    _Atomic int64_t silence_ns; /* how long its client may be silent; 0 for no limit */
    atomic_int leaving;         /* one of tpi_leaving: why the lease has ended */
    atomic_uint slow_stops;     /* that are under way; written by the instance */

    /* The instance's: stop.c. */
    bool in_motion;      /* since the last stop */
    tpi_mover doer;      /* whose command moves it; its label is not used */
    unsigned motions;    /* commands that were carried out so far */
    bool stop_due;       /* it does what nobody answers for */
    int report_due;      /* one of tpi_leaving, reported when it stands; or TPI_NO_REPORT */
    tpi_mover report_of; /* the mover of that report */
};

/* A message on its way to a device, as far as safety remembers it. */
typedef struct tpi_order {
    tpi_mover mover;  /* whose command it is; nobody if it moves nothing */
    unsigned epoch;   /* of the panic, when it came */
    uint32_t takes;   /* of the device, when it came */
    int64_t until_ns; /* it moves nothing after this time, whatever renews the lease meanwhile */
    bool may_move;    /* it is answered later, and may move the device until then */
    unsigned motions;
} tpi_order;

/* ---- Life: loop ------------------------------------------------------------------------------ */

void tpi_safety_init(tpi_instance_safety *instance, const tpi_safety_ops *ops, tpi_panic *panic,
                     tp_loop *loop);

/* `name` is borrowed. */
void tpi_safety_add(tpi_instance_safety *instance, tpi_device_safety *device, const char *name,
                    const tp_interface *interface);

/* Any thread: the effect of a message to this device. It is that of the interface file, unless the
 * configuration says that what writes can move hardware. */
tp_effect tpi_safety_effect(const tpi_device_safety *device, const tp_message *what);

/* Whether this is the thread that the operations of the instance run on. */
bool tpi_safety_is_current(const tpi_instance_safety *instance);

/* From now on the bell wakes the instance's thread for a panic or the end of a lease; and no more.
 * Those that move hardware themselves are woken before those that use devices of others. */
void tpi_safety_attach(tpi_instance_safety *instance, const tpi_bell *bell, bool uses_others);
void tpi_safety_detach(tpi_instance_safety *instance);

/* Instance: when something has to be stopped; TP_NEVER for never. Then, and whenever the instance
 * wakes up, it calls tpi_stop_serve(). */
int64_t tpi_safety_deadline_ns(const tpi_instance_safety *instance);

/* Instance: how long the clients that have it moved may be silent, at most; 0 for no limit. `next`
 * is about to be moved as well; NULL for none. */
int64_t tpi_safety_silence_ns(const tpi_instance_safety *instance, const tpi_device_safety *next);

/* The deadline has changed: set the timer of an instance on the loop; or wake its thread too. */
void tpi_safety_arm(tpi_instance_safety *instance);
void tpi_safety_wake(tpi_instance_safety *instance);

/* Any thread: how many panics there have been up to an epoch; and whether there was one after the
 * one of this epoch. */
unsigned tpi_safety_panics_until(unsigned epoch);
bool tpi_safety_panicked_since(const tpi_instance_safety *instance, unsigned epoch);

/* ---- Claims: loop (claim.c) ------------------------------------------------------------------ */

/* Whether a message may be sent on these terms, as far as ranks say. */
tp_status tpi_claim_check(const tpi_device_safety *device, const tp_message *what,
                          const tpi_claim *claim, tp_error *err);

/* The message is about to be handed over: take lease and rank, and fill in the order. */
void tpi_claim_take(tpi_device_safety *device, const tp_message *what, const tpi_claim *claim,
                    unsigned epoch, tpi_order *order);

/* Take the device for a grant, without a message: it is held as long as `granted` lasts, until
 * tpi_claim_end_grant(). */
void tpi_claim_grant(tpi_device_safety *device, const tpi_claim *claim, unsigned epoch,
                     const tpi_lease *granted);
void tpi_claim_end_grant(tpi_device_safety *device);

/* A message of the mover has come: its lease on the device is renewed. */
void tpi_claim_renew(tpi_device_safety *device, const tpi_mover *mover, int64_t lease_ns);

/* The mover is gone: what it moved is stopped at once, and readers receive the reason. */
void tpi_claim_leave(tpi_device_safety *device, const tpi_mover *mover, tpi_leaving why);

/* The mover is gone, and what it moved is stopped otherwise. */
void tpi_claim_drop(tpi_device_safety *device, const tpi_mover *mover);

/* A request to stop was answered with success; the device was stopped as a whole. */
void tpi_claim_stopped(tpi_device_safety *device, const tpi_order *order);
void tpi_claim_stopped_whole(tpi_device_safety *device);

/* What is known of the mover of a report: its label, NULL if another one has moved the device
 * since; for how long it has been silent; and whether its last command has run out instead. The
 * label is borrowed until the device is moved. */
typedef struct tpi_claim_past {
    const char *label;
    int64_t silent_ns;
    bool ran_out;
} tpi_claim_past;
void tpi_claim_look_back(const tpi_device_safety *device, const tpi_mover *mover,
                         tpi_claim_past *out);

/* Whether somebody moves it; for how long without another message; and for how long lower ranks are
 * kept out. */
bool tpi_claim_is_moved(const tpi_device_safety *device);
double tpi_claim_lease_left_s(const tpi_device_safety *device);
double tpi_claim_rank_left_s(const tpi_device_safety *device);

/* ---- Stops: instance (stop.c) ---------------------------------------------------------------- */

/* Loop: an instance on the loop gets a timer for the ends of leases; and loses it. */
tp_status tpi_stop_begin(tpi_instance_safety *instance, bool on_loop, tp_error *err);
void tpi_stop_end(tpi_instance_safety *instance);

/* Whether a message that can move something comes too late: it is older than the lease of its
 * sender, or there was a panic since it came, or it needs a lease and that lease is over. False for
 * all other messages. */
bool tpi_stop_is_late(const tpi_device_safety *device, const tp_message *what,
                      const tpi_order *order);

/* A command was carried out or refused; will be answered later; and now it is. */
void tpi_stop_note(tpi_device_safety *device, const tpi_mover *mover, tp_status status);
void tpi_stop_defer(tpi_device_safety *device, tpi_order *order);
void tpi_stop_settle(tpi_device_safety *device, const tpi_order *order, tp_status status);

/* Stop what this mover has set in motion, and report why; or what any other one has. */
void tpi_stop_mover(tpi_device_safety *device, const tpi_mover *mover, tpi_leaving why);
void tpi_stop_others(tpi_device_safety *device, const tpi_mover *mover);

/* Whether bytes may go to a line: in a panic only those that stop something. */
bool tpi_stop_may_write(const tpi_instance_safety *instance);

/* Whether a lease has ended and the device was not stopped yet. */
bool tpi_stop_is_overdue(const tpi_instance_safety *instance);

/* Stop what has to be stopped. */
void tpi_stop_serve(tpi_instance_safety *instance);

/* The request HALT or HALT_SO, `epoch` being the panic's when it was asked. TP_PENDING if the stop
 * is slow: it is answered when tpi_slow_stop_end() returns true. */
tp_status tpi_stop_answer(tpi_device_safety *device, const tp_message *what, const void *ask,
                          unsigned epoch, tp_error *err);

/* Around the driver's stop as a whole, which may write in a panic. */
void tpi_stop_whole_begin(tpi_instance_safety *instance);
void tpi_stop_whole_end(tpi_instance_safety *instance);

/* Its line is lost: it may move, and owes its stop; the line is back, and the stop was written; the
 * driver has started again, and stops all that moves itself. */
void tpi_stop_lost(tpi_instance_safety *instance);
void tpi_stop_returned(tpi_instance_safety *instance);
void tpi_stop_again(tpi_instance_safety *instance);

/* Loop: whether its line is lost, and its stop was not written since. */
bool tpi_stop_is_lost(const tpi_instance_safety *instance);

/* Loop: whether it has not stopped for a panic, or not to the end. */
bool tpi_stop_is_owed(const tpi_instance_safety *instance);

/* ---- Slow stops: instance (slow_stop.c) ------------------------------------------------------ */

/* Somebody else carries the stop out; and has. True if that was the last one, so that requests to
 * stop are answered now. */
void tpi_slow_stop_begin(tpi_device_safety *device);
bool tpi_slow_stop_end(tpi_device_safety *device);

/* Any thread: whether one is under way. */
bool tpi_slow_stop_is_open(const tpi_device_safety *device);

/* It was stopped as a whole: none is. */
void tpi_slow_stop_clear(tpi_device_safety *device);

/* Report why what its mover had set in motion stands still: now, or when the last slow stop has
 * ended. */
void tpi_slow_stop_report(tpi_device_safety *device, tpi_leaving why);

#endif
