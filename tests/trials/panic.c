/*
 * panic.c - how fast does a panic stop everything, and does it stay so?
 *
 *     panic BOARD PORT BASES CLIENTS TIMES HOW
 *
 * So many clients drive so many bases (stopwatches with a line each) as fast as the server answers
 * them, and one more has opened everything and reads nothing. Each time a panic is raised, by a
 * client's request (HOW is "request") or a signal (HOW is the server's PID); when all bases have
 * been stopped and every client has been answered after that, it is reset. The speeds that are
 * commanded tell the number of the time, so that a command which is carried out late is known. For
 * each time one line is printed, in microseconds:
 *
 *     panic stop=T     from before the request to after the stop bytes of the last base
 *     panic first=T    and of the first
 *
 * then `wake` lines, how late each watch was woken, and for everything that must not be a line
 * `wrong`.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "board.h"
#include "wire.h"

enum { MOST_BASES = 8, MOST_CLIENTS = 200, MOST_TIMES = 100000, LONGEST_LINE = 64 };
enum { PANIC = 205, RESET = 206, GET = 207 };

struct client {
    int fd;
    uint32_t base;
    uint32_t asked; /* number of its request under way */
    unsigned char bytes[1 << 14];
    size_t length;
};

/* The other end of a base's line. */
struct line {
    int fd;
    char text[1 << 14];
    size_t length;
    int moved;      /* the last time whose command was carried out */
    int stopped;    /* the last time that it was stopped by a panic */
    uint64_t event; /* of its slot, that is next */
};

/* A time, as panics are counted. */
struct episode {
    int64_t raised_ns;
    int64_t halted_ns[MOST_BASES]; /* 0 until then */
    int64_t reset_ns;              /* 0 until it is about to be reset */
};

struct run {
    board *board;
    unsigned bases, clients;
    int times;
    int now;      /* the time that it is */
    pid_t server; /* for signals; 0 for requests */
    int raiser;
    uint32_t seq;
    struct client client[MOST_CLIENTS];
    struct line line[MOST_BASES];
    struct episode *episodes;
};

static void wrong(const struct run *r, unsigned base, const char *what, long long number)
{
    printf("wrong time=%d base=%u %s=%lld\n", r->now, base, what, number);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static int episode_at(const struct run *r, int64_t at_ns)
{
    int i = r->now;

    while (i >= 0 && (r->episodes[i].raised_ns == 0 || r->episodes[i].raised_ns > at_ns)) {
        i--;
    }
    return i;
}

static void read_line(struct run *r, unsigned base, const char *text)
{
    struct line *line = &r->line[base];
    const long long at_ns = text[0] == 'V' ? 0 : atoll(text + 1);
    const int at = text[0] == 'V' ? 0 : episode_at(r, at_ns);

    if (text[0] == 'V') {
        line->moved = (int)(atof(text + 1) * 1000 + 0.5) - 1;
        if (line->moved <= line->stopped) {
            wrong(r, base, "played_a_command_of", line->moved);
        }
    } else if (text[0] == 'S' && at >= 0) {
        line->stopped = at;
    } else if (text[0] == 'T' && at >= 0) {
        /* Its time is that before the write: what comes after the reset may be written after it. */
        const struct episode *e = &r->episodes[at];
        if (e->halted_ns[base] != 0 && at_ns > e->halted_ns[base] && e->reset_ns == 0) {
            wrong(r, base, "wrote_in_panic", at);
        }
    }
}

static void read_lines(struct run *r, unsigned base)
{
    struct line *line = &r->line[base];
    const ssize_t more =
        recv(line->fd, line->text + line->length, sizeof line->text - line->length, MSG_DONTWAIT);
    char *at = line->text;
    char *end;

    if (more == 0) {
        wire_die("a line is closed");
    }
    line->length += more > 0 ? (size_t)more : 0;
    while ((end = memchr(at, '\n', line->length - (size_t)(at - line->text))) != NULL) {
        *end = '\0';
        read_line(r, base, at);
        at = end + 1;
    }
    line->length -= (size_t)(at - line->text);
    memmove(line->text, at, line->length);
}

static int listen_at(const char *path)
{
    struct sockaddr_un on = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (strlen(path) >= sizeof on.sun_path) {
        wire_die("a path that is too long");
    }
    memcpy(on.sun_path, path, strlen(path) + 1);
    if (fd < 0 || bind(fd, (const struct sockaddr *)&on, sizeof on) != 0 || listen(fd, 1) != 0) {
        wire_die(path);
    }
    return fd;
}

/* ---- The board --------------------------------------------------------------------------------
 */

/* What the board has of a base: when it was stopped in this panic, and nothing that moves it. */
static void look_at(struct run *r, unsigned base)
{
    struct line *line = &r->line[base];
    struct episode *e = &r->episodes[r->now];
    board_event event;

    while (board_read(r->board, base, line->event, &event)) {
        line->event++;
        if (event.kind == BOARD_PANIC && e->halted_ns[base] == 0) {
            e->halted_ns[base] = event.at_ns;
        } else if (event.kind == BOARD_MOVE && e->halted_ns[base] != 0 && e->reset_ns == 0) {
            wrong(r, base, "moved_in_panic", (long long)(event.value * 1000));
        } else if (event.kind == BOARD_STOP) {
            wrong(r, base, "stopped_as_a_whole", 0);
        }
    }
}

/* ---- Busy clients ---------------------------------------------------------------------------- */

static void go_on(struct run *r, struct client *c)
{
    wire_drive(c->fd, c->base, (r->now + 1) / 1000.0);
    c->asked = ++r->seq;
    wire_send(c->fd, WIRE_POSITION2D, c->base, WIRE_REQUEST, 1, c->asked, NULL, 0);
}

static void read_replies(struct run *r, struct client *c)
{
    const ssize_t more =
        recv(c->fd, c->bytes + c->length, sizeof c->bytes - c->length, MSG_DONTWAIT);
    size_t at = 0;

    if (more == 0) {
        wire_die("a client was thrown out");
    }
    c->length += more > 0 ? (size_t)more : 0;
    while (c->length - at >= WIRE_HEADER) {
        const unsigned char *header = c->bytes + at;
        const size_t size = WIRE_HEADER + wire_get_u32(header + 36);
        if (c->length - at < size) {
            break;
        }
        if (wire_get_u32(header + 16) == WIRE_ACK && wire_get_u32(header + 32) == c->asked) {
            go_on(r, c);
        }
        at += size;
    }
    c->length -= at;
    memmove(c->bytes, c->bytes + at, c->length);
}

/* Serve everybody once. What that had the bases do before is read from the board first. */
static void pump(struct run *r)
{
    struct pollfd ready[MOST_CLIENTS + MOST_BASES];
    unsigned count = 0;

    for (unsigned i = 0; i < r->bases; i++) {
        look_at(r, i);
    }
    for (unsigned i = 0; i < r->clients; i++) {
        ready[count++] = (struct pollfd){.fd = r->client[i].fd, .events = POLLIN};
    }
    for (unsigned i = 0; i < r->bases; i++) {
        ready[count++] = (struct pollfd){.fd = r->line[i].fd, .events = POLLIN};
    }
    poll(ready, count, 1);
    for (unsigned i = 0; i < r->clients; i++) {
        if (ready[i].revents != 0) {
            read_replies(r, &r->client[i]);
        }
    }
    for (unsigned i = 0; i < r->bases; i++) {
        if (ready[r->clients + i].revents != 0) {
            read_lines(r, i);
        }
    }
}

/* Until all clients had an answer to something that they sent after now. */
static void pump_all(struct run *r)
{
    const uint32_t from = r->seq;
    unsigned behind = r->clients;

    while (behind > 0) {
        pump(r);
        behind = 0;
        for (unsigned i = 0; i < r->clients; i++) {
            behind += r->client[i].asked <= from;
        }
    }
}

/* ---- Episodes -------------------------------------------------------------------------------- */

static bool all_moved(const struct run *r)
{
    bool all = true;

    for (unsigned i = 0; i < r->bases; i++) {
        all = all && r->line[i].moved == r->now;
    }
    return all;
}

static void raise_panic(struct run *r)
{
    unsigned char body[32] = {0};

    r->episodes[r->now].raised_ns = board_now_ns();
    if (r->server != 0) {
        kill(r->server, SIGUSR1);
        return;
    }
    wire_put_u32(body, 1);
    wire_put_u32(body + 8, 1); /* two texts of one NUL each */
    wire_put_u32(body + 12, 1);
    wire_put_u32(body + 20, 1);
    wire_put_u32(body + 24, 1);
    wire_send(r->raiser, WIRE_PLAYER, 0, WIRE_REQUEST, PANIC, 1, body, sizeof body);
}

static bool all_halted(struct run *r)
{
    bool all = true;

    for (unsigned i = 0; i < r->bases; i++) {
        look_at(r, i);
        all = all && r->episodes[r->now].halted_ns[i] != 0;
    }
    return all;
}

static void print_episode(const struct run *r)
{
    const struct episode *e = &r->episodes[r->now];
    int64_t first_ns = INT64_MAX;
    int64_t last_ns = 0;

    for (unsigned i = 0; i < r->bases; i++) {
        first_ns = e->halted_ns[i] < first_ns ? e->halted_ns[i] : first_ns;
        last_ns = e->halted_ns[i] > last_ns ? e->halted_ns[i] : last_ns;
    }
    printf("panic first=%.1f stop=%.1f\n", (double)(first_ns - e->raised_ns) / 1000,
           (double)(last_ns - e->raised_ns) / 1000);
}

static void reset(struct run *r)
{
    static wire_message reply;
    unsigned char body[16] = {0};

    wire_send(r->raiser, WIRE_PLAYER, 0, WIRE_REQUEST, GET, 2, NULL, 0);
    wire_await(r->raiser, 2, &reply);
    if (wire_get_u32(reply.body) != 1) {
        wrong(r, 0, "no_panic", 0);
    }
    memcpy(body, reply.body + 4, 4);
    wire_put_u32(body + 4, 1); /* a text of one NUL */
    wire_put_u32(body + 8, 1);
    for (unsigned i = 0; i < r->clients; i++) { /* all of them push just before it ends */
        wire_drive(r->client[i].fd, r->client[i].base, (r->now + 1) / 1000.0);
    }
    for (unsigned i = 0; i < r->bases; i++) { /* what was written in the panic is judged as such */
        read_lines(r, i);
    }
    r->episodes[r->now].reset_ns = board_now_ns();
    r->now++; /* what was sent until here is of the time before */
    wire_send(r->raiser, WIRE_PLAYER, 0, WIRE_REQUEST, RESET, 3, body, sizeof body);
    wire_await(r->raiser, 3, &reply);
    if (reply.type != WIRE_ACK) {
        wrong(r, 0, "no_reset", 0);
    }
}

static void panic_once(struct run *r)
{
    while (!all_moved(r)) {
        pump(r);
    }
    for (unsigned i = 0; i < r->bases; i++) {
        look_at(r, i);
    }
    raise_panic(r);
    while (!all_halted(r)) {
        pump(r);
    }
    pump_all(r);
    for (unsigned i = 0; i < r->bases; i++) {
        look_at(r, i);
    }
    print_episode(r);
    reset(r);
}

/* ---- Set-up ---------------------------------------------------------------------------------- */

/* Bases write to their lines as soon as somebody has opened them, so they are read from then on. */
static void open_line(struct run *r, unsigned base, int listener)
{
    struct line *line = &r->line[base];

    line->fd = accept(listener, NULL, NULL);
    line->moved = line->stopped = -1;
    if (line->fd < 0) {
        wire_die("accept");
    }
}

static void open_clients(struct run *r, unsigned port, const char *path)
{
    int listeners[MOST_BASES];
    char name[256];

    for (unsigned i = 0; i < r->bases; i++) {
        snprintf(name, sizeof name, "%s.%u", path, i);
        listeners[i] = listen_at(name);
    }
    for (unsigned i = 0; i < r->clients; i++) {
        r->client[i].fd = wire_connect("127.0.0.1", port);
        r->client[i].base = i % r->bases;
        wire_open(r->client[i].fd, WIRE_POSITION2D, r->client[i].base);
        if (i < r->bases) {
            open_line(r, i, listeners[i]);
        }
        for (unsigned k = 0; k < r->bases && k <= i; k++) {
            read_lines(r, k);
        }
    }
    r->raiser = wire_connect("127.0.0.1", port);
}

/* Opens everything, drives it once, and never reads again. */
static void open_frozen(const struct run *r, unsigned port)
{
    const int fd = wire_connect("127.0.0.1", port);

    wire_open(fd, WIRE_POSITION2D, 100);
    for (unsigned i = 0; i < r->bases; i++) {
        wire_open(fd, WIRE_POSITION2D, i);
        wire_drive(fd, i, 1 / 1000.0);
    }
}

static void print_wakes(const board *b)
{
    for (unsigned i = 0; i < BOARD_WATCHES; i++) {
        const board_watch *w = &b->watches[i];
        const uint64_t count = atomic_load(&w->count);
        for (uint64_t k = 0; k < count && k < BOARD_STALLS; k++) {
            printf("wake late=%.1f\n", (double)w->stalls[k].late_ns / 1000);
        }
    }
}

int main(int argc, char **argv)
{
    static struct run r;

    if (argc != 7) {
        fprintf(stderr, "usage: panic BOARD PORT BASES CLIENTS TIMES HOW\n");
        return 2;
    }
    r.board = board_open(argv[1], false);
    r.bases = (unsigned)atoi(argv[3]);
    r.clients = (unsigned)atoi(argv[4]);
    r.times = atoi(argv[5]);
    r.server = strcmp(argv[6], "request") == 0 ? 0 : atoi(argv[6]);
    if (r.board == NULL || r.bases > MOST_BASES || r.clients > MOST_CLIENTS ||
        r.clients < r.bases || r.times > MOST_TIMES) {
        wire_die("board");
    }
    r.episodes = calloc((size_t)r.times + 1, sizeof *r.episodes);
    open_clients(&r, (unsigned)atoi(argv[2]), argv[1]);
    open_frozen(&r, (unsigned)atoi(argv[2]));
    board_begin_watches(r.board);
    for (unsigned i = 0; i < r.clients; i++) {
        go_on(&r, &r.client[i]);
    }
    while (r.now < r.times) {
        panic_once(&r);
    }
    pump_all(&r); /* what would play after the last reset plays now */
    board_end_watches(r.board);
    print_wakes(r.board);
    free(r.episodes);
    return 0;
}
