/* encoding.c - a message as Player sends it: the header of 40 bytes and the body in XDR. */
#include "player.h"

static tp_status player_size(const tp_msghdr *header, const tp_struct *type, const void *value,
                             size_t *size)
{
    size_t body = 0;
    const tp_status status = type == NULL ? TP_OK : tp_xdr_size(type, value, &body);

    (void)header;
    if (status != TP_OK) {
        return status;
    }
    *size = TP_XDR_HEADER_SIZE + body;
    return *size > TP_XDR_MAX_MESSAGE_SIZE ? TP_E_LIMIT : TP_OK;
}

static tp_status player_encode(const tp_msghdr *header, const tp_struct *type, const void *value,
                               void *bytes, size_t capacity, size_t *length)
{
    unsigned char *at = bytes;
    tp_msghdr full = *header;
    size_t body = 0;
    const tp_status status = type == NULL ? TP_OK
                                          : tp_xdr_encode(type, value, at + TP_XDR_HEADER_SIZE,
                                                          capacity - TP_XDR_HEADER_SIZE, &body);

    full.size = (uint32_t)body;
    tp_xdr_encode_header(&full, at);
    *length = TP_XDR_HEADER_SIZE + body;
    return status;
}

const tp_encoding tp_encoding_player = {
    .name = "player", .size = player_size, .encode = player_encode};
