/*
 * trip.c - round trips through an emulated robot on a pty; see trip.h.
 *
 * Two child processes sit behind ptys: one answers every telegram with the bytes of a real brick
 * (the bare pty), the other is an emulated NXT in a simulated world. Blocks of round trips of both
 * alternate, so that both see the same machine. Nothing waits without a limit: every wait is a
 * poll() of a second, and an alarm ends a child that is forgotten.
 */
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 600
#include "trip.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "emulate/scene.h"
#include "universal/dialog.h"
#include "universal/registry.h"

enum { BLOCKS = 20, BLOCK = 200, WARM_UP = 200, WAIT_MS = 1000, LIFE_S = 120, LARGEST = 512 };

static const uint8_t telegram[] = {3, 0, 0, 7, 1}; /* GETINPUTVALUES of port 2 */
static const uint8_t reply[] = {16,   0,    2, 7,    0, 1,    1, 0,    7,
                                0x80, 0xf4, 1, 0x46, 2, 0x38, 0, 0x46, 2};

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- Ptys ------------------------------------------------------------------------------------ */

struct peer {
    int master, slave;
    pid_t child;
};

static bool open_pty(struct peer *peer)
{
    struct termios raw;

    peer->master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (peer->master < 0 || grantpt(peer->master) != 0 || unlockpt(peer->master) != 0) {
        return false;
    }
    peer->slave = open(ptsname(peer->master), O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (peer->slave < 0 || tcgetattr(peer->slave, &raw) != 0) {
        return false;
    }
    cfmakeraw(&raw);
    return tcsetattr(peer->slave, TCSANOW, &raw) == 0;
}

/* Bytes that have come within the time; 0 for none. */
static size_t take(int fd, uint8_t *bytes, size_t size, int wait_ms)
{
    struct pollfd watch = {.fd = fd, .events = POLLIN};

    if (poll(&watch, 1, wait_ms) <= 0) {
        return 0;
    }
    const ssize_t got = read(fd, bytes, size);
    return got > 0 ? (size_t)got : 0;
}

static bool give(int fd, const uint8_t *bytes, size_t length)
{
    struct pollfd watch = {.fd = fd, .events = POLLOUT};

    while (length > 0) {
        const ssize_t put = write(fd, bytes, length);
        if (put > 0) {
            bytes += put;
            length -= (size_t)put;
        } else if (errno != EAGAIN || poll(&watch, 1, WAIT_MS) <= 0) {
            return false;
        }
    }
    return true;
}

/* ---- Children -------------------------------------------------------------------------------- */

/* The bare pty: whole telegrams in, the recorded reply out. */
static void echo(int master)
{
    uint8_t bytes[LARGEST];
    size_t length = 0;

    for (;;) {
        length += take(master, bytes + length, sizeof bytes - length, WAIT_MS);
        while (length >= sizeof telegram) {
            length -= sizeof telegram;
            memmove(bytes, bytes + sizeof telegram, length);
            (void)give(master, reply, sizeof reply);
        }
    }
}

static void emulate(int master, const char *folders)
{
    enum { STEP_MS = 5 };
    const tpi_scene_actor actor = {.kind = tpi_emu_kind_named("nxt", NULL)};
    const tpi_scene_plan plan = {.folders = folders, .seed = 1, .actors = &actor, .count = 1};
    tpi_scene *scene = NULL;
    tp_error err = {0};
    uint8_t bytes[LARGEST];

    if (tpi_scene_create(&scene, &plan, &err) != TP_OK) {
        fprintf(stderr, "universal: %s\n", err.text);
        _exit(1);
    }
    tpi_emu *robot = tpi_scene_robot(scene, 0);
    const int64_t start = now_ns();
    for (;;) {
        const size_t got = take(master, bytes, sizeof bytes, STEP_MS);
        if (got > 0) {
            tpi_emu_input(robot, bytes, got);
        } else {
            tpi_scene_advance(scene, (now_ns() - start) / 1000);
        }
        for (size_t count; (count = tpi_emu_output(robot, bytes, sizeof bytes)) > 0;) {
            (void)give(master, bytes, count);
        }
    }
}

static bool start(struct peer *peer, bool emulates, const char *folders)
{
    *peer = (struct peer){.master = -1, .slave = -1, .child = -1};
    if (!open_pty(peer)) {
        fprintf(stderr, "universal: no pty: %s\n", strerror(errno));
        return false;
    }
    fflush(NULL);
    peer->child = fork();
    if (peer->child == 0) {
        alarm(LIFE_S);
        if (emulates) {
            emulate(peer->master, folders);
        }
        echo(peer->master);
    }
    return peer->child > 0;
}

static void end(struct peer *peer)
{
    if (peer->child > 0) {
        kill(peer->child, SIGKILL);
        waitpid(peer->child, NULL, 0);
    }
    close(peer->master);
    close(peer->slave);
}

/* ---- Round trips ----------------------------------------------------------------------------- */

/* What a command has written. */
struct writes {
    int fd;
    unsigned count;
    int64_t first_ns, last_ns;
    bool failed;
};

static void on_write(void *context, const uint8_t *frame, size_t length, const uint8_t *body,
                     size_t body_length)
{
    struct writes *w = context;

    (void)body;
    (void)body_length;
    w->last_ns = now_ns();
    w->first_ns = w->count++ == 0 ? w->last_ns : w->first_ns;
    w->failed = w->failed || (w->fd >= 0 && !give(w->fd, frame, length));
}

/* One command to its end; its time, or -1. */
static int64_t command_trip(tpi_dialog *dialog, struct writes *w, const tpi_dialog_order *order)
{
    const int64_t begun = now_ns();
    uint8_t bytes[LARGEST];

    *w = (struct writes){.fd = w->fd};
    tpi_dialog_begin(dialog, order, begun);
    while (tpi_dialog_is_busy(dialog) && !w->failed) {
        const int64_t due = (tpi_dialog_due_ns(dialog) - now_ns()) / 1000000 + 1;
        const size_t got = take(w->fd, bytes, sizeof bytes,
                                due < 0         ? 0
                                : due < WAIT_MS ? (int)due
                                                : WAIT_MS);
        if (got > 0) {
            tpi_dialog_receive(dialog, bytes, got, now_ns());
        } else {
            tpi_dialog_tick(dialog, now_ns());
        }
        if (now_ns() - begun > 5 * (int64_t)1000000000) {
            return -1;
        }
    }
    return w->failed || tpi_dialog_outcome(dialog)->fault != TPI_FAULT_NONE ? -1 : now_ns() - begun;
}

static int64_t bare_trip(int fd)
{
    const int64_t begun = now_ns();
    uint8_t bytes[LARGEST];
    size_t length = 0;

    if (!give(fd, telegram, sizeof telegram)) {
        return -1;
    }
    while (length < sizeof reply) {
        const size_t got = take(fd, bytes, sizeof bytes, WAIT_MS);
        if (got == 0) {
            return -1;
        }
        length += got;
    }
    return now_ns() - begun;
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

static double quantile_us(int64_t *times, size_t count, double share)
{
    qsort(times, count, sizeof *times, compare);
    return (double)times[(size_t)(share * (double)(count - 1))] / 1000;
}

/* Both, in turn. False if something did not answer. */
static bool measure(tpi_dialog *dialog, struct writes *w, const tpi_dialog_order *order, int bare,
                    int64_t *own, int64_t *floor)
{
    for (int i = 0; i < WARM_UP; i++) {
        if (command_trip(dialog, w, order) < 0 || bare_trip(bare) < 0) {
            return false;
        }
    }
    for (int block = 0; block < BLOCKS; block++) {
        for (int i = 0; i < BLOCK; i++) {
            floor[block * BLOCK + i] = bare_trip(bare);
        }
        for (int i = 0; i < BLOCK; i++) {
            own[block * BLOCK + i] = command_trip(dialog, w, order);
        }
        for (int i = 0; i < BLOCK; i++) {
            if (own[block * BLOCK + i] < 0 || floor[block * BLOCK + i] < 0) {
                return false;
            }
        }
    }
    return true;
}

/* How far apart the writes of both wheels are. */
static bool wheels_apart(tpi_dialog *dialog, struct writes *w, const tpi_dialog_order *order,
                         int64_t *apart)
{
    for (int i = 0; i < BLOCK; i++) {
        if (command_trip(dialog, w, order) < 0) {
            return false;
        }
        apart[i] = w->last_ns - w->first_ns;
    }
    return true;
}

static int report(int64_t *own, int64_t *floor, int64_t *apart, unsigned count)
{
    const size_t all = (size_t)BLOCKS * BLOCK;
    const double bare = quantile_us(floor, all, 0.5), trip = quantile_us(own, all, 0.5);
    const double worst = quantile_us(apart, BLOCK, 1);
    const bool is_fast = trip <= 1.3 * bare, is_near = worst <= 5000;

    printf("round trip, bare pty          p50 %7.1f us, p99 %7.1f us\n", bare,
           quantile_us(floor, all, 0.99));
    printf("round trip, emulated NXT      p50 %7.1f us, p99 %7.1f us\n", trip,
           quantile_us(own, all, 0.99));
    printf("goal                          1.3 times the bare pty: %.2f, %s\n", trip / bare,
           is_fast ? "reached" : "missed");
    printf("both wheels of an NXT         %u writes, p50 %.1f us apart, worst %.1f us\n", count,
           quantile_us(apart, BLOCK, 0.5), worst);
    printf("goal                          one write, or 5 ms apart: %s\n",
           is_near ? "reached" : "missed");
    return is_fast && is_near ? 0 : 1;
}

static tpi_dialog_order order_of(const tpi_wired *wired, tpi_command command, double value)
{
    tpi_registry *registry = calloc(1, sizeof *registry);
    tpi_dialog_order order = {.command = command, .part = -1, .count = value != 0 ? 2 : 0};

    order.values[0].number = order.values[1].number = value;
    if (registry != NULL) {
        tpi_registry_init(registry, wired, false);
        order.part = tpi_registry_default(registry, command, 0)->part;
        tpi_registry_fini(registry);
    }
    free(registry);
    return order;
}

int universal_trip(const tpi_wired *nxt, const char *folders)
{
    static int64_t own[BLOCKS * BLOCK], floor[BLOCKS * BLOCK], apart[BLOCK];
    struct peer bare, robot = {.master = -1, .slave = -1, .child = -1};
    struct writes w = {.fd = -1};
    const tpi_dialog_hooks hooks = {.write = on_write, .context = &w};
    const tpi_dialog_order read = order_of(nxt, TPI_READ_ANALOG, 0);
    const tpi_dialog_order move = order_of(nxt, TPI_MOVE_MOTORS, 30);
    tpi_dialog *dialog = NULL;
    int result = 1;

    if (start(&bare, false, folders) && start(&robot, true, folders) &&
        tpi_dialog_create(&dialog, nxt, &hooks, NULL) == TP_OK) {
        w.fd = robot.slave;
        tpi_dialog_connected(dialog, now_ns());
        if (measure(dialog, &w, &read, bare.slave, own, floor) &&
            wheels_apart(dialog, &w, &move, apart)) {
            result = report(own, floor, apart, w.count);
        } else {
            fprintf(stderr, "universal: no answer on the pty: %s\n",
                    tpi_dialog_outcome(dialog)->text);
        }
    }
    tpi_dialog_destroy(dialog);
    end(&robot);
    end(&bare);
    return result;
}

/* ---- Both wheels of other robots ------------------------------------------------------------- */

int universal_wheels(const tpi_wired *wired)
{
    struct writes w = {.fd = -1};
    const tpi_dialog_hooks hooks = {.write = on_write, .context = &w};
    const tpi_dialog_order order = order_of(wired, TPI_MOVE_MOTORS, 30);
    tpi_dialog *dialog = NULL;
    unsigned replies = 0, before = 0;

    if (order.part < 0 || tpi_dialog_create(&dialog, wired, &hooks, NULL) != TP_OK) {
        return 1;
    }
    tpi_dialog_invent(dialog);
    for (int i = 0; i < 2; i++) { /* the second one is without set-up */
        int64_t time_ns = (int64_t)(i + 1) * 10000000000;
        w = (struct writes){.fd = -1};
        replies = before = 0;
        tpi_dialog_begin(dialog, &order, time_ns);
        for (int turn = 0; turn < 1000 && tpi_dialog_is_busy(dialog); turn++) {
            const unsigned count = w.count;
            if (tpi_dialog_expects(dialog) != NULL) {
                tpi_dialog_pretend(dialog, time_ns);
                replies++;
            } else {
                time_ns = tpi_dialog_due_ns(dialog);
                tpi_dialog_tick(dialog, time_ns);
            }
            before = w.count > count ? replies : before; /* one was needed before this write */
        }
    }
    printf("both wheels, %-16s %u write%s, %u repl%s between them\n", wired->robot->identity.name,
           w.count, w.count == 1 ? "" : "s", before, before == 1 ? "y" : "ies");
    tpi_dialog_destroy(dialog);
    return 0;
}
