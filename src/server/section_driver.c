/* section_driver.c - driver sections: which driver, which devices, and what the server does with
 * them. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
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

/* ---- Devices --------------------------------------------------------------------------------- */

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

bool tpi_driver_says_all(const tpi_cfg_field *provides)
{
    return provides != NULL && provides->value_count == 1 &&
           strcmp(provides->values[0].text, "all") == 0;
}

/* `provides "all"` lists nothing: the driver knows what there is. */
static tp_status read_provides(const struct reading *reading, void *into, tp_error *err)
{
    tp_server *server = reading->server;
    tpi_cfg_section *section = reading->section;
    tpi_blueprint *blueprint = &((struct driver_entry *)into)->asked;
    const bool knows = (blueprint->driver->flags & TP_DRIVER_OFFERS_ALL) != 0 &&
                       tpi_join_find(server, section, blueprint->driver) == NULL;
    const tpi_cfg_field *field = tpi_cfg_find(section, "provides");

    blueprint->robot = server->options.port;
    if (knows && tpi_driver_says_all(field)) {
        field = NULL;
    }
    tp_status status = tpi_addresses_read(server, field, true, &blueprint->provides,
                                          &blueprint->provide_count, err);
    if (status == TP_OK && blueprint->provide_count == 0 && !knows) {
        return fail_without_list(section, blueprint->driver, err);
    }
    return status;
}

/* ---- Fields ---------------------------------------------------------------------------------- */

static const tpi_blueprint *asked(const void *entry)
{
    return &((const struct driver_entry *)entry)->asked;
}

static tp_status read_name(const struct reading *reading, void *into, tp_error *err)
{
    struct driver_entry *entry = into;

    return choose_driver(reading->server, reading->section, &entry->asked.driver, err);
}

static bool same_name(const void *a, const void *b)
{
    return asked(a)->driver == asked(b)->driver;
}

static bool same_plugin(const void *a, const void *b)
{
    const struct driver_entry *x = a;
    const struct driver_entry *y = b;

    return tpi_fields_same_text(x->section, y->section, "plugin");
}

static bool same_provides(const void *a, const void *b)
{
    return tpi_addresses_same(asked(a)->provides, asked(a)->provide_count, asked(b)->provides,
                              asked(b)->provide_count);
}

/* Of a passthrough: other drivers may mean something else by it. */
static bool has_remote_host(tpi_cfg_section *section)
{
    const tpi_cfg_field *name = tpi_cfg_find(section, "name");

    return (strcmp(name->values[0].text, "passthrough") == 0 ||
            strcmp(name->values[0].text, "relay") == 0) &&
           tpi_cfg_find(section, "remote_host") != NULL;
}

static tp_status read_requires(const struct reading *reading, void *into, tp_error *err)
{
    tpi_blueprint *blueprint = &((struct driver_entry *)into)->asked;
    const tpi_cfg_field *field = tpi_cfg_find(reading->section, "requires");

    if (has_remote_host(reading->section)) {
        if (field != NULL) {
            return tpi_cfg_fail(&field->place, err, "give either `requires` or `remote_host`");
        }
        blueprint->require_count = blueprint->provide_count;
        return tpi_addresses_remote(reading->server, reading->section, blueprint->provides,
                                    blueprint->provide_count, &blueprint->requires, err);
    }
    return tpi_addresses_read(reading->server, field, false, &blueprint->requires,
                              &blueprint->require_count, err);
}

static bool same_requires(const void *a, const void *b)
{
    return tpi_addresses_same(asked(a)->requires, asked(a)->require_count, asked(b)->requires,
                              asked(b)->require_count);
}

static tp_status read_robot_name(const struct reading *reading, void *into, tp_error *err)
{
    struct driver_entry *entry = into;

    return tpi_cfg_string(reading->section, "robot_name", NULL, &entry->asked.robot_name, err);
}

static bool same_robot_name(const void *a, const void *b)
{
    const struct driver_entry *x = a;
    const struct driver_entry *y = b;

    return tpi_fields_same_text(x->section, y->section, "robot_name");
}

static tp_status read_always_on(const struct reading *reading, void *into, tp_error *err)
{
    struct driver_entry *entry = into;

    return tpi_cfg_bool(reading->section, "alwayson", false, &entry->asked.always_on, err);
}

static bool same_always_on(const void *a, const void *b)
{
    return asked(a)->always_on == asked(b)->always_on;
}

static tp_status read_restart(const struct reading *reading, void *into, tp_error *err)
{
    struct driver_entry *entry = into;
    double restart = 0;
    tp_status status = tpi_cfg_number(reading->section, "restart", 1, &restart, err);

    if (status == TP_OK && !(restart >= 0 && restart < 1e6)) {
        return tpi_cfg_fail(&tpi_cfg_find(reading->section, "restart")->place, err,
                            "restart is a number of seconds below 1000000, 0 for never");
    }
    entry->asked.restart_ns = (int64_t)(restart * TP_NS_PER_S);
    return status;
}

static bool same_restart(const void *a, const void *b)
{
    return asked(a)->restart_ns == asked(b)->restart_ns;
}

/* What the driver section says, or else the file. */
static tp_status read_extensions(const struct reading *reading, void *into, tp_error *err)
{
    struct driver_entry *entry = into;
    bool everywhere = false;
    tp_status status = tpi_cfg_bool(tpi_cfg_root(reading->server->file->cfg), "extensions", false,
                                    &everywhere, err);

    return status == TP_OK ? tpi_cfg_bool(reading->section, "extensions", everywhere,
                                          &entry->asked.extensions, err)
                           : status;
}

static bool same_extensions(const void *a, const void *b)
{
    return asked(a)->extensions == asked(b)->extensions;
}

static tp_status read_write_needs(const struct reading *reading, void *into, tp_error *err)
{
    const tpi_cfg_field *field = tpi_cfg_find(reading->section, "write_needs");
    struct driver_entry *entry = into;
    const char *right = NULL;
    tp_status status = tpi_cfg_string(reading->section, "write_needs", "write", &right, err);

    if (status != TP_OK) {
        return status;
    }
    for (tp_right r = TP_RIGHT_WRITE; r <= TP_RIGHT_OPERATE; r++) {
        if (strcmp(right, tp_right_name(r)) == 0) {
            entry->asked.write_needs = r;
            return TP_OK;
        }
    }
    return tpi_cfg_fail(&field->place, err,
                        "write_needs is \"write\", \"move\" or \"operate\", not \"%s\"", right);
}

static bool same_write_needs(const void *a, const void *b)
{
    return asked(a)->write_needs == asked(b)->write_needs;
}

static tp_status read_lease(const struct reading *reading, void *into, tp_error *err)
{
    const tpi_cfg_field *field = tpi_cfg_find(reading->section, "lease");
    struct driver_entry *entry = into;
    double seconds = 0;
    tp_status status = tpi_cfg_number(reading->section, "lease", 0, &seconds, err);

    if (field == NULL || status != TP_OK) {
        return status;
    }
    if (!(seconds >= 0 && seconds < 1e6)) {
        return tpi_cfg_fail(&field->place, err,
                            "lease is a number of seconds below 1000000, 0 for no limit");
    }
    entry->asked.lease_ns = seconds > 0 ? (int64_t)(seconds * (double)TP_NS_PER_S) : -1;
    return TP_OK;
}

static bool same_lease(const void *a, const void *b)
{
    return asked(a)->lease_ns == asked(b)->lease_ns;
}

static tp_status read_panic(const struct reading *reading, void *into, tp_error *err)
{
    tpi_blueprint *blueprint = &((struct driver_entry *)into)->asked;

    return tpi_section_read_panic(reading->section, &blueprint->own_panic, &blueprint->panic, err);
}

static bool same_panic(const void *a, const void *b)
{
    return asked(a)->own_panic == asked(b)->own_panic && asked(a)->panic == asked(b)->panic;
}

static tp_status read_isolated(const struct reading *reading, void *into, tp_error *err)
{
    struct driver_entry *entry = into;

    return tpi_cfg_bool(reading->section, "isolated", false, &entry->isolated, err);
}

static bool same_isolated(const void *a, const void *b)
{
    return ((const struct driver_entry *)a)->isolated == ((const struct driver_entry *)b)->isolated;
}

static tp_status read_guard(const struct reading *reading, void *into, tp_error *err)
{
    struct driver_entry *entry = into;

    return tpi_guard_read(reading->server, reading->section, &entry->asked, err);
}

static bool same_guard(const void *a, const void *b)
{
    return asked(a)->guard_length == asked(b)->guard_length &&
           (asked(a)->guard_length == 0 ||
            memcmp(asked(a)->guard, asked(b)->guard, asked(a)->guard_length) == 0);
}

static const struct section_field driver_fields[] = {
    {.name = "name",
     .value = FIELD_TEXT,
     .help = "the driver",
     .flags = FIELD_REQUIRED,
     .examples = {"\"fake\"", "\"dummy\""},
     .read = read_name,
     .same = same_name},
    {.name = "plugin", /* read with the name */
     .value = FIELD_TEXT,
     .help = "the plug-in that contains the driver",
     .examples = {"\"kmot\"", "\"base\""},
     .same = same_plugin},
    {.name = "provides",
     .value = FIELD_ADDRESSES,
     .help = "the addresses of its devices, or \"all\" for drivers that know their own devices",
     .flags = FIELD_REQUIRED,
     .examples = {"[ \"position2d:0\" \"laser:0\" ]", "[ \"position2d:0\" \"laser:1\" ]"},
     .read = read_provides,
     .same = same_provides},
    {.name = "requires",
     .value = FIELD_ADDRESSES,
     .help = "the addresses of the devices that it uses",
     .flags = FIELD_LOCAL,
     .examples = {"[ \"laser:7\" ]", "[ \"laser:8\" ]"},
     .read = read_requires,
     .same = same_requires},
    {.name = "robot_name",
     .value = FIELD_TEXT,
     .fallback = "what the driver says",
     .help = "the name of the robot that its devices belong to, for lists and the dashboard",
     .flags = FIELD_LOCAL,
     .examples = {"\"anna\"", "\"ben\""},
     .read = read_robot_name,
     .same = same_robot_name},
    {.name = "alwayson",
     .value = FIELD_FLAG,
     .fallback = "no",
     .help = "whether it runs without clients",
     .flags = FIELD_LOCAL,
     .examples = {"no", "yes"},
     .read = read_always_on,
     .same = same_always_on},
    {.name = "restart",
     .value = FIELD_NUMBER,
     .unit = "s",
     .fallback = "1",
     .help = "time from a failure to the next start; 0 for never",
     .flags = FIELD_LOCAL,
     .examples = {"1", "2"},
     .read = read_restart,
     .same = same_restart},
    {.name = "lease",
     .value = FIELD_NUMBER,
     .unit = "s",
     .fallback = "1 for our clients; 5 for Player's, none in simulated worlds",
     .help = "time that its devices keep moving after the last message of the client that moves "
             "them; 0 for no limit",
     .flags = FIELD_CAREFUL,
     .examples = {"1", "2"},
     .read = read_lease,
     .same = same_lease},
    {.name = "panic",
     .value = FIELD_TEXT,
     .fallback = "the value at the top level",
     .help = "how a panic stops its devices: \"brake\", \"hold\" or \"finish\"",
     .flags = FIELD_CAREFUL,
     .examples = {"\"brake\"", "\"hold\""},
     .read = read_panic,
     .same = same_panic},
    {.name = "isolated",
     .value = FIELD_FLAG,
     .fallback = "no",
     .help = "whether it runs in its own process",
     .flags = FIELD_CAREFUL | FIELD_LOCAL,
     .examples = {"no", "yes"},
     .read = read_isolated,
     .same = same_isolated},
    {.name = "extensions",
     .value = FIELD_FLAG,
     .fallback = "the value at the top level",
     .help = "whether clients can use extension messages of its devices without asking for them",
     .examples = {"no", "yes"},
     .read = read_extensions,
     .same = same_extensions},
    {.name = "write_needs",
     .value = FIELD_TEXT,
     .fallback = "\"write\"",
     .help = "the right that every message that writes to its devices needs at least: \"move\" for "
             "devices that move hardware, or \"operate\"",
     .flags = FIELD_CAREFUL,
     .examples = {"\"write\"", "\"move\""},
     .read = read_write_needs,
     .same = same_write_needs},
    {.name = "guard",
     .value = FIELD_TEXT,
     .fallback = "the driver's own bytes",
     .help = "the bytes that are written to its line if the server dies",
     .flags = FIELD_CAREFUL,
     .examples = {"\"V 0\"", "\"hex:89 00\""},
     .read = read_guard,
     .same = same_guard},
    {.name = NULL},
};

const struct section_kind tpi_driver_section = {"driver", driver_fields};
