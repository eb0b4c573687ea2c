/* play.c - see play.h. */
#include "conformance/play.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

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
    if (p->script != NULL) {
        unlink(p->script);
    }
    free(p->script);
    free(p);
}

play *play_begin(const tp_driver *driver, const char *provides, const char *settings)
{
    play *p = play_create();

    play_add(p, driver, provides, NULL, settings);
    play_open(p);
    return p;
}

play *play_begin_script(const tp_driver *driver, const char *provides, const char *parameter,
                        tpi_buf *text, const char *more_settings)
{
    char path[64], settings[512];

    snprintf(path, sizeof path, "/tmp/troupe-play-%d.script", (int)getpid());
    assert_int_equal(tpi_file_write(path, text->data, text->length, NULL), TP_OK);
    tpi_buf_fini(text);
    snprintf(settings, sizeof settings, "%s=script:%s %s", parameter, path, more_settings);
    play *p = play_begin(driver, provides, settings);
    p->script = strdup(path);
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

void play_pass(play *p, double seconds)
{
    bench_move_clock(&p->b, seconds);
    bench_request(&p->b, p->device, TP_COMMON_REQ_GET_PROPERTIES, NULL, NULL);
    bench_request(&p->b, p->device, TP_COMMON_REQ_GET_PROPERTIES, NULL, NULL);
}

const void *play_last(const play *p, unsigned code)
{
    return p->r.last[code] == NULL ? NULL : tp_msg_payload(p->r.last[code]);
}

const void *play_await(play *p, unsigned code)
{
    for (unsigned i = 0; i < 200 && play_last(p, code) == NULL; i++) {
        play_pass(p, 0.05);
    }
    assert_non_null(play_last(p, code));
    return play_last(p, code);
}

void play_assert_refused(const play *p, tp_status status, const char *why)
{
    assert_true(status < 0);
    assert_string_equal(p->b.err.text, why);
}

const char *play_await_failure(play *p)
{
    const tp_failure *failure = play_last(p, TP_COMMON_DATA_ERROR);

    return failure != NULL ? failure->text
                           : ((const tp_failure *)bench_await(&p->r, TP_COMMON_DATA_ERROR))->text;
}

void play_assert_between(double value, double low, double high)
{
    if (!(value >= low && value <= high)) {
        fail_msg("%g is not between %g and %g", value, low, high);
    }
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
