/* vane.c - a plug-in for tests that brings its own interface, vane.padi, which the server does not
 * know. */
#include "vane_driver.h"

struct vane {
    tp_device *device;
    tp_vane_data wind;
};

static tp_status vane_set(tp_device *device, const tp_vane_data *ask, tp_error *err)
{
    struct vane *v = tp_instance_state(tp_device_instance(device));

    (void)err;
    v->wind = *ask;
    return TP_OK;
}

static const tp_vane_ops vane_ops = {.cmd_set = vane_set};

static tp_status vane_init(tp_instance *self, tp_error *err)
{
    struct vane *v = tp_instance_state(self);

    tp_instance_set_period(self, TP_NS_PER_S / 100);
    return tp_offer_vane(self, NULL, &vane_ops, &v->device, err);
}

static tp_status vane_poll(tp_instance *self, tp_error *err)
{
    struct vane *v = tp_instance_state(self);

    (void)err;
    tp_vane_publish_wind(v->device, &v->wind, 0);
    return TP_OK;
}

static const tp_driver_ops ops = {.init = vane_init, .poll = vane_poll};

extern const tp_driver tp_driver_vane;

TP_API const tp_driver tp_driver_vane = {
    .abi = TP_DRIVER_ABI,
    .name = "vane",
    .summary = "a wind vane that is turned by hand",
    .state_size = sizeof(struct vane),
    .ops = &ops,
};
