/*
 * front.c - the universal protocol on TCP and unix sockets; docs/universal-protocol.md describes
 * it.
 *
 * One instance serves the robots of the whole server, or of one robot of the configuration.
 */
#include "inside.h"

static tp_status universal_check(tp_front_instance *self, tp_error *err)
{
    struct universal_front *front = tp_front_state(self);
    const int64_t clients = tp_front_int(self, "clients");

    if (clients < 1 || clients > MOST_CLIENTS) {
        tp_front_blame(self, "clients");
        return tp_fail(err, TP_E_RANGE, "clients must be from 1 to %d", MOST_CLIENTS);
    }
    front->most_clients = (uint32_t)clients;
    return TP_OK;
}

static tp_status universal_open(tp_front_instance *self, tp_error *err)
{
    struct universal_front *front = tp_front_state(self);

    front->instance = self;
    front->loop = tp_front_loop(self);
    return tp_connections_open(&front->connections, self, &tpi_universalf_connection_ops,
                               front->most_clients, err);
}

static void universal_close(tp_front_instance *self)
{
    struct universal_front *front = tp_front_state(self);

    tp_connections_close(front->connections);
}

static unsigned universal_bound(const tp_front_instance *self)
{
    const struct universal_front *front = tp_front_state(self);

    return tp_connections_port(front->connections);
}

static const char *const schemes[] = {"tcp", "unix", NULL};

static const tp_param params[] = {
    {"clients", "1", "512", "so many connections may be open at the same time"},
    {NULL, NULL, NULL, NULL},
};

extern const tp_front tp_front_universal;
const tp_front tp_front_universal = {
    .abi = TP_FRONT_ABI,
    .name = "universal",
    .summary = "the universal protocol: commands that are the same for every robot",
    .state_size = sizeof(struct universal_front),
    .schemes = schemes,
    .port = 8665,
    .params = params,
    .check = universal_check,
    .open = universal_open,
    .close = universal_close,
    .bound = universal_bound,
    .flags = TP_FRONT_NAMED,
    .usual_for = "universal",
};
