/*
 * blink.c - a plug-in for tests: a light with one parameter.
 *
 * Compiled several times, to be what is wanted and what is not: NAME is its symbol, CALLED what it
 * says it is, ABI what it was built for.
 */
#include "troupe/driver/blinkenlight.h"

#ifndef ABI
#define ABI TP_DRIVER_ABI
#endif

struct blink {
    tp_device *device;
    tp_blinkenlight_data data;
};

static const tp_param params[] = {
    {"period", "s", "0.5", "how long it is on and off"},
    {NULL, NULL, NULL, NULL},
};

static const tp_blinkenlight_ops light_ops = {0};

static tp_status blink_init(tp_instance *self, tp_error *err)
{
    struct blink *b = tp_instance_state(self);

    tp_instance_set_period(self, (int64_t)(tp_param_double(self, "period") * TP_NS_PER_S));
    return tp_offer_blinkenlight(self, NULL, &light_ops, &b->device, err);
}

static tp_status blink_poll(tp_instance *self, tp_error *err)
{
    struct blink *b = tp_instance_state(self);

    (void)err;
    b->data.enable = !b->data.enable;
    tp_blinkenlight_publish_state(b->device, &b->data, 0);
    return TP_OK;
}

static const tp_driver_ops ops = {.init = blink_init, .poll = blink_poll};

/* A macro's name is put together after it is expanded. */
#define JOIN(a, b) a##b
#define SYMBOL(name) JOIN(tp_driver_, name)

extern const tp_driver SYMBOL(NAME);

TP_API const tp_driver SYMBOL(NAME) = {
    .abi = ABI,
    .name = CALLED,
    .summary = "a light that goes on and off",
    .state_size = sizeof(struct blink),
    .params = params,
    .ops = &ops,
};
