/*
 * connection.c - bytes of a stream to packages.
 *
 * All connections read into one shared room; packages that are whole are handled where they are.
 * Only what is left of an unfinished package, or has to wait, is kept. Payloads that are not wanted
 * are dropped as they come.
 *
 * Every header is looked at for a panic as soon as its 32 bytes are there, also if packages before
 * it wait.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

enum {
    FIRST_HELD = 256, /* bytes */
    FIRST_ROOM = 2048,
    MOST_KEPT = 16384, /* room that is kept when nothing is held */
};

static const int64_t HEARD_NS = 50 * TP_NS_PER_MS;

void tpi_motionf_connection_give_up(struct connection *c)
{
    c->ending = true;
    tp_loop_after(c->front->loop, &c->flush);
}

/* ---- What is held ---------------------------------------------------------------------------- */

static void drop_held(struct connection *c)
{
    free(c->in.held);
    c->in.held = NULL;
    c->in.length = c->in.capacity = 0;
}

/* Nothing is held any more. A little room is kept: parts of packages come again and again. */
static void hold_nothing(struct connection *c)
{
    (void)tp_session_hold(c->session, 0, false);
    if (c->in.capacity > MOST_KEPT) {
        drop_held(c);
    }
    c->in.length = 0;
}

void tpi_motionf_connection_make_room(struct connection *c)
{
    if (c->in.held == NULL) {
        c->in.held = malloc(FIRST_ROOM);
        c->in.capacity = c->in.held != NULL ? FIRST_ROOM : 0;
    }
}

/* Room for so many bytes; the connection is given up if there is none. */
static bool hold(struct connection *c, size_t capacity, bool unfinished)
{
    const bool grows = capacity > c->in.capacity;
    unsigned char *held = c->in.held;

    if (!tp_session_hold(c->session, grows ? capacity : c->in.capacity, unfinished) && grows) {
        held = NULL;
    } else if (grows) {
        held = realloc(c->in.held, capacity);
    }
    if (held == NULL) {
        tpi_motionf_connection_give_up(c);
        return false;
    }
    c->in.held = held;
    c->in.capacity = grows ? capacity : c->in.capacity;
    return true;
}

/* Keep what is left. The room grows as bytes come, not before. */
static void keep_rest(struct connection *c, const unsigned char *rest, size_t length, size_t needed)
{
    const bool unfinished = length < needed;
    size_t capacity = FIRST_HELD;

    while (capacity < length || (unfinished && capacity < length * 2 && capacity < needed)) {
        capacity *= 2;
    }
    if (c->in.length == 0) {
        if (hold(c, capacity, unfinished)) {
            memcpy(c->in.held, rest, length);
            c->in.length = length;
        }
        return;
    }
    /* While the first package is unfinished there is always room for more of it. */
    const bool full = unfinished && c->in.length == c->in.capacity;
    (void)hold(c, full ? capacity : c->in.capacity, unfinished);
}

static void on_room(void *context, void **bytes, size_t *length)
{
    struct connection *c = context;

    if (c->in.length == 0 || c->ending) {
        *bytes = c->front->shared;
        *length = tp_session_longest_message(c->session) < READ_SIZE * 2 ? GUEST_SIZE : READ_SIZE;
    } else {
        *bytes = c->in.held + c->in.length;
        *length = c->in.capacity - c->in.length;
    }
}

/* ---- Packages -------------------------------------------------------------------------------- */

static uint32_t size_of(const unsigned char *header)
{
    return (uint32_t)header[12] << 24 | (uint32_t)header[13] << 16 | (uint32_t)header[14] << 8 |
           header[15];
}

/* Look for panics in all headers that have come. */
static void scout(struct connection *c, const unsigned char *bytes, size_t length)
{
    while (c->in.scouted + TPI_MOTION_HEADER <= length) {
        const unsigned char *header = bytes + c->in.scouted;

        if (header[0] != 'R' || header[1] != 'T') {
            return; /* the stream has lost its place, and ends there */
        }
        if (tpi_motion_is_panic(header)) {
            tpi_motionf_package_panic(c, header);
        }
        c->in.scouted += TPI_MOTION_HEADER + (uint64_t)size_of(header);
    }
}

bool tpi_motionf_connection_waits(struct connection *c)
{
    return c->hello.on || c->pending_count == MOST_PENDING ||
           tpi_motionf_reply_waiting(c) >= MOST_OUT || tp_session_is_busy(c->session);
}

static size_t longest_payload(struct connection *c)
{
    const size_t longest = tp_session_longest_message(c->session) - 1024;

    return longest < TPI_MOTION_PAYLOAD ? longest : TPI_MOTION_PAYLOAD;
}

/* Drop a package; how many of its bytes are there already. */
static size_t drop(struct connection *c, const unsigned char *header, size_t there)
{
    const uint64_t whole = TPI_MOTION_HEADER + (uint64_t)size_of(header);
    const size_t dropped = whole < there ? (size_t)whole : there;

    c->in.skip = whole - dropped;
    tp_session_took(c->session, dropped);
    return dropped;
}

/* A header that is not valid, or a payload that is too long: the package is refused as a whole. */
static bool is_refused(struct connection *c, const unsigned char *bytes, tpi_motion_header *header)
{
    tp_error err = {.text = ""};
    bool foreign = false;
    const tp_status status = tpi_motion_header_get(header, bytes, &foreign, &err);

    if (status == TP_OK && header->size > longest_payload(c)) {
        tp_fail(&err, TP_E_LIMIT, "a payload of this client has at most %zu bytes",
                longest_payload(c));
    } else if (status == TP_OK) {
        return false;
    }
    tp_session_heard(c->session);
    tpi_motionf_reply_signal(c,
                             (uint32_t)bytes[8] << 24 | (uint32_t)bytes[9] << 16 |
                                 (uint32_t)bytes[10] << 8 | bytes[11],
                             0, TPI_MOTION_ERROR, err.text);
    return true;
}

/* Handle the whole packages at `bytes`, as far as they need not wait; how many bytes they took.
 * `needed` is the length of the next one, as far as it is known. */
static size_t consume(struct connection *c, const unsigned char *bytes, size_t length,
                      size_t *needed)
{
    size_t used = 0;

    *needed = TPI_MOTION_HEADER;
    while (length - used >= TPI_MOTION_HEADER && !c->ending && c->in.skip == 0) {
        const unsigned char *at = bytes + used;
        tpi_motion_header header;

        if (at[0] != 'R' || at[1] != 'T') {
            tpi_motionf_connection_give_up(c);
            break;
        }
        if (tpi_motion_is_panic(at)) { /* scout() has acted; its payload may never come */
            used += drop(c, at, length - used);
            continue;
        }
        if (tpi_motionf_connection_waits(c)) {
            break;
        }
        if (is_refused(c, at, &header)) {
            used += drop(c, at, length - used);
            continue;
        }
        *needed = TPI_MOTION_HEADER + (size_t)header.size;
        if (length - used < *needed) {
            break;
        }
        tp_session_heard(c->session);
        tpi_motionf_package_handle(c, &header, at);
        tp_session_took(c->session, *needed);
        used += *needed;
        *needed = TPI_MOTION_HEADER;
    }
    return used;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Drop what belongs to a payload that is not wanted; how many bytes that were. */
static size_t skip(struct connection *c, size_t length)
{
    const size_t skipped = c->in.skip < length ? (size_t)c->in.skip : length;

    c->in.skip -= skipped;
    c->in.scouted -= skipped;
    if (skipped > 0) {
        tp_session_took(c->session, skipped);
    }
    return skipped;
}

/* Handle what is there; how many bytes are done with. */
static size_t take(struct connection *c, const unsigned char *bytes, size_t length, size_t *needed)
{
    const size_t skipped = skip(c, length);

    scout(c, bytes + skipped, length - skipped);
    const size_t used = consume(c, bytes + skipped, length - skipped, needed);
    c->in.scouted -= c->in.scouted < used ? c->in.scouted : used;
    return skipped + used;
}

static void read_shared(struct connection *c, size_t length)
{
    const unsigned char *bytes = c->front->shared;
    size_t needed = 0;
    const size_t used = take(c, bytes, length, &needed);

    if (used < length && !c->ending) {
        keep_rest(c, bytes + used, length - used, needed);
    }
}

static void read_held(struct connection *c, size_t length)
{
    size_t needed = 0;

    c->in.length += length;
    const size_t used = take(c, c->in.held, c->in.length, &needed);
    if (c->ending) {
        return;
    }
    if (used == c->in.length) {
        hold_nothing(c);
        return;
    }
    memmove(c->in.held, c->in.held + used, c->in.length - used);
    c->in.length -= used;
    keep_rest(c, c->in.held, c->in.length, needed);
}

/* Whether it does not go on for now. */
static bool pause_if_waiting(struct connection *c)
{
    if (!c->ending && tpi_motionf_connection_waits(c)) {
        c->paused = true;
        tp_stream_pause(c->stream);
    }
    return c->paused;
}

/* Any byte renews the client's lease. Whole packages do so themselves. */
static void report_heard(struct connection *c)
{
    tp_mechanism_client who;

    if (c->client == NULL || c->ending || c->in.read_ns - c->in.heard_ns < HEARD_NS) {
        return;
    }
    c->in.heard_ns = c->in.read_ns;
    memcpy(who.token, c->client->token, sizeof who.token);
    (void)tpi_motionf_session_send(c, TP_MECHANISM_REQ_HEARD, 0, &who, NULL);
}

static void on_read(void *context, size_t length)
{
    struct connection *c = context;

    assert(front_is_current(c->front));
    if (c->ending) {
        return;
    }
    c->in.read_ns = front_now(c->front);
    if (c->in.length == 0) {
        read_shared(c, length);
    } else {
        read_held(c, length);
    }
    report_heard(c);
    (void)pause_if_waiting(c);
    if (!c->ending) {
        tpi_motionf_reply_write(c); /* at once: SYNC measures it */
        tp_stream_acknowledge(c->stream);
    }
}

void tpi_motionf_connection_resume(struct connection *c)
{
    if (!c->paused || c->ending || tpi_motionf_connection_waits(c)) {
        return;
    }
    c->paused = false;
    if (c->in.length > 0) {
        read_held(c, 0);
    }
    if (!pause_if_waiting(c) && !c->ending) {
        tp_stream_resume(c->stream);
    }
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

static void on_written(void *context)
{
    struct connection *c = context;

    assert(front_is_current(c->front));
    c->blocked = false;
    tp_loop_after(c->front->loop, &c->flush);
}

static void on_end(void *context, tp_status status)
{
    struct connection *c = context;

    assert(front_is_current(c->front));
    (void)status;
    tpi_motionf_connection_give_up(c);
}

static const tp_stream_events stream_events = {
    .room = on_room, .read = on_read, .written = on_written, .end = on_end};

static void flush(tp_after *after)
{
    struct connection *c =
        (struct connection *)((char *)after - offsetof(struct connection, flush));

    assert(front_is_current(c->front));
    if ((!c->ending || c->dismissed) && !c->blocked) {
        tpi_motionf_reply_write(c);
    }
    if (!c->ending) { /* there may be room again */
        tpi_motionf_connection_resume(c);
        if (c->client != NULL) {
            tpi_motionf_client_wait(c->client);
        }
        tpi_motionf_reply_write(c);
    }
    if (c->ending) {
        tpi_motionf_connection_close(c);
    }
}

void tpi_motionf_connection_close(struct connection *c)
{
    struct motion_front *front = c->front;

    tpi_motionf_client_leave(c);
    tp_loop_after_cancel(front->loop, &c->answers);
    tp_loop_after_cancel(front->loop, &c->flush);
    tp_session_destroy(c->session);
    tp_stream_close(c->stream);
    for (unsigned i = 0; i < c->pending_count; i++) {
        tp_msg_unref(c->pending[i]);
    }
    *(c->previous != NULL ? &c->previous->next : &front->connections) = c->next;
    if (c->next != NULL) {
        c->next->previous = c->previous;
    }
    front->count--;
    drop_held(c);
    free(c->out.bytes);
    free(c);
}

static void link_connection(struct motion_front *front, struct connection *c)
{
    c->front = front;
    c->flush.run = flush;
    c->next = front->connections;
    if (c->next != NULL) {
        c->next->previous = c;
    }
    front->connections = c;
    front->count++;
}

static void on_accept(void *context, tp_stream *stream)
{
    struct motion_front *front = context;
    const int patience_s = tp_front_where(front->instance)->patience_s;
    const bool has_place =
        front->count < front->most_clients || tp_front_make_room(front->instance);
    struct connection *c = has_place ? calloc(1, sizeof *c) : NULL;

    assert(front_is_current(front));
    if (c == NULL) {
        tp_stream_close(stream);
        return;
    }
    link_connection(front, c);
    c->stream = stream;
    if (patience_s != 0) {
        tp_stream_set_patience(stream, patience_s > 0 ? (unsigned)patience_s : 0);
    }
    if (tpi_motionf_session_begin(c) != TP_OK ||
        tp_stream_start(stream, &stream_events, c) != TP_OK) {
        tpi_motionf_connection_close(c);
    }
}

tp_status tpi_motionf_connection_listen(struct motion_front *front, const char *address,
                                        tp_error *err)
{
    front->shared = malloc(READ_SIZE);
    if (front->shared == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    return tp_listener_open(&front->listener, front->loop, address, on_accept, front, err);
}
