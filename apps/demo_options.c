/* demo_options.c - the command line of troupe demo; see demo_options.h. */
#include "demo_options.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "commands.h"
#include "sim/host/host.h"
#include "worlds.h"

static const char name[] = "demo";

static const double most_seconds = 1e6;

static int read_number(const char *what, const char *text, double least, double most, double *value)
{
    char *end = NULL;

    *value = strtod(text, &end);
    if (*end != '\0' || end == text || !(*value >= least && *value <= most)) {
        return command_fail(name, EXIT_USAGE, "\"%s\" is no %s", text, what);
    }
    return EXIT_DONE;
}

static int read_threads(struct demo_options *o, const char *text)
{
    uint64_t value = 1;
    const int result =
        command_read_whole(name, "number of threads", text, 1, TPI_SIM_MOST_THREADS, &value);

    o->threads = (uint32_t)value;
    return result;
}

static int read_valued(struct demo_options *o, int argc, char **argv, int *i)
{
    const char *option = argv[*i];
    const char *value = command_value(name, argc, argv, i);

    if (value == NULL) {
        return EXIT_USAGE;
    }
    if (strcmp(option, "--seconds") == 0) {
        return read_number("number of seconds", value, 1e-3, most_seconds, &o->seconds);
    }
    if (strcmp(option, "--speed") == 0) {
        return read_number("speed", value, 0, TPI_SIM_FASTEST, &o->speed);
    }
    if (strcmp(option, "--seed") == 0) {
        return command_read_whole(name, "seed", value, 0, INT64_MAX, &o->seed);
    }
    if (strcmp(option, "--threads") == 0) {
        return read_threads(o, value);
    }
    o->file = value;
    return world_is_picture(value)
               ? EXIT_DONE
               : command_fail(name, EXIT_USAGE, "\"%s\" is neither .png nor .svg", value);
}

/* Options with a value, without their dashes. */
static const char *const valued[] = {"seconds", "speed", "render", "seed", "threads"};

enum { VALUED = sizeof valued / sizeof valued[0] };

static bool takes_value(const char *option)
{
    size_t i = 0;

    while (i < VALUED && (strncmp(option, "--", 2) != 0 || strcmp(option + 2, valued[i]) != 0)) {
        i++;
    }
    return i < VALUED;
}

static int unexpected(const char *option)
{
    tpi_nearest nearest;

    tpi_nearest_init(&nearest, option + strspn(option, "-"));
    for (size_t i = 0; option[0] == '-' && i < VALUED; i++) {
        tpi_nearest_offer(&nearest, valued[i]);
    }
    if (option[0] == '-') {
        tpi_nearest_offer(&nearest, "headless");
        tpi_nearest_offer(&nearest, "terminal");
    }
    return command_unexpected(name, option, nearest.best);
}

int demo_options_read(struct demo_options *o, int argc, char **argv)
{
    int result = EXIT_DONE;

    for (int i = 0; i < argc && result == EXIT_DONE; i++) {
        if (strcmp(argv[i], "--headless") == 0) {
            o->headless = true;
        } else if (strcmp(argv[i], "--terminal") == 0) {
            o->terminal = true;
        } else if (takes_value(argv[i])) {
            result = read_valued(o, argc, argv, &i);
        } else if (argv[i][0] == '-' || o->world != NULL) {
            result = unexpected(argv[i]);
        } else {
            o->world = argv[i];
        }
    }
    return result;
}
