/*
 * connection_inside.h - a connection of a front, for the files of this folder; see
 * troupe/connection.h.
 *
 *     connection.c       beginning, end, and the turn of a connection; its listener
 *     connection_in.c    bytes of a stream to messages; what waits
 *     connection_out.c   bytes and messages to the stream; giving a connection up
 */
#ifndef TROUPE_FRONTS_SHARED_CONNECTION_INSIDE_H
#define TROUPE_FRONTS_SHARED_CONNECTION_INSIDE_H

#include <stdalign.h>

#include "troupe/connection.h"

struct tp_connection {
    tp_connections *all; /* borrowed */
    tp_stream *stream;   /* owned */
    tp_session *session; /* owned */
    tp_connection *next, *previous;
    tp_after flush;

    struct {
        unsigned char *held; /* owned; what has come and is not handled: `length` bytes of it */
        uint32_t length, capacity;
        uint64_t skip;    /* bytes of a message that are dropped */
        uint64_t scouted; /* where the next message is that `look` has not seen */
        uint64_t acted;   /* up to there, messages are done with on which `look` can act */
    } in;
    struct {
        unsigned char *bytes; /* owned; NULL if there are none */
        size_t length, capacity, sent;
        const tp_encoding *encoding; /* borrowed; NULL: messages go to `receive` */
        size_t written;              /* of the oldest message of the session */
    } out;
    uint8_t patience; /* sweeps until a connection that is finishing is closed */

    bool begun;      /* `begin` was called */
    bool keeps_room; /* memory is not released when nothing is held */
    bool stalled;    /* messages that have come wait */
    bool paused;     /* not read from */
    bool blocked;    /* the stream takes no more for now */
    bool finishing;  /* to be closed when everything is sent */
    bool ending;     /* to be closed at the end of the turn */
    bool dismissed;  /* what waits is still offered to the stream before that */

    alignas(max_align_t) unsigned char state[];
};

struct tp_connections {
    tp_front_instance *instance;  /* borrowed */
    tp_loop *loop;                /* borrowed */
    const tp_connection_ops *ops; /* borrowed */
    tp_listener *listener;        /* owned; NULL until it listens */
    unsigned char *shared;        /* owned: what is read at once */
    tp_timer *sweep;              /* owned: looks at connections that are finishing */
    bool sweeping;                /* the timer is set */
    size_t most, count;
    tp_connection *first; /* owned; the newest first */
};

static inline bool tpi_connection_is_current(const tp_connection *c)
{
    return tp_loop_is_current(c->all->loop);
}

/* Whether messages are no longer handled. */
static inline bool tpi_connection_is_closing(const tp_connection *c)
{
    return c->ending || c->finishing;
}

/* ---- connection_in.c ---- */

/* The size of the shared block. */
enum { TPI_CONNECTION_READ = 65536 };

/* The memory for what comes next. */
void tpi_connection_room(tp_connection *c, void **bytes, size_t *length);

/* So many bytes have come. */
void tpi_connection_take(tp_connection *c, size_t length);

/* Messages that wait may go on. */
void tpi_connection_resume(tp_connection *c);

/* How many bytes have come and were not handled. */
size_t tpi_connection_unread(const tp_connection *c);

/* Release what is held. */
void tpi_connection_drop(tp_connection *c);

/* ---- connection_out.c ---- */

/* Write what waits, as far as the stream takes it. */
void tpi_connection_flush(tp_connection *c);

/* Whether nothing waits to be sent. */
bool tpi_connection_is_sent(const tp_connection *c);

#endif
