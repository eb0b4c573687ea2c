/* simulator_test.h - a world on the bench: several devices open, time moved step by step. */
#ifndef SIMULATOR_TEST_H
#define SIMULATOR_TEST_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/play.h"
#include "troupe/interfaces/world.h"

extern const tp_driver tp_driver_sim;

#define DATA(name) "worldfile=" TEST_ROOT "/tests/data/sim/" name ".world"

enum { STAGE_MOST = 8 };

/* A world that stands still until the test makes a step; its `world` device is open. */
typedef struct stage {
    play *p;
    bench_reader readers[STAGE_MOST]; /* of devices that were opened */
    size_t count;
} stage;

static inline void stage_begin(stage *s, const char *provides, const char *settings)
{
    memset(s, 0, sizeof *s);
    s->p = play_create();
    play_add(s->p, &tp_driver_sim, provides, NULL, settings);
    s->p->device = bench_find(&s->p->b, "world:0");
    assert_non_null(s->p->device);
    play_open(s->p);
}

static inline void stage_end(stage *s)
{
    for (size_t i = 0; i < s->count; i++) {
        bench_close(&s->readers[i]);
    }
    play_destroy(s->p);
}

static inline bench_reader *stage_open(stage *s, const char *address)
{
    bench_reader *r = &s->readers[s->count++];
    tp_device *device = bench_find(&s->p->b, address);

    assert_true(s->count <= STAGE_MOST);
    assert_non_null(device);
    if (bench_open(&s->p->b, r, device) != TP_OK) {
        fail_msg("%s", s->p->b.err.text);
    }
    return r;
}

static inline const tp_world_state *stage_step(stage *s, uint32_t count)
{
    const tp_world_step ask = {.count = count};

    return play_get(s->p, TP_WORLD_REQ_STEP, &ask);
}

static inline void stage_command(stage *s, bench_reader *r, unsigned code, const void *ask)
{
    if (bench_command(&s->p->b, r->reader.device, code, ask) != TP_OK) {
        fail_msg("%s", s->p->b.err.text);
    }
}

static inline void stage_request(stage *s, bench_reader *r, unsigned code, const void *ask)
{
    if (bench_request(&s->p->b, r->reader.device, code, ask, NULL) != TP_OK) {
        fail_msg("%s", s->p->b.err.text);
    }
}

/* An answer; it stays until the next one. */
static inline const void *stage_get(stage *s, bench_reader *r, unsigned code, const void *ask)
{
    tp_msg_unref(s->p->answer);
    s->p->answer = NULL;
    if (bench_request(&s->p->b, r->reader.device, code, ask, &s->p->answer) != TP_OK) {
        fail_msg("%s", s->p->b.err.text);
    }
    return tp_msg_payload(s->p->answer);
}

static inline void stage_refused(stage *s, bench_reader *r, unsigned code, const void *ask,
                                 const char *why)
{
    assert_true(bench_request(&s->p->b, r->reader.device, code, ask, NULL) < 0);
    assert_string_equal(s->p->b.err.text, why);
}

/* The newest data; fails the test if there was none. */
static inline const void *stage_last(const bench_reader *r, unsigned code)
{
    assert_non_null(r->last[code]);
    return tp_msg_payload(r->last[code]);
}

static inline double stage_stamp(const bench_reader *r, unsigned code)
{
    assert_non_null(r->last[code]);
    return tp_msg_header(r->last[code])->timestamp;
}

#endif
