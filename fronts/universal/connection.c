/*
 * connection.c - bytes of a stream to packets.
 *
 * All connections read into one shared room; packets that are whole are handled where they are.
 * Only what is left of an unfinished packet, or has to wait, is kept. While a command runs, a few
 * packets more are read, so that a panic behind it is seen: every packet is looked at for one when
 * it is whole.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

enum { FIRST_HELD = 256, MOST_AHEAD = 4096, LENGTH_SIZE = 4 };

void tpi_universalf_give_up(struct connection *c)
{
    c->ending = true;
    tp_loop_after(c->front->loop, &c->flush);
}

/* Whether the next packet has to wait: the one before it is not done, or its reply is not sent. */
static bool waits(struct connection *c)
{
    const bool busy = tp_session_is_busy(c->session);

    return busy || c->task.on || c->task.asked != 0 || c->out.length > 0;
}

/* ---- Packets --------------------------------------------------------------------------------- */

static size_t size_of(const unsigned char *bytes)
{
    return (size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | bytes[3];
}

/* Raise a panic if the packet asks for one. */
static void look_for_panic(struct connection *c, const unsigned char *bytes, size_t length)
{
    char why[MOST_WHY];
    tpi_packet packet;

    if (tpi_packet_read(&packet, bytes, length, why, sizeof why) == TPI_FAULT_NONE &&
        packet.command == TPI_EXTENDED && packet.count > 0 && packet.values[0].length > 0 &&
        packet.values[0].text[0] == TPI_PACKET_PANIC) {
        tpi_universalf_panic(c, (tpi_packet_rest){(const uint8_t *)packet.values[0].text + 1,
                                                  packet.values[0].length - 1});
    }
}

static void scout(struct connection *c, const unsigned char *bytes, size_t length)
{
    while (c->in.scouted + LENGTH_SIZE <= length) {
        const unsigned char *at = bytes + c->in.scouted;
        const size_t size = size_of(at);

        if (size > length - c->in.scouted - LENGTH_SIZE) {
            return;
        }
        look_for_panic(c, at + LENGTH_SIZE, size);
        c->in.scouted += LENGTH_SIZE + size;
    }
}

/* Handle the whole packets at `bytes`, as far as they need not wait; how many bytes they took.
 * `needed` is the length of the next one, as far as it is known. */
static size_t consume(struct connection *c, const unsigned char *bytes, size_t length,
                      size_t *needed)
{
    size_t used = 0;

    *needed = LENGTH_SIZE;
    scout(c, bytes, length);
    while (length - used >= LENGTH_SIZE && !c->ending) {
        const size_t size = size_of(bytes + used);

        if (size > tp_session_longest_message(c->session)) {
            tpi_universalf_give_up(c);
            break;
        }
        *needed = LENGTH_SIZE + size;
        if (length - used < *needed || waits(c)) {
            break;
        }
        tpi_universalf_handle(c, bytes + used + LENGTH_SIZE, size);
        tp_session_took(c->session, *needed);
        used += *needed;
        *needed = LENGTH_SIZE;
    }
    c->in.scouted -= c->in.scouted < used ? c->in.scouted : used;
    return used;
}

/* ---- What is held ---------------------------------------------------------------------------- */

/* There is room behind what is held; the connection is given up if there is none. The room grows as
 * bytes come, not before. */
static void make_room(struct connection *c, size_t needed)
{
    const bool unfinished = c->in.length < needed;
    size_t capacity = c->in.capacity > 0 ? c->in.capacity : FIRST_HELD;
    unsigned char *held = c->in.held;

    while (capacity <= c->in.length) {
        capacity *= 2;
    }
    if (!tp_session_hold(c->session, capacity, unfinished) && capacity > c->in.capacity) {
        tpi_universalf_give_up(c);
        return;
    }
    if (capacity > c->in.capacity) {
        held = realloc(c->in.held, capacity);
        if (held == NULL) {
            tpi_universalf_give_up(c);
            return;
        }
    }
    c->in.held = held;
    c->in.capacity = capacity;
}

static void drop_held(struct connection *c)
{
    free(c->in.held);
    c->in.held = NULL;
    c->in.length = c->in.capacity = 0;
}

static void read_shared(struct connection *c, size_t length)
{
    const unsigned char *bytes = c->front->shared;
    size_t needed = 0;
    const size_t used = consume(c, bytes, length, &needed);

    if (used == length || c->ending) {
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
        (void)tp_session_hold(c->session, 0, false);
        return;
    }
    memmove(c->in.held, c->in.held + used, c->in.length - used);
    c->in.length -= used;
    make_room(c, needed);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static void on_room(void *context, void **bytes, size_t *length)
{
    struct connection *c = context;

    if (c->in.held == NULL || c->ending) {
        *bytes = c->front->shared;
        *length = tp_session_longest_message(c->session) < READ_SIZE * 2 ? GUEST_SIZE : READ_SIZE;
    } else {
        *bytes = c->in.held + c->in.length;
        *length = c->in.capacity - c->in.length;
    }
}

/* Enough has come that waits, or the session wants it. */
static void pause_if_full(struct connection *c)
{
    if (!c->ending && !c->paused && waits(c) && c->in.length >= MOST_AHEAD) {
        c->paused = true;
        tp_stream_pause(c->stream);
    }
}

static void on_read(void *context, size_t length)
{
    struct connection *c = context;

    assert(front_is_current(c->front));
    if (c->ending) {
        return;
    }
    tp_session_heard(c->session);
    if (c->in.held == NULL) {
        read_shared(c, length);
    } else {
        read_held(c, length);
    }
    pause_if_full(c);
    tp_loop_after(c->front->loop, &c->flush);
}

static void resume(struct connection *c)
{
    if (c->in.held != NULL && !c->ending && !waits(c)) {
        read_held(c, 0);
    }
    if (c->paused && !c->ending && (!waits(c) || c->in.length < MOST_AHEAD)) {
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
    tp_loop_after(c->front->loop, &c->flush);
}

static void on_end(void *context, tp_status status)
{
    struct connection *c = context;

    assert(front_is_current(c->front));
    (void)status;
    tpi_universalf_give_up(c);
}

static const tp_stream_events stream_events = {
    .room = on_room, .read = on_read, .written = on_written, .end = on_end};

static void flush(tp_after *after)
{
    struct connection *c =
        (struct connection *)((char *)after - offsetof(struct connection, flush));

    assert(front_is_current(c->front));
    if (!c->ending || c->dismissed) {
        tpi_universalf_write(c);
    }
    if (!c->ending) {
        resume(c);
        tpi_universalf_stream_go_on(c);
        tpi_universalf_write(c);
    }
    if (c->ending) {
        tpi_universalf_close(c);
    }
}

void tpi_universalf_close(struct connection *c)
{
    struct universal_front *front = c->front;

    tp_loop_after_cancel(front->loop, &c->answers);
    tp_loop_after_cancel(front->loop, &c->flush);
    tp_timer_destroy(c->stream_of.timer);
    tp_session_destroy(c->session); /* what it moves is stopped */
    tp_stream_close(c->stream);
    *(c->previous != NULL ? &c->previous->next : &front->connections) = c->next;
    if (c->next != NULL) {
        c->next->previous = c->previous;
    }
    front->count--;
    drop_held(c);
    tpi_universalf_drop_ports(c, 0);
    tpi_universalf_channels_end(c);
    free(c->task.bytes);
    tpi_buf_fini(&c->out);
    free(c);
}

static void link_connection(struct universal_front *front, struct connection *c)
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
    struct universal_front *front = context;
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
    if (tpi_universalf_session_begin(c) != TP_OK ||
        tp_stream_start(stream, &stream_events, c) != TP_OK) {
        tpi_universalf_close(c);
    }
}

tp_status tpi_universalf_listen(struct universal_front *front, const char *address, tp_error *err)
{
    front->shared = malloc(READ_SIZE);
    if (front->shared == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    return tp_listener_open(&front->listener, front->loop, address, on_accept, front, err);
}
