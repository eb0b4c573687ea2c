/* port_inside.h - what the files of a port share. */
#ifndef TROUPE_DEVICE_PORT_INSIDE_H
#define TROUPE_DEVICE_PORT_INSIDE_H

#include "device/inside.h"
#include "platform/line.h"
#include "troupe/port.h"

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

/* Fetch what is there; *got may be 0. Fails when the line is over and all was fetched. */
tp_status port_fetch(tp_port *port, size_t *got, tp_error *err);

#endif
