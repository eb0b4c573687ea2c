/* mailbox.c - what waits for a client: data and replies, in order; see troupe/front.h. */
#include <assert.h>

#include "base/text.h"
#include "session/session.h"

void tpi_mailbox_lose(tp_session *session)
{
    if (!session->mailbox.lost) {
        session->mailbox.lost = true;
        session->events->lost(session->context);
    }
}
/* ---- Queue ----------------------------------------------------------------------------------- */

/* From so many on, what waits is kept as bytes only: the payload of messages that others have taken
 * long ago would fill the memory. */
enum { FEW = 16 };

tp_status tpi_mailbox_queue(tp_session *session, tp_msg *msg)
{
    assert(session_is_current(session));
    const bool keep = msg->kept && tpi_backlog_keeps(session);
    const bool has_room = keep || tpi_queue_has_room(&session->queue);
    tp_msg *bytes = session->mailbox.only_sends != NULL && session->queue.count >= FEW && has_room
                        ? tpi_msg_encoded(msg, session->mailbox.only_sends)
                        : NULL;
    tp_msg *what = bytes != NULL ? bytes : msg;
    tp_status status =
        keep ? tpi_queue_keep(&session->queue, what) : tpi_queue_push(&session->queue, what);

    if (status == TP_OK) {
        tpi_budget_queued(session, session->queue.kept_bytes);
        tpi_budget_data_queued(session);
        tpi_backlog_look(session);
        session->events->ready(session->context);
    } else if (status != TP_E_SPACE) {
        tpi_mailbox_lose(session);
    }
    return status;
}

tp_status tp_session_queue(tp_session *session, tp_msg *msg)
{
    const tp_status status = tpi_mailbox_queue(session, msg);

    return status == TP_E_SPACE ? TP_OK : status;
}

tp_status tp_session_queue_first(tp_session *session, tp_msg *msg)
{
    tp_status status = tpi_queue_push_first(&session->queue, msg);

    if (status == TP_OK) {
        tpi_budget_queued(session, session->queue.kept_bytes);
        session->events->ready(session->context);
    }
    return status;
}

void tp_session_seal(tp_session *session, uint32_t n)
{
    tpi_queue_seal(&session->queue, n);
}

void tp_session_keep_newest(tp_session *session, bool on)
{
    assert(session_is_current(session));
    tpi_queue_keep_newest(&session->queue, on);
}

uint32_t tp_session_sealed(const tp_session *session)
{
    return session->queue.sealed;
}

tp_status tp_session_add_rule(tp_session *session, int32_t interf, int32_t index, int32_t type,
                              int32_t subtype, int32_t action)
{
    const tpi_rule rule = {interf, index, type, subtype, action};

    tpi_pause_end(session);
    return tpi_queue_add_rule(&session->queue, &rule);
}

uint32_t tp_session_waiting(const tp_session *session)
{
    return session->queue.count;
}

bool tp_session_has_replies(const tp_session *session)
{
    return session->queue.kept_bytes > 0;
}

bool tp_session_comes_last(tp_session *session)
{
    assert(session_is_current(session));
    return tpi_budget_is_guest(session) && !tp_session_is_new(session);
}

bool tp_session_only_reads(tp_session *session)
{
    const bool goes_on = session->account.goes_on;

    session->account.goes_on = false;
    return goes_on && tp_session_comes_last(session);
}

/* Guests go on in the order in which they are woken; those that wait to be sent something go on
 * then, or much that is sent would never come to its turn. Called for each message that is queued:
 * mostly the callback waits already. */
void tp_session_flush_soon(tp_session *session, tp_after *flush, bool urgent)
{
    tp_loop *loop = tpi_hub_loop(session->hub);

    if (flush->queued && !urgent) {
        return;
    }
    const bool goes_on = session->account.woken && !flush->queued;
    session->account.goes_on = session->account.goes_on || goes_on;
    if (tp_session_comes_last(session) && !goes_on) {
        tp_loop_last(loop, flush);
    } else if (urgent) {
        tp_loop_after(loop, flush);
    } else {
        tp_loop_later(loop, flush);
    }
}

tp_msg *tp_session_peek(const tp_session *session, uint32_t i)
{
    return tpi_queue_at(&session->queue, i);
}

/* Some have left the queue. */
static void look_at_room(tp_session *session)
{
    tpi_budget_queued(session, session->queue.kept_bytes);
    tpi_backlog_taken(session);
    if (tpi_queue_has_room(&session->queue)) {
        tpi_pause_end(session);
    }
}

tp_msg *tp_session_take(tp_session *session)
{
    tp_msg *oldest = tpi_queue_pop(&session->queue);

    look_at_room(session);
    return oldest;
}

void tp_session_sent(tp_session *session, uint32_t n)
{
    assert(session_is_current(session));
    if (n > 0) {
        tpi_queue_discard(&session->queue, n);
        look_at_room(session);
        tp_session_count_sent(session, n);
    }
}

uint64_t tp_session_dropped(const tp_session *session)
{
    return session->queue.dropped + tpi_pause_missed(session);
}

void tp_session_only_sends(tp_session *session, const tp_encoding *encoding)
{
    session->mailbox.only_sends = encoding;
}

void tp_session_count_sent(tp_session *session, uint64_t messages)
{
    session->mailbox.sent += messages;
}

bool tpi_mailbox_is_lost(const tp_session *session)
{
    return session->mailbox.lost;
}

uint64_t tpi_mailbox_sent(const tp_session *session)
{
    return session->mailbox.sent;
}

const tp_encoding *tpi_mailbox_encoding(const tp_session *session)
{
    return session->mailbox.only_sends;
}
