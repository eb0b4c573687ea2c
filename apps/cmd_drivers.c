/* cmd_drivers.c - troupe drivers and fronts: what is built in or in a plug-in, with parameters. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "commands.h"
#include "server/plugin.h"
#include "troupe/server.h"

static void put_params(tpi_buf *out, const tp_param *param)
{
    for (; param != NULL && param->name != NULL; param++) {
        tpi_buf_printf(out, "  %-16s %-8s %-12s %s\n", param->name,
                       param->unit == NULL ? "" : param->unit,
                       param->fallback == NULL ? "(required)" : param->fallback, param->doc);
    }
}

/* ---- Drivers and fronts alike ---------------------------------------------------------------- */

/* What a command lists. */
struct kind {
    const char *command;
    tpi_plugin_kind plugin;
    const void *(*at)(size_t i); /* built in; NULL behind the last */
    const char *(*name)(const void *part);
    const char *(*summary)(const void *part);
    void (*put)(tpi_buf *out, const void *part);
};

static const void *driver_at(size_t i)
{
    return tp_full_kit.drivers[i];
}

static const char *driver_name(const void *part)
{
    return ((const tp_driver *)part)->name;
}

static const char *driver_summary(const void *part)
{
    return ((const tp_driver *)part)->summary;
}

static void put_driver(tpi_buf *out, const void *part)
{
    const tp_driver *driver = part;

    tpi_buf_printf(out, "%s - %s\n", driver->name, driver->summary);
    put_params(out, driver->params);
}

static const void *front_at(size_t i)
{
    return tp_full_kit.fronts[i];
}

static const char *front_name(const void *part)
{
    return ((const tp_front *)part)->name;
}

static const char *front_summary(const void *part)
{
    return ((const tp_front *)part)->summary;
}

static void put_front(tpi_buf *out, const void *part)
{
    const tp_front *front = part;

    tpi_buf_printf(out, "%s - %s\n", front->name, front->summary);
    tpi_buf_printf(out, "  %-16s", "schemes");
    for (const char *const *scheme = front->schemes; *scheme != NULL; scheme++) {
        tpi_buf_printf(out, " %s", *scheme);
    }
    if ((front->flags & TP_FRONT_PER_ROBOT) != 0) {
        tpi_buf_printf(out, "\n  %-16s each robot's own number\n", "port");
    } else {
        tpi_buf_printf(out, "\n  %-16s %u\n", "port", front->port);
    }
    put_params(out, front->params);
}

static const struct kind drivers = {"drivers",   TPI_PLUGIN_DRIVER, driver_at,
                                    driver_name, driver_summary,    put_driver};
static const struct kind fronts = {"fronts",   TPI_PLUGIN_FRONT, front_at,
                                   front_name, front_summary,    put_front};

/* ---- Plug-ins -------------------------------------------------------------------------------- */

/* "/path/libkmot.so" is about kmot, unless it is said otherwise. */
static void name_after_file(char *out, size_t size, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;

    base += strncmp(base, "lib", 3) == 0 ? 3 : 0;
    snprintf(out, size, "%.*s", (int)strcspn(base, "."), base);
}

static int print_plugin(const struct kind *kind, const char *file, const char *name)
{
    tpi_plugin *plugin = NULL;
    const void *part = NULL;
    tpi_buf path = {0};
    tpi_buf out = {0};
    tp_error err = {0};
    tp_status status = TP_E_UNKNOWN;

    if (tpi_plugin_find(&path, file, "")) {
        status = tpi_plugin_open(&plugin, path.data, &err);
    } else {
        tp_fail(&err, status, "there is no plug-in \"%s\"; looked in %s", file,
                tpi_buf_text(&path));
    }
    status = status == TP_OK ? tpi_plugin_get(plugin, kind->plugin, name, &part, &err) : status;
    if (status == TP_OK) {
        kind->put(&out, part);
    }
    tpi_plugin_close(plugin);
    tpi_buf_fini(&path);
    return status == TP_OK ? command_write_wrapped(kind->command, &out)
                           : command_fail(kind->command, EXIT_FAILED, "%s", err.text);
}

/* --plugin FILE [NAME] */
static int run_plugin(const struct kind *kind, int argc, char **argv)
{
    char name[64];

    if (argc < 2 || argc > 3) {
        return command_fail(kind->command, EXIT_USAGE, "expected --plugin FILE [NAME]");
    }
    name_after_file(name, sizeof name, argv[1]);
    return print_plugin(kind, argv[1], argc == 3 ? argv[2] : name);
}

/* ---- Command line ---------------------------------------------------------------------------- */

static int run(const struct kind *kind, int argc, char **argv)
{
    bool found = argc == 0;
    tpi_nearest nearest;
    tpi_buf out = {0};
    char hint[96];

    if (argc > 0 && strcmp(argv[0], "--plugin") == 0) {
        return run_plugin(kind, argc, argv);
    }
    if (argc > 0 && argv[0][0] == '-') {
        return command_unexpected(kind->command, argv[0], NULL);
    }
    tpi_nearest_init(&nearest, argc > 0 ? argv[0] : "");
    for (size_t i = 0; kind->at(i) != NULL; i++) {
        const void *part = kind->at(i);
        if (argc == 0) {
            tpi_buf_printf(&out, "%-20s %s\n", kind->name(part), kind->summary(part));
        } else if (strcmp(argv[0], kind->name(part)) == 0) {
            kind->put(&out, part);
            found = true;
        } else {
            tpi_nearest_offer(&nearest, kind->name(part));
        }
    }
    return found ? command_write_wrapped(kind->command, &out)
                 : command_fail(kind->command, EXIT_FAILED, "there is no %s \"%s\"%s",
                                tpi_plugin_kind_name(kind->plugin), argv[0],
                                tpi_nearest_hint(&nearest, hint, sizeof hint));
}

static int run_drivers(int argc, char **argv)
{
    return run(&drivers, argc, argv);
}

static int run_fronts(int argc, char **argv)
{
    return run(&fronts, argc, argv);
}

const command command_drivers = {
    .name = "drivers",
    .summary = "list the built-in drivers",
    .help =
        "usage: troupe drivers [NAME]\n"
        "       troupe drivers --plugin FILE [NAME]\n"
        "\n"
        "Lists the drivers, or the parameters of one driver: a built-in one, or one of a plug-in,\n"
        "which is searched for as in a configuration. Without NAME, the driver has the name of "
        "the\n"
        "file.\n",
    .run = run_drivers,
};

const command command_fronts = {
    .name = "fronts",
    .summary = "list the built-in fronts",
    .help =
        "usage: troupe fronts [NAME]\n"
        "       troupe fronts --plugin FILE [NAME]\n"
        "\n"
        "Lists the fronts, which are the protocols that clients connect with, or the port and the\n"
        "parameters of one front: a built-in one, or one of a plug-in, which is searched for as "
        "in\n"
        "a configuration. Without NAME, the front has the name of the file.\n",
    .run = run_fronts,
};
