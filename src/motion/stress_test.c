/* stress_test.c - random packages of several clients: each command ends exactly once, nothing
 * jumps, no output is written twice in an instant, nothing stays behind; and no frame allocates. */
#include "motion/engine_test.h"
#include "support/memory.h"

enum { CLIENTS = 3, TAGS = 4000, SEEDS = 60, ACTIONS = 600 };

struct storm {
    struct bench *b;
    uint64_t seed;
    uint32_t clients[CLIENTS], tag;
    uint8_t ends[TAGS]; /* final signals of each command */
    bool sent[TAGS];
    uint8_t owner[TAGS];
    uint64_t tau_us[CLIENTS];
};

static uint32_t pick(struct storm *s, uint32_t below)
{
    s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(s->seed >> 33) % below;
}

static double value(struct storm *s)
{
    return (double)pick(s, 2001) / 1000 - 1;
}

static void read_answers(struct storm *s)
{
    for (int i = 0; i < CLIENTS; i++) {
        tpi_motion_record record;
        tpi_motion_signalled signal;

        while (bench_next(s->b, s->clients[i], &record)) {
            if (record.code != TPI_MOTION_SIGNAL || record.tag >= TAGS) {
                continue;
            }
            bench_get(&record, &signal);
            if (s->ends[record.tag] > 0) {
                fail_msg("command %u goes on after its end", record.tag);
            }
            s->ends[record.tag] += signal.final;
        }
    }
}

/* Send a command that the robot has, in a random mode. */
static void command(struct storm *s, int who)
{
    static const uint8_t modes[4] = {TPI_MOTION_DIRECT, TPI_MOTION_DELAY, TPI_MOTION_DELAY,
                                     TPI_MOTION_ADAPTIVE};
    const uint32_t tag = ++s->tag;
    tpi_motion_drive targets[2] = {{1, 1, value(s)}, {2, 0, value(s)}};
    tpi_motion_header header = {.mode = modes[pick(s, 4)],
                                .flags = TPI_MOTION_ACK | (pick(s, 20) == 0 ? TPI_MOTION_CLEAR : 0),
                                .sequence = 1};

    if (header.mode == TPI_MOTION_ADAPTIVE) {
        s->tau_us[who] += pick(s, 200000);
        header.time_us = s->tau_us[who];
    } else if (pick(s, 3) > 0) {
        header.time_us = (uint64_t)(s->b->now_ns / 1000) + pick(s, 900000) - 100000;
    }
    s->sent[tag] = true;
    s->owner[tag] = (uint8_t)who;
    switch (pick(s, 6)) {
    case 0:
        bench_send(s->b, s->clients[who], header, TPI_MOTION_SETSPEED, tag,
                   &(tpi_motion_setspeed){value(s), 0, value(s)});
        break;
    case 1:
        bench_send(s->b, s->clients[who], header, TPI_MOTION_MOVE, tag,
                   &(tpi_motion_move){pick(s, 2000000), 1, 2, targets});
        break;
    case 2:
        bench_send(s->b, s->clients[who], header, TPI_MOTION_HOME, tag, &(tpi_motion_home){2});
        break;
    case 3:
        bench_send(s->b, s->clients[who], header, TPI_MOTION_GOTO, tag,
                   &(tpi_motion_goto){1, 2, 3, 0});
        break;
    default:
        bench_send(s->b, s->clients[who], header, TPI_MOTION_SET, tag,
                   &(tpi_motion_set){1, (uint16_t)pick(s, 2), value(s), pick(s, 2) * 500000});
        break;
    }
}

static void session(struct storm *s, int who)
{
    const uint32_t client = s->clients[who];

    switch (pick(s, 6)) {
    case 0:
        bench_session(s->b, client, TPI_MOTION_CANCEL,
                      &(tpi_motion_tag){pick(s, 2) == 0 ? 0 : s->tag});
        break;
    case 1:
        bench_session(s->b, client, TPI_MOTION_END, &(tpi_motion_end){1, 0});
        break;
    case 2:
        bench_session(s->b, client, TPI_MOTION_BEGIN,
                      &(tpi_motion_begin){.sequence = 1, .mode = TPI_MOTION_ADAPTIVE});
        break;
    default:
        bench_session(s->b, client, TPI_MOTION_RATE,
                      &(tpi_motion_rate){(double)pick(s, 3) / 2, (uint8_t)(pick(s, 4) == 0)});
        break;
    }
}

/* Nothing is written twice in an instant, and positions do not jump. */
static void check_writes(const struct bench *b)
{
    int64_t before[3] = {0, 0, 0};
    const struct bench_write *last[3] = {NULL, NULL, NULL};

    for (size_t i = 0; i < b->count; i++) {
        const struct bench_write *w = &b->writes[i];
        const uint16_t output = w->write.output;

        assert_true(i == 0 || w->due_ns >= b->writes[i - 1].due_ns);
        assert_true(w->due_ns > before[output]);
        before[output] = w->due_ns;
        for (uint16_t k = 0; output > 0 && last[output] != NULL && k < w->write.count; k++) {
            const double time = (double)(w->due_ns - last[output]->due_ns) * 1e-9;

            if (w->servo[k] == last[output]->servo[k] &&
                fabs(w->values[k] - last[output]->values[k]) > 1.0 * time + 0.0201) {
                fail_msg("output %u jumps from %g to %g in %g s", (unsigned)output,
                         last[output]->values[k], w->values[k], time);
            }
        }
        last[output] = w;
    }
}

static void nothing_is_left(struct storm *s)
{
    for (int i = 0; i < CLIENTS; i++) {
        bench_session(s->b, s->clients[i], TPI_MOTION_RATE, &(tpi_motion_rate){1, 0});
        bench_session(s->b, s->clients[i], TPI_MOTION_CANCEL, &(tpi_motion_tag){0});
    }
    for (int i = 0; i < 40; i++) {
        bench_wait(s->b, s->clients[i % CLIENTS], 100);
        read_answers(s);
    }
    for (uint32_t tag = 1; tag <= s->tag; tag++) {
        if (s->ends[tag] != s->sent[tag]) {
            fail_msg("command %u has %u ends", tag, (unsigned)s->ends[tag]);
        }
    }
    for (int i = 0; i < CLIENTS; i++) {
        tpi_motion_record record;
        tpi_motion_busy busy;
        tpi_motion_queues queues;

        bench_send(s->b, s->clients[i], (tpi_motion_header){0}, TPI_MOTION_ASK_BUSY, 5,
                   &(tpi_motion_empty){0});
        assert_true(bench_next(s->b, s->clients[i], &record));
        bench_get(&record, &busy);
        assert_int_equal(busy.count, 0);
        bench_send(s->b, s->clients[i], (tpi_motion_header){0}, TPI_MOTION_ASK_QUEUES, 5,
                   &(tpi_motion_empty){0});
        assert_true(bench_next(s->b, s->clients[i], &record));
        bench_get(&record, &queues);
        assert_int_equal(queues.command + queues.playback, 0);
    }
    assert_int_equal(tpi_motion_engine_next(s->b->engine), INT64_MAX);
}

/* A client leaves and comes back as another one. Its commands are not answered any more. */
static void leave(struct storm *s, int who)
{
    for (uint32_t tag = 1; tag <= s->tag; tag++) {
        if (s->owner[tag] == who && s->ends[tag] == 0) {
            s->sent[tag] = false;
        }
    }
    tpi_motion_engine_leave(s->b->engine, s->clients[who], false, s->b->now_ns);
    s->clients[who] = tpi_motion_engine_join(s->b->engine, "storm", 3, who / 2, s->b->now_ns);
    assert_int_not_equal(s->clients[who], 0);
}

static void blow(struct storm *s, bool leaves)
{
    for (int i = 0; i < ACTIONS; i++) {
        const int who = (int)pick(s, CLIENTS);

        if (leaves && pick(s, 60) == 0) {
            leave(s, who);
        } else if (pick(s, 10) == 0) {
            session(s, who);
        } else {
            command(s, who);
        }
        if (pick(s, 20) == 0) {
            tpi_motion_engine_arrived(s->b->engine, 0, pick(s, 2) == 0, s->b->now_ns);
        }
        for (int k = 0; k < CLIENTS; k++) {
            tpi_motion_engine_heard(s->b->engine, s->clients[k], s->b->now_ns);
        }
        bench_run(s->b, s->b->now_ns + (int64_t)pick(s, 60000000));
        read_answers(s);
    }
}

static void random_clients_leave_nothing_undone(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct storm s = {.b = bench_new(NULL), .seed = seed};

        for (int i = 0; i < CLIENTS; i++) {
            s.clients[i] = tpi_motion_engine_join(s.b->engine, "storm", 3, i / 2, s.b->now_ns);
        }
        blow(&s, seed % 2 == 0);
        nothing_is_left(&s);
        check_writes(s.b);
        bench_free(s.b);
    }
}

static void frames_allocate_nothing(void **state)
{
    struct storm s = {.b = bench_new(NULL), .seed = 99};

    (void)state;
    for (int i = 0; i < CLIENTS; i++) {
        s.clients[i] = tpi_motion_engine_join(s.b->engine, "storm", 3, i, s.b->now_ns);
    }
    const size_t before = memory_allocations();
    blow(&s, false);
    assert_int_equal(memory_allocations(), before);
    assert_true(s.b->count > 1000);
    bench_free(s.b);
}

static tp_status create_and_join(void *context)
{
    struct bench *b = context;
    tpi_motion_engine *engine = NULL;
    const tp_status status =
        tpi_motion_engine_create(&engine, &b->robot, NULL, bench_emit, b, NULL);

    if (status != TP_OK) {
        return status;
    }
    const uint32_t client = tpi_motion_engine_join(engine, "a", 2, 0, 1);
    tpi_motion_engine_destroy(engine);
    return client != 0 ? TP_OK : TP_E_NOMEM;
}

static void an_engine_without_memory_leaves_nothing_behind(void **state)
{
    struct bench *b = bench_new(NULL);

    (void)state;
    memory_sweep(create_and_join, b);
    bench_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_clients_leave_nothing_undone),
        cmocka_unit_test(frames_allocate_nothing),
        cmocka_unit_test(an_engine_without_memory_leaves_nothing_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
