/*
 * engine_test.h - a bench for tests of the engine: a robot, its clients and a log of writes.
 *
 * The robot has a base on wheels (no sideways speed), a head with pan and tilt, an arm of one dof
 * that also takes forces, and a finger that follows the arm. Outputs: 0 base, 1 head, 2 arm.
 */
#ifndef TROUPE_MOTION_ENGINE_TEST_H
#define TROUPE_MOTION_ENGINE_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "motion/model.h"

enum { BENCH_JOINTS = 4, BENCH_DOFS = 8, BENCH_SLOTS = 8, BENCH_WRITES = 40000 };
static const int64_t BENCH_MS = 1000000;
static const int64_t BENCH_START = 1000000000007; /* the server's clock when tests begin */

struct bench_write {
    int64_t due_ns;
    tpi_motion_write write;
    uint8_t servo[BENCH_SLOTS];
    double values[BENCH_SLOTS], speeds[BENCH_SLOTS];
};

struct bench {
    tpi_motion_engine *engine;
    tpi_motion_joint joints[BENCH_JOINTS];
    tpi_motion_place places[BENCH_DOFS];
    tpi_motion_model *model; /* of a bench with a robot of a file */
    tpi_motion_link links[BENCH_JOINTS];
    tpi_motion_robot robot;
    struct bench_write *writes;
    size_t count;
    int64_t now_ns;
    uint8_t answers[1 << 20];
    size_t answer_size, answer_at;
};

static inline void bench_emit(void *user, const tpi_motion_write *write)
{
    struct bench *b = user;

    assert_true(b->count < BENCH_WRITES && write->count <= BENCH_SLOTS);
    struct bench_write *w = &b->writes[b->count++];
    w->due_ns = write->due_ns;
    w->write = *write;
    for (uint16_t i = 0; i < write->count; i++) {
        w->servo[i] = write->servo[i];
        w->values[i] = write->values[i];
        w->speeds[i] = write->speeds[i];
    }
}

static inline tpi_motion_dof bench_dof(uint8_t servo, double limit, double velocity,
                                       double acceleration)
{
    return (tpi_motion_dof){1, servo, 0, 0, {0, 0, 1}, -limit, limit, velocity, 10, acceleration};
}

static inline void bench_describe(struct bench *b)
{
    static const char *const names[BENCH_JOINTS] = {"base", "head", "arm", "finger"};
    static const uint8_t dofs[BENCH_JOINTS] = {3, 2, 1, 1};
    uint16_t first = 0;

    for (uint16_t i = 0; i < BENCH_JOINTS; i++) {
        strcpy(b->joints[i].name, names[i]);
        strcpy(b->links[i].name, names[i]);
        b->joints[i].dof_count = dofs[i];
        b->joints[i].first_dof = first;
        b->joints[i].child = i;
        b->joints[i].rest[0] = b->joints[i].rest[4] = b->joints[i].rest[8] = 1;
        first = (uint16_t)(first + dofs[i]);
    }
    b->joints[0].dofs[0] = bench_dof(2, INFINITY, 1, 1);
    b->joints[0].dofs[1] = bench_dof(0, INFINITY, 1, 1);
    b->joints[0].dofs[2] = bench_dof(2, INFINITY, 3, 4);
    b->joints[1].dofs[0] = b->joints[1].dofs[1] = bench_dof(3, 1.5, 1, 2);
    b->joints[2].dofs[0] = bench_dof(7, 2, 1, 2);
    b->joints[3].dofs[0] = bench_dof(3, 2, 1, 2);
    b->joints[3].dofs[0].mimics = 1;
    b->joints[3].dofs[0].master = 5;
}

/* Create the engine of a bench whose robot is described. */
static inline struct bench *bench_begin(struct bench *b, const tpi_motion_settings *settings)
{
    tp_error err = {.text = ""};

    b->writes = calloc(BENCH_WRITES, sizeof *b->writes);
    b->now_ns = BENCH_START;
    if (tpi_motion_engine_create(&b->engine, &b->robot, settings, bench_emit, b, &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
    return b;
}

static inline struct bench *bench_new(const tpi_motion_settings *settings)
{
    static const tpi_motion_place places[BENCH_DOFS] = {
        {0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {2, 0}, {TPI_MOTION_NOWHERE, 0}};
    struct bench *b = calloc(1, sizeof *b);

    bench_describe(b);
    memcpy(b->places, places, sizeof places);
    b->robot = (tpi_motion_robot){.name = "bench",
                                  .joints = b->joints,
                                  .links = b->links,
                                  .places = b->places,
                                  .joint_count = BENCH_JOINTS,
                                  .link_count = BENCH_JOINTS,
                                  .outputs = 3,
                                  .takes_goto = true,
                                  .period_ns = 10 * BENCH_MS,
                                  .clock = 77};
    return bench_begin(b, settings);
}

static inline void bench_free(struct bench *b)
{
    tpi_motion_engine_destroy(b->engine);
    tpi_motion_model_destroy(b->model);
    free(b->writes);
    free(b);
}

static inline uint32_t bench_join(struct bench *b, const char *label, int rank)
{
    return tpi_motion_engine_join(b->engine, label, 2, rank, b->now_ns);
}

/* A test whose state is a bench of its own. */
#define BENCH_CASE(name) cmocka_unit_test_setup_teardown(name, bench_set_up, bench_tear_down)

static inline int bench_set_up(void **state)
{
    *state = bench_new(NULL);
    return 0;
}

static inline int bench_tear_down(void **state)
{
    bench_free(*state);
    return 0;
}

/* ---- Packages ---- */

static const tpi_motion_header BENCH_DIRECT = {.mode = TPI_MOTION_DIRECT};

static inline void bench_package(struct bench *b, uint32_t client, tpi_motion_header header,
                                 const uint8_t *payload)
{
    tp_error err = {.text = ""};

    if (tpi_motion_payload_check(&header, payload, &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
    tpi_motion_engine_package(b->engine, client, &header, payload, b->now_ns);
}

/* Send a package of one record; the tag is also the package's id. */
static inline void bench_send(struct bench *b, uint32_t client, tpi_motion_header header,
                              uint16_t code, uint32_t tag, const void *value)
{
    uint8_t payload[4096];
    const size_t size = tpi_motion_record_put(payload, sizeof payload, code, tag, value);

    assert_true(size > 0);
    header.kind = (uint8_t)tpi_motion_kind_of(code);
    header.records = 1;
    header.size = (uint32_t)size;
    header.id = tag;
    bench_package(b, client, header, payload);
}

static inline void bench_speed(struct bench *b, uint32_t client, uint32_t tag, double vx, double vy,
                               double omega)
{
    bench_send(b, client, BENCH_DIRECT, TPI_MOTION_SETSPEED, tag,
               &(tpi_motion_setspeed){vx, vy, omega});
}

static inline void bench_set(struct bench *b, uint32_t client, uint32_t tag, uint16_t joint,
                             double value)
{
    bench_send(b, client, BENCH_DIRECT, TPI_MOTION_SET, tag, &(tpi_motion_set){joint, 0, value, 0});
}

/* A SET of the head on the server's clock. */
static inline void bench_set_later(struct bench *b, uint32_t client, uint32_t tag, int64_t at_ms,
                                   double value)
{
    const tpi_motion_header header = {.mode = TPI_MOTION_DELAY,
                                      .flags = TPI_MOTION_ACK,
                                      .time_us = (uint64_t)(BENCH_START / 1000 + at_ms * 1000)};

    bench_send(b, client, header, TPI_MOTION_SET, tag, &(tpi_motion_set){1, 0, value, 0});
}

static inline void bench_session(struct bench *b, uint32_t client, uint16_t code, const void *value)
{
    bench_send(b, client, (tpi_motion_header){0}, code, 9999, value);
}

static inline void bench_rate(struct bench *b, uint32_t client, double rate)
{
    bench_session(b, client, TPI_MOTION_RATE, &(tpi_motion_rate){rate, 0});
}

/* Move the time on, planning 10 ms ahead, as a binding does. */
static inline void bench_run(struct bench *b, int64_t until_ns)
{
    while (b->now_ns < until_ns) {
        const int64_t step =
            until_ns - b->now_ns < 5 * BENCH_MS ? until_ns - b->now_ns : 5 * BENCH_MS;

        b->now_ns += step;
        tpi_motion_engine_advance(b->engine, b->now_ns, b->now_ns + 10 * BENCH_MS);
    }
}

/* As bench_run() for a number of milliseconds; the client shows life. */
static inline void bench_wait(struct bench *b, uint32_t client, int64_t ms)
{
    for (int64_t i = 0; i < ms; i += 100) {
        tpi_motion_engine_heard(b->engine, client, b->now_ns);
        bench_run(b, b->now_ns + (ms - i < 100 ? ms - i : 100) * BENCH_MS);
    }
}

/* The last write to an output. */
static inline const struct bench_write *bench_last(const struct bench *b, uint16_t output)
{
    for (size_t i = b->count; i > 0; i--) {
        if (b->writes[i - 1].write.output == output) {
            return &b->writes[i - 1];
        }
    }
    fail_msg("output %u was not written", (unsigned)output);
    return NULL;
}

/* ---- Answers ---- */

/* The next record for a client; false if there is none. */
static inline bool bench_next(struct bench *b, uint32_t client, tpi_motion_record *record)
{
    uint16_t records;

    if (b->answer_at == b->answer_size) {
        b->answer_at = 0;
        b->answer_size =
            tpi_motion_engine_take(b->engine, client, b->answers, sizeof b->answers, &records);
    }
    return b->answer_at < b->answer_size &&
           tpi_motion_record_next(record, b->answers, b->answer_size, &b->answer_at, NULL) == TP_OK;
}

static inline void bench_get(const tpi_motion_record *record, void *value)
{
    static double scratch[16384];

    assert_int_equal(tpi_motion_body_get(tpi_motion_body_of(record->code), record->body,
                                         record->length, value, scratch, sizeof scratch, NULL),
                     TP_OK);
}

/* Expect a signal as the next record. */
static inline void bench_expect(struct bench *b, uint32_t client, uint32_t tag,
                                tpi_motion_signal signal, bool final, const char *text)
{
    tpi_motion_signalled s;
    tpi_motion_record record;

    if (!bench_next(b, client, &record)) {
        fail_msg("no answer; expected signal %d of %u", (int)signal, tag);
    }
    assert_int_equal(record.code, TPI_MOTION_SIGNAL);
    bench_get(&record, &s);
    if (record.tag != tag || s.signal != signal || s.final != final ||
        strncmp(s.text, text, s.length) != 0 || s.length != strlen(text)) {
        fail_msg("tag %u signal %u final %u \"%.*s\" instead of %u %d %d \"%s\"", record.tag,
                 s.signal, s.final, (int)s.length, s.text, tag, (int)signal, (int) final, text);
    }
}

static inline void bench_expect_nothing(struct bench *b, uint32_t client)
{
    tpi_motion_record record;

    if (bench_next(b, client, &record)) {
        fail_msg("record %x of %u", record.code, record.tag);
    }
}

static inline void bench_drain(struct bench *b, uint32_t client)
{
    tpi_motion_record record;

    while (bench_next(b, client, &record)) {
    }
}

#endif
