/*
 * emergency.c - panic as clients see it: raised, told to everybody, reset by those who may.
 *
 * Everybody may raise one. Who may reset it, rights.c says.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "safety/moving.h"
#include "session/session.h"

/* Who has not stopped yet: a driver that hangs in an operation does not, whatever we tell it. */
static void list_owing(const tpi_hub *hub, char *owing, size_t size)
{
    size_t length = 0;

    owing[0] = '\0';
    for (const tp_instance *at = hub->instances; at != NULL; at = at->next) {
        if (tpi_motion_owes_a_stop(at) && length < size) {
            length += (size_t)snprintf(
                owing + length, size - length, "%s%s%s%s%s", length > 0 ? ", " : "",
                tp_instance_name(at), at->troubled ? " (" : "",
                at->troubled ? tpi_trouble_cause(at) : "",
                at->troubled ? ": whether it has stopped is not known)" : "");
        }
    }
}

void tpi_emergency_look(const tpi_hub *hub, struct emergency *found, tp_panic_state *out)
{
    tpi_panic_state *state = &found->state;

    tpi_panic_look(hub->panic, state);
    *out = (tp_panic_state){.active = state->on, .epoch = state->epoch, .count = state->raises};
    if (state->on) {
        const int64_t now_ns = tp_clock_now_ns(tp_hub_clock(hub));
        out->since = state->since_s;
        out->age = (double)(now_ns - state->since_ns) / (double)TP_NS_PER_S;
    }
    out->who = tpi_text_field(state->who, &out->who_count);
    out->why = tpi_text_field(state->why, &out->why_count);
    out->last_who = tpi_text_field(state->last_who, &out->last_who_count);
    out->last_why = tpi_text_field(state->last_why, &out->last_why_count);
    list_owing(hub, found->owing, sizeof found->owing);
    out->owing = tpi_text_field(found->owing, &out->owing_count);
}

tp_status tp_hub_panic(const tp_hub *hub, tp_panic_state **out)
{
    struct emergency found;
    tp_panic_state panic;

    tpi_emergency_look(hub, &found, &panic);
    return tp_value_copy((void **)out, &tp_desc_panic_state, &panic, NULL);
}

void tp_session_panic(tp_session *session, const char *why)
{
    tpi_hub *hub = session->hub;
    char name[RANK_NAME];

    if (!tpi_panic_is_on(hub->panic)) {
        hub->raiser = session;
    }
    tpi_session_label(session, name, sizeof name);
    tpi_panic_raise(hub->panic, name, why[0] == '\0' ? "no reason given" : why);
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

tp_status tp_session_reset_panic(tp_session *session, unsigned epoch, const char *key,
                                 tp_error *err)
{
    tpi_hub *hub = session->hub;
    const tp_message *what =
        tp_interface_message(&tp_interface_player, TP_KIND_REQUEST, TP_PLAYER_REQ_RESET_PANIC);
    tp_status status = TP_OK;

    if (key[0] != '\0' && hub->key_count == 0) {
        return tp_fail(err, TP_E_UNSUPPORTED,
                       "the server has no keys: a panic is ended without one, by who raised it or "
                       "on the server's own machine");
    }
    status = key[0] == '\0' ? TP_OK : tp_session_show_key(session, key, strlen(key), err);
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
    let_nothing_play(hub, session);
    tpi_session_label(session, hub->resetter, sizeof hub->resetter);
    return TP_OK;
}

void tp_session_set_local(tp_session *session, bool on)
{
    session->local = on;
}

/* ---- Telling --------------------------------------------------------------------------------- */

static void tell(tp_session *session, const tp_panic_state *panic)
{
    const tp_msghdr header = {.addr = {.host = TP_PLAYER_HOST,
                                       .robot = tpi_session_robot(session),
                                       .interf = TP_PLAYER_CODE},
                              .type = TP_MSGTYPE_DATA,
                              .subtype = TP_PLAYER_DATA_PANIC,
                              .timestamp = tp_clock_wall_s(tp_hub_clock(session->hub))};
    tp_msg *msg = NULL;

    if (tp_msg_create(&msg, &header, &tp_desc_panic_state, panic) == TP_OK) {
        tp_session_queue(session, msg);
        tp_msg_unref(msg);
    }
}

/* What happened since the last time, for whoever looks at the server's terminal. */
static void tell_owner(tpi_hub *hub, const tpi_panic_state *state)
{
    const bool changed = state->epoch != hub->noted_epoch;
    const bool again = state->on && !changed && state->raises != hub->noted_raises;
    char text[2 * RANK_NAME + TPI_PANIC_REASON];

    if (state->on && changed) {
        (void)snprintf(text, sizeof text, "PANIC: nothing may move; raised by %s: %s", state->who,
                       state->why);
    } else if (again) {
        (void)snprintf(text, sizeof text, "PANIC: raised again by %s: %s", state->last_who,
                       state->last_why);
    } else {
        (void)snprintf(text, sizeof text, "the panic is over%s%s",
                       hub->resetter[0] != '\0' ? "; it was reset by " : "", hub->resetter);
    }
    if ((changed || again) && hub->panic_changed != NULL) {
        hub->panic_changed(hub->panic_context, text);
    }
    hub->noted_epoch = state->epoch;
    hub->noted_raises = state->raises;
}

void tpi_emergency_tell_all(tpi_hub *hub)
{
    struct emergency found;
    tp_panic_state panic;

    tpi_emergency_look(hub, &found, &panic);
    tell_owner(hub, &found.state);
    for (tp_session *session = hub->sessions; session != NULL; session = session->next) {
        if (session->explain) {
            tell(session, &panic);
        }
    }
}

void tpi_emergency_forget(tp_session *session)
{
    if (session->hub->raiser == session) {
        session->hub->raiser = NULL;
    }
}
