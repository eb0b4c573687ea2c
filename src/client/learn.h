/* learn.h - interfaces that only a server knows, for programs without a client of that server. */
#ifndef TROUPE_CLIENT_LEARN_H
#define TROUPE_CLIENT_LEARN_H

#include "troupe/client.h"

/* Connect to a server, load its descriptions of interfaces into the catalogue, and disconnect; see
 * tp_client_learn(). Waits with a loop of its own, for some seconds at most. */
tp_status tpi_learn_from(tp_catalogue *into, const char *url, tp_error *err);

#endif
