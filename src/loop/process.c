/*
 * process.c - child processes on libuv.
 *
 * Three handles belong to a process: libuv's own, the pipe that is the child's standard input, and
 * the timer that kills a child that does not end by itself. The memory goes when the child has
 * ended, the process was destroyed, and all three are closed.
 */
#include "troupe/process.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "loop/inside.h"

enum { GRACE_MS = 2000 };

struct tp_process {
    uv_process_t child;
    uv_pipe_t lifeline;
    uv_timer_t grace;
    unsigned handles; /* that are not closed yet */
    bool running;
    bool unwanted; /* destroyed: goes as soon as it has ended */
    void (*ended)(void *context, int64_t code, int signal);
    void *context; /* borrowed */
};

static void on_closed(uv_handle_t *handle)
{
    tp_process *process = handle->data;

    process->handles--;
    if (process->handles == 0) {
        free(process);
    }
}

static void close_handle(uv_handle_t *handle)
{
    if (!uv_is_closing(handle)) {
        uv_close(handle, on_closed);
    }
}

static void close_all(tp_process *process)
{
    close_handle((uv_handle_t *)&process->lifeline);
    close_handle((uv_handle_t *)&process->grace);
    close_handle((uv_handle_t *)&process->child);
}

static void on_exit(uv_process_t *child, int64_t code, int signal)
{
    tp_process *process = child->data;

    process->running = false;
    if (process->unwanted) {
        close_all(process);
    } else {
        process->ended(process->context, code, signal);
    }
}

static void on_grace_over(uv_timer_t *timer)
{
    tp_process *process = timer->data;

    uv_process_kill(&process->child, SIGKILL);
}

static tp_process *create(tp_loop *loop)
{
    uv_loop_t *uv = tpi_loop_uv(loop);
    tp_process *process = calloc(1, sizeof *process);

    if (process == NULL) {
        return NULL;
    }
    uv_pipe_init(uv, &process->lifeline, 0);
    uv_timer_init(uv, &process->grace);
    process->lifeline.data = process->grace.data = process->child.data = process;
    process->handles = 3;
    return process;
}

/* A file without a name that has the text in it, to be read from its beginning; NULL on failure. */
static FILE *make_text(const char *text)
{
    FILE *file = tmpfile();

    if (file != NULL && (fputs(text == NULL ? "" : text, file) < 0 || fflush(file) != 0 ||
                         fseek(file, 0, SEEK_SET) != 0)) {
        (void)fclose(file);
        return NULL;
    }
    return file;
}

static int spawn(tp_process *process, tp_loop *loop, const char *const *arguments, FILE *text)
{
    uv_stdio_container_t files[TP_PROCESS_TEXT_FD + 1] = {
        {.flags = UV_CREATE_PIPE | UV_READABLE_PIPE,
         .data.stream = (uv_stream_t *)&process->lifeline},
        {.flags = UV_INHERIT_FD, .data.fd = STDERR_FILENO},
        {.flags = UV_INHERIT_FD, .data.fd = STDERR_FILENO},
        {.flags = UV_INHERIT_FD, .data.fd = fileno(text)},
    };
    const union {
        const char *const *constant;
        char **plain;
    } argv = {.constant = arguments}; /* libuv only reads them */
    const uv_process_options_t options = {.exit_cb = on_exit,
                                          .file = arguments[0],
                                          .args = argv.plain,
                                          .stdio_count = TP_PROCESS_TEXT_FD + 1,
                                          .stdio = files};

    return uv_spawn(tpi_loop_uv(loop), &process->child, &options);
}

tp_status tp_process_start(tp_process **out, tp_loop *loop, const char *const *arguments,
                           const char *text, void (*ended)(void *context, int64_t code, int signal),
                           void *context, tp_error *err)
{
    tp_process *process = create(loop);
    FILE *file = process == NULL ? NULL : make_text(text);
    int error = UV_ENOMEM;

    assert(tp_loop_is_current(loop));
    if (process == NULL) {
        return tpi_uv_fail(err, error, arguments[0]);
    }
    process->ended = ended;
    process->context = context;
    if (file == NULL) { /* without a spawn libuv does not know the handle */
        process->handles = 2;
        close_handle((uv_handle_t *)&process->lifeline);
        close_handle((uv_handle_t *)&process->grace);
        return tpi_uv_fail(err, UV_EIO, arguments[0]);
    }
    error = spawn(process, loop, arguments, file);
    (void)fclose(file);
    if (error != 0) {
        close_all(process);
        return tpi_uv_fail(err, error, arguments[0]);
    }
    process->running = true;
    *out = process;
    return TP_OK;
}

long tp_process_number(const tp_process *process)
{
    return process->child.pid;
}

void tp_process_destroy(tp_process *process)
{
    if (process == NULL) {
        return;
    }
    process->unwanted = true;
    if (!process->running) {
        close_all(process);
        return;
    }
    close_handle((uv_handle_t *)&process->lifeline);
    uv_timer_start(&process->grace, on_grace_over, GRACE_MS, 0);
}

/* ---- In the child ---------------------------------------------------------------------------- */

struct tp_lifeline {
    uv_pipe_t pipe;
    char room[64]; /* for what nobody should write */
    void (*ended)(void *context);
    void *context; /* borrowed */
};

static void on_room(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
    tp_lifeline *lifeline = CONTAINER_OF(handle, tp_lifeline, pipe);

    (void)suggested;
    *out = uv_buf_init(lifeline->room, sizeof lifeline->room);
}

static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *room)
{
    tp_lifeline *lifeline = CONTAINER_OF(stream, tp_lifeline, pipe);

    (void)room;
    if (length < 0) {
        uv_read_stop(stream);
        lifeline->ended(lifeline->context);
    }
}

static void on_lifeline_closed(uv_handle_t *handle)
{
    free(CONTAINER_OF(handle, tp_lifeline, pipe));
}

tp_status tp_lifeline_watch(tp_lifeline **out, tp_loop *loop, void (*ended)(void *context),
                            void *context, tp_error *err)
{
    tp_lifeline *lifeline = calloc(1, sizeof *lifeline);

    if (lifeline == NULL) {
        return tpi_uv_fail(err, UV_ENOMEM, "standard input");
    }
    uv_pipe_init(tpi_loop_uv(loop), &lifeline->pipe, 0);
    lifeline->ended = ended;
    lifeline->context = context;
    int error = uv_pipe_open(&lifeline->pipe, STDIN_FILENO);
    error = error == 0 ? uv_read_start((uv_stream_t *)&lifeline->pipe, on_room, on_read) : error;
    if (error != 0) {
        tp_lifeline_destroy(lifeline);
        return tpi_uv_fail(err, error, "standard input");
    }
    *out = lifeline;
    return TP_OK;
}

void tp_lifeline_destroy(tp_lifeline *lifeline)
{
    if (lifeline != NULL) {
        uv_close((uv_handle_t *)&lifeline->pipe, on_lifeline_closed);
    }
}
