/*
 * probe.h - what a peer is that takes a connection and does not greet.
 *
 * A Player server greets at once; one for browsers waits for a question. Nothing may be sent to a
 * server that is only slow before it has greeted, so the question goes out on a connection of its
 * own.
 */
#ifndef TROUPE_CLIENT_PROBE_H
#define TROUPE_CLIENT_PROBE_H

#include "troupe/loop.h"

typedef struct tpi_probe tpi_probe;

typedef enum tpi_peer {
    TPI_PEER_PAGE,   /* it speaks HTTP, or TLS */
    TPI_PEER_SILENT, /* it closes the connection without a word, as our other fronts do */
} tpi_peer;

/* If it is not ended soon, ask the peer at `url` (borrowed, as the context) what it is. `found` is
 * called once if it is no Player server; `found` may end the probe. NULL without memory: then
 * nobody asks. */
tpi_probe *tpi_probe_begin(tp_loop *loop, const char *url,
                           void (*found)(void *context, tpi_peer what), void *context);

/* NULL is accepted. */
void tpi_probe_end(tpi_probe *probe);

#endif
