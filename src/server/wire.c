/* wire.c - from the sections of a configuration to plans, and from plans to driver instances. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "server/address.h"
#include "server/inside.h"

/* ---- Drivers --------------------------------------------------------------------------------- */

static const tp_driver *driver_named(const tp_driver *const *drivers, const char *name)
{
    for (; drivers != NULL && *drivers != NULL; drivers++) {
        if (strcmp((*drivers)->name, name) == 0) {
            return *drivers;
        }
    }
    return NULL;
}

static const tp_driver *const *drivers_of_kit(const tp_server *server)
{
    return server->options.kit == NULL ? NULL : server->options.kit->drivers;
}

/* The program's own, then those of its kit. */
const tp_driver *tpi_find_driver(const tp_server *server, const char *name)
{
    const tp_driver *own = driver_named(server->options.drivers, name);

    return own != NULL ? own : driver_named(drivers_of_kit(server), name);
}

static void offer_names(tpi_nearest *nearest, const tp_driver *const *drivers)
{
    for (; drivers != NULL && *drivers != NULL; drivers++) {
        tpi_nearest_offer(nearest, (*drivers)->name);
    }
}

/* A field that is nearly "name" was perhaps meant to be it. */
static tp_status no_name(const tpi_cfg_section *section, tp_error *err)
{
    for (uint32_t i = 0; i < section->field_count; i++) {
        tpi_nearest nearest;
        char hint[96];
        tpi_nearest_init(&nearest, section->fields[i].name);
        tpi_nearest_offer(&nearest, "name");
        if (tpi_nearest_hint(&nearest, hint, sizeof hint)[0] != '\0') {
            return tpi_cfg_fail(&section->fields[i].place, err,
                                "the driver has no name, but \"%s\"%s", section->fields[i].name,
                                hint);
        }
    }
    return tpi_cfg_fail(&section->place, err, "the driver has no name");
}

static tp_status choose_driver(tp_server *server, tpi_cfg_section *section,
                               const tp_driver **driver, tp_error *err)
{
    const char *name = NULL;
    tpi_nearest nearest;
    char hint[96];
    tp_status status = tpi_cfg_string(section, "name", NULL, &name, err);
    if (status != TP_OK) {
        return status;
    }
    if (name == NULL) {
        return no_name(section, err);
    }
    *driver = tpi_find_driver(server, name);
    status = tpi_plugins_choose_driver(server, section, name, driver, err);
    if (status != TP_OK || *driver != NULL) {
        return status;
    }
    tpi_nearest_init(&nearest, name);
    offer_names(&nearest, server->options.drivers);
    offer_names(&nearest, drivers_of_kit(server));
    return tpi_cfg_fail(&tpi_cfg_find(section, "name")->place, err, "there is no driver \"%s\"%s",
                        name, tpi_nearest_hint(&nearest, hint, sizeof hint));
}

/* ---- Addresses ------------------------------------------------------------------------------- */

static tp_status unknown_interface(const tp_server *server, const tpi_cfg_value *value,
                                   const char *name, tp_error *err)
{
    tpi_nearest nearest;
    char hint[96];

    tpi_nearest_init(&nearest, name);
    for (size_t i = 0; i < tp_catalogue_size(server->catalogue); i++) {
        tpi_nearest_offer(&nearest, tp_catalogue_at(server->catalogue, i)->name);
    }
    return tpi_cfg_fail(&value->place, err, "there is no interface \"%s\"%s", name,
                        tpi_nearest_hint(&nearest, hint, sizeof hint));
}

static tp_status read_address(tp_server *server, const tpi_cfg_value *value, tpi_wanted *out,
                              tp_error *err)
{
    tpi_devaddr_text address;
    tp_error why = {0};

    if (tpi_devaddr_parse(&address, value->text, &why) != TP_OK) {
        return tpi_cfg_fail(&value->place, err, "%s", why.text);
    }
    out->interface = tp_catalogue_named(server->catalogue, address.interface);
    if (out->interface == NULL) {
        out->interface = tpi_plugins_interface(server, address.interface);
    }
    if (out->interface == NULL) {
        return unknown_interface(server, value, address.interface, err);
    }
    out->key = tpi_arena_text(&server->file->arena, address.key, strlen(address.key));
    out->addr = (tp_devaddr){.host = TP_PLAYER_HOST,
                             .robot = address.robot > 0 ? address.robot : server->options.port,
                             .interf = out->interface->code,
                             .index = (uint16_t)address.index};
    if (out->key == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    return tpi_elsewhere_is(server, &address) ? tpi_elsewhere_name(server, &address, out, err)
                                              : TP_OK;
}

/* The same address twice in one list is a slip of the pen. */
static tp_status check_new(const tpi_wanted *wanted, uint32_t i, const tpi_cfg_value *value,
                           tp_error *err)
{
    for (uint32_t k = 0; k < i; k++) {
        if (memcmp(&wanted[k].addr, &wanted[i].addr, sizeof wanted[i].addr) == 0 &&
            strcmp(wanted[k].key, wanted[i].key) == 0) {
            return tpi_cfg_fail(&value->place, err, "%s is listed twice", value->text);
        }
    }
    return TP_OK;
}

static tp_status read_addresses(tp_server *server, const tpi_cfg_field *field,
                                const tpi_wanted **out, uint32_t *count, tp_error *err)
{
    tp_status status = TP_OK;

    *count = field == NULL ? 0 : field->value_count;
    tpi_wanted *wanted = tpi_arena_array(&server->file->arena, *count + 1, sizeof *wanted);
    if (wanted == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (uint32_t i = 0; i < *count && status == TP_OK; i++) {
        status = read_address(server, &field->values[i], &wanted[i], err);
        status = status == TP_OK ? check_new(wanted, i, &field->values[i], err) : status;
    }
    *out = wanted;
    return status;
}

/* A section without a list, which may have it under a name that is not quite right. */
static tp_status fail_without_list(const tpi_cfg_section *section, const tp_driver *driver,
                                   tp_error *err)
{
    for (uint32_t i = 0; i < section->field_count; i++) {
        tpi_nearest nearest;
        tpi_nearest_init(&nearest, section->fields[i].name);
        tpi_nearest_offer(&nearest, "provides");
        if (nearest.best != NULL && !section->fields[i].used) {
            return tpi_cfg_fail(&section->fields[i].place, err,
                                "there is no \"%.40s\"; did you mean \"provides\"?",
                                section->fields[i].name);
        }
    }
    return tpi_cfg_fail(&section->place, err, "the driver %s provides nothing", driver->name);
}

static bool says_all(const tpi_cfg_field *provides)
{
    return provides != NULL && provides->value_count == 1 &&
           strcmp(provides->values[0].text, "all") == 0;
}

/* `provides "all"` lists nothing: the driver knows what there is. */
static tp_status read_provides(tp_server *server, tpi_cfg_section *section, tpi_blueprint *plan,
                               tp_error *err)
{
    const bool knows = (plan->driver->flags & TP_DRIVER_OFFERS_ALL) != 0 &&
                       tpi_join_find(server, section, plan->driver) == NULL;
    const tpi_cfg_field *field = tpi_cfg_find(section, "provides");

    plan->robot = server->options.port;
    if (knows && says_all(field)) {
        field = NULL;
    }
    tp_status status = read_addresses(server, field, &plan->provides, &plan->provide_count, err);
    if (status == TP_OK && plan->provide_count == 0 && !knows) {
        return fail_without_list(section, plan->driver, err);
    }
    return status;
}

/* ---- Sections -------------------------------------------------------------------------------- */

/* What the driver section says, or else the file. */
static tp_status read_extensions(const tp_server *server, tpi_cfg_section *section, bool *on,
                                 tp_error *err)
{
    bool everywhere = false;
    tp_status status =
        tpi_cfg_bool(tpi_cfg_root(server->file->cfg), "extensions", false, &everywhere, err);

    return status == TP_OK ? tpi_cfg_bool(section, "extensions", everywhere, on, err) : status;
}

/* How long what it moves may move for a client that is silent; 0 for ever. */
static tp_status read_lease(tpi_cfg_section *section, int64_t *lease_ns, tp_error *err)
{
    const tpi_cfg_field *field = tpi_cfg_find(section, "lease");
    double seconds = 0;
    tp_status status = tpi_cfg_number(section, "lease", 0, &seconds, err);

    if (field == NULL || status != TP_OK) {
        return status;
    }
    if (!(seconds >= 0 && seconds < 1e6)) {
        return tpi_cfg_fail(&field->place, err,
                            "lease is a number of seconds below 1000000, 0 for no limit");
    }
    *lease_ns = seconds > 0 ? (int64_t)(seconds * (double)TP_NS_PER_S) : -1;
    return TP_OK;
}

tp_status tpi_wire_panic(tpi_cfg_section *section, bool *given, tp_halt *action, tp_error *err)
{
    static const char *const actions[] = {
        [TP_HALT_BRAKE] = "brake", [TP_HALT_HOLD] = "hold", [TP_HALT_FINISH] = "finish"};
    const char *word = NULL;
    tp_status status = tpi_cfg_string(section, "panic", NULL, &word, err);

    *given = word != NULL;
    if (status != TP_OK || word == NULL) {
        return status;
    }
    for (unsigned i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        if (strcmp(actions[i], word) == 0) {
            *action = (tp_halt)i;
            return TP_OK;
        }
    }
    return tpi_cfg_fail(&tpi_cfg_find(section, "panic")->place, err,
                        "panic is \"brake\", \"hold\" or \"finish\", not \"%s\"", word);
}

static tp_status read_blueprint(tp_server *server, tpi_cfg_section *section, tpi_blueprint *plan,
                                tp_error *err)
{
    double restart = 0;
    tp_status status = choose_driver(server, section, &plan->driver, err);

    status = status == TP_OK ? read_provides(server, section, plan, err) : status;
    status = status == TP_OK ? read_addresses(server, tpi_cfg_find(section, "requires"),
                                              &plan->requires, &plan->require_count, err)
                             : status;
    status =
        status == TP_OK ? tpi_cfg_bool(section, "alwayson", false, &plan->always_on, err) : status;
    status = status == TP_OK ? tpi_cfg_number(section, "restart", 1, &restart, err) : status;
    status = status == TP_OK ? read_extensions(server, section, &plan->extensions, err) : status;
    if (status == TP_OK && !(restart >= 0 && restart < 1e6)) {
        return tpi_cfg_fail(&tpi_cfg_find(section, "restart")->place, err,
                            "restart is a number of seconds below 1000000, 0 for never");
    }
    plan->restart_ns = (int64_t)(restart * TP_NS_PER_S);
    status = status == TP_OK ? read_lease(section, &plan->lease_ns, err) : status;
    status =
        status == TP_OK ? tpi_wire_panic(section, &plan->own_panic, &plan->panic, err) : status;
    status = status == TP_OK ? tpi_guard_read(server, section, plan, err) : status;
    status = status == TP_OK ? tpi_places_read(server, section, plan, err) : status;
    status = status == TP_OK ? tpi_ranks_read(server, section, plan, err) : status;
    return status == TP_OK ? tpi_settings_read(server, section, plan, err) : status;
}

static struct plan *make_plan(tp_server *server, tp_error *err)
{
    struct plan *plan = tpi_arena_array(&server->file->arena, 1, sizeof *plan);

    if (plan == NULL) {
        tp_fail(err, TP_E_NOMEM, "out of memory");
        return NULL;
    }
    plan->home = server->file;
    return plan;
}

static void append_plan(tp_server *server, struct plan *plan)
{
    struct file *file = server->file;

    *(file->last_plan != NULL ? &file->last_plan->next : &file->plans) = plan;
    file->last_plan = plan;
}

struct plan *tpi_wire_plan(tp_server *server, tp_error *err)
{
    struct plan *plan = make_plan(server, err);

    if (plan != NULL) {
        append_plan(server, plan);
    }
    return plan;
}

static void tell_of_list(tp_server *server, tpi_cfg_section *whole, tpi_cfg_section *section)
{
    const tpi_cfg_field *all = tpi_cfg_find(whole, "provides");
    tp_error note;

    if (says_all(all)) {
        tpi_cfg_fail(&all->place, &note,
                     "\"all\" has no effect: the section of line %u lists what is provided",
                     section->place.line);
        tpi_server_note(server, note.text);
    }
}

static tp_status read_driver(tp_server *server, tpi_cfg_section *section, tp_error *err)
{
    struct plan *plan = make_plan(server, err);

    if (plan == NULL) {
        return TP_E_NOMEM;
    }
    plan->section = section;
    tp_status status = tpi_cfg_bool(section, "isolated", false, &plan->isolated, err);
    status = status == TP_OK ? read_blueprint(server, section, &plan->asked, err) : status;
    if (status != TP_OK) {
        return status;
    }
    struct plan *whole = tpi_join_find(server, section, plan->asked.driver);
    if (whole != NULL) {
        tell_of_list(server, whole->section, section);
        tpi_join_add(whole, plan);
    } else {
        append_plan(server, plan);
    }
    return TP_OK;
}

/* ---- Instances ------------------------------------------------------------------------------- */

tp_status tpi_wire_fail(const struct plan *plan, tp_status status, const char *why, tp_error *err)
{
    return plan->section == NULL ? tp_fail(err, status, "%s", why)
                                 : tpi_cfg_fail(&plan->section->place, err, "%s", why);
}

/* The same where a parameter of the plan stands; NULL for none. */
static tp_status fail_at(const struct plan *plan, const char *param, tp_status status,
                         const char *why, tp_error *err)
{
    const tpi_cfg_field *field =
        plan->section == NULL || param == NULL ? NULL : tpi_cfg_find(plan->section, param);

    return field == NULL ? tpi_wire_fail(plan, status, why, err)
                         : tpi_cfg_fail(&field->place, err, "%s", why);
}

tp_status tpi_wire_prepare(tp_server *server, struct plan *plan, tp_error *err)
{
    tpi_blueprint blueprint = plan->asked;
    tp_error why = {0};
    tp_status status = plan->isolated ? tpi_isolate(server, plan->section, &blueprint, err) : TP_OK;

    if (status != TP_OK) {
        return status;
    }
    status = tpi_hub_prepare(server->hub, &blueprint, &plan->instance, &why);
    if (status != TP_OK) {
        const struct plan *part = plan;
        for (size_t i = tpi_hub_blamed(server->hub); i > 0 && part != NULL; i--) {
            part = part == plan ? plan->joined : part->next;
        }
        return fail_at(part == NULL ? plan : part, tpi_hub_blamed_param(server->hub), status,
                       why.text, err);
    }
    return TP_OK;
}

/* ---- Interfaces ------------------------------------------------------------------------------ */

/* An interface file that was loaded. */
struct loaded {
    const char *path;
    struct loaded *next;
};

static bool is_loaded(const tp_server *server, const char *path)
{
    const struct loaded *loaded = server->loaded;

    while (loaded != NULL && strcmp(loaded->path, path) != 0) {
        loaded = loaded->next;
    }
    return loaded != NULL;
}

static tp_status load(tp_server *server, const char *path, tp_error *err)
{
    struct loaded *loaded = tpi_arena_array(&server->arena, 1, sizeof *loaded);
    const char *copy = tpi_arena_text(&server->arena, path, strlen(path));

    if (loaded == NULL || copy == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    tp_status status = tp_catalogue_load(server->catalogue, path, err);
    if (status == TP_OK) {
        *loaded = (struct loaded){.path = copy, .next = server->loaded};
        server->loaded = loaded;
    }
    return status;
}

/* interface ( file "my.padi" ): one more interface, unless it was loaded before. */
static tp_status read_interface(tp_server *server, tpi_cfg_section *section, tp_error *err)
{
    const tpi_cfg_field *file = tpi_cfg_find(section, "file");
    char *path = NULL;
    tp_error why = {0};

    if (file == NULL) {
        return tpi_cfg_fail(&section->place, err, "an interface section names a file");
    }
    tp_status status = tpi_cfg_path(&file->values[0], &path, err);
    if (status == TP_OK && !is_loaded(server, path) && load(server, path, &why) != TP_OK) {
        status = tpi_cfg_fail(&file->place, err, "%s", why.text);
    }
    free(path);
    return status;
}

/* ---- The file -------------------------------------------------------------------------------- */

static tp_status read_sections(tp_server *server, const char *type,
                               tp_status (*read)(tp_server *server, tpi_cfg_section *section,
                                                 tp_error *err),
                               tp_error *err)
{
    tpi_cfg_section *root = tpi_cfg_root(server->file->cfg);
    tp_status status = TP_OK;

    for (uint32_t i = 0; i < root->section_count && status == TP_OK; i++) {
        if (strcmp(root->sections[i]->type, type) == 0) {
            status = read(server, root->sections[i], err);
        }
    }
    return status;
}

static const char *const section_types[] = {"driver", "front", "interface", NULL};

static void put_section_error(const tpi_cfg_section *section, tp_error *err)
{
    tpi_nearest nearest;
    char hint[96];

    tpi_nearest_init(&nearest, section->type);
    for (size_t i = 0; section_types[i] != NULL; i++) {
        tpi_nearest_offer(&nearest, section_types[i]);
    }
    tpi_cfg_fail(&section->place, err, "there is no section \"%s\"%s", section->type,
                 tpi_nearest_hint(&nearest, hint, sizeof hint));
}

/* Files for other servers may have other sections: a note, unless there is nothing else. */
static tp_status check_sections(tp_server *server, tp_error *err)
{
    const tpi_cfg_section *root = tpi_cfg_root(server->file->cfg);
    tp_error unknown = {0};

    for (uint32_t i = 0; i < root->section_count; i++) {
        if (!tpi_text_among(section_types, root->sections[i]->type)) {
            put_section_error(root->sections[i], &unknown);
            tpi_server_note(server, unknown.text);
        }
    }
    if (server->file->plans != NULL) {
        return TP_OK;
    }
    return unknown.code != 0 ? tp_fail(err, unknown.code, "%s", unknown.text)
                             : tpi_cfg_fail(&root->place, err, "the configuration has no device");
}

tp_status tpi_wire_read(tp_server *server, tp_error *err)
{
    tp_status status = tpi_plugins_load(server, err);

    status = status == TP_OK ? tpi_elsewhere_begin(server, err) : status;
    status = status == TP_OK ? read_sections(server, "interface", read_interface, err) : status;
    status = status == TP_OK ? read_sections(server, "driver", read_driver, err) : status;
    status = status == TP_OK ? tpi_join_finish(server, err) : status;
    status = status == TP_OK ? check_sections(server, err) : status;
    return status == TP_OK ? tpi_elsewhere_plan(server, err) : status;
}
