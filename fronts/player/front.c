/* front.c - the front as a table: opening at an address, its parameters, its counts. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

static tp_status listen_at(tp_player_front *front, const char *address, tp_error *err)
{
    return strncmp(address, "udp:", 4) == 0 ? tpi_player_udp_open(front, address, err)
                                            : tpi_player_connection_listen(front, address, err);
}

static tp_status player_check(tp_front_instance *self, tp_error *err)
{
    tp_player_front *front = tp_front_state(self);
    const int64_t clients = tp_front_int(self, "clients");

    if (clients < 0 || clients > MOST_CLIENTS) {
        tp_front_blame(self, "clients");
        return tp_fail(err, TP_E_RANGE, "clients must be from 0 to %d", MOST_CLIENTS);
    }
    front->most_clients = (uint32_t)clients;
    return TP_OK;
}

static tp_status player_open(tp_front_instance *self, tp_error *err)
{
    tp_player_front *front = tp_front_state(self);

    front->instance = self;
    front->loop = tp_front_loop(self);
    front->patience_s = tp_front_where(self)->patience_s;
    return listen_at(front, tp_front_where(self)->address, err);
}

static void player_close(tp_front_instance *self)
{
    tp_player_front *front = tp_front_state(self);

    while (front->clients != NULL) {
        tpi_player_client_close(front->clients);
    }
    tp_listener_close(front->listener);
    tpi_player_udp_close(front->udp);
    free(front->shared);
}

static unsigned player_bound(const tp_front_instance *self)
{
    const tp_player_front *front = tp_front_state(self);

    return front->udp != NULL ? tpi_player_udp_port(front->udp) : tp_listener_port(front->listener);
}

size_t tp_player_front_clients(const tp_front_instance *self)
{
    const tp_player_front *front = tp_front_state(self);

    assert(tpi_player_is_current(front));
    return front->client_count;
}

tp_player_counts tp_player_front_counts(const tp_front_instance *self)
{
    const tp_player_front *front = tp_front_state(self);

    assert(tpi_player_is_current(front));
    return front->udp != NULL ? tpi_player_udp_counts(front->udp) : (tp_player_counts){0};
}

static const char *const schemes[] = {"tcp", "udp", "unix", NULL};

static const tp_param params[] = {
    {"clients", "1", "0", "the most clients of one port; 0 means 100000, on UDP 1024"},
    {NULL, NULL, NULL, NULL},
};

const tp_front tp_front_player = {
    .abi = TP_FRONT_ABI,
    .name = "player",
    .summary = "the Player protocol: one port for each robot, with the robot's number",
    .state_size = sizeof(tp_player_front),
    .schemes = schemes,
    .params = params,
    .check = player_check,
    .open = player_open,
    .close = player_close,
    .bound = player_bound,
    .flags = TP_FRONT_PER_ROBOT,
};
