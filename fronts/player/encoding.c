/*
 * encoding.c - a message as Player sends it: the header of 40 bytes and the body in XDR.
 *
 * Player compresses the cells of a map tile, in this one reply only. Large answers are encoded by a
 * thread of their own, so that the loop does not compress.
 */
#include <stdlib.h>
#include <zlib.h>

#include "player.h"
#include "troupe/interfaces/map.h"

/* The map tile that is to be compressed; NULL in all other messages. */
static const tp_map_data *tile_of(const tp_msghdr *header, const tp_struct *type, const void *value)
{
    const tp_map_data *tile = type == &tp_desc_map_data ? value : NULL;
    const bool answers = header->type == TP_MSGTYPE_RESP_ACK &&
                         header->addr.interf == TP_MAP_CODE &&
                         header->subtype == TP_MAP_REQ_GET_DATA;

    return answers && tile != NULL && tile->data_count > 0 ? tile : NULL;
}

static tp_status player_size(const tp_msghdr *header, const tp_struct *type, const void *value,
                             size_t *size)
{
    const tp_map_data *tile = tile_of(header, type, value);
    tp_map_data packed;
    size_t body = 0;

    if (tile != NULL) { /* XDR only counts the cells */
        packed = *tile;
        packed.data_count = (uint32_t)compressBound(tile->data_count);
        value = &packed;
    }
    const tp_status status = type == NULL ? TP_OK : tp_xdr_size(type, value, &body);
    if (status != TP_OK) {
        return status;
    }
    *size = TP_XDR_HEADER_SIZE + body;
    return *size > TP_XDR_MAX_MESSAGE_SIZE ? TP_E_LIMIT : TP_OK;
}

/* The header of a message whose body has this length. */
static size_t put_header(const tp_msghdr *header, size_t body, unsigned char *at)
{
    tp_msghdr full = *header;

    full.size = (uint32_t)body;
    tp_xdr_encode_header(&full, at);
    return TP_XDR_HEADER_SIZE + body;
}

static tp_status encode_packed(const tp_msghdr *header, const tp_map_data *tile, unsigned char *at,
                               size_t capacity, size_t *length)
{
    uLongf packed_length = compressBound(tile->data_count);
    unsigned char *packed = malloc(packed_length);
    tp_map_data small = *tile;
    tp_status status = TP_E_NOMEM;

    if (packed != NULL && compress(packed, &packed_length, (const unsigned char *)tile->data,
                                   tile->data_count) == Z_OK) {
        small.data_count = (uint32_t)packed_length;
        small.data = (int8_t *)packed;
        size_t body = 0;
        status = tp_xdr_encode(&tp_desc_map_data, &small, at + TP_XDR_HEADER_SIZE,
                               capacity - TP_XDR_HEADER_SIZE, &body);
        *length = put_header(header, body, at);
    }
    free(packed);
    return status;
}

static tp_status player_encode(const tp_msghdr *header, const tp_struct *type, const void *value,
                               void *bytes, size_t capacity, size_t *length)
{
    const tp_map_data *tile = tile_of(header, type, value);
    unsigned char *at = bytes;

    if (tile != NULL) {
        return encode_packed(header, tile, at, capacity, length);
    }
    if (type != NULL) { /* measured before: that is the capacity */
        tp_xdr_write(type, value, at + TP_XDR_HEADER_SIZE);
    }
    *length = put_header(header, capacity - TP_XDR_HEADER_SIZE, at);
    return TP_OK;
}

const tp_encoding tp_encoding_player = {
    .name = "player", .size = player_size, .encode = player_encode};
