/*
 * connection.c - clients on streams: from bytes to messages, and from messages to gathered writes.
 *
 * All connections read into one shared room; messages that are whole are handled where they are.
 * Only what is left of an unfinished message, or has to wait, is kept by the connection, so that an
 * idle client costs nothing.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

/* While messages wait, so much more is read: a panic behind them is seen. */
enum { FIRST_HELD = 256, MOST_AHEAD = 4096 };

struct connection {
    struct client client; /* comes first, so that one can be had from the other */
    tp_stream *stream;    /* owned */

    /* What has come and is not handled: an unfinished message, or messages that wait. */
    unsigned char *held; /* owned; NULL if there is none */
    size_t held_length;
    size_t held_capacity;

    /* Of these bytes. */
    uint32_t scouted; /* the end of the messages that were looked at for a panic */
    uint32_t acted;   /* behind the beginning of the last PANIC that was raised in advance; or 0 */
    bool reasonless;  /* its body had not come */
    bool stopped;     /* nothing is read */

    uint32_t written; /* how much of the oldest queued message is gone already */
};

/* ---- What is held ---------------------------------------------------------------------------- */

static void drop_held(struct connection *connection)
{
    free(connection->held);
    connection->held = NULL;
    connection->held_length = connection->held_capacity = 0;
}

/* Room for so many bytes; the client is given up if there is none. */
static bool hold(struct connection *connection, size_t capacity, bool unfinished)
{
    struct client *client = &connection->client;
    unsigned char *held = connection->held;

    if (capacity > connection->held_capacity) {
        held = tp_session_hold(client->session, capacity, unfinished)
                   ? realloc(connection->held, capacity)
                   : NULL;
    } else {
        (void)tp_session_hold(client->session, connection->held_capacity, unfinished);
    }
    if (held == NULL) {
        tpi_player_client_give_up(client);
        return false;
    }
    if (capacity > connection->held_capacity) {
        connection->held = held;
        connection->held_capacity = capacity;
    }
    return true;
}

static void on_room(void *context, void **bytes, size_t *length)
{
    struct connection *connection = context;
    struct client *client = &connection->client;

    if (connection->held == NULL || client->ending) {
        *bytes = client->front->shared;
        *length =
            tp_session_longest_message(client->session) < READ_SIZE * 2 ? GUEST_SIZE : READ_SIZE;
    } else {
        *bytes = connection->held + connection->held_length;
        *length = connection->held_capacity - connection->held_length;
    }
}

/* ---- Reading --------------------------------------------------------------------------------- */

static bool waits(struct client *client, const tp_msghdr *header)
{
    return !tp_session_is_urgent(client->session, header) && tp_session_is_busy(client->session);
}

/* Raise the panic of a request, of whose body so many bytes are there. */
static void raise_panic(struct client *client, const tp_msghdr *header, const unsigned char *body,
                        size_t there)
{
    void *value = NULL;
    const tp_panic *panic = NULL;

    if (there >= header->size &&
        tp_xdr_decode_new(&value, &tp_desc_panic, body, header->size) == TP_OK) {
        panic = value;
    }
    const bool told =
        panic != NULL && panic->why_count > 0 && memchr(panic->why, '\0', panic->why_count) != NULL;
    tp_session_panic(client->session, told ? panic->why : "");
    free(value);
}

/* Raise a panic behind messages that wait, or whose body has not come and may never come. */
static void scout(struct connection *connection, const unsigned char *bytes, size_t length)
{
    struct client *client = &connection->client;

    while (connection->scouted < length && length - connection->scouted >= TP_XDR_HEADER_SIZE) {
        const unsigned char *body = bytes + connection->scouted + TP_XDR_HEADER_SIZE;
        const size_t there = length - connection->scouted - TP_XDR_HEADER_SIZE;
        tp_msghdr header;

        tp_xdr_decode_header(&header, bytes + connection->scouted);
        if (tp_session_is_panic(&header) && !tp_session_sees_panic(client->session)) {
            raise_panic(client, &header, body, there);
            connection->acted = connection->scouted + 1;
            connection->reasonless = there < header.size;
        }
        const uint64_t end = (uint64_t)connection->scouted + TP_XDR_HEADER_SIZE + header.size;
        connection->scouted = end < UINT32_MAX ? (uint32_t)end : UINT32_MAX; /* never reached */
    }
}

/* So many bytes are done with. */
static void pass(struct connection *connection, size_t length)
{
    connection->scouted = connection->scouted < length ? 0 : connection->scouted - (uint32_t)length;
    connection->acted = connection->acted < length ? 0 : connection->acted - (uint32_t)length;
}

/* A panic that was raised in advance does not come again if it is over. */
static void handle(struct connection *connection, tp_msghdr *header, const unsigned char *body,
                   bool acted)
{
    struct client *client = &connection->client;
    const bool tells = connection->reasonless && tp_session_sees_panic(client->session);

    client->asked |= header->type == TP_MSGTYPE_REQ;
    if (acted && tp_session_is_panic(header) && !tells) {
        tp_session_heard_message(client->session, header);
        (void)tp_session_confirm_panic(client->session, header);
    } else {
        tpi_player_message_handle(client, header, body);
    }
}

/* Handle the whole messages at `bytes`, as far as the session wants them now; how many bytes they
 * took. `needed` is the length of the next one, as far as it is known. */
static size_t consume(struct connection *connection, const unsigned char *bytes, size_t length,
                      size_t *needed)
{
    struct client *client = &connection->client;
    size_t used = 0;

    *needed = TP_XDR_HEADER_SIZE;
    while (length - used >= TP_XDR_HEADER_SIZE && !client->ending) {
        tp_msghdr header;
        tp_xdr_decode_header(&header, bytes + used);
        if (header.size > tp_session_longest_message(client->session) - TP_XDR_HEADER_SIZE) {
            if (tp_session_is_panic(&header)) { /* whatever its body is */
                tp_session_panic(client->session, "");
            }
            tpi_player_client_give_up(client);
            break;
        }
        *needed = TP_XDR_HEADER_SIZE + (size_t)header.size;
        if (length - used < *needed || waits(client, &header)) {
            break;
        }
        handle(connection, &header, bytes + used + TP_XDR_HEADER_SIZE, connection->acted > used);
        tp_session_took(client->session, *needed);
        used += *needed;
        *needed = TP_XDR_HEADER_SIZE;
    }
    pass(connection, used);
    if (!client->ending) {
        scout(connection, bytes + used, length - used);
    }
    return used;
}

/* Keep what is left. The room grows towards what the next message needs as its bytes come, not
 * before. */
static void keep_rest(struct connection *connection, const unsigned char *rest, size_t length,
                      size_t needed)
{
    const bool unfinished = length < needed;
    const bool reads = unfinished || length < MOST_AHEAD;
    size_t capacity = FIRST_HELD;

    while (capacity < length || (unfinished && capacity < length * 2 && capacity < needed) ||
           (reads && capacity == length)) {
        capacity *= 2;
    }
    if (connection->held == NULL) {
        if (!hold(connection, capacity, unfinished)) {
            return;
        }
        memcpy(connection->held, rest, length);
        connection->held_length = length;
    } else {
        /* There is always room for the bytes that are read next. */
        const bool full = reads && connection->held_length == connection->held_capacity;
        if (!hold(connection, full ? capacity : connection->held_capacity, unfinished)) {
            return;
        }
    }
    if (unfinished) { /* its bytes, not the room for them */
        tp_session_unfinished(connection->client.session, connection->held_length);
    }
}

static void read_shared(struct connection *connection, size_t length)
{
    const unsigned char *bytes = connection->client.front->shared;
    size_t needed;
    size_t used = consume(connection, bytes, length, &needed);

    if (used < length && !connection->client.ending) {
        keep_rest(connection, bytes + used, length - used, needed);
    }
}

static void read_held(struct connection *connection, size_t length)
{
    struct client *client = &connection->client;
    size_t needed;

    connection->held_length += length;
    size_t used = consume(connection, connection->held, connection->held_length, &needed);
    if (client->ending) {
        return;
    }
    if (used == connection->held_length) {
        drop_held(connection);
        (void)tp_session_hold(client->session, 0, false);
        return;
    }
    memmove(connection->held, connection->held + used, connection->held_length - used);
    connection->held_length -= used;
    keep_rest(connection, connection->held, connection->held_length, needed);
}

/* It does not go on while its session is busy; nothing more is read then than is looked at in
 * advance. Of a new client the key may come. */
static void pause_if_busy(struct connection *connection)
{
    struct client *client = &connection->client;
    const bool listens = connection->held == NULL && tp_session_is_new(client->session);

    if (client->ending) {
        return;
    }
    client->paused = client->paused || (!listens && tp_session_is_busy(client->session));
    const bool stops = client->paused && connection->held_length >= MOST_AHEAD;
    if (stops && !connection->stopped) {
        tp_stream_pause(connection->stream);
    } else if (!stops && connection->stopped) {
        tp_stream_resume(connection->stream);
    }
    connection->stopped = stops;
}

static void on_read(void *context, size_t length)
{
    struct connection *connection = context;
    struct client *client = &connection->client;

    assert(tpi_player_is_current(client->front));
    if (client->ending) {
        return;
    }
    client->asked = false;
    if (connection->held == NULL) {
        read_shared(connection, length);
    } else {
        read_held(connection, length);
    }
    pause_if_busy(connection);
    if (!client->asked && !client->ending) {
        tp_stream_acknowledge(connection->stream); /* its next request may wait for that */
    }
}

/* First what is held, then what comes. */
static void resume(struct client *client)
{
    struct connection *connection = (struct connection *)client;

    if (connection->held != NULL) {
        read_held(connection, 0);
    }
    pause_if_busy(connection);
}

static size_t unread(struct client *client)
{
    const struct connection *connection = (const struct connection *)client;

    return connection->held_length + tp_stream_unread(connection->stream);
}

static bool has_left(const struct client *client)
{
    return tp_stream_has_left(((const struct connection *)client)->stream);
}

static int64_t unread_since(struct client *client)
{
    return tp_stream_since_ns(((const struct connection *)client)->stream);
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* The pieces of the oldest sealed messages, the first without what is gone already. */
static unsigned gather(struct connection *connection, tp_piece *pieces)
{
    const tp_session *session = connection->client.session;
    const uint32_t sealed = tp_session_sealed(session);
    unsigned count = 0;

    while (count < TP_STREAM_PIECES && count < sealed) {
        const void *bytes;
        size_t length;
        if (tp_msg_encode(tp_session_peek(session, count), &tp_encoding_player, &bytes, &length) !=
            TP_OK) {
            tpi_player_client_give_up(&connection->client);
            return 0;
        }
        pieces[count++] = (tp_piece){bytes, length};
    }
    if (count > 0) {
        pieces[0].bytes = (const unsigned char *)pieces[0].bytes + connection->written;
        pieces[0].length -= connection->written;
    }
    return count;
}

static void forget_written(struct connection *connection, const tp_piece *pieces, size_t written)
{
    tp_session *session = connection->client.session;
    unsigned whole = 0;

    while (written > 0 && written >= pieces[whole].length) {
        written -= pieces[whole++].length;
        connection->written = 0;
    }
    tp_session_sent(session, whole);
    if (written > 0) {
        tp_session_goes_on(session);
    }
    connection->written += (uint32_t)written;
}

/* One gathered write; whether there may be more to write at once. */
static bool write_some(struct connection *connection)
{
    tp_piece pieces[TP_STREAM_PIECES];
    const unsigned count = gather(connection, pieces);
    size_t total = 0;

    if (count == 0) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        total += pieces[i].length;
    }
    const long written = tp_stream_try_write(connection->stream, pieces, count);
    if (written < 0) {
        tpi_player_client_give_up(&connection->client);
        return false;
    }
    forget_written(connection, pieces, (size_t)written);
    if ((size_t)written < total) {
        connection->client.blocked = true; /* until the stream says that it takes more */
        return false;
    }
    return true;
}

static void write_all(struct client *client)
{
    while (write_some((struct connection *)client)) {
        if (!client->ending && tp_session_sealed(client->session) > 0 &&
            tp_session_comes_last(client->session)) {
            tpi_player_client_flush(client);
            return;
        }
    }
}

static void on_written(void *context)
{
    struct client *client = context;

    assert(tpi_player_is_current(client->front));
    client->blocked = false;
    tpi_player_client_flush(client);
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

static void on_end(void *context, tp_status status)
{
    struct client *client = context;

    assert(tpi_player_is_current(client->front));
    (void)status;
    tpi_player_client_left(client);
}

static const tp_stream_events stream_events = {
    .room = on_room,
    .read = on_read,
    .written = on_written,
    .end = on_end,
};

static void release(struct client *client)
{
    struct connection *connection = (struct connection *)client;

    tp_stream_close(connection->stream);
    drop_held(connection);
    free(connection);
}

static const struct transport stream_transport = {
    .write = write_all,
    .resume = resume,
    .unread = unread,
    .unread_since = unread_since,
    .has_left = has_left,
    .close = release,
};

/* Clients read the greeting with one call: it goes out in one write, before anything else. */
static bool greet(tp_stream *stream)
{
    const tp_piece piece = {tpi_player_greeting, sizeof tpi_player_greeting};

    return tp_stream_try_write(stream, &piece, 1) == (long)sizeof tpi_player_greeting;
}

static void on_accept(void *context, tp_stream *stream)
{
    tp_player_front *front = context;
    const bool has_place = front->client_count < front->most_clients ||
                           tp_front_make_room(front->instance); /* at the end of the turn */
    struct connection *connection = has_place ? calloc(1, sizeof *connection) : NULL;

    assert(tpi_player_is_current(front));
    if (connection == NULL) {
        tp_stream_close(stream);
        return;
    }
    tpi_player_session_init(&connection->client, front, &stream_transport);
    tpi_player_client_link(&connection->client);
    connection->stream = stream;
    if (front->patience_s != 0) {
        tp_stream_set_patience(stream, front->patience_s > 0 ? (unsigned)front->patience_s : 0);
    }
    if (tpi_player_session_begin(&connection->client, tp_stream_peer(stream)) != TP_OK ||
        tp_stream_start(stream, &stream_events, connection) != TP_OK || !greet(stream)) {
        tpi_player_client_close(&connection->client);
    }
}

tp_status tpi_player_connection_listen(tp_player_front *front, const char *address, tp_error *err)
{
    front->shared = malloc(READ_SIZE);
    if (front->shared == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    if (front->most_clients == 0 || front->most_clients > MOST_CLIENTS) {
        front->most_clients = MOST_CLIENTS;
    }
    return tp_listener_open(&front->listener, front->loop, address, on_accept, front, err);
}
