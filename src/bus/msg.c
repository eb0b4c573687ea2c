/* msg.c - messages; see troupe/msg.h. */
#include "bus/msg.h"

#include <assert.h>
#include <string.h>

#include "bus/pool.h"
#include "padi/value.h"

enum { PAYLOAD_ALIGN = 16 };

static const size_t payload_offset =
    (sizeof(struct tp_msg) + PAYLOAD_ALIGN - 1) / PAYLOAD_ALIGN * PAYLOAD_ALIGN;

const tp_msghdr *tp_msg_header(const tp_msg *msg)
{
    return &msg->header;
}

const void *tp_msg_payload(const tp_msg *msg)
{
    return msg->payload;
}

const tp_struct *tp_msg_type(const tp_msg *msg)
{
    return msg->type;
}

tp_msg *tp_msg_ref(const tp_msg *msg)
{
    tp_msg *shared = (tp_msg *)(uintptr_t)msg;

    atomic_fetch_add_explicit(&shared->references, 1, memory_order_relaxed);
    return shared;
}

/* Give one reference back; whether it was the last one. Nobody else can change the count of a
 * message that has only this one, so it needs no locked instruction. */
static bool was_last(tp_msg *msg)
{
    return atomic_load_explicit(&msg->references, memory_order_acquire) == 1 ||
           atomic_fetch_sub_explicit(&msg->references, 1, memory_order_acq_rel) == 1;
}

void tp_msg_unref(const tp_msg *msg)
{
    tp_msg *shared = (tp_msg *)(uintptr_t)msg;

    if (shared == NULL || !was_last(shared)) {
        return;
    }
    while (shared->encoded != NULL) {
        const tp_msg *encoded = shared->encoded;
        shared->encoded = encoded->next;
        tp_msg_unref(encoded);
    }
    tpi_pool_give(shared);
}

/* A message with room for a payload of `size` bytes. */
static tp_msg *new_msg(const tp_msghdr *header, const tp_struct *type, size_t size)
{
    char *block = tpi_pool_take(payload_offset + size);
    tp_msg *msg = (tp_msg *)(void *)block;

    if (block != NULL) {
        memset(msg, 0, sizeof *msg);
        atomic_init(&msg->references, 1);
        msg->header = *header;
        msg->header.size = 0;
        msg->type = type;
        msg->weight = payload_offset + size;
        msg->arrival_ns = TP_NEVER;
        msg->payload = type == NULL ? NULL : block + payload_offset;
    }
    return msg;
}

tp_status tp_msg_create(tp_msg **out, const tp_msghdr *header, const tp_struct *type,
                        const void *value)
{
    const bool body = type != NULL && value != NULL;
    const size_t size = body ? tpi_value_size(type, value) : 0;
    tp_msg *msg = new_msg(header, body ? type : NULL, size);

    if (msg == NULL) {
        return TP_E_NOMEM;
    }
    if (body) {
        tpi_value_copy_into(type, value, msg->payload);
    }
    *out = msg;
    return TP_OK;
}

tp_status tp_msg_decode(tp_msg **out, const tp_msghdr *header, const tp_struct *type,
                        const void *bytes, size_t length)
{
    size_t size = 0;
    const bool body = type != NULL && length > 0;
    tp_status status = body ? tp_xdr_measure(type, bytes, length, &size) : TP_OK;
    if (status != TP_OK) {
        return status;
    }
    tp_msg *msg = new_msg(header, body ? type : NULL, size);
    if (msg == NULL) {
        return TP_E_NOMEM;
    }
    status = body ? tp_xdr_decode(type, bytes, length, msg->payload, size) : TP_OK;
    if (status != TP_OK) {
        tp_msg_unref(msg);
        return status;
    }
    *out = msg;
    return TP_OK;
}

/* ---- Encodings ------------------------------------------------------------------------------- */

/* The calling thread; only compared. Encodings of a message are made in one thread, that of the
 * loop: its list has no lock. */
static const void *this_thread(void)
{
    static _Thread_local char mark;

    return &mark;
}

/* A form that is much shorter than its room, such as a compressed one, does not keep the room. */
static tp_msg *shrink(tp_msg *msg, size_t capacity)
{
    const size_t much = 4096;

    if (capacity < much || msg->length > capacity / 2) {
        return msg;
    }
    tp_msg *small = new_msg(&msg->header, NULL, msg->length);
    if (small == NULL) {
        return msg;
    }
    memcpy((char *)small + payload_offset, (const char *)msg + payload_offset, msg->length);
    small->length = msg->length;
    tp_msg_unref(msg);
    return small;
}

tp_status tp_msg_create_encoded(tp_msg **out, const tp_encoding *encoding, const tp_msghdr *header,
                                const tp_struct *type, const void *value)
{
    size_t capacity = 0;
    tp_status status = encoding->size(header, type, value, &capacity);
    if (status != TP_OK) {
        return status;
    }
    tp_msg *msg = new_msg(header, NULL, capacity);
    if (msg == NULL) {
        return TP_E_NOMEM;
    }
    unsigned char *bytes = (unsigned char *)msg + payload_offset;
    status = encoding->encode(&msg->header, type, value, bytes, capacity, &msg->length);
    if (status != TP_OK) {
        tp_msg_unref(msg);
        return status;
    }
    assert(msg->length <= capacity);
    msg = shrink(msg, capacity);
    msg->encoding = encoding;
    msg->bytes = (unsigned char *)msg + payload_offset;
    *out = msg;
    return TP_OK;
}

bool tpi_msg_has_only_bytes(const tp_msg *msg)
{
    return msg->encoding != NULL && msg->encoded == NULL;
}

/* Make one more form of a message. */
static tp_status add_encoding(tp_msg *msg, const tp_encoding *encoding, tp_msg **out)
{
    tp_status status =
        tpi_msg_has_only_bytes(msg)
            ? TP_E_UNSUPPORTED
            : tp_msg_create_encoded(out, encoding, &msg->header, msg->type, msg->payload);

    if (status != TP_OK) {
        return status;
    }
    if (msg->encoding == NULL) {
        msg->encoding = encoding;
        msg->bytes = (*out)->bytes;
        msg->length = (*out)->length;
        msg->encoder = this_thread();
    }
    (*out)->next = msg->encoded;
    msg->encoded = *out;
    return TP_OK;
}

/* The message that has the bytes: one of the list, or the message itself. */
static tp_status find_encoded(tp_msg *msg, const tp_encoding *encoding, tp_msg **out)
{
    assert(msg->encoder == NULL || msg->encoder == this_thread());
    *out = msg->encoded == NULL && msg->encoding == encoding ? msg : msg->encoded;
    while (*out != NULL && (*out)->encoding != encoding) {
        *out = (*out)->next;
    }
    return *out != NULL ? TP_OK : add_encoding(msg, encoding, out);
}

tp_status tp_msg_encode(tp_msg *msg, const tp_encoding *encoding, const void **bytes,
                        size_t *length)
{
    tp_msg *holder = msg;
    tp_status status = TP_OK;

    assert(msg->encoder == NULL || msg->encoder == this_thread());
    if (msg->encoding != encoding) {
        status = find_encoded(msg, encoding, &holder);
    }
    if (status == TP_OK) {
        *bytes = holder->bytes;
        *length = holder->length;
    }
    return status;
}

tp_msg *tpi_msg_encoded(tp_msg *msg, const tp_encoding *encoding)
{
    tp_msg *encoded = NULL;

    return find_encoded(msg, encoding, &encoded) == TP_OK ? encoded : NULL;
}
