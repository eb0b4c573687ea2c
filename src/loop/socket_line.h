/* socket_line.h - lines that are sockets: serial servers (tcp:HOST:PORT) and unix:PATH. */
#ifndef TROUPE_LOOP_SOCKET_LINE_H
#define TROUPE_LOOP_SOCKET_LINE_H

#include "platform/line.h"

/* Connect, trying the addresses of a name in their order, until the deadline. Looking a name up
 * takes as long as the system lets it. */
extern const tp_scheme tpi_scheme_tcp;
extern const tp_scheme tpi_scheme_unix;

#endif
