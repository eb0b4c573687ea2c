/* server.c - requests to the player interface: decoded here, answered by the session. */
#include <stdlib.h>

#include "inside.h"

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
