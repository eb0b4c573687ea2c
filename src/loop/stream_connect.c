/* stream_connect.c - connecting a stream: names are looked up, then address after address tried. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "loop/stream_inside.h"

static void connect_next(tp_stream *stream);

static void fail_attempt(tp_stream *stream)
{
    const struct tpi_stream_attempt *attempt = stream->attempt;

    stream->state = TPI_STREAM_FAILED;
    attempt->done(attempt->context, stream, tp_stream_error(stream, NULL));
}

static void on_given_up(uv_handle_t *handle)
{
    tp_stream *stream = CONTAINER_OF(handle, tp_stream, uv);

    if (stream->state == TPI_STREAM_CLOSING) {
        tpi_stream_release(stream);
    } else if (stream->attempt->next == stream->attempt->address.count) {
        fail_attempt(stream);
    } else {
        connect_next(stream);
    }
}

static void give_up(tp_stream *stream, int error)
{
    stream->error = error;
    stream->state = TPI_STREAM_RETRYING;
    uv_close(&stream->uv.handle, on_given_up);
}

static void on_connected(uv_connect_t *request, int error)
{
    tp_stream *stream = CONTAINER_OF(request->handle, tp_stream, uv);
    struct tpi_stream_attempt *attempt = stream->attempt;

    if (stream->state == TPI_STREAM_CLOSING) {
        return;
    }
    if (error != 0) {
        give_up(stream, error);
        return;
    }
    stream->attempt = NULL;
    tpi_stream_become_open(stream, &attempt->address.endpoints[attempt->next - 1].as.any);
    attempt->done(attempt->context, stream, TP_OK);
    free(attempt);
}

static void connect_next(tp_stream *stream)
{
    struct tpi_stream_attempt *attempt = stream->attempt;
    const tpi_endpoint *to = &attempt->address.endpoints[attempt->next++];

    stream->state = TPI_STREAM_CONNECTING;
    tpi_stream_init_handle(stream, to->as.any.sa_family);
    if (to->as.any.sa_family == AF_UNIX) {
        uv_pipe_connect(&attempt->connect, &stream->uv.pipe, to->as.local.sun_path, on_connected);
        return;
    }
    int error = uv_tcp_connect(&attempt->connect, &stream->uv.tcp, &to->as.any, on_connected);
    if (error != 0) {
        give_up(stream, error);
    }
}

static void on_resolved(uv_getaddrinfo_t *request, int error, struct addrinfo *found)
{
    tp_stream *stream = request->data;

    if (stream->state == TPI_STREAM_CLOSING) {
        tpi_stream_release(stream);
    } else {
        stream->error = error != 0 ? error : tpi_address_found(&stream->attempt->address, found);
        if (stream->error != 0) {
            fail_attempt(stream);
        } else {
            connect_next(stream);
        }
    }
    uv_freeaddrinfo(found);
}

static int resolve(tp_stream *stream)
{
    struct tpi_stream_attempt *attempt = stream->attempt;
    struct addrinfo hints;

    tpi_address_hints(&hints);
    stream->state = TPI_STREAM_RESOLVING;
    attempt->resolve.data = stream;
    return uv_getaddrinfo(tpi_loop_uv(stream->loop), &attempt->resolve, on_resolved,
                          attempt->address.host, NULL, &hints);
}

static int begin_attempt(tp_stream *stream)
{
    if (stream->attempt->address.count == 0) {
        return resolve(stream);
    }
    connect_next(stream);
    return 0;
}

tp_status tp_stream_connect(tp_stream **out, tp_loop *loop, const char *address,
                            void (*done)(void *context, tp_stream *stream, tp_status status),
                            void *context, tp_error *err)
{
    struct tpi_stream_attempt *attempt = calloc(1, sizeof *attempt);
    tp_stream *stream = attempt != NULL ? tpi_stream_create(loop) : NULL;

    assert(tp_loop_is_current(loop));
    if (stream == NULL) {
        free(attempt);
        return tpi_address_fail(err, UV_ENOMEM, TPI_ADDRESS_CONNECT, address);
    }
    stream->attempt = attempt;
    attempt->done = done;
    attempt->context = context;
    tp_status status = tpi_stream_set_peer(stream, address)
                           ? TP_OK
                           : tpi_address_fail(err, UV_ENOMEM, TPI_ADDRESS_CONNECT, address);
    status = status != TP_OK
                 ? status
                 : tpi_address_get(&attempt->address, address, TPI_ADDRESS_CONNECT, false, err);
    if (status == TP_OK) {
        int error = begin_attempt(stream);
        status = error == 0 ? TP_OK : tpi_address_fail(err, error, TPI_ADDRESS_CONNECT, address);
    }
    if (status != TP_OK) {
        tpi_stream_release(stream);
        return status;
    }
    *out = stream;
    return TP_OK;
}
