/*
 * change.c - what changes from one configuration to the next: read, compared and prepared.
 *
 * Everything that can be wrong with the new file is found here, before anything changes: its new
 * instances are made, and none of their devices can be seen yet. Instances whose sections mean the
 * same as before stay as they are. All of this may take long and touches nothing that the loop
 * uses, so that it can be done on a thread.
 */
#include "server/change.h"

#include <stdlib.h>
#include <string.h>

/* ---- Life ------------------------------------------------------------------------------------ */

tp_status tpi_change_create(struct change **out, tp_server *server, tp_error *err)
{
    struct change *c = calloc(1, sizeof *c);
    tp_status status = c == NULL ? tp_fail(err, TP_E_NOMEM, "out of memory")
                                 : tpi_roll_create(&c->roll, server->hub, err);

    if (status != TP_OK) {
        free(c);
        return status;
    }
    c->server = server;
    c->draft = *server;
    c->draft.notes = (tpi_cfg_notes){0};
    c->before = server->file;
    c->robot_count = server->robot_count;
    *out = c;
    return TP_OK;
}

void tpi_change_destroy(struct change *c)
{
    if (c != NULL) {
        tpi_roll_destroy(c->roll);
        free((void *)c->leaving);
        free((void *)c->leaving_entries);
        free((void *)c->coming);
        free((void *)c->coming_entries);
        free(c);
    }
}

/* ---- Instances that stay --------------------------------------------------------------------- */

static size_t count_entries(const struct file *file)
{
    size_t count = 0;

    for (const struct driver_entry *entry = file->entries; entry != NULL; entry = entry->next) {
        count++;
    }
    return count;
}

/* Entries that mean the same have the same first device; those that offer all there is have none.
 */
static const tp_devaddr *key_of(const struct driver_entry *entry)
{
    static const tp_devaddr none;

    return entry->asked.provide_count > 0 ? &entry->asked.provides[0].addr : &none;
}

static void take_instance(struct driver_entry *entry, const struct owners *owners)
{
    size_t passed = 0;
    struct driver_entry *other = tpi_owners_next(owners, key_of(entry), &passed);

    while (other != NULL && (other->instance == NULL || !tpi_entry_same(other, entry))) {
        other = tpi_owners_next(owners, key_of(entry), &passed);
    }
    if (other != NULL) {
        entry->instance = other->instance;
        entry->home = other->home;
        entry->from = other;
        other->instance = NULL;
    }
}

/* Instances that mean the same are taken over; an entry of the old file without one has gone on. */
static tp_status take_instances(struct file *before, struct file *after, tp_error *err)
{
    struct owners owners;

    if (tpi_owners_init(&owners, count_entries(before), err) != TP_OK) {
        return TP_E_NOMEM;
    }
    for (struct driver_entry *entry = before->entries; entry != NULL; entry = entry->next) {
        tpi_owners_add(&owners, key_of(entry), entry);
    }
    for (struct driver_entry *entry = after->entries; entry != NULL; entry = entry->next) {
        take_instance(entry, &owners);
    }
    tpi_owners_fini(&owners);
    return TP_OK;
}

static void give_back(struct file *after)
{
    for (struct driver_entry *entry = after->entries; entry != NULL; entry = entry->next) {
        if (entry->from != NULL) {
            entry->from->instance = entry->instance;
        }
    }
}

/* ---- Instances that leave and come ----------------------------------------------------------- */

static tp_status make_room(struct change *c, tp_error *err)
{
    const size_t leaving = count_entries(c->before) + 1;
    const size_t coming = count_entries(c->after) + 1;

    c->leaving = calloc(leaving, sizeof(tp_instance *));
    c->leaving_entries = calloc(leaving, sizeof(struct driver_entry *));
    c->coming = calloc(coming, sizeof(tp_instance *));
    c->coming_entries = calloc(coming, sizeof(struct driver_entry *));
    return c->leaving == NULL || c->leaving_entries == NULL || c->coming == NULL ||
                   c->coming_entries == NULL
               ? tp_fail(err, TP_E_NOMEM, "out of memory")
               : TP_OK;
}

static void list_leaving(struct change *c)
{
    for (struct driver_entry *entry = c->before->entries; entry != NULL; entry = entry->next) {
        if (entry->instance != NULL) {
            c->leaving_entries[c->leaving_count] = entry;
            c->leaving[c->leaving_count++] = entry->instance;
        }
    }
}

static tp_status prepare(struct change *c, tp_error *err)
{
    tp_status status = TP_OK;

    for (struct driver_entry *entry = c->after->entries; entry != NULL && status == TP_OK;
         entry = entry->next) {
        if (atomic_load(&c->cancelled)) {
            return tp_fail(err, TP_E_CLOSED, "the server ends");
        }
        if (entry->instance == NULL) {
            status = tpi_entry_prepare(&c->draft, entry, err);
            if (status == TP_OK) {
                c->coming_entries[c->coming_count] = entry;
                c->coming[c->coming_count++] = entry->instance;
            }
        }
    }
    return status;
}

static tp_status check(const struct change *c, tp_error *err)
{
    const tpi_exchange exchange = {c->leaving, c->leaving_count, c->coming, c->coming_count};
    tp_error why = {0};
    size_t wrong = 0;
    const tp_status status = tpi_roll_check(c->roll, &exchange, &wrong, &why);

    if (status == TP_OK || wrong >= c->coming_count) {
        return status == TP_OK ? TP_OK : tp_fail(err, status, "%s", why.text);
    }
    return tpi_entry_fail(c->coming_entries[wrong], status, why.text, err);
}

/* ---- Loading --------------------------------------------------------------------------------- */

void tpi_change_discard(struct change *c)
{
    for (size_t i = c->enrolled; i < c->coming_count; i++) {
        tpi_hub_discard(c->coming[i]);
        c->coming_entries[i]->instance = NULL;
    }
    c->coming_count = c->enrolled;
    if (c->after != NULL) {
        give_back(c->after);
        tpi_config_destroy(c->after);
    }
    c->after = NULL;
}

void tpi_change_load(struct change *c)
{
    tp_error *err = &c->error;

    tpi_server_gather_notes(&c->draft);
    tp_status status = tpi_config_read(&c->draft, err);
    c->after = c->draft.file != c->before ? c->draft.file : NULL; /* for want of memory */
    status = status == TP_OK ? make_room(c, err) : status;
    status = status == TP_OK ? take_instances(c->before, c->after, err) : status;
    if (status == TP_OK) {
        list_leaving(c);
    }
    status = status == TP_OK ? prepare(c, err) : status;
    status = status == TP_OK ? check(c, err) : status;
    status = status == TP_OK ? tpi_circles_check(&c->draft, err) : status;
    if (status != TP_OK && c->after != NULL) {
        tpi_config_unlink(&c->draft, c->after);
        c->draft.file = c->before;
    }
    if (status != TP_OK) {
        tpi_change_discard(c);
    }
    c->status = status;
}

void tpi_change_take_over(struct change *c)
{
    tp_server *server = c->server;
    const tp_server *draft = &c->draft;

    server->arena = draft->arena;
    server->files = draft->files;
    server->plugins = draft->plugins;
    server->loaded = draft->loaded;
    server->far_names = draft->far_names;
    memcpy(server->folder, draft->folder, sizeof server->folder);
    memcpy(server->inner, draft->inner, sizeof server->inner);
    server->inner_count = draft->inner_count;
    server->child_count = draft->child_count;
    if (c->after != NULL) {
        c->after->server = server;
    }
    tpi_server_tell_notes(&c->draft);
}
