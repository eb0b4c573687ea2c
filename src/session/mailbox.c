/*
 * mailbox.c - which of the waiting messages may go out to the client now.
 *
 * In push mode all of them may. In pull mode those up to the last reply may go at any time. A DATA
 * request arms the mailbox: as soon as data waits, everything may go, and a SYNCH is queued behind
 * it. The SYNCH reports how many messages were dropped since the one before it.
 */
#include "session/session.h"

static bool is_reply(const tp_msg *msg)
{
    const unsigned type = tp_msg_header(msg)->type;

    return type == TP_MSGTYPE_RESP_ACK || type == TP_MSGTYPE_RESP_NACK;
}

static void release_replies(tp_session *session)
{
    for (uint32_t i = tp_session_waiting(session); i > 0; i--) {
        if (is_reply(tp_session_peek(session, i - 1))) {
            tp_session_seal(session, i);
            return;
        }
    }
}

static bool has_data(const tp_session *session)
{
    for (uint32_t i = 0; i < tp_session_waiting(session); i++) {
        if (tp_msg_header(tp_session_peek(session, i))->type == TP_MSGTYPE_DATA) {
            return true;
        }
    }
    return false;
}

static void queue_synch(tp_session *session)
{
    const uint64_t dropped = tp_session_dropped(session);
    const tp_uint32 count = {(uint32_t)(dropped - session->reported_drops)};
    const bool lost = count.value > 0;
    const tp_msghdr header = {.addr = {.interf = TP_PLAYER_CODE},
                              .type = TP_MSGTYPE_SYNCH,
                              .subtype = lost ? TP_PLAYER_SYNCH_OVERFLOW : TP_PLAYER_SYNCH_OK};
    tp_msg *msg = NULL;

    if (tp_msg_create(&msg, &header, lost ? &tp_desc_uint32 : NULL, &count) == TP_OK) {
        session->reported_drops = dropped;
        tp_session_queue(session, msg);
        tp_msg_unref(msg);
    }
}

void tp_session_set_pulls(tp_session *session, bool on)
{
    session->pulls = on;
    session->armed = false;
    tpi_behind_look(session);
}

tp_status tpi_mailbox_pull(tp_session *session, const tp_msghdr *request)
{
    tp_msghdr header = *request;
    tp_msg *msg = NULL;

    session->armed = session->pulls;
    header.type = TP_MSGTYPE_RESP_ACK;
    header.size = 0;
    header.timestamp = tp_clock_wall_s(tp_hub_clock(session->hub));
    tp_status status = tp_msg_create(&msg, &header, NULL, NULL);
    if (status == TP_OK) {
        status = tp_session_queue_first(session, msg);
        tp_msg_unref(msg);
    }
    return status;
}

void tp_session_release(tp_session *session)
{
    if (session->pulls && !(session->armed && has_data(session))) {
        release_replies(session);
        return;
    }
    if (session->armed) {
        session->armed = false;
        queue_synch(session);
    }
    tp_session_seal(session, tp_session_waiting(session));
}
