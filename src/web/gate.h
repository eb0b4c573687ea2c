/*
 * gate.h - which requests of a browser are answered at all.
 *
 * A browser sends requests also for pages of strangers. Two headers say whose: Host is the name
 * that was looked up, Origin the page that asks. A name that a stranger resolves to this machine
 * is no name of it, so Host must be an address or a name that the operator has listed.
 */
#ifndef TROUPE_WEB_GATE_H
#define TROUPE_WEB_GATE_H

#include "web/http.h"

/* Names that the operator has listed; borrowed. */
typedef struct tpi_gate {
    const char *const *hosts;
    size_t host_count;
    const char *const *origins; /* "*" for any */
    size_t origin_count;
} tpi_gate;

/* Whether Host is an IP address, localhost, or listed. The port does not matter. */
bool tpi_gate_knows_host(const tpi_gate *gate, tpi_span host);

/* Whether the page that asks may: none, the same host and port as Host, or listed. */
bool tpi_gate_knows_origin(const tpi_gate *gate, const tpi_http *request, bool secure);

/* Whether the page is a listed one of another origin, which needs the permission of CORS. */
bool tpi_gate_is_listed(const tpi_gate *gate, tpi_span origin);

/* Whether the body is said to be JSON. */
bool tpi_gate_is_json(tpi_span type);

#endif
