/*
 * stream_inside.h - what the files of a stream share.
 *
 * States: RESOLVING -> CONNECTING -> OPEN, or from an accepted socket straight to OPEN. A failed
 * attempt closes its handle (RETRYING) and tries the next address; without one it is FAILED.
 * CLOSING is final: the callback that is still to come, whichever it is, releases the memory.
 */
#ifndef TROUPE_LOOP_STREAM_INSIDE_H
#define TROUPE_LOOP_STREAM_INSIDE_H

#include "loop/address.h"
#include "loop/arrival.h"
#include "loop/inside.h"
#include "troupe/stream.h"

enum { TPI_STREAM_CARRIED = 64 };

enum tpi_stream_state {
    TPI_STREAM_RESOLVING,
    TPI_STREAM_CONNECTING,
    TPI_STREAM_RETRYING,
    TPI_STREAM_FAILED,
    TPI_STREAM_OPEN,
    TPI_STREAM_CLOSING
};

/* What only a stream that is not connected yet needs. */
struct tpi_stream_attempt {
    tpi_address address;
    unsigned next; /* of its endpoints */
    uv_getaddrinfo_t resolve;
    uv_connect_t connect;
    void (*done)(void *context, tp_stream *stream, tp_status status);
    void *context; /* borrowed */
};

/* What only a stream needs whose kernel takes no more: a few bytes that libuv writes. */
struct tpi_stream_carry {
    uv_write_t write;
    char bytes[TPI_STREAM_CARRIED];
};

/* libuv has a handle in the states CONNECTING, RETRYING and OPEN. */
struct tp_stream {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } uv;
    tp_loop *loop; /* borrowed */
    enum tpi_stream_state state;
    int error;                          /* libuv's code of what went wrong; 0 if nothing did */
    struct tpi_stream_attempt *attempt; /* owned; NULL once connected */

    const tp_stream_events *events; /* borrowed; NULL until it is started */
    void *context;                  /* borrowed */
    bool reading;
    bool ended;    /* `end` was called */
    bool carrying; /* the bytes of `carry` are queued in libuv */
    bool blocked;  /* somebody is to be told when more can be written */
    tp_after tell; /* tells the end of a stream that is not reading */

    tpi_arrival arrival; /* how old unread bytes can be */

    bool is_tcp;
    unsigned patience_s;
    tp_timer *pulse; /* owned: asks whether the peer is still there; NULL for never */

    struct tpi_stream_carry *carry; /* owned; NULL until the kernel first takes no more */
    char *peer;                     /* owned: its text; NULL for none */
};

/* In no state yet; NULL without memory. */
tp_stream *tpi_stream_create(tp_loop *loop);

/* Set the text that the peer is known by; copied. False without memory: it stays as it was. */
bool tpi_stream_set_peer(tp_stream *stream, const char *peer);

/* Give libuv its handle, for a family of addresses. */
void tpi_stream_init_handle(tp_stream *stream, int family);

/* The handle is connected to the peer. */
void tpi_stream_become_open(tp_stream *stream, const struct sockaddr *peer);

/* The memory; libuv must have done with the handle. */
void tpi_stream_release(tp_stream *stream);

#endif
