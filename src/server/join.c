/*
 * join.c - several sections of a configuration that are one instance.
 *
 * A driver with TP_DRIVER_JOINS has a first parameter that names the thing (the file of a world);
 * sections without it describe parts of the thing that was named last.
 */
#include <string.h>

#include "server/inside.h"

static bool joins(tpi_cfg_section *section, const tp_driver *driver)
{
    return (driver->flags & TP_DRIVER_JOINS) != 0 && driver->params != NULL &&
           tpi_cfg_find(section, driver->params[0].name) == NULL;
}

struct driver_entry *tpi_join_find(tp_server *server, tpi_cfg_section *section,
                                   const tp_driver *driver)
{
    struct driver_entry *found = NULL;

    if (!joins(section, driver)) {
        return NULL;
    }
    for (struct driver_entry *entry = server->file->entries; entry != NULL; entry = entry->next) {
        if (entry->section != NULL && entry->asked.driver->ops == driver->ops) {
            found = entry;
        }
    }
    return found;
}

void tpi_join_add(struct driver_entry *to, struct driver_entry *entry)
{
    if (to->joined == NULL) {
        to->joined = entry;
    } else {
        to->joined_last->next = entry;
    }
    to->joined_last = entry;
}

/* ---- Putting them together ------------------------------------------------------------------- */

/* Of an entry and all that have joined it. */
struct totals {
    uint32_t sections, provides, requires, places, ranks;
};

static void count(struct totals *totals, const tpi_blueprint *asked)
{
    totals->sections++;
    totals->provides += asked->provide_count;
    totals->requires += asked->require_count;
    totals->places += asked->place_count;
    totals->ranks += asked->rank_count;
}

/* Where they are put together. */
struct whole {
    struct totals used;
    tpi_wanted *provides;
    tpi_wanted *requires;
    tpi_place *places;
    tpi_rank *ranks;
    tpi_joined *joined;
};

static void put_addresses(tpi_wanted *to, uint32_t *used, const tpi_wanted *from, uint32_t number,
                          uint32_t section)
{
    for (uint32_t i = 0; i < number; i++) {
        to[*used] = from[i];
        to[(*used)++].section = section;
    }
}

static void put(struct whole *whole, const tpi_blueprint *asked)
{
    struct totals *used = &whole->used;

    put_addresses(whole->provides, &used->provides, asked->provides, asked->provide_count,
                  used->sections);
    put_addresses(whole->requires, &used->requires, asked->requires, asked->require_count,
                  used->sections);
    if (asked->place_count > 0) {
        memcpy(whole->places + used->places, asked->places,
               asked->place_count * sizeof *whole->places);
    }
    used->places += asked->place_count;
    for (uint32_t i = 0; i < asked->rank_count; i++) {
        whole->ranks[used->ranks] = asked->ranks[i];
        whole->ranks[used->ranks++].section = used->sections;
    }
    whole->joined[used->sections++] = (tpi_joined){.settings = asked->settings,
                                                   .setting_count = asked->setting_count,
                                                   .lease_ns = asked->lease_ns,
                                                   .own_panic = asked->own_panic,
                                                   .panic = asked->panic};
}

/* No address is offered by two sections. */
static tp_status check_new(const struct whole *whole, const struct driver_entry *part,
                           tp_error *err)
{
    for (uint32_t i = 0; i < part->asked.provide_count; i++) {
        const tpi_wanted *one = &part->asked.provides[i];
        for (uint32_t k = 0; k < whole->used.provides; k++) {
            const tpi_wanted *other = &whole->provides[k];
            if (one->addr.robot == other->addr.robot && one->addr.interf == other->addr.interf &&
                one->addr.index == other->addr.index) {
                return tpi_cfg_fail(&part->section->place, err,
                                    "%s:%u is offered by another section already",
                                    one->interface->name, one->addr.index);
            }
        }
    }
    return TP_OK;
}

static tp_status finish(tp_server *server, struct driver_entry *entry, tp_error *err)
{
    tpi_arena *arena = &server->file->arena;
    struct totals totals = {0};

    count(&totals, &entry->asked);
    for (const struct driver_entry *part = entry->joined; part != NULL; part = part->next) {
        count(&totals, &part->asked);
    }
    struct whole whole = {
        .provides = tpi_arena_array(arena, totals.provides + 1, sizeof *whole.provides),
        .requires = tpi_arena_array(arena, totals.requires + 1, sizeof *whole.requires),
        .places = tpi_arena_array(arena, totals.places + 1, sizeof *whole.places),
        .ranks = tpi_arena_array(arena, totals.ranks + 1, sizeof *whole.ranks),
        .joined = tpi_arena_array(arena, totals.sections + 1, sizeof *whole.joined),
    };
    if (whole.provides == NULL || whole.requires == NULL || whole.places == NULL ||
        whole.ranks == NULL || whole.joined == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    put(&whole, &entry->asked);
    for (const struct driver_entry *part = entry->joined; part != NULL; part = part->next) {
        tp_status status = check_new(&whole, part, err);
        if (status != TP_OK) {
            return status;
        }
        put(&whole, &part->asked);
        entry->asked.always_on = entry->asked.always_on || part->asked.always_on;
    }
    entry->asked.provides = whole.provides;
    entry->asked.provide_count = totals.provides;
    entry->asked.requires = whole.requires;
    entry->asked.require_count = totals.requires;
    entry->asked.places = whole.places;
    entry->asked.place_count = totals.places;
    entry->asked.ranks = whole.ranks;
    entry->asked.rank_count = totals.ranks;
    entry->asked.joined = whole.joined + 1;
    entry->asked.joined_count = totals.sections - 1;
    return TP_OK;
}

tp_status tpi_join_finish(tp_server *server, tp_error *err)
{
    tp_status status = TP_OK;

    for (struct driver_entry *entry = server->file->entries; entry != NULL && status == TP_OK;
         entry = entry->next) {
        if (entry->joined != NULL && entry->isolated) {
            return tpi_cfg_fail(&entry->section->place, err,
                                "a driver with several sections cannot be isolated");
        }
        status = entry->joined != NULL ? finish(server, entry, err) : TP_OK;
    }
    return status;
}
