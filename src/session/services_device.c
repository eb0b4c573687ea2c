/* services_device.c - services: which devices there are, opening them, and how their data comes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "session/services.h"

static void put_driver(uint32_t *count, char *name, const tp_device *device)
{
    const char *driver = tp_session_driver_name(device);
    size_t length = strlen(driver);

    length = length < TP_MAX_DRIVER_STRING_LEN - 1 ? length : TP_MAX_DRIVER_STRING_LEN - 1;
    memcpy(name, driver, length);
    name[length] = '\0';
    *count = (uint32_t)length + 1;
}

static tp_status refuse_unknown(tp_session *session, const tp_msghdr *request)
{
    return tp_session_refuse(session, request, TP_E_UNKNOWN, "there is no such device");
}

/* ---- Lists ----------------------------------------------------------------------------------- */

tp_status tpi_service_device_list(tp_session *session, const tp_msghdr *request, const void *value)
{
    tp_device_devlist *list = calloc(1, sizeof *list);
    const tp_device *device;
    size_t place = 0;

    (void)value;
    if (list == NULL) {
        return TP_E_NOMEM;
    }
    while (list->devices_count < TP_MAX_DEVICES &&
           (device = tp_session_next_device(session, &place)) != NULL) {
        list->devices[list->devices_count++] = *tp_session_address(device);
    }
    return tpi_service_answer_take(session, request, TP_OK, &tp_desc_device_devlist, list);
}

tp_status tpi_service_devices(tp_session *session, const tp_msghdr *request, const void *value)
{
    const tp_device_page *asked = value;
    tp_device_page *page = NULL;
    const tp_status status = tp_session_page(session, asked->first, &page);

    return tpi_service_answer_take(session, request, status, &tp_desc_device_page, page);
}

tp_status tpi_service_driver_info(tp_session *session, const tp_msghdr *request, const void *value)
{
    const tp_device_driverinfo *asked = value;
    tp_device *device = tpi_session_device(session, &asked->addr);
    tp_device_driverinfo info = {0};

    if (device == NULL) {
        return refuse_unknown(session, request);
    }
    info.addr = *tp_session_address(device);
    put_driver(&info.driver_name_count, info.driver_name, device);
    return tpi_service_reply(session, request, TP_MSGTYPE_RESP_ACK, &tp_desc_device_driverinfo,
                             &info);
}

/* ---- Opening --------------------------------------------------------------------------------- */

static tp_status reply_access(tp_session *session, const tp_msghdr *request,
                              const tp_device *device, unsigned access)
{
    tp_device_req granted = {.addr = *tp_session_address(device), .access = (uint8_t)access};

    put_driver(&granted.driver_name_count, granted.driver_name, device);
    return tpi_service_reply(session, request, TP_MSGTYPE_RESP_ACK, &tp_desc_device_req, &granted);
}

/* `request->size` holds the access that the client asked for. Plain Player clients get access 3 for
 * a known device that cannot be opened. */
static void opened(void *context, const tp_msghdr *request, tp_device *device, tp_status status,
                   const tp_error *err)
{
    tp_session *session = context;

    if (status == TP_OK) {
        reply_access(session, request, device, request->size);
    } else if (tp_session_explains_failures(session)) {
        tp_session_refuse(session, request, status, err->text);
    } else {
        reply_access(session, request, device, TP_ERROR_MODE);
    }
}

/* Plain Player clients get a refusal with a body. */
static tp_status refuse_opening(tp_session *session, const tp_msghdr *request,
                                const tp_devaddr *addr)
{
    tp_device_req none = {.addr = *addr, .access = TP_ERROR_MODE};

    if (tp_session_explains_failures(session)) {
        return refuse_unknown(session, request);
    }
    none.addr.host = request->addr.host;
    none.addr.robot = request->addr.robot;
    return tpi_service_reply(session, request, TP_MSGTYPE_RESP_NACK, &tp_desc_device_req, &none);
}

static bool opens(unsigned access)
{
    return access == TP_OPEN_MODE || (access >= TP_READ_MODE && access <= TP_EXCLUSIVE_MODE);
}

tp_status tpi_service_subscription(tp_session *session, const tp_msghdr *request, const void *value)
{
    const tp_device_req *asked = value;
    tp_device *device = tpi_session_device(session, &asked->addr);
    tp_msghdr remembered = *request;

    if (device == NULL) {
        return refuse_opening(session, request, &asked->addr);
    }
    if (opens(asked->access)) {
        remembered.size = asked->access;
        return tpi_session_open(session, device, asked->access, &remembered, opened, session);
    }
    const bool closed =
        asked->access == TP_CLOSE_MODE && tp_session_close(session, device) == TP_OK;
    return reply_access(session, request, device, closed ? TP_CLOSE_MODE : TP_ERROR_MODE);
}

/* ---- Data ------------------------------------------------------------------------------------ */

tp_status tpi_service_rate(tp_session *session, const tp_msghdr *request, const void *value)
{
    const tp_rate_req *asked = value;
    tp_device *device = tpi_session_device(session, &asked->addr);

    if (device == NULL) {
        return refuse_unknown(session, request);
    }
    if (!(asked->rate >= 0 && isfinite(asked->rate))) {
        return tp_session_refuse(session, request, TP_E_RANGE, "a rate is a number from 0 up");
    }
    const tp_status status = tp_session_set_rate(session, device, asked->rate);
    return tpi_service_end(session, request, status,
                           status == TP_E_INVALID ? "the device is not open"
                                                  : tp_status_text(status));
}

tp_status tpi_service_rule(tp_session *session, const tp_msghdr *request, const void *value)
{
    const tp_add_replace_rule_req *rule = value;
    const tp_status status = tp_session_add_rule(session, rule->interf, rule->index, rule->type,
                                                 rule->subtype, rule->replace);

    return tpi_service_end(session, request, status == TP_OK ? TP_OK : TP_E_LIMIT,
                           "too many rules");
}

tp_status tpi_service_data(tp_session *session, const tp_msghdr *request, const void *value)
{
    (void)value;
    return tpi_pull_serve(session, request);
}

/* Player acknowledges unknown modes and ignores them. */
tp_status tpi_service_data_mode(tp_session *session, const tp_msghdr *request, const void *value)
{
    const tp_device_datamode_req *asked = value;

    if (asked->mode == TP_DATAMODE_PUSH || asked->mode == TP_DATAMODE_PULL) {
        tpi_pull_set_mode(session, asked->mode == TP_DATAMODE_PULL);
    }
    return tpi_service_end(session, request, TP_OK, "");
}
