/*
 * front.c - the motion protocol on TCP and unix sockets; docs/motion-protocol.md describes it.
 *
 * One instance serves one robot: the device mechanism:N of the configuration.
 */
#include "inside.h"

static tp_status read_number(tp_front_instance *self, const char *name, int64_t least, int64_t most,
                             int64_t *out, tp_error *err)
{
    *out = tp_front_int(self, name);
    if (*out < least || *out > most) {
        tp_front_blame(self, name);
        return tp_fail(err, TP_E_RANGE, "%s must be from %d to %d", name, (int)least, (int)most);
    }
    return TP_OK;
}

static tp_status motion_check(tp_front_instance *self, tp_error *err)
{
    struct motion_front *front = tp_front_state(self);
    int64_t clients = 0, device = 0;
    tp_status status = read_number(self, "clients", 1, MOST_CLIENTS, &clients, err);

    status = status == TP_OK ? read_number(self, "device", 0, UINT16_MAX, &device, err) : status;
    front->most_clients = (uint32_t)clients;
    front->device = (uint16_t)device;
    return status;
}

static tp_status motion_open(tp_front_instance *self, tp_error *err)
{
    struct motion_front *front = tp_front_state(self);

    front->instance = self;
    front->loop = tp_front_loop(self);
    return tp_connections_open(&front->connections, self, &tpi_motionf_connection_ops,
                               front->most_clients, err);
}

static void motion_close(tp_front_instance *self)
{
    struct motion_front *front = tp_front_state(self);

    tp_connections_close(front->connections);
}

static unsigned motion_bound(const tp_front_instance *self)
{
    const struct motion_front *front = tp_front_state(self);

    return tp_connections_port(front->connections);
}

static const char *const schemes[] = {"tcp", "unix", NULL};

static const tp_param params[] = {
    {"device", "1", "0", "the index of the mechanism that it serves"},
    {"clients", "1", "512", "so many connections may be open at the same time"},
    {NULL, NULL, NULL, NULL},
};

extern const tp_front tp_front_motion;
const tp_front tp_front_motion = {
    .abi = TP_FRONT_ABI,
    .name = "motion",
    .summary = "the motion protocol: timed motion of one robot",
    .state_size = sizeof(struct motion_front),
    .schemes = schemes,
    .port = 7665,
    .params = params,
    .check = motion_check,
    .open = motion_open,
    .close = motion_close,
    .bound = motion_bound,
    .flags = TP_FRONT_NAMED,
    .usual_for = "mechanism",
};
