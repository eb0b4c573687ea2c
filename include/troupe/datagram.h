/*
 * datagram.h - a UDP socket.
 *
 * Addresses are texts: "udp:127.0.0.1:6665". Everything belongs to the loop's thread.
 */
#ifndef TROUPE_DATAGRAM_H
#define TROUPE_DATAGRAM_H

#include <stddef.h>

#include "troupe/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tp_datagram tp_datagram;

/* Where a datagram came from or goes to; compare with memcmp over `length` bytes. */
typedef struct tp_peer {
    unsigned length;
    unsigned char bytes[28]; /* room for a socket address */
} tp_peer;

/* The peer at an address, for whoever speaks first. Waits if a name has to be looked up. */
TP_API tp_status tp_peer_parse(tp_peer *out, const char *address, tp_error *err);

/* "127.0.0.1:51234", cut to `size`; for logs and statistics. */
TP_API void tp_peer_print(char *out, size_t size, const tp_peer *peer);

/* Receive at an address. What `receive` gets is borrowed until it returns; it may close the
 * datagram. Waits if a name has to be looked up. */
TP_API tp_status tp_datagram_open(tp_datagram **out, tp_loop *loop, const char *address,
                                  void (*receive)(void *context, const tp_peer *from,
                                                  const void *bytes, size_t length),
                                  void *context, tp_error *err);

/* The address is free as soon as this returns; the memory is released later by itself; nothing is
 * received any more. NULL is accepted. */
TP_API void tp_datagram_close(tp_datagram *datagram);

/* The port that it receives on. */
TP_API unsigned tp_datagram_port(const tp_datagram *datagram);

/* Send, or drop it if the kernel does not take it now: TP_E_SPACE then. TP_E_LIMIT if it is too
 * long for a datagram, TP_E_IO if it cannot be sent for another reason. */
TP_API tp_status tp_datagram_send(tp_datagram *datagram, const tp_peer *to, const void *bytes,
                                  size_t length);

/* Drop what has come and was not received yet. */
TP_API void tp_datagram_drain(tp_datagram *datagram);

#ifdef __cplusplus
}
#endif
#endif
