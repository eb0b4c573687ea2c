/* demo_hints.h - commands to type while the demo runs. */
#ifndef TROUPE_APPS_DEMO_HINTS_H
#define TROUPE_APPS_DEMO_HINTS_H

#include "base/buf.h"
#include "troupe/server.h"

/* Hints name the server if it is not on the usual port; once, when it listens. */
void demo_name_server(const tp_server *server);

/* Append commands that work with the server, a line each. */
void demo_put_hints(tpi_buf *out, const tp_server *server);

#endif
