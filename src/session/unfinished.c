/*
 * unfinished.c - the time limit of a message of which only a part has come.
 *
 * A client that sends a byte now and then would hold its place and its part of a message for ever.
 * The timer stays armed when a message is finished, and looks again when it fires: so a message in
 * two parts costs no timer call in steady state.
 */
#include <assert.h>

#include "base/order.h"
#include "session/session.h"

enum { LIMIT_S = 10, BYTES_A_SECOND = 16 << 10 };

static int64_t deadline_ns(const struct unfinished *part)
{
    return part->since_ns + LIMIT_S * TP_NS_PER_S +
           (int64_t)(part->bytes / BYTES_A_SECOND) * TP_NS_PER_S;
}

static void arm(struct unfinished *part, int64_t at_ns)
{
    part->armed = true;
    tp_timer_at(part->timer, at_ns);
}

/* Whether bytes of the client wait for the server, not the server for the client. That the client
 * is busy is no sign: all guests are while others flood. */
static bool is_kept_waiting(tp_session *session)
{
    const tp_session_events *events = session->events;

    return session->unfinished.waits ||
           (events->unread != NULL ? events->unread(session->context) > session->unfinished.bytes
                                   : tp_session_is_busy(session));
}

static void on_limit(void *context)
{
    tp_session *session = context;
    struct unfinished *part = &session->unfinished;
    const int64_t now_ns = tp_clock_now_ns(tp_hub_clock(session->hub));

    part->armed = false;
    if (part->bytes == 0) {
        return;
    }
    if (deadline_ns(part) > now_ns) {
        arm(part, deadline_ns(part));
    } else if (is_kept_waiting(session)) {
        arm(part, now_ns + TP_NS_PER_S);
    } else {
        part->bytes = 0;
        tpi_mailbox_lose(session);
    }
}

static bool need_timer(tp_session *session)
{
    return session->unfinished.timer != NULL ||
           tp_timer_create(&session->unfinished.timer, tpi_hub_loop(session->hub), on_limit,
                           session, NULL) == TP_OK;
}

void tp_session_unfinished(tp_session *session, size_t bytes)
{
    struct unfinished *part = &session->unfinished;
    const bool begins = part->bytes == 0 && bytes > 0;

    assert(session_is_current(session));
    part->bytes = bytes;
    part->waits = false;
    if (!begins) {
        return;
    }
    part->since_ns = tp_clock_now_ns(tp_hub_clock(session->hub));
    part->arrival_ns = tpi_smaller(part->since_ns, tp_loop_arrival_ns(tpi_hub_loop(session->hub)));
    if (!need_timer(session)) {
        tpi_mailbox_lose(session); /* without memory */
    } else if (!part->armed) {
        arm(part, deadline_ns(part));
    }
}

void tpi_unfinished_waits(tp_session *session)
{
    session->unfinished.waits = true;
}

void tpi_unfinished_took(tp_session *session)
{
    session->unfinished.bytes = 0;
}

void tpi_unfinished_fini(tp_session *session)
{
    tp_timer_destroy(session->unfinished.timer);
}
