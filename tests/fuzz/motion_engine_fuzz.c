/*
 * motion_engine_fuzz.c - random packages of several clients, devices that fail and change, panics:
 * the engine never leaves the limits of a dof, writes nothing in a panic, writes an output once in
 * an instant, ends each command at most once, and has nothing left when all clients are gone.
 *
 * The input is a row of actions. Records are made field by field from the table of bodies, so that
 * most packages are valid.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "motion/body.h"
#include "motion/model.h"

enum { CLIENTS = 3, DOFS = 10, OUTPUTS = 3, MOST_ACTIONS = 400, TAGS = 5 * MOST_ACTIONS };
static const int64_t MS = 1000000, START = 1000000000000;

#define TURN(name, parent, child, origin, axis)                                                    \
    "<joint name=\"" name "\" type=\"revolute\"><parent link=\"" parent "\"/><child link=\"" child \
    "\"/><origin xyz=\"" origin "\"/><axis xyz=\"" axis                                            \
    "\"/><limit lower=\"-2\" upper=\"2\" velocity=\"1.5\" effort=\"20\"/></joint>"

/* A base on wheels with an arm of six turns and a finger that another one follows. */
static const char robot_text[] =
    "<robot name=\"r\"><link name=\"l0\"/><link name=\"l1\"/><link name=\"l2\"/><link name=\"l3\"/>"
    "<link name=\"l4\"/><link name=\"l5\"/><link name=\"l6\"/><link name=\"f\"/>" TURN(
        "j1", "l0", "l1", "0 0 0.3", "0 0 1") TURN("j2", "l1", "l2", "0 0.1 0",
                                                   "0 1 0") TURN("j3", "l2", "l3", "0.4 0 0",
                                                                 "0 1 0")
        TURN("j4", "l3", "l4", "0.3 0 0", "1 0 0") TURN("j5", "l4", "l5", "0.1 0 0", "0 1 0") TURN(
            "j6", "l5", "l6", "0.05 0 0",
            "1 0 0") "<joint name=\"f\" type=\"revolute\"><parent link=\"l6\"/><child link=\"f\"/>"
                     "<limit lower=\"-2\" upper=\"2\" velocity=\"1\"/><mimic joint=\"j1\" "
                     "multiplier=\"-1\"/></joint>"
                     "<troupe><base type=\"planar\"/>"
                     "<joint name=\"j1\" servo=\"position speed force\"/><joint name=\"j4\" "
                     "servo=\"position speed "
                     "force\"/><frame name=\"hand\" link=\"l6\" servo=\"position speed "
                     "force\"><origin xyz=\"0.1 0 "
                     "0\"/></frame><frame name=\"elbow\" link=\"l3\" servo=\"position "
                     "speed\"/></troupe></robot>";

struct tail {
    int64_t due_ns;
    bool known; /* the next lines are of a write, and nothing has reset the dofs since */
    uint8_t servo[DOFS];
    double values[DOFS];
};

struct run {
    const uint8_t *data;
    size_t size;
    tpi_motion_engine *engine;
    tpi_motion_model *model;
    tpi_motion_robot robot;
    tpi_motion_place places[DOFS];
    tpi_motion_dof first[DOFS]; /* limits at the start */
    struct tail tails[OUTPUTS];
    uint32_t clients[CLIENTS];
    uint8_t ends[TAGS];
    uint32_t tag;
    int64_t now_ns;
    bool panicked;
};

static uint8_t next(struct run *r)
{
    if (r->size == 0) {
        return 0;
    }
    r->size--;
    return *r->data++;
}

/* ---- What is written ---- */

/* The dof in a slot of an output: 0 base, 1 the first three turns, 2 the others. */
static unsigned dof_of(unsigned output, unsigned slot)
{
    return 3 * output + slot;
}

static void check_slot(const struct run *r, const tpi_motion_write *w, unsigned slot)
{
    const tpi_motion_dof *dof = &r->first[dof_of(w->output, slot)];
    const struct tail *tail = &r->tails[w->output];
    const double value = w->values[slot], speed = fabs(w->speeds[slot]);
    const double time = (double)(w->due_ns - tail->due_ns) * 1e-9;

    fuzz_require(isfinite(value) && isfinite(speed), "a value that is no number");
    fuzz_require(speed <= dof->velocity * (1 + 1e-6), "a speed over its limit");
    if (w->servo[slot] == TPI_MOTION_SERVO_POSITION) {
        fuzz_require(value >= dof->lower - 1e-9 && value <= dof->upper + 1e-9,
                     "a position out of its limits");
        fuzz_require(!tail->known || tail->servo[slot] != w->servo[slot] ||
                         fabs(value - tail->values[slot]) <= dof->velocity * (time + 0.011),
                     "a position that jumps");
    }
    fuzz_require(w->servo[slot] != TPI_MOTION_SERVO_FORCE || fabs(value) <= dof->force,
                 "a force over its limit");
}

static void emit(void *user, const tpi_motion_write *w)
{
    struct run *r = user;
    struct tail *tail = &r->tails[w->output];

    fuzz_require(!r->panicked, "a write in a panic");
    fuzz_require(w->due_ns > tail->due_ns, "two writes in an instant, or a step back");
    fuzz_require(w->count == 3, "an output with other slots");
    for (unsigned i = 0; i < w->count && w->what == TPI_MOTION_WRITE_DOFS; i++) {
        check_slot(r, w, i);
    }
    tail->due_ns = w->due_ns;
    tail->known = w->what == TPI_MOTION_WRITE_DOFS;
    memcpy(tail->values, w->values, w->count * sizeof *w->values);
    memcpy(tail->servo, w->servo, w->count);
}

/* ---- What is answered ---- */

static void drain(struct run *r, unsigned who)
{
    static uint8_t bytes[1 << 17];
    static double scratch[1 << 13];
    uint16_t records;
    const size_t size =
        tpi_motion_engine_take(r->engine, r->clients[who], bytes, sizeof bytes, &records);
    size_t at = 0;

    for (unsigned i = 0; i < records; i++) {
        tpi_motion_record record;
        tpi_motion_signalled signal;

        fuzz_require(tpi_motion_record_next(&record, bytes, size, &at, NULL) == TP_OK,
                     "an answer that is no record");
        if (record.code != TPI_MOTION_SIGNAL) {
            continue;
        }
        fuzz_require(tpi_motion_body_get(tpi_motion_body_of(record.code), record.body,
                                         record.length, &signal, scratch, sizeof scratch,
                                         NULL) == TP_OK,
                     "a signal that cannot be read");
        fuzz_require(record.tag <= r->tag && r->ends[record.tag] == 0,
                     "a command that goes on after its end");
        r->ends[record.tag] = signal.final;
    }
    fuzz_require(at == size, "an answer with a rest");
}

/* ---- Packages ---- */

static void put(uint8_t *out, size_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = bytes; i > 0; i--) {
        out[(*at)++] = (uint8_t)(value >> 8 * (i - 1));
    }
}

/* Numbers that mean something in fields of these names; others have the first entry. */
static const struct {
    const char *name;
    uint16_t first, count;
} ranges[] = {
    {"", 0, 4},     {"joint", 0, 10},   {"dof", 0, 2},   {"frame", 0, 3}, {"query", 0x0401, 9},
    {"mode", 0, 5}, {"sequence", 0, 2}, {"scope", 0, 2}, {"field", 1, 9}, {"frames", 0, 12},
};

static uint64_t any_number(struct run *r, const char *name)
{
    unsigned which = 0;

    for (unsigned i = 1; i < sizeof ranges / sizeof ranges[0]; i++) {
        which = strcmp(ranges[i].name, name) == 0 ? i : which;
    }
    return ranges[which].first + (uint64_t)next(r) % ranges[which].count;
}

/* A physical value: small, larger, or now and then the largest. */
static uint64_t any_value(struct run *r)
{
    const uint8_t what = next(r);

    return what == 0xff ? (uint64_t)INT64_MAX
                        : (uint64_t)(((int64_t)what - 127) * (what % 2 == 0 ? 3000 : 20000));
}

static void put_body(struct run *r, const tpi_motion_body *body, uint8_t *out, size_t *at)
{
    unsigned count = 0;

    for (const tpi_motion_field *field = body->fields; field->name != NULL; field++) {
        const size_t size = tpi_motion_field_size(field);
        const unsigned each = field->count > 0 ? (unsigned)(size / field->count) : 0;

        switch (field->type) {
        case TPI_MOTION_ZERO:
        case TPI_MOTION_CHARS:
            memset(out + *at, 0, size);
            *at += size;
            break;
        case TPI_MOTION_COUNT:
            count = next(r) % 4;
            put(out, at, count, 2);
            break;
        case TPI_MOTION_LIST:
            for (unsigned i = 0; i < count; i++) {
                put_body(r, field->of, out, at);
            }
            break;
        case TPI_MOTION_RATIO:
            put(out, at, next(r) % 8 < 6 ? 1000000 : (uint64_t)(next(r) % 4) * 250000, 4);
            break;
        case TPI_MOTION_U64:
            put(out, at, (uint64_t)next(r) * next(r) * 1000, 8);
            break;
        default:
            for (unsigned i = 0; i < field->count; i++) {
                put(out, at, each < 8 ? any_number(r, field->name) : any_value(r), each);
            }
            break;
        }
    }
}

/* Commands, queries and session records of the engine. */
static const uint16_t codes[] = {
    TPI_MOTION_GOTO,          TPI_MOTION_SETSPEED, TPI_MOTION_STOP,
    TPI_MOTION_SET,           TPI_MOTION_SPEED,    TPI_MOTION_FORCE,
    TPI_MOTION_MOVE,          TPI_MOTION_HOME,     TPI_MOTION_POSE,
    TPI_MOTION_TWIST,         TPI_MOTION_WRENCH,   TPI_MOTION_ASK_STATE,
    TPI_MOTION_ASK_QUEUES,    TPI_MOTION_ASK_BUSY, TPI_MOTION_SET_MODE,
    TPI_MOTION_BEGIN,         TPI_MOTION_END,      TPI_MOTION_BROADCAST_BEGIN,
    TPI_MOTION_BROADCAST_END, TPI_MOTION_CANCEL,   TPI_MOTION_RATE,
    TPI_MOTION_LEASE,         TPI_MOTION_UPDATE,
};

enum { COMMANDS = 11, CODES = sizeof codes / sizeof codes[0] };

/* One or two records of the same kind, at a time near now. Most are commands. */
static void package(struct run *r, unsigned who)
{
    static const uint8_t modes[] = {0, 0, 1, 1, 2, 4, 255};
    const uint8_t which = next(r);
    const uint16_t code = codes[which < 190 ? which % COMMANDS : which % CODES];
    const uint8_t how = next(r), when = next(r);
    tpi_motion_header header = {
        .flags = how & (TPI_MOTION_CLEAR | TPI_MOTION_ACK),
        .kind = (uint8_t)tpi_motion_kind_of(code),
        .mode = modes[(how >> 4) % 7],
        .records = (uint16_t)(how % 2 + 1),
        .sequence = how >> 4 & 1,
    };
    uint8_t payload[4096];
    size_t at = 0;

    const bool sequence = header.mode == 2 || header.mode == 4;
    const int64_t base_us = sequence ? 0 : r->now_ns / 1000 - 100000;
    header.time_us = when == 0 ? 0 : (uint64_t)(base_us + when * 10000);
    for (unsigned i = 0; i < header.records; i++) {
        const size_t start = at;

        put(payload, &at, code, 2);
        put(payload, &at, 0, 2);
        put(payload, &at, ++r->tag, 4);
        put_body(r, tpi_motion_body_of(code), payload, &at);
        size_t length = start + 2;
        put(payload, &length, at - start - TPI_MOTION_RECORD, 2);
    }
    header.id = r->tag;
    header.size = (uint32_t)at;
    if (tpi_motion_payload_check(&header, payload, NULL) == TP_OK) {
        tpi_motion_engine_package(r->engine, r->clients[who], &header, payload, r->now_ns);
    }
}

/* A sequence of each kind begins. */
static void begin_sequences(struct run *r, unsigned who)
{
    static const uint8_t modes[2] = {TPI_MOTION_ADAPTIVE, TPI_MOTION_PLAYBACK};

    for (uint32_t i = 0; i < 2; i++) {
        const tpi_motion_begin body = {.sequence = i,
                                       .mode = modes[i],
                                       .frames = 4,
                                       .duration_us = 400000,
                                       .target_us = 200000};
        uint8_t payload[256];
        const size_t size =
            tpi_motion_record_put(payload, sizeof payload, TPI_MOTION_BEGIN, ++r->tag, &body);
        const tpi_motion_header header = {
            .kind = TPI_MOTION_SESSION, .records = 1, .size = (uint32_t)size};

        tpi_motion_engine_package(r->engine, r->clients[who], &header, payload, r->now_ns);
    }
}

/* ---- What happens besides ---- */

static void forget(struct run *r)
{
    for (unsigned i = 0; i < OUTPUTS; i++) {
        r->tails[i].known = false; /* what is commanded becomes what is measured */
    }
}

static void measure(struct run *r)
{
    const uint16_t dof = next(r) % DOFS;
    const double value = ((double)next(r) - 127) / 64;

    tpi_motion_engine_measured(r->engine, dof,
                               &(tpi_motion_dof_state){value / 2, value / 10, value});
}

static void rebind(struct run *r)
{
    const double tolerances[3] = {0.5, 0.5, 0.5};
    const double at = ((double)next(r) - 127) / 64;
    const tpi_motion_dof_state states[3] = {{at, 0, 0}, {at, 0, 0}, {at, 0, 0}};
    int64_t from;

    tpi_motion_engine_rebind(r->engine, next(r) % (OUTPUTS + 1), states, tolerances, r->now_ns,
                             &from, NULL);
}

static void rejoin(struct run *r, unsigned who, bool finish)
{
    tpi_motion_engine_leave(r->engine, r->clients[who], finish, r->now_ns);
    r->clients[who] = tpi_motion_engine_join(r->engine, "c", 3, next(r) % 2, r->now_ns);
    begin_sequences(r, who);
}

static void advance(struct run *r, int64_t ms)
{
    const int64_t until = r->now_ns + ms * MS;

    while (r->now_ns < until) {
        r->now_ns += until - r->now_ns < 7 * MS ? until - r->now_ns : 7 * MS;
        tpi_motion_engine_advance(r->engine, r->now_ns, r->now_ns + 10 * MS);
    }
}

/* A panic for a while. */
static void panic(struct run *r)
{
    tpi_motion_engine_panic(r->engine, 7, r->now_ns);
    r->panicked = true;
    package(r, next(r) % CLIENTS);
    advance(r, next(r));
    tpi_motion_engine_reset(r->engine, r->now_ns);
    r->panicked = false;
    forget(r);
}

static void act(struct run *r)
{
    const uint8_t what = next(r);
    const unsigned who = what % CLIENTS;

    switch (what >> 3) {
    case 0:
        rejoin(r, who, (what & 4) != 0);
        break;
    case 1:
        panic(r);
        break;
    case 2:
        tpi_motion_engine_fault(r->engine, next(r) % OUTPUTS, "broken", r->now_ns);
        forget(r);
        break;
    case 3:
        tpi_motion_engine_arrived(r->engine, 0, (what & 4) != 0, r->now_ns);
        break;
    case 4:
        measure(r);
        break;
    case 5:
        rebind(r);
        break;
    case 6:
        tpi_motion_engine_occupied(r->engine, next(r) % OUTPUTS,
                                   (what & 4) != 0 ? "makes a step" : NULL, r->now_ns);
        break;
    case 7:
        if ((what & 4) != 0) {
            tpi_motion_engine_grant(r->engine, r->clients[who], 1, 0, r->now_ns);
        }
        tpi_motion_engine_grant(r->engine, r->clients[who], 3, next(r) % 2, r->now_ns);
        break;
    case 8:
    case 9:
    case 10:
    case 11:
    case 12:
    case 13:
        advance(r, next(r) * (what >> 3 == 8 ? 20 : 1));
        break;
    default:
        package(r, who);
        break;
    }
    for (unsigned i = 0; i < CLIENTS; i++) {
        drain(r, i);
    }
}

/* ---- Life ---- */

static void begin(struct run *r)
{
    const tpi_motion_settings small = {.clients = 2 * CLIENTS,
                                       .frames = 24,
                                       .bytes = 4096,
                                       .answer_bytes = 1 << 16,
                                       .lease_ns = 1000 * MS,
                                       .longest_lease_ns = 2000 * MS};
    tp_error err = {0};

    fuzz_require(tpi_motion_model_read(&r->model, robot_text, sizeof robot_text - 1, "r", &err) ==
                     TP_OK,
                 err.text);
    tpi_motion_model_fill(r->model, &r->robot);
    for (unsigned i = 0; i < DOFS; i++) {
        r->places[i] = i < 9 ? (tpi_motion_place){(uint16_t)(i / 3), (uint16_t)(i % 3)}
                             : (tpi_motion_place){TPI_MOTION_NOWHERE, 0};
    }
    for (unsigned i = 0; i < 3; i++) {
        tpi_motion_dof *dof = &r->robot.joints[0].dofs[i];

        dof->velocity = 1;
        dof->acceleration = 2;
        dof->servo = i == 1 ? 0 : TPI_MOTION_SERVO_SPEED;
    }
    for (unsigned i = 0; i < 9; i++) {
        r->first[i] = i < 3 ? r->robot.joints[0].dofs[i] : r->robot.joints[i - 2].dofs[0];
    }
    r->robot.places = r->places;
    r->robot.outputs = OUTPUTS;
    r->robot.takes_goto = true;
    r->robot.period_ns = 10 * MS;
    r->robot.updates = ~(1u << TPI_MOTION_DOF_LOWER | 1u << TPI_MOTION_DOF_UPPER);
    fuzz_require(tpi_motion_engine_create(&r->engine, &r->robot, &small, emit, r, &err) == TP_OK,
                 err.text);
    r->now_ns = START;
    for (unsigned i = 0; i < CLIENTS; i++) {
        r->clients[i] = tpi_motion_engine_join(r->engine, "c", 3, i == 2, r->now_ns);
        begin_sequences(r, i);
    }
}

/* All clients leave: everything stops, and nothing is left to do. */
static void end(struct run *r)
{
    for (unsigned i = 0; i < CLIENTS; i++) {
        tpi_motion_engine_leave(r->engine, r->clients[i], false, r->now_ns);
    }
    advance(r, 4000); /* the longest lease of those that have left before, and a brake */
    fuzz_require(tpi_motion_engine_next(r->engine) == INT64_MAX, "something is left to do");
    tpi_motion_engine_destroy(r->engine);
    tpi_motion_model_destroy(r->model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct run r;

    r = (struct run){.data = data, .size = size};
    begin(&r);
    for (int i = 0; i < MOST_ACTIONS && r.size > 0; i++) {
        act(&r);
    }
    end(&r);
    return 0;
}
