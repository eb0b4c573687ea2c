/*
 * circle.c - drivers of a configuration that require each other in a circle: none of them could
 * ever start, since each waits for the next.
 *
 * What counts is the device that a driver really uses. One that is isolated uses whatever its
 * section lists, which its process opens here.
 */
#include <stdio.h>
#include <string.h>

#include "server/inside.h"

/* Who offers each device of the file. */
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

/* A way through the entries, for the message. */
struct way {
    const struct driver_entry *entry;
    const tpi_wanted *through; /* what it requires */
    const struct way *before;  /* NULL for the first */
};

static void print_way(const struct way *way, const struct driver_entry *until, char *out,
                      size_t size)
{
    if (way->entry != until) {
        print_way(way->before, until, out, size);
    }
    const size_t length = strlen(out);
    snprintf(out + length, size - length, "%s%s requires %s:%u", length > 0 ? ", " : "",
             tp_instance_name(way->entry->instance), way->through->interface->name,
             way->through->addr.index);
}

static bool is_on(const struct way *way, const struct driver_entry *entry)
{
    while (way != NULL && way->entry != entry) {
        way = way->before;
    }
    return way != NULL;
}

/* Each entry is looked at once: what leads nowhere does so from wherever one comes. */
static tp_status follow(const struct owners *owners, struct driver_entry *entry,
                        const struct way *before, tp_error *err)
{
    tp_status status = TP_OK;

    entry->followed = true;
    for (uint32_t i = 0; i < entry->asked.require_count && status == TP_OK; i++) {
        const struct way way = {entry, &entry->asked.requires[i], before};
        struct driver_entry *next = uses(entry, way.through)
                                        ? tpi_owners_next(owners, &way.through->addr, &(size_t){0})
                                        : NULL; /* elsewhere or nowhere */
        if (next != NULL && is_on(&way, next)) {
            char text[192] = "";
            print_way(&way, next, text, sizeof text);
            status =
                tpi_cfg_fail(&entry->section->place, err, "a circle, so none can start: %s", text);
        } else if (next != NULL && !next->followed) {
            status = follow(owners, next, &way, err);
        }
    }
    return status;
}

tp_status tpi_circles_check(const tp_server *server, tp_error *err)
{
    struct driver_entry *const entries = server->file->entries;
    struct owners owners;
    tp_status status = note_owners(server->file, &owners, err);

    for (struct driver_entry *entry = entries; entry != NULL; entry = entry->next) {
        entry->followed = false;
    }
    for (struct driver_entry *entry = entries; entry != NULL && status == TP_OK;
         entry = entry->next) {
        status = entry->followed ? TP_OK : follow(&owners, entry, NULL, err);
    }
    tpi_owners_fini(&owners);
    return status;
}
