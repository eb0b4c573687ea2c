/* address.c - address texts as socket addresses. */
#include "loop/address.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <uv.h>

#include "base/number.h"
#include "loop/inside.h"

/* ---- Reading --------------------------------------------------------------------------------- */

static bool begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static const char *parse_port(tpi_address *out, const char *text)
{
    int64_t port;

    if (!tpi_number_read_i64(text, strlen(text), &port) || port < 0 || port > UINT16_MAX) {
        return "the port must be a number from 0 to 65535";
    }
    out->port = htons((uint16_t)port);
    return NULL;
}

static tpi_endpoint *add(tpi_address *address, int family)
{
    tpi_endpoint *endpoint = &address->endpoints[address->count++];

    memset(endpoint, 0, sizeof *endpoint);
    endpoint->as.any.sa_family = (sa_family_t)family;
    if (family == AF_INET) {
        endpoint->length = sizeof endpoint->as.v4;
        endpoint->as.v4.sin_port = address->port;
    } else if (family == AF_INET6) {
        endpoint->length = sizeof endpoint->as.v6;
        endpoint->as.v6.sin6_port = address->port;
    } else {
        endpoint->length = sizeof endpoint->as.local;
    }
    return endpoint;
}

/* All interfaces: one IPv6 socket serves both, if the machine has IPv6 at all. */
static void add_everything(tpi_address *out)
{
    add(out, AF_INET6)->as.v6.sin6_addr = in6addr_any;
    add(out, AF_INET)->as.v4.sin_addr.s_addr = htonl(INADDR_ANY);
}

/* A host without brackets, which leaves it to the network to say whether a name is one. */
static const char *set_host(tpi_address *out, const char *host)
{
    struct sockaddr_in v4;

    if (host[0] == '\0') {
        return "the host is missing";
    }
    if (strchr(host, ':') != NULL) {
        return "an IPv6 address must be in brackets";
    }
    if (strcmp(host, "*") == 0) {
        add_everything(out);
    } else if (uv_ip4_addr(host, 0, &v4) == 0) {
        add(out, AF_INET)->as.v4.sin_addr = v4.sin_addr;
    } else {
        memcpy(out->host, host, strlen(host) + 1);
    }
    return NULL;
}

static const char *set_host_v6(tpi_address *out, const char *host)
{
    struct sockaddr_in6 v6;

    if (uv_ip6_addr(host, 0, &v6) != 0) {
        return "there is no IPv6 address in the brackets";
    }
    tpi_endpoint *endpoint = add(out, AF_INET6);
    endpoint->as.v6.sin6_addr = v6.sin6_addr;
    endpoint->as.v6.sin6_scope_id = v6.sin6_scope_id;
    return NULL;
}

/* "host:port" or "[v6]:port". */
static const char *parse_host_and_port(tpi_address *out, const char *text)
{
    const bool bracketed = text[0] == '[';
    const char *end = bracketed ? strchr(text, ']') : strrchr(text, ':');
    const char *begin = bracketed ? text + 1 : text;
    char host[sizeof out->host];

    if (bracketed && end == NULL) {
        return "the closing bracket is missing";
    }
    if (end == NULL || (bracketed && end[1] != ':')) {
        return "the port is missing";
    }
    if ((size_t)(end - begin) >= sizeof host) {
        return "the host is longer than 255 characters";
    }
    memcpy(host, begin, (size_t)(end - begin));
    host[end - begin] = '\0';
    const char *wrong = parse_port(out, bracketed ? end + 2 : end + 1);
    if (wrong != NULL) {
        return wrong;
    }
    return bracketed ? set_host_v6(out, host) : set_host(out, host);
}

static const char *parse_path(tpi_address *out, const char *path)
{
    if (path[0] == '\0') {
        return "the path is missing";
    }
    if (strlen(path) >= sizeof out->endpoints[0].as.local.sun_path) {
        return "the path is longer than 107 characters";
    }
    memcpy(add(out, AF_UNIX)->as.local.sun_path, path, strlen(path) + 1);
    return NULL;
}

static const char *parse(tpi_address *out, const char *text, tpi_address_use use)
{
    if (use == TPI_ADDRESS_RECEIVE || use == TPI_ADDRESS_SEND) {
        return begins_with(text, "udp:") ? parse_host_and_port(out, text + 4)
                                         : "an address here is udp:HOST:PORT";
    }
    if (begins_with(text, "tcp:")) {
        return parse_host_and_port(out, text + 4);
    }
    return begins_with(text, "unix:") ? parse_path(out, text + 5)
                                      : "an address here is tcp:HOST:PORT or unix:PATH";
}

const char *tpi_address_parse(tpi_address *out, const char *text, tpi_address_use use)
{
    const bool reach = use == TPI_ADDRESS_CONNECT || use == TPI_ADDRESS_SEND;

    memset(out, 0, sizeof *out);
    const char *wrong = parse(out, text, use);
    if (wrong == NULL && reach && out->count > 1) { /* names are not resolved yet */
        return "* is for listening only";
    }
    return wrong;
}

/* ---- Resolving ------------------------------------------------------------------------------- */

void tpi_address_hints(struct addrinfo *hints)
{
    memset(hints, 0, sizeof *hints);
    hints->ai_family = AF_UNSPEC;
    hints->ai_socktype = SOCK_STREAM; /* otherwise every address comes three times */
}

static void add_family(tpi_address *address, const struct addrinfo *found, int family)
{
    for (; found != NULL && address->count < TPI_ADDRESS_ENDPOINTS; found = found->ai_next) {
        if (found->ai_family == family && found->ai_addrlen <= sizeof(struct sockaddr_in6)) {
            tpi_endpoint *endpoint = add(address, family);
            memcpy(&endpoint->as, found->ai_addr, found->ai_addrlen);
            if (family == AF_INET) {
                endpoint->as.v4.sin_port = address->port;
            } else {
                endpoint->as.v6.sin6_port = address->port;
            }
        }
    }
}

int tpi_address_found(tpi_address *address, const struct addrinfo *found)
{
    add_family(address, found, AF_INET);
    add_family(address, found, AF_INET6);
    return address->count > 0 ? 0 : UV_EAI_NONAME;
}

/* The codes of getaddrinfo() that can happen here, as libuv's. */
static int uv_code(int code)
{
    switch (code) {
    case EAI_AGAIN:
        return UV_EAI_AGAIN;
    case EAI_MEMORY:
        return UV_ENOMEM;
    default:
        return UV_EAI_NONAME;
    }
}

int tpi_address_resolve(tpi_address *address)
{
    struct addrinfo hints;
    struct addrinfo *found = NULL;

    if (address->count > 0) {
        return 0;
    }
    tpi_address_hints(&hints);
    int code = getaddrinfo(address->host, NULL, &hints, &found);
    if (code != 0) {
        return uv_code(code);
    }
    code = tpi_address_found(address, found);
    freeaddrinfo(found);
    return code;
}

/* ---- Telling --------------------------------------------------------------------------------- */

static const char *const doing[] = {
    [TPI_ADDRESS_LISTEN] = "listen on",
    [TPI_ADDRESS_CONNECT] = "connect to",
    [TPI_ADDRESS_RECEIVE] = "listen on",
    [TPI_ADDRESS_SEND] = "send to",
};

/* Whether the code is one of a look-up. */
static bool is_lookup(int code)
{
    return code <= UV_EAI_ADDRFAMILY && code >= UV_EAI_PROTOCOL && code != UV_EAI_MEMORY;
}

tp_status tpi_address_fail(tp_error *err, int code, tpi_address_use use, const char *text)
{
    char what[sizeof err->text];

    if (is_lookup(code)) {
        return tp_fail(err, TP_E_UNKNOWN, "%s %s: %s", doing[use], text,
                       code == UV_EAI_AGAIN ? "the host cannot be looked up now"
                                            : "there is no such host");
    }
    if (code == UV_EADDRINUSE) {
        return tp_fail(err, TP_E_EXISTS, "%s %s: another program listens there", doing[use], text);
    }
    (void)snprintf(what, sizeof what, "%s %s", doing[use], text);
    return tpi_uv_fail(err, code, what);
}

tp_status tpi_address_get(tpi_address *out, const char *text, tpi_address_use use, bool resolve,
                          tp_error *err)
{
    const char *wrong = tpi_address_parse(out, text, use);

    if (wrong != NULL) {
        return tp_fail(err, TP_E_SYNTAX, "%s %s: %s", doing[use], text, wrong);
    }
    int code = resolve ? tpi_address_resolve(out) : 0;
    return code == 0 ? TP_OK : tpi_address_fail(err, code, use, text);
}

static void print_v6(char *out, size_t size, const struct sockaddr_in6 *v6)
{
    const unsigned port = ntohs(v6->sin6_port);
    char host[INET6_ADDRSTRLEN] = "?";

    if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) {
        inet_ntop(AF_INET, &v6->sin6_addr.s6_addr[12], host, sizeof host);
        (void)snprintf(out, size, "%s:%u", host, port);
    } else {
        inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof host);
        (void)snprintf(out, size, "[%s]:%u", host, port);
    }
}

void tpi_address_print(char *out, size_t size, const struct sockaddr *address)
{
    char host[INET_ADDRSTRLEN] = "?";

    if (address->sa_family == AF_INET6) {
        print_v6(out, size, (const struct sockaddr_in6 *)address);
    } else if (address->sa_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
        inet_ntop(AF_INET, &v4->sin_addr, host, sizeof host);
        (void)snprintf(out, size, "%s:%u", host, (unsigned)ntohs(v4->sin_port));
    } else {
        (void)snprintf(out, size, "unix");
    }
}

unsigned tpi_address_port(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET6) {
        return ntohs(((const struct sockaddr_in6 *)address)->sin6_port);
    }
    return address->sa_family == AF_INET ? ntohs(((const struct sockaddr_in *)address)->sin_port)
                                         : 0;
}
