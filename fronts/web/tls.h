/*
 * tls.h - TLS of a connection, for tls.c and greetings.c; see inside.h.
 */
#ifndef TROUPE_FRONTS_WEB_TLS_H
#define TROUPE_FRONTS_WEB_TLS_H

#include <openssl/ssl.h>

#include "inside.h"

struct tls {
    SSL *ssl;                /* owned; NULL until its greeting begins */
    BIO *in, *out;           /* the SSL's; before it begins `in` is owned, and there is no `out` */
    struct connection *next; /* borrowed: behind it in the list of greetings */
    bool waits;              /* it is in that list, and nothing is read from its stream */
    bool greeted;            /* there may be plain bytes that came with the end of the greeting */
    int64_t worked_ns;       /* decrypting what was read last */
};

/* The greeting waits for a step. */
void tpi_web_greeting_waits(struct connection *c);

/* The one that makes its next step, which waits no more; NULL for none. */
struct connection *tpi_web_next_greeting(struct web_front *front);

/* It begins: OpenSSL will have a state of it. Another one may make room for it. */
void tpi_web_greeting_begins(struct connection *c);

/* It has ended, in whatever way. */
void tpi_web_greeting_ends(struct connection *c);

#endif
