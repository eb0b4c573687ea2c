/* robots_text.c - robots as text; see robots_text.h. */
#include "robots_text.h"

#include <stdio.h>
#include <string.h>

#include "output.h"
#include "table.h"

/* ---- How a command is done ---- */

/* Whether a translation is a sequence of universal commands. */
static bool is_macro(const tpi_translation *translation)
{
    for (unsigned i = 0; translation != NULL && i < translation->steps.count; i++) {
        if (translation->steps.steps[i].code == TPI_STEP_DO) {
            return true;
        }
    }
    return false;
}

static const char *way_of(const tpi_route *route)
{
    switch (route->way) {
    case TPI_WAY_NONE:
        return "NA";
    case TPI_WAY_DIRECT:
    case TPI_WAY_BASE_TYPE:
    case TPI_WAY_ANY_TYPE:
        return is_macro(route->translation) ? "macro" : tpi_way_text(route->way);
    default:
        return tpi_way_text(route->way);
    }
}

const char *robots_best(const tpi_wired *wired, tpi_command command)
{
    static const tpi_way order[] = {TPI_WAY_DIRECT,  TPI_WAY_BASE_TYPE, TPI_WAY_ANY_TYPE,
                                    TPI_WAY_MEMBERS, TPI_WAY_CONVERT,   TPI_WAY_PARENT,
                                    TPI_WAY_ENGINE};

    if (!tpi_dictionary_entry(command)->has_port) {
        return tpi_way_text(TPI_WAY_ENGINE);
    }
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        for (unsigned part = 0; part < wired->part_count; part++) {
            const tpi_route *route = tpi_wired_route(wired, command, (int)part);
            if (route->way == order[i]) {
                return way_of(route);
            }
        }
    }
    return "NA";
}

bool robots_concerns(tpi_command command)
{
    const tpi_sort sort = tpi_dictionary_entry(command)->sort;

    return sort == TPI_SORT_READ || sort == TPI_SORT_WRITE || sort == TPI_SORT_CHANNEL;
}

void robots_count(const tpi_wired *wired, unsigned *possible, unsigned *all)
{
    *possible = *all = 0;
    for (int i = 0; i < TPI_COMMANDS; i++) {
        if (robots_concerns((tpi_command)i)) {
            ++*all;
            *possible += strcmp(robots_best(wired, (tpi_command)i), "NA") != 0;
        }
    }
}

/* ---- Devices ---- */

static void put_classes(tpi_buf *out, const tpi_classes *list)
{
    for (unsigned i = 0; i < list->count; i++) {
        tpi_buf_printf(out, "%s%s", i > 0 ? ", " : "", list->words[i].text);
    }
}

/* What one count of ReadCount is: "0.1 deg"; "-" without a unit. */
static void put_unit(struct table *table, const tpi_wired *wired, const tpi_device *device)
{
    for (unsigned i = 0; i < device->classes.count && !device->is_output; i++) {
        const int number = device->classes.words[i].class;
        const tpi_device_class *class =
            number >= 0 ? tpi_vocabulary_class(wired->robot->vocabulary, number) : NULL;
        if (class != NULL && class->unit != NULL) {
            if (class->resolution == 1) {
                table_cell(table, "%s", class->unit);
            } else {
                table_cell(table, "%g %s", class->resolution, class->unit);
            }
            return;
        }
    }
    table_cell(table, "-");
}

static void put_devices(tpi_buf *out, const tpi_wired *wired)
{
    static const char *const headings[] = {"DEVICE", "TYPE",    "PLACE", "BASE",
                                           "COUNTS", "CLASSES", NULL};
    struct table table;

    table_init(&table, headings);
    for (unsigned i = 0; i < wired->part_count; i++) {
        const tpi_part *part = &wired->parts[i];
        const char *place = tpi_part_place(wired, part);
        tpi_buf classes = {0};

        put_classes(&classes, &part->device->classes);
        table_cell(&table, "%s", part->device->label);
        table_cell(&table, "%s", part->device->type);
        table_cell(&table, "%s", *place != '\0' ? place : "-");
        table_cell(&table, "%s", tpi_dictionary_entry(part->device->base)->name);
        put_unit(&table, wired, part->device);
        table_cell(&table, "%s", tpi_buf_text(&classes));
        tpi_buf_fini(&classes);
    }
    table_put(out, &table, 0, 0);
    table_fini(&table);
}

/* Devices that fit into a slot, but do not sit in one. */
static void put_absent(tpi_buf *out, const tpi_wired *wired)
{
    const tpi_robotfile *robot = wired->robot;
    bool any = false;

    for (unsigned i = 0; i < robot->device_count; i++) {
        if (tpi_wired_part(wired, robot->devices[i].name, -1) < 0) {
            tpi_buf_printf(out, "%s%s", any ? ", " : "not plugged in: ", robot->devices[i].label);
            any = true;
        }
    }
    tpi_buf_puts(out, any ? "\n" : "");
}

/* ---- Commands ---- */

/* "direct: Light Sensor, Sound Sensor; conversion: Touch Sensor" */
static void put_ways(tpi_buf *out, const tpi_wired *wired, tpi_command command)
{
    bool any = false;

    for (unsigned i = 0; i < wired->part_count; i++) {
        const char *way = way_of(tpi_wired_route(wired, command, (int)i));
        bool is_first = strcmp(way, "NA") != 0;
        for (unsigned j = 0; j < i; j++) {
            is_first =
                is_first && strcmp(way_of(tpi_wired_route(wired, command, (int)j)), way) != 0;
        }
        if (!is_first) {
            continue;
        }
        tpi_buf_printf(out, "%s%s: ", any ? "; " : "", way);
        any = true;
        bool listed = false;
        for (unsigned j = i; j < wired->part_count; j++) {
            if (strcmp(way_of(tpi_wired_route(wired, command, (int)j)), way) == 0) {
                tpi_buf_printf(out, "%s%s", listed ? ", " : "", wired->parts[j].device->label);
                listed = true;
            }
        }
    }
    if (!any) {
        const char *why = tpi_robotfile_na(wired->robot, command);
        tpi_buf_printf(out, "NA: %s", why != NULL ? why : "no device can do it");
    }
}

static void put_commands(tpi_buf *out, const tpi_wired *wired)
{
    static const char *const headings[] = {"COMMAND", "HOW", NULL};
    struct table table;

    table_init(&table, headings);
    for (int i = 0; i < TPI_COMMANDS; i++) {
        tpi_buf ways = {0};
        if (!robots_concerns((tpi_command)i)) {
            continue;
        }
        put_ways(&ways, wired, (tpi_command)i);
        table_cell(&table, "%s", tpi_dictionary_entry((tpi_command)i)->name);
        table_cell(&table, "%s", tpi_buf_text(&ways));
        tpi_buf_fini(&ways);
    }
    table_put(out, &table, 0, 0);
    table_fini(&table);
}

void robots_put(tpi_buf *out, const tpi_wired *wired)
{
    const tpi_robotfile *robot = wired->robot;
    unsigned possible, all;

    robots_count(wired, &possible, &all);
    tpi_buf_printf(out, "%s: %s", robot->identity.name, robot->identity.title);
    if (robot->identity.maker != NULL) {
        tpi_buf_printf(out, " (%s)", robot->identity.maker);
    }
    tpi_buf_printf(out, "\n%u of %u commands; link %s", possible, all, robot->links[0].kind);
    for (unsigned i = 1; i < robot->link_count; i++) {
        tpi_buf_printf(out, ", %s", robot->links[i].kind);
    }
    if (robot->timing.keepalive_ms > 0) {
        tpi_buf_printf(out, "; keep-alive every %g ms%s", robot->timing.keepalive_ms,
                       robot->timing.is_timed ? ", always" : "");
    }
    if (robot->timing.silence_ms > 0) {
        tpi_buf_printf(out, "; stops after %g ms of silence", robot->timing.silence_ms);
    }
    tpi_buf_puts(out, "\n\n");
    put_devices(out, wired);
    put_absent(out, wired);
    tpi_buf_putc(out, '\n');
    put_commands(out, wired);
    for (unsigned i = 0; i < robot->unused.count; i++) {
        tpi_buf_printf(out, "%snot used: %s: %s\n", i == 0 ? "\n" : "", robot->unused.all[i].what,
                       robot->unused.all[i].why);
    }
}
