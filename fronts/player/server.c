/* server.c - requests to the player interface: decoded here, answered by the session. Compressed
 * maps.
 */
#include <stdlib.h>
#include <zlib.h>

#include "inside.h"
#include "troupe/interfaces/map.h"

void tpi_player_serve(struct client *client, const tp_msghdr *header, const unsigned char *body,
                      size_t length)
{
    const tp_struct *type = NULL;
    void *value = NULL;

    if (!tp_session_admits(client->session, header, &type)) {
        return;
    }
    tp_status status = type == NULL ? TP_OK : tp_xdr_decode_new(&value, type, body, length);
    if (status != TP_OK) {
        tp_session_refuse(client->session, header, status, tp_status_text(status));
        return;
    }
    if (tp_session_serve(client->session, header, value) != TP_OK) {
        tpi_player_client_give_up(client);
    }
    free(value);
}

/* Player compresses the cells of a map tile, in this one reply only. */
tp_msg *tpi_player_serve_compressed_map(tp_msg *original)
{
    const tp_msghdr *header = tp_msg_header(original);
    const tp_map_data *tile = tp_msg_payload(original);
    if (header->addr.interf != TP_MAP_CODE || header->subtype != TP_MAP_REQ_GET_DATA ||
        tile == NULL || tile->data_count == 0) {
        return NULL;
    }
    uLongf length = compressBound(tile->data_count);
    unsigned char *packed = malloc(length);
    tp_map_data small = *tile;
    tp_msg *msg = NULL;
    if (packed != NULL &&
        compress(packed, &length, (const unsigned char *)tile->data, tile->data_count) == Z_OK) {
        small.data_count = (uint32_t)length;
        small.data = (int8_t *)packed;
        if (tp_msg_create(&msg, header, &tp_desc_map_data, &small) != TP_OK) {
            msg = NULL;
        }
    }
    free(packed);
    return msg;
}
