/* section_driver.c - the sections of a configuration as entries, and entries as driver instances.
 */
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
    status = tpi_plugins_choose(server, section, name, driver, err);
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
static tp_status read_provides(tp_server *server, tpi_cfg_section *section,
                               tpi_blueprint *blueprint, tp_error *err)
{
    const bool knows = (blueprint->driver->flags & TP_DRIVER_OFFERS_ALL) != 0 &&
                       tpi_join_find(server, section, blueprint->driver) == NULL;
    const tpi_cfg_field *field = tpi_cfg_find(section, "provides");

    blueprint->robot = server->options.port;
    if (knows && says_all(field)) {
        field = NULL;
    }
    tp_status status =
        read_addresses(server, field, &blueprint->provides, &blueprint->provide_count, err);
    if (status == TP_OK && blueprint->provide_count == 0 && !knows) {
        return fail_without_list(section, blueprint->driver, err);
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

tp_status tpi_section_read_panic(tpi_cfg_section *section, bool *given, tp_halt *action,
                                 tp_error *err)
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

static tp_status read_blueprint(tp_server *server, tpi_cfg_section *section,
                                tpi_blueprint *blueprint, tp_error *err)
{
    double restart = 0;
    tp_status status = choose_driver(server, section, &blueprint->driver, err);

    status = status == TP_OK ? read_provides(server, section, blueprint, err) : status;
    status = status == TP_OK ? read_addresses(server, tpi_cfg_find(section, "requires"),
                                              &blueprint->requires, &blueprint->require_count, err)
                             : status;
    status = status == TP_OK ? tpi_cfg_bool(section, "alwayson", false, &blueprint->always_on, err)
                             : status;
    status = status == TP_OK ? tpi_cfg_number(section, "restart", 1, &restart, err) : status;
    status =
        status == TP_OK ? read_extensions(server, section, &blueprint->extensions, err) : status;
    if (status == TP_OK && !(restart >= 0 && restart < 1e6)) {
        return tpi_cfg_fail(&tpi_cfg_find(section, "restart")->place, err,
                            "restart is a number of seconds below 1000000, 0 for never");
    }
    blueprint->restart_ns = (int64_t)(restart * TP_NS_PER_S);
    status = status == TP_OK ? read_lease(section, &blueprint->lease_ns, err) : status;
    status = status == TP_OK
                 ? tpi_section_read_panic(section, &blueprint->own_panic, &blueprint->panic, err)
                 : status;
    status = status == TP_OK ? tpi_guard_read(server, section, blueprint, err) : status;
    status = status == TP_OK ? tpi_places_read(server, section, blueprint, err) : status;
    status = status == TP_OK ? tpi_ranks_read(server, section, blueprint, err) : status;
    return status == TP_OK ? tpi_settings_read(server, section, blueprint, err) : status;
}

static struct driver_entry *make_entry(tp_server *server, tp_error *err)
{
    struct driver_entry *entry = tpi_arena_array(&server->file->arena, 1, sizeof *entry);

    if (entry == NULL) {
        tp_fail(err, TP_E_NOMEM, "out of memory");
        return NULL;
    }
    entry->home = server->file;
    return entry;
}

static void append_entry(tp_server *server, struct driver_entry *entry)
{
    struct file *file = server->file;

    *(file->last_entry != NULL ? &file->last_entry->next : &file->entries) = entry;
    file->last_entry = entry;
}

struct driver_entry *tpi_entry_add(tp_server *server, tp_error *err)
{
    struct driver_entry *entry = make_entry(server, err);

    if (entry != NULL) {
        append_entry(server, entry);
    }
    return entry;
}

/* What a section lists goes before what the one that it joins has said of everything. */
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
    struct driver_entry *entry = make_entry(server, err);

    if (entry == NULL) {
        return TP_E_NOMEM;
    }
    entry->section = section;
    tp_status status = tpi_cfg_bool(section, "isolated", false, &entry->isolated, err);
    status = status == TP_OK ? read_blueprint(server, section, &entry->asked, err) : status;
    if (status != TP_OK) {
        return status;
    }
    struct driver_entry *whole = tpi_join_find(server, section, entry->asked.driver);
    if (whole != NULL) {
        tell_of_list(server, whole->section, section);
        tpi_join_add(whole, entry);
    } else {
        append_entry(server, entry);
    }
    return TP_OK;
}

/* ---- Instances ------------------------------------------------------------------------------- */

tp_status tpi_entry_fail(const struct driver_entry *entry, tp_status status, const char *why,
                         tp_error *err)
{
    return entry->section == NULL ? tp_fail(err, status, "%s", why)
                                  : tpi_cfg_fail(&entry->section->place, err, "%s", why);
}

/* The same where a parameter of the entry stands; NULL for none. */
static tp_status fail_at(const struct driver_entry *entry, const char *param, tp_status status,
                         const char *why, tp_error *err)
{
    const tpi_cfg_field *field =
        entry->section == NULL || param == NULL ? NULL : tpi_cfg_find(entry->section, param);

    return field == NULL ? tpi_entry_fail(entry, status, why, err)
                         : tpi_cfg_fail(&field->place, err, "%s", why);
}

tp_status tpi_entry_prepare(tp_server *server, struct driver_entry *entry, tp_error *err)
{
    tpi_blueprint blueprint = entry->asked;
    tp_error why = {0};
    tp_status status =
        entry->isolated ? tpi_isolate(server, entry->section, &blueprint, err) : TP_OK;

    if (status != TP_OK) {
        return status;
    }
    status = tpi_hub_prepare(server->hub, &blueprint, &entry->instance, &why);
    if (status != TP_OK) {
        const struct driver_entry *part = entry;
        for (size_t i = tpi_hub_blamed(server->hub); i > 0 && part != NULL; i--) {
            part = part == entry ? entry->joined : part->next;
        }
        return fail_at(part == NULL ? entry : part, tpi_hub_blamed_param(server->hub), status,
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

/* What a section that nobody reads was perhaps meant to be. */
static void put_section_error(const tpi_cfg_section *section, tp_error *err)
{
    tpi_nearest nearest;
    char hint[96];

    tpi_nearest_init(&nearest, section->type);
    tpi_nearest_offer(&nearest, "driver");
    tpi_nearest_offer(&nearest, "interface");
    tpi_cfg_fail(&section->place, err, "there is no section \"%s\"%s", section->type,
                 tpi_nearest_hint(&nearest, hint, sizeof hint));
}

/* Files for other servers may have sections that mean nothing here, so they are told, no more;
 * unless there is nothing else. */
static tp_status check_sections(tp_server *server, tp_error *err)
{
    const tpi_cfg_section *root = tpi_cfg_root(server->file->cfg);
    tp_error unknown = {0};

    for (uint32_t i = 0; i < root->section_count; i++) {
        const char *type = root->sections[i]->type;
        if (strcmp(type, "driver") != 0 && strcmp(type, "interface") != 0) {
            put_section_error(root->sections[i], &unknown);
            tpi_server_note(server, unknown.text);
        }
    }
    if (server->file->entries != NULL) {
        return TP_OK;
    }
    return unknown.code != 0 ? tp_fail(err, unknown.code, "%s", unknown.text)
                             : tpi_cfg_fail(&root->place, err, "the configuration has no device");
}

tp_status tpi_sections_read(tp_server *server, tp_error *err)
{
    tp_status status = tpi_plugins_load(server, err);

    status = status == TP_OK ? tpi_elsewhere_begin(server, err) : status;
    status = status == TP_OK ? read_sections(server, "interface", read_interface, err) : status;
    status = status == TP_OK ? read_sections(server, "driver", read_driver, err) : status;
    status = status == TP_OK ? tpi_join_finish(server, err) : status;
    status = status == TP_OK ? check_sections(server, err) : status;
    return status == TP_OK ? tpi_elsewhere_offer(server, err) : status;
}
