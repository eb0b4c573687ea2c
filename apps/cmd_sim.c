/* cmd_sim.c - troupe sim: a simulated world, without a configuration file. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "platform/crew.h"
#include "troupe/clock.h"
#include "worlds.h"

static const char name[] = "sim";

enum { TRAIL = 400, MOST_THREADS = 256, LOADING_S = 2 };

struct options {
    const char *world;
    const char *render;
    uint64_t steps;
    bool has_steps;
    uint32_t threads;
    uint64_t seed;
    tpi_draw_look look;
};

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    interrupted = 1;
    signal(number, SIG_DFL); /* whoever does not want to wait for the end asks twice */
}

static void print_note(void *context, const char *text)
{
    (void)context;
    fprintf(stderr, "%s\n", text);
}

/* ---- Loading --------------------------------------------------------------------------------- */

/* Says that it is still at work, every two seconds. */
static void on_alarm(int number)
{
    static const char text[] = "troupe sim: still loading the world\n";

    (void)number;
    if (write(STDERR_FILENO, text, sizeof text - 1) > 0) {
        alarm(LOADING_S);
    }
}

static void run_crew(void *context, tpi_sim_work *work, void *argument, uint32_t count)
{
    tpi_crew_run(context, work, argument, count);
}

static tp_status load(tpi_sim **out, const char *path, const struct options *o, tpi_crew *crew,
                      tp_error *err)
{
    tpi_sim_options options = {.seed = o->seed, .path = getenv("STAGEPATH"), .note = print_note};

    if (crew != NULL) {
        options.crew = (tpi_sim_crew){o->threads, run_crew, crew};
    }
    command_catch(SIGALRM, on_alarm);
    alarm(LOADING_S);
    const tp_status status = tpi_sim_load(out, path, &options, err);
    alarm(0);
    return status;
}

/* ---- Running --------------------------------------------------------------------------------- */

static void subscribe_to_all(tpi_sim *sim)
{
    for (tpi_sim_model i = 0; i < tpi_sim_model_count(sim); i++) {
        tpi_sim_subscribe(sim, i);
    }
}

/* As fast as it can, until all steps are made, the world wants to end, or somebody interrupts. */
static uint64_t make_steps(tpi_sim *sim, uint64_t most, tpi_draw_trails *trails)
{
    const int64_t quit_us = tpi_sim_quit_us(sim);
    uint64_t steps = 0;

    while (steps < most && !interrupted && (quit_us == 0 || tpi_sim_time_us(sim) < quit_us)) {
        tpi_sim_step(sim);
        steps++;
        if (trails != NULL) {
            tpi_draw_trails_note(trails, sim);
        }
    }
    return steps;
}

static void report(const tpi_sim *sim, uint64_t steps, int64_t took_ns)
{
    const double simulated_s = (double)tpi_sim_time_us(sim) * 1e-6;
    const double took_s = (double)took_ns * 1e-9;

    printf("%s: %llu steps, %.1f s of simulated time in %.2f s", tpi_sim_name(sim),
           (unsigned long long)steps, simulated_s, took_s);
    if (took_s > 0) {
        printf(", %.0f times real time", simulated_s / took_s);
    }
    printf("\n");
}

static tp_status step_and_draw(tpi_sim *sim, const struct options *o, tp_error *err)
{
    const tp_clock *clock = tp_clock_real();
    const int64_t began_ns = tp_clock_now_ns(clock);
    tpi_draw_look look = o->look;
    tpi_draw_trails *trails = NULL;
    tp_status status = TP_OK;

    if (o->render != NULL) {
        subscribe_to_all(sim);
        status = tpi_draw_trails_create(&trails, sim, TRAIL, err);
    }
    if (status == TP_OK) {
        const uint64_t steps = make_steps(sim, o->has_steps ? o->steps : 1, trails);
        if (o->has_steps) {
            report(sim, steps, tp_clock_now_ns(clock) - began_ns);
        }
    }
    if (status == TP_OK && o->render != NULL) {
        look.trails = trails;
        status = world_draw(sim, &look, o->render, err);
    }
    tpi_draw_trails_destroy(trails);
    return status;
}

/* Without a server. */
static tp_status run_alone(const struct options *o, const char *path, tp_error *err)
{
    tpi_crew *crew = NULL;
    tpi_sim *sim = NULL;
    tp_status status = TP_OK;

    if (o->threads > 1) {
        status = tpi_crew_create(&crew, o->threads, "sim", err);
    }
    if (status == TP_OK) {
        status = load(&sim, path, o, crew, err);
    }
    if (status == TP_OK) {
        command_catch(SIGINT, on_signal);
        command_catch(SIGTERM, on_signal);
        status = step_and_draw(sim, o, err);
    }
    tpi_sim_destroy(sim);
    tpi_crew_destroy(crew);
    return status;
}

/* ---- Command line ---------------------------------------------------------------------------- */

static int read_whole(const char *what, const char *text, uint64_t most, uint64_t *value)
{
    char *end = NULL;

    *value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || *value > most) {
        return command_fail(name, EXIT_USAGE, "\"%s\" is no %s", text, what);
    }
    return EXIT_DONE;
}

/* 800x600 */
static int read_size(struct options *o, const char *text)
{
    char end;

    if (sscanf(text, "%5ux%5u%c", &o->look.width, &o->look.height, &end) != 2 ||
        o->look.width == 0 || o->look.height == 0) {
        return command_fail(name, EXIT_USAGE, "\"%s\" is no size, as 800x600 is", text);
    }
    return EXIT_DONE;
}

static int read_render(struct options *o, const char *text)
{
    o->render = text;
    return world_is_picture(text)
               ? EXIT_DONE
               : command_fail(name, EXIT_USAGE, "\"%s\" is neither .png nor .svg", text);
}

static int read_threads(struct options *o, const char *text)
{
    uint64_t value = 0;
    const int result = read_whole("number of threads", text, MOST_THREADS, &value);

    o->threads = value > 0 ? (uint32_t)value : 1;
    return result;
}

/* An option with a value at argv[*i]; an exit code. */
static int read_valued(struct options *o, int argc, char **argv, int *i)
{
    const char *option = argv[*i];
    const char *value = command_value(name, argc, argv, i);

    if (value == NULL) {
        return EXIT_USAGE;
    }
    if (strcmp(option, "--render") == 0) {
        return read_render(o, value);
    }
    if (strcmp(option, "--size") == 0) {
        return read_size(o, value);
    }
    if (strcmp(option, "--threads") == 0) {
        return read_threads(o, value);
    }
    if (strcmp(option, "--seed") == 0) {
        return read_whole("seed", value, UINT64_MAX, &o->seed);
    }
    o->has_steps = true;
    return read_whole("number of steps", value, UINT64_MAX, &o->steps);
}

static bool takes_value(const char *option)
{
    static const char *const valued[] = {"--render", "--size", "--threads", "--seed", "--steps"};

    for (size_t i = 0; i < sizeof valued / sizeof valued[0]; i++) {
        if (strcmp(option, valued[i]) == 0) {
            return true;
        }
    }
    return false;
}

static int read_options(struct options *o, int argc, char **argv)
{
    int result = EXIT_DONE;

    for (int i = 0; i < argc && result == EXIT_DONE; i++) {
        if (takes_value(argv[i])) {
            result = read_valued(o, argc, argv, &i);
        } else if (strcmp(argv[i], "--dark") == 0) {
            o->look.dark = true;
        } else if (argv[i][0] == '-' || o->world != NULL) {
            result = command_fail(name, EXIT_USAGE, "unexpected \"%s\"", argv[i]);
        } else {
            o->world = argv[i];
        }
    }
    if (result == EXIT_DONE && o->world == NULL) {
        return command_fail(name, EXIT_USAGE, "which world?");
    }
    return result;
}

static int run(int argc, char **argv)
{
    struct options o = {.threads = 1};
    tpi_buf path = {0};
    tp_error err = {0};
    const int result = read_options(&o, argc, argv);

    if (result != EXIT_DONE) {
        return result;
    }
    tp_status status = world_find(&path, o.world, &err);
    if (status == TP_OK) {
        status = run_alone(&o, tpi_buf_text(&path), &err);
    }
    tpi_buf_fini(&path);
    return status == TP_OK ? EXIT_DONE : command_fail(name, EXIT_FAILED, "%s", err.text);
}

const command command_sim = {
    .name = name,
    .summary = "run a simulated world, or draw it",
    .help = "usage: troupe sim WORLD [options]\n"
            "\n"
            "  --steps N         make N steps, as fast as possible, and end\n"
            "  --render FILE     draw the world to FILE.png or FILE.svg: after the steps, or at\n"
            "                    the beginning\n"
            "  --size WxH        of the picture, in pixels\n"
            "  --dark            light on dark\n"
            "  --threads N       use so many threads; the results are the same\n"
            "  --seed N          what all noise follows from\n",
    .run = run,
};
