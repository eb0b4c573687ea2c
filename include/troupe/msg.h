/*
 * msg.h - messages: immutable once made, counted, encoded once.
 *
 * A message is one block of memory: its header and its payload as a plain struct. Whoever keeps one
 * takes a reference. The bytes for a wire are made when the first receiver needs them and shared by
 * all others. Memory comes from pools and returns there: in steady state nothing is allocated.
 */
#ifndef TROUPE_MSG_H
#define TROUPE_MSG_H

#include "troupe/interfaces/common.h"
#include "troupe/padi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tp_msg tp_msg;

/* Who it is from or for, its kind and code, when it was made. `size` is that of the encoded body, 0
 * until it has been encoded. */
TP_API const tp_msghdr *tp_msg_header(const tp_msg *msg);

/* The payload and what it is; NULL for a message without a body. Valid as long as the message. */
TP_API const void *tp_msg_payload(const tp_msg *msg);
TP_API const tp_struct *tp_msg_type(const tp_msg *msg);

/* Take and give back a reference; from any thread. NULL is accepted by unref. */
TP_API tp_msg *tp_msg_ref(const tp_msg *msg);
TP_API void tp_msg_unref(const tp_msg *msg);

/* A new message with one reference and a deep copy of `value` (NULL for none). */
TP_API tp_status tp_msg_create(tp_msg **out, const tp_msghdr *header, const tp_struct *type,
                               const void *value);

/* A new message that is encoded at once and has no payload: for replies that only a wire needs. */
TP_API tp_status tp_msg_create_encoded(tp_msg **out, const tp_msghdr *header, const tp_struct *type,
                                       const void *value);

/* A new message from the bytes of a body, with one reference. Fails as tp_xdr_decode() does; an
 * empty body is a message without payload, whatever the type. */
TP_API tp_status tp_msg_decode(tp_msg **out, const tp_msghdr *header, const tp_struct *type,
                               const void *bytes, size_t length);

/* The whole message as Player sends it, header and body; made at the first call. Only for the
 * thread of the server's loop. The bytes live as long as the message. */
TP_API tp_status tp_msg_wire(tp_msg *msg, const void **bytes, size_t *length);

#ifdef __cplusplus
}
#endif
#endif
