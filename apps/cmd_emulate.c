/*
 * cmd_emulate.c - troupe emulate: robots at the level of their bytes, in a simulated world.
 *
 * Each robot has a line of its own, a pseudo-terminal or a TCP port. Time is the real one, or that
 * of commands on standard input (emulate_console.h).
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "crash.h"
#include "emulate_console.h"
#include "emulate_line.h"
#include "emulate_options.h"
#include "emulate_sensor.h"
#include "output.h"
#include "sim/draw/draw.h"
#include "sim/host/host.h"
#include "sim_record.h"
#include "troupe/clock.h"
#include "worlds.h"

static const char name[] = EMULATE_NAME;

struct running {
    const emulate_options *options;      /* borrowed */
    tpi_scene *scene;                    /* owned */
    emulate_line *lines[TPI_SCENE_MOST]; /* owned */
    emulate_console console;
    sim_record *record; /* owned; NULL for none */
};

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    interrupted = 1;
    signal(number, SIG_DFL); /* a second signal ends it at once */
}

/* ---- Printing -------------------------------------------------------------------------------- */

static void print_trace(void *context, const char *line)
{
    (void)context;
    printf("%s\n", line);
}

static void print_place(const struct running *r, size_t index)
{
    tpi_buf url = {0};

    emulate_line_put_url(r->lines[index], &url);
    printf("%s %s\n", tpi_scene_name(r->scene, index), tpi_buf_text(&url));
    tpi_buf_fini(&url);
}

static int print_kinds(void)
{
    for (size_t i = 0; tpi_emu_kind_at(i) != NULL; i++) {
        printf("%-9s %s\n", tpi_emu_kind_name(tpi_emu_kind_at(i)),
               tpi_emu_kind_summary(tpi_emu_kind_at(i)));
    }
    return EXIT_DONE;
}

/* ---- Bytes and time -------------------------------------------------------------------------- */

static void exchange(struct running *r)
{
    for (size_t i = 0; i < r->options->count; i++) {
        if (emulate_line_exchange(r->lines[i])) {
            print_place(r, i);
        }
    }
    (void)fflush(stdout);
}

/* Wait for a line or for standard input, at most until a time of the real clock. */
static void wait_for(const struct running *r, int64_t deadline_ns)
{
    struct pollfd fds[TPI_SCENE_MOST + 1];
    const int64_t left_ns = deadline_ns - tp_clock_now_ns(tp_clock_real());
    nfds_t count = 0;

    for (size_t i = 0; i < r->options->count; i++) {
        fds[count++] = (struct pollfd){.fd = emulate_line_fd(r->lines[i]), .events = POLLIN};
    }
    if (r->options->lockstep) {
        fds[count++] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
    }
    if (left_ns > 0) {
        (void)poll(fds, count, (int)((left_ns + 999999) / 1000000));
    }
}

static bool is_over(const struct running *r)
{
    return interrupted || (r->options->seconds > 0 &&
                           (double)tpi_scene_time_us(r->scene) * 1e-6 >= r->options->seconds);
}

/* One step at a time, so that a host can answer within a long way. */
static void make_steps(struct running *r, int64_t until_us)
{
    while (tpi_scene_time_us(r->scene) + TPI_SCENE_STEP_US <= until_us && !is_over(r)) {
        tpi_scene_advance(r->scene, tpi_scene_time_us(r->scene) + TPI_SCENE_STEP_US);
        if (r->record != NULL) {
            sim_record_note(r->record, tpi_scene_world(r->scene));
        }
        exchange(r);
    }
}

/* Time that the machine slept away is not made up for. */
static int64_t catch_up(int64_t began_ns, int64_t now_us, int64_t reached_us, double speed)
{
    const int64_t most_us = 1000000;

    return now_us - reached_us > most_us
               ? began_ns + (int64_t)((double)(now_us - reached_us) * 1e3 / speed)
               : began_ns;
}

static void run_in_real_time(struct running *r)
{
    const tp_clock *clock = tp_clock_real();
    const double speed = r->options->speed;
    int64_t began_ns = tp_clock_now_ns(clock);

    while (!is_over(r)) {
        const double passed_ns = (double)(tp_clock_now_ns(clock) - began_ns);
        const int64_t now_us = (int64_t)(passed_ns * speed * 1e-3);
        began_ns = catch_up(began_ns, now_us, tpi_scene_time_us(r->scene), speed);
        exchange(r);
        make_steps(r, now_us);
        const int64_t next_us = tpi_scene_time_us(r->scene) + TPI_SCENE_STEP_US;
        wait_for(r, began_ns + (int64_t)((double)next_us * 1e3 / speed));
    }
}

/* False at the end of standard input. */
static bool read_commands(struct running *r)
{
    struct pollfd at = {.fd = STDIN_FILENO, .events = POLLIN};
    char bytes[1024];

    if (poll(&at, 1, 0) <= 0) {
        return true;
    }
    const ssize_t length = read(STDIN_FILENO, bytes, sizeof bytes);
    if (length > 0) {
        emulate_console_feed(&r->console, bytes, (size_t)length);
    }
    return length > 0;
}

static void run_in_lockstep(struct running *r)
{
    const int64_t while_ns = TP_NS_PER_S / 50; /* a host that opens a line is seen */
    bool open = true;

    while (!is_over(r) && !r->console.quit) {
        tpi_buf out = {0};
        open = open && read_commands(r);
        exchange(r);
        const bool passes = emulate_console_work(&r->console, &out);
        (void)fputs(tpi_buf_text(&out), stdout);
        (void)fflush(stdout);
        tpi_buf_fini(&out);
        if (passes) {
            make_steps(r, r->console.until_us);
        } else if (!open && r->console.awaited == 0) {
            return;
        } else {
            wait_for(r, tp_clock_now_ns(tp_clock_real()) + while_ns);
        }
    }
}

/* ---- Making ---------------------------------------------------------------------------------- */

static tp_status open_lines(struct running *r, tp_error *err)
{
    const emulate_options *o = r->options;
    tp_status status = TP_OK;

    for (size_t i = 0; i < o->count && status == TP_OK; i++) {
        const char *listen = o->robots[i].listen != NULL ? o->robots[i].listen : o->listen;
        status =
            emulate_line_open(&r->lines[i], tpi_scene_robot(r->scene, i),
                              o->robots[i].link == NULL ? listen : NULL, o->robots[i].link, err);
        if (status != TP_OK) {
            return tp_wrap(err, status, tpi_scene_name(r->scene, i));
        }
        print_place(r, i);
    }
    (void)fflush(stdout);
    return status;
}

static tp_status make_scene(struct running *r, tp_error *err)
{
    const emulate_options *o = r->options;
    tpi_buf path = {0};
    tpi_buf folders = {0};
    tp_status status = o->world == NULL ? TP_OK : world_find(&path, o->world, err);

    tpi_sim_folders(&folders, NULL);
    if (status == TP_OK) {
        const tpi_scene_plan plan = {.world = o->world == NULL ? NULL : tpi_buf_text(&path),
                                     .folders = tpi_buf_text(&folders),
                                     .seed = o->seed,
                                     .note = output_note,
                                     .actors = o->actors,
                                     .count = o->count};
        status = tpi_scene_create(&r->scene, &plan, err);
    }
    tpi_buf_fini(&path);
    tpi_buf_fini(&folders);
    return status;
}

static tp_status set_up(struct running *r, tp_error *err)
{
    const emulate_options *o = r->options;
    tp_status status = o->render == NULL ? TP_OK : world_check_file(o->render, err);

    status = status == TP_OK ? make_scene(r, err) : status;
    if (status == TP_OK && o->record != NULL) {
        status = sim_record_open(&r->record, o->record, err);
    }
    return status == TP_OK ? open_lines(r, err) : status;
}

static tp_status finish(struct running *r, tp_status status, tp_error *err)
{
    const emulate_options *o = r->options;

    if (status == TP_OK && o->render != NULL) {
        const tpi_draw_look look = {0};
        status = world_draw(tpi_scene_world(r->scene), &look, o->render, err);
    }
    const tp_status closed = sim_record_close(r->record, status == TP_OK ? err : NULL);
    for (size_t i = 0; i < o->count; i++) {
        emulate_line_close(r->lines[i]);
    }
    emulate_console_fini(&r->console);
    tpi_scene_destroy(r->scene);
    return status == TP_OK ? closed : status;
}

static int emulate_all(const emulate_options *o)
{
    struct running r = {.options = o};
    tp_error err = {0};
    tp_status status = set_up(&r, &err);

    if (status == TP_OK) {
        command_catch(SIGINT, on_signal);
        command_catch(SIGTERM, on_signal);
        command_catch(SIGHUP, on_signal);
        r.console.scene = r.scene;
        r.console.lines = r.lines;
        (o->lockstep ? run_in_lockstep : run_in_real_time)(&r);
    }
    status = finish(&r, status, &err);
    return status == TP_OK ? EXIT_DONE : command_fail(name, EXIT_FAILED, "%s", err.text);
}

/* ---- The command -------------------------------------------------------------------------------
 */

static int run(int argc, char **argv)
{
    if (argc > 0 && strcmp(argv[0], "sensor") == 0) {
        return emulate_sensor(argc - 1, argv + 1);
    }
    emulate_options *o = calloc(1, sizeof *o);
    int result = o == NULL ? command_fail(name, EXIT_FAILED, "out of memory")
                           : emulate_options_read(o, argc, argv, print_trace);

    if (result == EXIT_DONE && o->list) {
        result = print_kinds();
    } else if (result == EXIT_DONE && o->count == 0) {
        result = command_fail(name, EXIT_USAGE, "which robot? --list shows them");
    } else if (result == EXIT_DONE) {
        crash_catch(NULL);
        result = emulate_all(o);
    }
    free(o);
    return result;
}

const command command_emulate = {
    .name = name,
    .summary = "play robots on serial lines, in a simulated world",
    .help =
        "usage: troupe emulate ROBOT [its options] [ROBOT ...] [options]\n"
        "       troupe emulate sensor MANIFEST [its options] [MANIFEST ...]\n"
        "       troupe emulate --list\n"
        "\n"
        "Plays robots at the level of their bytes: each answers as the real one does, on a\n"
        "pseudo-terminal or a TCP port, and moves a body in a simulated world. Prints a line\n"
        "\"NAME URL\" for each robot; the URL is what a driver or a program opens.\n"
        "\n"
        "Behind a robot, for this robot:\n"
        "  --at X,Y[,DEG]      where it starts (a free place near the middle)\n"
        "  --on NAME           the robot that carries it: a scanner on a Pioneer; --at is then a\n"
        "                      place on that robot\n"
        "  --name NAME         its name in the world (that of its kind)\n"
        "  --wire SLOT=PART    what is plugged in where, such as 1=light\n"
        "  --fault KIND[@FROM[-TO]]\n"
        "                      unplugged, silent, wrong (bytes), short (replies), battery\n"
        "                      (empty) or lifted, from a time to another: silent@5s-8s\n"
        "  --link PATH         a symbolic link to its pseudo-terminal\n"
        "  --listen tcp:HOST:PORT\n"
        "                      a TCP port instead; port 0 is chosen by the system. Before the\n"
        "                      first robot: for all robots. A tello has udp:HOST:PORT\n"
        "\n" EMULATE_SENSOR_HELP "\n"
        "For all:\n"
        "  --world WORLD       a world file, or a built-in world (an empty floor)\n"
        "  --trace             print every message with its meaning\n"
        "  --speed X           simulated seconds per real second (1)\n"
        "  --seconds N         end after so many simulated seconds\n"
        "  --seed N            seed of all random numbers (0)\n"
        "  --record FILE       write where the robots are, as troupe sim does\n"
        "  --render FILE       draw the world at the end, to FILE.png or FILE.svg\n"
        "  --lockstep          time passes only on request: commands on standard input are\n"
        "                      run SECONDS, await ROBOT BYTES, where, press ROBOT PART, release\n"
        "                      ROBOT PART, fault ROBOT KIND, mend ROBOT KIND, quit\n"
        "  --list              print the robots\n"
        "\n"
        "Examples: troupe emulate nxt --world classroom --trace\n"
        "          troupe emulate nxt --at 0,0,90 --fault silent@20s --link /tmp/nxt\n"
        "          troupe emulate --listen tcp:127.0.0.1:0 nxt finch --world classroom\n"
        "          troupe emulate sensor nxt_light --link /tmp/light --wave 1=sine:5\n",
    .run = run,
};
