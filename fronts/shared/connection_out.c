/*
 * connection_out.c - what goes out on a connection: bytes of the front, messages of the session.
 *
 * Bytes of the front go before the messages of the session, but never into the middle of one.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "connection_inside.h"

enum { FIRST_OUT = 1024, MOST_KEPT = 64 << 10 };

/* ---- Ends ------------------------------------------------------------------------------------ */

static void close_soon(tp_connection *c)
{
    tp_loop_after(c->all->loop, &c->flush);
}

void tp_connection_soon(tp_connection *c)
{
    assert(tpi_connection_is_current(c));
    tp_session_flush_soon(c->session, &c->flush, true);
}

void tp_connection_give_up(tp_connection *c)
{
    assert(tpi_connection_is_current(c));
    c->ending = true;
    c->dismissed = false;
    close_soon(c);
}

void tp_connection_dismiss(tp_connection *c)
{
    assert(tpi_connection_is_current(c));
    c->dismissed = c->dismissed || !c->ending;
    c->ending = true;
    close_soon(c);
}

void tp_connection_finish(tp_connection *c)
{
    enum { SWEEPS = 10 };

    assert(tpi_connection_is_current(c));
    if (!tpi_connection_is_closing(c)) {
        c->finishing = true;
        c->patience = SWEEPS;
        if (!c->all->sweeping) {
            c->all->sweeping = true;
            tp_timer_every(c->all->sweep, TP_NS_PER_S);
        }
        tp_connection_soon(c);
    }
}

bool tp_connection_is_ending(const tp_connection *c)
{
    return tpi_connection_is_closing(c);
}

/* ---- Bytes of the front ---------------------------------------------------------------------- */

size_t tp_connection_waiting(const tp_connection *c)
{
    return c->out.length - c->out.sent;
}

unsigned char *tp_connection_reserve(tp_connection *c, size_t length)
{
    size_t capacity = c->out.capacity > 0 ? c->out.capacity : FIRST_OUT;

    if (c->ending) {
        return NULL;
    }
    while (capacity < c->out.length + length) {
        capacity *= 2;
    }
    if (capacity > c->out.capacity) {
        unsigned char *bytes = realloc(c->out.bytes, capacity);

        if (bytes == NULL) {
            tp_connection_give_up(c);
            return NULL;
        }
        c->out.bytes = bytes;
        c->out.capacity = capacity;
    }
    return c->out.bytes + c->out.length;
}

void tp_connection_commit(tp_connection *c, size_t length)
{
    assert(tpi_connection_is_current(c) && c->out.length + length <= c->out.capacity);
    c->out.length += length;
    tp_connection_soon(c);
}

void tp_connection_write(tp_connection *c, const void *bytes, size_t length)
{
    unsigned char *at = length > 0 ? tp_connection_reserve(c, length) : NULL;

    if (at != NULL) {
        memcpy(at, bytes, length);
        tp_connection_commit(c, length);
    }
}

/* So many bytes of the front were taken. Idle connections cost little. */
static void forget_bytes(tp_connection *c, size_t written)
{
    c->out.sent += written;
    if (c->out.sent < c->out.length) {
        return;
    }
    c->out.sent = c->out.length = 0;
    if (c->out.capacity > MOST_KEPT || c->out.encoding != NULL) {
        free(c->out.bytes);
        c->out.bytes = NULL;
        c->out.capacity = 0;
    }
}

/* ---- Messages of the session ----------------------------------------------------------------- */

void tp_connection_encode(tp_connection *c, const tp_encoding *encoding)
{
    assert(tpi_connection_is_current(c));
    c->out.encoding = encoding;
    tp_session_only_sends(c->session, encoding);
}

/* So many bytes of sealed messages were taken. */
static void forget_messages(tp_connection *c, const tp_piece *pieces, size_t written)
{
    unsigned whole = 0;

    while (written > 0 && written >= pieces[whole].length) {
        written -= pieces[whole++].length;
        c->out.written = 0;
    }
    tp_session_sent(c->session, whole);
    if (written > 0) {
        tp_session_goes_on(c->session);
    }
    c->out.written += written;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* The pieces that go out next: bytes of the front, unless a message is begun, then the oldest
 * sealed messages. `own` is the number of those of the front. */
static unsigned gather(tp_connection *c, tp_piece *pieces, unsigned *own)
{
    const bool begun = c->out.written > 0;
    const uint32_t sealed = c->out.encoding != NULL ? tp_session_sealed(c->session) : 0;
    unsigned count = 0;

    *own = 0;
    if (!begun && tp_connection_waiting(c) > 0) {
        pieces[count++] = (tp_piece){c->out.bytes + c->out.sent, tp_connection_waiting(c)};
        *own = 1;
    }
    for (uint32_t i = 0; i < sealed && count < TP_STREAM_PIECES; i++) {
        const void *bytes;
        size_t length;

        if (tp_msg_encode(tp_session_peek(c->session, i), c->out.encoding, &bytes, &length) !=
            TP_OK) {
            tp_connection_give_up(c);
            return 0;
        }
        pieces[count++] = (tp_piece){bytes, length};
    }
    if (begun && count > 0) {
        pieces[0].bytes = (const unsigned char *)pieces[0].bytes + c->out.written;
        pieces[0].length -= c->out.written;
    }
    return count;
}

/* One gathered write; whether there may be more to write at once. */
static bool write_some(tp_connection *c)
{
    tp_piece pieces[TP_STREAM_PIECES];
    unsigned own = 0;
    const unsigned count = gather(c, pieces, &own);
    size_t total = 0;

    if (count == 0) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        total += pieces[i].length;
    }
    const long taken = tp_stream_try_write(c->stream, pieces, count);
    if (taken < 0) {
        tp_connection_give_up(c);
        return false;
    }
    size_t written = (size_t)taken;
    c->blocked = written < total; /* until the stream takes more */
    if (own > 0) {
        const size_t part = written < pieces[0].length ? written : pieces[0].length;

        forget_bytes(c, part);
        written -= part;
    }
    forget_messages(c, pieces + own, written);
    return !c->blocked;
}

/* Whether the rest has to wait while others go on. */
static bool has_part_left(const tp_connection *c)
{
    return !c->ending && (tp_connection_waiting(c) > 0 || tp_session_sealed(c->session) > 0) &&
           tp_session_comes_last(c->session);
}

void tpi_connection_flush(tp_connection *c)
{
    while (!c->blocked && write_some(c)) {
        if (has_part_left(c)) {
            tp_connection_soon(c);
            return;
        }
    }
}

bool tpi_connection_is_sent(const tp_connection *c)
{
    return tp_connection_waiting(c) == 0 && c->out.written == 0 && tp_stream_has_sent(c->stream);
}
