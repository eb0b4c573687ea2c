/* port_inside.h - lines and their guards: what the files of this folder share. */
#ifndef TROUPE_PORT_PORT_INSIDE_H
#define TROUPE_PORT_PORT_INSIDE_H

#include "port/owner.h"

/* port.c: the kind of line of a URL, and what follows its name. */
tp_status tpi_port_scheme(const tpi_port_setup *setup, const char *url, const tp_scheme **scheme,
                          const char **rest, tp_error *err);

/* guarded.c: the guard of a line; the owner's thread. A length of 0 ends it. */
struct guarded {
    tpi_guard *guard; /* owned; NULL if the line is not guarded */
    bool done;        /* it has written its bytes: the server is about to die */
    unsigned restarts;
    size_t length;
    char bytes[TPI_GUARD_MOST];
};
tp_status tpi_guarded_set(struct guarded *g, tpi_port_owner *owner, int line, const char *url,
                          const void *bytes, size_t length, tp_error *err);
tp_status tpi_guarded_restart(struct guarded *g, tpi_port_owner *owner, int line, const char *url,
                              tp_error *err);
void tpi_guarded_end(struct guarded *g, tpi_port_owner *owner);
int tpi_guarded_fd(const struct guarded *g); /* readable when it has ended; -1 for none */

struct tp_port {
    tpi_port_owner *owner; /* borrowed */
    tpi_line *line;        /* owned */
    char *url;             /* owned */
    char *bytes;           /* owned: what was not read, from `begin` to `end` */
    size_t begin;
    size_t end;
    size_t capacity;
    bool watched;
    bool readable; /* the owner saw that there is something */
    bool fresh;    /* bytes were fetched that `input` does not know of */
    bool serving;  /* `input` is being called */
    tp_error over; /* how the line ended; TP_OK so far */
    bool told;     /* `input` was called for the end */
    struct guarded guarded;
    bool unguarded; /* the owner saw that its guard has ended */
    tp_port *next;  /* of the owner */
};

static inline const tp_clock *port_clock(const tp_port *port)
{
    return tp_loop_clock(port->owner->loop);
}

static inline size_t port_unread(const tp_port *port)
{
    return port->end - port->begin;
}

/* port_read.c: fetch what is there; *got may be 0. Fails when the line is over and all was fetched.
 */
tp_status tpi_port_fetch(tp_port *port, size_t *got, tp_error *err);

/* stops.c: remember the stop bytes of a line, not of a port; a length of 0 forgets them. */
tp_status tpi_port_remember(tpi_port_owner *owner, const char *url, const void *bytes,
                            size_t length, tp_error *err);
/* stops.c: the bytes that come first now that the line is open; a length of 0 for none. Borrowed.
 */
const char *tpi_port_due_stop(const tp_port *port, size_t *length);
/* stops.c: the owner ends. */
void tpi_ports_forget(tpi_port_owner *owner);

#endif
