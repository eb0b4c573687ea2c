/*
 * play_run.c - troupe play on a robot: a server in this program, or one of a URL.
 *
 * With --on and --port the server is inside this program: it has one robot that a file describes.
 * So leases, panic and guards are those of every server: the robot stops if this program ends in
 * any way.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "lapse.h"
#include "play/show.h"
#include "play_run.h"
#include "troupe/clock.h"

static const char name[] = PLAY_NAME;

enum { TURNS_AT_ONCE = 20000 };
static const int64_t PAUSE_NS = 1000000; /* of a program that only computes */
static const int64_t BEAT_NS = 250 * TP_NS_PER_MS;

static volatile sig_atomic_t interrupted;
static tp_client *waiting; /* for the signal handler */

static void on_signal(int number)
{
    interrupted = 1;
    if (waiting != NULL) {
        tp_client_interrupt(waiting);
    }
    signal(number, SIG_DFL); /* a second signal ends it at once */
}

static void catch_signals(tp_client *client)
{
    waiting = client;
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
}

bool play_was_interrupted(void)
{
    return interrupted != 0;
}

void play_forget_interrupt(void)
{
    interrupted = 0;
    catch_signals(waiting);
}

/* ---- The server ------------------------------------------------------------------------------ */

static bool put_setting(tpi_buf *out, const char *key, const char *value, bool is_path)
{
    char folder[4096] = "";

    if (strpbrk(value, "\"\\\n") != NULL) {
        command_fail(name, EXIT_USAGE, "\"%s\" must not contain \" or \\", value);
        return false;
    }
    /* The configuration lies elsewhere: paths are from here. */
    if (is_path && (strchr(value, '/') != NULL || strstr(value, ".xml") != NULL) &&
        value[0] != '/' && getcwd(folder, sizeof folder - 1) != NULL) {
        strcat(folder, "/");
    }
    tpi_buf_printf(out, "  %s \"%s", key, folder);
    if (strcmp(key, "port") == 0) {
        play_put_port(out, value);
    } else {
        tpi_buf_puts(out, value);
    }
    tpi_buf_puts(out, "\"\n");
    return true;
}

/* The configuration of a server with one robot. */
static int put_configuration(tpi_buf *out, const play_options *options)
{
    bool fine = true;

    if (play_sim_is(options->port)) {
        const int result = play_sim_configure(out, options);
        if (result != EXIT_DONE) {
            return result;
        }
    } else {
        tpi_buf_puts(out, "driver\n(\n  name \"robotfile\"\n");
        fine = fine && put_setting(out, "robot", options->robot, true);
        fine = fine && put_setting(out, "port", options->port, false);
    }
    fine = fine && (options->wiring == NULL || put_setting(out, "wiring", options->wiring, true));
    if (options->map_count > 0) {
        tpi_buf_puts(out, "  map [");
        for (unsigned i = 0; i < options->map_count && fine; i++) {
            fine = strpbrk(options->maps[i], "\"\\\n") == NULL;
            tpi_buf_printf(out, " \"%s\"", options->maps[i]);
        }
        tpi_buf_puts(out, " ]\n");
    }
    tpi_buf_puts(out, "  provides [ \"universal:0\" ]\n)\n");
    return fine ? EXIT_DONE : EXIT_USAGE;
}

int play_connect_file(const play_options *options, char *path, const tpi_buf *text)
{
    char url[64];
    tp_error err = {0};
    int result = EXIT_DONE;
    const int file = mkstemp(path);

    if (file < 0) {
        return command_fail(name, EXIT_FAILED, "cannot write to /tmp");
    }
    close(file);
    if (tpi_file_write(path, tpi_buf_text(text), text->length, &err) != TP_OK) {
        result = command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    snprintf(url, sizeof url, "inproc:%s", path);
    options->remote->url = url;
    options->remote->own_file = path;
    result =
        result == EXIT_DONE ? remote_connect(options->remote, TP_CLIENT_EVERYTHING, false) : result;
    options->remote->url = NULL;
    options->remote->own_file = NULL;
    unlink(path);
    return result;
}

/* A server in this program. */
static int connect_inside(const play_options *options)
{
    char path[] = "/tmp/troupe-play-XXXXXX";
    tpi_buf text = {0};
    int result = put_configuration(&text, options);

    result = result == EXIT_DONE ? play_connect_file(options, path, &text) : result;
    tpi_buf_fini(&text);
    return result;
}

static int connect_robot(const play_options *options, play_choice *choice)
{
    const int checked = play_check_maps(options, name);

    if (checked != EXIT_DONE) {
        return checked;
    }
    if (options->robot != NULL && options->port == NULL) {
        return command_fail(name, EXIT_USAGE,
                            "where is the robot? --port serial:/dev/..., tcp:HOST:PORT or "
                            "emulate:%s; --explain needs none",
                            options->robot);
    }
    if (options->robot == NULL && options->port != NULL && !play_sim_is(options->port)) {
        return command_fail(name, EXIT_USAGE, "which robot is at this line? --on ROBOT");
    }
    if (options->port != NULL) {
        return connect_inside(options);
    }
    play_choose_from_url(options, choice);
    return remote_connect(options->remote, TP_CLIENT_EVERYTHING, false);
}

/* ---- Running --------------------------------------------------------------------------------- */

static int64_t now_ns(void)
{
    return tp_clock_now_ns(tp_clock_real());
}

/* Handle messages until a time has come, or a signal. */
static tp_status pass_time(tp_client *client, int64_t until_ns, tp_error *err)
{
    tp_status status = TP_OK;

    while (!interrupted && now_ns() < until_ns) {
        status = tp_client_read(client, until_ns - now_ns(), err);
        if (status != TP_OK && status != TP_E_TIMEOUT && status != TP_E_INTERRUPTED) {
            return status;
        }
    }
    return TP_OK;
}

static int fault(const play_host *host, const char *sentence)
{
    if (host->options->path == NULL) { /* a line of the user */
        return command_fail(name, EXIT_FAILED, "%s", sentence);
    }
    return command_fail(name, EXIT_FAILED, "%s:%u: %s", host->options->path,
                        tpi_play_program_line(host->program, host->runner.machine.fault_pc),
                        sentence);
}

/* A robot whose program was frozen for longer than the lease stands. It does not go on with what
 * the program had in mind: nobody has asked for that since. */
struct watch {
    tp_timer *timer; /* owned: while an answer is waited for */
    struct lapse lapse;
    double frozen_s; /* 0 if it never was */
};

static void look(void *context)
{
    struct watch *watch = context;
    const double frozen_s = lapse_look_s(&watch->lapse, now_ns(), BEAT_NS, TP_NS_PER_S);

    watch->frozen_s = frozen_s > 0 ? frozen_s : watch->frozen_s;
}

static bool was_frozen(struct watch *watch)
{
    look(watch);
    return watch->frozen_s > 0;
}

static tp_status begin_watch(struct watch *watch, tp_client *client, tp_error *err)
{
    const tp_status status =
        tp_timer_create(&watch->timer, tp_client_loop(client), look, watch, err);

    if (status == TP_OK) {
        look(watch);
        tp_timer_every(watch->timer, BEAT_NS);
    }
    return status;
}

static int follow(play_host *host, tp_client *client, struct watch *watch)
{
    const int64_t start_ns = now_ns();
    const int64_t end_ns =
        host->options->seconds > 0 ? start_ns + command_ns(host->options->seconds) : INT64_MAX;
    tp_error err = {0};

    while (!interrupted && now_ns() < end_ns) {
        if (was_frozen(watch)) {
            return command_fail(name, EXIT_FAILED,
                                "this program was frozen or busy for %.1f s, and the robot "
                                "stands: it does not go on",
                                watch->frozen_s);
        }
        host->runner.machine.now_ms = (int32_t)((now_ns() - start_ns) / 1000000);
        tp_status status = TP_OK;
        switch (tpi_play_run(&host->runner.machine, TURNS_AT_ONCE)) {
        case TPI_PLAY_ASKS:
            /* A loop around `message from` has no other time in which a message could come. */
            if (play_channels_is_empty(host)) {
                status = pass_time(client, now_ns() + PAUSE_NS, &err);
            }
            status = status == TP_OK && !was_frozen(watch) ? play_host_serve(host, &err) : status;
            break;
        case TPI_PLAY_WAITS: {
            const int64_t wake_ns =
                start_ns + (int64_t)tpi_play_wake_ms(&host->runner.machine) * 1000000;
            status = pass_time(client, wake_ns < end_ns ? wake_ns : end_ns, &err);
            break;
        }
        case TPI_PLAY_RUNS:
            status = pass_time(client, now_ns() + PAUSE_NS, &err);
            break;
        case TPI_PLAY_FAULTED:
            return fault(host, tpi_play_fault_text(host->runner.machine.fault));
        default:
            return EXIT_DONE;
        }
        if (status != TP_OK && !interrupted) {
            if (host->runner.machine.is_asking) {
                tpi_play_refuse(&host->runner.machine);
            }
            return fault(host, err.text);
        }
    }
    return EXIT_DONE;
}

int play_follow(play_host *host, tp_client *client)
{
    struct watch watch = {0};
    tp_error err = {0};
    const int result = begin_watch(&watch, client, &err) == TP_OK
                           ? follow(host, client, &watch)
                           : command_fail(name, EXIT_FAILED, "%s", err.text);

    tp_timer_destroy(watch.timer);
    return result;
}

int play_stop_robot(tp_universal *robot)
{
    tp_error err = {0};

    if (tp_universal_stop(robot, &err) == TP_OK) {
        return EXIT_DONE;
    }
    return tp_universal_stop(robot, &err) == TP_OK /* the first one may have been interrupted */
               ? EXIT_DONE
               : command_fail(name, EXIT_FAILED, "the robot may still move: %s", err.text);
}

static int play_on(play_host *host, tp_client *client, play_choice *choice)
{
    const tp_universal_options settings = {.size = sizeof settings,
                                           .loose = host->options->is_loose};
    tp_error err = {0};
    int result = play_choose(host->options, client, choice);

    if (result != EXIT_DONE) {
        return result;
    }
    const char *device = choice->device[0] != '\0' ? choice->device : NULL;
    if (tp_universal_create(&host->robot, client, device, &settings, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    if (host->options->port == NULL && host->options->path != NULL) {
        printf("robot: %s, %s of %s\n", tp_universal_title(host->robot), choice->device,
               tp_client_url(client));
        fflush(stdout);
    }
    catch_signals(client);
    result = play_channels_open(host, client);
    if (result != EXIT_DONE) {
        play_channels_close(host);
        tp_universal_destroy(host->robot);
        return result;
    }
    result = host->options->path == NULL ? play_repl(host, client) : play_host_match(host);
    if (result == EXIT_DONE && host->options->path != NULL) {
        result = play_follow(host, client);
        const int stopped = play_stop_robot(host->robot);
        result = result == EXIT_DONE ? stopped : result;
    }
    waiting = NULL;
    play_channels_close(host);
    tp_universal_destroy(host->robot);
    return result;
}

int play_run(const play_options *options, const play_source *source)
{
    play_host *host = calloc(1, sizeof *host);
    play_choice choice = {0};
    int result;

    if (host == NULL) {
        return command_fail(name, EXIT_FAILED, "out of memory");
    }
    host->options = options;
    host->program = source != NULL ? &source->program : NULL;
    host->vocabulary = source != NULL ? source->vocabulary : NULL;
    result = source != NULL ? play_host_begin(host) : EXIT_DONE;
    if (result == EXIT_DONE && options->log != NULL) {
        result = play_log_open(&host->log, options->log);
    }
    result = result == EXIT_DONE ? connect_robot(options, &choice) : result;
    if (result == EXIT_DONE) {
        result = play_on(host, options->remote->client, &choice);
    }
    const int logged = play_log_close(host->log);
    result = result == EXIT_DONE ? logged : result;
    play_host_fini(host);
    free(host);
    return result;
}
