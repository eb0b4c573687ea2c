/*
 * input.c - from bytes to messages.
 *
 * All clients read into one shared room; messages that are whole are handled where they are. Only
 * what is left of an unfinished message is kept by the client, so that an idle client costs
 * nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "inside.h"

enum { FIRST_HELD = 256 };

/* ---- Unfinished messages --------------------------------------------------------------------- */

static void drop_held(struct client *client)
{
    client->front->held_bytes -= client->held_capacity;
    free(client->held);
    client->held = NULL;
    client->held_length = client->held_capacity = 0;
}

/* Room for an unfinished message of so many bytes; the client is given up if there is none. */
static bool hold(struct client *client, size_t capacity)
{
    tp_player_front *front = client->front;
    const size_t more = capacity - client->held_capacity;

    if (capacity <= client->held_capacity) {
        return true;
    }
    unsigned char *held =
        front->held_bytes + more > MOST_HELD ? NULL : realloc(client->held, capacity);
    if (held == NULL) {
        client_give_up(client);
        return false;
    }
    client->held = held;
    client->held_capacity = capacity;
    front->held_bytes += more;
    return true;
}

void input_room(void *context, void **bytes, size_t *length)
{
    struct client *client = context;

    if (client->held == NULL || client->ending) {
        *bytes = client->front->shared;
        *length = READ_SIZE;
    } else {
        *bytes = client->held + client->held_length;
        *length = client->held_capacity - client->held_length;
    }
}

/* ---- Messages -------------------------------------------------------------------------------- */

static void refuse(struct client *client, const tp_msghdr *header, tp_status code, const char *text)
{
    if (header->type == TP_MSGTYPE_REQ) {
        tp_session_refuse(client->session, header, code, text);
    }
}

/* A command or request for a device. */
static void forward(struct client *client, const tp_msghdr *header, const unsigned char *body)
{
    const tp_catalogue *catalogue = tp_hub_catalogue(client->front->hub);
    const tp_kind kind = header->type == TP_MSGTYPE_CMD ? TP_KIND_COMMAND : TP_KIND_REQUEST;
    tp_error err = {0};
    tp_msg *msg = NULL;

    if (header->type != TP_MSGTYPE_CMD && header->type != TP_MSGTYPE_REQ) {
        return;
    }
    if (tp_session_find(client->session, header->addr.interf, header->addr.index) == NULL) {
        refuse(client, header, TP_E_UNKNOWN, "there is no such device");
        return;
    }
    const tp_message *what =
        tp_catalogue_message(catalogue, header->addr.interf, kind, header->subtype);
    if (what == NULL) {
        refuse(client, header, TP_E_UNSUPPORTED, "the interface has no such message");
        return;
    }
    tp_status status = tp_msg_decode(&msg, header, what->ask, body, header->size);
    if (status != TP_OK) {
        refuse(client, header, status, tp_status_text(status));
        return;
    }
    status = tp_session_send(client->session, msg, what, &err);
    if (status != TP_OK) {
        refuse(client, header, status, err.text);
    }
    tp_msg_unref(msg);
}

static void handle(struct client *client, tp_msghdr *header, const unsigned char *body)
{
    /* Players ignore what clients say about host and robot. */
    header->addr.host = TP_PLAYER_HOST;
    header->addr.robot = client->front->robot;
    if (header->addr.interf == TP_PLAYER_CODE) {
        serve(client, header, body, header->size);
    } else {
        forward(client, header, body);
    }
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* Handle the whole messages at `bytes`; how many bytes they took. `needed` is the length of the
 * unfinished one behind them, as far as it is known. */
static size_t consume(struct client *client, const unsigned char *bytes, size_t length,
                      size_t *needed)
{
    size_t used = 0;

    *needed = TP_XDR_HEADER_SIZE;
    while (length - used >= TP_XDR_HEADER_SIZE && !client->ending) {
        tp_msghdr header;
        tp_xdr_decode(&tp_desc_msghdr, bytes + used, TP_XDR_HEADER_SIZE, &header, sizeof header);
        if (header.size > MOST_BODY) {
            client_give_up(client);
            break;
        }
        *needed = TP_XDR_HEADER_SIZE + (size_t)header.size;
        if (length - used < *needed) {
            break;
        }
        handle(client, &header, bytes + used + TP_XDR_HEADER_SIZE);
        used += *needed;
        *needed = TP_XDR_HEADER_SIZE;
    }
    return used;
}

/* Keep what is left; grow towards what the message needs as its bytes come, not before. */
static void keep_rest(struct client *client, const unsigned char *rest, size_t length,
                      size_t needed)
{
    size_t capacity = FIRST_HELD;

    while (capacity < length * 2 && capacity < needed) {
        capacity *= 2;
    }
    capacity = capacity < needed ? capacity : needed > FIRST_HELD ? needed : FIRST_HELD;
    if (client->held == NULL) {
        if (hold(client, capacity)) {
            memcpy(client->held, rest, length);
            client->held_length = length;
        }
    } else if (client->held_length == client->held_capacity) {
        hold(client, capacity);
    }
}

static void read_shared(struct client *client, size_t length)
{
    const unsigned char *bytes = client->front->shared;
    size_t needed;
    size_t used = consume(client, bytes, length, &needed);

    if (used < length && !client->ending) {
        keep_rest(client, bytes + used, length - used, needed);
    }
}

static void read_held(struct client *client, size_t length)
{
    size_t needed;

    client->held_length += length;
    size_t used = consume(client, client->held, client->held_length, &needed);
    if (client->ending) {
        return;
    }
    if (used == client->held_length) {
        drop_held(client);
        return;
    }
    memmove(client->held, client->held + used, client->held_length - used);
    client->held_length -= used;
    keep_rest(client, client->held, client->held_length, needed);
}

void input_read(void *context, size_t length)
{
    struct client *client = context;

    if (client->ending) {
        return;
    }
    if (client->held == NULL) {
        read_shared(client, length);
    } else {
        read_held(client, length);
    }
    if (tp_session_is_busy(client->session) && !client->paused && !client->ending) {
        client->paused = true;
        tp_stream_pause(client->stream);
    }
}
