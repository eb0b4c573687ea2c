/* print_silence.h - why a device sends nothing, as far as that can be known. */
#ifndef TROUPE_APPS_PRINT_SILENCE_H
#define TROUPE_APPS_PRINT_SILENCE_H

#include "base/buf.h"
#include "remote.h"

/* Whether devices of the interface have data at all. */
bool print_has_data(const tp_interface *interface);

/* Append a sentence that says why nothing comes; nothing if that is not known. Asks the server and
 * waits for its answers, so not from a callback. */
void print_put_silence(tpi_buf *out, const struct remote *remote, tp_proxy *proxy);

#endif
