/* troupe.c - the command line: finds the sub-command and runs it. */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "called.h"
#include "commands.h"
#include "output.h"
#include "wrap.h"

static const command *const commands[] = {
    &command_run,        &command_check,      &command_drivers, &command_fronts,
    &command_sim,        &command_list,       &command_print,   &command_send,
    &command_request,    &command_property,   &command_stat,    &command_frames,
    &command_panic,      &command_reset,      &command_kick,    &command_doctor,
    &command_interfaces, &command_encode,     &command_decode,  &command_demo,
    &command_new,        &command_motion,     &command_emulate, &command_robots,
    &command_sensors,    &command_translate,  &command_play,    &command_drive,
    &command_log,        &command_experiment, &command_view,    &command_goto,
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

void command_catch(int number, void (*handler)(int number))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static bool ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text);
    const size_t end = strlen(ending);

    return length >= end && strcmp(text + length - end, ending) == 0;
}

/* Append what can be done about it, which only the command line knows. */
static void put_advice(tpi_buf *out, const char *name, const char *text)
{
    const bool serves = strcmp(name, "run") == 0 || strcmp(name, "sim") == 0;

    if (ends_with(text, "give a key")) {
        tpi_buf_puts(out, " with --key-file, --key or TROUPE_KEY");
    } else if (serves && strncmp(text, "listen on tcp:", 14) == 0 &&
               ends_with(text, ": another program listens there")) {
        tpi_buf_puts(out, "; -p PORT or --any-port takes another port");
    } else if (strcmp(name, "motion") == 0 && ends_with(text, ": connection refused")) {
        tpi_buf_puts(out, "; does a server with timed motion run? The driver \"motion\" in its "
                          "configuration makes one");
    } else if (!serves && strncmp(text, "connect to tcp:", 15) == 0 &&
               ends_with(text, ": connection refused")) {
        tpi_buf_printf(out, "; is a server running? %s sim or %s run starts one", called(),
                       called());
    }
}

int command_fail(const char *name, int code, const char *format, ...)
{
    char text[4096];
    tpi_buf clean = {0};
    tpi_buf advice = {0};
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    output_put_lines(&clean, text); /* servers and other clients have their say in it */
    put_advice(&advice, name, text);
    fprintf(stderr, "troupe %s: %.*s%s\n", name, (int)clean.length - 1, tpi_buf_text(&clean),
            tpi_buf_text(&advice));
    tpi_buf_fini(&advice);
    tpi_buf_fini(&clean);
    if (code == EXIT_USAGE) {
        fprintf(stderr, "Try: %s %s --help\n", called(), name);
    }
    return code;
}

int command_read_whole(const char *name, const char *what, const char *text, uint64_t least,
                       uint64_t most, uint64_t *value)
{
    char *end = NULL;

    *value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || *value < least) {
        return command_fail(name, EXIT_USAGE, "\"%s\" is no %s", text, what);
    }
    return *value <= most ? EXIT_DONE
                          : command_fail(name, EXIT_USAGE, "\"%s\" is no %s: %llu is the most",
                                         text, what, (unsigned long long)most);
}

static int write_text(const char *name, tpi_buf *text, bool wrapped)
{
    const bool failed = text->failed;

    if (wrapped) {
        wrap_write(stdout, tpi_buf_text(text));
    } else {
        fputs(tpi_buf_text(text), stdout);
    }
    tpi_buf_fini(text);
    return failed ? command_fail(name, EXIT_FAILED, "out of memory") : EXIT_DONE;
}

int command_write(const char *name, tpi_buf *text)
{
    return write_text(name, text, false);
}

int command_write_wrapped(const char *name, tpi_buf *text)
{
    return write_text(name, text, true);
}

const char *command_value(const char *name, int argc, char **argv, int *i)
{
    if (*i + 1 >= argc) {
        command_fail(name, EXIT_USAGE, "%s needs a value", argv[*i]);
        return NULL;
    }
    return argv[++*i];
}

tp_catalogue *command_catalogue(const char *name)
{
    tp_catalogue *catalogue = NULL;
    tp_error err = {0};

    if (tp_catalogue_create(&catalogue, &err) != TP_OK) {
        command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    return catalogue;
}

int command_load(const char *name, tp_catalogue *catalogue, int argc, char **argv, int *i)
{
    const char *path = command_value(name, argc, argv, i);
    tp_error err = {0};

    if (path == NULL) {
        return EXIT_USAGE;
    }
    if (tp_catalogue_load(catalogue, path, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    return EXIT_DONE;
}

const char *command_interface_hint(const tp_catalogue *catalogue, const char *name, char *hint,
                                   size_t size)
{
    tpi_nearest nearest;

    tpi_nearest_init(&nearest, name);
    for (size_t i = 0; i < tp_catalogue_size(catalogue); i++) {
        tpi_nearest_offer(&nearest, tp_catalogue_at(catalogue, i)->name);
    }
    return tpi_nearest_hint(&nearest, hint, size);
}

const tp_interface *command_interface(const char *caller, const tp_catalogue *catalogue,
                                      const char *name, const char *otherwise)
{
    const tp_interface *interface = tp_catalogue_named(catalogue, name);
    char hint[96];

    if (interface == NULL) {
        command_interface_hint(catalogue, name, hint, sizeof hint);
        command_fail(caller, EXIT_FAILED, "there is no interface \"%s\"%s", name,
                     hint[0] != '\0' ? hint : otherwise);
    }
    return interface;
}

/* With the program called as the user calls it. */
static void print_text(FILE *out, const char *text)
{
    tpi_buf said = {0};

    called_put(&said, text);
    wrap_write(out, tpi_buf_text(&said));
    tpi_buf_fini(&said);
}

static void print_usage(FILE *out)
{
    print_text(out, "usage: troupe COMMAND [ARGUMENTS]\n\n"
                    "Troupe is a robot device server: a robot program is written once and plays on "
                    "any robot.\n\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        fprintf(out, "  %-12s %s\n", commands[i]->name, commands[i]->summary);
    }
    print_text(out,
               "\nA first look. Leave the demo running, and type the others in another terminal:\n"
               "  troupe demo\n"
               "  troupe list\n"
               "  troupe print ranger:0\n"
               "  troupe send position2d:0 VEL '{\"vel\":{\"pa\":1},\"state\":1}' --for 5\n"
               "\n"
               "  troupe COMMAND --help describes a command.\n"
               "  troupe --version prints the version.\n");
}

static const command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

/* The option in a help text that may have been meant, without its dashes; NULL if none is near. It
 * lies in the text, of which only pieces are left. */
static const char *nearest_option(char *help, const char *argument)
{
    tpi_nearest nearest;

    tpi_nearest_init(&nearest, argument + 2);
    for (char *option = strstr(help, "--"); option != NULL; option = strstr(help, "--")) {
        option += 2;
        help = option + strspn(option, "abcdefghijklmnopqrstuvwxyz0123456789-");
        if (*help != '\0') {
            *help++ = '\0';
        }
        tpi_nearest_offer(&nearest, option);
    }
    if (nearest.best != NULL && strcmp(nearest.best, argument + 2) == 0) {
        return NULL; /* it is known, but not here */
    }
    return nearest.best;
}

int command_unexpected(const char *name, const char *argument, const char *best)
{
    const command *known =
        best == NULL && strncmp(argument, "--", 2) == 0 ? find_command(name) : NULL;
    char *help = known != NULL ? strdup(known->help) : NULL;

    if (help != NULL) {
        best = nearest_option(help, argument);
    }
    const int code =
        best == NULL ? command_fail(name, EXIT_USAGE, "unexpected \"%s\"", argument)
                     : command_fail(name, EXIT_USAGE, "unexpected \"%s\"; did you mean \"--%s\"?",
                                    argument, best);
    free(help);
    return code;
}

static int unknown_command(const char *name)
{
    const char *script = getenv("TROUPE_SCRIPT_COMMANDS"); /* those of ./troupe in the sources */
    char *others = strdup(script != NULL ? script : "");
    char *rest = NULL;
    tpi_nearest nearest;
    char hint[96];

    tpi_nearest_init(&nearest, name);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        tpi_nearest_offer(&nearest, commands[i]->name);
    }
    for (char *word = others != NULL ? strtok_r(others, " ", &rest) : NULL; word != NULL;
         word = strtok_r(NULL, " ", &rest)) {
        tpi_nearest_offer(&nearest, word);
    }
    fprintf(stderr, "troupe: there is no command \"%s\"%s\n", name,
            tpi_nearest_hint(&nearest, hint, sizeof hint));
    fprintf(stderr, "Try: %s --help\n", called());
    free(others);
    return EXIT_USAGE;
}

/* What was printed has to have arrived: a full disk is a failure. A reader who has seen enough, as
 * head(1), is none. */
static int finish(const char *name, int result)
{
    if ((fflush(stdout) != 0 || ferror(stdout)) && !output_is_gone()) {
        return command_fail(name, EXIT_FAILED, "cannot write the output");
    }
    return result;
}

static bool asks_for_help(const char *argument)
{
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

int main(int argc, char **argv)
{
    called_set(argc > 0 ? argv[0] : NULL, getenv("TROUPE_COMMAND"));
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    if (asks_for_help(argv[1]) || strcmp(argv[1], "help") == 0) {
        const command *topic = argc > 2 ? find_command(argv[2]) : NULL;
        if (topic != NULL) {
            print_text(stdout, topic->help);
        } else {
            print_usage(stdout);
        }
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("troupe " TROUPE_VERSION);
        return EXIT_DONE;
    }
    const command *chosen = find_command(argv[1]);
    if (chosen == NULL) {
        return unknown_command(argv[1]);
    }
    for (int i = 2; i < argc; i++) {
        if (asks_for_help(argv[i])) {
            print_text(stdout, chosen->help);
            return EXIT_DONE;
        }
    }
    return finish(chosen->name, chosen->run(argc - 2, argv + 2));
}
