/*
 * guard.c - troupe-guard: writes the stop bytes of a line when the server that opened it has died.
 *
 * A server starts one for each line that it guards. It does nothing but wait for messages from a
 * pipe (platform/guard_talk.h), and ends with the server in any case: after a goodbye, or when its
 * bytes are written and on their way, or when the line has not taken them within two seconds. It
 * has a session of its own and all signals blocked, so that what ends a server, Ctrl-C or a
 * supervisor's SIGTERM, does not end its guard before. It allocates nothing, opens nothing, and
 * needs no library but the C library.
 */
#define _GNU_SOURCE /* close_range, ppoll */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "platform/guard_talk.h"

enum { PATIENCE_MS = 2000 };

static char stop_bytes[TPI_GUARD_MOST];
static size_t stop_length;

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- Listening to the server ----------------------------------------------------------------- */

/* All of it, or the server is gone. */
static bool take(void *bytes, size_t size)
{
    char *at = bytes;

    while (size > 0) {
        const ssize_t got = read(TPI_GUARD_CONTROL_FD, at, size);
        if (got <= 0 && !(got < 0 && errno == EINTR)) {
            return false;
        }
        at += got > 0 ? got : 0;
        size -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* Whatever does not sound like a server is taken for its end: it is better to stop. */
static bool take_bytes(size_t length)
{
    char bytes[TPI_GUARD_MOST];

    if (length == 0 || length > sizeof bytes || !take(bytes, length)) {
        return false;
    }
    memcpy(stop_bytes, bytes, length);
    stop_length = length;
    return true;
}

/* Whether the server has said goodbye; else it is gone, or about to be. */
static bool listen_to_server(void)
{
    tpi_guard_head head;
    bool ready = false;

    while (take(&head, sizeof head)) {
        if (head.kind == TPI_GUARD_GOODBYE) {
            return true;
        }
        if (head.kind != TPI_GUARD_BYTES || !take_bytes(head.length)) {
            return false;
        }
        if (!ready && write(TPI_GUARD_ALIVE_FD, "r", 1) != 1) {
            return false;
        }
        ready = true;
    }
    return false;
}

/* ---- Stopping -------------------------------------------------------------------------------- */

/* How many bytes the line has taken. It does not wait by itself: the server has opened it so. */
static size_t write_out(int64_t deadline_ms)
{
    size_t done = 0;

    while (done < stop_length) {
        const ssize_t taken = write(TPI_GUARD_LINE_FD, stop_bytes + done, stop_length - done);
        const int64_t left_ms = deadline_ms - now_ms();
        if (taken < 0 && errno != EAGAIN && errno != EINTR) {
            break;
        }
        done += taken > 0 ? (size_t)taken : 0;
        if (taken <= 0) {
            struct pollfd line = {.fd = TPI_GUARD_LINE_FD, .events = POLLOUT};
            if (left_ms <= 0 || poll(&line, 1, (int)left_ms) == 0) {
                break;
            }
        }
    }
    return done;
}

/* A connection that is closed while something unread has come is reset, and the bytes with it. */
static void drop_input(void)
{
    char bytes[512];

    while (recv(TPI_GUARD_LINE_FD, bytes, sizeof bytes, MSG_DONTWAIT) > 0) {
    }
}

/* Until all is sent, or the other side of a connection has all of it. */
static void see_off(int64_t deadline_ms)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    int left = 0;

    shutdown(TPI_GUARD_LINE_FD, SHUT_WR); /* fails for what is no socket */
    drop_input();
    while (ioctl(TPI_GUARD_LINE_FD, TIOCOUTQ, &left) == 0 && left > 0 && now_ms() < deadline_ms) {
        ppoll(NULL, 0, &pause, NULL);
        drop_input();
    }
}

/* At the very end, and only if nobody has to be waited for. */
static void report(const char *url, const char *who, size_t done)
{
    struct pollfd output = {.fd = STDERR_FILENO, .events = POLLOUT};
    char text[PIPE_BUF];
    const int length = snprintf(text, sizeof text,
                                "troupe-guard: %.100s has died; %zu of %zu stop bytes were "
                                "written to %.200s\n",
                                who, done, stop_length, url);

    if (length > 0 && poll(&output, 1, 0) == 1 && (output.revents & POLLOUT) != 0 &&
        write(STDERR_FILENO, text, (size_t)length) < 0) {
        return; /* nobody is left to be told */
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

/* Nothing of the server's that it does not need, and nothing that the system takes from it. */
static void settle(void)
{
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    (void)setsid(); /* unless it has one already */
    (void)close_range(TPI_GUARD_ALIVE_FD + 1, UINT_MAX, 0);
    (void)mlockall(MCL_CURRENT | MCL_FUTURE); /* as far as it may */
    if (chdir("/") != 0) {
        return; /* it only keeps a folder from being removed */
    }
}

static int explain(FILE *out, int result)
{
    fputs("troupe-guard is started by a server, which see: troupe run --help. It stops what is at\n"
          "the other end of a line when that server dies.\n",
          out);
    return result;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        return explain(stdout, 0);
    }
    if (argc < 2 || argc > 3 || fcntl(TPI_GUARD_ALIVE_FD, F_GETFD) < 0) {
        return explain(stderr, 2);
    }
    settle();
    if (listen_to_server()) {
        _exit(0);
    }
    if (stop_length == 0) { /* it has died before it had said anything */
        _exit(1);
    }
    const int64_t deadline_ms = now_ms() + PATIENCE_MS;
    const size_t done = write_out(deadline_ms);
    see_off(deadline_ms);
    report(argv[1], argc == 3 ? argv[2] : "the server", done);
    _exit(done == stop_length ? 0 : 1);
}
