/*
 * cmd_sim.c - troupe sim: a simulated world, without a configuration file.
 *
 * Either it is served, all its devices to everybody; or it makes some steps by itself, as fast as
 * it can, and is drawn.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "output.h"
#include "platform/crew.h"
#include "run_table.h"
#include "sim_record.h"
#include "sim_server.h"
#include "troupe/clock.h"
#include "worlds.h"

static const char name[] = "sim";

enum { TRAIL = 400, MOST_THREADS = 256 };

struct options {
    const char *world;
    const char *render; /* the picture; NULL for none */
    const char *record; /* where robots were; NULL for nothing */
    uint64_t steps;
    bool has_steps;
    uint32_t threads;
    uint64_t seed;
    double speed;
    bool lockstep;
    bool quiet;
    tp_server_options server;
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
    output_note(text);
}

/* ---- Loading --------------------------------------------------------------------------------- */

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
    world_loading(true);
    const tp_status status = tpi_sim_load(out, path, &options, err);
    world_loading(false);
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
static uint64_t make_steps(tpi_sim *sim, uint64_t most, tpi_draw_trails *trails, sim_record *record)
{
    const int64_t quit_us = tpi_sim_quit_us(sim);
    uint64_t steps = 0;

    while (steps < most && !interrupted && (quit_us == 0 || tpi_sim_time_us(sim) < quit_us)) {
        tpi_sim_step(sim);
        steps++;
        if (trails != NULL) {
            tpi_draw_trails_note(trails, sim);
        }
        if (record != NULL) {
            sim_record_note(record, sim);
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

static tp_status make_picture(const tpi_sim *sim, const struct options *o,
                              const tpi_draw_trails *trails, tp_error *err)
{
    tpi_draw_look look = o->look;

    look.trails = trails;
    return world_draw(sim, &look, o->render, err);
}

static tp_status step_and_draw(tpi_sim *sim, const struct options *o, sim_record *record,
                               tp_error *err)
{
    const tp_clock *clock = tp_clock_real();
    const int64_t began_ns = tp_clock_now_ns(clock);
    tpi_draw_trails *trails = NULL;
    tp_status status = TP_OK;

    if (o->render != NULL) {
        subscribe_to_all(sim);
        status = tpi_draw_trails_create(&trails, sim, TRAIL, err);
    }
    if (status == TP_OK) {
        const uint64_t steps = make_steps(sim, o->has_steps ? o->steps : 1, trails, record);
        if (o->has_steps && !o->quiet) {
            report(sim, steps, tp_clock_now_ns(clock) - began_ns);
        }
    }
    if (status == TP_OK && o->render != NULL) {
        status = make_picture(sim, o, trails, err);
    }
    tpi_draw_trails_destroy(trails);
    return status;
}

/* Without a server. */
static tp_status run_alone(const struct options *o, const char *path, sim_record *record,
                           tp_error *err)
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
        status = step_and_draw(sim, o, record, err);
    }
    tpi_sim_destroy(sim);
    tpi_crew_destroy(crew);
    return status;
}

/* ---- Serving --------------------------------------------------------------------------------- */

static tp_server *running; /* for the signal handler */

/* tp_server_stop() may be called from a signal handler; clang-tidy cannot know that. */
static void on_stop(int number) /* NOLINT(bugprone-signal-handler) */
{
    tp_server_stop(running); /* NOLINT(bugprone-signal-handler) */
    signal(number, SIG_DFL);
}

static void on_panic(int number) /* NOLINT(bugprone-signal-handler) */
{
    (void)number;
    tp_server_panic_by_signal(running); /* NOLINT(bugprone-signal-handler) */
}

/* On the world's thread. */
static void watch(void *context, const tpi_sim *sim)
{
    const int64_t quit_us = tpi_sim_quit_us(sim);

    if (context != NULL) {
        sim_record_note(context, sim);
    }
    if (quit_us > 0 && tpi_sim_time_us(sim) >= quit_us && running != NULL) {
        tp_server_stop(running);
    }
}

static void serve_until_end(const struct options *o, tp_server *server)
{
    running = server;
    command_catch(SIGINT, on_stop);
    command_catch(SIGTERM, on_stop);
    command_catch(SIGUSR1, on_panic);
    command_catch(SIGUSR2, on_panic); /* who takes the wrong one means it as well */
    if (!o->quiet) {
        sim_server_print_devices(server);
        run_table_print_places(server, &o->server, "position2d");
    }
    tp_server_begin(server);
    tp_server_run(server);
}

static tp_status serve(const struct options *o, const char *path, sim_record *record, tp_error *err)
{
    const sim_server_options options = {.world = path,
                                        .speed = o->speed,
                                        .seed = o->seed,
                                        .threads = o->threads,
                                        .lockstep = o->lockstep,
                                        .server = o->server,
                                        .watch = watch,
                                        .context = record};
    tp_server *server = NULL;

    tp_server_raise_limits();
    const tp_status status = sim_server_create(&server, &options, err);
    if (status == TP_OK) {
        serve_until_end(o, server);
    }
    tp_server_destroy(server);
    running = NULL;
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

static int read_speed(struct options *o, const char *text)
{
    char *end = NULL;

    o->speed = strtod(text, &end);
    if (end == text || *end != '\0' || !(o->speed >= 0 && o->speed <= 1e6)) {
        return command_fail(name, EXIT_USAGE, "\"%s\" is no speed", text);
    }
    return EXIT_DONE;
}

static int read_port(struct options *o, const char *text)
{
    uint64_t value = 0;
    const int result = read_whole("port", text, 65535, &value);

    o->server.port = (unsigned)value;
    o->server.any_port = o->server.any_port || (result == EXIT_DONE && value == 0);
    return result;
}

static int read_steps(struct options *o, const char *text)
{
    o->has_steps = true;
    return read_whole("number of steps", text, UINT64_MAX, &o->steps);
}

static int read_seed(struct options *o, const char *text)
{
    return read_whole("seed", text, INT64_MAX, &o->seed);
}

static int read_record(struct options *o, const char *text)
{
    o->record = text;
    return EXIT_DONE;
}

static int read_listen(struct options *o, const char *text)
{
    o->server.listen = text;
    return EXIT_DONE;
}

static const struct {
    const char *name;
    int (*read)(struct options *o, const char *text);
} valued[] = {
    {"--render", read_render}, {"--size", read_size},     {"--threads", read_threads},
    {"--seed", read_seed},     {"--steps", read_steps},   {"--speed", read_speed},
    {"--record", read_record}, {"--listen", read_listen}, {"--port", read_port},
    {"-p", read_port},
};

/* The option at argv[*i], with its value behind it if it has one; an exit code. */
static int read_option(struct options *o, int argc, char **argv, int *i)
{
    const char *option = argv[*i];
    bool *const flag = strcmp(option, "--dark") == 0       ? &o->look.dark
                       : strcmp(option, "--lockstep") == 0 ? &o->lockstep
                       : strcmp(option, "--any-port") == 0 ? &o->server.any_port
                       : strcmp(option, "--quiet") == 0    ? &o->quiet
                       : strcmp(option, "-q") == 0         ? &o->quiet
                                                           : NULL;

    if (flag != NULL) {
        *flag = true;
        return EXIT_DONE;
    }
    for (size_t k = 0; k < sizeof valued / sizeof valued[0]; k++) {
        if (strcmp(option, valued[k].name) == 0) {
            const char *value = command_value(name, argc, argv, i);
            return value == NULL ? EXIT_USAGE : valued[k].read(o, value);
        }
    }
    if (option[0] == '-' || o->world != NULL) {
        return command_fail(name, EXIT_USAGE, "unexpected \"%s\"", option);
    }
    o->world = option;
    return EXIT_DONE;
}

static int read_options(struct options *o, int argc, char **argv)
{
    int result = EXIT_DONE;

    for (int i = 0; i < argc && result == EXIT_DONE; i++) {
        result = read_option(o, argc, argv, &i);
    }
    if (result == EXIT_DONE && o->world == NULL) {
        return command_fail(name, EXIT_USAGE, "which world?");
    }
    return result;
}

static tp_status run_world(const struct options *o, tp_error *err)
{
    sim_record *record = NULL;
    tpi_buf path = {0};
    tp_status status = world_find(&path, o->world, err);

    if (status == TP_OK && o->record != NULL) {
        status = sim_record_open(&record, o->record, err);
    }
    if (status == TP_OK) {
        status = o->has_steps || o->render != NULL ? run_alone(o, tpi_buf_text(&path), record, err)
                                                   : serve(o, tpi_buf_text(&path), record, err);
    }
    const tp_status closed = sim_record_close(record, status == TP_OK ? err : NULL);
    tpi_buf_fini(&path);
    return status == TP_OK ? closed : status;
}

static int run(int argc, char **argv)
{
    struct options o = {
        .threads = 1, .seed = 1, .speed = 1, .server = {.kit = &tp_full_kit, .note = print_note}};
    tp_error err = {0};
    const int result = read_options(&o, argc, argv);

    if (result != EXIT_DONE) {
        return result;
    }
    worlds_share();
    return run_world(&o, &err) == TP_OK ? EXIT_DONE
                                        : command_fail(name, EXIT_FAILED, "%s", err.text);
}

const command command_sim = {
    .name = name,
    .summary = "run a simulated world, or draw it",
    .help =
        "usage: troupe sim WORLD [options]\n"
        "\n"
        "Runs a world (a file for Stage, or the name of one of ours: office, cave ...) and offers\n"
        "the devices of all its models, without a configuration file, until it is interrupted or\n"
        "the world's quit_time comes. With --steps or --render it runs by itself instead.\n"
        "\n"
        "  --speed X         simulated seconds for each real second (1); 0: as fast as it can\n"
        "  --lockstep        time moves only when all who have the device world:0 open ask for it\n"
        "  --threads N       use so many threads; the results are the same (1)\n"
        "  --seed N          what all noise follows from (1)\n"
        "  --record FILE     write where every robot was after each step, as CSV\n"
        "  -p, --port PORT   listen on this port (6665)\n"
        "  --any-port        listen on a port that the system chooses, and print it\n"
        "  --listen HOST     listen on this address instead of 127.0.0.1; * for all\n"
        "  -q, --quiet       print no table of devices\n"
        "  --steps N         make N steps, as fast as possible, and end\n"
        "  --render FILE     draw the world to FILE.png or FILE.svg: after the steps, or at the\n"
        "                    beginning\n"
        "  --size WxH        of the picture, in pixels\n"
        "  --dark            light on dark\n"
        "\n"
        "Examples: troupe sim office\n"
        "          troupe sim cave --steps 600 --render cave.png\n",
    .run = run,
};
