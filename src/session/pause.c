/*
 * pause.c - subscriptions whose client has no room are paused.
 *
 * A client that has fallen behind misses nearly every message. Its reader is put aside, the device
 * counts what it sends, and when the client has room again the difference is what was dropped. So a
 * message costs nothing for clients that cannot take it. A client with rules or a rate is not
 * paused, since what comes for it may take the place of what waits.
 */
#include <assert.h>

#include "session/session.h"

/* What the device has sent that the client would get. */
static uint64_t sent_so_far(const struct subscription *s)
{
    return tpi_device_published(s->device, s->session->explain);
}

void tpi_pause_begin(struct subscription *s)
{
    if (s->session->queue.rule_count == 0 && s->rate.period_ns == 0) {
        tpi_reader_pause(&s->reader, true);
        s->paused_at = sent_so_far(s);
        s->session->pausing = true;
    }
}

uint64_t tpi_pause_missed(const tp_session *session)
{
    uint64_t missed = 0;

    for (const struct subscription *s = session->subscriptions; s != NULL; s = s->next) {
        missed += s->reader.paused ? sent_so_far(s) - s->paused_at : 0;
    }
    return missed;
}

void tpi_pause_end(tp_session *session)
{
    assert(session_is_current(session));
    if (!session->pausing) {
        return;
    }
    session->queue.dropped += tpi_pause_missed(session);
    session->pausing = false;
    for (struct subscription *s = session->subscriptions; s != NULL; s = s->next) {
        if (s->reader.paused) { /* its device may have been removed meanwhile */
            tpi_reader_pause(&s->reader, false);
        }
    }
}
