/* sort.c - which parts of a robot are which devices; see robotfile.h. */
#include <stdio.h>
#include <string.h>

#include "robotfile.h"

static bool can(const tpi_wired *wired, tpi_command command, int part)
{
    return tpi_wired_route(wired, command, part)->way != TPI_WAY_NONE;
}

/* Whether the file has an instruction for it: what a conversion gives has no unit. */
static bool does(const tpi_wired *wired, tpi_command command, int part)
{
    const tpi_way way = tpi_wired_route(wired, command, part)->way;

    return way == TPI_WAY_DIRECT || way == TPI_WAY_BASE_TYPE || way == TPI_WAY_ANY_TYPE;
}

static bool carries(const tpi_wired *wired, int part, const char *class)
{
    const tpi_word word = {class, tpi_vocabulary_find(wired->robot->vocabulary, class)};

    return tpi_classes_find(&wired->parts[part].device->classes, &word) >= 0;
}

static const char *label_of(const struct robotfile *r, int part)
{
    return r->loaded->wired->parts[part].device->label;
}

/* "0 Light Sensor (%), 1 Battery (V)" */
static void put_name(char names[LONGEST_NAMES], unsigned index, const char *label, const char *unit)
{
    const size_t used = strlen(names);

    (void)snprintf(names + used, LONGEST_NAMES - used, "%s%u %s%s%s%s", index > 0 ? ", " : "",
                   index, label, unit[0] != '\0' ? " (" : "", unit, unit[0] != '\0' ? ")" : "");
}

static bool has_volts(const struct robotfile *r, int part)
{
    const double *volts = r->loaded->wired->parts[part].device->volts;

    return volts[0] < volts[1];
}

/* ---- Inputs ---------------------------------------------------------------------------------- */

/* The reading, which several devices can share; -1 if there is no room. */
static int reading(struct robotfile *r, int part, tpi_command command)
{
    struct robotfile_inputs *in = &r->in;

    for (unsigned i = 0; i < in->count; i++) {
        if (in->all[i].part == part && in->all[i].command == command) {
            return (int)i;
        }
    }
    if (in->count == MOST_READINGS) {
        return -1;
    }
    in->all[in->count] = (struct robotfile_reading){.part = part, .command = command};
    return (int)in->count++;
}

static void list(struct robotfile *r, enum robotfile_list_kind kind, int part, tpi_command command,
                 const char *unit)
{
    struct robotfile_list *l = &r->in.lists[kind];
    const int at = l->count < MOST_LISTED ? reading(r, part, command) : -1;

    if (at >= 0) {
        put_name(l->names, l->count, label_of(r, part), unit);
        l->at[l->count++] = (uint8_t)at;
    }
}

static void sort_battery(struct robotfile *r, int part)
{
    const tpi_wired *wired = r->loaded->wired;

    r->in.has_volts = does(wired, TPI_READ_COUNT, part);
    list(r, LIST_POWER, part, TPI_READ_ANALOG, "%");
    if (r->in.has_volts) {
        list(r, LIST_POWER, part, TPI_READ_COUNT, "mV");
    }
}

static void sort_input(struct robotfile *r, int part)
{
    const tpi_wired *wired = r->loaded->wired;
    const tpi_command base = wired->parts[part].device->base;

    if (r->in.lists[LIST_POWER].count == 0 && carries(wired, part, "Battery") &&
        can(wired, TPI_READ_ANALOG, part)) {
        sort_battery(r, part);
        return;
    }
    if (carries(wired, part, "Distance Sensor") && does(wired, TPI_READ_COUNT, part)) {
        list(r, LIST_RANGE, part, TPI_READ_COUNT, "m");
        if (carries(wired, part, "Ultrasonic Sensor")) {
            list(r, LIST_SONAR, part, TPI_READ_COUNT, "m");
        }
    }
    if (carries(wired, part, "Touch Sensor") && does(wired, TPI_READ_DIGITAL, part)) {
        list(r, LIST_BUMP, part, TPI_READ_DIGITAL, "");
    }
    if (base == TPI_READ_DIGITAL) {
        list(r, LIST_DIGITAL, part, TPI_READ_DIGITAL, "");
    } else if ((base == TPI_READ_ANALOG || base == TPI_READ_COUNT) &&
               can(wired, TPI_READ_ANALOG, part)) {
        list(r, LIST_ANALOG, part, TPI_READ_ANALOG, has_volts(r, part) ? "V" : "5 V are 100 %");
    }
}

/* ---- Outputs --------------------------------------------------------------------------------- */

static void put(struct robotfile *r, enum robotfile_row_kind kind, int part, tpi_command command,
                const char *unit)
{
    struct robotfile_row *row = &r->out.rows[kind];

    if (row->count == MOST_LISTED || r->out.count == MOST_OUTPUTS) {
        return;
    }
    r->out.all[r->out.count] =
        (struct robotfile_output){.part = part, .command = command, .encoder = -1};
    put_name(row->names, row->count, label_of(r, part), unit);
    row->at[row->count++] = (uint8_t)r->out.count++;
}

/* The sensor that turns with a motor: it has the same slot. */
static int encoder_of(struct robotfile *r, int motor)
{
    const tpi_wired *wired = r->loaded->wired;
    const tpi_part *part = &wired->parts[motor];

    for (int i = 0; part->slot >= 0 && i < (int)wired->part_count; i++) {
        const tpi_part *other = &wired->parts[i];
        if (other->slot == part->slot && other->device->row == part->device->row &&
            carries(wired, i, "Encoder") && does(wired, TPI_READ_COUNT, i)) {
            return reading(r, i, TPI_READ_COUNT);
        }
    }
    return -1;
}

static void sort_joint(struct robotfile *r, int part, tpi_command command)
{
    struct robotfile_list *l = &r->in.lists[LIST_JOINTS];
    const unsigned before = r->out.count;

    put(r, ROW_JOINTS, part, command, command == TPI_WRITE_SERVO ? "position" : "speed");
    if (r->out.count == before) {
        return;
    }
    const int encoder = encoder_of(r, part);
    r->out.all[before].encoder = encoder;
    if (encoder >= 0 && l->count < MOST_LISTED) {
        l->at[l->count++] = (uint8_t)encoder;
    }
}

static void sort_light(struct robotfile *r, int part)
{
    static const char *const colours[] = {"Red LED", "Green LED", "Blue LED"};
    const tpi_wired *wired = r->loaded->wired;

    put(r, ROW_LIGHTS, part, TPI_WRITE_ANALOG, "");
    const unsigned have = r->out.rows[ROW_COLOURS].count;
    if (have < 3 && carries(wired, part, colours[have])) {
        put(r, ROW_COLOURS, part, TPI_WRITE_ANALOG, "");
    }
}

static void sort_voice(struct robotfile *r, int part)
{
    const tpi_wired *wired = r->loaded->wired;
    const bool speaks = carries(wired, part, "Voice") && can(wired, TPI_WRITE_STRING, part);

    if (speaks || (r->out.voice < 0 && carries(wired, part, "Display") &&
                   can(wired, TPI_DISPLAY_STRING, part))) {
        r->out.voice = part;
        r->out.say = speaks ? TPI_WRITE_STRING : TPI_DISPLAY_STRING;
    }
}

static void sort_output(struct robotfile *r, int part)
{
    const tpi_wired *wired = r->loaded->wired;
    const tpi_device *device = wired->parts[part].device;
    const bool is_wheel = r->wheels.axis >= 0 && tpi_parts_overlap(wired, r->wheels.axis, part) &&
                          carries(wired, part, "Motor");

    if (device->is_group || is_wheel) {
        return;
    }
    sort_voice(r, part);
    if (carries(wired, part, "Indicator") && can(wired, TPI_WRITE_ANALOG, part)) {
        sort_light(r, part);
    }
    if (carries(wired, part, "Servo") && can(wired, TPI_WRITE_SERVO, part)) {
        sort_joint(r, part, TPI_WRITE_SERVO);
    } else if (carries(wired, part, "Motor") && can(wired, TPI_MOVE_POWER, part)) {
        sort_joint(r, part, TPI_MOVE_POWER);
    } else if (carries(wired, part, "Propeller") && device->is_signed) {
        sort_joint(r, part, TPI_WRITE_ANALOG);
    } else if (device->base == TPI_WRITE_DIGITAL) {
        put(r, ROW_DIGITAL, part, TPI_WRITE_DIGITAL, "");
    } else if (device->base == TPI_WRITE_ANALOG && !carries(wired, part, "Indicator")) {
        put(r, ROW_ANALOG, part, TPI_WRITE_ANALOG, has_volts(r, part) ? "V" : "5 V are 100 %");
    }
}

/* ---- All of them ----------------------------------------------------------------------------- */

void tpi_robotfile_sort_parts(struct robotfile *r)
{
    const tpi_wired *wired = r->loaded->wired;

    r->wheels.axis = r->out.voice = -1;
    for (int i = 0; i < (int)wired->part_count && r->wheels.axis < 0; i++) {
        if (carries(wired, i, "DriveAxis") && can(wired, TPI_MOVE_MOTORS, i)) {
            r->wheels.axis = i;
        }
    }
    for (int i = 0; i < (int)wired->part_count; i++) {
        if (wired->parts[i].device->is_output) {
            sort_output(r, i);
        } else {
            sort_input(r, i);
        }
    }
}
