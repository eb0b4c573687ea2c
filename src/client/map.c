/* map.c - the one message that Player compresses. */
#include "client/map.h"

#include <stdlib.h>
#include <zlib.h>

#include "troupe/interfaces/map.h"

static tp_status unpack(tp_msg **out, const tp_msghdr *header, const tp_map_data *tile)
{
    uLongf length = (uLongf)tile->width * tile->height;
    int8_t *cells = malloc(length > 0 ? length : 1);
    tp_map_data plain = *tile;
    tp_status status = TP_E_COUNT;

    if (cells == NULL) {
        return TP_E_NOMEM;
    }
    const uLongf wanted = length;
    if (uncompress((Bytef *)cells, &length, (const Bytef *)tile->data, tile->data_count) == Z_OK &&
        length == wanted) {
        plain.data_count = (uint32_t)length;
        plain.data = cells;
        status = tp_msg_create(out, header, &tp_desc_map_data, &plain);
    }
    free(cells);
    return status;
}

tp_status tpi_map_unpack(tp_msg **msg)
{
    const tp_msghdr *header = tp_msg_header(*msg);
    const tp_map_data *tile = tp_msg_payload(*msg);
    tp_msg *plain = NULL;

    if (header->addr.interf != TP_MAP_CODE || header->subtype != TP_MAP_REQ_GET_DATA ||
        header->type != TP_MSGTYPE_RESP_ACK || tp_msg_type(*msg) != &tp_desc_map_data ||
        tile->data_count == 0) {
        return TP_OK;
    }
    if (tile->height > 0 && tile->width > TP_MAX_PAYLOAD_SIZE / tile->height) {
        return TP_E_COUNT;
    }
    tp_status status = unpack(&plain, header, tile);
    if (status == TP_OK) {
        tp_msg_unref(*msg);
        *msg = plain;
    }
    return status;
}
