/* fake_test.c - what is commanded shows, what is set can be got, and it moves as physics says. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/bench.h"
#include "support/memory.h"
#include "support/unit.h"
#include "troupe/interfaces/all.h"

extern const tp_driver tp_driver_fake;

static const double pi = 3.141592653589793;

/* ---- One instance, its first device open --------------------------------------------------------
 */

struct play {
    bench b;
    bench_plan *plan;
    bench_reader r;
    tp_device *device;
};

static void add(struct play *p, const char *provides, const char *settings)
{
    const bench_section section = {&tp_driver_fake, provides, NULL, settings};

    p->plan = bench_plan_create(p->b.catalogue, &section, 0);
    if (tpi_hub_add(p->b.hub, bench_plan_blueprint(p->plan), NULL, &p->b.err) != TP_OK) {
        fail_msg("%s", p->b.err.text);
    }
}

static struct play *begin(const char *provides, const char *settings)
{
    struct play *p = calloc(1, sizeof *p);

    assert_non_null(p);
    bench_init(&p->b);
    add(p, provides, settings);
    p->device = tpi_hub_device_at(p->b.hub, 0);
    assert_int_equal(bench_open(&p->b, &p->r, p->device), TP_OK);
    return p;
}

static void end(struct play *p)
{
    bench_close(&p->r);
    bench_fini(&p->b);
    bench_plan_destroy(p->plan);
    free(p);
}

static const char *const exact = "rate=1000 noise=0";

static void command(struct play *p, unsigned code, const void *ask)
{
    if (bench_command(&p->b, p->device, code, ask) != TP_OK) {
        fail_msg("%s", p->b.err.text);
    }
}

static void request(struct play *p, unsigned code, const void *ask)
{
    if (bench_request(&p->b, p->device, code, ask, NULL) != TP_OK) {
        fail_msg("%s", p->b.err.text);
    }
}

/* The answer stays until the next one is asked for. */
static const void *get(struct play *p, unsigned code, const void *ask)
{
    static tp_msg *answer;

    if (bench_request(&p->b, p->device, code, ask, &answer) != TP_OK) {
        fail_msg("%s", p->b.err.text);
    }
    tp_msg_unref(answer); /* the pool keeps its bytes until the next message is made */
    return tp_msg_payload(answer);
}

/* Let time pass, then look. */
static const void *after(struct play *p, double seconds, unsigned code)
{
    bench_move_clock(&p->b, seconds);
    return bench_await_fresh(&p->r, code);
}
