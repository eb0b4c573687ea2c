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

/* ---- Whether two sections mean the same ------------------------------------------------------ */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same_addresses(const tpi_wanted *a, uint32_t a_count, const tpi_wanted *b,
                           uint32_t b_count)
{
    for (uint32_t i = 0; i < a_count && a_count == b_count; i++) {
        if (a[i].interface != b[i].interface || strcmp(a[i].key, b[i].key) != 0 ||
            a[i].section != b[i].section || memcmp(&a[i].addr, &b[i].addr, sizeof a[i].addr) != 0) {
            return false;
        }
    }
    return a_count == b_count;
}

static bool same_settings(const tpi_blueprint *a, const tpi_blueprint *b)
{
    const tpi_joined first_a = {a->settings, a->setting_count};
    const tpi_joined first_b = {b->settings, b->setting_count};

    if (a->joined_count != b->joined_count ||
        !tpi_settings_same(a->driver->params, &first_a, &first_b)) {
        return false;
    }
    for (uint32_t i = 0; i < a->joined_count; i++) {
        if (!tpi_settings_same(a->driver->params, &a->joined[i], &b->joined[i])) {
            return false;
        }
    }
    return true;
}

static bool same_place(const tpi_place *a, const tpi_place *b)
{
    return memcmp(&a->addr, &b->addr, sizeof a->addr) == 0 && a->has_pose == b->has_pose &&
           a->has_size == b->has_size && same_text(a->frame, b->frame) &&
           same_text(a->parent, b->parent) && tp_value_equal(&tp_desc_pose3d, &a->pose, &b->pose) &&
           tp_value_equal(&tp_desc_bbox3d, &a->size, &b->size);
}

static bool has_place(const tpi_blueprint *plan, const tpi_place *place)
{
    for (uint32_t i = 0; i < plan->place_count; i++) {
        if (same_place(&plan->places[i], place)) {
            return true;
        }
    }
    return false;
}

static bool same_places(const tpi_blueprint *a, const tpi_blueprint *b)
{
    for (uint32_t i = 0; i < a->place_count && a->place_count == b->place_count; i++) {
        if (!has_place(b, &a->places[i])) {
            return false;
        }
    }
    return a->place_count == b->place_count;
}

/* In the same order, which matters. */
static bool same_ranks(const tpi_blueprint *a, const tpi_blueprint *b)
{
    for (uint32_t i = 0; i < a->rank_count && a->rank_count == b->rank_count; i++) {
        const tpi_rank *x = &a->ranks[i];
        const tpi_rank *y = &b->ranks[i];
        if (x->rank != y->rank || x->hold_ns != y->hold_ns || x->section != y->section ||
            !same_text(x->client, y->client) || !same_text(x->host, y->host) ||
            !same_text(x->key, y->key) || !same_text(x->driver, y->driver)) {
            return false;
        }
    }
    return a->rank_count == b->rank_count;
}

static bool same_guard(const tpi_blueprint *a, const tpi_blueprint *b)
{
    return a->guard_length == b->guard_length &&
           (a->guard_length == 0 || memcmp(a->guard, b->guard, a->guard_length) == 0);
}

static bool same_meaning(const struct plan *a, const struct plan *b)
{
    const tpi_blueprint *x = &a->asked;
    const tpi_blueprint *y = &b->asked;

    return a->isolated == b->isolated && x->driver == y->driver && x->always_on == y->always_on &&
           x->extensions == y->extensions && x->restart_ns == y->restart_ns &&
           x->lease_ns == y->lease_ns && x->own_panic == y->own_panic && x->panic == y->panic &&
           same_addresses(x->provides, x->provide_count, y->provides, y->provide_count) &&
           same_addresses(x->requires, x->require_count, y->requires, y->require_count) &&
           same_settings(x, y) && same_places(x, y) && same_ranks(x, y) && same_guard(x, y);
}

/* ---- Who stays, who goes, who comes ---------------------------------------------------------- */

static size_t count_plans(const struct file *file)
{
    size_t count = 0;

    for (const struct plan *plan = file->plans; plan != NULL; plan = plan->next) {
        count++;
    }
    return count;
}

/* Plans that mean the same have the same first device; those that offer all there is have none. */
static const tp_devaddr *key_of(const struct plan *plan)
{
    static const tp_devaddr none;

    return plan->asked.provide_count > 0 ? &plan->asked.provides[0].addr : &none;
}

static void take_instance(struct plan *plan, const struct owners *owners)
{
    size_t passed = 0;
    struct plan *other = tpi_owners_next(owners, key_of(plan), &passed);

    while (other != NULL && (other->instance == NULL || !same_meaning(other, plan))) {
        other = tpi_owners_next(owners, key_of(plan), &passed);
    }
    if (other != NULL) {
        plan->instance = other->instance;
        plan->home = other->home;
        plan->from = other;
        other->instance = NULL;
    }
}

/* Instances that mean the same are taken over; a plan of the old file without one has gone on. */
static tp_status take_over(struct file *before, struct file *after, tp_error *err)
{
    struct owners owners;

    if (tpi_owners_init(&owners, count_plans(before), err) != TP_OK) {
        return TP_E_NOMEM;
    }
    for (struct plan *plan = before->plans; plan != NULL; plan = plan->next) {
        tpi_owners_add(&owners, key_of(plan), plan);
    }
    for (struct plan *plan = after->plans; plan != NULL; plan = plan->next) {
        take_instance(plan, &owners);
    }
    tpi_owners_fini(&owners);
    return TP_OK;
}

static void give_back(struct file *after)
{
    for (struct plan *plan = after->plans; plan != NULL; plan = plan->next) {
        if (plan->from != NULL) {
            plan->from->instance = plan->instance;
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
    struct plan **coming;
    tp_instance **coming_instances;
    size_t coming_count;
    size_t robot_count; /* before it */
    bool rights_changed;
    bool panic_changed;
};

static tp_status make_room(struct change *c, tp_error *err)
{
    const size_t most = count_plans(c->before) + count_plans(c->after) + 1;

    c->leaving = calloc(most, sizeof(tp_instance *));
    c->coming = calloc(most, sizeof(struct plan *));
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

    for (struct plan *plan = c->before->plans; plan != NULL; plan = plan->next) {
        if (plan->instance != NULL) {
            c->leaving[c->leaving_count++] = plan->instance;
        }
    }
    for (struct plan *plan = c->after->plans; plan != NULL && status == TP_OK; plan = plan->next) {
        if (plan->instance == NULL) {
            status = tpi_wire_prepare(c->server, plan, err);
            if (status == TP_OK) {
                c->coming_instances[c->coming_count] = plan->instance;
                c->coming[c->coming_count++] = plan;
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
    return tpi_wire_fail(c->coming[wrong], status, why.text, err);
}

/* ---- Making the change ----------------------------------------------------------------------- */

/* "removed fake0 (laser:0, ptz:0)"; of one that knows itself what it offers, "removed sim0" */
static void note_instance(tp_server *server, const char *what, const tp_instance *instance,
                          const tpi_blueprint *plan)
{
    char text[512];
    int length = snprintf(text, sizeof text, "%s %s", what, tp_instance_name(instance));

    for (uint32_t i = 0; i < plan->provide_count && length < (int)sizeof text - 80; i++) {
        length +=
            snprintf(text + length, sizeof text - (size_t)length, "%s%s:%u", i == 0 ? " (" : ", ",
                     plan->provides[i].interface->name, plan->provides[i].addr.index);
    }
    snprintf(text + length, sizeof text - (size_t)length, "%s", plan->provide_count > 0 ? ")" : "");
    tpi_server_note(server, text);
}

/* All that leave are gone: the others may have their ports and lines. */
static void finish(tp_server *server)
{
    struct file *file = server->files;

    for (struct plan *plan = server->file->plans; plan != NULL; plan = plan->next) {
        if (plan->comes) {
            plan->comes = false;
            if (tpi_hub_register(plan->instance) == TP_OK) {
                note_instance(server, "added", plan->instance, &plan->asked);
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
    for (struct plan *plan = c->before->plans; plan != NULL; plan = plan->next) {
        if (plan->instance != NULL) {
            note_instance(server, "removed", plan->instance, &plan->asked);
            tpi_hub_remove(plan->instance, removed, plan->home);
            plan->instance = NULL;
        }
    }
    const size_t fronts = tpi_front_plans_note_changes(server, c->before, c->after);
    tpi_fronts_settle(server);
    if (c->rights_changed) {
        tpi_server_note(server, server->file->access.open
                                    ? "keys and rights have changed: open to everybody now"
                                    : "keys and rights have changed");
    }
    if (c->panic_changed) {
        tpi_server_note(server, "how a panic stops what moves has changed");
    } else if (!c->rights_changed && c->leaving_count + c->coming_count + fronts == 0) {
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
        c.panic_changed = c.before->panic != c.after->panic;
        c.rights_changed =
            c.after != c.before && tpi_access_differs(&c.before->access, &c.after->access);
        make_change(&c);
    } else if (c.after != c.before) {
        undo(&c);
    }
    free_room(&c);
    return status;
}
