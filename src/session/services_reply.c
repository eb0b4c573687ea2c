/* services_reply.c - the replies that the services of the interface `player` share. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "session/maker.h"
#include "session/services.h"

/* A front that reads no payload gets bytes at once: the value of a list has room for the most
 * devices there may be. Values keep to the limit of Player's messages, so that all fronts answer
 * alike. */
static tp_status create(tp_msg **out, const tp_session *session, const tp_msghdr *header,
                        const tp_struct *type, const void *body)
{
    const tp_encoding *encoding = tpi_mailbox_encoding(session);
    size_t size = 0;

    assert(session_is_current(session));
    if (encoding != NULL) {
        return tp_msg_create_encoded(out, encoding, header, type, body);
    }
    const tp_status status = type == NULL ? TP_OK : tp_xdr_size(type, body, &size);
    if (status == TP_OK && size > TP_XDR_MAX_MESSAGE_SIZE - TP_XDR_HEADER_SIZE) {
        return TP_E_LIMIT;
    }
    return status == TP_OK ? tp_msg_create(out, header, type, body) : status;
}

tp_status tpi_service_reply(tp_session *session, const tp_msghdr *request, unsigned type,
                            const tp_struct *body_type, const void *body)
{
    tp_msghdr header = *request;
    tp_msg *msg = NULL;

    header.type = (uint8_t)type;
    header.size = 0;
    header.timestamp = tp_clock_wall_s(tp_hub_clock(session->hub));
    const tp_status status = create(&msg, session, &header, body_type, body);
    if (status == TP_OK) {
        tpi_budget_charge(session, msg->weight);
        (void)tp_session_queue(session, msg); /* the session itself reports that it is lost */
        tp_msg_unref(msg);
        return TP_OK;
    }
    return tp_session_refuse(session, request, status,
                             status == TP_E_LIMIT ? "the answer is too large for one message"
                                                  : tp_status_text(status));
}

tp_status tpi_service_end(tp_session *session, const tp_msghdr *request, tp_status status,
                          const char *why)
{
    return status == TP_OK ? tpi_service_reply(session, request, TP_MSGTYPE_RESP_ACK, NULL, NULL)
                           : tp_session_refuse(session, request, status, why);
}

tp_status tpi_service_answer_take(tp_session *session, const tp_msghdr *request, tp_status status,
                                  const tp_struct *type, void *block)
{
    tp_msghdr header = *request;
    size_t bytes = 0;

    if (status == TP_OK && tp_xdr_size(type, block, &bytes) != TP_OK) {
        bytes = 0;
    }
    header.type = TP_MSGTYPE_RESP_ACK;
    header.size = 0;
    header.timestamp = tp_clock_wall_s(tp_hub_clock(session->hub));
    if (status == TP_OK && tpi_maker_serve(session, &header, type, block, bytes)) {
        tpi_budget_charge(session, bytes);
        return TP_OK;
    }
    status = status == TP_OK ? tpi_service_reply(session, request, TP_MSGTYPE_RESP_ACK, type, block)
                             : tp_session_refuse(session, request, status, tp_status_text(status));
    free(block);
    return status;
}

size_t tpi_service_text(char out[TPI_SERVICE_TEXT], const char *text, uint32_t count)
{
    const size_t length = count == 0 ? 0 : strnlen(text, count);
    const size_t kept = length < TPI_SERVICE_TEXT ? length : TPI_SERVICE_TEXT - 1;

    if (kept > 0) {
        memcpy(out, text, kept);
    }
    out[kept] = '\0';
    return length;
}
