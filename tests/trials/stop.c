/*
 * stop.c - does what moves stop in time, when the client that moves it comes to grief?
 *
 *     stop BOARD SERVER PORT LANES TRIALS LEASE_MS HOW [PID...]
 *
 * SERVER is its PID. Each lane is a process that makes one trial after the other: a client of its
 * own, another process, drives two bases at 1 m/s (position2d:I, a stopwatch, and position2d:100+I,
 * a fake) and says a word every few milliseconds. Then it is killed, frozen, cut off by a proxy
 * that goes silent (`proxy`) or by a cable that is pulled (`cable`; the PIDs are processes in
 * network namespaces, one for each lane), or it has the loop stalled (`stall`). For each trial one
 * line is printed; times are microseconds after the client came to grief:
 *
 *     heard=T    the last word that the server has certainly heard was not sent before this
 *     said=T     the last word that it can have heard was not sent after this
 *     stop=T     when the stopwatch was stopped, or "never"
 *     fake=T     the server's time of the first data of the fake that shows it at rest, or "never"
 *     took=T     how long the grief itself took: the client was alive until here, perhaps
 *     stall=T    the worst stall that the watches saw in this trial
 *     wait=T     for how long a thread of the server had to wait for a processor, the worst of them
 *     free=T     (stall) when the loop was free again
 *     after=N    commands that moved the base after it was stopped
 */
#define _GNU_SOURCE /* namespaces */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "board.h"
#include "waits.h"
#include "wire.h"

enum { MOST_LANES = 12, WORDS = 256, STALL_MS = 500, BLOCKER_SLOT = BOARD_SLOTS - 1 };
enum { ENOUGH_DATA = 100 }; /* half a second of it */

static const int64_t ms = 1000000;

/* One thing that the client said. */
struct word {
    _Atomic int64_t before_ns;
    _Atomic int64_t after_ns; /* 0 until it is sent */
    _Atomic int64_t heard_ns; /* 0 until it is answered */
};

/* What the processes of a lane share. */
struct lane {
    struct word words[WORDS];
    _Atomic unsigned word_count;
    _Atomic unsigned heard;                /* how many were answered */
    _Atomic bool moves;                    /* both bases do: no more commands are needed */
    _Atomic bool has_driven;               /* nor will there be any */
    _Atomic bool stall;                    /* the client is to have the loop stalled */
    _Atomic int64_t passing_ns, passed_ns; /* what the proxy sent last */
};

struct shared {
    struct lane lanes[MOST_LANES];
    _Atomic int left; /* trials that nobody has begun */
};

struct trial {
    struct shared *shared;
    board *board;
    pid_t server;
    unsigned port;
    unsigned lane;
    int64_t lease_ns;
    const char *how;
    int space;   /* the lane's network namespace; -1 for none */
    int control; /* a socket in it, to pull the cable */
    int witness; /* a client that only looks */
};

static bool is(const struct trial *t, const char *how)
{
    return strcmp(t->how, how) == 0;
}

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
    if (is(t, "stall")) {
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

static void bring_grief(const struct trial *t, pid_t client, pid_t proxy)
{
    if (is(t, "kill")) {
        kill(client, SIGKILL);
        waitpid(client, NULL, 0);
    } else if (is(t, "freeze")) {
        freeze(client);
    } else if (is(t, "proxy")) {
        freeze(proxy);
    } else if (is(t, "cable")) {
        set_cable(t, false);
    } else {
        atomic_store(&t->shared->lanes[t->lane].stall, true);
        while (atomic_load(&t->shared->lanes[t->lane].stall)) {
            board_sleep_ns(ms / 10);
        }
    }
}

/* ---- What came of it ------------------------------------------------------------------------- */

struct outcome {
    waits waits; /* of the server, while all was well */
    int64_t begun_ns, grief_ns, took_ns;
    int64_t stop_ns; /* 0 for never */
    int64_t fake_ns; /* 0 for never */
    int64_t free_ns;
    unsigned after; /* moves after the stop */
    unsigned seen;  /* data of the fake */
    uint64_t next;  /* event of the slot */
    bool moved;
    bool fake_moved;
};

static void look_at_board(const struct trial *t, struct outcome *o)
{
    board_event event;

    while (board_read(t->board, t->lane, o->next, &event)) {
        o->next++;
        if (event.kind == BOARD_MOVE) {
            o->moved = true;
            o->after += o->stop_ns != 0;
        } else if ((event.kind == BOARD_HALT || event.kind == BOARD_STOP) && o->stop_ns == 0) {
            o->stop_ns = event.at_ns;
        }
    }
}

/* The server's time is that of the wall. Both clocks have to be read at once for that: whoever is
 * held up between them reads them again. */
static int64_t monotonic(double wall_s)
{
    struct timespec now;
    int64_t before_ns;
    int64_t now_ns;

    do {
        before_ns = board_now_ns();
        clock_gettime(CLOCK_REALTIME, &now);
        now_ns = board_now_ns();
    } while (now_ns - before_ns > ms / 10);
    return now_ns - (int64_t)(((double)now.tv_sec - wall_s) * 1e9 + (double)now.tv_nsec);
}

/* One message of the fake's data, if there is one within a millisecond. */
static void look_at_fake(const struct trial *t, struct outcome *o)
{
    static wire_message message;
    struct pollfd ready = {.fd = t->witness, .events = POLLIN};

    if (poll(&ready, 1, 1) <= 0) {
        return;
    }
    if (!wire_receive(t->witness, &message)) {
        wire_die("the server is gone");
    }
    if (message.type != WIRE_DATA || message.interf != WIRE_POSITION2D || message.subtype != 1) {
        return;
    }
    o->seen++;
    const double speed_mps = wire_get_f64(message.body + 24);
    if (speed_mps != 0) {
        o->fake_moved = true;
        o->fake_ns = 0;
    } else if (o->fake_moved && o->fake_ns == 0) {
        o->fake_ns = monotonic(message.time_s);
    }
}

static void watch_until(const struct trial *t, struct outcome *o, int64_t until_ns)
{
    while (board_now_ns() < until_ns) {
        look_at_fake(t, o);
        look_at_board(t, o);
    }
}

/* Until both have stopped, or never will: that takes a while in which the server, too, was awake
 * and has sent data. A machine that stood still for so long shows nothing. */
static void watch_it_stop(const struct trial *t, struct outcome *o)
{
    const int64_t until_ns = o->took_ns + t->lease_ns + 3000 * ms;

    o->seen = 0;
    while ((o->stop_ns == 0 || o->fake_ns == 0) &&
           (board_now_ns() < until_ns || o->seen < ENOUGH_DATA)) {
        look_at_fake(t, o);
        look_at_board(t, o);
    }
}

/* The last word that was answered before the stop. */
static int64_t last_heard(const struct lane *lane, int64_t stop_ns)
{
    const unsigned count = atomic_load(&lane->word_count);
    int64_t last_ns = 0;

    for (unsigned i = count > WORDS ? count - WORDS : 0; i < count; i++) {
        const struct word *word = &lane->words[i % WORDS];
        const int64_t heard_ns = atomic_load(&word->heard_ns);
        if (heard_ns != 0 && (stop_ns == 0 || heard_ns <= stop_ns)) {
            last_ns = atomic_load(&word->before_ns);
        }
    }
    return last_ns;
}

/* No word can have been said later than this. */
static int64_t last_said(const struct trial *t, const struct lane *lane, int64_t took_ns)
{
    const unsigned count = atomic_load(&lane->word_count);

    if (is(t, "proxy")) {
        const int64_t passed_ns = atomic_load(&lane->passed_ns);
        return passed_ns >= atomic_load(&lane->passing_ns) ? passed_ns : took_ns;
    }
    for (unsigned i = count; i > 0 && i + WORDS > count; i--) {
        const struct word *word = &lane->words[(i - 1) % WORDS];
        const int64_t after_ns = atomic_load(&word->after_ns);
        if (atomic_load(&word->before_ns) < took_ns) {
            return after_ns != 0 && after_ns < took_ns ? after_ns : took_ns;
        }
    }
    return took_ns;
}

static void find_free(const struct trial *t, uint64_t from, struct outcome *o)
{
    board_event event = {0};

    while (is(t, "stall") && event.kind != BOARD_FREE) {
        if (!board_read(t->board, BLOCKER_SLOT, from, &event)) {
            board_sleep_ns(ms);
        } else {
            from++;
            o->free_ns = event.at_ns;
        }
    }
}

static void print_time(const char *name, int64_t at_ns, int64_t zero_ns)
{
    if (at_ns == 0) {
        printf(" %s=never", name);
    } else {
        printf(" %s=%lld", name, (long long)((at_ns - zero_ns) / 1000));
    }
}

static void print_outcome(const struct trial *t, const struct lane *lane, const struct outcome *o)
{
    const int64_t end_ns = board_now_ns();
    const int64_t stall_ns = board_worst_stall(t->board, o->begun_ns, end_ns);

    printf("%s", t->how);
    print_time("heard", last_heard(lane, o->stop_ns), o->grief_ns);
    print_time("heard_by_fake", last_heard(lane, o->fake_ns), o->grief_ns);
    print_time("said", last_said(t, lane, o->took_ns), o->grief_ns);
    print_time("stop", o->stop_ns, o->grief_ns);
    print_time("fake", o->fake_ns, o->grief_ns);
    print_time("took", o->took_ns, o->grief_ns);
    print_time("free", o->free_ns, o->grief_ns);
    printf(" stall=%lld wait=%lld after=%u\n", (long long)(stall_ns / 1000),
           (long long)(waits_worst(&o->waits, t->server) / 1000), o->after);
    fflush(stdout);
}

/* ---- Trials ---------------------------------------------------------------------------------- */

static pid_t start_client(const struct trial *t, pid_t *proxy)
{
    char host[32] = "127.0.0.1";
    unsigned port = t->port;

    *proxy = is(t, "proxy") ? start_proxy(t, &port) : 0;
    if (is(t, "cable")) {
        snprintf(host, sizeof host, "10.77.%u.1", t->lane);
    }
    const pid_t client = fork();
    if (client == 0) {
        be_client(t, host, port);
    }
    return client;
}

/* A base that had stopped and was commanded again has not stopped. */
static void look_while_driven(const struct trial *t, struct outcome *o)
{
    look_at_board(t, o);
    if (o->after > 0) {
        o->stop_ns = 0;
        o->after = 0;
    }
}

/* Until both bases move, and the client only says that it is there. */
static void await_moving(const struct trial *t, struct outcome *o, pid_t client)
{
    struct lane *lane = &t->shared->lanes[t->lane];

    while (!atomic_load(&lane->has_driven) || atomic_load(&lane->heard) < 2) {
        look_at_fake(t, o);
        look_while_driven(t, o);
        if (o->moved && o->stop_ns == 0 && o->fake_moved && o->fake_ns == 0) {
            atomic_store(&lane->moves, true);
        }
        if (waitpid(client, NULL, WNOHANG) == client) {
            wire_die("the client has ended");
        }
    }
    look_while_driven(t, o); /* what came before its last answer */
}

static void make_trial(const struct trial *t, unsigned *seed)
{
    struct lane *lane = &t->shared->lanes[t->lane];
    const uint64_t stalls = atomic_load(&t->board->slots[BLOCKER_SLOT].count);
    struct outcome o = {.begun_ns = board_now_ns(),
                        .next = atomic_load(&t->board->slots[t->lane].count)};
    pid_t proxy = 0;

    memset(lane, 0, sizeof *lane);
    const pid_t client = start_client(t, &proxy);
    await_moving(t, &o, client);
    waits_look(&o.waits, t->server);
    watch_until(t, &o, board_now_ns() + rand_r(seed) % 40 * ms);
    o.begun_ns = board_now_ns() - t->lease_ns; /* stalls before that cannot matter */
    o.grief_ns = board_now_ns();
    bring_grief(t, client, proxy);
    o.took_ns = board_now_ns();
    watch_it_stop(t, &o);
    find_free(t, stalls, &o);
    look_at_board(t, &o);
    print_outcome(t, lane, &o);
    if (!is(t, "kill")) {
        end_process(client);
    }
    end_process(proxy);
    if (is(t, "cable")) {
        set_cable(t, true);
    }
}

static void enter_space(struct trial *t, const char *pid)
{
    char path[64];
    const int here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

    snprintf(path, sizeof path, "/proc/%s/ns/net", pid);
    t->space = open(path, O_RDONLY | O_CLOEXEC);
    if (here < 0 || t->space < 0 || setns(t->space, CLONE_NEWNET) != 0) {
        wire_die("network namespace");
    }
    t->control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (t->control < 0 || setns(here, CLONE_NEWNET) != 0) {
        wire_die("network namespace");
    }
    close(here);
}

static void be_lane(struct trial *t)
{
    unsigned seed = t->lane;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    t->witness = wire_connect("127.0.0.1", t->port);
    wire_open(t->witness, WIRE_POSITION2D, 100 + t->lane);
    while (atomic_fetch_sub(&t->shared->left, 1) > 0) {
        make_trial(t, &seed);
    }
    _exit(0);
}

/* 0 if all lanes came to their end. */
static int await_lanes(board *b, unsigned lanes)
{
    int failed = 0;
    int status;

    board_begin_watches(b);
    while (lanes-- > 0) {
        failed |= wait(&status) < 0 || status != 0;
    }
    board_end_watches(b);
    return failed;
}

int main(int argc, char **argv)
{
    struct trial t = {.space = -1, .control = -1};

    if (argc < 8) {
        fprintf(stderr, "usage: stop BOARD SERVER PORT LANES TRIALS LEASE_MS HOW [PID...]\n");
        return 2;
    }
    const unsigned lanes = (unsigned)atoi(argv[4]);
    t.board = board_open(argv[1], false);
    t.shared =
        mmap(NULL, sizeof *t.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (t.board == NULL || t.shared == MAP_FAILED || lanes == 0 || lanes > MOST_LANES) {
        wire_die("board");
    }
    t.server = atoi(argv[2]);
    t.port = (unsigned)atoi(argv[3]);
    t.shared->left = atoi(argv[5]);
    t.lease_ns = atoi(argv[6]) * ms;
    t.how = argv[7];
    for (t.lane = 0; t.lane < lanes; t.lane++) {
        if ((int)t.lane + 8 < argc) {
            enter_space(&t, argv[8 + t.lane]);
        }
        const pid_t pid = fork();
        if (pid == 0) {
            be_lane(&t);
        }
    }
    return await_lanes(t.board, lanes);
}
