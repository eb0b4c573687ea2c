/*
 * backlog.c - clients that are behind with reading, for drivers that can wait for them.
 *
 * A client is behind from when a quarter of what its queue takes waits for it, until half of that
 * is gone. Every device that it has open counts it meanwhile (tp_device_behind()): a world in
 * lockstep makes its next step when no client is behind, and so nothing is lost. A client that
 * takes nothing for a while is frozen or gone, and is not counted until it reads again. A client in
 * pull mode is never behind: what waits for it goes out when it asks, and that may be after it has
 * got what the driver keeps it waiting for.
 *
 * A client without the right to write to a device only looks on: no driver waits for it, since it
 * could hold up the clients that have the right.
 *
 * What is published while nothing may be lost (tp_instance_keep_all()) finds room in the queues of
 * the participants, however much it is, as long as they are waited for: that is a quarter of a
 * queue and what the driver makes before it looks again.
 */
#include <assert.h>

#include "session/session.h"

enum { BEHIND = 4, CAUGHT_UP = 8 }; /* parts of the queue */

static const int64_t patience_ns = 10 * TP_NS_PER_S;

static void count(struct subscription *s, bool counts)
{
    if (counts != s->counted) {
        s->counted = counts;
        tpi_device_count_behind(s->device, counts);
    }
}

static void count_all(tp_session *session)
{
    for (struct subscription *s = session->subscriptions; s != NULL; s = s->next) {
        tpi_backlog_count(s);
    }
}

static int64_t now_ns(const tpi_clients *clients)
{
    return tp_clock_now_ns(tp_hub_clock(clients->hub));
}

static void wait_some_more(tp_session *session)
{
    session->backlog.taken_before = session->backlog.taken;
    session->backlog.deadline_ns = now_ns(session->clients) + patience_ns;
}

static bool is_waited_for(const tp_session *session)
{
    return session->backlog.behind && !session->backlog.given_up;
}

static void look_at(tp_session *session)
{
    if (session->backlog.taken != session->backlog.taken_before) {
        wait_some_more(session);
    } else {
        session->backlog.given_up = true;
        count_all(session);
    }
}

/* The timer fires for the first client that is due: all have the same time, so those that come to
 * wait later are due later. */
static void lose_patience(void *context)
{
    tpi_clients *clients = context;
    const int64_t now = now_ns(clients);
    int64_t next_ns = TP_NEVER;

    for (tp_session *session = clients->sessions; session != NULL; session = session->next) {
        if (is_waited_for(session) && session->backlog.deadline_ns <= now) {
            look_at(session);
        }
        if (is_waited_for(session) && session->backlog.deadline_ns < next_ns) {
            next_ns = session->backlog.deadline_ns;
        }
    }
    clients->patience.set = next_ns != TP_NEVER;
    tp_timer_at(clients->patience.timer, next_ns);
}

static bool has_patience(tpi_clients *clients)
{
    return clients->patience.timer != NULL ||
           tp_timer_create(&clients->patience.timer, tpi_hub_loop(clients->hub), lose_patience,
                           clients, NULL) == TP_OK;
}

static void set_behind(tp_session *session, bool behind)
{
    struct patience *patience = &session->clients->patience;

    session->backlog.behind = behind;
    session->backlog.given_up = false;
    count_all(session);
    if (behind) {
        wait_some_more(session);
    }
    if (behind && !patience->set) {
        patience->set = true;
        tp_timer_at(patience->timer, session->backlog.deadline_ns);
    }
}

void tpi_backlog_look(tp_session *session)
{
    const bool behind =
        !session->backlog.pulls &&
        tpi_queue_holds(&session->queue, session->backlog.behind ? CAUGHT_UP : BEHIND);

    if (behind != session->backlog.behind && has_patience(session->clients)) {
        set_behind(session, behind);
    }
}

void tp_session_goes_on(tp_session *session)
{
    assert(session_is_current(session));
    session->backlog.taken++;
    if (session->backlog.given_up) {
        set_behind(session, true);
        tpi_pause_end(session); /* from now on it misses nothing again that is kept */
    }
}

void tpi_backlog_taken(tp_session *session)
{
    tp_session_goes_on(session);
    if (session->backlog.behind) {
        tpi_backlog_look(session);
    }
}

static void take_part(struct subscription *s, bool takes_part)
{
    if (takes_part != s->takes_part) {
        s->takes_part = takes_part;
        s->session->backlog.parts += takes_part ? 1U : -1U;
    }
}

static void look_on(struct subscription *s, bool looks_on)
{
    if (looks_on != s->looks_on) {
        s->looks_on = looks_on;
        tpi_device_count_onlookers(s->device, looks_on);
    }
}

void tpi_backlog_count(struct subscription *s)
{
    const struct backlog *backlog = &s->session->backlog;
    const bool may =
        tpi_identity_right(&s->session->identity) >= tpi_right_to_open(s->device, TP_WRITE_MODE);

    look_on(s, tpi_device_keeps(s->device) && !s->waiting && !may);
    take_part(s, tpi_device_keeps(s->device) && !s->waiting && may);
    count(s, backlog->behind && !backlog->given_up && !s->waiting && may);
}

void tpi_backlog_rights_changed(tp_session *session)
{
    count_all(session);
}

void tpi_backlog_forget(struct subscription *s)
{
    look_on(s, false);
    take_part(s, false);
    count(s, false);
}

bool tpi_backlog_keeps(const tp_session *session)
{
    return session->backlog.parts > 0 && !session->backlog.pulls && !session->backlog.given_up;
}

void tp_session_set_pulls(tp_session *session, bool on)
{
    assert(session_is_current(session));
    session->backlog.pulls = on;
    tpi_backlog_look(session);
}

bool tpi_backlog_pulls(const tp_session *session)
{
    return session->backlog.pulls;
}

void tpi_backlog_fini(tpi_clients *clients)
{
    tp_timer_destroy(clients->patience.timer);
}
