/*
 * emergency.c - panic as clients see it: raised, told to everybody, reset by those who may.
 *
 * Everybody may raise one. Who may reset it, rights.c says.
 */
#include <stdlib.h>
#include <string.h>

#include "device/session.h"

static void fill(tp_panic *out, const tpi_panic_state *state)
{
    out->active = state->on;
    out->epoch = state->epoch;
    out->who = (char *)(uintptr_t)state->who;
    out->who_count = (uint32_t)strlen(state->who) + 1;
    out->why = (char *)(uintptr_t)state->why;
    out->why_count = (uint32_t)strlen(state->why) + 1;
}

tp_status tp_hub_panic(const tp_hub *hub, tp_panic **out)
{
    tpi_panic_state state;
    tp_panic panic;

    tpi_panic_look(hub->panic, &state);
    fill(&panic, &state);
    return tp_value_copy((void **)out, &tp_desc_panic, &panic, NULL);
}

void tp_session_panic(tp_session *session, const char *why)
{
    tpi_hub *hub = session->hub;

    if (!tpi_panic_is_on(hub->panic)) {
        hub->raiser = session;
    }
    tpi_panic_raise(hub->panic, session->name, why[0] == '\0' ? "no reason given" : why);
}

tp_status tp_session_reset_panic(tp_session *session, unsigned epoch, const char *key,
                                 tp_error *err)
{
    tpi_hub *hub = session->hub;
    const tp_message *what =
        tp_interface_message(&tp_interface_player, TP_KIND_REQUEST, TP_PLAYER_REQ_RESET_PANIC);
    tp_status status = key[0] == '\0' ? TP_OK : tp_session_show_key(session, key, strlen(key), err);

    status = status == TP_OK ? tp_session_may(session, what, err) : status;
    if (status != TP_OK) {
        return status;
    }
    if (!tpi_panic_is_on(hub->panic)) {
        return tp_fail(err, TP_E_INVALID, "there is no panic");
    }
    if (!tpi_panic_reset(hub->panic, epoch)) {
        return tp_fail(err, TP_E_INVALID, "there is another panic by now");
    }
    hub->raiser = NULL;
    return TP_OK;
}

void tp_session_set_local(tp_session *session, bool on)
{
    session->local = on;
}

/* ---- Telling --------------------------------------------------------------------------------- */

static void tell(tp_session *session, const tp_panic *panic)
{
    const tp_msghdr header = {
        .addr = {.host = TP_PLAYER_HOST, .robot = session->robot, .interf = TP_PLAYER_CODE},
        .type = TP_MSGTYPE_DATA,
        .subtype = TP_PLAYER_DATA_PANIC,
        .timestamp = tp_clock_wall_s(tp_hub_clock(session->hub))};
    tp_msg *msg = NULL;

    if (tp_msg_create(&msg, &header, &tp_desc_panic, panic) == TP_OK) {
        tp_session_queue(session, msg);
        tp_msg_unref(msg);
    }
}

void emergency_tell_all(tpi_hub *hub)
{
    tpi_panic_state state;
    tp_panic panic;

    tpi_panic_look(hub->panic, &state);
    fill(&panic, &state);
    for (tp_session *session = hub->sessions; session != NULL; session = session->next) {
        if (session->explain) {
            tell(session, &panic);
        }
    }
}

void emergency_forget(tp_session *session)
{
    if (session->hub->raiser == session) {
        session->hub->raiser = NULL;
    }
}
