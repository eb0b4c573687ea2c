/*
 * listener.c - listening sockets.
 *
 * Sockets are made and accepted here, and only polled by libuv: its own accepting turns in a circle
 * without end when there are no file descriptors left and another thread snatches the spare one.
 * Ours lets new connections wait in the kernel and tries again a little later. A part of the
 * descriptors is a reserve, see room.h.
 *
 * New connections must not delay those that are there. So a turn accepts for a limited time, not a
 * limited number; a listener that had much to do for a while rests between its turns, since a
 * thread that never sleeps waits longer for the processor; and a connection that was reset before
 * it was accepted becomes no stream.
 */
#define _GNU_SOURCE /* accept4 */
#include "troupe/stream.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loop/address.h"
#include "loop/inside.h"
#include "loop/pace.h"
#include "loop/room.h"
#include "platform/limit.h"

/* The kernel drops what comes when its queue is full, and a client tries again after a second. The
 * queue is no longer than the system allows (net.core.somaxconn). */
enum { BACKLOG = 4096 };

enum { REST_MS = 100, SHORT_REST_MS = 2 };
enum { RESERVE_SHARE = 8, LEAST_RESERVE = 4, MOST_RESERVE = 64 }; /* of the descriptors */
enum { ROOMS_AT_ONCE = 16 }; /* clients that make room in a turn */

enum fate { STAYS, WAITS, IS_CLOSED };

struct tp_listener {
    uv_poll_t poll;
    uv_timer_t rest;  /* after a failure that only time can heal */
    unsigned handles; /* of these two: how many libuv still knows */
    tp_loop *loop;    /* borrowed */
    void (*accept)(void *context, tp_stream *stream);
    void *context;    /* borrowed */
    int fd;           /* owned; -1 when closed */
    bool behind;      /* connections may wait: ... */
    int64_t since_ns; /* ... the next `round`, since this time at the earliest, ... */
    int64_t mark_ns;  /* ... and those behind them, since this one */
    size_t round;
    size_t waiting;  /* connections, when descriptors were scarce last; see room.h */
    size_t promised; /* rooms that were made for it */
    tpi_pace pace;   /* of accepting, by the real clock */
    tpi_endpoint on;
    struct stat file; /* of a unix socket: which file is ours */
};

/* ---- Opening --------------------------------------------------------------------------------- */

/* Whether the file is a socket that nobody listens on any more. */
static bool is_stale(const tpi_endpoint *endpoint)
{
    struct stat file;

    if (lstat(endpoint->as.local.sun_path, &file) != 0 || !S_ISSOCK(file.st_mode)) {
        return false;
    }
    int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (probe < 0) {
        return false;
    }
    const bool stale =
        connect(probe, &endpoint->as.any, endpoint->length) != 0 && errno == ECONNREFUSED;
    close(probe);
    return stale;
}

static int bind_to(int fd, const tpi_endpoint *endpoint)
{
    if (bind(fd, &endpoint->as.any, endpoint->length) == 0) {
        return 0;
    }
    if (errno != EADDRINUSE || endpoint->as.any.sa_family != AF_UNIX || !is_stale(endpoint)) {
        return -1;
    }
    unlink(endpoint->as.local.sun_path);
    return bind(fd, &endpoint->as.any, endpoint->length);
}

static int prepare(int fd, const tpi_endpoint *endpoint)
{
    const int family = endpoint->as.any.sa_family;
    const int yes = 1;
    const int no = 0;

    if (family != AF_UNIX && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0) {
        return -1;
    }
    return family == AF_INET6 ? setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no) : 0;
}

/* A socket that listens; libuv's code on failure. */
static int listen_on(const tpi_endpoint *endpoint)
{
    int fd = socket(endpoint->as.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd >= 0 &&
        (prepare(fd, endpoint) != 0 || bind_to(fd, endpoint) != 0 || listen(fd, BACKLOG) != 0)) {
        const int saved = errno;
        close(fd);
        errno = saved;
        fd = -1;
    }
    return fd >= 0 ? fd : uv_translate_sys_error(errno);
}

/* Listen on the first of the endpoints that can be had. */
static int listen_on_any(tp_listener *listener, const tpi_address *address)
{
    int fd = UV_EINVAL;

    for (unsigned i = 0; i < address->count && fd < 0; i++) {
        listener->on = address->endpoints[i];
        fd = listen_on(&listener->on);
    }
    return fd;
}

/* Note what it became: the port that the kernel chose, the file that was made. */
static void look_at_itself(tp_listener *listener)
{
    socklen_t length = sizeof listener->on.as;

    if (listener->on.as.any.sa_family == AF_UNIX) {
        lstat(listener->on.as.local.sun_path, &listener->file);
    } else {
        getsockname(listener->fd, &listener->on.as.any, &length);
    }
}

/* Another server may have put its own socket in place of ours. */
static void remove_file(const tp_listener *listener)
{
    const char *path = listener->on.as.local.sun_path;
    struct stat now;

    if (listener->on.as.any.sa_family == AF_UNIX && lstat(path, &now) == 0 &&
        now.st_dev == listener->file.st_dev && now.st_ino == listener->file.st_ino) {
        unlink(path);
    }
}

static void shut(tp_listener *listener)
{
    remove_file(listener);
    close(listener->fd);
    listener->fd = -1;
}

/* ---- Accepting ------------------------------------------------------------------------------- */

static void on_acceptable(uv_poll_t *poll, int error, int events);

static void on_rested(uv_timer_t *rest)
{
    tp_listener *listener = CONTAINER_OF(rest, tp_listener, rest);

    uv_poll_start(&listener->poll, UV_READABLE, on_acceptable);
}

static void have_a_rest(tp_listener *listener, unsigned ms)
{
    uv_poll_stop(&listener->poll);
    uv_timer_start(&listener->rest, on_rested, ms, 0);
}

/* How many connections wait. For none, no other one is closed. */
static size_t count_waiting(const tp_listener *listener)
{
    struct pollfd one = {.fd = listener->fd, .events = POLLIN};
    struct tcp_info info = {0};
    socklen_t length = sizeof info;

    if (listener->on.as.any.sa_family != AF_UNIX &&
        getsockopt(listener->fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0) {
        return info.tcpi_unacked; /* of a socket that listens: the length of its queue */
    }
    return poll(&one, 1, 0) != 0;
}

static void set_promised(tp_listener *listener, size_t promised)
{
    tpi_loop_add_promised(listener->loop, (long)promised - (long)listener->promised);
    listener->promised = promised;
}

static void set_waiting(tp_listener *listener, size_t waiting)
{
    tpi_loop_add_waiting(listener->loop, (long)waiting - (long)listener->waiting);
    listener->waiting = waiting;
    if (waiting == 0) {
        set_promised(listener, 0);
        tpi_loop_leave_line(listener->loop, listener);
    }
}

/* Whether there may be more to accept. */
static bool accept_failed(tp_listener *listener, int error)
{
    if (error == EAGAIN || error == EWOULDBLOCK) {
        listener->behind = false;
        set_waiting(listener, 0);
        return false;
    }
    if (error == EINTR || error == ECONNABORTED) {
        return true;
    }
    set_promised(listener, 0);
    have_a_rest(listener, REST_MS);
    return false;
}

/* How far into the reserve the next socket will be: 0 for not at all. */
static long depth_in_reserve(const tp_listener *listener, long *reserve)
{
    const long most = (long)tpi_limit_files();
    const long share = most / RESERVE_SHARE;
    const int lowest = fcntl(listener->fd, F_DUPFD_CLOEXEC, 0);

    *reserve = share < LEAST_RESERVE ? LEAST_RESERVE : share > MOST_RESERVE ? MOST_RESERVE : share;
    if (lowest < 0) {
        return *reserve;
    }
    close(lowest);
    return lowest < most - *reserve ? 0 : lowest - (most - *reserve) + 1;
}

/* Let clients make room for those that wait, as many as can be closed in a turn. What the first one
 * says. */
static tpi_room make_rooms(tp_listener *listener)
{
    const tpi_room first = tpi_loop_make_room(listener->loop, listener);
    size_t made = first == TPI_ROOM_MADE;

    while (made > 0 && made < ROOMS_AT_ONCE && made < listener->waiting &&
           tpi_loop_make_room(listener->loop, listener) == TPI_ROOM_MADE) {
        made++;
    }
    set_promised(listener, made);
    return first;
}

/* What becomes of the next connection if its socket is so far in the reserve. Nobody waits on a
 * unix socket, whose clients have passed the permissions of a file. If nobody makes room, half of
 * the reserve is left to them. */
static enum fate fate_in_reserve(tp_listener *listener, long depth, long reserve)
{
    set_waiting(listener, count_waiting(listener));
    if (listener->waiting == 0) {
        return WAITS;
    }
    if (listener->on.as.any.sa_family == AF_UNIX) {
        (void)tpi_loop_make_room(listener->loop, NULL);
        return STAYS;
    }
    const tpi_room room = make_rooms(listener);
    if (room == TPI_ROOM_LATER) {
        tpi_loop_join_line(listener->loop, listener);
        have_a_rest(listener, SHORT_REST_MS);
    }
    /* Room is made at the end of the turn, and connections are accepted in the next one. */
    return room != TPI_ROOM_NONE ? WAITS : depth <= reserve / 2 ? STAYS : IS_CLOSED;
}

/* The rooms that there are may have been made for another listener. */
static bool has_room(tp_listener *listener)
{
    if (listener->promised > 0 || tpi_loop_promised(listener->loop) == 0 ||
        listener->on.as.any.sa_family == AF_UNIX) {
        return true;
    }
    have_a_rest(listener, 1);
    return false;
}

/* Whether its client has reset it. One that has only ended its own side may still read. */
static bool was_reset(int fd)
{
    struct pollfd one = {.fd = fd};

    return poll(&one, 1, 0) > 0 && (one.revents & POLLERR) != 0;
}

static bool accept_one(tp_listener *listener)
{
    tpi_endpoint from = {.length = sizeof from.as};
    tp_stream *stream;
    long reserve;
    const long depth = depth_in_reserve(listener, &reserve);
    const enum fate fate = depth > 0            ? fate_in_reserve(listener, depth, reserve)
                           : has_room(listener) ? STAYS
                                                : WAITS;

    if (fate == WAITS) {
        return false;
    }
    const int fd = accept4(listener->fd, &from.as.any, &from.length, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
        return accept_failed(listener, errno);
    }
    listener->round -= listener->round > 0;
    if (fate == IS_CLOSED || was_reset(fd)) {
        close(fd);
    } else if (tp_stream_adopt(&stream, listener->loop, fd, &from.as.any, listener->since_ns) ==
               TP_OK) {
        set_promised(listener, listener->promised - (listener->promised > 0));
        listener->accept(listener->context, stream);
    }
    return depth == 0 && listener->fd >= 0; /* it may have been closed */
}

static int64_t real_now_ns(void)
{
    return tp_clock_now_ns(tp_clock_real());
}

/* Clients of a unix socket never wait. */
static void accept_for_a_while(tp_listener *listener)
{
    tpi_pace_begin(&listener->pace, real_now_ns());
    while (accept_one(listener) && tpi_pace_has_time(&listener->pace, real_now_ns())) {
    }
    const int64_t rest_ns = tpi_pace_end(&listener->pace, real_now_ns());
    if (rest_ns > 0 && listener->fd >= 0 && listener->on.as.any.sa_family != AF_UNIX) {
        have_a_rest(listener, (unsigned)(rest_ns / TP_NS_PER_MS) + 1);
    }
}

/* The queue is in order: what is behind those that wait now comes later. Of a unix socket their
 * number is not known. */
static void tell_ages(tp_listener *listener)
{
    const bool counts = listener->on.as.any.sa_family != AF_UNIX;

    if (!listener->behind) {
        listener->behind = true;
        listener->mark_ns = tpi_loop_before_ns(listener->loop);
        listener->round = 0;
    }
    if (listener->round == 0) {
        listener->since_ns = listener->mark_ns;
        listener->mark_ns = tp_clock_now_ns(tp_loop_clock(listener->loop));
        listener->round = counts ? count_waiting(listener) : SIZE_MAX;
    }
}

static void on_acceptable(uv_poll_t *poll, int error, int events)
{
    tp_listener *listener = CONTAINER_OF(poll, tp_listener, poll);

    (void)events;
    if (error != 0) {
        set_promised(listener, 0);
        have_a_rest(listener, REST_MS);
        return;
    }
    tell_ages(listener);
    accept_for_a_while(listener);
}

/* ---- The interface --------------------------------------------------------------------------- */

static int open_on(tp_listener *listener, const tpi_address *address)
{
    listener->fd = listen_on_any(listener, address);
    if (listener->fd < 0) {
        return listener->fd;
    }
    look_at_itself(listener);
    int error = uv_poll_init(tpi_loop_uv(listener->loop), &listener->poll, listener->fd);
    if (error != 0) {
        shut(listener);
        return error;
    }
    uv_timer_init(tpi_loop_uv(listener->loop), &listener->rest);
    listener->poll.data = listener->rest.data = listener;
    listener->handles = 2;
    uv_poll_start(&listener->poll, UV_READABLE, on_acceptable);
    return 0;
}

tp_status tp_listener_open(tp_listener **out, tp_loop *loop, const char *address,
                           void (*accept)(void *context, tp_stream *stream), void *context,
                           tp_error *err)
{
    tpi_address parsed;
    tp_status status = tpi_address_get(&parsed, address, TPI_ADDRESS_LISTEN, true, err);

    assert(tp_loop_is_current(loop));
    if (status != TP_OK) {
        return status;
    }
    tp_listener *listener = calloc(1, sizeof *listener);
    if (listener == NULL) {
        return tpi_address_fail(err, UV_ENOMEM, TPI_ADDRESS_LISTEN, address);
    }
    listener->loop = loop;
    listener->accept = accept;
    listener->context = context;
    int error = open_on(listener, &parsed);
    if (error != 0) {
        free(listener);
        return tpi_address_fail(err, error, TPI_ADDRESS_LISTEN, address);
    }
    *out = listener;
    return TP_OK;
}

static void on_handle_closed(uv_handle_t *handle)
{
    tp_listener *listener = handle->data;

    if (--listener->handles == 0) {
        free(listener);
    }
}

void tp_listener_close(tp_listener *listener)
{
    if (listener != NULL) {
        assert(tp_loop_is_current(listener->loop) && listener->fd >= 0);
        uv_close((uv_handle_t *)&listener->poll, on_handle_closed);
        uv_close((uv_handle_t *)&listener->rest, on_handle_closed);
        set_waiting(listener, 0);
        shut(listener);
    }
}

unsigned tp_listener_port(const tp_listener *listener)
{
    return tpi_address_port(&listener->on.as.any);
}
