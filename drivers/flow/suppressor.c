/*
 * suppressor - two devices in front of one: while the master commands, the slave does not.
 *
 * Data goes to both. A command of the slave is refused for `fadeout_time` after one of the master.
 */
#include "forward.h"
#include "troupe/interfaces/player.h"

struct suppressor {
    tp_device *master, *slave; /* borrowed */
    tp_link *link;             /* borrowed */
    tp_device *mover;          /* who has commanded last; NULL for nobody */
    int64_t fadeout_ns;
    int64_t commanded_ns; /* when the master did so last */
};

static const tp_param suppressor_params[] = {
    {"fadeout_time", "s", "0", "how long the slave is suppressed after a command of the master"},
    {NULL, NULL, NULL, NULL},
};

static tp_status suppressor_handle(tp_device *device, const tp_message *what, const void *ask,
                                   void *answer, tp_error *err)
{
    tp_instance *self = tp_device_instance(device);
    struct suppressor *s = tp_instance_state(self);

    (void)answer;
    if (what->kind == TP_KIND_COMMAND) {
        const int64_t now_ns = tp_clock_now_ns(tp_instance_clock(self));
        if (device == s->slave && now_ns - s->commanded_ns < s->fadeout_ns) {
            return tp_fail(err, TP_E_DENIED, "the master of the suppressor commands");
        }
        s->commanded_ns = device == s->master ? now_ns : s->commanded_ns;
        s->mover = device;
    }
    return tpi_forward_message(device, s->link, what, ask, FORWARD_TIMEOUT_NS, err);
}

static void suppressor_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    const struct suppressor *s = tp_instance_state(self);

    (void)from;
    tpi_forward_data(s->master, msg);
    tpi_forward_data(s->slave, msg);
}

static tp_status suppressor_init(tp_instance *self, tp_error *err)
{
    struct suppressor *s = tp_instance_state(self);
    const double fadeout = tp_param_double(self, "fadeout_time");

    s->commanded_ns = INT64_MIN / 2;
    if (!(fadeout >= 0 && fadeout <= 1e6)) {
        tp_param_blame(self, "fadeout_time");
        return tp_fail(err, TP_E_RANGE, "fadeout_time is not a number of seconds");
    }
    s->fadeout_ns = (int64_t)(fadeout * (double)TP_NS_PER_S);
    if (tp_provides_count(self) != 2) {
        return tp_fail(err, TP_E_INVALID,
                       "`provides` needs two devices with the keys master and slave");
    }
    const tp_interface *interface = tp_provides_interface(self, 0);
    if (interface->code <= TP_PLAYER_CODE) {
        return tp_fail(err, TP_E_UNSUPPORTED, "%s is the server's own", interface->name);
    }
    tp_status status = tp_require(self, interface, NULL, &s->link, err);
    status = status == TP_OK
                 ? tp_offer(self, interface, "master", NULL, suppressor_handle, &s->master, err)
                 : status;
    return status == TP_OK
               ? tp_offer(self, interface, "slave", NULL, suppressor_handle, &s->slave, err)
               : status;
}

/* Only what this one moves. */
static void suppressor_halt(tp_device *device, tp_halt how)
{
    const struct suppressor *s = tp_instance_state(tp_device_instance(device));

    (void)how; /* the other device's own configuration says */
    if (s->mover == device || s->mover == NULL ||
        tp_instance_in_panic(tp_device_instance(device))) {
        tp_link_halt(s->link);
    }
}

static const tp_driver_ops suppressor_ops = {
    .init = suppressor_init, .data = suppressor_data, .halt = suppressor_halt};

TP_API const tp_driver tp_driver_suppressor = {
    .abi = TP_DRIVER_ABI,
    .name = "suppressor",
    .summary = "while one device commands, the other does not",
    .state_size = sizeof(struct suppressor),
    .params = suppressor_params,
    .ops = &suppressor_ops,
    .flags = TP_DRIVER_ON_LOOP,
};
