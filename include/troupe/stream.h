/*
 * stream.h - connected byte streams: TCP and unix sockets, listening and connecting.
 *
 * Addresses are texts: "tcp:127.0.0.1:6665", "tcp:[::1]:6665", "tcp:*:0" (all interfaces, any
 * port), "tcp:name:6665" (its IPv4 addresses first), "unix:/path". Nagle is off, keep-alive is on.
 * Everything belongs to the loop's thread. Once started, a stream allocates nothing.
 *
 * Writing is like write() on a socket that does not wait: tp_stream_try_write() takes what it can
 * and keeps no memory of the caller's; if it could not take all, `written` says when to offer the
 * rest. So whoever writes may free or replace what was not taken yet, and may close at any time.
 */
#ifndef TROUPE_STREAM_H
#define TROUPE_STREAM_H

#include <stddef.h>

#include "troupe/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tp_stream tp_stream;
typedef struct tp_listener tp_listener;

/* A piece of memory to be written. */
typedef struct tp_piece {
    const void *bytes;
    size_t length;
} tp_piece;

typedef struct tp_stream_events {
    /* Where incoming bytes should go: at least one byte of room. Called before each read; must not
     * close the stream. Not every call is followed by `read`. */
    void (*room)(void *context, void **bytes, size_t *length);
    /* So many bytes arrived in the last room. */
    void (*read)(void *context, size_t length);
    /* Called once after one or more writes that did not take all: the rest may be offered now. */
    void (*written)(void *context);
    /* The peer is gone or the connection failed; called once. The stream is to be closed. `status`
     * is TP_OK for an orderly end. What had arrived before was read, unless reading is paused. */
    void (*end)(void *context, tp_status status);
} tp_stream_events;

/* ---- Listening ------------------------------------------------------------------------------- */

/* Listen. `accept` gets every new stream, owns it, and starts it with tp_stream_start() or closes
 * it; it may close the listener. Waits if a name has to be looked up. A unix socket that a dead
 * server left behind is replaced; one that somebody listens on, or a file, is not. With too many
 * open files new connections wait in the kernel until others are closed. */
TP_API tp_status tp_listener_open(tp_listener **out, tp_loop *loop, const char *address,
                                  void (*accept)(void *context, tp_stream *stream), void *context,
                                  tp_error *err);

/* The address is free as soon as this returns; a unix socket is removed. NULL is accepted. */
TP_API void tp_listener_close(tp_listener *listener);

/* The port that it listens on (0 for unix sockets). */
TP_API unsigned tp_listener_port(const tp_listener *listener);

/* ---- Streams --------------------------------------------------------------------------------- */

/* Connect; does not wait: `done` tells how it went, later, and never from inside this call. The
 * stream is the caller's at once and may be closed before that; then `done` is not called. A failed
 * stream is to be closed. Fails itself only for an address that is none, and without memory. */
TP_API tp_status tp_stream_connect(tp_stream **out, tp_loop *loop, const char *address,
                                   void (*done)(void *context, tp_stream *stream, tp_status status),
                                   void *context, tp_error *err);

/* Whether an address could be connected to as far as its text goes; asks nobody. */
TP_API tp_status tp_stream_check(const char *address, tp_error *err);

/* Why connecting failed, or why the stream ended: "connect to tcp:127.0.0.1:1: connection refused",
 * "127.0.0.1:51234: connection reset by peer". TP_OK, with `err` untouched, if there was no error.
 */
TP_API tp_status tp_stream_error(const tp_stream *stream, tp_error *err);

/* Begin to read. The events stay borrowed until the stream is closed. A stream that is not
 * connected is TP_E_INVALID. */
TP_API tp_status tp_stream_start(tp_stream *stream, const tp_stream_events *events, void *context);

/* Stop and resume reading: back-pressure on a peer that asks too much. */
TP_API void tp_stream_pause(tp_stream *stream);
TP_API void tp_stream_resume(tp_stream *stream);

/* Give a connection on TCP up, as broken, when its peer's machine should have answered and has not
 * for about so many seconds; 0 for never. TP_STREAM_PATIENCE_S until this is called. A peer that is
 * there and does not read is not given up. Cannot fail. */
enum { TP_STREAM_PATIENCE_S = 30 };
TP_API void tp_stream_set_patience(tp_stream *stream, unsigned seconds);

/* Let the peer know at once that its bytes have come, instead of with the next bytes that go to it,
 * or a while later: what it has written since may wait for that. Only where nothing is about to be
 * sent is it worth it. Cannot fail. */
TP_API void tp_stream_acknowledge(tp_stream *stream);

/* How many bytes have come that were not read yet. */
TP_API size_t tp_stream_unread(const tp_stream *stream);

enum { TP_STREAM_PIECES = 64 };

/* Write as much as can be taken without waiting, at most TP_STREAM_PIECES pieces: the number of
 * bytes taken (which may be none), negative if the connection is broken (`end` will tell, if it has
 * not told yet). When not all was taken, `written` will be called. Does not keep the pieces. Only
 * for a stream that was started.
 *
 * Taken is not sent: when the kernel takes no more, the stream itself takes a few bytes (libuv says
 * that a socket can be written only to whom waits with a byte in hand); closing gives these up. */
TP_API long tp_stream_try_write(tp_stream *stream, const tp_piece *pieces, unsigned count);

/* Close, with what was not written given up. The memory is released later by itself; no event
 * comes any more. NULL is accepted. */
TP_API void tp_stream_close(tp_stream *stream);

/* "127.0.0.1:51234" or "unix", for logs and statistics; the address as given while it is not
 * connected yet. Borrowed. */
TP_API const char *tp_stream_peer(const tp_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
