/*
 * circle.c - drivers of a configuration that require each other in a circle: none of them could
 * ever start, since each waits for the next.
 *
 * What counts is the device that a driver really uses. One that is isolated uses whatever its
 * section lists, which its process opens here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/inside.h"

/* The section that offers each device of the file. */
static tp_status note_owners(const struct file *file, struct owners *owners, tp_error *err)
{
    size_t count = 0;

    for (const struct driver_entry *entry = file->entries; entry != NULL; entry = entry->next) {
        for (const tp_device *at = tpi_instance_next_device(entry->instance, NULL); at != NULL;
             at = tpi_instance_next_device(entry->instance, at)) {
            count++;
        }
    }
    if (tpi_owners_init(owners, count, err) != TP_OK) {
        return TP_E_NOMEM;
    }
    for (struct driver_entry *entry = file->entries; entry != NULL; entry = entry->next) {
        for (const tp_device *at = tpi_instance_next_device(entry->instance, NULL); at != NULL;
             at = tpi_instance_next_device(entry->instance, at)) {
            tpi_owners_add(owners, tp_device_addr(at), entry);
        }
    }
    return TP_OK;
}

static bool uses(const struct driver_entry *entry, const tpi_wanted *wanted)
{
    return entry->isolated || tpi_instance_uses(entry->instance, &wanted->addr);
}

/* A way through the entries, from one that requires to one that is required. */
struct way {
    struct step {
        struct driver_entry *entry;
        uint32_t next; /* of what it requires */
    } * steps;         /* owned; room for all entries */
    size_t count;
};

static const tpi_wanted *required_last(const struct step *step)
{
    return &step->entry->asked.requires[step->next - 1];
}

static tp_status fail(const struct way *way, const struct driver_entry *from, tp_error *err)
{
    char text[192] = "";
    size_t first = way->count;

    while (way->steps[--first].entry != from) {
    }
    for (size_t i = first; i < way->count; i++) {
        const tpi_wanted *wanted = required_last(&way->steps[i]);
        const size_t length = strlen(text);
        (void)snprintf(text + length, sizeof text - length, "%s%s requires %s:%u",
                       length > 0 ? ", " : "", tp_instance_name(way->steps[i].entry->instance),
                       wanted->interface->name, wanted->addr.index);
    }
    return tpi_cfg_fail(&way->steps[way->count - 1].entry->section->place, err,
                        "a circle, so none can start: %s", text);
}

static void go_on(struct way *way, struct driver_entry *entry)
{
    entry->followed = entry->on_way = true;
    way->steps[way->count++] = (struct step){.entry = entry};
}

/* Each entry is looked at once: what leads nowhere does so from wherever one comes. */
static tp_status follow(const struct owners *owners, struct way *way, struct driver_entry *first,
                        tp_error *err)
{
    go_on(way, first);
    while (way->count > 0) {
        struct step *step = &way->steps[way->count - 1];
        if (step->next == step->entry->asked.require_count) {
            step->entry->on_way = false;
            way->count--;
            continue;
        }
        const tpi_wanted *wanted = &step->entry->asked.requires[step->next++];
        struct driver_entry *next = uses(step->entry, wanted)
                                        ? tpi_owners_next(owners, &wanted->addr, &(size_t){0})
                                        : NULL; /* elsewhere or nowhere */
        if (next != NULL && next->on_way) {
            return fail(way, next, err);
        }
        if (next != NULL && !next->followed) {
            go_on(way, next);
        }
    }
    return TP_OK;
}

/* Room for a way through all entries, which are not followed yet. */
static tp_status begin_way(struct way *way, struct driver_entry *entries, tp_error *err)
{
    size_t count = 1;

    for (struct driver_entry *entry = entries; entry != NULL; entry = entry->next) {
        entry->followed = entry->on_way = false;
        count++;
    }
    way->steps = calloc(count, sizeof *way->steps);
    return way->steps != NULL ? TP_OK : tp_fail(err, TP_E_NOMEM, "out of memory");
}

tp_status tpi_circles_check(const tp_server *server, tp_error *err)
{
    struct driver_entry *const entries = server->file->entries;
    struct owners owners = {0};
    struct way way = {0};
    tp_status status = begin_way(&way, entries, err);

    status = status == TP_OK ? note_owners(server->file, &owners, err) : status;
    for (struct driver_entry *entry = entries; entry != NULL && status == TP_OK;
         entry = entry->next) {
        status = entry->followed ? TP_OK : follow(&owners, &way, entry, err);
    }
    tpi_owners_fini(&owners);
    free(way.steps);
    return status;
}
