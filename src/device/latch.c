/* latch.c - devices whose last data is repeated to each client that opens them. */
#include <stdlib.h>

#include "device/inside.h"

tp_status tp_device_latch(tp_device *device, tp_error *err)
{
    if (device->latched == NULL) {
        device->latched =
            (tp_msg **)calloc(device->interface->message_count + 1, sizeof *device->latched);
    }
    return device->latched != NULL ? TP_OK : tp_fail(err, TP_E_NOMEM, "out of memory");
}

/* Common data is about the moment and not kept. */
void tpi_latch_keep(tp_device *device, tp_msg *msg)
{
    const tp_interface *interface = device->interface;
    const tp_message *what =
        device->latched == NULL
            ? NULL
            : tp_interface_message(interface, TP_KIND_DATA, tp_msg_header(msg)->subtype);

    if (what != NULL) {
        tp_msg **place = &device->latched[what - interface->messages];
        tp_msg_unref(*place);
        *place = tp_msg_ref(msg);
    }
}

/* The reader may be gone already, and may go with any message. */
static bool is_attached(const tp_device *device, const tpi_reader *reader)
{
    const tpi_reader *at = device->readers;

    while (at != NULL && at != reader) {
        at = at->next;
    }
    return at != NULL;
}

void tpi_latch_repeat(tp_device *device, tpi_reader *reader)
{
    for (uint32_t i = 0; device->latched != NULL && i < device->interface->message_count; i++) {
        if (device->latched[i] != NULL && is_attached(device, reader)) {
            reader->deliver(reader, device->latched[i]);
        }
    }
}

void tpi_latch_forget(tp_device *device)
{
    for (uint32_t i = 0; device->latched != NULL && i < device->interface->message_count; i++) {
        tp_msg_unref(device->latched[i]);
        device->latched[i] = NULL;
    }
}
