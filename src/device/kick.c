/*
 * kick.c - an operator throws a client out.
 *
 * For clients that hang and have what others need: no word ends their connection, and nobody else
 * can. The connection is closed, which stops what the client moves and frees what it has for
 * itself. It is not kept out: one that lives may connect again.
 */
#include <stdio.h>

#include "device/session.h"

static tp_session *find(const tpi_hub *hub, uint32_t number)
{
    tp_session *session = hub->sessions;

    while (session != NULL && session->number != number) {
        session = session->next;
    }
    return session;
}

static void tell_owner(const tp_session *out, const tp_session *by)
{
    const tpi_hub *hub = out->hub;
    char name[RANK_NAME];
    char who[RANK_NAME];
    char text[2 * RANK_NAME + 64];

    session_label(out, name, sizeof name);
    session_label(by, who, sizeof who);
    (void)snprintf(text, sizeof text, "client %lu, %s, was thrown out by %s",
                   (unsigned long)out->number, name, who);
    if (hub->note != NULL) {
        hub->note(hub->note_context, text);
    }
}

tp_status tp_session_kick(tp_session *session, uint32_t number, tp_error *err)
{
    tp_session *out = find(session->hub, number);

    if (out == NULL) {
        return tp_fail(err, TP_E_UNKNOWN, "there is no client %lu", (unsigned long)number);
    }
    if (out == session) {
        return tp_fail(err, TP_E_INVALID, "client %lu is the one that asks", (unsigned long)number);
    }
    if (out->guest.reach == TP_REACH_INSIDE) {
        return tp_fail(err, TP_E_DENIED, "client %lu is a part of the server",
                       (unsigned long)number);
    }
    if (!out->lost) {
        out->lost = true;
        tell_owner(out, session);
        out->events->lost(out->context);
    }
    return TP_OK;
}
