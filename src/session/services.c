/* services.c - the table of services of the interface `player`. */
#include "session/services.h"

#include <assert.h>

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
    {TP_PLAYER_REQ_DESCRIPTION, &tp_desc_description_page, tpi_service_description},
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

    assert(session_is_current(session));
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

    assert(session_is_current(session));
    if (check(session, service, &err) == TP_OK && service->body != NULL && value == NULL) {
        tp_fail(&err, TP_E_SHORT, "%s", tp_status_text(TP_E_SHORT));
    }
    return err.code != TP_OK ? tp_session_refuse(session, request, err.code, err.text)
                             : service->serve(session, request, value);
}
