/*
 * guard.c - the server's side of a guard.
 *
 * Two pipes: this process writes messages into the first one, and the guard holds the second one
 * open as long as it lives. This process keeps both ends of the first pipe, so that writing to a
 * guard that is gone is no broken pipe (and no signal); the guard waits for the end of the writing
 * ones, which nobody inherits.
 */
#define _GNU_SOURCE /* pipe2, POSIX_SPAWN_SETSID */
#include "platform/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/line.h"
#include "platform/thread.h"

enum { START_S = 5, END_S = 2, SAFE_FD = 10 };

static const char guard_name[] = "troupe-guard";

_Static_assert(sizeof(tpi_guard_head) + TPI_GUARD_MOST <= PIPE_BUF, "a message is written whole");

struct tpi_guard {
    tpi_guard_board *board; /* borrowed */
    int control[2];         /* messages to the guard */
    int alive[2];           /* the second is the guard's alone once it was started */
    pid_t pid;              /* 0 if there is no process */
};

const char *tpi_guard_find(const char *beside, char *out, size_t size)
{
    const char *slash = beside == NULL ? NULL : strrchr(beside, '/');

    if (slash != NULL) {
        const int length =
            snprintf(out, size, "%.*s/%s", (int)(slash - beside), beside, guard_name);
        if (length > 0 && (size_t)length < size && access(out, X_OK) == 0) {
            return out;
        }
    }
    (void)snprintf(out, size, "%s", guard_name);
    return out;
}

/* ---- The board ------------------------------------------------------------------------------- */

static void take_seat(tpi_guard *guard)
{
    const int mine = guard->control[1] + 1;

    for (unsigned i = 0; i < TPI_GUARD_SEATS; i++) {
        int nobody = 0;
        if (atomic_compare_exchange_strong(&guard->board->seats[i], &nobody, mine)) {
            return;
        }
    }
}

static void leave_seat(tpi_guard *guard)
{
    for (unsigned i = 0; i < TPI_GUARD_SEATS; i++) {
        int mine = guard->control[1] + 1;
        if (atomic_compare_exchange_strong(&guard->board->seats[i], &mine, 0)) {
            return;
        }
    }
}

void tpi_guard_crash(tpi_guard_board *board)
{
    const tpi_guard_head head = {.kind = TPI_GUARD_CRASH};
    const int error = errno;

    atomic_store(&board->crashed, true);
    for (unsigned i = 0; i < TPI_GUARD_SEATS; i++) {
        const int fd = atomic_load(&board->seats[i]) - 1;
        if (fd >= 0 && write(fd, &head, sizeof head) < 0) {
            continue; /* it is full: then the end of the pipe has to do */
        }
    }
    errno = error;
}

/* ---- Talking --------------------------------------------------------------------------------- */

static tp_status tell(const tpi_guard *guard, tpi_guard_kind kind, const void *bytes, size_t length,
                      tp_error *err)
{
    char message[sizeof(tpi_guard_head) + TPI_GUARD_MOST];
    const tpi_guard_head head = {.kind = (uint8_t)kind, .length = (uint16_t)length};

    memcpy(message, &head, sizeof head);
    if (length > 0) {
        memcpy(message + sizeof head, bytes, length);
    }
    for (;;) {
        const ssize_t sent = write(guard->control[1], message, sizeof head + length);
        if (sent >= 0 || errno != EINTR) {
            return sent >= 0 ? TP_OK : tp_fail(err, TP_E_IO, "the guard takes nothing");
        }
    }
}

tp_status tpi_guard_change(tpi_guard *guard, const void *bytes, size_t length, tp_error *err)
{
    return tell(guard, TPI_GUARD_BYTES, bytes, length, err);
}

/* ---- Starting -------------------------------------------------------------------------------- */

static tp_status make_pipes(tpi_guard *guard, tp_error *err)
{
    char reason[96];

    if (pipe2(guard->control, O_CLOEXEC | O_NONBLOCK) != 0 || pipe2(guard->alive, O_CLOEXEC) != 0) {
        return tp_fail(err, TP_E_IO, "no guard: %s", tpi_line_reason(errno, reason, sizeof reason));
    }
    /* The guard waits; that is a matter of the end that it reads from. */
    (void)fcntl(guard->control[0], F_SETFL, 0);
    return TP_OK;
}

/* With all signals blocked, which it leaves so: nothing but SIGKILL ends it before its time. */
static int spawn(tpi_guard *guard, const tpi_guard_options *plan, const int fds[3])
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t all;
    char *argv[] = {(char *)(uintptr_t)guard_name, (char *)(uintptr_t)plan->url,
                    (char *)(uintptr_t)plan->who, NULL};
    char *envp[] = {NULL};

    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, fds[0], TPI_GUARD_CONTROL_FD);
    posix_spawn_file_actions_adddup2(&actions, fds[1], TPI_GUARD_LINE_FD);
    posix_spawn_file_actions_adddup2(&actions, fds[2], TPI_GUARD_ALIVE_FD);
    posix_spawnattr_setsigmask(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
    const int error = posix_spawnp(&guard->pid, plan->program, &actions, &attributes, argv, envp);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* From descriptors out of the way of those that the guard has them at. */
static tp_status launch(tpi_guard *guard, const tpi_guard_options *plan, tp_error *err)
{
    const int sources[3] = {guard->control[0], plan->line, guard->alive[1]};
    int fds[3];
    int error = 0;
    char reason[96];

    for (unsigned i = 0; i < 3; i++) {
        fds[i] = fcntl(sources[i], F_DUPFD_CLOEXEC, SAFE_FD);
        error = fds[i] < 0 ? errno : error;
    }
    error = error == 0 ? spawn(guard, plan, fds) : error;
    for (unsigned i = 0; i < 3; i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
    }
    if (error != 0) {
        guard->pid = 0;
        return tp_fail(err, TP_E_IO, "cannot start %s: %s", plan->program,
                       tpi_line_reason(error, reason, sizeof reason));
    }
    close(guard->alive[1]);
    guard->alive[1] = -1;
    return TP_OK;
}

/* It says so with one byte. */
static tp_status wait_until_ready(const tpi_guard *guard, const tpi_guard_options *plan,
                                  tp_error *err)
{
    const int64_t deadline_ns = tp_clock_now_ns(tp_clock_real()) + START_S * TP_NS_PER_S;
    char byte;

    if (tpi_wait(guard->alive, 1, deadline_ns) == 0) {
        return tp_fail(err, TP_E_TIMEOUT, "%s does not get ready", plan->program);
    }
    return read(guard->alive[0], &byte, 1) == 1
               ? TP_OK
               : tp_fail(err, TP_E_IO, "%s has ended at once", plan->program);
}

tp_status tpi_guard_start(tpi_guard **out, const tpi_guard_options *plan, tp_error *err)
{
    tpi_guard *guard = calloc(1, sizeof *guard);

    if (guard == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    *guard = (tpi_guard){.board = plan->board, .control = {-1, -1}, .alive = {-1, -1}};
    tp_status status = make_pipes(guard, err);
    status =
        status == TP_OK ? tell(guard, TPI_GUARD_BYTES, plan->bytes, plan->length, err) : status;
    status = status == TP_OK ? launch(guard, plan, err) : status;
    status = status == TP_OK ? wait_until_ready(guard, plan, err) : status;
    if (status != TP_OK) {
        tpi_guard_end(guard);
        return status;
    }
    take_seat(guard);
    *out = guard;
    return TP_OK;
}

int tpi_guard_fd(const tpi_guard *guard)
{
    return guard->alive[0];
}

long tpi_guard_number(const tpi_guard *guard)
{
    return guard->pid;
}

/* ---- Ending ---------------------------------------------------------------------------------- */

/* It closes all it has when it ends, and says nothing more before. */
static void wait_for_end(const tpi_guard *guard)
{
    const int64_t deadline_ns = tp_clock_now_ns(tp_clock_real()) + END_S * TP_NS_PER_S;

    if (tpi_wait(guard->alive, 1, deadline_ns) == 0) {
        kill(guard->pid, SIGKILL);
    }
    while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR) {
    }
}

void tpi_guard_end(tpi_guard *guard)
{
    if (guard == NULL) {
        return;
    }
    leave_seat(guard);
    if (guard->pid > 0) {
        (void)tell(guard, TPI_GUARD_GOODBYE, NULL, 0, NULL);
        wait_for_end(guard);
    }
    for (unsigned i = 0; i < 2; i++) {
        if (guard->control[i] >= 0) {
            close(guard->control[i]);
        }
        if (guard->alive[i] >= 0) {
            close(guard->alive[i]);
        }
    }
    free(guard);
}
