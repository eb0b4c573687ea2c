/* client.c - see client.h. Packages are written and read with src/motion/package.h. */
#include "client.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bench.h"
#include "house.h"
#include "route.h"
#include "troupe/clock.h"

enum { SEQUENCE = 1, LAST_QUESTION = 7777, HEAD = 1 };

static const int64_t DELAY_NS = 10 * TP_NS_PER_S, AHEAD_NS = TP_NS_PER_S / 2;
static const uint64_t LEASE_US = 600000000; /* the server grants at most its max_lease */

const char *play_name(play_mode mode)
{
    static const char *const names[PLAY_MODES] = {"direct", "delay", "playback", "adaptive",
                                                  "paper"};

    return names[mode];
}

/* ---- A line ---------------------------------------------------------------------------------- */

/* The kernel takes only so much while the slow reader sleeps: the rest waits here. */
static void flush_line(struct line *line)
{
    if (line->waiting == 0) {
        return;
    }
    const ssize_t sent = send(line->fd, line->out, line->waiting, MSG_NOSIGNAL | MSG_DONTWAIT);

    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
        bench_give_up("the server has closed a connection");
    }
    if (sent > 0) {
        line->waiting -= (size_t)sent;
        memmove(line->out, line->out + sent, line->waiting);
    }
}

static void send_record(struct line *line, tpi_motion_header header, uint16_t code, uint32_t tag,
                        const void *value)
{
    uint8_t bytes[256];
    const size_t size = tpi_motion_record_put(bytes + TPI_MOTION_HEADER,
                                              sizeof bytes - TPI_MOTION_HEADER, code, tag, value);

    header.kind = (uint8_t)tpi_motion_kind_of(code);
    header.records = 1;
    header.size = (uint32_t)size;
    tpi_motion_header_put(bytes, &header);
    if (size == 0 || TPI_MOTION_HEADER + size > sizeof line->out - line->waiting) {
        bench_give_up("a package cannot be sent");
    }
    memcpy(line->out + line->waiting, bytes, TPI_MOTION_HEADER + size);
    line->waiting += TPI_MOTION_HEADER + size;
    flush_line(line);
}

static void receive(struct line *line)
{
    const ssize_t got =
        recv(line->fd, line->bytes + line->length, sizeof line->bytes - line->length, MSG_DONTWAIT);

    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        bench_give_up("the server has closed a connection");
    }
    line->length += got > 0 ? (size_t)got : 0;
}

/* Take the first package, if it is whole, and give its records to `each`. */
static bool take_package(struct line *line, void (*each)(void *, const tpi_motion_record *),
                         void *context)
{
    tpi_motion_header header;
    tpi_motion_record record;
    bool foreign = false;
    size_t at = 0;

    if (line->length < TPI_MOTION_HEADER) {
        return false;
    }
    if (tpi_motion_header_get(&header, line->bytes, &foreign, NULL) != TP_OK) {
        bench_give_up("the server has sent a wrong package");
    }
    const size_t whole = TPI_MOTION_HEADER + (size_t)header.size;
    if (line->length < whole) {
        return false;
    }
    while (at < header.size && tpi_motion_record_next(&record, line->bytes + TPI_MOTION_HEADER,
                                                      header.size, &at, NULL) == TP_OK) {
        each(context, &record);
    }
    memmove(line->bytes, line->bytes + whole, line->length - whole);
    line->length -= whole;
    return true;
}

static void get(const tpi_motion_record *record, void *value)
{
    static double scratch[128];

    if (tpi_motion_body_get(tpi_motion_body_of(record->code), record->body, record->length, value,
                            scratch, sizeof scratch, NULL) != TP_OK) {
        bench_give_up("the server has sent a wrong record");
    }
}

static void open_line(struct line *line, const char *name)
{
    const tpi_motion_hello hello = {.lease_us = LEASE_US};
    tpi_motion_hello named = hello;
    struct sockaddr_un to = {.sun_family = AF_UNIX};

    line->length = line->waiting = 0;
    line->fd = socket(AF_UNIX, SOCK_STREAM, 0);
    (void)snprintf(to.sun_path, sizeof to.sun_path, "%s", house_socket());
    if (line->fd < 0 || connect(line->fd, (struct sockaddr *)&to, sizeof to) != 0) {
        bench_give_up("%s: no connection", house_socket());
    }
    (void)snprintf(named.name, sizeof named.name, "%s", name);
    house_serve();
    send_record(line, (tpi_motion_header){0}, TPI_MOTION_HELLO, 1, &named);
}

/* Let time pass until a record with this code has come. */
struct awaited {
    uint16_t code;
    bool came;
    void *value;
};

static void await_record(void *context, const tpi_motion_record *record)
{
    struct awaited *a = context;

    if (record->code == a->code) {
        a->came = true;
        get(record, a->value);
    }
}

static void await(struct line *line, uint16_t code, void *value)
{
    struct awaited a = {.code = code, .value = value};
    const int64_t limit_ns = house_now() + 10 * TP_NS_PER_S;

    for (;;) {
        house_serve();
        receive(line);
        while (take_package(line, await_record, &a)) {
        }
        if (a.came) {
            return;
        }
        if (house_next() > limit_ns) {
            bench_give_up("the server does not answer");
        }
        house_set(house_next());
    }
}

/* ---- The player of the route ----------------------------------------------------------------- */

void player_open(struct player *p, play_mode mode)
{
    tpi_motion_welcome welcome;
    tpi_motion_synced synced;

    memset(p, 0, sizeof *p);
    p->mode = mode;
    p->start_ns = TP_NEVER;
    open_line(&p->line, "player");
    await(&p->line, TPI_MOTION_HELLO | TPI_MOTION_ANSWER, &welcome);
    const int64_t sent_ns = house_now();
    send_record(&p->line, (tpi_motion_header){0}, TPI_MOTION_SYNC, 2,
                &(tpi_motion_sync){(uint64_t)sent_ns / 1000});
    await(&p->line, TPI_MOTION_SYNC | TPI_MOTION_ANSWER, &synced);
    p->clock_ns = ((int64_t)synced.received_us - (int64_t)synced.sent_us +
                   (int64_t)synced.answered_us - house_now() / 1000) *
                  500;
}

void player_start(struct player *p, int64_t start_ns)
{
    p->start_ns = start_ns;
}

static bool is_sequence(play_mode mode)
{
    return mode == PLAY_PLAYBACK || mode == PLAY_ADAPTIVE || mode == PLAY_PAPER;
}

int64_t player_next(const struct player *p)
{
    if (p->start_ns == TP_NEVER || p->waits || p->ended) {
        return TP_NEVER;
    }
    return p->start_ns + (p->next < ROUTE_FRAMES ? p->next : ROUTE_FRAMES - 1) * ROUTE_STEP_NS;
}

static void send_frame(struct player *p)
{
    static const uint8_t modes[PLAY_MODES] = {TPI_MOTION_DIRECT, TPI_MOTION_DELAY,
                                              TPI_MOTION_PLAYBACK, TPI_MOTION_ADAPTIVE,
                                              TPI_MOTION_PLAYBACK};
    tpi_motion_header header = {.mode = modes[p->mode], .id = (uint32_t)p->next + 1};
    tpi_motion_setspeed speed = {0};

    route_speed(p->next, &speed.vx_mps, &speed.omega_radps);
    if (is_sequence(p->mode)) {
        header.sequence = SEQUENCE;
        header.time_us = (uint64_t)(p->next * ROUTE_STEP_NS) / 1000;
    } else if (p->mode == PLAY_DELAY) {
        const int64_t at_ns = p->start_ns + p->next * ROUTE_STEP_NS + p->clock_ns + DELAY_NS;

        header.time_us = (uint64_t)at_ns / 1000;
        header.flags = p->next == ROUTE_FRAMES - 1 ? TPI_MOTION_ACK : 0;
    }
    send_record(&p->line, header, TPI_MOTION_SETSPEED, (uint32_t)p->next + 1, &speed);
    p->waits = p->mode == PLAY_DIRECT;
    p->next++;
}

static void send_begin(struct player *p)
{
    const bool adaptive = p->mode == PLAY_ADAPTIVE;

    p->begun = true;
    send_record(&p->line, (tpi_motion_header){0}, TPI_MOTION_BEGIN, 3,
                &(tpi_motion_begin){.sequence = SEQUENCE,
                                    .mode = adaptive ? TPI_MOTION_ADAPTIVE : TPI_MOTION_PLAYBACK,
                                    .estimate = p->mode == PLAY_PAPER,
                                    .frames = adaptive ? 0 : ROUTE_FRAMES,
                                    .duration_us =
                                        adaptive ? 0 : (ROUTE_FRAMES - 1) * ROUTE_STEP_NS / 1000});
}

/* After the last frame: the end of the sequence, or the question how many frames were late. */
static void send_end(struct player *p)
{
    p->ended = true;
    if (is_sequence(p->mode)) {
        send_record(&p->line, (tpi_motion_header){0}, TPI_MOTION_END, 4,
                    &(tpi_motion_end){SEQUENCE, ROUTE_FRAMES});
    }
}

static void take_signal(struct player *p, const tpi_motion_record *record)
{
    tpi_motion_signalled signal;

    get(record, &signal);
    p->errors += signal.signal > TPI_MOTION_MODIFIED;
    if (p->mode == PLAY_DIRECT && record->tag == (uint32_t)p->next) {
        p->waits = p->waits && signal.final == 0 ? false : p->waits;
    }
    if (!is_sequence(p->mode) && record->tag == ROUTE_FRAMES && signal.final != 0) {
        send_record(&p->line, (tpi_motion_header){0}, TPI_MOTION_ASK_QUEUES, LAST_QUESTION,
                    &(tpi_motion_empty){0});
    }
}

static void take_record(void *context, const tpi_motion_record *record)
{
    struct player *p = context;

    if (record->code == TPI_MOTION_SIGNAL) {
        take_signal(p, record);
    } else if (record->code == TPI_MOTION_SUMMARY) {
        get(record, &p->summary);
        p->over = true;
        p->over_ns = house_now();
    } else if (record->code == (TPI_MOTION_ASK_QUEUES | TPI_MOTION_ANSWER)) {
        get(record, &p->queues);
        p->over = true;
        p->over_ns = house_now();
    }
}

bool player_turn(struct player *p)
{
    flush_line(&p->line);
    receive(&p->line);
    while (take_package(&p->line, take_record, p)) {
    }
    if (player_next(p) > house_now()) {
        return false;
    }
    if (is_sequence(p->mode) && !p->begun) {
        send_begin(p);
    }
    if (p->next < ROUTE_FRAMES) {
        send_frame(p);
    } else {
        send_end(p);
    }
    return true;
}

void player_close(struct player *p)
{
    (void)close(p->line.fd);
}

/* ---- The neighbour --------------------------------------------------------------------------- */

void neighbour_open(struct neighbour *n)
{
    tpi_motion_welcome welcome;

    memset(n, 0, sizeof *n);
    n->start_ns = TP_NEVER;
    open_line(&n->line, "neighbour");
    await(&n->line, TPI_MOTION_HELLO | TPI_MOTION_ANSWER, &welcome);
}

void neighbour_start(struct neighbour *n, int64_t start_ns)
{
    n->start_ns = start_ns;
}

static int64_t question_ns(const struct neighbour *n)
{
    return n->start_ns + n->question * ROUTE_STEP_NS + ROUTE_STEP_NS / 2;
}

int64_t neighbour_next(const struct neighbour *n)
{
    const int64_t frame_ns = n->start_ns + n->frame * ROUTE_STEP_NS;

    if (n->start_ns == TP_NEVER || n->frame >= ROUTE_FRAMES) {
        return TP_NEVER;
    }
    return frame_ns < question_ns(n) ? frame_ns : question_ns(n);
}

static void look_around(struct neighbour *n)
{
    const int64_t due_ns = n->start_ns + n->frame * ROUTE_STEP_NS + AHEAD_NS;
    const tpi_motion_set set = {
        .joint = HEAD, .value = 0.8 * sin(0.05 * n->frame), .duration_us = ROUTE_STEP_NS / 1000};

    send_record(&n->line,
                (tpi_motion_header){.mode = TPI_MOTION_DELAY, .time_us = (uint64_t)due_ns / 1000},
                TPI_MOTION_SET, (uint32_t)n->frame + 1, &set);
    n->frame++;
}

static void take_answer(void *context, const tpi_motion_record *record)
{
    struct neighbour *n = context;

    if (record->code == (TPI_MOTION_ASK_CLOCK | TPI_MOTION_ANSWER)) {
        const int64_t took_ns = house_now() - n->asked_ns;

        n->answers++;
        n->longest_ns = took_ns > n->longest_ns ? took_ns : n->longest_ns;
    } else if (record->code == TPI_MOTION_SIGNAL) {
        tpi_motion_signalled signal;

        get(record, &signal);
        n->errors += signal.signal > TPI_MOTION_MODIFIED;
    }
}

bool neighbour_turn(struct neighbour *n)
{
    receive(&n->line);
    while (take_package(&n->line, take_answer, n)) {
    }
    if (neighbour_next(n) > house_now()) {
        return false;
    }
    if (question_ns(n) <= house_now()) {
        n->asked_ns = house_now();
        n->question++;
        send_record(&n->line, (tpi_motion_header){0}, TPI_MOTION_ASK_CLOCK, 9,
                    &(tpi_motion_empty){0});
    } else {
        look_around(n);
    }
    return true;
}

void neighbour_close(struct neighbour *n)
{
    (void)close(n->line.fd);
}
