/* port_inside.h - lines and their guards: what their files share, and what instances call. */
#ifndef TROUPE_PORT_PORT_INSIDE_H
#define TROUPE_PORT_PORT_INSIDE_H

#include "device/inside.h"
#include "platform/guard.h"
#include "platform/line.h"
#include "troupe/port.h"

/* guarded.c: the guard of a line; where the instance runs. A length of 0 ends it. */
struct guarded {
    tpi_guard *guard; /* owned; NULL if the line is not guarded */
    bool done;        /* it has written its bytes: the server is about to die */
    unsigned restarts;
    size_t length;
    char bytes[TPI_GUARD_MOST];
};
tp_status tpi_guarded_set(struct guarded *g, tp_instance *self, int line, const char *url,
                          const void *bytes, size_t length, tp_error *err);
tp_status tpi_guarded_restart(struct guarded *g, tp_instance *self, int line, const char *url,
                              tp_error *err);
void tpi_guarded_end(struct guarded *g, tp_instance *self);
int tpi_guarded_fd(const struct guarded *g); /* readable when it has ended; -1 for none */
void tpi_guarded_told(tpi_task *task);       /* on the loop */

struct tp_port {
    tp_instance *instance; /* borrowed */
    tpi_line *line;        /* owned */
    char *url;             /* owned */
    char *bytes;           /* owned: what was not read, from `begin` to `end` */
    size_t begin;
    size_t end;
    size_t capacity;
    bool watched;
    bool readable; /* the worker saw that there is something */
    bool fresh;    /* bytes were fetched that `input` does not know of */
    bool serving;  /* `input` is being called */
    tp_error over; /* how the line ended; TP_OK so far */
    bool told;     /* `input` was called for the end */
    struct guarded guarded;
    bool unguarded; /* the worker saw that its guard has ended */
    tp_port *next;  /* of the instance */
};

static inline const tp_clock *port_clock(const tp_port *port)
{
    return tp_instance_clock(port->instance);
}

static inline size_t port_unread(const tp_port *port)
{
    return port->end - port->begin;
}

/* port.c: the ports of an instance, where it runs. Two descriptors to wait for belong to each: its
 * line, and the guard of its line. */
unsigned tpi_ports_collect(const tp_instance *self, int *fds); /* how many */
void tpi_ports_mark(tp_instance *self, unsigned bits);         /* which of them are readable */
void tpi_ports_keep_guarded(tp_instance *self);                /* replace guards that have ended */
int64_t tpi_ports_due_ns(const tp_instance *self); /* of those without a descriptor, by the clock */
/* Call `serve` for each that has something for `input`. */
void tpi_ports_serve(tp_instance *self, void (*serve)(tp_instance *self, struct tp_port *port));
void tpi_ports_close(tp_instance *self); /* what the driver has left open */

/* port_read.c: fetch what is there; *got may be 0. Fails when the line is over and all was fetched.
 */
tp_status tpi_port_fetch(tp_port *port, size_t *got, tp_error *err);

#endif
