/*
 * connection.c - bytes of a stream to requests and frames.
 *
 * All connections read into one shared room; what is whole is handled where it is. Only what is
 * left of an unfinished request or frame, or has to wait, is kept.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <wslay/wslay.h>

#include "inside.h"

enum { FIRST_HELD = 512 };

/* ---- What is held ---------------------------------------------------------------------------- */

static tp_session *door_of(const struct connection *c)
{
    return c->door->sessions[FORM_JSON];
}

static void drop_held(struct connection *c)
{
    free(c->in.held);
    c->in.held = NULL;
    c->in.length = c->in.capacity = 0;
}

/* There is room behind what is held. It grows as bytes come, not before. */
static void make_room(struct connection *c, size_t needed)
{
    const bool unfinished = c->in.length < needed || c->in.fragments > 0;
    size_t capacity = c->in.capacity > 0 ? c->in.capacity : FIRST_HELD;
    unsigned char *held = c->in.held;

    while (capacity <= c->in.length) {
        capacity *= 2;
    }
    if (!tp_session_hold(door_of(c), capacity + c->in.fragments, unfinished) &&
        capacity > c->in.capacity) {
        tpi_web_give_up(c);
        return;
    }
    if (capacity > c->in.capacity) {
        held = realloc(c->in.held, capacity);
        if (held == NULL) {
            tpi_web_give_up(c);
            return;
        }
    }
    c->in.held = held;
    c->in.capacity = capacity;
    if (unfinished) { /* its bytes, not the room for them */
        tp_session_unfinished(door_of(c), c->in.length + c->in.fragments);
    }
}

/* ---- Reading --------------------------------------------------------------------------------- */

static bool is_urgent(const struct connection *c, const unsigned char *bytes, size_t length)
{
    return c->phase == PHASE_HTTP   ? tpi_web_http_is_urgent(c, (const char *)bytes, length)
           : c->phase == PHASE_STOP ? tpi_web_stop_is_urgent(c, bytes, length)
                                    : tpi_web_socket_is_urgent(c, bytes, length);
}

/* Whether the next request or message has to wait. */
static bool waits(struct connection *c, const unsigned char *bytes, size_t length)
{
    return tpi_web_tls_waits(c) ||
           (tp_session_has_to_wait(door_of(c), c->http.waiting != WAITS_NOT ||
                                                   c->phase == PHASE_GREETED ||
                                                   tpi_web_waiting(c) >= MOST_OUT) &&
            !is_urgent(c, bytes, length));
}

static bool held_waits(struct connection *c)
{
    return waits(c, c->in.held, c->in.length);
}

/* So many bytes are done with. */
static void pass(struct connection *c, size_t taken)
{
    c->in.scouted -= taken < c->in.scouted && c->in.scouted != SCOUTED_ALL ? taken : c->in.scouted;
    c->in.acted -= taken < c->in.acted ? taken : c->in.acted;
}

static size_t consume(struct connection *c, const unsigned char *bytes, size_t length,
                      size_t *needed)
{
    size_t used = 0;

    *needed = 1;
    tpi_web_socket_go_on(c);
    while (used < length && !c->ending && !c->finishing && !waits(c, bytes + used, length - used)) {
        const size_t taken =
            c->phase == PHASE_HTTP
                ? tpi_web_http(c, (const char *)bytes + used, length - used, needed)
                : tpi_web_frame(c, bytes + used, length - used, needed);
        if (taken == 0) {
            break;
        }
        if (c->in.fragments > 0) {
            tp_session_took_part(door_of(c), taken);
        } else {
            tp_session_took(door_of(c), taken);
        }
        used += taken;
        pass(c, taken);
        *needed = 1;
        tpi_web_socket_go_on(c);
    }
    if (c->phase == PHASE_HTTP && !c->ending && !c->finishing) {
        tpi_web_http_look(c, (const char *)bytes + used, length - used);
    }
    tpi_web_visitor_rests(c);
    return c->finishing ? length : used;
}

static void read_shared(struct connection *c, size_t length)
{
    const unsigned char *bytes = c->front->shared;
    size_t needed = 0;
    const size_t used = consume(c, bytes, length, &needed);

    if (c->ending) {
        return;
    }
    if (used == length) {
        (void)tp_session_hold(door_of(c), c->in.fragments, c->in.fragments > 0);
        return;
    }
    c->in.length = length - used;
    make_room(c, needed);
    if (c->in.held != NULL) {
        memcpy(c->in.held, bytes + used, length - used);
    } else {
        c->in.length = 0;
    }
}

static void read_held(struct connection *c, size_t length)
{
    size_t needed = 0;

    c->in.length += length;
    const size_t used = consume(c, c->in.held, c->in.length, &needed);
    if (c->ending) {
        return;
    }
    if (used == c->in.length) {
        drop_held(c);
        (void)tp_session_hold(door_of(c), c->in.fragments, c->in.fragments > 0);
        return;
    }
    memmove(c->in.held, c->in.held + used, c->in.length - used);
    c->in.length -= used;
    make_room(c, needed);
}

static size_t most_at_once(const struct connection *c)
{
    return tp_session_longest_message(door_of(c)) < READ_SIZE * 2 ? GUEST_SIZE : READ_SIZE;
}

static void find_room(struct connection *c, void **bytes, size_t *length)
{
    if (c->in.held == NULL || c->ending) {
        *bytes = c->front->shared;
        *length = most_at_once(c);
    } else {
        *bytes = c->in.held + c->in.length;
        *length = c->in.capacity - c->in.length;
    }
}

static void pause_if_waiting(struct connection *c)
{
    if (!c->ending && !c->paused &&
        (c->in.length > 0 || tpi_web_tls_waits(c) || tpi_web_tls_has_worked(c)) && held_waits(c)) {
        c->paused = true;
        tp_stream_pause(c->stream);
    }
}

static void on_room(void *context, void **bytes, size_t *length)
{
    struct connection *c = context;

    if (c->tls != NULL) {
        *bytes = c->front->raw;
        *length = tpi_web_tls_most(c, most_at_once(c));
    } else {
        find_room(c, bytes, length);
    }
}

static void read_plain(struct connection *c, size_t length)
{
    if (c->in.held == NULL) {
        read_shared(c, length);
    } else {
        read_held(c, length);
    }
}

/* A part of a record is held like one of a message. */
static void hold_sealed(struct connection *c)
{
    const size_t sealed = tpi_web_tls_unfinished(c);
    const size_t held = c->in.capacity + c->in.fragments + sealed;

    if (!c->ending && !tpi_web_tls_waits(c) && (sealed > 0 || c->in.held == NULL) &&
        !tp_session_hold(door_of(c), held, sealed > 0 || c->in.fragments > 0)) {
        tpi_web_give_up(c);
    }
}

/* All that has come is decrypted: what cannot be handled yet is held. */
static void read_decrypted(struct connection *c)
{
    long got = 1;

    while (got > 0 && !c->ending) {
        void *bytes;
        size_t room;

        find_room(c, &bytes, &room);
        got = tpi_web_tls_take(c, bytes, room);
        if (got > 0) {
            read_plain(c, (size_t)got);
        }
    }
    if (got < 0) {
        tpi_web_give_up(c);
    }
    hold_sealed(c);
}

static void read_secret(struct connection *c, size_t length)
{
    if (tpi_web_tls_read(c, length)) {
        read_decrypted(c);
    } else {
        tpi_web_give_up(c);
    }
}

static void on_read(void *context, size_t length)
{
    struct connection *c = context;

    assert(front_is_current(c->front));
    if (c->ending) {
        return;
    }
    c->heard_ns = front_now(c->front);
    if (c->tls != NULL) {
        read_secret(c, length);
    } else {
        read_plain(c, length);
    }
    pause_if_waiting(c);
    tpi_web_flush(c);
}

static void resume(struct connection *c)
{
    if (tpi_web_tls_greeted(c)) {
        read_decrypted(c);
        pause_if_waiting(c);
    }
    tpi_web_socket_go_on(c);
    if (c->in.held != NULL && !held_waits(c)) {
        read_held(c, 0);
    }
    if (c->paused && !c->ending && !held_waits(c)) {
        c->paused = false;
        tp_stream_resume(c->stream);
    }
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

static void on_written(void *context)
{
    struct connection *c = context;

    assert(front_is_current(c->front));
    c->blocked = false;
    if (c->phase == PHASE_HTTP || c->behind.count > 0) { /* many have what is long: in turns */
        tpi_web_flush_later(c);
    } else {
        tpi_web_flush(c);
    }
}

/* Thousands of guests can leave at once. */
static void on_end(void *context, tp_status status)
{
    struct connection *c = context;

    assert(front_is_current(c->front));
    (void)status;
    if (tp_session_is_guest(door_of(c))) {
        c->ending = true;
        tp_loop_later(c->front->loop, &c->flush);
    } else {
        tpi_web_give_up(c);
    }
}

static const tp_stream_events stream_events = {
    .room = on_room, .read = on_read, .written = on_written, .end = on_end};

static void flush(tp_after *after)
{
    struct connection *c =
        (struct connection *)((char *)after - offsetof(struct connection, flush));

    assert(front_is_current(c->front));
    if (!c->ending && tp_session_only_reads(door_of(c))) {
        resume(c);
        tpi_web_flush(c);
    } else if (!c->ending || c->dismissed) {
        tpi_web_write(c);
        if (!c->ending) {
            resume(c);
            tpi_web_write(c);
        }
    }
    if (c->finishing && tpi_web_has_written(c)) {
        c->ending = true;
    }
    if (c->ending) {
        tpi_web_close(c);
    }
}

void tpi_web_close(struct connection *c)
{
    struct web_front *front = c->front;

    assert(front_is_current(c->front));
    tp_loop_after_cancel(front->loop, &c->flush);
    tpi_web_visitor_leave(c);
    tpi_web_stop_forget(c);
    if (c->phase == PHASE_SOCKET) {
        tpi_web_graph_changed(front);
    }
    tpi_web_client_destroy(c->door);
    tp_stream_close(c->stream);
    tpi_web_tls_end(c);
    wslay_event_context_free(c->socket);
    *(c->previous != NULL ? &c->previous->next : &front->connections) = c->next;
    if (c->next != NULL) {
        c->next->previous = c->previous;
    }
    front->count--;
    front->graph.c = front->graph.c == c ? c->next : front->graph.c;
    front->round.next = front->round.next == c ? c->next : front->round.next;
    drop_held(c);
    while (c->behind.count > 0) {
        tpi_web_note_unref(c->behind.notes[--c->behind.count].note);
    }
    tpi_buf_fini(&c->out);
    free(c);
}

/* A host that is not this machine has so many connections at most. */
static bool has_place(const struct web_front *front, const char *peer)
{
    const char *end = strrchr(peer, ':');
    const size_t length = end != NULL ? (size_t)(end - peer) + 1 : strlen(peer);
    size_t count = 0;

    if (tp_front_is_local(peer)) {
        return true;
    }
    for (const struct connection *at = front->connections; at != NULL; at = at->next) {
        count += strncmp(tp_stream_peer(at->stream), peer, length) == 0;
    }
    return count < front->places.per_host;
}

static void link_connection(struct web_front *front, struct connection *c, tp_stream *stream)
{
    c->front = front;
    c->stream = stream;
    c->flush.run = flush;
    c->heard_ns = front_now(front);
    c->next = front->connections;
    if (c->next != NULL) {
        c->next->previous = c;
    }
    front->connections = c;
    front->count++;
}

static void on_accept(void *context, tp_stream *stream)
{
    struct web_front *front = context;
    const int patience_s = tp_front_where(front->instance)->patience_s;
    const bool room = has_place(front, tp_stream_peer(stream)) &&
                      (front->count < front->places.most || tp_front_make_room(front->instance));
    struct connection *c = room ? calloc(1, sizeof *c) : NULL;

    assert(front_is_current(front));
    if (c == NULL) {
        tp_stream_close(stream);
        return;
    }
    link_connection(front, c, stream);
    tpi_web_somebody_came(front);
    if (patience_s != 0) {
        tp_stream_set_patience(stream, patience_s > 0 ? (unsigned)patience_s : 0);
    }
    c->door = tpi_web_client_create(front, tp_stream_peer(stream));
    if (c->door != NULL) {
        c->door->connection = c;
    }
    if (c->door == NULL || (front->tls != NULL && !tpi_web_tls_begin(c)) ||
        tp_stream_start(stream, &stream_events, c) != TP_OK) {
        tpi_web_close(c);
    }
}

tp_status tpi_web_listen(struct web_front *front, const char *address, tp_error *err)
{
    assert(front_is_current(front));
    front->shared = malloc(READ_SIZE);
    if (front->shared == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    return tp_listener_open(&front->listener, front->loop, address, on_accept, front, err);
}
