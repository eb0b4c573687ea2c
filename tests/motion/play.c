/*
 * play.c - plays scripts of events on the motion engine and prints what it answers.
 *
 * A script is read from stdin, several runs one after the other. compare.py writes it:
 *
 *     run NUMBER GOTO PERIOD_US AHEAD_US FRAMES
 *     dof JOINT SERVO MIMICS LOWER UPPER VELOCITY FORCE ACCELERATION OUTPUT SLOT
 *     go
 *     TIME_US EVENT ARGUMENTS
 *     end
 *
 * Events are join RIGHT RANK, package CLIENT HEX, leave CLIENT FINISH, panic EPOCH, reset, fault
 * OUTPUT, arrived OUTPUT REACHED, measured POSITION..., wait. Clients are counted from 0 in the
 * order in which they joined. Between events the engine is advanced whenever it asks for it.
 *
 * For each event a line `e FRONT_US EXCESSES SERVO:VALUE ...` says how far the engine has planned
 * and what it has written last for each dof; `j NUMBER` is the number of a client, `a CLIENT
 * FRONT_US HEX` has records for a client. `x TEXT` is a write that must not be, `s`, `m` and `u`
 * say when a dof comes to rest and when it moves (watch.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "watch.h"

enum { CLIENTS = 16, LINE = 1 << 16 };

struct play {
    struct watch watch;
    tpi_motion_robot robot;
    tpi_motion_joint joints[JOINTS];
    tpi_motion_link link;
    tpi_motion_place places[DOFS];
    tpi_motion_engine *engine; /* owned */
    uint32_t clients[CLIENTS]; /* numbers; 0: has left */
    unsigned count;
    int64_t now_ns, ahead_ns;
    unsigned frames;
};

static void die(const char *why, const char *line)
{
    fprintf(stderr, "play: %s: %s\n", why, line);
    exit(2);
}

/* ---- The robot ------------------------------------------------------------------------------ */

static void begin_run(struct play *p, const char *line)
{
    unsigned number, takes_goto;
    long long period_us, ahead_us;

    memset(p, 0, sizeof *p);
    if (sscanf(line, "run %u %u %lld %lld %u", &number, &takes_goto, &period_us, &ahead_us,
               &p->frames) != 5) {
        die("not a run", line);
    }
    p->robot.name = "robot";
    p->robot.takes_goto = takes_goto;
    p->robot.period_ns = period_us * 1000;
    p->watch.period_s = (double)period_us * 1e-6;
    p->robot.clock = 1;
    p->ahead_ns = ahead_us * 1000;
    p->robot.joint_count = 1;
    printf("run %u\n", number);
}

static void add_dof(struct play *p, const char *line)
{
    unsigned joint, servo, mimics, output, slot;
    tpi_motion_dof d = {.type = 1, .axis = {0, 0, 1}};
    uint16_t index = p->watch.count;

    if (index == DOFS ||
        sscanf(line, "dof %u %u %u %lf %lf %lf %lf %lf %u %u", &joint, &servo, &mimics, &d.lower,
               &d.upper, &d.velocity, &d.force, &d.acceleration, &output, &slot) != 10 ||
        joint >= JOINTS || (output >= OUTPUTS && output != TPI_MOTION_NOWHERE)) {
        die("not a dof", line);
    }
    d.servo = (uint8_t)servo;
    d.mimics = (uint8_t)mimics;
    tpi_motion_joint *j = &p->joints[joint];
    if (j->dof_count == 0) {
        j->first_dof = index;
    }
    j->dofs[j->dof_count++] = d;
    p->watch.dofs[index] = (struct watched){.dof = d, .output = (uint16_t)output};
    p->watch.dofs[index].slot = (uint16_t)slot;
    p->places[index] = (tpi_motion_place){.output = (uint16_t)output, .slot = (uint16_t)slot};
    p->watch.count++;
    if (p->robot.joint_count <= joint) {
        p->robot.joint_count = (uint16_t)(joint + 1);
    }
    if (output != TPI_MOTION_NOWHERE && p->robot.outputs <= output) {
        p->robot.outputs = (uint16_t)(output + 1);
    }
}

static void create(struct play *p)
{
    const tpi_motion_settings settings = {
        .clients = CLIENTS, .frames = p->frames, .bytes = 1 << 16, .answer_bytes = 1 << 17};
    tp_error err;

    for (uint16_t j = 0; j < p->robot.joint_count; j++) {
        snprintf(p->joints[j].name, sizeof p->joints[j].name, "joint%u", j);
        p->joints[j].parent = j == 0 ? 0xffff : 0;
    }
    p->robot.joints = p->joints;
    p->robot.links = &p->link;
    p->robot.link_count = 1;
    p->robot.places = p->places;
    if (tpi_motion_engine_create(&p->engine, &p->robot, &settings, watch_write, &p->watch, &err)) {
        die("no engine", err.text);
    }
}

/* ---- Events --------------------------------------------------------------------------------- */

static void advance(struct play *p)
{
    tpi_motion_engine_advance(p->engine, p->now_ns, p->now_ns + p->ahead_ns);
    watch_planned(&p->watch, p->now_ns + p->ahead_ns, tpi_motion_engine_excesses(p->engine));
}

/* Print the records for clients, with the time up to which everything was planned. */
static void print_answers(struct play *p)
{
    static uint8_t bytes[1 << 16];
    uint16_t records;
    size_t size;

    for (unsigned i = 0; i < p->count; i++) {
        while (p->clients[i] != 0 && (size = tpi_motion_engine_take(p->engine, p->clients[i], bytes,
                                                                    sizeof bytes, &records)) > 0) {
            printf("a %u %lld ", i, (long long)(p->watch.front_ns / 1000));
            for (size_t at = 0; at < size; at++) {
                putchar("0123456789abcdef"[bytes[at] >> 4]);
                putchar("0123456789abcdef"[bytes[at] & 15]);
            }
            putchar('\n');
        }
    }
}

/* Advance whenever the engine asks for it: early enough to plan ahead, and at the time itself if
 * that was not enough, as for leases. */
static void advance_to(struct play *p, int64_t until_ns)
{
    int64_t last_ns = -1;

    for (;;) {
        const int64_t next_ns = tpi_motion_engine_next(p->engine);
        int64_t wake_ns = next_ns == INT64_MAX ? next_ns : next_ns - p->ahead_ns;

        wake_ns = wake_ns > p->now_ns ? wake_ns : p->now_ns;
        if (wake_ns <= last_ns && next_ns <= last_ns) {
            printf("x the engine asks for %lld again\n", (long long)next_ns);
            break;
        }
        if (wake_ns <= last_ns) {
            wake_ns = next_ns;
        }
        if (wake_ns > until_ns) {
            break;
        }
        p->now_ns = last_ns = wake_ns;
        advance(p);
        print_answers(p);
    }
    p->now_ns = until_ns;
    advance(p);
}

static uint32_t client_of(struct play *p, const char *text, char **rest)
{
    unsigned long i = strtoul(text, rest, 10);

    return i < p->count ? p->clients[i] : 0;
}

static void on_join(struct play *p, const char *text)
{
    char *rest, label[16];
    uint8_t right = (uint8_t)strtoul(text, &rest, 10);

    if (p->count == CLIENTS) {
        die("too many clients", text);
    }
    snprintf(label, sizeof label, "client%u", p->count);
    p->clients[p->count] = tpi_motion_engine_join(p->engine, label, right, atoi(rest), p->now_ns);
    printf("j %u\n", p->clients[p->count++]);
}

static void on_package(struct play *p, const char *text)
{
    static uint8_t bytes[LINE / 2];
    char *hex;
    uint32_t client = client_of(p, text, &hex);
    size_t size = 0;
    unsigned byte;
    tpi_motion_header header;
    bool foreign;
    tp_error err;

    for (hex++; sscanf(hex, "%2x", &byte) == 1; hex += 2) {
        bytes[size++] = (uint8_t)byte;
    }
    if (client == 0 || size < TPI_MOTION_HEADER ||
        tpi_motion_header_get(&header, bytes, &foreign, &err) != TP_OK ||
        header.size != size - TPI_MOTION_HEADER ||
        tpi_motion_payload_check(&header, bytes + TPI_MOTION_HEADER, &err) != TP_OK) {
        die("not a package", text);
    }
    tpi_motion_engine_heard(p->engine, client, p->now_ns);
    tpi_motion_engine_package(p->engine, client, &header, bytes + TPI_MOTION_HEADER, p->now_ns);
}

static void on_leave(struct play *p, const char *text)
{
    char *rest;
    unsigned long i = strtoul(text, NULL, 10);
    uint32_t client = client_of(p, text, &rest);

    tpi_motion_engine_leave(p->engine, client, strtoul(rest, NULL, 10) != 0, p->now_ns);
    p->clients[i] = 0;
}

static void on_panic(struct play *p, const char *text)
{
    tpi_motion_engine_panic(p->engine, (uint32_t)strtoul(text, NULL, 10), p->now_ns);
    p->watch.panicked = true;
}

static void on_reset(struct play *p, const char *text)
{
    (void)text;
    tpi_motion_engine_reset(p->engine, p->now_ns);
    p->watch.panicked = false;
    watch_forget(&p->watch, TPI_MOTION_NOWHERE);
}

static void on_fault(struct play *p, const char *text)
{
    uint16_t output = (uint16_t)strtoul(text, NULL, 10);

    tpi_motion_engine_fault(p->engine, output, "no answer", p->now_ns);
    watch_forget(&p->watch, output);
}

static void on_arrived(struct play *p, const char *text)
{
    char *rest;
    uint16_t output = (uint16_t)strtoul(text, &rest, 10);

    tpi_motion_engine_arrived(p->engine, output, strtoul(rest, NULL, 10) != 0, p->now_ns);
}

static void on_measured(struct play *p, const char *text)
{
    for (uint16_t i = 0; i < p->watch.count; i++) {
        char *rest;
        tpi_motion_dof_state state = {.position = strtod(text, &rest)};

        text = rest;
        tpi_motion_engine_measured(p->engine, i, &state);
    }
}

static void on_wait(struct play *p, const char *text)
{
    (void)p;
    (void)text;
}

static const struct {
    const char *name;
    void (*call)(struct play *p, const char *text);
} events[] = {
    {"join ", on_join},   {"package ", on_package}, {"leave ", on_leave},
    {"panic ", on_panic}, {"reset", on_reset},      {"fault ", on_fault},
    {"wait", on_wait},    {"arrived ", on_arrived}, {"measured ", on_measured},
};

/* ---- Scripts -------------------------------------------------------------------------------- */

static void play_event(struct play *p, const char *line)
{
    char *rest;
    int64_t time_us = strtoll(line, &rest, 10);
    size_t i = 0;

    if (rest == line || *rest++ != ' ') {
        die("no time", line);
    }
    while (i < sizeof events / sizeof events[0] &&
           strncmp(rest, events[i].name, strlen(events[i].name)) != 0) {
        i++;
    }
    if (i == sizeof events / sizeof events[0]) {
        die("no event", line);
    }
    advance_to(p, time_us * 1000);
    printf("e %lld %llu", (long long)(p->watch.front_ns / 1000),
           (unsigned long long)p->watch.excesses);
    watch_print(&p->watch);
    print_answers(p); /* before a client leaves */
    events[i].call(p, rest + strlen(events[i].name));
    advance(p);
    print_answers(p);
}

int main(void)
{
    static struct play p;
    static char line[LINE];

    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "run ", 4) == 0) {
            begin_run(&p, line);
        } else if (strncmp(line, "dof ", 4) == 0) {
            add_dof(&p, line);
        } else if (strcmp(line, "go") == 0) {
            create(&p);
        } else if (strcmp(line, "end") == 0) {
            tpi_motion_engine_destroy(p.engine);
            p.engine = NULL;
        } else {
            play_event(&p, line);
        }
    }
    return 0;
}
