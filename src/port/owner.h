/*
 * owner.h - the owner of ports, and what it does with them.
 *
 * An owner is whatever uses lines to hardware: a driver instance, or a tool. It embeds a
 * tpi_port_owner, fills in the first part and sets the rest to zero. Ports are used by one thread,
 * the owner's. The owner waits for the descriptors of its ports together with its bell, and serves
 * the ports that have input.
 */
#ifndef TROUPE_PORT_OWNER_H
#define TROUPE_PORT_OWNER_H

#include <stdatomic.h>

#include "loop/task.h"
#include "platform/guard.h"
#include "platform/line.h"
#include "troupe/port.h"

enum { TPI_MOST_PORTS = 7 }; /* of an owner: what a thread can wait for, but for its bell */

typedef struct tpi_port_owner tpi_port_owner;

/* What a port asks of its owner. */
typedef struct tpi_port_owner_ops {
    /* The owner's thread, before each write: why nothing may be written now; NULL if it may. */
    const char *(*refuses)(const tpi_port_owner *owner);
    /* The loop: a sentence for the operator. */
    void (*note)(tpi_port_owner *owner, const char *text);
    /* The owner's thread: a line has come back, and its stop bytes were written. NULL for none. */
    void (*stopped)(tpi_port_owner *owner);
} tpi_port_owner_ops;

/* What all owners of a server share. All zero is usable. */
typedef struct tpi_port_setup {
    const tp_scheme *const *schemes; /* borrowed: kinds of lines beside serial and script */
    const char *folder;              /* borrowed: where relative names begin; NULL for "" */
    const char *guard_program;       /* borrowed; NULL for the usual name */
    const char *guard_of;            /* borrowed: whose death guards report; NULL for the server */
    tpi_guard_board guards;
} tpi_port_setup;

struct tpi_port_owner {
    /* Filled in by the owner. */
    const tpi_port_owner_ops *ops;
    tpi_port_setup *setup;     /* borrowed */
    tp_loop *loop;             /* borrowed; its clock is the clock of the ports */
    const char *name;          /* borrowed: for notes */
    const tpi_bell *bell;      /* borrowed: ends a wait for a line */
    const atomic_bool *ending; /* borrowed: nobody waits for a line any more */
    const char *guard;         /* borrowed: overrides the stop bytes that the driver gives */
    size_t guard_length;       /* 0 for none */

    /* The owner's thread. */
    tp_port *ports;              /* owned list */
    bool rung;                   /* the bell was silenced while a read waited for a line */
    struct tpi_line_stop *stops; /* owned: stop bytes of lines, by their URLs */
    bool had_ports;              /* one was opened so far */
    bool write_failed;           /* since tpi_ports_work() */
    bool stop_is_due;            /* a line was lost: stop bytes come first when it is opened */

    /* Guards of its lines; written by the owner's thread, read by the loop. */
    atomic_uint guarded;
    atomic_uint guard_restarts;
    tpi_task guard_task;
    atomic_bool guard_noted; /* the task is under way, and the text belongs to the loop */
    char guard_note[256];
};

/* ---- The owner's thread ---------------------------------------------------------------------- */

/* As tp_port_open(), without the check that the owner may have ports. */
tp_status tpi_port_open(tp_port **out, tpi_port_owner *owner, const char *url,
                        const tp_port_settings *settings, int64_t deadline_ns, tp_error *err);

/* What is wrong with a line, without opening it; the reason alone. `usual` is what the driver uses
 * if it is told nothing ("" for nothing): a line of another kind, which it cannot understand, is a
 * mistake. A text that is no URL is none. */
tp_status tpi_port_check(const tpi_port_setup *setup, const char *url, const char *usual,
                         tp_error *err);

/* The hardware is lost, or its stop could not be written: from now on the stop bytes of a line are
 * the first bytes that are written when it is opened; until the hardware works again. */
void tpi_ports_lost(tpi_port_owner *owner);
void tpi_ports_work(tpi_port_owner *owner);

/* Close all ports that are open, and forget their stop bytes. */
void tpi_ports_close(tpi_port_owner *owner);

/* The descriptors to wait for: two for each port, its line and the guard of its line. Returns how
 * many. */
unsigned tpi_ports_collect(const tpi_port_owner *owner, int *fds);

/* Which of them are readable. */
void tpi_ports_mark(tpi_port_owner *owner, unsigned bits);

/* Start guards that have ended again. Fails if one cannot be started: the owner may not go on. */
tp_status tpi_ports_keep_guarded(tpi_port_owner *owner, tp_error *err);

/* When a port without a descriptor has something, by the clock; TP_NEVER for never. */
int64_t tpi_ports_due_ns(const tpi_port_owner *owner);

/* Call `serve` for each port that has input, until it returns false. */
void tpi_ports_serve(tpi_port_owner *owner, bool (*serve)(void *context, tp_port *port),
                     void *context);

#endif
