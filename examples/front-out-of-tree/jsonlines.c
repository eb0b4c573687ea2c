/*
 * jsonlines - lines of JSON on TCP: one object in a line, in both directions.
 *
 * A client asks with {"op":...}: list, subscribe, unsubscribe, command, request, key, panic. Each
 * line is answered with one of the type "reply" or "error" that has the same id; a command is
 * answered only if it is refused. Data of what is subscribed comes as lines of the type "data".
 *
 * Everything that goes out is a message in the queue of the client's session, so it is bounded
 * there. Of what comes in, one unfinished line is kept.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "jsonlines.h"

enum { FIRST_ROOM = 512, LEAST_LINE = 256, MOST_LINE = 1 << 24, MOST_CLIENTS = 10000 };
enum { LINES_AT_ONCE = 32 }; /* to a client that comes last */

static struct jsonlines *state_of(const struct client *client)
{
    return tp_front_state(client->front);
}

/* ---- Clients --------------------------------------------------------------------------------- */

static void go_on_soon(struct client *client)
{
    if (!client->ending) {
        tp_session_flush_soon(client->session, &client->turn_end, true);
    }
}

void jsonlines_give_up(struct client *client)
{
    client->ending = true;
    tp_loop_after(tp_front_loop(client->front), &client->turn_end);
}

static void close_client(struct client *client)
{
    struct jsonlines *front = state_of(client);

    tp_loop_after_cancel(tp_front_loop(client->front), &client->turn_end);
    tp_session_destroy(client->session); /* what it moves is stopped */
    tp_stream_close(client->stream);
    *(client->previous != NULL ? &client->previous->next : &front->clients) = client->next;
    if (client->next != NULL) {
        client->next->previous = client->previous;
    }
    front->client_count--;
    free(client->in);
    tp_msg_unref(client->sending);
    free(client);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Room for more of a line. A client whose line is too long is given up. */
static void make_room(struct client *client)
{
    const size_t longest = tp_session_longest_message(client->session);
    const size_t line_size = state_of(client)->line_size;
    const size_t most = line_size < longest ? line_size : longest;
    size_t capacity = client->in_capacity == 0 ? FIRST_ROOM : client->in_capacity * 2;

    if (client->in_length < client->in_capacity) {
        return;
    }
    capacity = capacity < most ? capacity : most;
    char *in = capacity > client->in_capacity ? realloc(client->in, capacity) : NULL;
    if (in == NULL) {
        const tp_msghdr none = {.addr = {.interf = TP_PLAYER_CODE}, .type = TP_MSGTYPE_REQ};
        (void)tp_session_refuse(client->session, &none, TP_E_LIMIT, "the line is too long");
        jsonlines_give_up(client);
        return;
    }
    client->in = in;
    client->in_capacity = capacity;
}

/* What is left waits, or is an unfinished line. */
static void hold_rest(struct client *client)
{
    const bool unfinished =
        client->in_length > 0 && memchr(client->in, '\n', client->in_length) == NULL;

    if (!client->ending && !tp_session_hold(client->session, client->in_length, unfinished)) {
        jsonlines_give_up(client);
    }
}

/* Whole lines, until the session is busy. */
static void handle_lines(struct client *client)
{
    size_t used = 0;
    const char *end;

    while (!client->ending && !tp_session_is_busy(client->session) &&
           (end = memchr(client->in + used, '\n', client->in_length - used)) != NULL) {
        const size_t length = (size_t)(end - (client->in + used));
        jsonlines_handle(client, client->in + used, length);
        tp_session_took(client->session, length + 1);
        used += length + 1;
    }
    memmove(client->in, client->in + used, client->in_length - used);
    client->in_length -= used;
    hold_rest(client);
}

static void on_room(void *context, void **bytes, size_t *length)
{
    struct client *client = context;

    if (client->ending) {
        *bytes = state_of(client)->waste;
        *length = sizeof state_of(client)->waste;
    } else {
        *bytes = client->in + client->in_length;
        *length = client->in_capacity - client->in_length;
    }
}

static void on_read(void *context, size_t length)
{
    struct client *client = context;

    if (client->ending) {
        return;
    }
    client->in_length += length;
    tp_session_heard(client->session);
    handle_lines(client);
    if (tp_session_is_busy(client->session) && !client->paused) {
        client->paused = true;
        tp_stream_pause(client->stream);
    } else {
        make_room(client);
    }
}

/* Go on with a client that was paused, when it is not busy any more. */
static void resume(struct client *client)
{
    if (!client->paused || tp_session_is_busy(client->session)) {
        return;
    }
    handle_lines(client);
    if (!tp_session_is_busy(client->session) && !client->ending) {
        client->paused = false;
        make_room(client);
        tp_stream_resume(client->stream);
    }
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* The next line, if there is none on its way; whether there is one now. */
static bool next_line(struct client *client)
{
    const void *bytes = NULL;

    if (client->sending == NULL) {
        client->sending = tp_session_take(client->session);
        if (client->sending == NULL) {
            return false;
        }
        if (tp_msg_encode(client->sending, &jsonlines_encoding, &bytes, &client->line_length) !=
            TP_OK) {
            tp_msg_unref(client->sending);
            client->sending = NULL;
            jsonlines_give_up(client);
            return false;
        }
        client->line = bytes;
        client->line_sent = 0;
    }
    return true;
}

static void write_lines(struct client *client)
{
    for (unsigned lines = 0; !client->blocked; lines++) {
        if (lines == LINES_AT_ONCE && !client->ending && tp_session_comes_last(client->session)) {
            go_on_soon(client);
            return;
        }
        if (!next_line(client)) {
            return;
        }
        const size_t left = client->line_length - client->line_sent;
        const tp_piece piece = {client->line + client->line_sent, left};
        const long taken = tp_stream_try_write(client->stream, &piece, 1);
        if (taken < 0) {
            client->ending = true;
            return;
        }
        client->line_sent += (size_t)taken;
        client->blocked = (size_t)taken < left;
        if (!client->blocked) {
            tp_msg_unref(client->sending);
            client->sending = NULL;
            tp_session_count_sent(client->session, 1);
        } else if (taken > 0) {
            tp_session_goes_on(client->session);
        }
    }
}

static void on_turn_end(tp_after *after)
{
    struct client *client = (struct client *)((char *)after - offsetof(struct client, turn_end));

    if (!client->ending) {
        resume(client);
    }
    write_lines(client);
    if (client->ending) {
        close_client(client);
    }
}

static void on_written(void *context)
{
    struct client *client = context;

    client->blocked = false;
    go_on_soon(client);
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

static void on_end(void *context, tp_status status)
{
    (void)status;
    jsonlines_give_up(context);
}

static void on_ready(void *context)
{
    go_on_soon(context);
}

static void on_lost(void *context)
{
    jsonlines_give_up(context);
}

static size_t on_unread(void *context)
{
    const struct client *client = context;

    return client->in_length + tp_stream_unread(client->stream);
}

static int64_t on_unread_since(void *context)
{
    return tp_stream_since_ns(((const struct client *)context)->stream);
}

static const tp_stream_events stream_events = {
    .room = on_room, .read = on_read, .written = on_written, .end = on_end};
static const tp_session_events session_events = {
    .ready = on_ready, .lost = on_lost, .unread = on_unread, .unread_since = on_unread_since};
static const tp_session_limits session_limits = {.data = 256, .replies = 1024, .requests = 64};

static bool start_client(struct client *client)
{
    const int patience_s = tp_front_where(client->front)->patience_s;

    if (tp_front_session(&client->session, client->front, tp_stream_peer(client->stream),
                         &session_limits, &session_events, client, NULL) != TP_OK) {
        return false;
    }
    tp_session_explain_failures(client->session, true); /* errors have a sentence */
    tp_session_only_sends(client->session, &jsonlines_encoding);
    if (patience_s != 0) {
        tp_stream_set_patience(client->stream, patience_s > 0 ? (unsigned)patience_s : 0);
    }
    make_room(client);
    return client->in != NULL && tp_stream_start(client->stream, &stream_events, client) == TP_OK;
}

static void on_accept(void *context, tp_stream *stream)
{
    tp_front_instance *self = context;
    struct jsonlines *front = tp_front_state(self);
    const bool has_place = front->client_count < front->most_clients || tp_front_make_room(self);
    struct client *client = has_place ? calloc(1, sizeof *client) : NULL;

    if (client == NULL) {
        tp_stream_close(stream);
        return;
    }
    client->front = self;
    client->stream = stream;
    client->turn_end.run = on_turn_end;
    client->next = front->clients;
    if (client->next != NULL) {
        client->next->previous = client;
    }
    front->clients = client;
    front->client_count++;
    if (!start_client(client)) {
        close_client(client);
    }
}

static tp_status read_size(tp_front_instance *self, const char *name, size_t least, size_t most,
                           size_t *out, tp_error *err)
{
    const double value = tp_front_double(self, name);

    if (!(value >= (double)least && value <= (double)most)) {
        tp_front_blame(self, name);
        return tp_fail(err, TP_E_RANGE, "%s is a number from %zu to %zu", name, least, most);
    }
    *out = (size_t)value;
    return TP_OK;
}

static tp_status jsonlines_check(tp_front_instance *self, tp_error *err)
{
    struct jsonlines *front = tp_front_state(self);
    const tp_status status =
        read_size(self, "line_size", LEAST_LINE, MOST_LINE, &front->line_size, err);

    return status == TP_OK ? read_size(self, "clients", 1, MOST_CLIENTS, &front->most_clients, err)
                           : status;
}

static tp_status jsonlines_open(tp_front_instance *self, tp_error *err)
{
    struct jsonlines *front = tp_front_state(self);

    return tp_listener_open(&front->listener, tp_front_loop(self), tp_front_where(self)->address,
                            on_accept, self, err);
}

static void jsonlines_close(tp_front_instance *self)
{
    struct jsonlines *front = tp_front_state(self);

    while (front->clients != NULL) {
        close_client(front->clients);
    }
    tp_listener_close(front->listener);
}

static unsigned jsonlines_bound(const tp_front_instance *self)
{
    const struct jsonlines *front = tp_front_state(self);

    return tp_listener_port(front->listener);
}

static const char *const schemes[] = {"tcp", NULL};

static const tp_param params[] = {
    {"line_size", "byte", "65536", "the longest line that a client may send"},
    {"clients", "1", "100", "so many clients may be connected at the same time"},
    {NULL, NULL, NULL, NULL},
};

/* The only symbol that the plug-in exports. */
TP_API const tp_front tp_front_jsonlines = {
    .abi = TP_FRONT_ABI,
    .name = "jsonlines",
    .summary = "lines of JSON on TCP, for programs in any language",
    .state_size = sizeof(struct jsonlines),
    .schemes = schemes,
    .port = 6765,
    .params = params,
    .check = jsonlines_check,
    .open = jsonlines_open,
    .close = jsonlines_close,
    .bound = jsonlines_bound,
};
