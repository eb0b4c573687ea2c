/*
 * msg.h - messages: immutable once made, counted, encoded once in each form.
 *
 * A message is one block of memory: its header and its payload as a plain struct. A holder of a
 * message has a reference. An *encoding* is a form that messages are sent in: Player's bytes, a
 * line of JSON. The bytes of a form are made when the first receiver needs them, and all others
 * share them. Memory comes from pools and returns there: in steady state nothing is allocated.
 */
#ifndef TROUPE_MSG_H
#define TROUPE_MSG_H

#include "troupe/interfaces/common.h"
#include "troupe/padi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tp_msg tp_msg;

/* A form that messages are sent in: a constant table that lives as long as the messages. Its
 * address is its identity. Both functions depend on nothing but their arguments: they are called in
 * the thread of the loop, and for large answers in other threads. `type` and `value` are NULL for a
 * message without a body. */
typedef struct tp_encoding {
    const char *name; /* "player", "json" */
    /* How many bytes the encoded message has, at most. A failure is the result of the call that
     * needs the bytes. */
    tp_status (*size)(const tp_msghdr *header, const tp_struct *type, const void *value,
                      size_t *size);
    /* Encode into `bytes`, which has room for `capacity` of them: the result of `size`. `*length`
     * is how many were written. */
    tp_status (*encode)(const tp_msghdr *header, const tp_struct *type, const void *value,
                        void *bytes, size_t capacity, size_t *length);
} tp_encoding;

/* The device that it is from or for, its kind and code, when it was made. `size` is 0: every
 * encoding has a length of its own. */
TP_API const tp_msghdr *tp_msg_header(const tp_msg *msg);

/* The payload; NULL for a message without a body. Valid as long as the message. */
TP_API const void *tp_msg_payload(const tp_msg *msg);

/* The type of the payload; NULL for a message without a body. */
TP_API const tp_struct *tp_msg_type(const tp_msg *msg);

/* Take a reference; from any thread. */
TP_API tp_msg *tp_msg_ref(const tp_msg *msg);

/* Give a reference back; from any thread. NULL is accepted. */
TP_API void tp_msg_unref(const tp_msg *msg);

/* A new message with one reference and a deep copy of `value` (NULL for none). */
TP_API tp_status tp_msg_create(tp_msg **out, const tp_msghdr *header, const tp_struct *type,
                               const void *value);

/* A new message that is encoded at once and has no payload, for a reply to one client. It has no
 * other encoding. Only in the thread of the loop. Fails as the encoding does, or with TP_E_NOMEM.
 */
TP_API tp_status tp_msg_create_encoded(tp_msg **out, const tp_encoding *encoding,
                                       const tp_msghdr *header, const tp_struct *type,
                                       const void *value);

/* A new message from the XDR bytes of a body, with one reference. Fails as tp_xdr_decode() does; an
 * empty body is a message without payload, whatever the type. */
TP_API tp_status tp_msg_decode(tp_msg **out, const tp_msghdr *header, const tp_struct *type,
                               const void *bytes, size_t length);

/* The message in an encoding: made at the first call, and the same bytes at every further one. Only
 * in the thread of the loop. The bytes live as long as the message. Fails as the encoding does, or
 * with TP_E_NOMEM; the next call then tries again. TP_E_UNSUPPORTED if the message has only the
 * bytes of another encoding. */
TP_API tp_status tp_msg_encode(tp_msg *msg, const tp_encoding *encoding, const void **bytes,
                               size_t *length);

#ifdef __cplusplus
}
#endif
#endif
