/* gate.c - see gate.h. */
#include "web/gate.h"

#include <string.h>

/* ---- Host ------------------------------------------------------------------------------------ */

static bool is_digits(tpi_span span)
{
    for (size_t i = 0; i < span.length; i++) {
        if (span.text[i] < '0' || span.text[i] > '9') {
            return false;
        }
    }
    return span.length > 0;
}

/* The host without its port; false if it is neither. */
static bool split(tpi_span host, tpi_span *name)
{
    size_t length = 0;

    if (host.text == NULL || host.length == 0) {
        return false;
    }
    if (host.text[0] == '[') {
        const char *end = memchr(host.text, ']', host.length);
        length = end != NULL ? (size_t)(end - host.text) + 1 : 0;
    } else {
        const char *colon = memchr(host.text, ':', host.length);
        length = colon != NULL ? (size_t)(colon - host.text) : host.length;
    }
    *name = (tpi_span){host.text, length};
    if (length == 0 || length == host.length) {
        return length > 0;
    }
    return host.text[length] == ':' &&
           is_digits((tpi_span){host.text + length + 1, host.length - length - 1});
}

/* Four numbers with dots between. */
static bool is_ipv4(tpi_span name)
{
    unsigned numbers = 0, value = 0, digits = 0;

    for (size_t i = 0; i <= name.length; i++) {
        const char c = i < name.length ? name.text[i] : '.';
        if (c == '.') {
            numbers += digits > 0 && value <= 255;
            if (digits == 0 || value > 255) {
                return false;
            }
            value = digits = 0;
        } else if (c >= '0' && c <= '9' && digits < 3) {
            value = value * 10 + (unsigned)(c - '0');
            digits++;
        } else {
            return false;
        }
    }
    return numbers == 4;
}

/* In brackets, and of the letters of an address: a name has no colon. */
static bool is_ipv6(tpi_span name)
{
    if (name.length < 4 || name.text[0] != '[' || name.text[name.length - 1] != ']') {
        return false;
    }
    for (size_t i = 1; i + 1 < name.length; i++) {
        if (name.text[i] == '\0' || strchr("0123456789abcdefABCDEF:.", name.text[i]) == NULL) {
            return false;
        }
    }
    return memchr(name.text, ':', name.length) != NULL;
}

bool tpi_gate_knows_host(const tpi_gate *gate, tpi_span host)
{
    tpi_span name;

    if (!split(host, &name)) {
        return false;
    }
    if (tpi_span_same(name, "localhost") || is_ipv4(name) || is_ipv6(name)) {
        return true;
    }
    for (size_t i = 0; i < gate->host_count; i++) {
        if (tpi_span_same(name, gate->hosts[i]) || tpi_span_same(host, gate->hosts[i])) {
            return true;
        }
    }
    return false;
}

/* ---- Origin ---------------------------------------------------------------------------------- */

bool tpi_gate_is_listed(const tpi_gate *gate, tpi_span origin)
{
    for (size_t i = 0; i < gate->origin_count; i++) {
        if (strcmp(gate->origins[i], "*") == 0 || tpi_span_same(origin, gate->origins[i])) {
            return true;
        }
    }
    return false;
}

static bool is_own(const tpi_http *request, bool secure)
{
    const char *const scheme = secure ? "https://" : "http://";
    const size_t length = strlen(scheme);
    const tpi_span origin = request->origin;

    if (origin.length <= length || memcmp(origin.text, scheme, length) != 0) {
        return false;
    }
    const tpi_span rest = {origin.text + length, origin.length - length};
    if (rest.length != request->host.length) {
        return false;
    }
    for (size_t i = 0; i < rest.length; i++) { /* a browser writes both in small letters */
        if (rest.text[i] != request->host.text[i]) {
            return false;
        }
    }
    return true;
}

bool tpi_gate_knows_origin(const tpi_gate *gate, const tpi_http *request, bool secure)
{
    if (request->origin.text == NULL) { /* not of a browser, of its user, or of our own page */
        return request->fetch_site.text == NULL || tpi_span_same(request->fetch_site, "none") ||
               tpi_span_same(request->fetch_site, "same-origin");
    }
    return is_own(request, secure) || tpi_gate_is_listed(gate, request->origin);
}

/* ---- Bodies ---------------------------------------------------------------------------------- */

bool tpi_gate_is_json(tpi_span type)
{
    const char *end = type.text != NULL ? memchr(type.text, ';', type.length) : NULL;

    if (type.text == NULL) {
        return false;
    }
    tpi_span kind = {type.text, end != NULL ? (size_t)(end - type.text) : type.length};
    while (kind.length > 0 && (kind.text[kind.length - 1] == ' ')) {
        kind.length--;
    }
    return tpi_span_same(kind, "application/json");
}
