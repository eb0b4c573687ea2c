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
#include "stop.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wire.h"

/* A base that had stopped and was commanded again has not stopped. */
static void look_while_driven(const struct trial *t, struct outcome *o)
{
    o->driven = true;
    outcome_look_at_board(t, o);
    o->driven = false;
}

/* Until both bases move, and the client only says that it is there. */
static void await_moving(const struct trial *t, struct outcome *o, pid_t client)
{
    struct lane *lane = &t->shared->lanes[t->lane];

    while (!atomic_load(&lane->has_driven) || atomic_load(&lane->heard) < 2) {
        outcome_look_at_fake(t, o);
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
    const pid_t client = trial_start_client(t, &proxy);
    await_moving(t, &o, client);
    waits_look(&o.waits, t->server);
    outcome_watch_until(t, &o, board_now_ns() + rand_r(seed) % 40 * ms);
    o.begun_ns = board_now_ns() - t->lease_ns; /* stalls before that cannot matter */
    o.grief_ns = board_now_ns();
    trial_bring_grief(t, client, proxy);
    o.took_ns = board_now_ns();
    outcome_watch_it_stop(t, &o);
    outcome_find_free(t, stalls, &o);
    outcome_look_at_board(t, &o);
    outcome_print(t, lane, &o);
    trial_clear_up(t, client, proxy);
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
