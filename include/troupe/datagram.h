/*
 * datagram.h - a UDP socket.
 *
 * Addresses are texts: "udp:127.0.0.1:6665". All functions belong to the loop's thread.
 */
#ifndef TROUPE_DATAGRAM_H
#define TROUPE_DATAGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "troupe/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tp_datagram tp_datagram;

/* The sender or receiver of a datagram. Compare with memcmp() over `length` bytes. */
typedef struct tp_peer {
    unsigned length;
    unsigned char bytes[28]; /* room for a socket address */
} tp_peer;

/* The peer at an address, to send the first datagram to. Waits if a name has to be looked up. */
TP_API tp_status tp_peer_parse(tp_peer *out, const char *address, tp_error *err);

/* Write "127.0.0.1:51234", cut to `size`; for logs and statistics. */
TP_API void tp_peer_print(char *out, size_t size, const tp_peer *peer);

/* Receive at an address. The bytes that `receive` gets are borrowed until it returns. It may close
 * the datagram. The call waits if a name has to be looked up. */
TP_API tp_status tp_datagram_open(tp_datagram **out, tp_loop *loop, const char *address,
                                  void (*receive)(void *context, const tp_peer *from,
                                                  const void *bytes, size_t length),
                                  void *context, tp_error *err);

/* The address of a network interface of this machine, and which others are on its network. */
typedef struct tp_network {
    unsigned char address[4];
    unsigned char mask[4];
} tp_network;

/* Receive what is sent to a multicast group of IPv4, such as "udp:224.0.0.251:5353", on one network
 * interface: by name or address, or "" for the first one that reaches other machines. Other
 * programs on this machine can receive the same group. Datagrams to the group leave by this
 * interface and reach this machine too; they pass no router. Otherwise as tp_datagram_open(). */
TP_API tp_status tp_datagram_open_group(tp_datagram **out, tp_loop *loop, const char *group,
                                        const char *interface, tp_network *network,
                                        void (*receive)(void *context, const tp_peer *from,
                                                        const void *bytes, size_t length),
                                        void *context, tp_error *err);

/* Whether a peer is on the network, and its port. An address of IPv6 is not. */
TP_API bool tp_network_has(const tp_network *network, const tp_peer *peer, unsigned *port);

/* Stop receiving. The address is free when the call returns; the memory is released later. NULL is
 * accepted. */
TP_API void tp_datagram_close(tp_datagram *datagram);

/* The port of the socket. */
TP_API unsigned tp_datagram_port(const tp_datagram *datagram);

/* Send a datagram without waiting. TP_E_SPACE if the kernel does not take it now, and it is
 * dropped; TP_E_LIMIT if it is too long; TP_E_IO for other failures. */
TP_API tp_status tp_datagram_send(tp_datagram *datagram, const tp_peer *to, const void *bytes,
                                  size_t length);

/* Drop the datagrams that have arrived and were not received yet. */
TP_API void tp_datagram_drain(tp_datagram *datagram);

#ifdef __cplusplus
}
#endif
#endif
