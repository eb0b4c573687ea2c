/* front_peer.h - a client as a plain socket that never waits, on the thread of the front's loop. */
#ifndef TROUPE_TESTS_CONFORMANCE_FRONT_PEER_H
#define TROUPE_TESTS_CONFORMANCE_FRONT_PEER_H

#include "conformance/front_suite.h"
#include "troupe/loop.h"

typedef struct peer {
    const suite_front *suite; /* borrowed */
    tp_loop *loop;            /* borrowed: turned while the peer waits */
    int fd;                   /* -1 when it is closed */
    bool ended;               /* the front has closed the connection */
    size_t greeting;          /* bytes of it that are still to come */
    tpi_buf in;               /* what came and was not looked at */
    char name[32];            /* as the front knows it: "127.0.0.1:51234" */
} peer;

/* Connect to a port on loopback; `room` is the size of its receive buffer, 0 for the usual one. */
void peer_connect(peer *p, const suite_front *suite, tp_loop *loop, unsigned port, int room);

/* Close as usual, or as a machine that is switched off. */
void peer_close(peer *p);
void peer_reset(peer *p);

/* Send everything; the loop turns while the socket takes no more. False if the front has closed the
 * connection meanwhile. */
bool peer_send(peer *p, const void *bytes, size_t length);
bool peer_send_buf(peer *p, tpi_buf *bytes); /* and clears it */

/* Take what has come. */
void peer_look(peer *p);

/* The next message that has come already, SUITE_NONE for none. */
suite_answer peer_next(peer *p);

/* Turn until a message of this kind comes; others are passed over. Fails the test if the front
 * closes the connection. */
void peer_await(peer *p, suite_answer wanted);

/* Turn until the front has closed the connection. */
void peer_await_end(peer *p);

#endif
