/*
 * crowd.c - clients that are behind with reading, for drivers that can wait for them.
 *
 * A client is behind from when a quarter of what its queue takes waits for it, until half of that
 * is gone. Every device that it has open counts it meanwhile (tp_device_behind()): a world in
 * lockstep makes its next step when there is nobody like that, and so nothing is lost. Who takes
 * nothing at all for a while is stopped, or gone without a word, and is not counted until it goes
 * on. Who pulls is never behind: what waits for it goes out when it asks, and that may be after it
 * has got what the driver keeps it waiting for.
 */
#include "device/session.h"

enum { BEHIND = 4, CAUGHT_UP = 8 }; /* parts of the queue */

static const int64_t patience_ns = 10 * TP_NS_PER_S;

static void count(struct subscription *s, bool counts)
{
    if (counts != s->counted) {
        s->counted = counts;
        atomic_fetch_add(&s->device->behind, counts ? 1U : -1U);
    }
}

static void count_all(tp_session *session)
{
    for (struct subscription *s = session->subscriptions; s != NULL; s = s->next) {
        crowd_count(s);
    }
}

static void wait_some_more(tp_session *session)
{
    session->taken_before = session->taken;
    tp_timer_at(session->patience, tp_clock_now_ns(tp_hub_clock(session->hub)) + patience_ns);
}

static void lose_patience(void *context)
{
    tp_session *session = context;

    if (session->taken != session->taken_before) {
        wait_some_more(session);
        return;
    }
    session->given_up = true;
    count_all(session);
}

/* Whoever is counted has a timer. */
static bool has_patience(tp_session *session)
{
    return session->patience != NULL || tp_timer_create(&session->patience, session->hub->loop,
                                                        lose_patience, session, NULL) == TP_OK;
}

static void set_behind(tp_session *session, bool behind)
{
    session->behind = behind;
    session->given_up = false;
    count_all(session);
    if (behind) {
        wait_some_more(session);
    } else {
        tp_timer_at(session->patience, TP_NEVER);
    }
}

void crowd_look(tp_session *session)
{
    const bool behind =
        !session->pulls && tpi_queue_holds(&session->queue, session->behind ? CAUGHT_UP : BEHIND);

    if (behind != session->behind && has_patience(session)) {
        set_behind(session, behind);
    }
}

void crowd_taken(tp_session *session)
{
    session->taken++;
    if (session->given_up) {
        set_behind(session, true);
    }
    if (session->behind) {
        crowd_look(session);
    }
}

void crowd_count(struct subscription *s)
{
    count(s, s->session->behind && !s->session->given_up && !s->waiting);
}

void crowd_forget(struct subscription *s)
{
    count(s, false);
}

void tp_session_set_pulls(tp_session *session, bool on)
{
    session->pulls = on;
    crowd_look(session);
}

uint32_t tp_device_behind(const tp_device *device)
{
    return atomic_load(&device->behind);
}
