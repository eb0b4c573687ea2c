/* services.c - the table of services of the interface `player`, and the replies they share. */
#include "session/services.h"

#include <stdlib.h>
#include <string.h>

/* ---- Replies --------------------------------------------------------------------------------- */

/* Fronts of Player's protocol send every reply as one message. The limit holds for all fronts, so
 * that a client gets the same answer from each. */
static tp_status check_size(const tp_struct *type, const void *body)
{
    size_t size = 0;
    const tp_status status = type == NULL ? TP_OK : tp_xdr_size(type, body, &size);

    return status == TP_OK && size > TP_XDR_MAX_MESSAGE_SIZE - TP_XDR_HEADER_SIZE ? TP_E_LIMIT
                                                                                  : status;
}

tp_status tpi_service_reply(tp_session *session, const tp_msghdr *request, unsigned type,
                            const tp_struct *body_type, const void *body)
{
    tp_msghdr header = *request;
    tp_msg *msg = NULL;
    tp_status status = check_size(body_type, body);

    header.type = (uint8_t)type;
    header.size = 0;
    header.timestamp = tp_clock_wall_s(tp_hub_clock(session->hub));
    status = status == TP_OK ? tp_msg_create(&msg, &header, body_type, body) : status;
    if (status == TP_OK) {
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

/* ---- The table ------------------------------------------------------------------------------- */

/* The right that a service needs stands in the interface file. */
static const struct service {
    unsigned code;
    const tp_struct *body; /* NULL if it ignores the body */
    tpi_service *serve;
    bool checks; /* asks for the right itself: the body may carry a key */
} services[] = {
    {TP_PLAYER_REQ_DEVLIST, NULL, tpi_service_device_list},
    {TP_PLAYER_REQ_DRIVERINFO, &tp_desc_device_driverinfo, tpi_service_driver_info},
    {TP_PLAYER_REQ_DEV, &tp_desc_device_req, tpi_service_subscription},
    {TP_PLAYER_REQ_DATA, NULL, tpi_service_data},
    {TP_PLAYER_REQ_DATAMODE, &tp_desc_device_datamode_req, tpi_service_data_mode},
    {TP_PLAYER_REQ_AUTH, &tp_desc_device_auth_req, tpi_service_auth},
    {TP_PLAYER_REQ_ADD_REPLACE_RULE, &tp_desc_add_replace_rule_req, tpi_service_rule},
    {TP_PLAYER_REQ_HELLO, &tp_desc_hello, tpi_service_hello},
    {TP_PLAYER_REQ_RATE, &tp_desc_rate_req, tpi_service_rate},
    {TP_PLAYER_REQ_STATISTICS, NULL, tpi_service_statistics},
    {TP_PLAYER_REQ_FRAMES, NULL, tpi_service_frames},
    {TP_PLAYER_REQ_TRANSFORM, &tp_desc_transform_req, tpi_service_transform},
    {TP_PLAYER_REQ_PANIC, &tp_desc_panic, tpi_service_panic},
    {TP_PLAYER_REQ_RESET_PANIC, &tp_desc_panic_reset, tpi_service_reset_panic, .checks = true},
    {TP_PLAYER_REQ_GET_PANIC, NULL, tpi_service_get_panic},
    {TP_PLAYER_REQ_CHALLENGE, NULL, tpi_service_challenge},
    {TP_PLAYER_REQ_PROVE, &tp_desc_auth_proof, tpi_service_prove},
    {TP_PLAYER_REQ_RIGHT, NULL, tpi_service_right},
    {TP_PLAYER_REQ_KICK, &tp_desc_kick, tpi_service_kick},
    {TP_PLAYER_REQ_DEVICES, &tp_desc_device_page, tpi_service_devices},
    {TP_PLAYER_REQ_DEVICE_STATISTICS, &tp_desc_device_stat_page, tpi_service_device_statistics},
};

static const struct service *find(const tp_msghdr *request)
{
    for (size_t i = 0; i < sizeof services / sizeof services[0]; i++) {
        if (request->type == TP_MSGTYPE_REQ && request->subtype == services[i].code) {
            return &services[i];
        }
    }
    return NULL;
}

static tp_status check(const tp_session *session, const struct service *service, tp_error *err)
{
    if (service == NULL) {
        return tp_fail(err, TP_E_UNSUPPORTED, "the server does not know this request");
    }
    if (service->checks) {
        return TP_OK;
    }
    return tp_session_may(
        session, tp_interface_message(&tp_interface_player, TP_KIND_REQUEST, service->code), err);
}

bool tp_session_admits(tp_session *session, const tp_msghdr *request, const tp_struct **body)
{
    const struct service *service = find(request);
    tp_error err = {0};

    if (check(session, service, &err) != TP_OK) {
        (void)tp_session_refuse(session, request, err.code, err.text);
        return false;
    }
    *body = service->body;
    return true;
}

tp_status tp_session_serve(tp_session *session, const tp_msghdr *request, const void *value)
{
    const struct service *service = find(request);
    tp_error err = {0};

    if (check(session, service, &err) == TP_OK && service->body != NULL && value == NULL) {
        tp_fail(&err, TP_E_SHORT, "%s", tp_status_text(TP_E_SHORT));
    }
    return err.code != TP_OK ? tp_session_refuse(session, request, err.code, err.text)
                             : service->serve(session, request, value);
}
