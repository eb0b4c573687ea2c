/*
 * connection.h - the clients of a front on streams: what all fronts on TCP and unix sockets share.
 *
 * A front describes its messages in one table, tp_connection_ops. The rest is here, for each
 * connection:
 *
 *   - Accepting. The limit of clients, room for a new one, the patience with a client that has
 *     vanished, and a session of its own, which knows the client's rights and keys.
 *   - Reading. All connections read into one shared block. Only an unfinished message, or messages
 *     that have to wait, are kept by the connection, so an idle client costs little. The budgets of
 *     the session bound what is kept, how long a message is, and how long it stays unfinished.
 *   - Waiting. No message is handled while the session is busy, while the front wants to wait, or
 *     while too much waits to be sent. Nothing is read then, except a few bytes in which the front
 *     looks for a panic. The key of a new client does not wait for the session.
 *   - Writing. Bytes of the front and messages of the session, as far as the stream takes them.
 *   - Closing. At the end of the turn, never within a callback.
 *
 * Life cycle:
 *
 *     tp_connections_open -> (begin -> (message | receive | turn | ...)* -> end)* ->
 *     tp_connections_close
 *
 * The session closes a client that never sends a message, that does not end one in time, or that
 * does not read its replies (troupe/front.h). The leases of a client are renewed by the session:
 * with every read if `renews` is set, otherwise when the front calls tp_session_heard().
 *
 * Everything here belongs to the loop's thread. Nothing here waits.
 */
#ifndef TROUPE_CONNECTION_H
#define TROUPE_CONNECTION_H

#include "troupe/front.h"
#include "troupe/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The listener of an instance of a front, with its connections. */
typedef struct tp_connections tp_connections;

/* One client on a stream. */
typedef struct tp_connection tp_connection;

typedef struct tp_connection_ops {
    size_t state_size;        /* zeroed memory of the front for each connection */
    tp_session_limits limits; /* of each session */
    size_t most_out;          /* messages wait while at least so many bytes wait to be sent; 0 for
                                 64 KiB */
    size_t read_ahead; /* so many bytes are read while messages wait, for `look` and `shows_key`; 0
                          for none */
    bool renews;       /* every read renews the leases of the client */

    /* A client has connected. It has a session; bytes that are written here go out first. A failure
     * closes it. Optional. */
    tp_status (*begin)(tp_connection *connection);

    /* Look at the message that begins at `bytes`, for what must not wait: a panic. Called once for
     * each message, in order, as soon as its length is known, also if messages before it wait.
     * Returns the length of the message, 0 if it is not known yet. The length may be larger than
     * what has come. A panic while there is one (tp_session_sees_panic()) can wait for `message`;
     * tp_connection_acted() tells the two apart. Optional. */
    uint64_t (*look)(tp_connection *connection, const unsigned char *bytes, size_t length);

    /* Handle the message that begins at `bytes`, of which `length` bytes have come. Returns how
     * many bytes are done with, at most `length`. Returns 0 if the message is not complete, and
     * sets `needed` to its length as far as that is known: more than `length`. The client is closed
     * if that is more than tp_session_longest_message(). Required. */
    size_t (*message)(tp_connection *connection, const unsigned char *bytes, size_t length,
                      size_t *needed);

    /* Whether the next message has to wait for a reason of the front. When the reason ends, the
     * front calls tp_connection_soon(). Optional. */
    bool (*waits)(tp_connection *connection);

    /* Whether the message at `bytes`, of which `length` bytes have come, is whole and does no more
     * than show a key. Of a new client (tp_session_is_new()) it does not
     * wait for the session. Optional. */
    bool (*shows_key)(tp_connection *connection, const unsigned char *bytes, size_t length);

    /* A message of the session: data or a reply. Not called for a connection with an encoding
     * (tp_connection_encode()). The message is borrowed. Optional. */
    void (*receive)(tp_connection *connection, const tp_msg *msg);

    /* Bytes have come; they are handled next. Optional. */
    void (*arrived)(tp_connection *connection);

    /* The bytes of a read were handled as far as possible, and what the front wrote was offered to
     * the stream. Optional. */
    void (*handled)(tp_connection *connection);

    /* The end of a turn in which something has happened: there may be room again. Optional. */
    void (*turn)(tp_connection *connection);

    /* The connection ends; its session is still there. Follows every `begin`, failed or not.
     * Optional. */
    void (*end)(tp_connection *connection);
} tp_connection_ops;

/* ---- Listening ------------------------------------------------------------------------------- */

/* Listen at the address of the instance. `ops` stays borrowed. With `most` connections a new one
 * takes the place of the client of least standing (tp_front_make_room()), or is closed. TP_E_EXISTS
 * if the address is taken. */
TP_API tp_status tp_connections_open(tp_connections **out, tp_front_instance *instance,
                                     const tp_connection_ops *ops, size_t most, tp_error *err);

/* Close all connections and stop listening. NULL is accepted. */
TP_API void tp_connections_close(tp_connections *connections);

/* The port of the listener; 0 for a unix socket. */
TP_API unsigned tp_connections_port(const tp_connections *connections);

/* How many connections there are. */
TP_API size_t tp_connections_count(const tp_connections *connections);

/* ---- What belongs to a connection ------------------------------------------------------------ */

/* The front's memory for the connection: `state_size` bytes, zeroed before `begin`. */
TP_API void *tp_connection_state(tp_connection *connection);

TP_API tp_front_instance *tp_connection_front(const tp_connection *connection);

/* The session of the connection; borrowed. Its callbacks, such as tp_session_opened, get the
 * connection as their context. */
TP_API tp_session *tp_connection_session(const tp_connection *connection);

/* The stream, to set its patience or to acknowledge; borrowed. The front does not read, write or
 * close it. */
TP_API tp_stream *tp_connection_stream(const tp_connection *connection);

/* ---- Reading --------------------------------------------------------------------------------- */

/* Drop the next `length` bytes behind those that `message` returns, as they come: the rest of a
 * message that is not wanted. Only inside `message`. */
TP_API void tp_connection_skip(tp_connection *connection, uint64_t length);

/* The front has acted on the message that it looks at. Only inside `look`. */
TP_API void tp_connection_act(tp_connection *connection);

/* Whether `look` has acted on this message, or on one behind it. Only inside `message`. */
TP_API bool tp_connection_acted(const tp_connection *connection);

/* Keep some memory for unfinished messages and for bytes that wait to be sent, a few kilobytes,
 * also while there are none. For clients that have reported in: a connection that is used all the
 * time allocates nothing then. */
TP_API void tp_connection_keep_room(tp_connection *connection);

/* Whether the next message has to wait now. */
TP_API bool tp_connection_waits(tp_connection *connection);

/* ---- Writing --------------------------------------------------------------------------------- */

/* Send messages of the session in this encoding from now on, instead of giving them to `receive`.
 * All connections with the same encoding share the bytes of a message. Called before the session
 * opens a device (tp_session_only_sends()). */
TP_API void tp_connection_encode(tp_connection *connection, const tp_encoding *encoding);

/* Memory for at most `length` bytes behind those that wait to be sent. NULL if the connection ends,
 * or without memory: the connection is given up then. */
TP_API unsigned char *tp_connection_reserve(tp_connection *connection, size_t length);

/* Send `length` bytes that were written to the memory of the last tp_connection_reserve(). They go
 * out between two messages of the session, soon. */
TP_API void tp_connection_commit(tp_connection *connection, size_t length);

/* Send bytes, which are copied. Without memory the connection is given up. */
TP_API void tp_connection_write(tp_connection *connection, const void *bytes, size_t length);

/* How many bytes of the front wait to be sent. Messages of the session are not counted. */
TP_API size_t tp_connection_waiting(const tp_connection *connection);

/* ---- Turns and the end ----------------------------------------------------------------------- */

/* At the end of this turn: write, handle messages that may go on, call `turn`. */
TP_API void tp_connection_soon(tp_connection *connection);

/* Close it when this turn is over. Nothing more is read or written. */
TP_API void tp_connection_give_up(tp_connection *connection);

/* Close it when the bytes of the front have been sent, or after ten seconds. Nothing more is
 * handled. */
TP_API void tp_connection_finish(tp_connection *connection);

/* The same, but what does not go out at the end of this turn is dropped. */
TP_API void tp_connection_dismiss(tp_connection *connection);

/* Whether it is about to be closed: nothing more is handled. */
TP_API bool tp_connection_is_ending(const tp_connection *connection);

#ifdef __cplusplus
}
#endif
#endif
