/*
 * stream.c - connected byte streams on libuv.
 *
 * Writing: libuv tells that a socket takes bytes again only by finishing a queued write. So the
 * first bytes that the kernel does not take are carried by the stream itself and queued.
 */
#define _GNU_SOURCE /* POLLRDHUP */
#include "troupe/stream.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "loop/keepalive.h"
#include "loop/stream_inside.h"

void tpi_stream_release(tp_stream *stream)
{
    free(stream->attempt);
    free(stream->carry);
    free(stream->peer);
    free(stream);
}

static void on_closed(uv_handle_t *handle)
{
    tpi_stream_release(CONTAINER_OF(handle, tp_stream, uv));
}

/* ---- The end --------------------------------------------------------------------------------- */

static void end(tp_stream *stream)
{
    if (!stream->ended) {
        stream->ended = true;
        stream->reading = false;
        uv_read_stop(&stream->uv.stream);
        stream->events->end(stream->context, stream->error == 0 ? TP_OK : TP_E_IO);
    }
}

static void on_tell(tp_after *tell)
{
    end(CONTAINER_OF(tell, tp_stream, tell));
}

/* A broken stream that is being read finds its end by itself, behind the last bytes. */
static void tell_unless_reading(tp_stream *stream)
{
    if (stream->error != 0 && !stream->reading && !stream->ended) {
        tp_loop_after(stream->loop, &stream->tell);
    }
}

/* Whatever made writing fail, from now on the socket is at its end for reading too. */
static void break_off(tp_stream *stream, int error)
{
    uv_os_fd_t fd;

    if (stream->error == 0) {
        stream->error = error;
    }
    if (uv_fileno(&stream->uv.handle, &fd) == 0) {
        shutdown(fd, SHUT_RDWR);
    }
    tell_unless_reading(stream);
}

/* ---- How old unread bytes are ---------------------------------------------------------------- */

/* More than a send buffer contains. A window is not full with less than MUCH_ON_TCP bytes; a unix
 * socket counts the memory of each message, and is full with few bytes of small ones. */
enum { PEER_HOLDS = 8 << 20, MUCH_ON_TCP = 49152, MUCH_ON_UNIX = 8192 };

static int64_t now_ns(const tp_stream *stream)
{
    return tp_clock_now_ns(tp_loop_clock(stream->loop));
}

static void wait_since(tp_stream *stream, int64_t since_ns)
{
    tpi_arrival_wait(&stream->arrival, since_ns, now_ns(stream), tp_stream_unread(stream));
}

/* ---- Making one ------------------------------------------------------------------------------ */

tp_stream *tpi_stream_create(tp_loop *loop)
{
    tp_stream *stream = calloc(1, sizeof *stream);

    if (stream != NULL) {
        stream->loop = loop;
        stream->tell.run = on_tell;
        stream->arrival.peer_holds = PEER_HOLDS;
        stream->arrival.much = MUCH_ON_UNIX;
    }
    return stream;
}

void tpi_stream_init_handle(tp_stream *stream, int family)
{
    if (family == AF_UNIX) {
        uv_pipe_init(tpi_loop_uv(stream->loop), &stream->uv.pipe, 0);
    } else {
        uv_tcp_init(tpi_loop_uv(stream->loop), &stream->uv.tcp);
    }
}

static void on_pulse(void *context)
{
    tp_stream *stream = context;
    uv_os_fd_t fd;

    if (stream->error == 0 && uv_fileno(&stream->uv.handle, &fd) == 0 &&
        tpi_keepalive_is_lost(fd, stream->patience_s)) {
        break_off(stream, UV_ETIMEDOUT);
    }
}

void tp_stream_set_patience(tp_stream *stream, unsigned seconds)
{
    uv_os_fd_t fd;

    if (!stream->is_tcp || stream->patience_s == seconds ||
        uv_fileno(&stream->uv.handle, &fd) != 0) {
        return;
    }
    stream->patience_s = seconds;
    tpi_keepalive_set(fd, seconds);
    if (seconds > 0 &&
        (stream->pulse != NULL ||
         tp_timer_create(&stream->pulse, stream->loop, on_pulse, stream, NULL) == TP_OK)) {
        tp_timer_every(stream->pulse, tpi_keepalive_pulse_s(seconds) * TP_NS_PER_S);
    }
}

/* Small messages go out at once; a peer that vanished without a word is noticed after a while. What
 * waits in the kernel for a slow peer is old by the time it is read, so that is not much: with
 * more, nobody gets more. These are wishes: a socket that does not fulfil them still works. */
static void tune(tp_stream *stream)
{
    const int send_bytes = 256 << 10;
    uv_os_fd_t fd;

    stream->is_tcp = true;
    stream->arrival.much = MUCH_ON_TCP;
    if (uv_fileno(&stream->uv.handle, &fd) == 0) {
        setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &send_bytes, sizeof send_bytes);
        uv_tcp_nodelay(&stream->uv.tcp, 1);
    }
    tp_stream_set_patience(stream, TP_STREAM_PATIENCE_S);
}

bool tpi_stream_set_peer(tp_stream *stream, const char *peer)
{
    const size_t size = strlen(peer) + 1;
    char *text = malloc(size);

    if (text != NULL) {
        memcpy(text, peer, size);
        free(stream->peer);
        stream->peer = text;
    }
    return text != NULL;
}

void tpi_stream_become_open(tp_stream *stream, const struct sockaddr *peer)
{
    char text[128];

    stream->state = TPI_STREAM_OPEN;
    stream->error = 0;
    tpi_address_print(text, sizeof text, peer);
    (void)tpi_stream_set_peer(stream, text);
    if (peer->sa_family != AF_UNIX) {
        tune(stream);
    }
}

tp_status tp_stream_adopt(tp_stream **out, tp_loop *loop, int fd, const struct sockaddr *peer,
                          int64_t since_ns)
{
    tp_stream *stream = tpi_stream_create(loop);

    if (stream == NULL) {
        close(fd);
        return TP_E_NOMEM;
    }
    tpi_stream_init_handle(stream, peer->sa_family);
    int error = peer->sa_family == AF_UNIX ? uv_pipe_open(&stream->uv.pipe, fd)
                                           : uv_tcp_open(&stream->uv.tcp, fd);
    if (error != 0) {
        close(fd);
        uv_close(&stream->uv.handle, on_closed);
        return TP_E_IO;
    }
    tpi_stream_become_open(stream, peer);
    wait_since(stream, since_ns);
    *out = stream;
    return TP_OK;
}

tp_status tp_stream_check(const char *address, tp_error *err)
{
    tpi_address unused;

    return tpi_address_get(&unused, address, TPI_ADDRESS_CONNECT, false, err);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static void on_room(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
    const tp_stream *stream = CONTAINER_OF(handle, tp_stream, uv);
    void *bytes = NULL;
    size_t length = 0;

    (void)suggested;
    stream->events->room(stream->context, &bytes, &length);
    assert(bytes != NULL && length > 0);
    out->base = bytes;
    out->len = length;
}

/* A read that does not fill the room has emptied the socket. */
static void deliver(tp_stream *stream, size_t length, size_t room)
{
    const bool drained = length < room;
    const int64_t since_ns =
        tpi_arrival_read(&stream->arrival, tpi_loop_before_ns(stream->loop), now_ns(stream), length,
                         drained, drained ? 0 : tp_stream_unread(stream));

    if (length > 0) {
        tpi_loop_set_arrival(stream->loop, since_ns);
        stream->events->read(stream->context, length);
        tpi_loop_set_arrival(stream->loop, TP_NEVER);
    }
}

static void on_read(uv_stream_t *uv, ssize_t length, const uv_buf_t *room)
{
    tp_stream *stream = CONTAINER_OF(uv, tp_stream, uv);

    if (length >= 0) {
        deliver(stream, (size_t)length, room->len);
    } else {
        if (stream->error == 0 && length != UV_EOF) {
            stream->error = (int)length;
        }
        end(stream);
    }
}

tp_status tp_stream_start(tp_stream *stream, const tp_stream_events *events, void *context)
{
    assert(tp_loop_is_current(stream->loop) && stream->events == NULL);
    if (stream->state != TPI_STREAM_OPEN) {
        return TP_E_INVALID;
    }
    stream->events = events;
    stream->context = context;
    tp_stream_resume(stream);
    return TP_OK;
}

void tp_stream_pause(tp_stream *stream)
{
    assert(tp_loop_is_current(stream->loop));
    if (stream->reading) {
        stream->reading = false;
        uv_read_stop(&stream->uv.stream);
        wait_since(stream, tpi_loop_before_ns(stream->loop));
        tell_unless_reading(stream);
    }
}

void tp_stream_resume(tp_stream *stream)
{
    assert(tp_loop_is_current(stream->loop) && stream->events != NULL);
    if (stream->reading || stream->ended) {
        return;
    }
    if (stream->arrival.behind) {
        tpi_arrival_resume(&stream->arrival, tp_stream_unread(stream));
    }
    int error = uv_read_start(&stream->uv.stream, on_room, on_read);
    if (error != 0) {
        break_off(stream, error);
        return;
    }
    stream->reading = true;
}

void tp_stream_acknowledge(tp_stream *stream)
{
    const int now = 1; /* and as the kernel likes later */
    uv_os_fd_t fd;

    if (stream->is_tcp && uv_fileno(&stream->uv.handle, &fd) == 0) {
        setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &now, sizeof now);
    }
}

size_t tp_stream_unread(const tp_stream *stream)
{
    uv_os_fd_t fd;
    int length = 0;

    if (uv_fileno(&stream->uv.handle, &fd) != 0 || ioctl(fd, FIONREAD, &length) != 0) {
        return 0;
    }
    return (size_t)length;
}

bool tp_stream_has_left(const tp_stream *stream)
{
    struct pollfd peer = {.events = POLLRDHUP};

    return uv_fileno(&stream->uv.handle, &peer.fd) != 0 ||
           (poll(&peer, 1, 0) > 0 && (peer.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0);
}

int64_t tp_stream_since_ns(const tp_stream *stream)
{
    return stream->arrival.behind ? stream->arrival.since_ns : tpi_loop_before_ns(stream->loop);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void on_carried(uv_write_t *request, int error)
{
    tp_stream *stream = request->data;

    stream->carrying = false;
    if (stream->state == TPI_STREAM_CLOSING || stream->ended) {
        return;
    }
    if (error != 0) {
        break_off(stream, error);
    } else if (stream->blocked) {
        stream->blocked = false;
        stream->events->written(stream->context);
    }
}

/* Copy what follows after the first `skip` bytes; how many bytes that were. */
static size_t copy_rest(char out[TPI_STREAM_CARRIED], const uv_buf_t *bufs, unsigned count,
                        size_t skip)
{
    size_t length = 0;

    for (unsigned i = 0; i < count && length < TPI_STREAM_CARRIED; i++) {
        const size_t skipped = skip < bufs[i].len ? skip : bufs[i].len;
        const size_t left = bufs[i].len - skipped;
        const size_t part = left < TPI_STREAM_CARRIED - length ? left : TPI_STREAM_CARRIED - length;
        assert(part == 0 || bufs[i].base != NULL);
        if (part > 0) {
            memcpy(out + length, bufs[i].base + skipped, part);
        }
        length += part;
        skip -= skipped;
    }
    return length;
}

/* Take some bytes more than the kernel, to be told when it takes bytes again. */
static size_t carry(tp_stream *stream, const uv_buf_t *bufs, unsigned count, size_t skip)
{
    if (stream->carrying) {
        return 0;
    }
    if (stream->carry == NULL && (stream->carry = malloc(sizeof *stream->carry)) == NULL) {
        break_off(stream, UV_ENOMEM);
        return 0;
    }
    const size_t length = copy_rest(stream->carry->bytes, bufs, count, skip);
    const uv_buf_t carried = uv_buf_init(stream->carry->bytes, (unsigned)length);
    stream->carry->write.data = stream;
    int error = uv_write(&stream->carry->write, &stream->uv.stream, &carried, 1, on_carried);
    if (error != 0) {
        break_off(stream, error);
        return 0;
    }
    stream->carrying = true;
    return length;
}

static size_t convert(uv_buf_t *out, const tp_piece *pieces, unsigned count)
{
    size_t total = 0;

    for (unsigned i = 0; i < count; i++) {
        out[i] = tpi_uv_buf(pieces[i].bytes, pieces[i].length);
        total += pieces[i].length;
    }
    return total;
}

/* How many bytes are taken, or an error of libuv, whose write() passes the layer of files. */
static long offer(tp_stream *stream, const uv_buf_t *bufs, unsigned count)
{
    uv_os_fd_t fd;

    if (count > 1 || stream->carrying || uv_fileno(&stream->uv.handle, &fd) != 0) {
        return uv_try_write(&stream->uv.stream, bufs, count);
    }
    const ssize_t taken = send(fd, bufs->base, bufs->len, MSG_DONTWAIT | MSG_NOSIGNAL);
    const bool later = errno == ENOBUFS || errno == EINTR;
    return taken >= 0 ? (long)taken : later ? UV_EAGAIN : uv_translate_sys_error(errno);
}

/* `keeps`: also if the kernel takes nothing, the stream carries the first bytes. */
static long write_some(tp_stream *stream, const tp_piece *pieces, unsigned count, bool keeps)
{
    uv_buf_t bufs[TP_STREAM_PIECES];

    assert(tp_loop_is_current(stream->loop) && stream->events != NULL);
    assert(count <= TP_STREAM_PIECES);
    if (stream->ended || stream->error != 0) {
        return TP_E_IO;
    }
    const size_t total = convert(bufs, pieces, count);
    if (total == 0) {
        return 0;
    }
    const long written = offer(stream, bufs, count);
    if (written < 0 && written != UV_EAGAIN) {
        break_off(stream, (int)written);
        return TP_E_IO;
    }
    size_t taken = written > 0 ? (size_t)written : 0;
    if (taken < total && (keeps || taken > 0)) {
        taken += carry(stream, bufs, count, taken);
        stream->blocked = stream->blocked || taken < total;
    }
    return stream->error == 0 ? (long)taken : TP_E_IO;
}

long tp_stream_try_write(tp_stream *stream, const tp_piece *pieces, unsigned count)
{
    return write_some(stream, pieces, count, true);
}

long tp_stream_try_write_at_once(tp_stream *stream, const tp_piece *pieces, unsigned count)
{
    return write_some(stream, pieces, count, false);
}

bool tp_stream_has_sent(tp_stream *stream)
{
    assert(tp_loop_is_current(stream->loop) && stream->events != NULL);
    stream->blocked = stream->blocked || stream->carrying;
    return !stream->carrying;
}

/* ---- Closing and telling --------------------------------------------------------------------- */

void tp_stream_close(tp_stream *stream)
{
    if (stream == NULL) {
        return;
    }
    assert(tp_loop_is_current(stream->loop) && stream->state != TPI_STREAM_CLOSING);
    const enum tpi_stream_state before = stream->state;
    stream->state = TPI_STREAM_CLOSING;
    tp_loop_after_cancel(stream->loop, &stream->tell);
    tp_timer_destroy(stream->pulse);
    stream->pulse = NULL;
    if (before == TPI_STREAM_FAILED) {
        tpi_stream_release(stream);
    } else if (before == TPI_STREAM_RESOLVING) {
        uv_cancel((uv_req_t *)&stream->attempt->resolve);
    } else if (before != TPI_STREAM_RETRYING) {
        uv_close(&stream->uv.handle, on_closed);
    }
}

tp_status tp_stream_error(const tp_stream *stream, tp_error *err)
{
    if (stream->error == 0) {
        return TP_OK;
    }
    return stream->state == TPI_STREAM_FAILED
               ? tpi_address_fail(err, stream->error, TPI_ADDRESS_CONNECT, tp_stream_peer(stream))
               : tpi_uv_fail(err, stream->error, tp_stream_peer(stream));
}

const char *tp_stream_peer(const tp_stream *stream)
{
    return stream->peer != NULL ? stream->peer : "";
}
