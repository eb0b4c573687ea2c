/* ports.c - see ports.h. */
#include "ports.h"

#include <stdlib.h>

#include "bench.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/ptz.h"

struct port {
    tp_device *device; /* borrowed */
    tp_link *link;     /* borrowed */
};

static struct {
    struct port_writes *base, *head; /* borrowed */
} notes;

void port_note(struct port_writes *base, struct port_writes *head)
{
    notes.base = base;
    notes.head = head;
}

static void note(struct port_writes *writes, const tp_instance *self, double a, double b, double c)
{
    if (writes->count == writes->room) {
        writes->room = writes->room == 0 ? 4096 : 2 * writes->room;
        writes->items = realloc(writes->items, writes->room * sizeof *writes->items);
        if (writes->items == NULL) {
            bench_give_up("out of memory");
        }
    }
    writes->items[writes->count++] =
        (struct port_write){tp_clock_now_ns(tp_instance_clock(self)), {a, b, c}};
}

static const struct port *port_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

static tp_status cmd_vel(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    (void)err;
    note(notes.base, tp_device_instance(device), ask->vel.px, ask->vel.py, ask->vel.pa);
    return tp_link_command(port_of(device)->link, TP_POSITION2D_CMD_VEL, ask);
}

static tp_status cmd_state(tp_device *device, const tp_ptz_cmd *ask, tp_error *err)
{
    (void)err;
    note(notes.head, tp_device_instance(device), (double)ask->pan, (double)ask->tilt,
         (double)ask->zoom);
    return tp_link_command(port_of(device)->link, TP_PTZ_CMD_STATE, ask);
}

static void port_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    const struct port *port = tp_instance_state(self);
    const unsigned state =
        tp_link_interface(from) == &tp_interface_ptz ? TP_PTZ_DATA_STATE : TP_POSITION2D_DATA_STATE;

    if (tp_msg_header(msg)->type == TP_MSGTYPE_DATA && tp_msg_header(msg)->subtype == state) {
        (void)tp_publish(port->device, state, tp_msg_payload(msg), 0);
    }
}

static void port_halt(tp_device *device, tp_halt how)
{
    (void)how;
    tp_link_halt(port_of(device)->link);
}

static tp_status port_init(tp_instance *self, tp_error *err)
{
    static const tp_position2d_ops base_ops = {.cmd_vel = cmd_vel};
    static const tp_ptz_ops head_ops = {.cmd_state = cmd_state};
    struct port *port = tp_instance_state(self);
    const bool head = tp_provides(self, &tp_interface_ptz, NULL);
    const tp_interface *interface = head ? &tp_interface_ptz : &tp_interface_position2d;
    const tp_status status = tp_require(self, interface, NULL, &port->link, err);

    return status != TP_OK ? status
                           : tp_offer(self, interface, NULL,
                                      head ? (const void *)&head_ops : (const void *)&base_ops,
                                      NULL, &port->device, err);
}

static const tp_driver_ops port_ops = {.init = port_init, .data = port_data, .halt = port_halt};

const tp_driver port_driver = {.abi = TP_DRIVER_ABI,
                               .name = "port",
                               .summary = "notes what is written to the device behind it",
                               .state_size = sizeof(struct port),
                               .ops = &port_ops,
                               .flags = TP_DRIVER_ON_LOOP};
