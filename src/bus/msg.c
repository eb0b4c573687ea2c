/* msg.c - messages; see troupe/msg.h. */
#include "bus/msg.h"

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

void tp_msg_unref(const tp_msg *msg)
{
    tp_msg *shared = (tp_msg *)(uintptr_t)msg;

    if (shared == NULL ||
        atomic_fetch_sub_explicit(&shared->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    tp_msg_unref(shared->encoded);
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

tp_status tp_msg_create_encoded(tp_msg **out, const tp_msghdr *header, const tp_struct *type,
                                const void *value)
{
    size_t size = 0;
    tp_status status = type == NULL ? TP_OK : tp_xdr_size(type, value, &size);
    if (status != TP_OK) {
        return status;
    }
    if (size > TP_XDR_MAX_MESSAGE_SIZE - TP_XDR_HEADER_SIZE) {
        return TP_E_LIMIT;
    }
    tp_msg *msg = new_msg(header, NULL, TP_XDR_HEADER_SIZE + size);
    if (msg == NULL) {
        return TP_E_NOMEM;
    }
    msg->wire = (unsigned char *)msg + payload_offset;
    msg->wire_length = TP_XDR_HEADER_SIZE + size;
    if (type != NULL) {
        tp_xdr_encode(type, value, msg->wire + TP_XDR_HEADER_SIZE, size, &size);
    }
    msg->header.size = (uint32_t)size;
    tpi_header_encode(&msg->header, msg->wire);
    *out = msg;
    return TP_OK;
}

tp_status tp_msg_wire(tp_msg *msg, const void **bytes, size_t *length)
{
    tp_status status = TP_OK;

    if (msg->wire == NULL) {
        status = tp_msg_create_encoded(&msg->encoded, &msg->header, msg->type, msg->payload);
    }
    if (msg->wire == NULL && status == TP_OK) {
        msg->header.size = msg->encoded->header.size;
        msg->wire = msg->encoded->wire;
        msg->wire_length = msg->encoded->wire_length;
    }
    *bytes = msg->wire;
    *length = msg->wire_length;
    return status;
}

tp_msg *tpi_msg_encoded(tp_msg *msg)
{
    const void *bytes;
    size_t length;

    if (tp_msg_wire(msg, &bytes, &length) != TP_OK) {
        return NULL;
    }
    return msg->encoded != NULL ? msg->encoded : msg;
}

void tpi_header_encode(const tp_msghdr *header, unsigned char bytes[TP_XDR_HEADER_SIZE])
{
    size_t size;

    tp_xdr_encode(&tp_desc_msghdr, header, bytes, TP_XDR_HEADER_SIZE, &size);
}

void tpi_header_decode(const unsigned char bytes[TP_XDR_HEADER_SIZE], tp_msghdr *header)
{
    tp_xdr_decode(&tp_desc_msghdr, bytes, TP_XDR_HEADER_SIZE, header, sizeof *header);
}
