/* loop_bench.h - a loop on a clock that stands still, and a trace of what it called. */
#ifndef TROUPE_TESTS_LOOP_BENCH_H
#define TROUPE_TESTS_LOOP_BENCH_H

#include <stdlib.h>
#include <string.h>

#include "support/unit.h"
#include "troupe/loop.h"

struct bench {
    tp_clock clock;
    int64_t now_ns;
    tp_loop *loop;
    tp_error err;
    char trace[256]; /* what was called, in order, as letters */
};

static inline int64_t bench_now(const tp_clock *clock)
{
    return ((const struct bench *)clock->context)->now_ns;
}

static inline double bench_wall(const tp_clock *clock)
{
    return (double)bench_now(clock) / (double)TP_NS_PER_S;
}

static inline int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);

    assert_non_null(b);
    b->clock = (tp_clock){.now_ns = bench_now, .wall_s = bench_wall, .context = b};
    b->now_ns = 1000 * TP_NS_PER_S;
    assert_int_equal(tp_loop_create(&b->loop, &b->clock, &b->err), TP_OK);
    *state = b;
    return 0;
}

static inline int set_up_real(void **state)
{
    struct bench *b = calloc(1, sizeof *b);

    assert_non_null(b);
    assert_int_equal(tp_loop_create(&b->loop, tp_clock_real(), &b->err), TP_OK);
    *state = b;
    return 0;
}

static inline int tear_down(void **state)
{
    struct bench *b = *state;

    tp_loop_destroy(b->loop);
    free(b);
    return 0;
}

static inline void note(struct bench *b, char letter)
{
    const size_t length = strlen(b->trace);

    assert_true(length + 1 < sizeof b->trace);
    b->trace[length] = letter;
    b->trace[length + 1] = '\0';
}

static inline void turn(struct bench *b)
{
    tp_loop_turn(b->loop, false);
}

/* Everything that was called since the last time. */
static inline void assert_trace(struct bench *b, const char *wanted)
{
    assert_string_equal(b->trace, wanted);
    b->trace[0] = '\0';
}

/* A timer that leaves its letter in the trace. */
struct alarm {
    struct bench *b;
    char letter;
    tp_timer *timer;
    int64_t again_at; /* armed anew for this, unless 0 */
    tp_timer **destroys;
};

static inline void fire(void *context)
{
    struct alarm *alarm = context;

    note(alarm->b, alarm->letter);
    if (alarm->again_at != 0) {
        tp_timer_at(alarm->timer, alarm->again_at);
    }
    if (alarm->destroys != NULL) {
        tp_timer_destroy(*alarm->destroys);
        *alarm->destroys = NULL;
    }
}

static inline void make_alarm(struct alarm *out, struct bench *b, char letter)
{
    *out = (struct alarm){.b = b, .letter = letter};
    assert_int_equal(tp_timer_create(&out->timer, b->loop, fire, out, &b->err), TP_OK);
}

#endif
