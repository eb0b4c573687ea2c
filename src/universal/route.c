/* route.c - how each command is done with each part; see wired.h. */
#include "universal/wired.h"

#include <string.h>

/* ---- Translations ---- */

static const tpi_translation *find(const tpi_robotfile *robot, tpi_command command,
                                   const char *type)
{
    for (unsigned i = 0; i < robot->translation_count; i++) {
        const tpi_translation *t = &robot->translations[i];
        if (t->command != command || (type == NULL) != (t->type_count == 0)) {
            continue;
        }
        for (unsigned j = 0; type != NULL && j < t->type_count; j++) {
            if (tpi_word_equal(t->types[j], type)) {
                return t;
            }
        }
        if (type == NULL) {
            return t;
        }
    }
    return NULL;
}

/* Whether a group has the wheels that its file names. */
static bool has_own_wheels(const tpi_wired *wired, const tpi_part *part)
{
    return part->left >= 0 && part->right >= 0 &&
           tpi_word_equal(wired->parts[part->left].device->name, part->device->left) &&
           tpi_word_equal(wired->parts[part->right].device->name, part->device->right);
}

/* A translation of a group means the wheels of its file, unless it asks for their slots. */
static bool fits_wheels(const tpi_wired *wired, const tpi_part *part, const tpi_translation *t)
{
    return !part->device->is_group || has_own_wheels(wired, part) ||
           (t != NULL && tpi_steps_use(&t->steps, TPI_NUMBER_LEFT));
}

static tpi_route translated(const tpi_wired *wired, tpi_command command, const tpi_part *part)
{
    const tpi_robotfile *robot = wired->robot;
    const tpi_device *device = part->device;
    const tpi_translation *t = find(robot, command, device->type);

    if (!fits_wheels(wired, part, t)) {
        return (tpi_route){.way = TPI_WAY_NONE};
    }
    if (t != NULL || (device->does >> command & 1) != 0) {
        return (tpi_route){TPI_WAY_DIRECT, t, command};
    }
    t = find(robot, command, tpi_dictionary_type_of(device->base));
    if (t != NULL && tpi_steps_fit(robot, &t->steps, device->numbers)) {
        return (tpi_route){TPI_WAY_BASE_TYPE, t, command};
    }
    t = find(robot, command, NULL);
    return t != NULL && tpi_steps_fit(robot, &t->steps, device->numbers)
               ? (tpi_route){TPI_WAY_ANY_TYPE, t, command}
               : (tpi_route){.way = TPI_WAY_NONE};
}

/* ---- Conversions ---- */

static bool is_plain_read(tpi_command command)
{
    return command >= TPI_READ_GENERIC && command <= TPI_READ_COUNT;
}

static bool is_plain_write(tpi_command command)
{
    return command >= TPI_WRITE_GENERIC && command <= TPI_WRITE_COUNT;
}

/* Whether a value of the base command stands for one of the command. */
static bool converts(tpi_command command, const tpi_device *device)
{
    const tpi_command base = device->base;

    if (base == command) {
        return false;
    }
    if (is_plain_read(base)) {
        /* Counts become percents only by a range. */
        return (is_plain_read(command) || command == TPI_READ_STRING) &&
               (base != TPI_READ_COUNT || command != TPI_READ_ANALOG ||
                device->range[0] < device->range[1]);
    }
    if (base == TPI_MOVE_POWER) {
        return command == TPI_WRITE_GENERIC || command == TPI_WRITE_ANALOG ||
               command == TPI_WRITE_DIGITAL;
    }
    if (base == TPI_WRITE_SERVO || base == TPI_WRITE_PWM) {
        return command == TPI_WRITE_GENERIC || command == TPI_WRITE_ANALOG;
    }
    if (base == TPI_DISPLAY_STRING || base == TPI_WRITE_STRING) {
        return command == TPI_WRITE_GENERIC || command == TPI_WRITE_STRING;
    }
    return is_plain_write(base) && is_plain_write(command) &&
           !(base == TPI_WRITE_COUNT && command == TPI_WRITE_ANALOG &&
             !(device->range[0] < device->range[1]));
}

/* ---- Parents ---- */

static bool carries(const tpi_wired *wired, const tpi_device *device, const char *class)
{
    const tpi_word word = {class, tpi_vocabulary_find(wired->robot->vocabulary, class)};

    return tpi_classes_find(&device->classes, &word) >= 0;
}

/* Whether the map from a command to its parent loses nothing on this device. */
static bool has_map(const tpi_wired *wired, tpi_command command, const tpi_device *device)
{
    switch (command) {
    case TPI_WRITE_SERVO: /* a motor that turns on has no angle */
        return carries(wired, device, "Servo");
    case TPI_INDICATE_TRIGGER:
    case TPI_INDICATE_VALUE: /* a motor shows nothing */
        return !carries(wired, device, "Motor");
    case TPI_DISPLAY_VALUE:
    case TPI_DISPLAY_STRING:
        return carries(wired, device, "Display") || carries(wired, device, "String_Output") ||
               carries(wired, device, "Indicator");
    case TPI_MOVE_POWER: /* WriteAnalog must take -100..100 */
        return device->is_signed;
    case TPI_WRITE_DIGITAL:
    case TPI_WRITE_ANALOG:
    case TPI_WRITE_COUNT:
    case TPI_READ_DIGITAL:
    case TPI_READ_ANALOG:
    case TPI_READ_COUNT:
    case TPI_DRIVE:
    case TPI_WRITE_PWM:
        return true;
    default:
        return false; /* ReadString and ReadBuffer: a number is no text */
    }
}

static tpi_route route(const tpi_wired *wired, tpi_command command, int index, unsigned depth);

static bool is_possible(const tpi_wired *wired, tpi_command command, int index, unsigned depth)
{
    return depth > 0 && index >= 0 && route(wired, command, index, depth - 1).way != TPI_WAY_NONE;
}

/* MovePower and MoveMotors of two wheels. */
static tpi_route by_members(const tpi_wired *wired, tpi_command command, const tpi_part *part,
                            int index, unsigned depth)
{
    if (command == TPI_MOVE_POWER && is_possible(wired, TPI_MOVE_MOTORS, index, depth)) {
        return (tpi_route){TPI_WAY_PARENT, NULL, TPI_MOVE_MOTORS};
    }
    if ((command == TPI_MOVE_POWER || command == TPI_MOVE_MOTORS) &&
        is_possible(wired, TPI_MOVE_POWER, part->left, depth) &&
        is_possible(wired, TPI_MOVE_POWER, part->right, depth)) {
        return (tpi_route){TPI_WAY_MEMBERS, NULL, TPI_MOVE_POWER};
    }
    return (tpi_route){.way = TPI_WAY_NONE};
}

static tpi_route by_parent(const tpi_wired *wired, tpi_command command, int index, unsigned depth)
{
    const tpi_part *part = &wired->parts[index];
    const tpi_command parent = tpi_dictionary_entry(command)->parent;

    if (parent == TPI_COMMANDS || !has_map(wired, command, part->device)) {
        return (tpi_route){.way = TPI_WAY_NONE};
    }
    if (parent == TPI_READ_GENERIC || parent == TPI_WRITE_GENERIC) {
        /* A conversion of the base command was tried before. */
        return translated(wired, parent, part).way != TPI_WAY_NONE
                   ? (tpi_route){TPI_WAY_PARENT, NULL, parent}
                   : (tpi_route){.way = TPI_WAY_NONE};
    }
    if (is_possible(wired, parent, index, depth)) {
        return (tpi_route){TPI_WAY_PARENT, NULL, parent};
    }
    if (command == TPI_DISPLAY_VALUE && is_possible(wired, TPI_INDICATE_VALUE, index, depth)) {
        return (tpi_route){TPI_WAY_PARENT, NULL, TPI_INDICATE_VALUE};
    }
    return (tpi_route){.way = TPI_WAY_NONE};
}

/* ---- Routes ---- */

static tpi_route route(const tpi_wired *wired, tpi_command command, int index, unsigned depth)
{
    const tpi_part *part = &wired->parts[index];
    const tpi_entry *entry = tpi_dictionary_entry(command);
    const bool reads = entry->sort == TPI_SORT_READ, writes = entry->sort == TPI_SORT_WRITE;

    if ((reads && part->device->is_output) || (writes && !part->device->is_output)) {
        return (tpi_route){.way = TPI_WAY_NONE};
    }
    tpi_route found = translated(wired, command, part);
    if (found.way == TPI_WAY_NONE && converts(command, part->device) &&
        translated(wired, part->device->base, part).way != TPI_WAY_NONE) {
        found = (tpi_route){TPI_WAY_CONVERT, NULL, part->device->base};
    }
    if (found.way == TPI_WAY_NONE && part->device->is_group) {
        found = by_members(wired, command, part, index, depth);
    }
    return found.way == TPI_WAY_NONE ? by_parent(wired, command, index, depth) : found;
}

static tpi_route control_route(const tpi_wired *wired, tpi_command command, int index)
{
    const tpi_part *part = &wired->parts[index];
    const tpi_translation *t = find(wired->robot, command, part->device->type);

    switch (command) {
    case TPI_STOP:
        return t != NULL                 ? (tpi_route){TPI_WAY_DIRECT, t, command}
               : part->device->is_output ? (tpi_route){TPI_WAY_ENGINE, NULL, command}
                                         : (tpi_route){.way = TPI_WAY_NONE};
    case TPI_WAIT_TRIGGER:
    case TPI_SETUP_INPUT:
        return (tpi_route){part->device->is_output ? TPI_WAY_NONE : TPI_WAY_ENGINE, NULL, command};
    case TPI_SETUP_OUTPUT:
        return (tpi_route){part->device->is_output ? TPI_WAY_ENGINE : TPI_WAY_NONE, NULL, command};
    default:
        return (tpi_route){TPI_WAY_ENGINE, NULL, command};
    }
}

static tpi_route whole_route(const tpi_wired *wired, tpi_command command, int index)
{
    enum { DEPTH = 6 };
    const tpi_sort sort = tpi_dictionary_entry(command)->sort;

    if (sort == TPI_SORT_CONTROL) {
        return control_route(wired, command, index);
    }
    if (sort == TPI_SORT_CHANNEL) {
        return translated(wired, command, &wired->parts[index]);
    }
    return sort == TPI_SORT_RAW ? (tpi_route){TPI_WAY_ENGINE, NULL, command}
                                : route(wired, command, index, DEPTH);
}

static void carry(tpi_wired *wired, const tpi_classes *list)
{
    for (unsigned i = 0; i < list->count; i++) {
        const int class = list->words[i].class;
        if (class >= 0) {
            wired->carried[class / 64] |= (uint64_t)1 << (class % 64);
        }
    }
}

void tpi_wired_find_routes(tpi_wired *wired)
{
    memset(wired->carried, 0, sizeof wired->carried);
    for (unsigned i = 0; i < wired->part_count; i++) {
        carry(wired, &wired->parts[i].device->classes);
        for (int c = 0; c < TPI_COMMANDS; c++) {
            wired->routes[i][c] = whole_route(wired, (tpi_command)c, (int)i);
        }
    }
}

const tpi_route *tpi_wired_route(const tpi_wired *wired, tpi_command command, int part)
{
    return &wired->routes[part][command];
}

const char *tpi_way_text(tpi_way way)
{
    static const char *const texts[] = {
        "not available", "direct", "by base type", "any type",
        "conversion",    "parent", "each wheel",   "engine",
    };

    return texts[way];
}
