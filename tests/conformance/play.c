/* play.c - see play.h. */
#include "conformance/play.h"

#include <math.h>
#include <stdlib.h>

play *play_create(void)
{
    play *p = calloc(1, sizeof *p);

    assert_non_null(p);
    bench_init(&p->b);
    return p;
}

void play_add(play *p, const tp_driver *driver, const char *provides, const char *requires,
              const char *settings)
{
    const bench_section section = {driver, provides, requires, settings};
    const size_t devices = tpi_hub_device_count(p->b.hub);
    bench_plan *plan = bench_plan_create(p->b.catalogue, &section, 0);

    assert_true(p->plan_count < PLAY_MOST_PLANS);
    p->plans[p->plan_count++] = plan;
    if (tpi_hub_add(p->b.hub, bench_plan_blueprint(plan), NULL, &p->b.err) != TP_OK) {
        fail_msg("%s", p->b.err.text);
    }
    p->device = tpi_hub_device_at(p->b.hub, devices);
}

void play_open(play *p)
{
    if (bench_open(&p->b, &p->r, p->device) != TP_OK) {
        fail_msg("%s", p->b.err.text);
    }
    p->is_open = true;
}

void play_close(play *p)
{
    bench_close(&p->r);
    p->is_open = false;
    while (tpi_device_is_running(p->device)) {
        tp_loop_turn(p->b.loop, true);
    }
}

void play_destroy(play *p)
{
    tp_msg_unref(p->answer);
    if (p->is_open) {
        bench_close(&p->r);
    }
    bench_fini(&p->b);
    for (size_t i = 0; i < p->plan_count; i++) {
        bench_plan_destroy(p->plans[i]);
    }
    free(p);
}

play *play_begin(const tp_driver *driver, const char *provides, const char *settings)
{
    play *p = play_create();

    play_add(p, driver, provides, NULL, settings);
    play_open(p);
    return p;
}

void play_assert_not_added(const tp_driver *driver, const char *provides, const char *requires,
                           const char *settings, const char *why)
{
    const bench_section section = {driver, provides, requires, settings};
    play *p = play_create();
    bench_plan *plan = bench_plan_create(p->b.catalogue, &section, 0);

    play_assert_refused(p, tpi_hub_add(p->b.hub, bench_plan_blueprint(plan), NULL, &p->b.err), why);
    bench_plan_destroy(plan);
    play_destroy(p);
}

void play_command(play *p, unsigned code, const void *ask)
{
    if (bench_command(&p->b, p->device, code, ask) != TP_OK) {
        fail_msg("%s", p->b.err.text);
    }
}

void play_request(play *p, unsigned code, const void *ask)
{
    if (bench_request(&p->b, p->device, code, ask, NULL) != TP_OK) {
        fail_msg("%s", p->b.err.text);
    }
}

const void *play_get(play *p, unsigned code, const void *ask)
{
    tp_msg_unref(p->answer);
    p->answer = NULL;
    if (bench_request(&p->b, p->device, code, ask, &p->answer) != TP_OK) {
        fail_msg("%s", p->b.err.text);
    }
    return tp_msg_payload(p->answer);
}

const void *play_after(play *p, double seconds, unsigned code)
{
    bench_move_clock(&p->b, seconds);
    return bench_await_fresh(&p->r, code);
}

const void *play_last(const play *p, unsigned code)
{
    return p->r.last[code] == NULL ? NULL : tp_msg_payload(p->r.last[code]);
}

void play_assert_refused(const play *p, tp_status status, const char *why)
{
    assert_true(status < 0);
    assert_string_equal(p->b.err.text, why);
}

void play_assert_near(double a, double b)
{
    if (!(fabs(a - b) < 1e-6)) {
        fail_msg("%.9f is not %.9f", a, b);
    }
}

void play_assert_pose(const tp_pose2d *pose, double x, double y, double a)
{
    play_assert_near(pose->px, x);
    play_assert_near(pose->py, y);
    play_assert_near(remainder(pose->pa - a, 6.283185307179586), 0);
}
