/* steps.c - time in a simulated world: the steps that are due, and those that somebody asks for. */
#include "simulator.h"

enum { MOST_STEPS = 1000 };       /* at once */
enum { MOST_ON_THEIR_WAY = 256 }; /* messages; the queue of a client takes four times as many */

static const int64_t turn_ns = 10 * TP_NS_PER_MS;  /* steps without a look at the inbox */
static const int64_t watch_ns = 20 * TP_NS_PER_MS; /* how often lockstep counts the clients */
static const int64_t catch_up_ns = TP_NS_PER_MS;   /* and whether those behind have caught up */
static const int64_t farewell_ns = TP_NS_PER_S;    /* for questions after the last step */

double tpi_simd_time_s(const simd *s)
{
    return (double)tpi_sim_time_us(s->world) / 1e6;
}

int64_t tpi_simd_now_ns(const simd *s)
{
    return tp_clock_now_ns(tp_instance_clock(s->instance));
}

/* Stop everything, also what nobody has opened, or what is no device at all. */
static void stop_all(simd *s)
{
    const uint32_t count = tpi_sim_model_count(s->world);

    for (size_t i = 0; i < s->device_count; i++) {
        if (s->devices[i]->kind->halt != NULL) {
            s->devices[i]->kind->halt(s->devices[i]);
        }
    }
    for (tpi_sim_model model = 0; model < count; model++) {
        tpi_sim_stop(s->world, model);
    }
    tpi_simd_brakes_watch_all(s);
}

/* Controllers of the world obey no server, and in a panic nothing moves: not even what was asleep
 * when it was raised. A world without a server has none. */
void tpi_simd_check_panic(simd *s)
{
    const bool panic = s->instance != NULL && tp_instance_in_panic(s->instance);

    if (panic && !s->stands) {
        stop_all(s);
    }
    tpi_sim_rest(s->world, panic);
    s->stands = panic;
}

void tpi_simd_step(simd *s)
{
    const tpi_sim_watcher *watcher = &s->host->watcher;

    tpi_simd_check_panic(s);
    tpi_sim_host_step(s->host);
    s->step_count++;
    tpi_simd_brakes_look(s);
    for (size_t i = 0; i < s->active_count; i++) {
        s->active[i]->kind->publish(s->active[i]);
        tpi_simd_place_update(s->active[i]);
    }
    if (watcher->stepped != NULL && !watcher->stepped(watcher->context, s->world)) {
        s->over = true;
    }
}

static void set_period(simd *s, int64_t period_ns)
{
    if (period_ns != s->period_ns) {
        s->period_ns = period_ns;
        tp_instance_set_period(s->instance, period_ns);
    }
}

/* Whether a participant has so much to read that it might lose the next steps. */
static bool is_behind(const simd *s)
{
    return s->keeper != NULL && tp_device_behind(s->keeper->device) > 0;
}

/* Whether readers have still to get so much that more would overflow their queues: a client that
 * asks for a thousand steps wants to see them. What is on its way finds room in a queue that is not
 * behind. */
static bool is_ahead(const simd *s)
{
    return tp_instance_on_its_way(s->instance) > MOST_ON_THEIR_WAY || is_behind(s);
}

void tpi_simd_set_period(simd *s)
{
    const int64_t pace_ns = s->lockstep || s->over ? watch_ns : tpi_simd_pace_period_ns(&s->pace);
    const bool shown = tpi_simd_scene_waits(s) && (pace_ns == 0 || pace_ns > watch_ns);
    const int64_t usual_ns = shown ? watch_ns : pace_ns;
    const int64_t next_ns = is_ahead(s) ? catch_up_ns : 1;

    set_period(s, tpi_simd_is_awaited(s) ? next_ns : usual_ns);
    if (tpi_simd_is_awaited(s) && is_ahead(s)) {
        tp_instance_await_room(s->instance, MOST_ON_THEIR_WAY / 2);
    }
}

/* Whether the last step has reached quit_time. Time can be continued after it. */
static bool has_ended(simd *s)
{
    const int64_t quit_us = tpi_sim_quit_us(s->world);
    const int64_t now_us = tpi_sim_time_us(s->world);

    if (s->over) {
        return true;
    }
    return quit_us > 0 && now_us >= quit_us && now_us - tpi_sim_interval_us(s->world) < quit_us;
}

/* A participant learns with its next question that there is no next step. */
void tpi_simd_report_end(simd *s)
{
    const tpi_sim_watcher *watcher = &s->host->watcher;
    const bool asked = s->keeper != NULL && tp_device_participants(s->keeper->device) > 0;

    if (!s->left && watcher->ended != NULL &&
        (!asked || tpi_simd_now_ns(s) - s->ended_ns >= farewell_ns)) {
        s->left = true;
        watcher->ended(watcher->context);
    }
}

/* Time stands still from now on, and no client waits for it. The watcher of the world reports
 * why it has ended. */
static void end(simd *s)
{
    s->ended_ns = tpi_simd_now_ns(s);
    if (!s->over && !s->pace.paused) {
        tpi_simd_note(s, "the world has reached its quit_time and stands still");
    }
    if (!s->pace.paused) {
        tpi_simd_set_paused(s, true);
    }
    tpi_simd_end_waits(s);
    if (s->over) {
        tpi_simd_report_end(s);
    }
}

void tpi_simd_step_for_waiters(simd *s)
{
    const int64_t begun_ns = tpi_simd_now_ns(s);

    tpi_simd_refresh(s);
    tpi_simd_remove_gone(s);
    tp_instance_keep_all(s->instance, true); /* however much one step is */
    for (bool first = true; tpi_simd_is_awaited(s) && !is_ahead(s) &&
                            (first || tpi_simd_now_ns(s) - begun_ns < turn_ns);
         first = false) {
        tpi_simd_serve_waiter(s); /* at least one, even if the turn is over */
        if (has_ended(s)) {
            end(s);
        }
    }
    tp_instance_keep_all(s->instance, false);
    tpi_simd_set_period(s);
}

static void tell_if_late(simd *s)
{
    if (s->pace.late && !s->told_late) {
        s->told_late = true;
        tpi_simd_note(s, "the world cannot keep up with its speed and runs as fast as it can");
    }
}

/* The steps that are due; what takes long is done in pieces, so that commands get their turn. */
void tpi_simd_run(simd *s)
{
    const int64_t begun_ns = tpi_simd_now_ns(s);
    int64_t now_ns = begun_ns;
    int64_t due = tpi_simd_pace_due(&s->pace, now_ns);

    for (int made = 0; due > 0 && made < MOST_STEPS && now_ns - begun_ns < turn_ns; made++) {
        tpi_simd_step(s);
        tpi_simd_pace_made(&s->pace);
        now_ns = tpi_simd_now_ns(s);
        if (has_ended(s)) {
            end(s);
        }
        due = tpi_simd_pace_due(&s->pace, now_ns); /* none if it stands still */
    }
    tell_if_late(s);
    if (due > 0) {
        set_period(s, 1);
    } else {
        tpi_simd_set_period(s);
    }
}
