/* client.c - what connections and sources of datagrams have in common, and the front itself. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

const char tpi_player_greeting[TP_IDENT_STRLEN] = "Player v.3.1.1-dev";

/* ---- Clients --------------------------------------------------------------------------------- */

static void on_lost(void *context)
{
    struct client *client = context;

    assert(tpi_player_is_current(client->front));
    client->dismissed = true;
    tpi_player_client_give_up(client);
}

static size_t on_unread(void *context)
{
    struct client *client = context;

    assert(tpi_player_is_current(client->front));
    return client->transport->unread(client);
}

static const tp_session_events session_events = {
    .ready = tpi_player_output_ready,
    .lost = on_lost,
    .unread = on_unread,
};

void tpi_player_client_init(struct client *client, tp_player_front *front,
                            const struct transport *transport)
{
    client->front = front;
    client->transport = transport;
    client->flush.run = tpi_player_output_flush;
}

tp_status tpi_player_client_begin(struct client *client, const char *name)
{
    static const tp_session_limits limits = {
        .data = TP_MSGQUEUE_DEFAULT_MAXLEN, .replies = 4096, .requests = 256};
    const tp_status status = tp_front_session(&client->session, client->front->instance, name,
                                              &limits, &session_events, client, NULL);

    if (status == TP_OK) {
        tp_session_only_sends(client->session, &tp_encoding_player);
    }
    return status;
}

void tpi_player_client_reset(struct client *client)
{
    tp_loop_after_cancel(client->front->loop, &client->flush);
    tp_session_destroy(client->session);
    client->session = NULL;
    client->paused = client->blocked = client->ending = client->dismissed = false;
}

void tpi_player_client_link(struct client *client)
{
    tp_player_front *front = client->front;

    client->previous = NULL;
    client->next = front->clients;
    *(client->next != NULL ? &client->next->previous : &front->oldest) = client;
    front->clients = client;
    front->client_count++;
}

void tpi_player_client_unlink(struct client *client)
{
    tp_player_front *front = client->front;

    *(client->previous != NULL ? &client->previous->next : &front->clients) = client->next;
    *(client->next != NULL ? &client->next->previous : &front->oldest) = client->previous;
    front->client_count--;
}

void tpi_player_client_close(struct client *client)
{
    tpi_player_client_reset(client);
    tpi_player_client_unlink(client);
    client->transport->close(client);
}

void tpi_player_client_give_up(struct client *client)
{
    client->ending = true;
    tp_loop_after(client->front->loop, &client->flush);
}

/* ---- The front ------------------------------------------------------------------------------- */

static tp_status listen_at(tp_player_front *front, const char *address, tp_error *err)
{
    return strncmp(address, "udp:", 4) == 0 ? tpi_player_udp_open(front, address, err)
                                            : tpi_player_connection_listen(front, address, err);
}

static tp_status player_open(tp_front_instance *self, tp_error *err)
{
    tp_player_front *front = tp_front_state(self);
    const int64_t clients = tp_front_int(self, "clients");

    front->instance = self;
    front->loop = tp_front_loop(self);
    front->patience_s = tp_front_where(self)->patience_s;
    if (clients < 0 || clients > MOST_CLIENTS) {
        tp_front_blame(self, "clients");
        return tp_fail(err, TP_E_RANGE, "clients must be from 0 to %d", MOST_CLIENTS);
    }
    front->most_clients = (uint32_t)clients;
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
    .open = player_open,
    .close = player_close,
    .bound = player_bound,
    .flags = TP_FRONT_PER_ROBOT,
};
