/* robot.c - requests to the robot. */

#include "inside.h"

tpi_fault tpi_universalf_fault(tp_status status)
{
    switch (status) {
    case TP_E_DENIED:
        return TPI_FAULT_DENIED;
    case TP_E_PANIC:
        return TPI_FAULT_STOPPED;
    case TP_E_TIMEOUT:
    case TP_E_CLOSED:
        return TPI_FAULT_SILENT;
    case TP_E_UNKNOWN:
        return TPI_FAULT_NO_MATCH;
    default:
        return TPI_FAULT_REFUSED;
    }
}

void tpi_universalf_stream_end(struct connection *c)
{
    if (c->stream_of.on) {
        tp_timer_cancel(c->stream_of.timer);
    }
    c->stream_of.on = c->stream_of.due = false;
}

void tpi_universalf_refused(struct connection *c, tp_status status, const char *why)
{
    if (c->task.on) {
        tpi_universalf_failed(c, tpi_universalf_fault(status), "%s", why);
    } else {
        tpi_universalf_unasked(c, tpi_universalf_fault(status), why, NULL);
        tpi_universalf_stream_end(c);
    }
}

void tpi_universalf_ask(struct connection *c, unsigned code, const void *value)
{
    tpi_universalf_ask_of(
        c, c->device, code == TP_COMMON_REQ_HALT ? &tp_interface_common : &tp_interface_universal,
        code, value);
}

void tpi_universalf_ask_of(struct connection *c, tp_device *device, const tp_interface *interface,
                           unsigned code, const void *value)
{
    const tp_message *what = tp_interface_message(interface, TP_KIND_REQUEST, code);
    const tp_msghdr header = {.addr = *tp_session_address(device),
                              .type = TP_MSGTYPE_REQ,
                              .subtype = (uint8_t)code,
                              .seq = c->task.number};
    tp_error err = {.text = ""};
    tp_msg *msg = NULL;
    tp_status status = tp_msg_create(&msg, &header, what->ask, value);

    if (status == TP_OK) {
        status = tp_session_send(c->session, msg, what, &err);
    }
    tp_msg_unref(msg);
    if (status == TP_OK) {
        c->task.asked = code;
        c->task.asked_of = header.addr.interf;
        return;
    }
    if (status == TP_E_UNKNOWN && device == c->channels.board) {
        c->channels.board = NULL;
        c->channels.is_open = false;
    } else if (status == TP_E_UNKNOWN) { /* the robot is gone: another one may come */
        c->device = NULL;
        c->is_open = false;
    }
    tpi_universalf_refused(c, status, err.text[0] != '\0' ? err.text : tp_status_text(status));
}
