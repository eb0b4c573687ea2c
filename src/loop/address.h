/*
 * address.h - "tcp:host:port", "udp:host:port" and "unix:/path" as socket addresses.
 *
 * The host is a number (IPv6 in brackets), a name, or "*" for all interfaces. A name may stand for
 * several addresses, which are tried in their order, IPv4 first. For the files of this folder.
 */
#ifndef TROUPE_LOOP_ADDRESS_H
#define TROUPE_LOOP_ADDRESS_H

#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "troupe/status.h"

typedef struct tpi_endpoint {
    socklen_t length;
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
        struct sockaddr_un local;
    } as;
} tpi_endpoint;

enum { TPI_ADDRESS_ENDPOINTS = 8 };

typedef struct tpi_address {
    char host[256]; /* a name to be resolved; "" if it was none */
    in_port_t port; /* in the byte order of the network */
    unsigned count; /* 0 until a name is resolved */
    tpi_endpoint endpoints[TPI_ADDRESS_ENDPOINTS];
} tpi_address;

/* What an address is wanted for. */
typedef enum tpi_address_use {
    TPI_ADDRESS_LISTEN, /* tcp or unix */
    TPI_ADDRESS_CONNECT,
    TPI_ADDRESS_RECEIVE, /* udp */
    TPI_ADDRESS_SEND,
} tpi_address_use;

/* Read an address, without resolving a name. NULL if that went well, else what is wrong with it: a
 * constant text to be put behind the address and a colon. */
const char *tpi_address_parse(tpi_address *out, const char *text, tpi_address_use use);

/* Look the name up, if there is one to look up. May wait long. 0 or libuv's code. */
int tpi_address_resolve(tpi_address *address);

/* For callers that look it up themselves: what to ask for, and what was found. */
void tpi_address_hints(struct addrinfo *hints);
int tpi_address_found(tpi_address *address, const struct addrinfo *found);

/* "127.0.0.1:6665", "[::1]:6665" or "unix", cut to `size`. */
void tpi_address_print(char *out, size_t size, const struct sockaddr *address);

/* Its port, 0 for unix sockets. */
unsigned tpi_address_port(const struct sockaddr *address);

/* Parse and, if `resolve`, resolve. Failures read "listen on TEXT: why". */
tp_status tpi_address_get(tpi_address *out, const char *text, tpi_address_use use, bool resolve,
                          tp_error *err);

/* Fail with "listen on TEXT: why", where `code` is libuv's. */
tp_status tpi_address_fail(tp_error *err, int code, tpi_address_use use, const char *text);

#endif
