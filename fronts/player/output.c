/*
 * output.c - when which of the queued messages go out to a client.
 *
 * Once per turn of the loop, all that may go. In push mode that is everything. In pull mode only
 * what is sealed may go: everything up to the last reply, and what a pull asked for, ended by a
 * SYNCH.
 */
#include "inside.h"

/* ---- Pull mode ------------------------------------------------------------------------------- */

static bool is_reply(const tp_msg *msg)
{
    const unsigned type = tp_msg_header(msg)->type;

    return type == TP_MSGTYPE_RESP_ACK || type == TP_MSGTYPE_RESP_NACK;
}

/* Everything up to the last reply may go at any time. */
static void release_replies(struct client *client)
{
    for (uint32_t i = tp_session_waiting(client->session); i > 0; i--) {
        if (is_reply(tp_session_peek(client->session, i - 1))) {
            tp_session_seal(client->session, i);
            return;
        }
    }
}

static bool has_data_to_pull(const struct client *client)
{
    for (uint32_t i = 0; i < tp_session_waiting(client->session); i++) {
        if (tp_msg_header(tp_session_peek(client->session, i))->type == TP_MSGTYPE_DATA) {
            return true;
        }
    }
    return false;
}

/* OK, or how many messages were dropped since the last one. */
static void queue_synch(struct client *client)
{
    const uint64_t dropped = tp_session_dropped(client->session);
    const tp_uint32 count = {(uint32_t)(dropped - client->told_drops)};
    const bool lost = count.value > 0;
    const tp_msghdr header = {.addr = {.interf = TP_PLAYER_CODE},
                              .type = TP_MSGTYPE_SYNCH,
                              .subtype = lost ? TP_PLAYER_SYNCH_OVERFLOW : TP_PLAYER_SYNCH_OK};
    tp_msg *msg = NULL;

    if (tp_msg_create(&msg, &header, lost ? &tp_desc_uint32 : NULL, &count) == TP_OK) {
        client->told_drops = dropped;
        tp_session_queue(client->session, msg);
        tp_msg_unref(msg);
    }
}

void tpi_player_output_pull(struct client *client, const tp_msghdr *request)
{
    tp_msghdr header = *request;
    tp_msg *msg = NULL;

    header.type = TP_MSGTYPE_RESP_ACK;
    header.timestamp = tp_clock_wall_s(tp_hub_clock(client->front->hub));
    if (tp_msg_create(&msg, &header, NULL, NULL) == TP_OK) {
        tp_session_queue_first(client->session, msg);
        tp_msg_unref(msg);
    }
    client->armed = client->pull;
}

static void decide_what_may_go(struct client *client)
{
    if (!client->pull) {
        tp_session_seal(client->session, tp_session_waiting(client->session));
        return;
    }
    if (client->armed && has_data_to_pull(client)) {
        client->armed = false;
        queue_synch(client);
        tp_session_seal(client->session, tp_session_waiting(client->session));
        return;
    }
    release_replies(client);
}

/* ---- Going out ------------------------------------------------------------------------------- */

void tpi_player_output_flush(tp_after *after)
{
    struct client *client = (struct client *)((char *)after - offsetof(struct client, flush));

    if (!client->ending) {
        if (client->paused && !tp_session_is_busy(client->session)) {
            client->paused = false;
            client->transport->resume(client);
        }
        if (!client->blocked) {
            decide_what_may_go(client);
            client->transport->write(client);
        }
    }
    if (client->ending && client->dismissed && !client->blocked) {
        tp_session_seal(client->session, tp_session_waiting(client->session));
        client->transport->write(client);
    }
    if (client->ending) {
        tpi_player_client_close(client);
    }
}

void tpi_player_output_ready(void *context)
{
    struct client *client = context;

    if (!client->blocked || client->paused || client->ending) {
        tp_loop_after(client->front->loop, &client->flush);
    }
}
