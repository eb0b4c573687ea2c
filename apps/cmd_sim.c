/*
 * cmd_sim.c - troupe sim: a simulated world, without a configuration file.
 *
 * It is served, all its devices to everybody, until somebody ends it or its steps are made. Who
 * wants steps or a picture, and nothing that only a server can do, gets them without one
 * (sim_alone.h).
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "commands.h"
#include "crash.h"
#include "output.h"
#include "run_table.h"
#include "sim/host/served.h"
#include "sim_alone.h"
#include "sim_record.h"
#include "sim_server.h"
#include "worlds.h"

static const char name[] = "sim";

struct options {
    const char *world;
    const char *record; /* where robots were; NULL for nothing */
    bool has_speed;
    bool lockstep;
    bool has_port;     /* one that the user chose */
    uint64_t expected; /* how many take part in lockstep; 0 for all that are there */
    tp_server_options server;
    sim_alone_options alone; /* what both ways have in common is here as well */

    /* The first option that only serving, or only drawing, has a use for; NULL for none. */
    const char *serving;
    const char *drawing;
};

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

/* What a served world leaves behind. */
struct results {
    const struct options *options; /* borrowed */
    sim_record *record;            /* borrowed; may be NULL */
    tpi_draw_trails *trails;       /* owned; NULL without a picture */
    tp_status status;
    tp_error *err; /* borrowed */
};

/* On the world's thread. */
static void keep(void *context, const tpi_sim *sim)
{
    struct results *results = context;

    if (results->options->alone.render != NULL) {
        world_note_trails(&results->trails, sim, SIM_TRAIL);
    }
    if (results->record != NULL) {
        sim_record_note(results->record, sim);
    }
}

static void draw_last(void *context, const tpi_sim *sim)
{
    struct results *results = context;
    const sim_alone_options *o = &results->options->alone;
    tpi_draw_look look = o->look;

    look.trails = results->trails;
    if (o->render != NULL) {
        results->status = world_draw(sim, &look, o->render, results->err);
    }
}

static void serve_until_end(const struct options *o, const sim_server *served)
{
    tp_server *server = sim_server_get(served);

    running = server;
    command_catch(SIGINT, on_stop);
    command_catch(SIGTERM, on_stop);
    command_catch(SIGUSR1, on_panic);
    command_catch(SIGUSR2, on_panic); /* a user who takes the wrong one means it too */
    if (!o->alone.quiet) {
        sim_server_print_devices(served);
        run_table_print_places(server, &o->server, "position2d");
    } else {
        run_table_print_odd(server, &o->server);
    }
    tp_server_begin(server);
    tp_server_run(server);
}

static tp_status serve(const struct options *o, const char *path, sim_record *record, tp_error *err)
{
    struct results results = {.options = o, .record = record, .status = TP_OK, .err = err};
    const sim_server_options options = {.world = path,
                                        .speed = o->has_speed ? o->alone.speed : 1,
                                        .seed = o->alone.seed,
                                        .threads = o->alone.threads,
                                        .lockstep = o->lockstep,
                                        .expected = (uint32_t)o->expected,
                                        .steps = o->alone.steps,
                                        .server = o->server,
                                        .note = output_note,
                                        .watch = keep,
                                        .finished = draw_last,
                                        .context = &results};
    sim_server *served = NULL;

    tp_server_raise_limits();
    const tp_status status = sim_server_create(&served, &options, err);
    if (status == TP_OK) {
        serve_until_end(o, served);
    }
    sim_server_destroy(served);
    tpi_draw_trails_destroy(results.trails);
    running = NULL;
    return status == TP_OK ? results.status : status;
}

/* ---- Command line ---------------------------------------------------------------------------- */

/* 800x600 */
static int read_size(struct options *o, const char *text)
{
    enum { MOST = 99999 };
    unsigned *width = &o->alone.look.width;
    unsigned *height = &o->alone.look.height;
    char end;

    if (sscanf(text, "%9ux%9u%c", width, height, &end) != 2 || *width == 0 || *height == 0) {
        return command_fail(name, EXIT_USAGE, "\"%s\" is no size, as 800x600 is", text);
    }
    return *width <= MOST && *height <= MOST
               ? EXIT_DONE
               : command_fail(name, EXIT_USAGE, "\"%s\" is no size: %d is the most", text, MOST);
}

static int read_render(struct options *o, const char *text)
{
    o->alone.render = text;
    return world_is_picture(text)
               ? EXIT_DONE
               : command_fail(name, EXIT_USAGE, "\"%s\" is neither .png nor .svg", text);
}

static int read_threads(struct options *o, const char *text)
{
    uint64_t value = 0;
    const int result =
        command_read_whole(name, "number of threads", text, 1, TPI_SIM_MOST_THREADS, &value);

    o->alone.threads = (uint32_t)value;
    return result;
}

static int read_speed(struct options *o, const char *text)
{
    char *end = NULL;

    o->has_speed = true;
    o->alone.speed = strtod(text, &end);
    if (end == text || *end != '\0' ||
        !(o->alone.speed >= 0 && o->alone.speed <= TPI_SIM_FASTEST)) {
        return command_fail(name, EXIT_USAGE, "\"%s\" is no speed", text);
    }
    return EXIT_DONE;
}

static int read_port(struct options *o, const char *text)
{
    uint64_t value = 0;
    const int result = command_read_whole(name, "port", text, 0, 65535, &value);

    o->server.port = (unsigned)value;
    o->server.any_port = o->server.any_port || (result == EXIT_DONE && value == 0);
    o->has_port = value != 0;
    return result;
}

static int read_steps(struct options *o, const char *text)
{
    o->alone.has_steps = true;
    return command_read_whole(name, "number of steps", text, 0, UINT64_MAX, &o->alone.steps);
}

static int read_seed(struct options *o, const char *text)
{
    return command_read_whole(name, "seed", text, 0, INT64_MAX, &o->alone.seed);
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

static int set_dark(struct options *o, const char *text)
{
    (void)text;
    o->alone.look.dark = true;
    return EXIT_DONE;
}

/* With how many, or "". */
static int set_lockstep(struct options *o, const char *text)
{
    o->lockstep = true;
    return text[0] == '\0' ? EXIT_DONE
                           : command_read_whole(name, "number of participants", text, 1,
                                                TPI_SIM_MOST_EXPECTED, &o->expected);
}

static int set_any_port(struct options *o, const char *text)
{
    (void)text;
    o->server.any_port = true;
    return EXIT_DONE;
}

static int set_no_web(struct options *o, const char *text)
{
    (void)text;
    o->server.no_page = true;
    return EXIT_DONE;
}

static int set_quiet(struct options *o, const char *text)
{
    (void)text;
    o->alone.quiet = true;
    return EXIT_DONE;
}

/* What an option is for. */
enum use { ANY, SERVING, DRAWING };

/* What follows it. */
enum value { NOTHING, VALUE, PERHAPS_NUMBER };

static const struct known {
    const char *name;
    int (*read)(struct options *o, const char *text);
    enum value value;
    enum use use;
} known[] = {
    {"--render", read_render, VALUE, ANY},
    {"--size", read_size, VALUE, DRAWING},
    {"--dark", set_dark, NOTHING, DRAWING},
    {"--threads", read_threads, VALUE, ANY},
    {"--seed", read_seed, VALUE, ANY},
    {"--steps", read_steps, VALUE, ANY},
    {"--record", read_record, VALUE, ANY},
    {"--quiet", set_quiet, NOTHING, ANY},
    {"-q", set_quiet, NOTHING, ANY},
    {"--speed", read_speed, VALUE, ANY},
    {"--lockstep", set_lockstep, PERHAPS_NUMBER, SERVING},
    {"--listen", read_listen, VALUE, SERVING},
    {"--port", read_port, VALUE, SERVING},
    {"-p", read_port, VALUE, SERVING},
    {"--any-port", set_any_port, NOTHING, SERVING},
    {"--no-web", set_no_web, NOTHING, SERVING},
};

/* The next argument if it is a number, otherwise "". */
static const char *number_behind(int argc, char **argv, int *i)
{
    const char *next = *i + 1 < argc ? argv[*i + 1] : "";

    if (next[0] == '\0' || next[strspn(next, "0123456789")] != '\0') {
        return "";
    }
    (*i)++;
    return next;
}

/* The option at argv[*i], with its value behind it if it has one; an exit code. */
static int read_known(struct options *o, const struct known *k, int argc, char **argv, int *i)
{
    const char *value = k->value == VALUE            ? command_value(name, argc, argv, i)
                        : k->value == PERHAPS_NUMBER ? number_behind(argc, argv, i)
                                                     : "";

    if (k->use == SERVING && o->serving == NULL) {
        o->serving = k->name;
    } else if (k->use == DRAWING && o->drawing == NULL) {
        o->drawing = k->name;
    }
    return value == NULL ? EXIT_USAGE : k->read(o, value);
}

static int unexpected(const char *option)
{
    tpi_nearest nearest;

    tpi_nearest_init(&nearest, option + strspn(option, "-"));
    for (size_t k = 0; option[0] == '-' && k < sizeof known / sizeof known[0]; k++) {
        tpi_nearest_offer(&nearest, known[k].name + strspn(known[k].name, "-"));
    }
    return command_unexpected(name, option, nearest.best);
}

static int read_option(struct options *o, int argc, char **argv, int *i)
{
    const char *option = argv[*i];

    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        if (strcmp(option, known[k].name) == 0) {
            return read_known(o, &known[k], argc, argv, i);
        }
    }
    if (option[0] == '-' || o->world != NULL) {
        return unexpected(option);
    }
    o->world = option;
    return EXIT_DONE;
}

static bool runs_alone(const struct options *o)
{
    return (o->alone.has_steps || o->alone.render != NULL) && o->serving == NULL;
}

/* What makes no sense together is better told than ignored. */
static int check_options(const struct options *o)
{
    if (o->world == NULL) {
        return command_fail(name, EXIT_USAGE, "which world?");
    }
    if (o->serving != NULL && o->alone.has_steps && o->alone.steps == 0) {
        return command_fail(name, EXIT_USAGE,
                            "%s is for a server, and with --steps 0 there is none", o->serving);
    }
    if (o->has_port && o->server.any_port) {
        return command_fail(name, EXIT_USAGE,
                            "--port %u and --any-port do not go together: one of them chooses",
                            o->server.port);
    }
    if (o->drawing != NULL && o->alone.render == NULL) {
        return command_fail(name, EXIT_USAGE, "%s is for a picture: with --render FILE",
                            o->drawing);
    }
    return EXIT_DONE;
}

static int read_options(struct options *o, int argc, char **argv)
{
    int result = EXIT_DONE;

    for (int i = 0; i < argc && result == EXIT_DONE; i++) {
        result = read_option(o, argc, argv, &i);
    }
    return result == EXIT_DONE ? check_options(o) : result;
}

static tp_status run_world(const struct options *o, tp_error *err)
{
    sim_record *record = NULL;
    tpi_buf path = {0};
    tp_status status = world_find(&path, o->world, err);

    if (status == TP_OK && o->alone.render != NULL) {
        status = world_check_file(o->alone.render, err);
    }
    if (status == TP_OK && o->record != NULL) {
        status = sim_record_open(&record, o->record, err);
    }
    if (status == TP_OK) {
        status = runs_alone(o) ? sim_alone_run(&o->alone, tpi_buf_text(&path), record, err)
                               : serve(o, tpi_buf_text(&path), record, err);
    }
    const tp_status closed = sim_record_close(record, status == TP_OK ? err : NULL);
    tpi_buf_fini(&path);
    return status == TP_OK ? closed : status;
}

static int run(int argc, char **argv)
{
    struct options o = {.server = {.size = sizeof o.server,
                                   .kit = &tp_full_kit,
                                   .note = output_note,
                                   .usual_fronts = true},
                        .alone = {.threads = 1, .seed = 1}};
    tp_error err = {0};
    const int result = read_options(&o, argc, argv);

    if (result != EXIT_DONE) {
        return result;
    }
    crash_catch(NULL);
    return run_world(&o, &err) == TP_OK ? EXIT_DONE
                                        : command_fail(name, EXIT_FAILED, "%s", err.text);
}

const command command_sim = {
    .name = name,
    .summary = "run a simulated world, or draw it",
    .help =
        "usage: troupe sim WORLD [options]                 serve it\n"
        "       troupe sim WORLD --steps N [options]       run it without a server\n"
        "       troupe sim WORLD --render FILE [options]   draw it\n"
        "\n"
        "Runs a world: a file in Stage's format, or a built-in world: office, cave, classroom,\n"
        "demo, light, swarm, track, warehouse. It serves the devices of all models, without a\n"
        "configuration file, until it is interrupted or the world's quit_time is reached. It\n"
        "prints the address of its page: http://localhost:9665/, or the next port that is free.\n"
        "With --steps or --render, it runs without a server, unless an option asks for one.\n"
        "\n"
        "  --speed X         simulated seconds per real second; 0: as fast as possible (1 with a\n"
        "                    server, 0 without)\n"
        "  --threads N       number of threads (1); the results are the same for any number\n"
        "  --seed N          seed of all random numbers (1)\n"
        "  --record FILE     write the state of every robot after each step, as lines\n"
        "                    time,robot,x,y,heading,vx,vy,turn,stalled (s, m, rad, m/s, rad/s)\n"
        "  -q, --quiet       print neither the table of devices nor the speed\n"
        "\n"
        "With a server:\n"
        "  --lockstep [N]    time moves only when all clients of the device world:0 ask for it;\n"
        "                    with N, it starts when there are N of them\n"
        "  -p, --port PORT   listen on this port (6665)\n"
        "  --any-port        listen on a port that the system chooses, and print it; the same as\n"
        "                    --port 0\n"
        "  --listen HOST     listen on this address instead of 127.0.0.1; * for all\n"
        "  --no-web          open no page\n"
        "\n"
        "Without a server:\n"
        "  --steps N         make N steps, or fewer if the world's quit_time comes first, and "
        "end;\n"
        "                    a server ends then, too\n"
        "  --render FILE     draw the world to FILE.png or FILE.svg: after the steps, at the\n"
        "                    beginning without --steps, or when a server ends\n"
        "  --size WxH        size of the picture in pixels (that of the world's window)\n"
        "  --dark            draw light on dark\n"
        "\n"
        "Examples: troupe sim office\n"
        "          troupe sim my.world --speed 5 --record where.csv\n"
        "          troupe sim cave --steps 600 --render cave.png\n"
        "          troupe sim swarm --steps 3000 --threads 2 --record swarm.csv\n",
    .run = run,
};
