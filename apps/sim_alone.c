/* sim_alone.c - a world that runs by itself; see sim_alone.h. */
#include "sim_alone.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "output.h"
#include "platform/thread.h"
#include "sim/host/host.h"
#include "troupe/clock.h"
#include "worlds.h"

struct alone {
    const sim_alone_options *options; /* borrowed */
    tpi_sim_host host;
    tpi_draw_trails *trails; /* owned; NULL without a picture */
    sim_record *record;      /* borrowed; may be NULL */
};

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    interrupted = 1;
    signal(number, SIG_DFL); /* a second signal ends it at once */
}

static tp_status load(struct alone *a, const char *path, tp_error *err)
{
    const tpi_sim_host_options options = {
        .seed = a->options->seed, .threads = a->options->threads, .note = output_note};

    world_report_loading(true);
    const tp_status status = tpi_sim_host_load(&a->host, path, &options, err);
    world_report_loading(false);
    return status;
}

/* ---- Running --------------------------------------------------------------------------------- */

/* Whether a picture shows what such a model does. What others sense is work for nothing. */
static bool is_shown(tpi_sim_kind kind)
{
    return kind == TPI_SIM_POSITION || kind == TPI_SIM_AIRCRAFT || kind == TPI_SIM_RANGER ||
           kind == TPI_SIM_GRIPPER || kind == TPI_SIM_ACTUATOR || kind == TPI_SIM_BLINKENLIGHT ||
           kind == TPI_SIM_LIGHTINDICATOR || kind == TPI_SIM_LIGHT;
}

static void subscribe_to_shown(tpi_sim *sim)
{
    for (tpi_sim_model i = 0; i < tpi_sim_model_count(sim); i++) {
        tpi_sim_info info;
        tpi_sim_model_info(sim, i, &info);
        if (is_shown(info.kind)) {
            tpi_sim_subscribe(sim, i);
        }
    }
}

static void make_step(struct alone *a)
{
    tpi_sim_host_step(&a->host);
    if (a->trails != NULL) {
        tpi_draw_trails_note(a->trails, a->host.world);
    }
    if (a->record != NULL) {
        sim_record_note(a->record, a->host.world);
    }
}

/* Until the time of a step, counted from the first; a speed of 0 waits for nothing. */
static void wait_for_step(const struct alone *a, uint64_t step, int64_t began_ns)
{
    if (a->options->speed > 0) {
        const double simulated_ns =
            (double)step * (double)tpi_sim_interval_us(a->host.world) * (double)TP_NS_PER_US;
        tpi_wait(NULL, 0, began_ns + (int64_t)(simulated_ns / a->options->speed));
    }
}

/* Until all are made, the world wants to end, or somebody interrupts. */
static uint64_t make_steps(struct alone *a, int64_t began_ns)
{
    const tpi_sim *sim = a->host.world;
    const int64_t quit_us = tpi_sim_quit_us(sim);
    const uint64_t most = a->options->has_steps ? a->options->steps : 1;
    uint64_t steps = 0;

    while (steps < most && !interrupted && (quit_us == 0 || tpi_sim_time_us(sim) < quit_us)) {
        make_step(a);
        wait_for_step(a, ++steps, began_ns);
    }
    return steps;
}

static void report(const tpi_sim *sim, uint64_t steps, int64_t took_ns)
{
    const double simulated_s = (double)tpi_sim_time_us(sim) * 1e-6;
    const double took_s = (double)took_ns * 1e-9;
    const int digits = took_s < 1e-3 ? 6 : took_s < 0.1 ? 4 : 2;

    printf("%s: %llu step%s, %.1f s of simulated time in %.*f s", tpi_sim_name(sim),
           (unsigned long long)steps, output_plural(steps), simulated_s, digits, took_s);
    if (took_s > 0 && steps > 0) {
        printf(", %.*f times real time", simulated_s < 10 * took_s ? 1 : 0, simulated_s / took_s);
    }
    printf("\n");
}

static tp_status make_picture(const struct alone *a, tp_error *err)
{
    tpi_draw_look look = a->options->look;

    look.trails = a->trails;
    return world_draw(a->host.world, &look, a->options->render, err);
}

static tp_status step_and_draw(struct alone *a, tp_error *err)
{
    const tp_clock *clock = tp_clock_real();
    const int64_t began_ns = tp_clock_now_ns(clock);
    tp_status status = TP_OK;

    if (a->options->render != NULL) {
        subscribe_to_shown(a->host.world);
        status = tpi_draw_trails_create(&a->trails, a->host.world, SIM_TRAIL, err);
    }
    if (status == TP_OK) {
        const uint64_t steps = make_steps(a, began_ns);
        if (a->options->has_steps && !a->options->quiet) {
            report(a->host.world, steps, tp_clock_now_ns(clock) - began_ns);
        }
    }
    return status == TP_OK && a->options->render != NULL ? make_picture(a, err) : status;
}

tp_status sim_alone_run(const sim_alone_options *options, const char *path, sim_record *record,
                        tp_error *err)
{
    struct alone a = {.options = options, .record = record};
    tp_status status = load(&a, path, err);

    if (status == TP_OK) {
        command_catch(SIGINT, on_signal);
        command_catch(SIGTERM, on_signal);
        status = step_and_draw(&a, err);
    }
    tpi_draw_trails_destroy(a.trails);
    tpi_sim_host_fini(&a.host);
    return status;
}
