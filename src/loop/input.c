/*
 * input.c - the standard input as it comes; see input.h.
 *
 * Pipes and terminals are polled. A file, which cannot be, is always ready: it is read a piece in
 * each turn. Polling changes how every program that shares the input reads it, so that is undone.
 */
#define _GNU_SOURCE
#include "loop/input.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "loop/inside.h"

enum { PIECE = 16384 };

/* A terminal has 4095 unread bytes, and the kernel keeps more behind them. A socket is full with
 * some hundred messages, however short. */
enum { LEAST_ROOM = 4096 };

struct tpi_input {
    union {
        uv_handle_t any;
        uv_poll_t poll;
        uv_idle_t idle;
    } uv;
    bool is_file;
    bool ended;
    int flags; /* of the descriptor, as they were */
    void (*came)(void *context, const char *bytes, size_t length);
    void *context; /* borrowed */
    char room[PIECE];
};

long tpi_input_wait(void *room, size_t size)
{
    ssize_t length = read(STDIN_FILENO, room, size);

    while (length < 0 && errno == EINTR) {
        length = read(STDIN_FILENO, room, size);
    }
    return (long)length;
}

bool tpi_input_comes(int64_t wait_ns)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

    return poll(&input, 1, (int)(wait_ns / TP_NS_PER_MS)) != 0 && input.revents != 0;
}

size_t tpi_input_unread(void)
{
    int count = 0;

    return ioctl(STDIN_FILENO, FIONREAD, &count) == 0 && count > 0 ? (size_t)count : 0;
}

bool tpi_input_is_complete(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN | POLLRDHUP};

    return uv_guess_handle(STDIN_FILENO) == UV_FILE ||
           (poll(&input, 1, 0) > 0 && (input.revents & (POLLHUP | POLLRDHUP)) != 0);
}

size_t tpi_input_room(void)
{
    const int size = fcntl(STDIN_FILENO, F_GETPIPE_SZ);

    return size > 0 ? (size_t)size : LEAST_ROOM;
}

static void read_some(tpi_input *input)
{
    const ssize_t length = read(STDIN_FILENO, input->room, sizeof input->room);

    if (length < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (length <= 0) {
        tpi_input_pause(input);
        input->ended = true;
    }
    input->came(input->context, input->room, length > 0 ? (size_t)length : 0);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    (void)status; /* reading tells what it is */
    (void)events;
    read_some(poll->data);
}

static void on_idle(uv_idle_t *idle)
{
    read_some(idle->data);
}

void tpi_input_pause(tpi_input *input)
{
    if (input->is_file) {
        uv_idle_stop(&input->uv.idle);
    } else {
        uv_poll_stop(&input->uv.poll);
    }
}

void tpi_input_resume(tpi_input *input)
{
    if (input->ended) {
        return;
    }
    if (input->is_file) {
        uv_idle_start(&input->uv.idle, on_idle);
    } else {
        uv_poll_start(&input->uv.poll, UV_READABLE | UV_DISCONNECT, on_poll);
    }
}

tp_status tpi_input_open(tpi_input **out, tp_loop *loop,
                         void (*came)(void *context, const char *bytes, size_t length),
                         void *context, tp_error *err)
{
    tpi_input *input = calloc(1, sizeof *input);
    uv_loop_t *uv = tpi_loop_uv(loop);

    assert(tp_loop_is_current(loop));
    if (input == NULL) {
        return tpi_uv_fail(err, UV_ENOMEM, "standard input");
    }
    input->came = came;
    input->context = context;
    input->flags = fcntl(STDIN_FILENO, F_GETFL);
    input->is_file = uv_guess_handle(STDIN_FILENO) == UV_FILE;
    const int error = input->is_file ? uv_idle_init(uv, &input->uv.idle)
                                     : uv_poll_init(uv, &input->uv.poll, STDIN_FILENO);
    if (error != 0) {
        free(input);
        return tpi_uv_fail(err, error, "standard input");
    }
    input->uv.any.data = input;
    tpi_input_resume(input);
    *out = input;
    return TP_OK;
}

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

void tpi_input_close(tpi_input *input)
{
    if (input == NULL) {
        return;
    }
    uv_close(&input->uv.any, on_closed);
    if (input->flags >= 0) {
        (void)fcntl(STDIN_FILENO, F_SETFL, input->flags);
    }
}
