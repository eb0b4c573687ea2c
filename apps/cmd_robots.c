/* cmd_robots.c - troupe robots: robots that are files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "output.h"
#include "robots_text.h"
#include "table.h"
#include "universal/example.h"
#include "universal/host/files.h"

static const char name[] = "robots";

/* ---- Lists ---- */

/* Call something for each robot that can be found; an exit code. */
static int for_each(int (*visit)(void *context, const char *robot, const tpi_loaded *loaded),
                    void *context)
{
    tpi_buf names = {0};
    const unsigned count = tpi_files_names(&names);
    const char *at = tpi_buf_text(&names);
    int result = names.failed ? EXIT_FAILED : EXIT_DONE;

    for (unsigned i = 0; i < count && !names.failed; i++, at += strlen(at) + 1) {
        tpi_loaded *loaded = calloc(1, sizeof *loaded);
        tp_error err = {0};
        if (loaded == NULL || tpi_loaded_init(loaded, at, NULL, &err) != TP_OK) {
            result =
                command_fail(name, EXIT_FAILED, "%s", loaded == NULL ? "out of memory" : err.text);
        } else {
            visit(context, at, loaded);
        }
        if (loaded != NULL) {
            tpi_loaded_fini(loaded);
        }
        free(loaded);
    }
    tpi_buf_fini(&names);
    return result;
}

static int list_one(void *context, const char *robot, const tpi_loaded *loaded)
{
    unsigned possible, all;

    robots_count(loaded->wired, &possible, &all);
    table_cell(context, "%s", robot);
    table_cell(context, "%u", loaded->wired->part_count);
    table_cell(context, "%u of %u", possible, all);
    table_cell(context, "%s", loaded->robot->links[0].kind);
    table_cell(context, "%s", loaded->robot->identity.title);
    return EXIT_DONE;
}

static int list(void)
{
    static const char *const headings[] = {"NAME", ">DEVICES", ">COMMANDS", "LINK", "TITLE", NULL};
    struct table table;
    tpi_buf out = {0};

    table_init(&table, headings);
    const int result = for_each(list_one, &table);
    table_put(&out, &table, 0, 0);
    table_fini(&table);
    const int written = command_write(name, &out);
    return result != EXIT_DONE ? result : written;
}

/* ---- The matrix ---- */

enum { MOST_ROBOTS = 32 };

struct matrix {
    unsigned count;
    char names[MOST_ROBOTS][48];
    const char *cells[MOST_ROBOTS][TPI_COMMANDS];
};

static int matrix_one(void *context, const char *robot, const tpi_loaded *loaded)
{
    struct matrix *matrix = context;

    if (matrix->count < MOST_ROBOTS) {
        snprintf(matrix->names[matrix->count], sizeof matrix->names[0], "%s", robot);
        for (int i = 0; i < TPI_COMMANDS; i++) {
            matrix->cells[matrix->count][i] = robots_best(loaded->wired, (tpi_command)i);
        }
        matrix->count++;
    }
    return EXIT_DONE;
}

/* A column for a robot that is named; an exit code. */
static int matrix_add(struct matrix *matrix, const char *robot)
{
    tpi_loaded *loaded = calloc(1, sizeof *loaded);
    tp_error err = {0};
    int result = EXIT_DONE;

    if (loaded == NULL || tpi_loaded_init(loaded, robot, NULL, &err) != TP_OK) {
        result = command_fail(name, EXIT_FAILED, "%s", loaded == NULL ? "out of memory" : err.text);
    } else {
        matrix_one(matrix, loaded->robot->identity.name, loaded);
    }
    if (loaded != NULL) {
        tpi_loaded_fini(loaded);
    }
    free(loaded);
    return result;
}

/* A table of Markdown, so that the same text stands in the documents. Of all robots, or of those
 * that are named. */
static int matrix(int argc, char **argv)
{
    struct matrix *matrix = calloc(1, sizeof *matrix);
    tpi_buf out = {0};

    if (matrix == NULL) {
        return command_fail(name, EXIT_FAILED, "out of memory");
    }
    int result = argc == 0 ? for_each(matrix_one, matrix) : EXIT_DONE;
    for (int i = 0; i < argc; i++) {
        result = matrix_add(matrix, argv[i]) != EXIT_DONE ? EXIT_FAILED : result;
    }
    if (matrix->count == 0) {
        free(matrix);
        return result;
    }
    tpi_buf_puts(&out, "| command |");
    for (unsigned i = 0; i < matrix->count; i++) {
        tpi_buf_printf(&out, " %s |", matrix->names[i]);
    }
    tpi_buf_puts(&out, "\n|---|");
    for (unsigned i = 0; i < matrix->count; i++) {
        tpi_buf_puts(&out, "---|");
    }
    tpi_buf_putc(&out, '\n');
    for (int i = 0; i < TPI_COMMANDS; i++) {
        tpi_buf_printf(&out, "| %s |", tpi_dictionary_entry((tpi_command)i)->name);
        for (unsigned j = 0; j < matrix->count; j++) {
            tpi_buf_printf(&out, " %s |", matrix->cells[j][i]);
        }
        tpi_buf_putc(&out, '\n');
    }
    free(matrix);
    const int written = command_write(name, &out);
    return result != EXIT_DONE ? result : written;
}

/* ---- Checking ---- */

static void tell(void *context, const char *text)
{
    (void)context;
    (void)command_fail(name, EXIT_FAILED, "%s", text);
}

static void tell_size(const char *path, const tpi_loaded *loaded, unsigned examples)
{
    if (loaded->wiring_path != NULL) {
        printf("%s: a wiring of %s, %u device%s\n", path, loaded->robot->identity.name,
               loaded->wired->part_count, output_plural(loaded->wired->part_count));
    } else {
        printf("%s: %u device%s, %u translation%s, %u example%s\n", path, loaded->wired->part_count,
               output_plural(loaded->wired->part_count), loaded->robot->translation_count,
               output_plural(loaded->robot->translation_count), examples, output_plural(examples));
    }
    fflush(stdout);
}

/* Load a robot file or a wiring file, run the examples; report all mistakes. */
static tp_status load_all(tpi_loaded *out, const char *path, unsigned *examples, tp_error *err)
{
    char robot[TPI_MOST_PATH];
    tp_status status = tpi_files_wired_robot(robot, path, err);

    if (status == TP_OK) {
        status = robot[0] != '\0' ? tpi_loaded_init(out, robot, path, err)
                                  : tpi_loaded_init(out, path, NULL, err);
    }
    return status == TP_OK && robot[0] == '\0'
               ? tpi_examples_run_all(out->robot, examples, out->mistakes, err)
               : status;
}

/* Print all mistakes of a file; those of a stage, since a later one would only repeat them. */
static int check_one(const char *path)
{
    tpi_loaded *loaded = calloc(1, sizeof *loaded);
    tpi_mistakes mistakes = {.tell = tell};
    unsigned examples = 0;
    tp_error err = {0};
    int result = EXIT_DONE;

    if (loaded == NULL) {
        return command_fail(name, EXIT_FAILED, "out of memory");
    }
    loaded->mistakes = &mistakes;
    const tp_status status = load_all(loaded, path, &examples, &err);
    if (status != TP_OK && mistakes.count == 0) {
        result = command_fail(name, EXIT_FAILED, "%s", err.text);
    } else if (mistakes.count > 0) {
        result = mistakes.count == 1
                     ? EXIT_FAILED
                     : command_fail(name, EXIT_FAILED, "%s: %u mistakes", path, mistakes.count);
    } else {
        tell_size(path, loaded, examples);
    }
    tpi_loaded_fini(loaded);
    free(loaded);
    return result;
}

/* All robot and wiring files of a folder, or one. */
static int check_path(const char *path)
{
    tpi_buf paths = {0};
    const int count = tpi_files_in(&paths, path);
    const char *at = tpi_buf_text(&paths);
    int result = EXIT_DONE;

    if (count == 0) {
        result = command_fail(name, EXIT_FAILED, "%s: no robot files (*.xml) in this folder", path);
    }
    for (int i = 0; i < count && !paths.failed; i++, at += strlen(at) + 1) {
        result = check_one(at) != EXIT_DONE ? EXIT_FAILED : result;
    }
    tpi_buf_fini(&paths);
    return count >= 0 ? result : check_one(path);
}

static int check(int argc, char **argv)
{
    int result = EXIT_DONE;

    if (argc == 0) {
        return command_fail(name, EXIT_USAGE, "which files?");
    }
    for (int i = 0; i < argc; i++) {
        if (check_path(argv[i]) != EXIT_DONE) {
            result = EXIT_FAILED;
        }
    }
    return result;
}

/* ---- One robot ---- */

static int show(const char *robot, const char *wiring)
{
    tpi_loaded *loaded = calloc(1, sizeof *loaded);
    tpi_buf out = {0};
    tp_error err = {0};
    int result;

    if (loaded == NULL) {
        return command_fail(name, EXIT_FAILED, "out of memory");
    }
    if (tpi_loaded_init(loaded, robot, wiring, &err) != TP_OK) {
        result = command_fail(name, EXIT_FAILED, "%s", err.text);
    } else {
        robots_put(&out, loaded->wired);
        result = command_write_wrapped(name, &out);
    }
    tpi_loaded_fini(loaded);
    free(loaded);
    return result;
}

static int commands(bool as_page)
{
    tpi_buf out = {0};

    if (as_page) {
        robots_put_page(&out);
    } else {
        robots_put_commands(&out);
    }
    return as_page ? command_write(name, &out) : command_write_wrapped(name, &out);
}

static int run(int argc, char **argv)
{
    const char *robot = NULL, *wiring = NULL;

    if (argc > 0 && strcmp(argv[0], "--check") == 0) {
        return check(argc - 1, argv + 1);
    }
    if (argc > 0 && strcmp(argv[0], "--commands") == 0 &&
        (argc == 1 || (argc == 2 && strcmp(argv[1], "--markdown") == 0))) {
        return commands(argc == 2);
    }
    if (argc > 0 && strcmp(argv[0], "--matrix") == 0) {
        return argc > 1 && argv[1][0] == '-' ? command_unexpected(name, argv[1], NULL)
                                             : matrix(argc - 1, argv + 1);
    }
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--wiring") == 0) {
            wiring = command_value(name, argc, argv, &i);
            if (wiring == NULL) {
                return EXIT_USAGE;
            }
        } else if (argv[i][0] == '-' || robot != NULL) {
            return command_unexpected(name, argv[i], NULL);
        } else {
            robot = argv[i];
        }
    }
    if (robot == NULL && wiring != NULL) {
        return command_fail(name, EXIT_USAGE, "which robot?");
    }
    return robot != NULL ? show(robot, wiring) : list();
}

const command command_robots = {
    .name = name,
    .summary = "robots that are files: list, describe, check",
    .help =
        "usage: troupe robots                           list the robots\n"
        "       troupe robots NAME [--wiring FILE]      its devices, and how each command is done\n"
        "       troupe robots --check FILE|FOLDER...    validate robot files and wiring files, "
        "run\n"
        "                                               the examples of robot files\n"
        "       troupe robots --matrix [NAME...]        every command on every robot, or on these\n"
        "       troupe robots --commands [--markdown]   the universal commands\n"
        "\n"
        "A robot is a name or the path of a robot file. Names are looked for in the folders of\n"
        "TROUPE_ROBOT_PATH, then in those that come with Troupe. robot-files.md describes the\n"
        "format.\n"
        "\n"
        "Example: troupe robots nxt\n",
    .run = run,
};
