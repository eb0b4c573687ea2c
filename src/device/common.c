/*
 * common.c - the questions that every device answers (interfaces/common.padi).
 *
 * Properties, counters and geometry are kept by the framework. A device with a handler of its own
 * is asked where the framework knows nothing: its answer overrides "unknown".
 */
#include "device/answers.h"
#include "device/inside.h"

static tp_status ask_handler(tp_device *device, const tp_message *what, const void *ask,
                             void *answer, tp_error *err)
{
    return device->handler != NULL
               ? device->handler(device, what, ask, answer, err)
               : tp_fail(err, TP_E_UNSUPPORTED, "%s is not supported", what->name);
}

/* ---- Capabilities ---------------------------------------------------------------------------- */

/* Whether the framework answers a common question itself. */
static bool answers(const tp_device *device, const tp_message *what)
{
    if (what->kind != TP_KIND_REQUEST) {
        return false;
    }
    return what->code == TP_COMMON_REQ_CAPABILITIES || what->code == TP_COMMON_REQ_GET_GEOMETRY ||
           ((tpi_common_halts(what) || what->code == TP_COMMON_REQ_LEASE) &&
            device->safety.moves) ||
           (tpi_counters_own(what) && tpi_counters_exist(device)) ||
           (tpi_properties_own(what) && (device->handler == NULL || tpi_properties_exist(device)) &&
            tpi_properties_can(device, what));
}

/* Data that is required is there; the rest as far as the driver has an operation for it. */
static bool has_operation(const tp_device *device, const tp_message *what)
{
    if (what->kind == TP_KIND_DATA) {
        return what->mark == TP_MARK_REQUIRED;
    }
    return tp_message_handled(what, device->ops);
}

static tp_status answer_capability(tp_device *device, const tp_message *what,
                                   const tp_capabilities_req *ask, tp_error *err)
{
    const tp_kind kind = (tp_kind)ask->type;
    const tp_message *own = tp_interface_message(device->interface, kind, ask->subtype);
    const tp_message *common = tp_interface_message(&tp_interface_common, kind, ask->subtype);

    if (own == NULL && common != NULL && answers(device, common)) {
        return TP_OK;
    }
    if (device->handler != NULL) {
        return device->handler(device, what, ask, NULL, err);
    }
    return own != NULL && has_operation(device, own)
               ? TP_OK
               : tp_fail(err, TP_E_UNSUPPORTED, "%s cannot do that", device->name);
}

tp_status tpi_common_answer(tp_device *device, const tp_message *what, const void *ask,
                            void *answer, unsigned epoch, tp_error *err)
{
    if (what->kind != TP_KIND_REQUEST) {
        return ask_handler(device, what, ask, answer, err);
    }
    if (what->code == TP_COMMON_REQ_CAPABILITIES) {
        return answer_capability(device, what, ask, err);
    }
    if (tpi_common_halts(what)) {
        return tpi_halt_answer(device, what, ask, epoch, err);
    }
    if (what->code == TP_COMMON_REQ_TRACE && device->handler == NULL) {
        return TP_OK; /* the work is done here */
    }
    if (tpi_properties_own(what) && (device->handler == NULL || tpi_properties_exist(device))) {
        return tpi_properties_answer(device, what, ask, answer, err);
    }
    if (tpi_counters_own(what) && (device->handler == NULL || tpi_counters_exist(device))) {
        return tpi_counters_answer(device, ask, answer, err);
    }
    if (what->code == TP_COMMON_REQ_GET_GEOMETRY) {
        return tpi_geometry_answer(device, what, answer, err);
    }
    return ask_handler(device, what, ask, answer, err);
}
