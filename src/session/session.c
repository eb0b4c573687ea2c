/* session.c - what a front holds for each client; see troupe/front.h. */
#include <assert.h>
#include <stdlib.h>

#include "session/maker.h"
#include "session/session.h"

/* ---- Life ------------------------------------------------------------------------------------ */

tp_status tp_session_create(tp_session **out, tp_hub *hub, uint32_t robot,
                            const tp_session_limits *limits, const tp_session_events *events,
                            void *context, tp_error *err)
{
    tpi_clients *clients = tpi_clients_of(hub);
    tp_session *session = clients == NULL ? NULL : calloc(1, sizeof *session);

    if (session == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    if (tpi_age_join(clients, err) != TP_OK) {
        free(session);
        return TP_E_NOMEM;
    }
    session->clients = clients;
    session->hub = hub;
    session->robot = robot;
    session->events = events;
    session->context = context;
    session->limits = *limits;
    session->begun_ns = session->heard_ns = tp_clock_now_ns(tp_hub_clock(hub));
    tpi_identity_init(&session->identity, &clients->keyring);
    session->identity.changed = tpi_access_rights_changed;
    tpi_queue_init(&session->queue, limits->data, limits->replies, TPI_APPEND);
    session->next = clients->sessions;
    if (session->next != NULL) {
        session->next->previous = session;
    }
    clients->sessions = session;
    tpi_budget_enter(session);
    *out = session;
    return TP_OK;
}

void tp_session_destroy(tp_session *session)
{
    if (session == NULL) {
        return;
    }
    assert(session_is_current(session));
    tpi_session_abandon_all(session);
    tpi_maker_leave(session);
    (void)tp_session_hold(session, 0, false);
    tpi_budget_leave_work(session);
    tpi_budget_leave_parked(session);
    tpi_subscriptions_close(session);
    tpi_budget_leave(session);
    tpi_crowd_leave(session);
    tpi_unfinished_fini(session);
    if (session->previous != NULL) {
        session->previous->next = session->next;
    } else {
        session->clients->sessions = session->next;
    }
    if (session->next != NULL) {
        session->next->previous = session->previous;
    }
    tpi_age_leave(session->clients);
    tpi_identity_fini(&session->identity);
    tpi_queue_fini(&session->queue);
    free(session);
}

/* ---- What the client wants ------------------------------------------------------------------- */

void tp_session_allow_extensions(tp_session *session, bool on)
{
    session->extensions = on;
}

void tp_session_explain_failures(tp_session *session, bool on)
{
    tpi_pause_end(session); /* it counts what it misses by what it gets */
    session->explain = on;
}

bool tp_session_explains_failures(const tp_session *session)
{
    return session->explain;
}

void tp_session_speak_leases(tp_session *session, bool on)
{
    session->leases = on;
}

/* ---- The identity of the client
 * ----------------------------------------------------------------------- */

void tp_session_set_name(tp_session *session, const char *name)
{
    tpi_identity_set_name(&session->identity, name);
    tpi_budget_enter(session);
}

void tp_session_set_software(tp_session *session, const char *name)
{
    tpi_identity_set_software(&session->identity, name);
}

void tp_session_set_reach(tp_session *session, tp_reach reach)
{
    tpi_identity_set_reach(&session->identity, reach);
}

void tp_session_set_local(tp_session *session, bool on)
{
    session->identity.local = on;
}

tp_right tp_session_right(const tp_session *session)
{
    return tpi_identity_right(&session->identity);
}

bool tp_session_operates(const tp_session *session)
{
    return tpi_identity_operates(&session->identity);
}

const char *tp_session_key(const tp_session *session)
{
    return tpi_identity_key(&session->identity);
}

tp_status tp_session_may(const tp_session *session, const tp_message *what, tp_error *err)
{
    return tpi_identity_may(&session->identity, what, err);
}

tp_status tp_session_challenge(tp_session *session, uint8_t nonce[TP_AUTH_NONCE_LENGTH],
                               tp_error *err)
{
    return tpi_identity_challenge(&session->identity, nonce, err);
}

tp_status tp_session_prove(tp_session *session, const uint8_t *digest, size_t length, tp_error *err)
{
    const tp_status status = tpi_identity_prove(&session->identity, digest, length, err);

    tpi_crowd_look(session);
    return status;
}

tp_status tp_session_show_key(tp_session *session, const void *key, size_t length, tp_error *err)
{
    const tp_status status = tpi_identity_show_key(&session->identity, key, length, err);

    tpi_crowd_look(session);
    return status;
}
