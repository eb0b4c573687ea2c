/* client.c - the life of a connection, and the listener. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

static void on_written(void *context)
{
    struct client *client = context;

    client->blocked = false;
    tp_loop_after(client->front->loop, &client->flush);
}

static void on_end(void *context, tp_status status)
{
    (void)status;
    client_give_up(context);
}

static const tp_stream_events stream_events = {
    .room = input_room,
    .read = input_read,
    .written = on_written,
    .end = on_end,
};

static void on_lost(void *context)
{
    client_give_up(context);
}

static tp_msg *on_reply(void *context, tp_msg *reply)
{
    (void)context;
    return serve_compressed_map(reply);
}

static const tp_session_events session_events = {
    .ready = output_ready,
    .lost = on_lost,
    .reply = on_reply,
};

void client_give_up(struct client *client)
{
    client->ending = true;
    tp_loop_after(client->front->loop, &client->flush);
}

void client_close(struct client *client)
{
    tp_player_front *front = client->front;

    tp_loop_after_cancel(front->loop, &client->flush);
    tp_session_destroy(client->session);
    tp_stream_close(client->stream);
    if (client->previous != NULL) {
        client->previous->next = client->next;
    } else {
        front->clients = client->next;
    }
    if (client->next != NULL) {
        client->next->previous = client->previous;
    }
    front->client_count--;
    front->held_bytes -= client->held_capacity;
    free(client->held);
    free(client);
}

/* Clients read the greeting with one call: it goes out in one write, before anything else. */
static bool greet(tp_stream *stream)
{
    char banner[TP_IDENT_STRLEN] = "Player v.3.1.1-dev";
    const tp_piece piece = {banner, sizeof banner};

    return tp_stream_try_write(stream, &piece, 1) == (long)sizeof banner;
}

static struct client *new_client(tp_player_front *front, tp_stream *stream)
{
    static const tp_session_limits limits = {
        .data = TP_MSGQUEUE_DEFAULT_MAXLEN, .replies = 4096, .requests = 256};
    struct client *client = calloc(1, sizeof *client);

    if (client == NULL || tp_session_create(&client->session, front->hub, front->robot, &limits,
                                            &session_events, client, NULL) != TP_OK) {
        free(client);
        return NULL;
    }
    tp_session_set_name(client->session, tp_stream_peer(stream));
    client->front = front;
    client->stream = stream;
    client->flush.run = output_flush;
    return client;
}

void client_accept(void *context, tp_stream *stream)
{
    tp_player_front *front = context;
    struct client *client = NULL;

    if (front->client_count < front->most_clients) {
        client = new_client(front, stream);
    }
    if (client == NULL) {
        tp_stream_close(stream);
        return;
    }
    client->next = front->clients;
    if (client->next != NULL) {
        client->next->previous = client;
    }
    front->clients = client;
    front->client_count++;
    if (tp_stream_start(stream, &stream_events, client) != TP_OK || !greet(stream)) {
        client_close(client);
    }
}

/* ---- The front ------------------------------------------------------------------------------- */

tp_status tp_player_front_open(tp_player_front **out, tp_hub *hub, tp_loop *loop,
                               const tp_player_options *options, tp_error *err)
{
    tp_player_front *front = calloc(1, sizeof *front);
    if (front == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    front->hub = hub;
    front->loop = loop;
    front->most_clients = options->most_clients > 0 ? options->most_clients : MOST_CLIENTS;
    front->shared = malloc(READ_SIZE);
    tp_status status = front->shared == NULL ? tp_fail(err, TP_E_NOMEM, "out of memory") : TP_OK;
    if (status == TP_OK) {
        status =
            tp_listener_open(&front->listener, loop, options->address, client_accept, front, err);
    }
    if (status != TP_OK) {
        tp_player_front_close(front);
        return status;
    }
    front->robot = options->robot > 0 ? options->robot : tp_listener_port(front->listener);
    *out = front;
    return TP_OK;
}

void tp_player_front_close(tp_player_front *front)
{
    if (front == NULL) {
        return;
    }
    while (front->clients != NULL) {
        client_close(front->clients);
    }
    tp_listener_close(front->listener);
    free(front->shared);
    free(front);
}

unsigned tp_player_front_port(const tp_player_front *front)
{
    return tp_listener_port(front->listener);
}

size_t tp_player_front_clients(const tp_player_front *front)
{
    return front->client_count;
}

/* ---- As part of a kit ------------------------------------------------------------------------ */

static tp_status open_front(void **out, tp_hub *hub, tp_loop *loop, const tp_front_place *place,
                            tp_error *err)
{
    const tp_player_options options = {.address = place->address, .robot = place->robot};
    tp_player_front *front = NULL;
    tp_status status = tp_player_front_open(&front, hub, loop, &options, err);

    *out = front;
    return status;
}

static void close_front(void *front)
{
    tp_player_front_close(front);
}

static unsigned port_of(const void *front)
{
    return tp_player_front_port(front);
}

const tp_front tp_front_player = {
    .name = "player",
    .summary = "the Player protocol",
    .open = open_front,
    .close = close_front,
    .port = port_of,
};
