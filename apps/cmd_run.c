/* cmd_run.c - troupe run and check: serving a configuration. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "called.h"
#include "commands.h"
#include "crash.h"
#include "fields_table.h"
#include "file_kind.h"
#include "output.h"
#include "run_table.h"
#include "sim_server.h"
#include "troupe/process.h"
#include "troupe/server.h"
#include "worlds.h"

enum { MOST_TEXT = 64 << 20 };

struct options {
    const char *command;
    const char *name; /* that the file goes by, if it is not its own */
    tp_server_options server;
    bool quiet;
    bool child; /* part of another server: ends when its standard input does */
};

static tp_server *running; /* for the signal handler */

/* tp_server_stop() may be called from a signal handler; clang-tidy cannot know that. */
static void on_signal(int number) /* NOLINT(bugprone-signal-handler) */
{
    tp_server_stop(running); /* NOLINT(bugprone-signal-handler) */
    signal(number, SIG_DFL); /* a second signal ends it at once */
}

/* The same goes for this one. */
static void on_panic(int number) /* NOLINT(bugprone-signal-handler) */
{
    (void)number;
    tp_server_panic_by_signal(running); /* NOLINT(bugprone-signal-handler) */
}

/* Guards need not wait until the core is dumped. */
static void on_crash(void)
{
    tp_server_crash(running);
}

/* ---- Running --------------------------------------------------------------------------------- */

static void parent_ended(void *context)
{
    tp_server_stop(context);
}

/* What changes is reported as notes. */
static void reloaded(void *context, tp_status status, const tp_error *err)
{
    (void)context;
    if (status != TP_OK) {
        output_note(NULL, err->text);
        output_note(NULL, "nothing was changed");
    }
}

static void on_hangup(void *context, int number)
{
    (void)number;
    tp_server_reload_later(context, reloaded, NULL);
}

/* SIGHUP reads the file again; a child has no file of its own. */
static tp_status watch_hangup(const struct options *o, tp_server *server, tp_signal **out,
                              tp_error *err)
{
    if (o->child || o->name != NULL) {
        signal(SIGHUP, SIG_IGN);
        return TP_OK;
    }
    return tp_signal_create(out, tp_server_loop(server), SIGHUP, on_hangup, server, err);
}

/* Serve until a signal, or for a child until its parent has no use for it any more. */
static int run_server(const struct options *o, tp_server *server)
{
    tp_lifeline *lifeline = NULL;
    tp_signal *hangup = NULL;
    tp_error err = {0};

    running = server;
    signal(SIGPIPE, SIG_IGN);
    command_catch(SIGINT,
                  o->child ? SIG_IGN : on_signal); /* a terminal interrupts the parent too */
    command_catch(SIGTERM, on_signal);
    command_catch(SIGUSR1, on_panic);
    command_catch(SIGUSR2, on_panic); /* a user who takes the wrong one means it too */
    crash_catch(on_crash);
    tp_status status = watch_hangup(o, server, &hangup, &err);
    if (status == TP_OK && o->child) {
        status = tp_lifeline_watch(&lifeline, tp_server_loop(server), parent_ended, server, &err);
    }
    if (status != TP_OK) {
        crash_release();
        tp_signal_destroy(hangup);
        return command_fail(o->command, EXIT_FAILED, "%s", err.text);
    }
    tp_server_begin(server);
    if (!o->quiet) {
        run_table_print(server, o->server.path);
        run_table_print_places(server, &o->server, NULL);
    } else if (!o->child) {
        run_table_print_odd(server, &o->server);
    }
    tp_server_run(server);
    crash_release();
    tp_lifeline_destroy(lifeline);
    tp_signal_destroy(hangup);
    return EXIT_DONE;
}

static int serve(const struct options *o)
{
    tp_server *server = NULL;
    tp_error err = {0};

    tp_server_raise_limits();
    if (tp_server_create(&server, &o->server, &err) != TP_OK) {
        return command_fail(o->command, EXIT_FAILED, "%s", err.text);
    }
    int result = run_server(o, server);
    /* A file is being read, or a driver hangs; exit() may wait for a plug-in. */
    if (!tp_server_end(server)) {
        (void)fflush(NULL);
        _Exit(result);
    }
    tp_server_destroy(server);
    return result;
}

/* These make what would be served, without serving it, and print its devices. */
static tp_status check_world(const struct options *o, tp_error *err)
{
    const sim_server_options options = {.world = o->server.path,
                                        .speed = 1,
                                        .seed = 1,
                                        .threads = 1,
                                        .server = o->server,
                                        .note = o->server.note,
                                        .note_context = o->server.note_context};
    sim_server *served = NULL;
    const tp_status status = sim_server_create(&served, &options, err);

    if (status == TP_OK && !o->quiet) {
        sim_server_print_devices(served);
    }
    sim_server_destroy(served);
    return status;
}

/* A file that names 6665 as the port of another server, as Player's files do, is meant for another
 * port: what is wrong with it on 6665 only, is no mistake. */
static tp_status check_elsewhere(tp_server **server, const struct options *o, tp_error *err)
{
    enum { USUAL = 6665, OTHER = 7000 };
    struct options other = *o;
    char note[200];

    if (o->server.port != 0 || o->server.any_port) {
        return err->code;
    }
    other.server.port = OTHER;
    other.server.note = NULL; /* they were told already */
    if (tp_server_create(server, &other.server, NULL) != TP_OK) {
        return err->code;
    }
    (void)snprintf(note, sizeof note,
                   "%.80s: it needs the devices of a server on port %d: run it on another port, "
                   "with -p %d",
                   o->server.path, USUAL, OTHER);
    o->server.note(o->server.note_context, note);
    return TP_OK;
}

static tp_status check_configuration(const struct options *o, tp_error *err)
{
    tp_server *server = NULL;
    tp_status status = tp_server_create(&server, &o->server, err);

    status = status == TP_OK ? TP_OK : check_elsewhere(&server, o, err);
    if (status == TP_OK && !o->quiet) {
        run_table_print(server, o->server.path);
    }
    tp_server_destroy(server);
    return status;
}

static int check(struct options *o)
{
    unsigned notes = 0;
    tp_error err = {0};

    o->server.note_context = &notes;
    const tp_status status =
        world_is_file(o->server.path) ? check_world(o, &err) : check_configuration(o, &err);
    if (status != TP_OK) {
        return command_fail(o->command, EXIT_FAILED, "%s", err.text);
    }
    if (!o->quiet) {
        printf(notes == 0 ? "no mistakes found\n" : "no mistakes found, %u note%s\n", notes,
               output_plural(notes));
    }
    return EXIT_DONE;
}

/* A file of a world by its name, or a world of ours by what it is called. */
static bool is_world(const char *name)
{
    return world_is_file(name) || (strpbrk(name, "./") == NULL && access(name, F_OK) != 0);
}

static int find_and_check(struct options *o)
{
    tpi_buf path = {0};
    tp_error err = {0};
    int result;

    if (!is_world(o->server.path)) {
        return check(o);
    }
    if (world_find(&path, o->server.path, &err) == TP_OK) {
        o->server.path = tpi_buf_text(&path);
        result = check(o);
    } else {
        result = command_fail(o->command, EXIT_FAILED, "%s", err.text);
    }
    tpi_buf_fini(&path);
    return result;
}

/* ---- Command line ---------------------------------------------------------------------------- */

/* Port 0 is any port, as everywhere. */
static int read_port(struct options *o, const char *text)
{
    char *end = NULL;
    const unsigned long value = strtoul(text, &end, 10);

    if (*end != '\0' || text[0] == '\0' || value > 65535) {
        return command_fail(o->command, EXIT_USAGE, "\"%s\" is no port", text);
    }
    o->server.port = (unsigned)value;
    o->server.any_port = o->server.any_port || value == 0;
    return EXIT_DONE;
}

/* An option with a value at argv[*i]; an exit code. */
static int read_valued(struct options *o, int argc, char **argv, int *i)
{
    const char *option = argv[*i];
    const char *value = command_value(o->command, argc, argv, i);

    if (value == NULL) {
        return EXIT_USAGE;
    }
    if (strcmp(option, "--listen") == 0) {
        o->server.listen = value;
    } else if (strcmp(option, "--unix") == 0) {
        o->server.unix_path = value;
    } else if (strcmp(option, "--name") == 0) {
        o->name = value;
    } else if (strcmp(option, "--part") == 0) {
        o->server.part = value;
    } else {
        return read_port(o, value);
    }
    return EXIT_DONE;
}

static bool takes_value(const char *option)
{
    static const char *const valued[] = {"--listen", "--unix", "--name", "--part", "--port", "-p"};

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
        if (strcmp(argv[i], "--quiet") == 0 || strcmp(argv[i], "-q") == 0) {
            o->quiet = true;
        } else if (strcmp(argv[i], "--any-port") == 0) {
            o->server.any_port = true;
        } else if (strcmp(argv[i], "--udp") == 0) {
            o->server.udp = true;
        } else if (strcmp(argv[i], "--no-web") == 0) {
            o->server.no_page = true;
        } else if (strcmp(argv[i], "--child") == 0) {
            o->child = o->server.child = true;
        } else if (takes_value(argv[i])) {
            result = read_valued(o, argc, argv, &i);
        } else if (argv[i][0] == '-' || o->server.path != NULL) {
            result = command_unexpected(o->command, argv[i], NULL);
        } else {
            o->server.path = argv[i];
        }
    }
    if (result == EXIT_DONE && o->server.path == NULL) {
        return command_fail(o->command, EXIT_USAGE, "which configuration%s?",
                            strcmp(o->command, "check") == 0 ? " or world" : " file");
    }
    return result;
}

/* Also if it is the name of one of ours. */
static bool names_world(const char *name)
{
    tpi_buf path = {0};
    const bool found =
        world_is_file(name) || (is_world(name) && world_find(&path, name, NULL) == TP_OK);

    tpi_buf_fini(&path);
    return found;
}

/* Whether it is a program or another file that no server reads; then says so. */
static bool is_other_kind(const struct options *o, const char *wanted)
{
    static const char *const ours[] = {".cfg", ".world", NULL};
    tpi_buf text = {0};
    const bool is = file_kind_put_other(&text, o->server.path, ours, wanted);

    if (is) {
        command_fail(o->command, EXIT_FAILED, "%s", tpi_buf_text(&text));
    }
    tpi_buf_fini(&text);
    return is;
}

/* A file that goes by another name: messages and paths in it are as if it were that one. */
static int serve_renamed(struct options *o)
{
    tpi_buf text = {0};
    tp_error err = {0};
    int result = EXIT_DONE;

    if (tpi_file_read_any(&text, o->server.path, MOST_TEXT, &err) == TP_OK) {
        o->server.text = tpi_buf_text(&text);
        o->server.path = o->name;
        result = serve(o);
    } else {
        result = command_fail(o->command, EXIT_FAILED, "%s", err.text);
    }
    tpi_buf_fini(&text);
    return result;
}

static int run_run(int argc, char **argv)
{
    struct options o = {
        .command = "run",
        .server = {.size = sizeof o.server, .kit = &tp_full_kit, .note = output_note}};
    int result = read_options(&o, argc, argv);

    if (result != EXIT_DONE) {
        return result;
    }
    if (is_other_kind(&o, "configuration")) {
        return EXIT_FAILED;
    }
    if (names_world(o.server.path)) {
        return command_fail(o.command, EXIT_FAILED, "%s is a world, no configuration: %s sim %s",
                            o.server.path, called(), o.server.path);
    }
    o.server.program = called_program();
    o.server.usual_fronts = !o.child;
    return o.name == NULL ? serve(&o) : serve_renamed(&o);
}

/* --fields [SECTION] */
static int run_fields(int argc, char **argv)
{
    tpi_buf out = {0};

    if (argc > 2) {
        return command_unexpected("check", argv[2], NULL);
    }
    const bool found = fields_table_put(&out, argc == 2 ? argv[1] : NULL);
    fputs(tpi_buf_text(&out), stdout);
    tpi_buf_fini(&out);
    return found ? EXIT_DONE
                 : command_fail("check", EXIT_FAILED, "there is no section \"%s\"", argv[1]);
}

static int run_check(int argc, char **argv)
{
    if (argc > 0 && strcmp(argv[0], "--fields") == 0) {
        return run_fields(argc, argv);
    }
    struct options o = {
        .command = "check",
        .server = {
            .size = sizeof o.server, .kit = &tp_full_kit, .note = output_note, .check = true}};
    int result = read_options(&o, argc, argv);

    o.server.program = "troupe";
    o.server.listen = "";
    o.server.unix_path = NULL;
    if (result != EXIT_DONE) {
        return result;
    }
    return is_other_kind(&o, "configuration or world") ? EXIT_FAILED : find_and_check(&o);
}

const command command_run = {
    .name = "run",
    .summary = "serve the devices of a configuration",
    .help =
        "usage: troupe run FILE.cfg [options]\n"
        "\n"
        "Creates the devices of a configuration (Player's format) and serves them to clients "
        "until\n"
        "it is interrupted. SIGHUP reloads the file: drivers whose sections have changed are\n"
        "replaced, all others keep running.\n"
        "\n"
        "The page of the server is on port 9665 of this machine, or on the next one that is free;\n"
        "its address is printed. Robots with timed motion and universal robots are also served on\n"
        "ports 7665 and 8665. Sections `front` of the configuration change or close each of them.\n"
        "\n"
        "  -p, --port PORT   the port of devices whose address has none (6665)\n"
        "  --listen HOST     listen on this address instead of 127.0.0.1; * for all\n"
        "  --any-port        listen on ports that the system chooses, and print them; the same as\n"
        "                    --port 0\n"
        "  --unix PATH       listen on a unix socket, too\n"
        "  --udp             listen for datagrams on the same ports, too\n"
        "  --no-web          open no page, unless the configuration has a section for it\n"
        "  -q, --quiet       print no table of devices, only ports that the system chooses and "
        "the\n"
        "                    rights of clients\n"
        "  --name NAME       the name of the file, if it is read from a pipe\n"
        "  --child           end when the standard input ends\n"
        "  --part NAME       for a child: the name of its driver in the parent server\n"
        "\n"
        "Example: troupe run configs/fake.cfg\n",
    .run = run_run,
};

const command command_check = {
    .name = "check",
    .summary = "check a configuration or a world without starting anything",
    .help =
        "usage: troupe check [-p PORT] FILE.cfg\n"
        "       troupe check WORLD\n"
        "       troupe check --fields [SECTION]\n"
        "\n"
        "Reads a configuration, creates its drivers without starting them, and reports errors and\n"
        "notes with file, line and column. It checks a world in the same way: WORLD is a file\n"
        "(FILE.world) or a built-in world, as for `troupe sim`. Mistakes of several models of a "
        "world\n"
        "are reported together. A configuration that uses devices of a server on port 6665 is\n"
        "checked for another port, with a note.\n"
        "\n"
        "  -p, --port PORT      the port of devices whose address has none (6665)\n"
        "  --fields [SECTION]   list the fields of configuration files: all of them, or those of "
        "one\n"
        "                       kind of section. `troupe drivers NAME` lists the parameters of a\n"
        "                       driver.\n"
        "\n"
        "Examples: troupe check configs/fake.cfg\n"
        "          troupe check my.world\n"
        "          troupe check office\n",
    .run = run_check,
};
