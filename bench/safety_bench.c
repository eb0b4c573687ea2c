/*
 * safety_bench.c - how long it takes until a robot is told to stop, for each link of the chain.
 *
 * A server, its guard, the robot at the other side of its line and its clients are on one machine
 * and share a clock. Every trial moves the robot, then something happens, and the time from there
 * to the first byte that stops the robot counts. Beside it a control thread on the server's core
 * wakes up a thousand times a second and notes how late: what it saw during the same trials is what
 * the machine itself cost. A server that is killed has to die first, which is work and not a
 * wake-up: there the control is the death of a process that has as much memory and a pipe.
 * docs/guide/safety.md has the table.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/endian.h"
#include "bench.h"
#include "safety/robot.h"
#include "server/clients.h"
#include "server/machine.h"
#include "server/spread.h"
#include "troupe/clock.h"
#include "troupe/interfaces/player.h"
#include "troupe/interfaces/position2d.h"

static const char help[] =
    "usage: ./troupe bench safety [--quick] [--json]\n\n"
    "From whatever should stop a robot to the first byte on its line that does, with the lateness\n"
    "of a control thread in the same trials. Exits with 1 if a link is over its budget.\n";

static int64_t now_ns(void)
{
    return tp_clock_now_ns(tp_clock_real());
}

/* ---- The control thread ---------------------------------------------------------------------- */

enum { CONTROL_US = 1000 };

static struct {
    pthread_mutex_t lock;
    bench_spread lateness;
    int64_t worst_ns;
    atomic_bool quit;
} control = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void note_lateness(int64_t late_ns)
{
    pthread_mutex_lock(&control.lock);
    spread_add(&control.lateness, late_ns);
    control.worst_ns = late_ns > control.worst_ns ? late_ns : control.worst_ns;
    pthread_mutex_unlock(&control.lock);
}

static void *control_main(void *unused)
{
    machine_pin(PEER_CORE);
    while (!atomic_load(&control.quit)) {
        const int64_t due_ns = now_ns() + CONTROL_US * TP_NS_PER_US;
        const struct timespec due = {due_ns / TP_NS_PER_S, due_ns % TP_NS_PER_S};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
        note_lateness(now_ns() - due_ns);
    }
    return unused;
}

/* What it has seen since it was last asked. */
static int64_t take_control(bench_spread *out)
{
    pthread_mutex_lock(&control.lock);
    const int64_t worst_ns = control.worst_ns;
    *out = control.lateness;
    memset(&control.lateness, 0, sizeof control.lateness);
    control.worst_ns = 0;
    pthread_mutex_unlock(&control.lock);
    return worst_ns;
}

/* ---- The control process --------------------------------------------------------------------- */

static _Noreturn void wait_for_death(int ready, size_t size)
{
    volatile char *memory = size == 0 ? NULL : malloc(size);

    machine_pin(PEER_CORE);
    for (size_t i = 0; memory != NULL && i < size; i += 4096) {
        memory[i] = 1;
    }
    if (write(ready, "r", 1) != 1) {
        _exit(1);
    }
    for (;;) {
        pause();
    }
}

/* From the kill of a process to the end of its pipe. */
static int64_t measure_death(int megabytes)
{
    int ends[2];
    char byte;

    if (pipe(ends) != 0) {
        bench_give_up("cannot make a pipe");
    }
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        wait_for_death(ends[1], (size_t)megabytes << 20);
    }
    close(ends[1]);
    if (pid < 0 || read(ends[0], &byte, 1) != 1) {
        bench_give_up("a process does not start");
    }
    const int64_t then_ns = now_ns();
    kill(pid, SIGKILL);
    if (read(ends[0], &byte, 1) != 0) {
        bench_give_up("a process does not die");
    }
    const int64_t taken_ns = now_ns() - then_ns;
    waitpid(pid, NULL, 0);
    close(ends[0]);
    return taken_ns;
}

/* ---- Clients --------------------------------------------------------------------------------- */

enum { VEL_BODY = 28, TEXT = 12 }; /* TEXT: an empty one, with its NUL and padding */

static void send_message(int fd, unsigned type, unsigned interf, unsigned index, unsigned subtype,
                         const unsigned char *body, unsigned size)
{
    unsigned char message[HEADER_SIZE + 64] = {0};

    tpi_store_be32(message + 8, interf);
    tpi_store_be32(message + 12, index);
    tpi_store_be32(message + 16, type);
    tpi_store_be32(message + 20, subtype);
    tpi_store_be32(message + 36, size);
    memcpy(message + HEADER_SIZE, body, size);
    if (send(fd, message, HEADER_SIZE + size, MSG_NOSIGNAL) != (ssize_t)(HEADER_SIZE + size)) {
        bench_give_up("cannot send");
    }
}

static void send_velocity(int fd, unsigned index)
{
    const unsigned char body[VEL_BODY] = {0x3f, 0xf0, [VEL_BODY - 1] = 1}; /* 1 m/s, motors on */

    send_message(fd, TP_MSGTYPE_CMD, TP_POSITION2D_CODE, index, TP_POSITION2D_CMD_VEL, body,
                 sizeof body);
}

static void put_empty_text(unsigned char *at)
{
    tpi_store_be32(at, 1);
    tpi_store_be32(at + 4, 1);
    memset(at + 8, 0, 4);
}

static void send_panic(int fd)
{
    unsigned char body[8 + 2 * TEXT] = {0};

    tpi_store_be32(body, 1);
    put_empty_text(body + 8);
    put_empty_text(body + 8 + TEXT);
    send_message(fd, TP_MSGTYPE_REQ, TP_PLAYER_CODE, 0, TP_PLAYER_REQ_PANIC, body, sizeof body);
}

/* Requests are answered in order: the last reply ends it. */
static void read_replies(int fd, int count)
{
    unsigned char header[HEADER_SIZE];
    unsigned char body[1024];

    while (count > 0) {
        if (recv(fd, header, sizeof header, MSG_WAITALL) != sizeof header) {
            bench_give_up("a server does not answer");
        }
        const size_t size = tpi_load_be32(header + 36);
        const unsigned type = tpi_load_be32(header + 16);
        if (size > sizeof body ||
            (size > 0 && recv(fd, body, size, MSG_WAITALL) != (ssize_t)size)) {
            bench_give_up("a strange reply");
        }
        if (type == TP_MSGTYPE_RESP_NACK) {
            bench_give_up("a request was refused");
        }
        count -= type == TP_MSGTYPE_RESP_ACK;
    }
}

/* Each panic and each reset raises the epoch by one. */
static void reset_panic(int fd, unsigned epoch)
{
    unsigned char body[4 + TEXT];

    tpi_store_be32(body, epoch);
    put_empty_text(body + 4);
    send_message(fd, TP_MSGTYPE_REQ, TP_PLAYER_CODE, 0, TP_PLAYER_REQ_RESET_PANIC, body,
                 sizeof body);
}

/* ---- Trials: each returns how long it took from what happened to the stop -------------------- */

struct trial {
    bench_robot *robot;
    int client;       /* moves the robot */
    int other;        /* stalls the loop */
    int64_t moved_ns; /* when the command was sent */
    unsigned number;
};

static int64_t close_client(struct trial *t)
{
    const struct linger orderly = {0}; /* as the system does for a process that is killed */

    setsockopt(t->client, SOL_SOCKET, SO_LINGER, &orderly, sizeof orderly);
    const int64_t then_ns = now_ns();
    close(t->client);
    t->client = -1;
    return robot_wait_ns(t->robot, ROBOT_HALTS) - then_ns;
}

static int64_t fall_silent(struct trial *t)
{
    return robot_wait_ns(t->robot, ROBOT_HALTS) - t->moved_ns - LEASE_MS * TP_NS_PER_MS;
}

static int64_t fall_silent_in_a_stall(struct trial *t)
{
    send_velocity(t->other, 1);
    return fall_silent(t);
}

static int64_t panic_by_client(struct trial *t)
{
    const int64_t then_ns = now_ns();

    send_panic(t->client);
    const int64_t taken_ns = robot_wait_ns(t->robot, ROBOT_HALTS) - then_ns;
    reset_panic(t->client, 2 * t->number + 1);
    read_replies(t->client, 2);
    return taken_ns;
}

static int64_t panic_by_signal(struct trial *t)
{
    const int64_t then_ns = now_ns();

    kill(t->robot->server.pid, SIGUSR1);
    const int64_t taken_ns = robot_wait_ns(t->robot, ROBOT_HALTS) - then_ns;
    reset_panic(t->client, 2 * t->number + 1);
    read_replies(t->client, 1);
    return taken_ns;
}

static int64_t panic_by_signal_in_a_stall(struct trial *t)
{
    send_velocity(t->other, 1);
    machine_rest_ms(10); /* for the loop to have heard it */
    return panic_by_signal(t);
}

static int64_t be_sent(struct trial *t, int number)
{
    const int64_t then_ns = now_ns();

    kill(t->robot->server.pid, number);
    return robot_wait_ns(t->robot, ROBOT_GUARD) - then_ns;
}

static int64_t be_killed(struct trial *t)
{
    return be_sent(t, SIGKILL);
}

static int64_t crash(struct trial *t)
{
    return be_sent(t, SIGSEGV);
}

/* ---- Links ----------------------------------------------------------------------------------- */

struct link {
    const char *what;
    const char *who; /* stops it */
    int64_t (*trial)(struct trial *t);
    unsigned count;
    int megabytes;    /* that the server uses, of which each trial has its own; -1 for one server */
    double budget_ms; /* beside what the machine costs */
};

static const struct link links[] = {
    {"a client is killed: its connection closes", "loop, worker", close_client, 300, -1, 20},
    {"a client is silent: from the end of its lease", "worker", fall_silent, 100, -1, 20},
    {"a lease ends while the loop stalls", "worker", fall_silent_in_a_stall, 40, -1, 20},
    {"panic from a client", "loop, worker", panic_by_client, 300, -1, 20},
    {"panic by a signal", "panic thread, worker", panic_by_signal, 300, -1, 20},
    {"a signal while the loop stalls", "panic thread, worker", panic_by_signal_in_a_stall, 40, -1,
     20},
    {"the server crashes", "guard", crash, 60, 0, 20},
    {"the server is killed", "guard", be_killed, 60, 0, 20},
    {"a server that uses 256 MB is killed", "guard", be_killed, 30, 256, 100},
};

enum { LINKS = sizeof links / sizeof links[0] };

struct figures {
    bench_spread spread;
    bench_spread control;
    int64_t worst_ns;
    int64_t control_worst_ns;
};

static int64_t run_trial(const struct link *link, bench_robot *robot, unsigned number)
{
    struct trial t = {.robot = robot, .number = number};

    t.client = client_connect(robot->server.flow->port, false);
    t.other = client_connect(robot->server.flow->port, false);
    client_open_device(t.client, TP_POSITION2D_CODE, 0);
    client_open_device(t.other, TP_POSITION2D_CODE, 1);
    t.moved_ns = now_ns();
    send_velocity(t.client, 0);
    robot_wait_ns(robot, ROBOT_MOVES);
    const int64_t taken_ns = link->trial(&t);
    if (t.client >= 0) {
        close(t.client);
    }
    close(t.other);
    return taken_ns;
}

static void measure(const struct link *link, unsigned count, struct figures *out)
{
    const bool kills = link->megabytes >= 0;
    static bench_spread deaths;
    int64_t worst_death_ns = 0;
    bench_robot robot;

    memset(out, 0, sizeof *out);
    memset(&deaths, 0, sizeof deaths);
    for (unsigned i = 0; i < count; i++) {
        if (i == 0 || kills) {
            robot_start(&robot, kills ? link->megabytes : 0);
        }
        if (i == 0) {
            take_control(&out->control); /* what was before is not counted */
        }
        const int64_t taken_ns = run_trial(link, &robot, i);
        spread_add(&out->spread, taken_ns);
        out->worst_ns = taken_ns > out->worst_ns ? taken_ns : out->worst_ns;
        if (i + 1 == count || kills) {
            robot_end(&robot);
        }
        if (link->trial == be_killed) {
            const int64_t death_ns = measure_death(link->megabytes);
            spread_add(&deaths, death_ns);
            worst_death_ns = death_ns > worst_death_ns ? death_ns : worst_death_ns;
        }
    }
    out->control_worst_ns = take_control(&out->control);
    if (link->trial == be_killed) {
        out->control = deaths;
        out->control_worst_ns = worst_death_ns;
    }
}

/* ---- The table ------------------------------------------------------------------------------- */

static double ms(double ns)
{
    return ns / 1e6;
}

static void print_head(bool json)
{
    if (!json) {
        puts("| what happens | what acts | trials | p50 ms | p99 ms | worst ms | control p50 ms | "
             "control worst ms | budget ms | kept |");
        puts("|---|---|---|---|---|---|---|---|---|---|");
    }
}

static bool print_link(bool json, const struct link *link, const struct figures *f)
{
    const double worst_ms = ms((double)f->worst_ns);
    const double control_ms = ms((double)f->control_worst_ns);
    const bool kept = worst_ms <= link->budget_ms + control_ms;

    printf(
        json ? "{\"name\":\"%s\",\"parameters\":{\"acts\":\"%s\",\"trials\":%llu},\"p50_ms\":%.3f,"
               "\"p99_ms\":%.3f,\"worst_ms\":%.3f,\"control_p50_ms\":%.3f,"
               "\"control_worst_ms\":%.3f,\"budget_ms\":%.0f,\"kept\":%s}\n"
             : "| %s | %s | %llu | %.2f | %.2f | %.2f | %.2f | %.2f | %.0f | %s |\n",
        link->what, link->who, (unsigned long long)f->spread.total,
        ms(spread_quantile(&f->spread, 0.5)), ms(spread_quantile(&f->spread, 0.99)), worst_ms,
        ms(spread_quantile(&f->control, 0.5)), control_ms, link->budget_ms,
        json ? (kept ? "true" : "false") : (kept ? "yes" : "no"));
    fflush(stdout);
    return kept;
}

int main(int argc, char **argv)
{
    static const char *const legend[] = {
        "p50, p99, worst  from the event to the first stop byte on the line",
        "control          how late a thread wakes that only sleeps, in the same trials",
        "budget, kept     the limit for worst, and whether worst - control worst is below it",
        NULL};
    static struct figures figures;
    const bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    const bool json = bench_wants_json(argc - quick, argv + quick, help);
    pthread_t thread;
    int patience_ms = quick ? 0 : 60000;
    bool kept = true;

    if (pthread_create(&thread, NULL, control_main, NULL) != 0) {
        bench_give_up("cannot make a thread");
    }
    machine_pin(CLIENT_CORE);
    print_head(json);
    for (size_t i = 0; i < LINKS; i++) {
        machine_wait_until_quiet(&patience_ms);
        measure(&links[i], quick ? links[i].count / 10 : links[i].count, &figures);
        kept = print_link(json, &links[i], &figures) && kept;
    }
    bench_print_legend(json, legend);
    atomic_store(&control.quit, true);
    pthread_join(thread, NULL);
    return kept ? 0 : 1;
}
