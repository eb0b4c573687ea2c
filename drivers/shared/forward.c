/* forward.c - devices that have another device do their work; see forward.h. */
#include "forward.h"

tp_status tpi_forward_seconds(const tp_instance *self, const char *param, int64_t *ns,
                              tp_error *err)
{
    const double seconds = tp_param_double(self, param);

    if (!(seconds > 0 && seconds <= 1e6)) {
        return tp_fail(err, TP_E_RANGE, "%s \"%s\" is not a number of seconds above 0", param,
                       tp_param_string(self, param));
    }
    *ns = (int64_t)(seconds * (double)TP_NS_PER_S);
    return TP_OK;
}

bool tpi_forward_is_common(const tp_message *what)
{
    return tp_interface_message(&tp_interface_common, what->kind, what->code) == what;
}

/* ---- Requests and commands ------------------------------------------------------------------- */

tp_status tpi_forward_ask(tp_device *device, tp_link *to, unsigned code, const void *value,
                          int64_t timeout_ns, tp_link_done *done, tp_error *err)
{
    tp_status status = tp_link_request(to, code, value, timeout_ns, done, tp_device_defer(device));

    return status == TP_OK ? TP_PENDING
                           : tp_fail(err, status, "the %s behind it cannot be asked: %s",
                                     tp_link_interface(to)->name, tp_status_text(status));
}

void tpi_forward_answer(tp_instance *self, void *ticket, tp_status status, const tp_msg *answer,
                        const char *why)
{
    (void)self;
    if (status == TP_OK) {
        tp_ticket_answer(ticket, tp_msg_payload(answer));
    } else {
        tp_ticket_fail(ticket, status, why);
    }
}

void tpi_forward_refuse(tp_ticket *ticket, tp_status status, const char *why, const char *who)
{
    tp_error err = {0};

    if (status == TP_OK) {
        status = tp_fail(&err, TP_E_SHORT, "the %s's answer is empty", who);
        why = err.text;
    }
    tp_ticket_fail(ticket, status, why);
}

const void *tpi_forward_payload(tp_ticket *ticket, tp_status status, const tp_msg *answer,
                                const char *why, const char *who)
{
    const void *payload = status == TP_OK ? tp_msg_payload(answer) : NULL;

    if (payload == NULL) {
        tpi_forward_refuse(ticket, status, why, who);
    }
    return payload;
}

tp_status tpi_forward_message(tp_device *device, tp_link *to, const tp_message *what,
                              const void *ask, int64_t timeout_ns, tp_error *err)
{
    if (what->kind != TP_KIND_COMMAND) {
        return tpi_forward_ask(device, to, what->code, ask, timeout_ns, tpi_forward_answer, err);
    }
    tp_status status = tp_link_command(to, what->code, ask);
    return status == TP_OK ? TP_OK
                           : tp_fail(err, status, "the %s behind it cannot be commanded: %s",
                                     tp_link_interface(to)->name, tp_status_text(status));
}

void tpi_forward_data(tp_device *device, const tp_msg *msg)
{
    const tp_msghdr *header = tp_msg_header(msg);

    tp_publish(device, header->subtype, tp_msg_payload(msg), header->timestamp);
}

bool tpi_forward_is_failure(const tp_msg *msg)
{
    const tp_failure *failure = tp_msg_payload(msg);

    return tp_msg_header(msg)->subtype == TP_COMMON_DATA_ERROR && failure != NULL &&
           failure->code < 0;
}

/* ---- A device that answers some messages itself ---------------------------------------------- */

/* `what` is one of the interface's, or NULL. */
static bool can(const forward_front *front, const tp_message *what)
{
    return what != NULL && what->mark != TP_MARK_EXTENSION &&
           (what->kind == TP_KIND_DATA ? what->code < 32 && (front->sends >> what->code & 1) != 0
                                       : tp_message_handled(what, front->ops));
}

static tp_status capabilities(const forward_front *front, const tp_capabilities_req *ask,
                              tp_error *err)
{
    const tp_message *own =
        tp_interface_message(front->interface, (tp_kind)ask->type, ask->subtype);
    const bool common =
        ask->type == TP_KIND_REQUEST && ask->subtype != TP_COMMON_REQ_LEASE &&
        tp_interface_message(&tp_interface_common, TP_KIND_REQUEST, ask->subtype) != NULL;

    return can(front, own) || common
               ? TP_OK
               : tp_fail(err, TP_E_UNSUPPORTED, "message %u of kind %u is not supported",
                         ask->subtype, ask->type);
}

tp_status tpi_forward_or_operate(const forward_front *front, tp_device *device, tp_link *to,
                                 const tp_message *what, const void *ask, void *answer,
                                 tp_error *err)
{
    const tp_message *own = tp_interface_message(front->interface, what->kind, what->code);

    if (own == what && can(front, what)) {
        return what->call(front->ops, device, ask, answer, err);
    }
    if (!tpi_forward_is_common(what) || what->code == TP_COMMON_REQ_LEASE) {
        return tp_fail(err, TP_E_UNSUPPORTED, "%s is not supported", what->name);
    }
    return what->code == TP_COMMON_REQ_CAPABILITIES
               ? capabilities(front, ask, err)
               : tpi_forward_message(device, to, what, ask, FORWARD_TIMEOUT_NS, err);
}
