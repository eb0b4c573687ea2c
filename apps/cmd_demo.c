/*
 * cmd_demo.c - troupe demo: robots explore a world of ours, live on the terminal.
 *
 * The same process serves all devices of the world, so that other commands can look at them while
 * it runs. A timer on the server's loop looks for keys and signals, orders pictures of the world
 * (demo_frame.h) and shows them (demo_screen.h). Every way out leads through the end of the server,
 * which keeps a last picture of the world in a file.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "browser.h"
#include "called.h"
#include "cast.h"
#include "commands.h"
#include "crash.h"
#include "demo_drive.h"
#include "demo_hints.h"
#include "demo_house.h"
#include "demo_lines.h"
#include "demo_options.h"
#include "demo_screen.h"
#include "output.h"
#include "sim/host/host.h"
#include "sim_server.h"
#include "terminal.h"
#include "typed.h"
#include "worlds.h"

static const char name[] = "demo";

enum { TICK_MS = 66, FAILED_BY_SIGNAL = 130 };

struct demo {
    struct demo_options options;
    bool is_house;      /* nobody has named a world: it is that of demo.cfg */
    bool is_config;     /* the user has named a configuration with a world */
    const char *driver; /* borrowed: of the world in it */
    struct demo_house house;
    cast *cast;          /* owned; NULL unless it is the house */
    tpi_buf page;        /* owned: the URL of the page; empty for none */
    bool moved;          /* the usual port belongs to somebody else */
    sim_server *served;  /* owned */
    tp_server *server;   /* borrowed: that of `served` */
    demo_frame *frame;   /* owned */
    tp_timer *timer;     /* owned */
    tpi_buf notes;       /* of the server; written by its loop */
    tpi_buf world_notes; /* written by the thread of the world */
    struct demo_screen screen;
    struct demo_picture picture;
    struct demo_crew crew; /* owned */
    struct demo_drive drive;
    struct typed typed;
};

static volatile sig_atomic_t interrupted;

/* A second signal ends it without the last picture. */
static void on_signal(int number)
{
    (void)number;
    if (interrupted) {
        terminal_restore();
        _exit(FAILED_BY_SIGNAL);
    }
    interrupted = 1;
    output_stop();
}

/* Notes wait until the terminal is free again. */
static void keep_note(void *context, const char *text)
{
    tpi_buf_printf(context, "%s\n", text);
}

/* ---- While it runs --------------------------------------------------------------------------- */

/* Whether it is one that ends the demo. */
static bool take_key(struct demo *demo, int key, int64_t came_ns)
{
    if (key == 'q' || key == 'Q' || key == TYPED_ESCAPE) {
        return true;
    }
    demo_drive_key(&demo->drive, demo->server, key, came_ns);
    return false;
}

static bool take_keys(struct demo *demo, int64_t now_ns)
{
    const int64_t came_ns = typed_came_ns(&demo->typed, now_ns);
    bool end = false;

    for (int byte = terminal_key(); byte >= 0 && !end; byte = terminal_key()) {
        end = take_key(demo, typed_byte(&demo->typed, (unsigned char)byte, now_ns), came_ns);
    }
    return end || take_key(demo, typed_pause(&demo->typed, now_ns), came_ns);
}

static bool wants_end(struct demo *demo)
{
    return interrupted ||
           (!demo->options.headless && take_keys(demo, tp_clock_now_ns(tp_clock_real())));
}

/* Show the picture that was ordered, and order the next one. Ends quietly if the terminal is gone.
 */
static tp_status draw(struct demo *demo)
{
    uint32_t width = 0;
    uint32_t height = 0;
    tp_status status = TP_OK;

    const uint32_t chosen = demo->screen.chosen = demo->drive.chosen;
    const bool fits = demo_screen_measure(&demo->screen, &width, &height);
    const bool taken = demo_frame_take(demo->frame, &demo->picture, &status);
    if (fits && status == TP_OK && (taken || demo_screen_is_new(&demo->screen))) {
        status = demo_screen_show(&demo->screen, &demo->picture);
    }
    if (fits) {
        demo_frame_order(demo->frame, width, height, chosen / DEMO_ROBOTS * DEMO_ROBOTS);
    }
    return status;
}

/* Without a terminal it is reported as it comes. */
static void print_panic(const struct demo_screen *screen)
{
    tpi_buf out = {0};

    if (screen->panic) {
        demo_lines_put_panic(&out, SIZE_MAX, screen->panic_who, screen->panic_why);
    }
    printf("%s\n", screen->panic ? tpi_buf_text(&out) + 1 : "the panic is over");
    fflush(stdout);
    tpi_buf_fini(&out);
}

static void look_for_panic(struct demo *demo)
{
    const bool before = demo->screen.panic;
    tp_panic_state *panic = NULL;

    if (tp_hub_panic(tp_server_hub(demo->server), &panic) == TP_OK) {
        demo_screen_set_panic(&demo->screen, panic);
        free(panic);
    }
    if (demo->options.headless && before != demo->screen.panic) {
        print_panic(&demo->screen);
    }
}

static void tick(void *context)
{
    struct demo *demo = context;

    look_for_panic(demo);
    if (wants_end(demo) || (!demo->options.headless && draw(demo) != TP_OK)) {
        tp_server_stop(demo->server);
    }
    demo_drive_tick(&demo->drive, tp_clock_now_ns(tp_clock_real()));
    if (demo->is_house) {
        demo_house_tick(&demo->house, tp_clock_now_ns(tp_clock_real()));
    }
}

/* ---- From the beginning to the end ----------------------------------------------------------- */

static void on_watch(void *context, const tpi_sim *sim)
{
    demo_frame_watch(((struct demo *)context)->frame, sim);
}

static void on_act(void *context, tpi_sim *sim)
{
    cast_step(((struct demo *)context)->cast, sim);
}

static void on_finished(void *context, const tpi_sim *sim)
{
    demo_frame_save(((struct demo *)context)->frame, sim);
}

/* What a configuration has more than a world. */
static void add_house(struct demo *demo, sim_server_options *options)
{
    options->config = tpi_buf_text(&demo->house.text);
    options->config_path = tpi_buf_text(&demo->house.path);
    options->server.kit = cast_kit(demo->cast);
    options->server.program = called_program();
    options->server.usual_fronts = demo->is_config;
    options->driver = demo->driver;
    options->act = on_act;
}

/* On the usual port, unless somebody else is there. */
static tp_status create_server(struct demo *demo, const char *path, tp_error *err)
{
    sim_server_options options = {
        .world = path,
        .speed = demo->options.speed,
        .seed = demo->options.seed,
        .threads = demo->options.threads,
        .seconds = demo->options.seconds,
        .server = {.kit = &tp_full_kit, .note = keep_note, .note_context = &demo->notes},
        .note = keep_note,
        .note_context = &demo->world_notes,
        .watch = on_watch,
        .finished = on_finished,
        .context = demo};

    if (demo->is_house || demo->is_config) {
        add_house(demo, &options);
    }
    tp_status status = sim_server_create(&demo->served, &options, err);

    if (status == TP_E_IO || status == TP_E_EXISTS) {
        tpi_buf_clear(&demo->world_notes); /* they come again */
        options.server.any_port = demo->moved = true;
        status = sim_server_create(&demo->served, &options, err);
    }
    demo->server = status == TP_OK ? sim_server_get(demo->served) : NULL;
    if (demo->server != NULL) {
        demo_name_server(demo->server);
    }
    return status;
}

/* Robots that the simulator does not move itself, and the page. */
static tp_status furnish(struct demo *demo, tp_error *err)
{
    cast_set_world(demo->cast, sim_server_world(demo->served));
    demo_house_set_stage(&demo->house, demo->server);
    demo_house_put_page(&demo->page, demo->server);
    return demo_house_add_crew(&demo->house, &demo->crew, err);
}

/* The world, and the configuration of those that have one. */
static tp_status find_world(struct demo *demo, tpi_buf *path, tp_error *err)
{
    const bool plain = !demo->is_house && !demo->is_config;
    tp_status status = TP_OK;

    if (demo->is_config) {
        status = demo_house_read(&demo->house, demo->options.world, path, &demo->driver, err);
    } else {
        status = world_find(path, demo->options.world, err);
    }
    if (status == TP_OK && demo->is_house) {
        status = demo_house_init(&demo->house, err);
    }
    if (status == TP_OK && !plain) {
        demo_house_set_speed(&demo->house, demo->options.speed);
    }
    return status == TP_OK && !plain ? cast_create(&demo->cast, err) : status;
}

static tp_status prepare(struct demo *demo, tp_error *err)
{
    tpi_buf path = {0};
    tp_status status = find_world(demo, &path, err);

    if (status == TP_OK) {
        status = world_check_file(demo->options.file, err);
    }
    if (status == TP_OK) {
        status = demo_frame_create(&demo->frame, demo->options.file, tp_clock_real(), err);
    }
    if (status == TP_OK) {
        status = create_server(demo, tpi_buf_text(&path), err);
    }
    if (status == TP_OK) {
        status = demo_crew_init(&demo->crew, demo->server, err);
    }
    if (status == TP_OK && (demo->is_house || demo->is_config)) {
        status = furnish(demo, err);
    }
    if (status == TP_OK) {
        demo->drive.crew = &demo->crew;
        demo_frame_know(demo->frame, &demo->crew);
    }
    if (status == TP_OK) {
        status = tp_timer_create(&demo->timer, tp_server_loop(demo->server), tick, demo, err);
    }
    tpi_buf_fini(&path);
    return status;
}

static void print_hints(const struct demo *demo, const char *hints)
{
    printf("the world \"%s\" runs; in another terminal:\n", demo->options.world);
    for (const char *at = hints; *at != '\0'; at += *at == '\n') {
        const size_t length = strcspn(at, "\n");
        printf("  %.*s\n", (int)length, at);
        at += length;
    }
    if (demo->options.seconds == 0) {
        printf("Ctrl-C ends it; so does --seconds N\n");
    }
    fflush(stdout);
}

static void show_page(const struct demo *demo)
{
    const char *url = tpi_buf_text(&demo->page);

    if (demo->page.length > 0) {
        printf("the demo is at %s%s\n", url,
               output_is_live() && browser_open(url, false)
                   ? ", which your browser opens"
                   : " (open it in a browser, or see it here with --terminal)");
        fflush(stdout);
    }
}

static tp_status perform(struct demo *demo, const char *hints, tp_error *err)
{
    tp_status status = TP_OK;

    command_catch(SIGINT, on_signal);
    command_catch(SIGTERM, on_signal);
    command_catch(SIGHUP, on_signal);
    if (demo->options.headless) {
        show_page(demo);
        print_hints(demo, hints);
    } else {
        demo->screen.world = demo->options.world;
        demo->screen.hints = hints;
        demo_screen_init(&demo->screen);
        status = terminal_take(err);
    }
    if (status == TP_OK) {
        tp_timer_every(demo->timer, TICK_MS * TP_NS_PER_MS);
        tp_server_begin(demo->server);
        tp_server_run(demo->server);
    }
    terminal_restore();
    return status;
}

/* What is left of it; the server has gone. */
static int finish(const struct demo *demo)
{
    tp_error err = {0};
    double time_s = 0;

    if (demo_frame_saved(demo->frame, &time_s, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    printf("%s shows the world after %.6g s\n"
           "next: %s %s %s%s\n",
           demo->options.file, time_s, called(), demo->is_config ? "run" : "sim",
           demo->options.world, demo->moved ? " --any-port" : "");
    if (!demo->is_config) {
        printf("      %s sim %s --steps 600 --record robots.csv\n", called(), demo->options.world);
    }
    return EXIT_DONE;
}

static int run_demo(struct demo *demo)
{
    tpi_buf hints = {0};
    tp_error err = {0};
    tp_status status = prepare(demo, &err);

    if (status == TP_OK) {
        demo_put_hints(&hints, demo->server);
        status = perform(demo, tpi_buf_text(&hints), &err);
    }
    tp_timer_destroy(demo->timer);
    demo_drive_fini(&demo->drive);
    demo_house_fini(&demo->house);
    sim_server_destroy(demo->served);
    cast_destroy(demo->cast);
    fputs(tpi_buf_text(&demo->world_notes), stderr);
    fputs(tpi_buf_text(&demo->notes), stderr);
    const int result =
        status == TP_OK ? finish(demo) : command_fail(name, EXIT_FAILED, "%s", err.text);
    demo_frame_destroy(demo->frame);
    demo_screen_fini(&demo->screen);
    demo_crew_fini(&demo->crew);
    tpi_buf_fini(&demo->picture.pixels);
    tpi_buf_fini(&hints);
    tpi_buf_fini(&demo->page);
    tpi_buf_fini(&demo->notes);
    tpi_buf_fini(&demo->world_notes);
    return result;
}

static bool is_configuration(const char *path)
{
    const size_t length = strlen(path);

    return length > 4 && strcmp(path + length - 4, ".cfg") == 0;
}

static int run(int argc, char **argv)
{
    struct demo demo = {.options = {.file = "demo.png", .speed = 1, .seed = 1, .threads = 1}};
    const int result = demo_options_read(&demo.options, argc, argv);

    if (result != EXIT_DONE) {
        return result;
    }
    demo.is_house = demo.options.world == NULL;
    demo.is_config = !demo.is_house && is_configuration(demo.options.world);
    demo.options.world = demo.is_house ? "demo" : demo.options.world;
    demo.options.headless = demo.options.headless || !output_is_live() || !isatty(STDIN_FILENO) ||
                            (demo.is_house && !demo.options.terminal && demo_house_has_page());
    crash_catch(NULL);
    return run_demo(&demo);
}

const command command_demo = {
    .name = name,
    .summary = "show robots in a world, in the browser or live on the terminal",
    .help =
        "usage: troupe demo [WORLD | FILE.cfg] [options]\n"
        "\n"
        "Without WORLD: one server with an office that a robot explores, a classroom in which "
        "four\n"
        "emulated robots of different makes play the same program, and a stage with timed motion\n"
        "(configs/demo.cfg). It prints the URL of its page and opens it in a browser; --terminal\n"
        "draws the world on the terminal instead, as does a program without the web front.\n"
        "\n"
        "With WORLD: a built-in world (office, cave, classroom, light, swarm, track, warehouse)\n"
        "or a file, drawn on the terminal, with all its devices. Ends with q, with Ctrl-C, or at\n"
        "the world's quit_time, and writes a picture. On the terminal, the arrow keys drive the\n"
        "chosen robot; Tab, or the number of a robot's position2d, chooses another one. A robot\n"
        "that is not driven any more is controlled by the world again.\n"
        "\n"
        "With FILE.cfg: a configuration with a world, drawn likewise, with all its drivers. What\n"
        "they draw on a graphics2d, such as ways and particles of robots that find their way, is\n"
        "in the picture.\n"
        "\n"
        "  --terminal        draw on the terminal, even if there is a page\n"
        "  --seconds N       end after N simulated seconds, rounded up to a whole step of the\n"
        "                    world; with --speed 10 that takes N / 10 real seconds\n"
        "  --speed X         simulated seconds per real second (1); 0: as fast as possible\n"
        "  --seed N          seed of all random numbers (1); the same seed gives the same run\n"
        "  --threads N       threads of the world (1); the result is the same for any number\n"
        "  --headless        draw only the last picture; the default without a terminal\n"
        "  --render FILE     the file of the last picture (demo.png); .png or .svg\n"
        "\n"
        "The server listens on port 6665, or on a port that the system chooses if 6665 is taken.\n"
        "Below the picture, the demo shows commands to type in another terminal. In a panic, the\n"
        "line above the picture shows who raised it, and why.\n"
        "\n"
        "Examples: troupe demo\n"
        "          troupe demo cave --speed 4\n"
        "          troupe demo configs/navigation.cfg\n"
        "          troupe demo swarm --headless --seconds 60 --speed 0 --render swarm.svg\n",
    .run = run,
};
