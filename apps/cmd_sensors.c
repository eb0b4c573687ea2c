/* cmd_sensors.c - troupe sensors: manifests of sensors: list, describe, check. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "commands.h"
#include "output.h"
#include "sensors/host/files.h"
#include "sensors/plan.h"
#include "sensors_text.h"
#include "table.h"

static const char name[] = "sensors";

/* ---- The list -------------------------------------------------------------------------------- */

static int list_one(struct table *table, const char *sensor)
{
    tpi_manifest *manifest = NULL;
    tpi_buf channels = {0};
    tp_error err = {0};

    if (tpi_sensor_files_read(&manifest, NULL, sensor, NULL, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    sensors_put_short(&channels, manifest);
    table_cell(table, "%s", sensor);
    table_cell(table, "%s", manifest->uuid);
    table_cell(table, "%u", manifest->transducer_count);
    table_cell(table, "%s", tpi_buf_text(&channels));
    tpi_buf_fini(&channels);
    tpi_manifest_destroy(manifest);
    return EXIT_DONE;
}

static int list(void)
{
    static const char *const headings[] = {"NAME", "UUID", ">CHANNELS", "MEASURES", NULL};
    struct table table;
    tpi_buf names = {0};
    tpi_buf out = {0};
    const unsigned count = tpi_sensor_files_names(&names);
    const char *at = tpi_buf_text(&names);
    int result = EXIT_DONE;

    table_init(&table, headings);
    for (unsigned i = 0; i < count && !names.failed; i++, at += strlen(at) + 1) {
        result = list_one(&table, at) != EXIT_DONE ? EXIT_FAILED : result;
    }
    table_put(&out, &table, 0, 0);
    table_fini(&table);
    tpi_buf_fini(&names);
    const int written = command_write_wrapped(name, &out);
    return result != EXIT_DONE ? result : written;
}

/* ---- One ------------------------------------------------------------------------------------- */

static int show(const char *sensor)
{
    tpi_manifest *manifest = NULL;
    tpi_buf out = {0};
    tp_error err = {0};

    if (tpi_sensor_files_read(&manifest, NULL, sensor, NULL, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    sensors_put(&out, manifest);
    tpi_manifest_destroy(manifest);
    return command_write_wrapped(name, &out);
}

/* The source of a firmware. */
static int code(const char *sensor)
{
    tpi_manifest *manifest = NULL;
    tpi_buf out = {0};
    tp_error err = {0};

    if (tpi_sensor_files_read(&manifest, NULL, sensor, NULL, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    const tpi_sensor_plan *plan = tpi_sensor_plan_make(manifest, 0);
    if (plan != NULL) {
        tpi_sensor_plan_put_code(manifest, plan, &out);
    }
    out.failed = out.failed || plan == NULL;
    tpi_manifest_destroy(manifest);
    return command_write(name, &out);
}

static void print_mistake(void *context, const char *text)
{
    (void)context;
    (void)command_fail(name, EXIT_FAILED, "%s", text);
}

static int check_one(const char *sensor)
{
    tpi_mistakes mistakes = {.tell = print_mistake};
    tpi_manifest *manifest = NULL;
    tp_error err = {0};

    if (tpi_sensor_files_read(&manifest, NULL, sensor, &mistakes, &err) != TP_OK) {
        return mistakes.count == 0 ? command_fail(name, EXIT_FAILED, "%s", err.text)
               : mistakes.count == 1
                   ? EXIT_FAILED
                   : command_fail(name, EXIT_FAILED, "%s: %u mistakes", sensor, mistakes.count);
    }
    printf("%s: %s, %u channel%s\n", sensor, manifest->uuid, manifest->transducer_count,
           output_plural(manifest->transducer_count));
    (void)fflush(stdout);
    tpi_manifest_destroy(manifest);
    return EXIT_DONE;
}

static int check(int argc, char **argv)
{
    int result = EXIT_DONE;

    if (argc == 0) {
        return command_fail(name, EXIT_USAGE, "which files?");
    }
    for (int i = 0; i < argc; i++) {
        result = check_one(argv[i]) != EXIT_DONE ? EXIT_FAILED : result;
    }
    return result;
}

static int fail_unexpected(const char *what, int argc, char **argv)
{
    static const char *const parts[] = {"list", "show", "check", "code"};
    tpi_nearest nearest;
    char hint[96];

    tpi_nearest_init(&nearest, what);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strcmp(what, parts[i]) == 0) {
            return command_unexpected(name, argv[argc > 2 ? 2 : 1], NULL);
        }
        tpi_nearest_offer(&nearest, parts[i]);
    }
    return what[0] == '-' ? command_unexpected(name, what, NULL)
                          : command_fail(name, EXIT_USAGE, "there is no \"%s\"%s", what,
                                         tpi_nearest_hint(&nearest, hint, sizeof hint));
}

static int run(int argc, char **argv)
{
    const char *what = argc > 0 ? argv[0] : "list";

    if (strcmp(what, "check") == 0) {
        return check(argc - 1, argv + 1);
    }
    if (strcmp(what, "list") == 0 && argc <= 1) {
        return list();
    }
    if (strcmp(what, "show") == 0 && argc == 2) {
        return show(argv[1]);
    }
    if (strcmp(what, "code") == 0 && argc == 2) {
        return code(argv[1]);
    }
    if ((strcmp(what, "show") == 0 || strcmp(what, "code") == 0) && argc < 2) {
        return command_fail(name, EXIT_USAGE, "which sensor?");
    }
    return fail_unexpected(what, argc, argv);
}

const command command_sensors = {
    .name = name,
    .summary = "sensors that describe themselves: list, show, check",
    .help =
        "usage: troupe sensors [list]             list the manifests\n"
        "       troupe sensors show NAME          what a manifest says: channels, units, modes\n"
        "       troupe sensors check FILE...      find all mistakes, with their lines\n"
        "       troupe sensors code NAME          C source of the plan, for a firmware\n"
        "\n"
        "A sensor is a name or the path of a manifest. Names are looked for in the folders of\n"
        "TROUPE_SENSOR_PATH, then in those that come with Troupe. sensors.md describes how to\n"
        "use sensors, sensor-protocol.md the format. \"troupe new sensor\" writes a manifest.\n"
        "\n"
        "Example: troupe sensors show nxt_light\n",
    .run = run,
};
