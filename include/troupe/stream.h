/*
 * stream.h - connected byte streams: TCP and unix sockets, listening and connecting.
 *
 * Addresses are texts: "tcp:127.0.0.1:6665", "tcp:[::1]:6665", "tcp:*:0" (all interfaces, any
 * port), "tcp:name:6665" (its IPv4 addresses first), "unix:/path". Nagle is off, keep-alive is on.
 * All functions belong to the loop's thread. A started stream allocates nothing, but once when its
 * peer first takes no more.
 *
 * Writing works like write() on a non-blocking socket: tp_stream_try_write() takes as much as it
 * can and keeps no pointer to the caller's memory. If it did not take everything, `written` reports
 * when to offer the rest. The writer may therefore free or replace bytes that were not taken, and
 * may close the stream at any time.
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
    /* Returns the memory for incoming bytes: at least one byte. Called before each read. Must not
     * close the stream. Not every call is followed by `read`. */
    void (*room)(void *context, void **bytes, size_t *length);
    /* `length` bytes have arrived in the memory that `room` returned last. */
    void (*read)(void *context, size_t length);
    /* Called once after one or more writes that did not take everything. The rest may be offered
     * now. */
    void (*written)(void *context);
    /* The peer has closed the connection, or it failed. Called once; the owner must close the
     * stream. `status` is TP_OK for an orderly end. Bytes that arrived before were read, unless
     * reading is paused. */
    void (*end)(void *context, tp_status status);
} tp_stream_events;

/* ---- Listening ------------------------------------------------------------------------------- */

/* Listen at an address. `accept` receives and owns every new stream; it starts the stream with
 * tp_stream_start() or closes it. It may close the listener. The call waits if a name has to be
 * looked up. A unix socket that a dead server left behind is replaced; a socket with a listener, or
 * a file, is not. An address that is taken is TP_E_EXISTS. The last file descriptors of the
 * process are a reserve: a new connection that gets one of them closes the client of least standing
 * (tp_front_session()). With no descriptor left, new connections wait in the kernel. */
TP_API tp_status tp_listener_open(tp_listener **out, tp_loop *loop, const char *address,
                                  void (*accept)(void *context, tp_stream *stream), void *context,
                                  tp_error *err);

/* Stop listening. The address is free when the call returns; a unix socket is removed. NULL is
 * accepted. */
TP_API void tp_listener_close(tp_listener *listener);

/* The port of the listener; 0 for unix sockets. */
TP_API unsigned tp_listener_port(const tp_listener *listener);

/* ---- Streams --------------------------------------------------------------------------------- */

/* Connect without waiting. `done` reports the result later, never from inside this call. The caller
 * owns the stream at once and may close it before `done`; then `done` is not called. A failed
 * stream must be closed. The call itself fails only for an invalid address and without memory. */
TP_API tp_status tp_stream_connect(tp_stream **out, tp_loop *loop, const char *address,
                                   void (*done)(void *context, tp_stream *stream, tp_status status),
                                   void *context, tp_error *err);

/* Check the syntax of an address. Makes no connection and looks up no name. */
TP_API tp_status tp_stream_check(const char *address, tp_error *err);

/* The reason why connecting failed or the stream ended: "connect to tcp:127.0.0.1:1: connection
 * refused", "127.0.0.1:51234: connection reset by peer". TP_OK, with `err` untouched, if there was
 * no error. */
TP_API tp_status tp_stream_error(const tp_stream *stream, tp_error *err);

/* Begin to read. The events stay borrowed until the stream is closed. TP_E_INVALID for a stream
 * that is not connected. */
TP_API tp_status tp_stream_start(tp_stream *stream, const tp_stream_events *events, void *context);

/* Stop reading: back-pressure on a peer that sends too much. */
TP_API void tp_stream_pause(tp_stream *stream);

/* Resume reading. */
TP_API void tp_stream_resume(tp_stream *stream);

/* The default of tp_stream_set_patience(). */
enum { TP_STREAM_PATIENCE_S = 10 };

/* End a TCP connection as broken when the peer's machine has not answered for this many seconds; 0
 * for never. A peer that is alive and does not read is kept. Cannot fail. */
TP_API void tp_stream_set_patience(tp_stream *stream, unsigned seconds);

/* Send a TCP acknowledgement at once instead of with the next bytes to the peer: the peer may hold
 * back further bytes until then. Useful only when nothing is about to be sent. Cannot fail. */
TP_API void tp_stream_acknowledge(tp_stream *stream);

/* The number of bytes that have arrived and were not read yet. */
TP_API size_t tp_stream_unread(const tp_stream *stream);

/* Whether the peer has closed its side, also if bytes before that were not read yet. It may still
 * take what is written. */
TP_API bool tp_stream_has_left(const tp_stream *stream);

/* When these bytes can have arrived at the earliest, by the clock of the loop. */
TP_API int64_t tp_stream_since_ns(const tp_stream *stream);

enum { TP_STREAM_PIECES = 256 };

/* Write as much as possible without waiting, at most TP_STREAM_PIECES pieces. Returns the number of
 * bytes taken, which may be 0, or a negative number if the connection is broken (`end` reports that
 * too). If not everything was taken, `written` will be called. The pieces are not kept. Only for a
 * started stream.
 *
 * Taken does not mean sent: when the kernel takes no more, the stream itself keeps a few bytes,
 * because libuv reports a writable socket only to a pending write. Closing discards these bytes:
 * see tp_stream_has_sent(). */
TP_API long tp_stream_try_write(tp_stream *stream, const tp_piece *pieces, unsigned count);

/* The same for bytes that would be too old later: if the kernel does not take the first of them at
 * once, nothing is taken, and `written` is not called. */
TP_API long tp_stream_try_write_at_once(tp_stream *stream, const tp_piece *pieces, unsigned count);

/* Whether the kernel has all bytes that were taken. If not, `written` will be called. Only for a
 * started stream. */
TP_API bool tp_stream_has_sent(tp_stream *stream);

/* Close the stream and discard what was not written. The memory is released later; no further event
 * is called. NULL is accepted. */
TP_API void tp_stream_close(tp_stream *stream);

/* The peer for logs and statistics: "127.0.0.1:51234" or "unix"; before the connection is made, the
 * address as given. Borrowed. */
TP_API const char *tp_stream_peer(const tp_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
