/*
 * kick.c - an operator throws a client out.
 *
 * This is for clients that hang and hold what others need. The connection is closed, which stops
 * what the client moves and frees its exclusive devices. A client of Troupe's receives the reason
 * if it still reads. It may connect again.
 */
#include <assert.h>
#include <stdio.h>

#include "base/text.h"
#include "session/session.h"
#include "troupe/interfaces/player.h"

static tp_session *find(const tpi_hub *hub, uint32_t number)
{
    tp_session *session = tpi_clients_first(hub);

    while (session != NULL && session->identity.number != number) {
        session = session->next;
    }
    return session;
}

static void tell_owner(const tp_session *out, const tp_session *by)
{
    char text[2 * TPI_MOVER_LABEL + 64];

    (void)snprintf(text, sizeof text, "client %lu, %s, was disconnected by %s",
                   (unsigned long)out->identity.number, out->identity.label, by->identity.label);
    tpi_hub_note(out->hub, text);
}

static void tell_client(tp_session *out, const tp_session *by)
{
    const tp_msghdr header = {
        .addr = {.host = TP_PLAYER_HOST, .robot = tpi_session_robot(out), .interf = TP_PLAYER_CODE},
        .type = TP_MSGTYPE_DATA,
        .subtype = TP_PLAYER_DATA_KICKED,
        .timestamp = tp_clock_wall_s(tp_hub_clock(out->hub))};
    char text[TPI_MOVER_LABEL + 32];
    tp_failure failure = {.code = TP_E_CLOSED};
    tp_msg *msg = NULL;

    (void)snprintf(text, sizeof text, "disconnected by %s", by->identity.label);
    failure.text = tpi_text_field(text, &failure.text_count);
    if (out->explain && tp_msg_create(&msg, &header, &tp_desc_failure, &failure) == TP_OK) {
        tp_session_queue(out, msg);
        tp_msg_unref(msg);
    }
}

tp_status tp_session_kick(tp_session *session, uint32_t number, tp_error *err)
{
    tp_session *out = find(session->hub, number);

    assert(session_is_current(session));
    if (out == NULL) {
        return tp_fail(err, TP_E_UNKNOWN, "there is no client %lu", (unsigned long)number);
    }
    if (out == session) {
        return tp_fail(err, TP_E_INVALID, "client %lu is the one that asks", (unsigned long)number);
    }
    if (out->identity.reach == TP_REACH_INSIDE) {
        return tp_fail(err, TP_E_DENIED, "client %lu is a part of the server",
                       (unsigned long)number);
    }
    if (!tpi_mailbox_is_lost(out)) {
        tell_client(out, session);
        tell_owner(out, session);
        tpi_mailbox_lose(out);
    }
    return TP_OK;
}
