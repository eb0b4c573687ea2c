/*
 * emergency.c - panic as clients see it: raised, told to everybody, reset by those who may.
 *
 * Everybody may raise one. It is reset by the client that raised it, by whoever has the operator's
 * key, and, as long as no key is configured, by any client on this machine: without that, a panic
 * whose raiser is gone could only be ended by restarting the server.
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

/* What clients sent before this moment was meant for another one: it moves nothing any more. Who
 * ends the panic has sent the rest after it. */
static void let_nothing_play(const tpi_hub *hub, const tp_session *who)
{
    for (tp_session *session = hub->sessions; session != NULL; session = session->next) {
        if (session != who && session->events->unread != NULL) {
            session->stale = session->events->unread(session->context);
        }
    }
}

void tp_session_took(tp_session *session, size_t bytes)
{
    session->stale -= bytes < session->stale ? bytes : session->stale;
}

/* Takes the same time wherever the first difference is. */
static bool has_key(const tpi_hub *hub, const char *key)
{
    const size_t length = hub->operator_key == NULL ? 0 : strlen(hub->operator_key);
    unsigned difference = hub->operator_key == NULL || strlen(key) != length;

    for (size_t i = 0; i < length && key[0] != '\0'; i++) {
        difference |= (unsigned)(hub->operator_key[i] ^ key[i % strlen(key)]);
    }
    return difference == 0;
}

tp_status tp_session_reset_panic(tp_session *session, unsigned epoch, const char *key,
                                 tp_error *err)
{
    tpi_hub *hub = session->hub;
    const bool local = session->local && hub->operator_key == NULL;

    if (!tpi_panic_is_on(hub->panic)) {
        return tp_fail(err, TP_E_INVALID, "there is no panic");
    }
    if (hub->raiser != session && !local && !has_key(hub, key)) {
        return tp_fail(err, TP_E_DENIED, "only who raised it, or the operator's key, ends a panic");
    }
    if (!tpi_panic_reset(hub->panic, epoch)) {
        return tp_fail(err, TP_E_INVALID, "there is another panic by now");
    }
    hub->raiser = NULL;
    let_nothing_play(hub, session);
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

void tpi_hub_set_operator_key(tpi_hub *hub, const char *key)
{
    hub->operator_key = key;
}
