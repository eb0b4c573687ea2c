/*
 * panic_request.c - panic as clients see it: how it is raised, published and reset.
 *
 * Every client may raise one. rights.c decides which client may reset it.
 */
#include <assert.h>
#include <string.h>

#include "session/session.h"

bool tp_session_sees_panic(const tp_session *session)
{
    return tpi_panic_is_on(tpi_panic_of(session->hub));
}

void tp_session_panic(tp_session *session, const char *why)
{
    tpi_hub *hub = session->hub;
    assert(session_is_current(session));
    if (!tp_session_sees_panic(session)) {
        session->clients->keyring.raiser = session->identity.number;
    }
    tpi_panic_raise(tpi_panic_of(hub), session->identity.label,
                    why[0] == '\0' ? "no reason given" : why);
}

/* What clients sent before this moment was meant for the time before the panic: it moves nothing
 * any more. The client that ends the panic has sent the rest after it. */
static void drop_unread(const tpi_clients *clients, const tp_session *who)
{
    for (tp_session *session = clients->sessions; session != NULL; session = session->next) {
        if (session != who && session->events->drop != NULL) {
            session->events->drop(session->context);
        }
        if (session != who && session->events->unread != NULL) {
            session->stale = session->events->unread(session->context);
        }
    }
}

void tp_session_took_part(tp_session *session, size_t bytes)
{
    session->stale -= bytes < session->stale ? bytes : session->stale;
    tpi_age_took(session, bytes);
    tpi_budget_end_work(session, bytes);
}

void tp_session_took(tp_session *session, size_t bytes)
{
    tpi_unfinished_took(session);
    tp_session_took_part(session, bytes);
}

tp_status tp_session_reset_panic(tp_session *session, unsigned epoch, const char *key,
                                 tp_error *err)
{
    tpi_hub *hub = session->hub;
    const tp_message *what =
        tp_interface_message(&tp_interface_player, TP_KIND_REQUEST, TP_PLAYER_REQ_RESET_PANIC);
    tp_status status = TP_OK;

    if (key[0] != '\0' && session->clients->keyring.key_count == 0) {
        return tp_fail(err, TP_E_UNSUPPORTED,
                       "the server has no keys: a panic is ended without one, by the client that "
                       "raised it or on the server's own machine");
    }
    status =
        key[0] == '\0' ? TP_OK : tpi_identity_show_key(&session->identity, key, strlen(key), err);
    status = status == TP_OK ? tpi_identity_may(&session->identity, what, err) : status;
    if (status != TP_OK) {
        return status;
    }
    if (!tpi_panic_is_on(tpi_panic_of(hub))) {
        return tp_fail(err, TP_E_INVALID, "there is no panic");
    }
    if (!tpi_hub_reset_panic(hub, epoch, session->identity.label)) {
        return tp_fail(err, TP_E_INVALID, "there is another panic by now: its number is %u",
                       tpi_panic_epoch(tpi_panic_of(hub)));
    }
    session->clients->keyring.raiser = 0;
    drop_unread(session->clients, session);
    return TP_OK;
}

/* ---- Reporting ---------------------------------------------------------------------------------
 */

void tpi_panic_request_report(tp_session *session, const tp_panic_state *panic)
{
    const tp_msghdr header = {.addr = {.host = TP_PLAYER_HOST,
                                       .robot = tpi_session_robot(session),
                                       .interf = TP_PLAYER_CODE},
                              .type = TP_MSGTYPE_DATA,
                              .subtype = TP_PLAYER_DATA_PANIC,
                              .timestamp = tp_clock_wall_s(tp_hub_clock(session->hub))};
    tp_msg *msg = NULL;

    if (session->explain && tp_msg_create(&msg, &header, &tp_desc_panic_state, panic) == TP_OK) {
        tp_session_queue(session, msg);
        tp_msg_unref(msg);
    }
}
