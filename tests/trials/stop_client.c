/* stop_client.c - the client of a trial, and the grief that comes over it; see stop.c. */
#define _GNU_SOURCE
#include "stop.h"

#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wire.h"

enum { STALL_MS = 500 };

/* ---- The client ------------------------------------------------------------------------------ */

static struct word *begin_word(struct lane *lane)
{
    const unsigned number = atomic_load(&lane->word_count);
    struct word *word = &lane->words[number % WORDS];

    atomic_store(&word->heard_ns, 0);
    atomic_store(&word->after_ns, 0);
    atomic_store(&word->before_ns, board_now_ns());
    atomic_store(&lane->word_count, number + 1);
    return word;
}

static void ask(struct lane *lane, int fd, unsigned index)
{
    static wire_message reply;
    struct word *word = begin_word(lane);
    const uint32_t seq = atomic_load(&lane->word_count);

    wire_send(fd, WIRE_POSITION2D, index, WIRE_REQUEST, 1, seq, NULL, 0);
    atomic_store(&word->after_ns, board_now_ns());
    wire_await(fd, seq, &reply);
    atomic_store(&word->heard_ns, board_now_ns());
    atomic_fetch_add(&lane->heard, 1);
}

static void have_loop_stalled(struct lane *lane, int fd)
{
    unsigned char body[8];
    struct word *word = begin_word(lane);

    wire_put_u32(body, 1);
    wire_put_u32(body + 4, STALL_MS);
    wire_send(fd, WIRE_DIO, 0, WIRE_COMMAND, 1, 0, body, sizeof body);
    atomic_store(&word->after_ns, board_now_ns());
    atomic_store(&lane->stall, false);
}

static void be_client(const struct trial *t, const char *host, unsigned port)
{
    struct lane *lane = &t->shared->lanes[t->lane];

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (t->space >= 0 && setns(t->space, CLONE_NEWNET) != 0) {
        wire_die("network namespace");
    }
    const int fd = wire_connect(host, port);
    wire_open(fd, WIRE_POSITION2D, t->lane);
    wire_open(fd, WIRE_POSITION2D, 100 + t->lane);
    if (trial_is(t, "stall")) {
        wire_open(fd, WIRE_DIO, 0);
    }
    for (;;) {
        if (atomic_load(&lane->moves)) {
            atomic_store(&lane->has_driven, true);
        } else { /* again, since a lease may end while this machine stalls */
            wire_drive(fd, t->lane, 1);
            wire_drive(fd, 100 + t->lane, 1);
        }
        ask(lane, fd, t->lane);
        if (atomic_load(&lane->stall)) {
            have_loop_stalled(lane, fd);
        }
        board_sleep_ns(5 * ms);
    }
}

/* ---- The proxy ------------------------------------------------------------------------------- */

static bool pass(int from, int to)
{
    char bytes[1 << 14];
    const ssize_t length = recv(from, bytes, sizeof bytes, 0);

    return length > 0 && send(to, bytes, (size_t)length, MSG_NOSIGNAL) == length;
}

static void be_proxy(const struct trial *t, int listener, const char *host)
{
    struct lane *lane = &t->shared->lanes[t->lane];
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)t->port)};
    const int server = socket(AF_INET, SOCK_STREAM, 0);
    const int client = accept(listener, NULL, NULL);
    bool goes_on = true;

    (void)host;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (client < 0 || connect(server, (const struct sockaddr *)&to, sizeof to) != 0) {
        wire_die("proxy");
    }
    while (goes_on) {
        struct pollfd ready[2] = {{.fd = client, .events = POLLIN},
                                  {.fd = server, .events = POLLIN}};
        poll(ready, 2, -1);
        if (ready[0].revents != 0) {
            atomic_store(&lane->passing_ns, board_now_ns());
            goes_on = pass(client, server);
            atomic_store(&lane->passed_ns, board_now_ns());
        }
        if (goes_on && ready[1].revents != 0) {
            goes_on = pass(server, client);
        }
    }
    _exit(0);
}

static pid_t start_proxy(const struct trial *t, unsigned *port)
{
    struct sockaddr_in on = {.sin_family = AF_INET};
    socklen_t length = sizeof on;
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    on.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (listener < 0 || bind(listener, (const struct sockaddr *)&on, sizeof on) != 0 ||
        listen(listener, 1) != 0 || getsockname(listener, (struct sockaddr *)&on, &length) != 0) {
        wire_die("proxy");
    }
    *port = ntohs(on.sin_port);
    const pid_t pid = fork();
    if (pid == 0) {
        be_proxy(t, listener, "127.0.0.1");
    }
    close(listener);
    return pid;
}

/* ---- Grief ----------------------------------------------------------------------------------- */

static void end_process(pid_t pid)
{
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
}

static void freeze(pid_t pid)
{
    int status = 0;

    kill(pid, SIGSTOP);
    if (waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status)) {
        wire_die("freezing");
    }
}

/* The cable of this lane, at the client's end. */
static void set_cable(const struct trial *t, bool up)
{
    struct ifreq link = {0};

    snprintf(link.ifr_name, sizeof link.ifr_name, "client%u", t->lane);
    if (ioctl(t->control, SIOCGIFFLAGS, &link) != 0) {
        wire_die("cable");
    }
    link.ifr_flags = (short)(up ? link.ifr_flags | IFF_UP : link.ifr_flags & ~IFF_UP);
    if (ioctl(t->control, SIOCSIFFLAGS, &link) != 0) {
        wire_die("cable");
    }
}

void trial_bring_grief(const struct trial *t, pid_t client, pid_t proxy)
{
    if (trial_is(t, "kill")) {
        kill(client, SIGKILL);
        waitpid(client, NULL, 0);
    } else if (trial_is(t, "freeze")) {
        freeze(client);
    } else if (trial_is(t, "proxy")) {
        freeze(proxy);
    } else if (trial_is(t, "cable")) {
        set_cable(t, false);
    } else {
        atomic_store(&t->shared->lanes[t->lane].stall, true);
        while (atomic_load(&t->shared->lanes[t->lane].stall)) {
            board_sleep_ns(ms / 10);
        }
    }
}

pid_t trial_start_client(const struct trial *t, pid_t *proxy)
{
    char host[32] = "127.0.0.1";
    unsigned port = t->port;

    *proxy = trial_is(t, "proxy") ? start_proxy(t, &port) : 0;
    if (trial_is(t, "cable")) {
        snprintf(host, sizeof host, "10.77.%u.1", t->lane);
    }
    const pid_t client = fork();
    if (client == 0) {
        be_client(t, host, port);
    }
    return client;
}

void trial_clear_up(const struct trial *t, pid_t client, pid_t proxy)
{
    if (!trial_is(t, "kill")) {
        end_process(client);
    }
    end_process(proxy);
    if (trial_is(t, "cable")) {
        set_cable(t, true);
    }
}
