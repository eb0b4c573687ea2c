/* socket_line.h - lines that are sockets: serial servers (tcp:HOST:PORT), unix:PATH, and
 * packets (udp:HOST:PORT). */
#ifndef TROUPE_LOOP_SOCKET_LINE_H
#define TROUPE_LOOP_SOCKET_LINE_H

#include "platform/line.h"

/* Connect, trying the addresses of a name in their order, until the deadline. Looking a name up
 * takes as long as the system lets it. */
extern const tp_scheme tpi_scheme_tcp;
extern const tp_scheme tpi_scheme_unix;

/* Each write is one packet to the host, and each read is one packet from it; others are not heard.
 * Opening proves nothing: a host that does not listen is noticed after the first write, if it says
 * so. */
extern const tp_scheme tpi_scheme_udp;

#endif
