/*
 * common.c - the questions that every device answers (interfaces/common.padi), for devices whose
 * drivers have typed operations only.
 */
#include "device/inside.h"

bool common_owns(const tp_message *what)
{
    return what >= tp_interface_common.messages &&
           what < tp_interface_common.messages + tp_interface_common.message_count;
}

/* Data that is required is there; the rest as far as the driver has an operation for it. */
static tp_status answer_capability(const tp_device *device, const tp_capabilities_req *ask,
                                   tp_error *err)
{
    const tp_message *what =
        tp_interface_message(device->interface, (tp_kind)ask->type, ask->subtype);
    const tp_message *common =
        tp_interface_message(&tp_interface_common, (tp_kind)ask->type, ask->subtype);
    const bool data = what != NULL && what->kind == TP_KIND_DATA;
    bool able = what != NULL &&
                (data ? what->mark == TP_MARK_REQUIRED : tp_message_handled(what, device->ops));

    able = able || (common != NULL && common->mark == TP_MARK_REQUIRED);
    return able ? TP_OK : tp_fail(err, TP_E_UNSUPPORTED, "%s cannot do that", device->name);
}

tp_status common_answer(tp_device *device, const tp_message *what, const void *ask, void *answer,
                        tp_error *err)
{
    (void)answer; /* zeroed: geometry is unknown, there are no properties */
    switch (what->code) {
    case TP_COMMON_REQ_CAPABILITIES:
        return answer_capability(device, ask, err);
    case TP_COMMON_REQ_GET_GEOMETRY:
    case TP_COMMON_REQ_GET_PROPERTIES:
        return TP_OK;
    default:
        return tp_fail(err, TP_E_UNSUPPORTED, "%s is not supported", what->name);
    }
}
