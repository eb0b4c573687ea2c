/*
 * reload.c - a configuration that has changed, while the server runs.
 *
 * The file is read again, and everything that can be wrong with it is found before anything
 * changes: its new instances are made without being seen, their ports are opened. Instances whose
 * sections mean the same as before stay as they are, with their clients. Those that are not wanted
 * any more are removed; when all of them are gone, the new ones take their places.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/inside.h"

/* ---- Who stays, who goes, who comes ---------------------------------------------------------- */

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
static tp_status take_over(struct file *before, struct file *after, tp_error *err)
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

/* A change that is being made. */
struct change {
    tp_server *server;
    struct file *before;
    struct file *after;
    tp_instance **leaving; /* owned, as the two below */
    size_t leaving_count;
    struct driver_entry **coming;
    tp_instance **coming_instances;
    size_t coming_count;
    size_t robot_count; /* before it */
};

static tp_status make_room(struct change *c, tp_error *err)
{
    const size_t most = count_entries(c->before) + count_entries(c->after) + 1;

    c->leaving = calloc(most, sizeof(tp_instance *));
    c->coming = calloc(most, sizeof(struct driver_entry *));
    c->coming_instances = calloc(most, sizeof(tp_instance *));
    return c->leaving == NULL || c->coming == NULL || c->coming_instances == NULL
               ? tp_fail(err, TP_E_NOMEM, "out of memory")
               : TP_OK;
}

static void free_room(struct change *c)
{
    free((void *)c->leaving);
    free((void *)c->coming);
    free((void *)c->coming_instances);
}

/* Those that come are made, without being seen. */
static tp_status prepare(struct change *c, tp_error *err)
{
    tp_status status = TP_OK;

    for (struct driver_entry *entry = c->before->entries; entry != NULL; entry = entry->next) {
        if (entry->instance != NULL) {
            c->leaving[c->leaving_count++] = entry->instance;
        }
    }
    for (struct driver_entry *entry = c->after->entries; entry != NULL && status == TP_OK;
         entry = entry->next) {
        if (entry->instance == NULL) {
            status = tpi_entry_prepare(c->server, entry, err);
            if (status == TP_OK) {
                c->coming_instances[c->coming_count] = entry->instance;
                c->coming[c->coming_count++] = entry;
            }
        }
    }
    return status;
}

static tp_status check(struct change *c, tp_error *err)
{
    const tpi_exchange exchange = {c->leaving, c->leaving_count, c->coming_instances,
                                   c->coming_count};
    tp_error why = {0};
    size_t wrong = 0;
    tp_status status = tpi_hub_check(c->server->hub, &exchange, &wrong, &why);

    if (status == TP_OK || c->coming_count == 0) {
        return status == TP_OK ? TP_OK : tp_fail(err, status, "%s", why.text);
    }
    return tpi_entry_fail(c->coming[wrong], status, why.text, err);
}

/* ---- Making the change ----------------------------------------------------------------------- */

/* "removed fake0 (laser:0, ptz:0)"; of one that knows itself what it offers, "removed sim0" */
static void note_instance(tp_server *server, const char *what, const tp_instance *instance,
                          const tpi_blueprint *blueprint)
{
    char text[512];
    int length = snprintf(text, sizeof text, "%s %s", what, tp_instance_name(instance));

    for (uint32_t i = 0; i < blueprint->provide_count && length < (int)sizeof text - 80; i++) {
        length +=
            snprintf(text + length, sizeof text - (size_t)length, "%s%s:%u", i == 0 ? " (" : ", ",
                     blueprint->provides[i].interface->name, blueprint->provides[i].addr.index);
    }
    snprintf(text + length, sizeof text - (size_t)length, "%s",
             blueprint->provide_count > 0 ? ")" : "");
    tpi_server_note(server, text);
}

/* All that leave are gone: the others may have their ports and lines. */
static void finish(tp_server *server)
{
    struct file *file = server->files;

    for (struct driver_entry *entry = server->file->entries; entry != NULL; entry = entry->next) {
        if (entry->comes) {
            entry->comes = false;
            if (tpi_hub_register(entry->instance) == TP_OK) {
                note_instance(server, "added", entry->instance, &entry->asked);
            } else {
                tpi_server_note(server, "out of memory");
            }
        }
    }
    while (file != NULL) {
        struct file *next = file->next;
        tpi_config_release(file);
        file = next;
    }
    server->reloading = false;
    if (server->begun) {
        tp_server_begin(server);
    }
}

static void removed(void *context)
{
    struct file *home = context;
    tp_server *server = home->server;

    home->users--;
    server->leaving--;
    if (server->leaving == 0 && !server->ending) {
        finish(server);
    }
}

static void make_change(struct change *c)
{
    tp_server *server = c->server;

    server->reloading = true;
    for (size_t i = 0; i < c->coming_count; i++) {
        c->coming[i]->comes = true;
        c->coming[i]->home->users++;
    }
    server->leaving = c->leaving_count + 1; /* none is the last before all have begun to leave */
    for (struct driver_entry *entry = c->before->entries; entry != NULL; entry = entry->next) {
        if (entry->instance != NULL) {
            note_instance(server, "removed", entry->instance, &entry->asked);
            tpi_hub_remove(entry->instance, removed, entry->home);
            entry->instance = NULL;
        }
    }
    tpi_fronts_close_others(server);
    const bool top_changed = tpi_top_report_changes(server, c->before, c->after);
    const bool interfaces_changed = !tpi_interfaces_same(c->before, c->after);
    if (interfaces_changed) {
        tpi_server_note(server, "interface sections have changed; those that are loaded stay");
    }
    if (!top_changed && !interfaces_changed && c->leaving_count + c->coming_count == 0) {
        tpi_server_note(server, "nothing has changed");
    }
    server->leaving--;
    if (server->leaving == 0) {
        finish(server);
    }
}

static void undo(struct change *c)
{
    tp_server *server = c->server;

    for (size_t i = 0; i < c->coming_count; i++) {
        tpi_hub_discard(c->coming_instances[i]);
        c->coming[i]->instance = NULL;
    }
    give_back(c->after);
    tpi_fronts_undo(server, c->robot_count);
    server->file = c->before;
    tpi_config_release(c->after);
}

tp_status tp_server_reload(tp_server *server, tp_error *err)
{
    struct change c = {
        .server = server, .before = server->file, .robot_count = server->robot_count};

    if (server->reloading) {
        return tp_fail(err, TP_E_LIMIT, "the last change is still being made");
    }
    tpi_server_gather_notes(server);
    tp_status status = tpi_config_read(server, err);
    c.after = server->file;
    status = c.after != c.before && status == TP_OK ? make_room(&c, err) : status;
    status = status == TP_OK ? take_over(c.before, c.after, err) : status;
    status = status == TP_OK ? prepare(&c, err) : status;
    status = status == TP_OK ? check(&c, err) : status;
    status = status == TP_OK ? tpi_circles_check(server, err) : status;
    status = status == TP_OK ? tpi_fronts_open(server, err) : status;
    status = status == TP_OK ? tpi_access_apply(server, err) : status;
    tpi_server_tell_notes(server);
    if (status == TP_OK) {
        tpi_hub_set_panic_action(server->hub, c.after->panic);
        make_change(&c);
    } else if (c.after != c.before) {
        undo(&c);
    }
    free_room(&c);
    return status;
}
