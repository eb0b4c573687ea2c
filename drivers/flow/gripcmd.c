/*
 * gripcmd - repeats one command to a gripper.
 *
 * It runs while its opaque device is open; with `alwayson` from the start of the server. HALT, a
 * panic or closing it ends that; after a panic it goes on when it is opened again.
 */
#include <strings.h>

#include "troupe/driver/opaque.h"
#include "troupe/interfaces/gripper.h"

struct gripcmd {
    tp_device *device; /* borrowed */
    tp_link *gripper;  /* borrowed */
    unsigned command;
    int64_t period_ns;
    bool halted;
};

static const tp_param gripcmd_params[] = {
    {"cmd", NULL, "close", "open, close, stop, store or retrieve"},
    {"sleep_nsec", "1", "100000000", "nanoseconds between commands"},
    {NULL, NULL, NULL, NULL},
};

static tp_status gripcmd_poll(tp_instance *self, tp_error *err)
{
    struct gripcmd *g = tp_instance_state(self);

    (void)err;
    g->halted = g->halted || tp_instance_in_panic(self);
    if (!g->halted) {
        (void)tp_link_command(g->gripper, g->command, NULL);
    }
    return TP_OK;
}

static tp_status read_settings(tp_instance *self, struct gripcmd *g, tp_error *err)
{
    static const char *const names[] = {"open", "close", "stop", "store", "retrieve"};
    static const unsigned commands[] = {TP_GRIPPER_CMD_OPEN, TP_GRIPPER_CMD_CLOSE,
                                        TP_GRIPPER_CMD_STOP, TP_GRIPPER_CMD_STORE,
                                        TP_GRIPPER_CMD_RETRIEVE};
    const char *text = tp_param_string(self, "cmd");
    const double period = tp_param_double(self, "sleep_nsec");

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        g->command = strcasecmp(text, names[i]) == 0 ? commands[i] : g->command;
    }
    g->period_ns = (int64_t)period;
    tp_param_blame(self, "cmd");
    if (g->command == 0) {
        return tp_fail(err, TP_E_INVALID,
                       "cmd \"%s\" is none of open, close, stop, store and retrieve", text);
    }
    tp_param_blame(self, "sleep_nsec");
    return period >= 1e6 && period <= 1e12
               ? TP_OK
               : tp_fail(err, TP_E_RANGE, "sleep_nsec is not between 1e6 and 1e12");
}

static const tp_opaque_ops gripcmd_opaque = {0};

static tp_status gripcmd_init(tp_instance *self, tp_error *err)
{
    struct gripcmd *g = tp_instance_state(self);
    tp_status status = read_settings(self, g, err);

    status =
        status == TP_OK ? tp_require(self, &tp_interface_gripper, NULL, &g->gripper, err) : status;
    return status == TP_OK ? tp_offer_opaque(self, NULL, &gripcmd_opaque, &g->device, err) : status;
}

static tp_status gripcmd_start(tp_instance *self, tp_error *err)
{
    struct gripcmd *g = tp_instance_state(self);

    (void)err;
    g->halted = false;
    tp_instance_set_period(self, g->period_ns);
    return TP_OK;
}

static void gripcmd_halt(tp_device *device, tp_halt how)
{
    struct gripcmd *g = tp_instance_state(tp_device_instance(device));

    (void)how; /* the gripper's own configuration says */
    g->halted = true;
    tp_link_halt(g->gripper);
}

/* What moves for it ends with it. */
static void gripcmd_stop(tp_instance *self)
{
    struct gripcmd *g = tp_instance_state(self);

    if (!g->halted) {
        tp_link_halt(g->gripper);
    }
    g->halted = true;
}

static const tp_driver_ops gripcmd_ops = {
    .init = gripcmd_init,
    .start = gripcmd_start,
    .poll = gripcmd_poll,
    .halt = gripcmd_halt,
    .stop = gripcmd_stop,
};

TP_API const tp_driver tp_driver_gripcmd = {
    .abi = TP_DRIVER_ABI,
    .name = "gripcmd",
    .summary = "repeats one command to a gripper",
    .state_size = sizeof(struct gripcmd),
    .params = gripcmd_params,
    .ops = &gripcmd_ops,
    .flags = TP_DRIVER_ON_LOOP,
};
