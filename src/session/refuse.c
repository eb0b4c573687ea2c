/*
 * refuse.c - refusals of requests, and what is neither refused nor late. A PANIC is never refused:
 * whatever is wrong with its body, or with the client, everything stops.
 */
#include <assert.h>

#include "base/text.h"
#include "session/session.h"

static tp_status reply(tp_session *session, const tp_msghdr *request, unsigned type,
                       const tp_struct *desc, const void *body)
{
    tp_msghdr header = *request;
    tp_msg *msg = NULL;

    header.type = (uint8_t)type;
    header.timestamp = tp_clock_wall_s(tp_hub_clock(session->hub));
    tp_status status = tp_msg_create(&msg, &header, desc, body);
    if (status == TP_OK) {
        status = tp_session_queue(session, msg);
        tp_msg_unref(msg);
    }
    return status;
}

bool tp_session_is_panic(const tp_msghdr *request)
{
    return request->addr.interf == TP_PLAYER_CODE && request->type == TP_MSGTYPE_REQ &&
           request->subtype == TP_PLAYER_REQ_PANIC;
}

/* Clients say hello before they show a key. */
static bool shows_key(const tp_msghdr *header)
{
    return header->addr.interf == TP_PLAYER_CODE && header->type == TP_MSGTYPE_REQ &&
           (header->subtype == TP_PLAYER_REQ_HELLO || header->subtype == TP_PLAYER_REQ_AUTH ||
            header->subtype == TP_PLAYER_REQ_CHALLENGE || header->subtype == TP_PLAYER_REQ_PROVE);
}

bool tp_session_is_urgent(const tp_session *session, const tp_msghdr *header)
{
    assert(session_is_current(session));
    return tp_session_is_panic(header) ? !tp_session_sees_panic(session)
                                       : shows_key(header) && tp_session_is_new(session);
}

tp_status tp_session_confirm_panic(tp_session *session, const tp_msghdr *request)
{
    assert(session_is_current(session));
    return reply(session, request, TP_MSGTYPE_RESP_ACK, NULL, NULL);
}

tp_status tp_session_refuse(tp_session *session, const tp_msghdr *request, tp_status code,
                            const char *text)
{
    tp_failure failure = {.code = code};

    if (tp_session_is_panic(request)) {
        tp_session_panic(session, "");
        return reply(session, request, TP_MSGTYPE_RESP_ACK, NULL, NULL);
    }
    failure.text = tpi_text_field(text, &failure.text_count);
    return reply(session, request, TP_MSGTYPE_RESP_NACK, session->explain ? &tp_desc_failure : NULL,
                 session->explain ? &failure : NULL);
}
