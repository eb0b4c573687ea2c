/* message.c - what has come: to whom it belongs. */
#include <string.h>

#include "client/inside.h"

static bool is_reply(const tp_msghdr *header)
{
    return header->type == TP_MSGTYPE_RESP_ACK || header->type == TP_MSGTYPE_RESP_NACK;
}

/* What the body of a reply is; NULL where it does not matter. */
static const tp_struct *reply_type(const tp_client *client, const tpi_ask *ask,
                                   const tp_msghdr *header)
{
    if (header->type == TP_MSGTYPE_RESP_NACK) {
        return client->troupe ? &tp_desc_failure : NULL;
    }
    return ask->what->answer;
}

static bool wants_synch(const tp_msghdr *header, const tp_struct **type)
{
    *type = header->subtype == TP_PLAYER_SYNCH_OVERFLOW ? &tp_desc_uint32 : NULL;
    return header->addr.interf == TP_PLAYER_CODE;
}

static bool is_panic(const tp_msghdr *header)
{
    return header->addr.interf == TP_PLAYER_CODE && header->subtype == TP_PLAYER_DATA_PANIC;
}

static bool is_dismissal(const tp_client *client, const tp_msghdr *header)
{
    return client->troupe && header->addr.interf == TP_PLAYER_CODE &&
           header->subtype == TP_PLAYER_DATA_KICKED;
}

static bool wants_data(tp_client *client, const tp_msghdr *header, const tp_struct **type)
{
    const tp_message *what = tpi_proxy_wants(client, header);

    if (is_panic(header) && client->options.panicked != NULL) {
        *type = &tp_desc_panic_state;
        return true;
    }
    if (is_dismissal(client, header)) {
        *type = &tp_desc_failure;
        return true;
    }
    if (client->pull.state == TPI_PULL_ARMED) {
        client->pull.state = TPI_PULL_DELIVERING;
    }
    *type = what != NULL ? what->ask : NULL;
    return what != NULL;
}

bool tpi_client_wants(tp_client *client, const tp_msghdr *header, const tp_struct **type)
{
    *type = NULL;
    if (header->type == TP_MSGTYPE_DATA) {
        return wants_data(client, header, type);
    }
    if (header->type == TP_MSGTYPE_SYNCH) {
        return wants_synch(header, type);
    }
    const tpi_ask *ask = is_reply(header) ? tpi_ask_match(client, header) : NULL;
    if (ask != NULL) {
        *type = reply_type(client, ask, header);
    }
    return ask != NULL;
}

/* ---- Replies --------------------------------------------------------------------------------- */

/* The server's own reason with the name of the device before it, or that there is none. */
static void refuse(tpi_ask *ask, const tp_msg *reply)
{
    const tp_client *client = ask->client;
    const char *who = ask->proxy != NULL ? ask->proxy->name : client->url;
    const tp_failure *failure =
        tp_msg_type(reply) == &tp_desc_failure ? tp_msg_payload(reply) : NULL;
    tp_error err;

    if (failure != NULL && failure->code < 0 && failure->text_count > 0) {
        tp_fail(&err, (tp_status)failure->code, "%.*s", (int)failure->text_count, failure->text);
        if (ask->proxy != NULL && strncmp(err.text, who, strlen(who)) != 0) {
            tp_wrap(&err, err.code, who);
        }
    } else {
        tp_fail(&err, TP_E_DEVICE, "%s: %s was refused", who, ask->what->name);
    }
    tpi_ask_finish(ask, err.code, NULL, err.text);
}

static void take_reply(tp_client *client, const tp_msg *msg)
{
    tpi_ask *ask = tpi_ask_match(client, tp_msg_header(msg));

    if (ask == NULL) {
        return;
    }
    if (tp_msg_header(msg)->type == TP_MSGTYPE_RESP_NACK) {
        refuse(ask, msg);
    } else {
        tpi_ask_finish(ask, TP_OK, tp_msg_payload(msg) != NULL ? msg : NULL, NULL);
    }
    tpi_ask_send_waiting(client);
}

void tpi_client_cannot_read(tp_client *client, const tp_msghdr *header, tp_status status)
{
    tpi_ask *ask = is_reply(header) ? tpi_ask_match(client, header) : NULL;
    tp_error err;

    if (ask == NULL) {
        return; /* data of another version of its interface: as good as unknown */
    }
    const char *who = ask->proxy != NULL ? ask->proxy->name : client->url;
    if (header->type == TP_MSGTYPE_RESP_NACK) {
        tp_fail(&err, TP_E_DEVICE, "%s: %s was refused", who, ask->what->name);
    } else {
        tp_fail(&err, status, "%s: the answer to %s cannot be read: %s", who, ask->what->name,
                tp_status_text(status));
    }
    tpi_ask_finish(ask, err.code, NULL, err.text);
    tpi_ask_send_waiting(client);
}

/* ---- The rest -------------------------------------------------------------------------------- */

static void take_synch(tp_client *client, const tp_msg *msg)
{
    const tp_uint32 *lost = tp_msg_payload(msg);

    if (lost != NULL) {
        client->dropped += lost->value;
    }
    client->pull.state = TPI_PULL_IDLE;
    if (client->pull.keeps) {
        tp_loop_after(client->loop, &client->pull.again);
    }
}

/* The end of the connection, which comes next, would not tell why. */
static void take_dismissal(tp_client *client, const tp_msg *msg)
{
    const tp_failure *failure = tp_msg_payload(msg);

    tpi_client_is_down(client, "%s: %.*s", client->url,
                       failure != NULL ? (int)failure->text_count : 0,
                       failure != NULL && failure->text_count > 0 ? failure->text : "");
}

void tpi_client_receive(tp_client *client, const tp_msg *msg)
{
    switch (tp_msg_header(msg)->type) {
    case TP_MSGTYPE_DATA:
        if (is_panic(tp_msg_header(msg))) {
            tpi_client_panicked(client, msg);
            break;
        }
        if (is_dismissal(client, tp_msg_header(msg))) {
            take_dismissal(client, msg);
            break;
        }
        client->received++;
        tpi_proxy_deliver(client, msg);
        break;
    case TP_MSGTYPE_SYNCH:
        take_synch(client, msg);
        break;
    default:
        take_reply(client, msg);
        break;
    }
}
