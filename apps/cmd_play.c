/* cmd_play.c - troupe play: universal programs are checked, formatted, explained, run. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "file_kind.h"
#include "output.h"
#include "play.h"
#include "play/bind.h"
#include "universal/host/files.h"

static const char name[] = PLAY_NAME;

static const char *const actions[] = {"--check",  "--format",      "--write",   "--blocks",
                                      "--text",   "--disassemble", "--explain", "--move",
                                      "--settle", "--claim",       "--table",   NULL};
static const char *const known[] = {
    "--check", "--format", "--write",  "--blocks", "--text",     "--disassemble", "--explain",
    "--on",    "--port",   "--wiring", "--map",    "--loose",    "--trace",       "--log",
    "--for",   "--seed",   "--upload", "--watch",  "--channels", "--from",        "--to",
    "--move",  "--settle", "--claim",  "--table",  "--lang",     "--json",        NULL};

/* ---- Sources --------------------------------------------------------------------------------- */

/* The program of a folder whose name is nearest to that of a file that is not there. */
static void find_nearest(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    const int length = slash != NULL ? (int)(slash - path) + 1 : 0;
    char folder[1024];
    unsigned least = UINT_MAX;
    struct dirent *entry;

    if (access(path, F_OK) == 0 || (size_t)length >= sizeof folder) {
        return;
    }
    memcpy(folder, path, (size_t)length);
    folder[length] = '\0';
    DIR *listing = opendir(length > 0 ? folder : ".");
    while (listing != NULL && (entry = readdir(listing)) != NULL) {
        const char *end = strrchr(entry->d_name, '.');
        if (end != NULL && strcmp(end, ".play") == 0) {
            tpi_nearest nearest;
            tpi_nearest_init(&nearest, path + length);
            tpi_nearest_offer(&nearest, entry->d_name);
            if (nearest.best != NULL && nearest.distance < least) {
                least = nearest.distance;
                (void)snprintf(out, size, "; did you mean %s%s?", folder, entry->d_name);
            }
        }
    }
    if (listing != NULL) {
        closedir(listing);
    }
}

int play_source_read(play_source *source, const char *path)
{
    tp_error err = {0};
    char hint[1400] = "";

    if (tpi_file_read_any(&source->text, path, TPI_PLAY_MOST_SOURCE, &err) != TP_OK) {
        find_nearest(path, hint, sizeof hint);
        return command_fail(name, EXIT_FAILED, "%s%s", err.text, hint);
    }
    if (tpi_files_vocabulary(&source->vocabulary, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    return EXIT_DONE;
}

void play_source_fini(play_source *source)
{
    tpi_play_program_fini(&source->program);
    tpi_vocabulary_destroy(source->vocabulary);
    tpi_buf_fini(&source->text);
}

int play_tell(const tpi_play_troubles *troubles, const char *path)
{
    const unsigned listed = tpi_play_trouble_count(troubles);
    tpi_buf out = {0};

    for (unsigned i = 0; i < listed; i++) {
        tpi_play_trouble_put(&out, path, &troubles->list[i]);
    }
    fflush(stdout);
    fputs(tpi_buf_text(&out), stderr);
    tpi_buf_fini(&out);
    if (troubles->no_memory) {
        return command_fail(name, EXIT_FAILED, "out of memory");
    }
    return command_fail(name, EXIT_FAILED, "%s: %u mistake%s%s", path, troubles->count,
                        output_plural(troubles->count),
                        troubles->count > listed ? ", the first 100 are listed" : "");
}

int play_source_compile(play_source *source, const char *path)
{
    tpi_play_troubles *troubles = calloc(1, sizeof *troubles);
    int result = EXIT_DONE;

    if (troubles == NULL) {
        return command_fail(name, EXIT_FAILED, "out of memory");
    }
    if (!tpi_play_compile(&source->program, tpi_buf_text(&source->text), source->text.length,
                          source->vocabulary, troubles)) {
        result = play_tell(troubles, path);
    }
    free(troubles);
    return result;
}

/* ---- Checking -------------------------------------------------------------------------------- */

static int print_check(const play_options *options, const play_source *source)
{
    const unsigned size = (unsigned)source->program.image.length;

    printf("%s: no mistakes; %u of %u bytes of a chip%s\n", options->path, size,
           (unsigned)TPI_PLAY_CHIP_BYTES,
           size > TPI_PLAY_CHIP_BYTES ? ", too long for one; it runs on a computer" : "");
    return EXIT_DONE;
}

/* The mistakes as lines of JSON, to standard output. */
static int print_json(const play_options *options, play_source *source)
{
    tpi_play_troubles *troubles = calloc(1, sizeof *troubles);
    tpi_buf out = {0};

    if (troubles == NULL) {
        return command_fail(name, EXIT_FAILED, "out of memory");
    }
    const bool fine = tpi_play_compile(&source->program, tpi_buf_text(&source->text),
                                       source->text.length, source->vocabulary, troubles);
    for (unsigned i = 0; i < tpi_play_trouble_count(troubles); i++) {
        tpi_play_trouble_put_json(&out, options->path, &troubles->list[i]);
    }
    const int result = troubles->no_memory ? command_fail(name, EXIT_FAILED, "out of memory")
                                           : command_write(name, &out);
    tpi_buf_fini(&out);
    free(troubles);
    return result == EXIT_DONE && !fine ? EXIT_FAILED : result;
}

int play_explain(const play_options *options, const play_source *source)
{
    tpi_loaded loaded = {0};
    tpi_buf out = {0};
    tp_error err = {0};
    int result = EXIT_DONE;

    if (options->robot == NULL) {
        return command_fail(name, EXIT_USAGE, "on which robot? --on ROBOT");
    }
    tp_status status = tpi_loaded_init(&loaded, options->robot, options->wiring, &err);
    for (unsigned i = 0; status == TP_OK && i < options->map_count; i++) {
        status = tpi_wired_map(loaded.wired, options->maps[i], &err);
    }
    if (status != TP_OK) {
        result = command_fail(name, EXIT_FAILED, "%s", err.text);
    } else {
        const unsigned missing =
            tpi_play_explain(&out, &source->program, loaded.wired, options->is_loose, &err);
        result = command_write(name, &out);
        if (missing > 0) {
            fflush(stdout);
            result = command_fail(name, EXIT_FAILED, "%s does not play on %s: %s", options->path,
                                  options->robot, err.text);
        }
    }
    tpi_buf_fini(&out);
    tpi_loaded_fini(&loaded);
    return result;
}

static int act(const play_options *options)
{
    play_source source = {0};
    tpi_buf out = {0};
    int result = play_source_read(&source, options->path);

    if (result != EXIT_DONE) {
        play_source_fini(&source);
        return result;
    }
    const char *action = options->action != NULL ? options->action : "";
    const char *text = tpi_buf_text(&source.text);
    if (strcmp(action, "--text") != 0 && text[strspn(text, " \t\r\n")] == '{') {
        result = command_fail(name, EXIT_FAILED,
                              "%s: these are blocks; --text prints the program they stand for",
                              options->path);
    } else if (strcmp(action, "--text") == 0 || strcmp(action, "--format") == 0 ||
               strcmp(action, "--write") == 0 || strcmp(action, "--blocks") == 0) {
        result = play_convert(options, &source);
    } else if (options->is_json) {
        result = print_json(options, &source);
    } else {
        result = play_source_compile(&source, options->path);
        if (result != EXIT_DONE) {
            result = EXIT_FAILED;
        } else if (strcmp(action, "--check") == 0) {
            result = print_check(options, &source);
        } else if (strcmp(action, "--disassemble") == 0) {
            tpi_play_disassemble(&out, (const uint8_t *)source.program.image.data, &source.program);
            result = command_write(name, &out);
        } else if (strcmp(action, "--explain") == 0) {
            result = play_explain(options, &source);
        } else if (options->upload != NULL) {
            result = play_upload(options, &source);
        } else {
            result = play_run(options, &source);
        }
    }
    play_source_fini(&source);
    return result;
}

/* ---- The command line ------------------------------------------------------------------------ */

static bool is_action(const char *argument)
{
    for (unsigned i = 0; actions[i] != NULL; i++) {
        if (strcmp(actions[i], argument) == 0) {
            return true;
        }
    }
    return false;
}

/* An option with a text; NULL if it is none. */
static const char **text_of(play_options *options, const char *option)
{
    return strcmp(option, "--on") == 0         ? &options->robot
           : strcmp(option, "--port") == 0     ? &options->port
           : strcmp(option, "--wiring") == 0   ? &options->wiring
           : strcmp(option, "--log") == 0      ? &options->log
           : strcmp(option, "--channels") == 0 ? &options->channels
           : strcmp(option, "--from") == 0     ? &options->from
           : strcmp(option, "--to") == 0       ? &options->to
           : strcmp(option, "--upload") == 0   ? &options->upload
           : strcmp(option, "--lang") == 0     ? &options->lang
           : strcmp(option, "--map") == 0 && options->map_count < PLAY_MOST_MAPS
               ? &options->maps[options->map_count++]
               : NULL;
}

static int read_option(play_options *options, int argc, char **argv, int *i)
{
    const char *option = argv[*i];
    int64_t seed = 0;

    if (remote_has_option(option)) {
        options->has_url |= strcmp(option, "--url") == 0 || strcmp(option, "-u") == 0;
        return remote_option(options->remote, argc, argv, i);
    }
    if (is_action(option)) {
        if (options->action != NULL) {
            return command_fail(name, EXIT_USAGE, "%s or %s?", options->action, option);
        }
        options->action = option;
        return EXIT_DONE;
    }
    const char **text = text_of(options, option);
    if (text != NULL) {
        *text = command_value(name, argc, argv, i);
        return *text != NULL ? EXIT_DONE : EXIT_USAGE;
    }
    if (strcmp(option, "--for") == 0) {
        return command_positive(name, argc, argv, i, &options->seconds);
    }
    if (strcmp(option, "--seed") == 0) {
        const int result = command_whole(name, argc, argv, i, &seed);
        options->seed = (uint32_t)seed;
        return result;
    }
    options->is_loose |= strcmp(option, "--loose") == 0;
    options->trace |= strcmp(option, "--trace") == 0;
    options->watch |= strcmp(option, "--watch") == 0;
    options->is_json |= strcmp(option, "--json") == 0;
    return strcmp(option, "--json") == 0 || strcmp(option, "--loose") == 0 ||
                   strcmp(option, "--trace") == 0 || strcmp(option, "--watch") == 0
               ? EXIT_DONE
               : remote_unexpected(options->remote, option, known);
}

/* A robot file, a world or another file that is no program. */
static int check_kind(const char *path)
{
    static const char *const wanted[] = {".play", NULL};
    tpi_buf text = {0};
    const int result = file_kind_put_other(&text, path, wanted, "program")
                           ? command_fail(name, EXIT_FAILED, "%s", tpi_buf_text(&text))
                           : EXIT_DONE;

    tpi_buf_fini(&text);
    return result;
}

static int read_arguments(play_options *options, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        if (argv[i][0] == '-' && argv[i][1] != '\0') {
            const int result = read_option(options, argc, argv, &i);
            if (result != EXIT_DONE) {
                return result;
            }
        } else if (options->path != NULL) {
            return command_unexpected(name, argv[i], NULL);
        } else {
            options->path = argv[i];
        }
    }
    if (options->lang != NULL && (options->action == NULL || !play_converts(options))) {
        return command_fail(name, EXIT_USAGE,
                            "--lang is for --format, --write, --blocks and --text");
    }
    if (options->is_json && (options->action == NULL || strcmp(options->action, "--check") != 0)) {
        return command_fail(name, EXIT_USAGE, "--json is for --check");
    }
    const bool is_repl = options->action == NULL &&
                         (options->robot != NULL || options->port != NULL || options->has_url);
    if (options->path == NULL && !is_repl &&
        !(options->action != NULL &&
          (strcmp(options->action, "--blocks") == 0 || strcmp(options->action, "--table") == 0))) {
        return command_fail(name, EXIT_USAGE, "which program?");
    }
    return options->path != NULL ? check_kind(options->path) : EXIT_DONE;
}

static bool is_move(const play_options *options)
{
    return options->action != NULL &&
           (strcmp(options->action, "--move") == 0 || strcmp(options->action, "--settle") == 0 ||
            strcmp(options->action, "--claim") == 0);
}

static bool is_table(const play_options *options)
{
    return options->action != NULL && strcmp(options->action, "--table") == 0;
}

static int run(int argc, char **argv)
{
    struct remote remote = {0};
    play_options options = {.remote = &remote, .seed = 1};
    int result = remote_init(&remote, name);

    if (result == EXIT_DONE) {
        result = read_arguments(&options, argc, argv);
    }
    if (result == EXIT_DONE) {
        result = is_move(&options)        ? play_move(&options)
                 : is_table(&options)     ? play_table(&options)
                 : options.path != NULL   ? act(&options)
                 : options.action != NULL ? play_describe(&options)
                                          : play_run(&options, NULL);
    }
    remote_fini(&remote);
    return result;
}

const command command_play = {
    .name = name,
    .summary = "run a universal program on any robot",
    .help =
        "usage: troupe play PROGRAM --on ROBOT --port LINE [OPTIONS]\n"
        "       troupe play PROGRAM --url URL [OPTIONS]\n"
        "       troupe play PROGRAM --upload LINE [--watch]\n"
        "       troupe play --on ROBOT --port LINE   (one line at a time)\n"
        "       troupe play PROGRAM --check [--json] | --format | --write | --blocks | "
        "--disassemble\n"
        "       troupe play PROGRAM --explain --on ROBOT [--wiring FILE] [--map CLASS=PLACE]\n"
        "       troupe play --move PROGRAM --from URL --to URL\n"
        "       troupe play --settle ID --from URL --to URL    troupe play --claim ID --from URL\n"
        "       troupe play --table\n"
        "       troupe play BLOCKS --text        troupe play --blocks\n"
        "       troupe play PROGRAM --format --lang de\n"
        "\n"
        "Runs a program of the language of docs/play.md. It prints how each device of the program\n"
        "was matched to the robot before anything moves. Ctrl-C stops the robot.\n"
        "\n"
        "Without --on and --port, the robot is that of the server of --url; a URL can end with\n"
        "/universal:N. The program does not run if there are several and none is named.\n"
        "\n"
        "  --on ROBOT      the robot: a name (troupe robots lists them) or a robot file\n"
        "  --port LINE     its line: serial:/dev/rfcomm0, tcp:HOST:PORT, emulate:nxt?world=NAME;\n"
        "                  sim:WORLD/ROBOT for a robot of a simulated world, without --on\n"
        "  --wiring FILE   what is plugged in where\n"
        "  --map CLASS=PLACE  the same for one class; may be repeated\n"
        "  --loose         actuators may fall back to generic classes, percent may stand for "
        "units\n"
        "  --trace         print each command, how it was translated, and its bytes\n"
        "  --log FILE      where `log` writes: CSV with time, name and value, or a recording if "
        "FILE\n"
        "                  ends in .mcap\n"
        "  --channels URL  the server whose blackboard carries messages; default: that of --url\n"
        "  --for S         end after S seconds\n"
        "  --upload LINE   put it into a chip at serial:/dev/ttyACM0, where it runs alone: an "
        "Arduino\n"
        "                  Uno with Troupe's firmware (docs/guide/chips.md); --on uno is the "
        "default\n"
        "  --watch         with --upload: print what the program prints, until it ends or Ctrl-C\n"
        "  --seed N        begin of the random numbers (1)\n"
        "\n"
        "  --check         print all mistakes, or the size of the compiled program; with --json\n"
        "                  each mistake is an object of JSON on a line of standard output\n"
        "  --format        print the program in the one layout; --write replaces the file\n"
        "  --blocks        print the program as blocks (JSON); without a program all kinds of "
        "blocks\n"
        "  --text          print the program that blocks stand for\n"
        "  --lang LANG     with these: the words in another language: en, de (German), fr "
        "(French)\n"
        "  --disassemble   print the instructions\n"
        "  --move          move a program that runs in the server --from to the server --to, where "
        "it\n"
        "                  goes on with another robot; PROGRAM is its name there. A URL can end "
        "with\n"
        "                  /program:N. --settle ends a move that was cut, --claim decides for one\n"
        "                  server if the other one is lost\n"
        "  --table         print which of Troupe's programs fit which robots\n"
        "  --explain       print how the devices are matched on a robot; no robot is needed\n"
        "\n" REMOTE_OPTIONS_HELP,
    .run = run,
};
