/*
 * behind.c - clients that are behind with reading, for drivers that can wait for them.
 *
 * A client is behind from when a quarter of what its queue takes waits for it, until half of that
 * is gone. Every device that it has open counts it meanwhile (tp_device_behind()): a world in
 * lockstep makes its next step when there is nobody like that, and so nothing is lost. Who takes
 * nothing at all for a while is stopped, or gone without a word, and is not counted until it goes
 * on. Who pulls is never behind: what waits for it goes out when it asks, and that may be after it
 * has got what the driver keeps it waiting for.
 *
 * What is published while nothing may be lost (tp_instance_keep_all()) finds room in the queues of
 * those who take part, however much it is, as long as they are waited for: that is a quarter of a
 * queue and what the driver makes before it looks again.
 */
#include "session/session.h"

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
        tpi_behind_count(s);
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

void tpi_behind_look(tp_session *session)
{
    const bool behind =
        !session->pulls && tpi_queue_holds(&session->queue, session->behind ? CAUGHT_UP : BEHIND);

    if (behind != session->behind && has_patience(session)) {
        set_behind(session, behind);
    }
}

void tp_session_goes_on(tp_session *session)
{
    session->taken++;
    if (session->given_up) {
        set_behind(session, true);
        tpi_sleep_end(session); /* from now on it misses nothing again that is kept */
    }
}

void tpi_behind_taken(tp_session *session)
{
    tp_session_goes_on(session);
    if (session->behind) {
        tpi_behind_look(session);
    }
}

static void take_part(struct subscription *s, bool takes_part)
{
    if (takes_part != s->takes_part) {
        s->takes_part = takes_part;
        s->session->parts += takes_part ? 1U : -1U;
    }
}

void tpi_behind_count(struct subscription *s)
{
    take_part(s, s->device->keeps && !s->waiting);
    count(s, s->session->behind && !s->session->given_up && !s->waiting);
}

void tpi_behind_forget(struct subscription *s)
{
    take_part(s, false);
    count(s, false);
}

bool tpi_behind_keeps(const tp_session *session)
{
    return session->parts > 0 && !session->pulls && !session->given_up;
}

void tp_device_keeps(tp_device *device)
{
    device->keeps = true;
}

uint32_t tp_device_behind(const tp_device *device)
{
    return atomic_load(&device->behind);
}
