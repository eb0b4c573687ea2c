/* run_line.c - programs as lines; see run_line.h. */
#define _GNU_SOURCE
#include "loop/run_line.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MOST_ARGUMENTS = 32, LONGEST_COMMAND = 1024 };

static tp_status cannot(const char *what, int error, tp_error *err)
{
    char reason[96];

    return tp_fail(err, TP_E_IO, "%s: %s", what, tpi_line_reason(error, reason, sizeof reason));
}

struct running {
    tpi_line line;
    pid_t child;
};

static void run_close(tpi_line *line)
{
    struct running *running = (struct running *)line;

    close(line->fd);
    (void)kill(running->child, SIGKILL);
    while (waitpid(running->child, NULL, 0) < 0 && errno == EINTR) {
    }
    free(running);
}

/* A socket, so that a program that has ended makes an error and no signal. */
static tp_status run_write(tpi_line *line, const void *bytes, size_t size, size_t *length,
                           tp_error *err)
{
    const ssize_t taken = send(line->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);

    *length = taken > 0 ? (size_t)taken : 0;
    if (taken >= 0 || errno == EAGAIN || errno == EINTR) {
        return TP_OK;
    }
    return tp_fail(err, TP_E_CLOSED, "%s: the program has ended", line->url);
}

static const tpi_line_ops run_ops = {
    .read = tpi_line_read_fd,
    .write = run_write,
    .close = run_close,
};

static size_t split(char *command, char *arguments[MOST_ARGUMENTS + 1])
{
    size_t count = 0;
    char *rest = NULL;

    for (char *word = strtok_r(command, " ", &rest); word != NULL && count < MOST_ARGUMENTS;
         word = strtok_r(NULL, " ", &rest)) {
        arguments[count++] = word;
    }
    arguments[count] = NULL;
    return count;
}

/* Start it with one end of the pair as its input and output, and usual signals. */
static int start(pid_t *child, char *const arguments[], int end)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, usual;
    int error = posix_spawn_file_actions_init(&actions);

    if (error != 0) {
        return error;
    }
    error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        (void)sigemptyset(&none);
        (void)sigemptyset(&usual);
        (void)sigaddset(&usual, SIGPIPE);
        (void)sigaddset(&usual, SIGINT);
        (void)posix_spawnattr_setsigmask(&attributes, &none);
        (void)posix_spawnattr_setsigdefault(&attributes, &usual);
        (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                                        POSIX_SPAWN_SETPGROUP);
        (void)posix_spawn_file_actions_adddup2(&actions, end, STDIN_FILENO);
        (void)posix_spawn_file_actions_adddup2(&actions, end, STDOUT_FILENO);
        error = posix_spawnp(child, arguments[0], &actions, &attributes, arguments, environ);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return error;
}

static tp_status run_open(tpi_line **out, const tpi_line_options *plan, tp_error *err)
{
    char command[LONGEST_COMMAND];
    char *arguments[MOST_ARGUMENTS + 1];
    int ends[2];

    if (strlen(plan->rest) >= sizeof command) {
        return tp_fail(err, TP_E_LIMIT, "a command has at most %d characters", LONGEST_COMMAND - 1);
    }
    memcpy(command, plan->rest, strlen(plan->rest) + 1);
    if (split(command, arguments) == 0) {
        return tp_fail(err, TP_E_INVALID, "which program?");
    }
    struct running *running = calloc(1, sizeof *running);
    if (running == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        free(running);
        return cannot("a pair of sockets", errno, err);
    }
    const int error = start(&running->child, arguments, ends[1]);
    close(ends[1]);
    if (error != 0) {
        close(ends[0]);
        free(running);
        return cannot(arguments[0], error, err);
    }
    (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
    running->line = (tpi_line){.ops = &run_ops, .url = plan->url, .fd = ends[0]};
    *out = &running->line;
    return TP_OK;
}

const tp_scheme tpi_scheme_run = {.name = "run", .open = run_open};
