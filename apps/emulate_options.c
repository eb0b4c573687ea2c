/* emulate_options.c - the command line of troupe emulate; see emulate_options.h. */
#include "emulate_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "commands.h"
#include "worlds.h"

static const char name[] = EMULATE_NAME;

/* ---- Values ------------------------------------------------------------------------------------
 */

/* Those for a robot come behind it. */
static int no_robot(const char *option)
{
    return command_fail(name, EXIT_USAGE, "%s belongs behind the robot that it is for", option);
}

static int read_at(emulate_options *o, const char *text)
{
    tpi_scene_actor *actor = &o->actors[o->count - 1];
    char end;

    actor->placed = true;
    return sscanf(text, "%lf,%lf,%lf%c", &actor->x, &actor->y, &actor->degrees, &end) == 3 ||
                   sscanf(text, "%lf,%lf%c", &actor->x, &actor->y, &end) == 2
               ? EXIT_DONE
               : command_fail(name, EXIT_USAGE, "\"%s\" is no place, as 1,0.5,90 is", text);
}

static int read_name(emulate_options *o, const char *text)
{
    o->actors[o->count - 1].name = text;
    return EXIT_DONE;
}

static int read_on(emulate_options *o, const char *text)
{
    o->actors[o->count - 1].on = text;
    return EXIT_DONE;
}

static int read_wire(emulate_options *o, const char *text)
{
    emulate_robot *robot = &o->robots[o->count - 1];

    if (robot->wire_count == EMULATE_MOST_WIRES) {
        return command_fail(name, EXIT_USAGE, "a robot has at most %d wires", EMULATE_MOST_WIRES);
    }
    robot->wires[robot->wire_count++] = text;
    return EXIT_DONE;
}

static int read_fault(emulate_options *o, const char *text)
{
    emulate_robot *robot = &o->robots[o->count - 1];
    tp_error err = {0};

    if (robot->fault_count == TPI_EMU_MOST_FAULTS) {
        return command_fail(name, EXIT_USAGE, "a robot has at most %d faults", TPI_EMU_MOST_FAULTS);
    }
    return tpi_emu_fault_parse(&robot->faults[robot->fault_count++], text, &err) == TP_OK
               ? EXIT_DONE
               : command_fail(name, EXIT_USAGE, "%s", err.text);
}

static int read_link(emulate_options *o, const char *text)
{
    o->robots[o->count - 1].link = text;
    return EXIT_DONE;
}

static int read_listen(emulate_options *o, const char *text)
{
    if (o->count > 0) {
        o->robots[o->count - 1].listen = text;
    } else {
        o->listen = text;
    }
    return EXIT_DONE;
}

static int read_world(emulate_options *o, const char *text)
{
    o->world = text;
    return EXIT_DONE;
}

static int read_record(emulate_options *o, const char *text)
{
    o->record = text;
    return EXIT_DONE;
}

static int read_render(emulate_options *o, const char *text)
{
    o->render = text;
    return world_is_picture(text)
               ? EXIT_DONE
               : command_fail(name, EXIT_USAGE, "\"%s\" is neither .png nor .svg", text);
}

static int read_seed(emulate_options *o, const char *text)
{
    return command_read_whole(name, "seed", text, 0, INT64_MAX, &o->seed);
}

static int read_positive(double *value, const char *what, const char *text)
{
    char *end = NULL;

    *value = strtod(text, &end);
    return end != text && *end == '\0' && *value > 0 && *value <= 1e6
               ? EXIT_DONE
               : command_fail(name, EXIT_USAGE, "\"%s\" is no %s", text, what);
}

static int read_speed(emulate_options *o, const char *text)
{
    return read_positive(&o->speed, "speed", text);
}

static int read_seconds(emulate_options *o, const char *text)
{
    return read_positive(&o->seconds, "number of seconds", text);
}

static int set_lockstep(emulate_options *o, const char *text)
{
    (void)text;
    o->lockstep = true;
    return EXIT_DONE;
}

static int set_trace(emulate_options *o, const char *text)
{
    (void)text;
    o->trace = true;
    return EXIT_DONE;
}

static int set_list(emulate_options *o, const char *text)
{
    (void)text;
    o->list = true;
    return EXIT_DONE;
}

/* ---- Options ----------------------------------------------------------------------------------
 */

static const struct known {
    const char *name;
    int (*read)(emulate_options *o, const char *text);
    bool has_value;
    bool of_robot;
} known[] = {
    {"--at", read_at, true, true},
    {"--on", read_on, true, true},
    {"--name", read_name, true, true},
    {"--wire", read_wire, true, true},
    {"--fault", read_fault, true, true},
    {"--link", read_link, true, true},
    {"--listen", read_listen, true, false},
    {"--world", read_world, true, false},
    {"--seed", read_seed, true, false},
    {"--speed", read_speed, true, false},
    {"--seconds", read_seconds, true, false},
    {"--record", read_record, true, false},
    {"--render", read_render, true, false},
    {"--lockstep", set_lockstep, false, false},
    {"--trace", set_trace, false, false},
    {"--list", set_list, false, false},
};

static int unexpected(const char *option)
{
    tpi_nearest nearest;

    tpi_nearest_init(&nearest, option + strspn(option, "-"));
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        tpi_nearest_offer(&nearest, known[k].name + 2);
    }
    return command_unexpected(name, option, nearest.best);
}

static int add_robot(emulate_options *o, const char *kind)
{
    tp_error err = {0};

    if (o->count == TPI_SCENE_MOST) {
        return command_fail(name, EXIT_USAGE, "a world has at most %d emulated robots",
                            TPI_SCENE_MOST);
    }
    tpi_scene_actor *actor = &o->actors[o->count++];
    actor->kind = tpi_emu_kind_named(kind, &err);
    return actor->kind != NULL ? EXIT_DONE : command_fail(name, EXIT_USAGE, "%s", err.text);
}

static int read_option(emulate_options *o, int argc, char **argv, int *i)
{
    const char *option = argv[*i];

    if (option[0] != '-') {
        return add_robot(o, option);
    }
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        if (strcmp(option, known[k].name) == 0) {
            const char *value = known[k].has_value ? command_value(name, argc, argv, i) : "";
            return value == NULL                        ? EXIT_USAGE
                   : known[k].of_robot && o->count == 0 ? no_robot(option)
                                                        : known[k].read(o, value);
        }
    }
    return unexpected(option);
}

/* Where the parts of the options are, now that they do not move any more. */
static void connect_options(emulate_options *o, tpi_emu_trace *trace)
{
    for (size_t i = 0; i < o->count; i++) {
        o->actors[i].options = (tpi_emu_options){.wires = o->robots[i].wires,
                                                 .faults = o->robots[i].faults,
                                                 .fault_count = o->robots[i].fault_count,
                                                 .trace = o->trace ? trace : NULL};
    }
}

int emulate_options_read(emulate_options *o, int argc, char **argv, tpi_emu_trace *trace)
{
    int result = EXIT_DONE;

    for (int i = 0; i < argc && result == EXIT_DONE; i++) {
        result = read_option(o, argc, argv, &i);
    }
    o->speed = o->speed > 0 ? o->speed : 1;
    connect_options(o, trace);
    return result;
}
