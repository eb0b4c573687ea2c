/* message.c - one message of a client: to the server itself, or on to a device. */
#include "inside.h"

#include <assert.h>

static void refuse(struct client *client, const tp_msghdr *header, tp_status code, const char *text)
{
    if (header->type == TP_MSGTYPE_REQ) {
        tp_session_refuse(client->session, header, code, text);
    }
}

/* A command or request for a device. */
static void forward(struct client *client, const tp_msghdr *header, const unsigned char *body)
{
    const tp_catalogue *catalogue = tp_hub_catalogue(tp_front_hub(client->front->instance));
    const tp_kind kind = header->type == TP_MSGTYPE_CMD ? TP_KIND_COMMAND : TP_KIND_REQUEST;
    tp_error err = {0};
    tp_msg *msg = NULL;

    if (header->type != TP_MSGTYPE_CMD && header->type != TP_MSGTYPE_REQ) {
        return;
    }
    if (tp_session_find(client->session, header->addr.interf, header->addr.index) == NULL) {
        refuse(client, header, TP_E_UNKNOWN, "there is no such device");
        return;
    }
    const tp_message *what =
        tp_catalogue_message(catalogue, header->addr.interf, kind, header->subtype);
    if (what == NULL) {
        refuse(client, header, TP_E_UNSUPPORTED, "the interface has no such message");
        return;
    }
    tp_status status = tp_msg_decode(&msg, header, what->ask, body, header->size);
    if (status != TP_OK) {
        refuse(client, header, status, tp_status_text(status));
        return;
    }
    status = tp_session_send(client->session, msg, what, &err);
    if (status != TP_OK) {
        refuse(client, header, status, err.text);
    }
    tp_msg_unref(msg);
}

void tpi_player_message_handle(struct client *client, tp_msghdr *header, const unsigned char *body)
{
    assert(tpi_player_is_current(client->front));
    /* Player ignores the host and the robot in addresses of clients. */
    header->addr.host = TP_PLAYER_HOST;
    header->addr.robot = tp_front_where(client->front->instance)->robot;
    tp_session_heard_message(client->session, header);
    if (header->type == TP_MSGTYPE_SYNCH) {
        return; /* a sign of life, without contents */
    }
    if (header->addr.interf == TP_PLAYER_CODE) {
        tpi_player_serve(client, header, body, header->size);
    } else {
        forward(client, header, body);
    }
}
