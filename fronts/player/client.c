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

static tp_msg *on_reply(void *context, tp_msg *reply)
{
    (void)context;
    return tpi_player_serve_compressed_map(reply);
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
    .reply = on_reply,
    .unread = on_unread,
};

void tpi_player_client_init(struct client *client, tp_player_front *front,
                            const struct transport *transport)
{
    client->front = front;
    client->transport = transport;
    client->flush.run = tpi_player_output_flush;
}

/* On this machine: "127.0.0.1:51234", "[::1]:51234" or "unix". */
static bool is_local(const char *name)
{
    return strncmp(name, "127.", 4) == 0 || strncmp(name, "[::1]", 5) == 0 ||
           strcmp(name, "unix") == 0;
}

tp_status tpi_player_client_begin(struct client *client, const char *name)
{
    static const tp_session_limits limits = {
        .data = TP_MSGQUEUE_DEFAULT_MAXLEN, .replies = 4096, .requests = 256};
    const tp_player_front *front = client->front;
    tp_status status = tp_session_create(&client->session, front->hub, front->robot, &limits,
                                         &session_events, client, NULL);

    if (status == TP_OK) {
        tp_session_only_sends(client->session, &tp_encoding_player);
        tp_session_set_name(client->session, name);
        tp_session_set_local(client->session, is_local(name));
        tp_session_set_reach(client->session, front->reach);
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

tp_status tp_player_front_open(tp_player_front **out, tp_hub *hub, tp_loop *loop,
                               const tp_player_options *options, tp_error *err)
{
    tp_player_front *front = calloc(1, sizeof *front);
    if (front == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    front->hub = hub;
    front->loop = loop;
    front->most_clients = options->most_clients;
    front->reach = options->reach;
    front->patience_s = options->patience_s;
    tp_status status = listen_at(front, options->address, err);
    if (status != TP_OK) {
        tp_player_front_close(front);
        return status;
    }
    front->robot = options->robot > 0 ? options->robot : tp_player_front_port(front);
    *out = front;
    return TP_OK;
}

void tp_player_front_close(tp_player_front *front)
{
    if (front == NULL) {
        return;
    }
    while (front->clients != NULL) {
        tpi_player_client_close(front->clients);
    }
    tp_listener_close(front->listener);
    tpi_player_udp_close(front->udp);
    free(front->shared);
    free(front);
}

unsigned tp_player_front_port(const tp_player_front *front)
{
    return front->udp != NULL ? tpi_player_udp_port(front->udp) : tp_listener_port(front->listener);
}

size_t tp_player_front_clients(const tp_player_front *front)
{
    return front->client_count;
}

tp_player_counts tp_player_front_counts(const tp_player_front *front)
{
    return front->udp != NULL ? tpi_player_udp_counts(front->udp) : (tp_player_counts){0};
}

/* ---- As part of a kit ------------------------------------------------------------------------ */

static tp_status open_front(tp_front_instance *self, tp_error *err)
{
    tp_player_front **front = tp_front_state(self);
    const tp_front_place *place = tp_front_where(self);
    const tp_player_options options = {.address = place->address,
                                       .robot = place->robot,
                                       .reach = place->reach,
                                       .patience_s = place->patience_s};

    return tp_player_front_open(front, tp_front_hub(self), tp_front_loop(self), &options, err);
}

static void close_front(tp_front_instance *self)
{
    tp_player_front **front = tp_front_state(self);

    tp_player_front_close(*front);
}

static unsigned port_of(const tp_front_instance *self)
{
    tp_player_front *const *front = tp_front_state(self);

    return tp_player_front_port(*front);
}

static const char *const schemes[] = {"tcp", "udp", "unix", NULL};

const tp_front tp_front_player = {
    .abi = TP_FRONT_ABI,
    .name = "player",
    .summary = "the Player protocol: one port for each robot, with the robot's number",
    .state_size = sizeof(tp_player_front *),
    .schemes = schemes,
    .open = open_front,
    .close = close_front,
    .bound = port_of,
    .flags = TP_FRONT_PER_ROBOT,
};
