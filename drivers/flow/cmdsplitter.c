/*
 * cmdsplitter - passes commands on to several devices of one interface.
 *
 * Data comes from the first device. Requests go to all, and the first one's answer counts; with
 * `rq_first_device_only` they go to the first one only.
 */
#include <stdio.h>

#include "forward.h"
#include "troupe/interfaces/player.h"

enum { MOST_DEVICES = 32 };

struct splitter {
    tp_device *device;            /* borrowed */
    tp_link *links[MOST_DEVICES]; /* borrowed */
    size_t count;
    bool first_only;
};

static const tp_param splitter_params[] = {
    {"devices", "1", "1", "how many devices there are; their keys in `requires` are 0, 1, ..."},
    {"rq_first_device_only", "1", "0", "1 if requests go to the first device only"},
    {NULL, NULL, NULL, NULL},
};

static void ignore(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                   const char *why)
{
    (void)self;
    (void)context;
    (void)status;
    (void)answer;
    (void)why;
}

/* Questions about the device are answered by the first one alone. */
static bool is_for_all(const struct splitter *s, const tp_message *what)
{
    return what->kind == TP_KIND_COMMAND ||
           (what->kind == TP_KIND_REQUEST && !s->first_only && !tpi_forward_is_common(what));
}

static tp_status splitter_handle(tp_device *device, const tp_message *what, const void *ask,
                                 void *answer, tp_error *err)
{
    const struct splitter *s = tp_instance_state(tp_device_instance(device));

    (void)answer;
    for (size_t i = 1; i < s->count && is_for_all(s, what); i++) {
        if (what->kind == TP_KIND_COMMAND) {
            (void)tp_link_command(s->links[i], what->code, ask);
        } else {
            (void)tp_link_request(s->links[i], what->code, ask, FORWARD_TIMEOUT_NS, ignore, NULL);
        }
    }
    return tpi_forward_message(device, s->links[0], what, ask, FORWARD_TIMEOUT_NS, err);
}

static void splitter_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    const struct splitter *s = tp_instance_state(self);

    if (from == s->links[0]) {
        tpi_forward_data(s->device, msg);
    }
}

static tp_status splitter_init(tp_instance *self, tp_error *err)
{
    struct splitter *s = tp_instance_state(self);
    const double count = tp_param_double(self, "devices");
    tp_status status = TP_OK;

    s->first_only = tp_param_double(self, "rq_first_device_only") != 0;
    if (!(count >= 1 && count <= MOST_DEVICES)) {
        tp_param_blame(self, "devices");
        return tp_fail(err, TP_E_RANGE, "devices is not between 1 and %d", MOST_DEVICES);
    }
    if (tp_provides_count(self) != 1) {
        return tp_fail(err, TP_E_INVALID, "`provides` needs one device");
    }
    const tp_interface *interface = tp_provides_interface(self, 0);
    if (interface->code <= TP_PLAYER_CODE) {
        return tp_fail(err, TP_E_UNSUPPORTED, "%s is the server's own", interface->name);
    }
    for (s->count = 0; s->count < (size_t)count && status == TP_OK; s->count++) {
        char key[24];
        snprintf(key, sizeof key, "%zu", s->count);
        status = tp_require(self, interface, key, &s->links[s->count], err);
        if (status == TP_E_UNKNOWN) {
            status = tp_require(self, interface, NULL, &s->links[s->count], err);
        }
    }
    return status == TP_OK ? tp_offer_at(self, 0, NULL, splitter_handle, &s->device, err) : status;
}

static void splitter_halt(tp_device *device, tp_halt how)
{
    const struct splitter *s = tp_instance_state(tp_device_instance(device));

    (void)how; /* each device's own configuration says */
    for (size_t i = 0; i < s->count; i++) {
        tp_link_halt(s->links[i]);
    }
}

static const tp_driver_ops splitter_ops = {
    .init = splitter_init, .data = splitter_data, .halt = splitter_halt};

TP_API const tp_driver tp_driver_cmdsplitter = {
    .abi = TP_DRIVER_ABI,
    .name = "cmdsplitter",
    .summary = "passes commands on to several devices of one interface",
    .state_size = sizeof(struct splitter),
    .params = splitter_params,
    .ops = &splitter_ops,
    .flags = TP_DRIVER_ON_LOOP,
};
