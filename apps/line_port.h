/*
 * line_port.h - where hosts reach an emulated device: a TCP or UDP port, or a link to a
 * pseudo-terminal. The lines of robots and of sensors use it.
 */
#ifndef TROUPE_APPS_LINE_PORT_H
#define TROUPE_APPS_LINE_PORT_H

#include <stdbool.h>

#include "troupe/status.h"

typedef struct line_port {
    int listener; /* the TCP or UDP port; -1 for none */
    char host[256];
    unsigned port;
} line_port;

/* Listen at "tcp:HOST:PORT" or "udp:HOST:PORT": `scheme` says at which. Port 0 is any. */
tp_status line_port_open(line_port *port, const char *scheme, const char *address, tp_error *err);
void line_port_close(line_port *port);

/* Take one host into `peer`, which is -1 for none. Others are closed at once, and so is everybody
 * who is not `welcome`. */
void line_port_accept(const line_port *port, int *peer, bool welcome);

/* Make a symbolic link to `target`: a link that is there is replaced, nothing else is. */
tp_status line_link_make(const char *link, const char *target, tp_error *err);

#endif
