/*
 * connection_in.c - bytes of a stream to messages.
 *
 * All connections read into one shared block; messages that are complete are handled where they
 * are. Only what is left of an unfinished message, or has to wait, is kept. Messages that are not
 * wanted are dropped as they come.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "connection_inside.h"

enum {
    FIRST_HELD = 256,  /* bytes */
    FIRST_ROOM = 2048, /* of a connection that keeps room */
    MOST_ROOM = 16384, /* that it keeps */
    GUEST_SIZE = 8192, /* what is read at once of a client that may only send short messages */
    MOST_OUT = 64 << 10,
};

/* ---- Waiting --------------------------------------------------------------------------------- */

/* Whether there is a reason to wait beside the session. */
static bool front_waits(tp_connection *c)
{
    const tp_connection_ops *ops = c->all->ops;
    const size_t most_out = ops->most_out > 0 ? ops->most_out : MOST_OUT;

    return tp_connection_waiting(c) >= most_out || (ops->waits != NULL && ops->waits(c));
}

bool tp_connection_waits(tp_connection *c)
{
    return tp_session_has_to_wait(c->session, front_waits(c));
}

/* Whether the message at `bytes` has to wait. The key of a new client does not wait for the
 * session: until it is shown, the client is one of many that are new. */
static bool message_waits(tp_connection *c, const unsigned char *bytes, size_t length)
{
    const tp_connection_ops *ops = c->all->ops;

    return tp_connection_waits(c) &&
           (length == 0 || ops->shows_key == NULL || !tp_session_is_new(c->session) ||
            front_waits(c) || !ops->shows_key(c, bytes, length));
}

/* Nothing is read while messages wait, beyond what the front wants to look at. */
static void stall_if_waiting(tp_connection *c)
{
    if (tpi_connection_is_closing(c)) {
        return;
    }
    c->stalled = c->stalled || tp_connection_waits(c);
    const bool pauses = c->stalled && c->in.length >= c->all->ops->read_ahead;
    if (pauses && !c->paused) {
        tp_stream_pause(c->stream);
    } else if (!pauses && c->paused) {
        tp_stream_resume(c->stream);
    }
    c->paused = pauses;
}

/* ---- What is held ---------------------------------------------------------------------------- */

void tpi_connection_drop(tp_connection *c)
{
    free(c->in.held);
    c->in.held = NULL;
    c->in.length = c->in.capacity = 0;
}

/* Nothing is held any more. */
static void hold_nothing(tp_connection *c)
{
    (void)tp_session_hold(c->session, 0, false);
    if (!c->keeps_room || c->in.capacity > MOST_ROOM) {
        tpi_connection_drop(c);
    }
    c->in.length = 0;
}

void tp_connection_keep_room(tp_connection *c)
{
    assert(tpi_connection_is_current(c));
    c->keeps_room = true;
    if (c->in.held == NULL) {
        c->in.held = malloc(FIRST_ROOM);
        c->in.capacity = c->in.held != NULL ? FIRST_ROOM : 0;
    }
    (void)tp_connection_reserve(c, 2 * FIRST_ROOM);
}

/* Room for so many bytes; the connection is given up if there is none. */
static bool hold(tp_connection *c, size_t capacity, bool unfinished)
{
    const bool grows = capacity > c->in.capacity;
    unsigned char *held = c->in.held;

    if (!tp_session_hold(c->session, grows ? capacity : c->in.capacity, unfinished) && grows) {
        held = NULL;
    } else if (grows) {
        held = realloc(c->in.held, capacity);
    }
    if (held == NULL) {
        tp_connection_give_up(c);
        return false;
    }
    c->in.held = held;
    c->in.capacity = grows ? (uint32_t)capacity : c->in.capacity;
    return true;
}

/* Keep what is left. The room grows as bytes come, not before. */
static void keep_rest(tp_connection *c, const unsigned char *rest, size_t length, size_t needed)
{
    const bool unfinished = length < needed;
    const bool reads = unfinished || length < c->all->ops->read_ahead;
    size_t capacity = FIRST_HELD;

    while (capacity < length || (unfinished && capacity < length * 2 && capacity < needed) ||
           (reads && capacity == length)) {
        capacity *= 2;
    }
    if (c->in.length == 0) {
        if (!hold(c, capacity, unfinished)) {
            return;
        }
        memcpy(c->in.held, rest, length);
        c->in.length = (uint32_t)length;
    } else {
        /* There is always room for the bytes that are read next. */
        const bool full = reads && c->in.length == c->in.capacity;
        if (!hold(c, full ? capacity : c->in.capacity, unfinished)) {
            return;
        }
    }
    if (unfinished) { /* its bytes, not the room for them */
        tp_session_unfinished(c->session, c->in.length);
    }
}

void tpi_connection_room(tp_connection *c, void **bytes, size_t *length)
{
    if (c->in.length == 0 || tpi_connection_is_closing(c)) {
        *bytes = c->all->shared;
        *length = tp_session_longest_message(c->session) < TPI_CONNECTION_READ * 2
                      ? GUEST_SIZE
                      : TPI_CONNECTION_READ;
    } else {
        *bytes = c->in.held + c->in.length;
        *length = c->in.capacity - c->in.length;
    }
}

size_t tpi_connection_unread(const tp_connection *c)
{
    return c->in.length + tp_stream_unread(c->stream);
}

/* ---- Messages -------------------------------------------------------------------------------- */

/* Show the front all messages that it has not seen. */
static void scout(tp_connection *c, const unsigned char *bytes, size_t length)
{
    const tp_connection_ops *ops = c->all->ops;

    while (ops->look != NULL && c->in.scouted < length && !tpi_connection_is_closing(c)) {
        const uint64_t size = ops->look(c, bytes + c->in.scouted, length - (size_t)c->in.scouted);

        if (size == 0) {
            return;
        }
        c->in.scouted += size;
    }
}

void tp_connection_act(tp_connection *c)
{
    assert(tpi_connection_is_current(c));
    c->in.acted = c->in.scouted + 1;
}

bool tp_connection_acted(const tp_connection *c)
{
    assert(tpi_connection_is_current(c));
    return c->in.acted > 0;
}

/* So many bytes are done with. */
static void pass(tp_connection *c, size_t length)
{
    c->in.scouted -= c->in.scouted < length ? c->in.scouted : length;
    c->in.acted -= c->in.acted < length ? c->in.acted : length;
}

void tp_connection_skip(tp_connection *c, uint64_t length)
{
    assert(tpi_connection_is_current(c));
    c->in.skip = length;
}

/* Drop what belongs to a message that is not wanted; how many bytes that were. */
static size_t skip(tp_connection *c, size_t length)
{
    const size_t skipped = c->in.skip < length ? (size_t)c->in.skip : length;

    c->in.skip -= skipped;
    if (skipped > 0) {
        tp_session_took(c->session, skipped);
    }
    return skipped;
}

/* Handle one message; how many bytes are done with, 0 if it is unfinished. */
static size_t handle(tp_connection *c, const unsigned char *bytes, size_t length, size_t *needed)
{
    *needed = length + 1;
    const size_t used = c->all->ops->message(c, bytes, length, needed);

    assert(used <= length && (used > 0 || *needed > length || tpi_connection_is_closing(c)));
    if (used > 0) {
        tp_session_took(c->session, used);
    } else if (*needed > tp_session_longest_message(c->session)) {
        tp_connection_give_up(c);
    }
    return used;
}

/* Handle the messages at `bytes`, as far as they need not wait; how many bytes are done with.
 * `needed` is the length of the next one, as far as it is known; 0 if that waits. */
static size_t consume(tp_connection *c, const unsigned char *bytes, size_t length, size_t *needed)
{
    size_t used = skip(c, length);

    pass(c, used);
    scout(c, bytes + used, length - used);
    *needed = 0;
    c->stalled = false;
    while (used < length && !tpi_connection_is_closing(c)) {
        c->stalled = message_waits(c, bytes + used, length - used);
        const size_t done = c->stalled ? 0 : handle(c, bytes + used, length - used, needed);

        if (done == 0) {
            break;
        }
        used += done;
        const size_t skipped = skip(c, length - used);
        used += skipped;
        pass(c, done + skipped);
        *needed = 0;
    }
    return used;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static void read_shared(tp_connection *c, size_t length)
{
    const unsigned char *bytes = c->all->shared;
    size_t needed = 0;
    const size_t used = consume(c, bytes, length, &needed);

    if (used < length && !tpi_connection_is_closing(c)) {
        keep_rest(c, bytes + used, length - used, needed);
    }
}

static void read_held(tp_connection *c, size_t length)
{
    size_t needed = 0;

    c->in.length += (uint32_t)length;
    const size_t used = consume(c, c->in.held, c->in.length, &needed);
    if (tpi_connection_is_closing(c)) {
        return;
    }
    if (used == c->in.length) {
        hold_nothing(c);
        return;
    }
    memmove(c->in.held, c->in.held + used, c->in.length - used);
    c->in.length -= (uint32_t)used;
    keep_rest(c, c->in.held, c->in.length, needed);
}

void tpi_connection_take(tp_connection *c, size_t length)
{
    if (c->in.length == 0) {
        read_shared(c, length);
    } else {
        read_held(c, length);
    }
    stall_if_waiting(c);
}

void tpi_connection_resume(tp_connection *c)
{
    if (!c->stalled || tpi_connection_is_closing(c) || message_waits(c, c->in.held, c->in.length)) {
        return;
    }
    c->stalled = false;
    if (c->in.length > 0) {
        read_held(c, 0);
    }
    stall_if_waiting(c);
}
