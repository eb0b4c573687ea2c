/*
 * section_front.c - front sections: the fronts that a configuration wants.
 *
 *     front ( name "web" port 9665 listen "*" robot 6665 )
 *     front ( name "jsonlines" plugin "jsonlines" enabled no )
 *
 * A front of the kit that no section names opens by default, unless it has TP_FRONT_NAMED and is
 * not usual (tp_front). Sections take the place of the default, one opening for each. A field that
 * a front section does not have is a mistake: a section that says where a server listens is not
 * guessed at.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "server/inside.h"

enum { MOST_PORT = 65535 };

/* ---- Choosing -------------------------------------------------------------------------------- */

static const tp_front *const *fronts_of_kit(const tp_server *server)
{
    static const tp_front *const none[] = {NULL};
    const tp_kit *kit = server->options.kit;

    return kit == NULL || kit->fronts == NULL ? none : kit->fronts;
}

static const tp_front *front_named(const tp_server *server, const char *name)
{
    const tp_front *const *at = fronts_of_kit(server);

    while (*at != NULL && strcmp((*at)->name, name) != 0) {
        at++;
    }
    return *at;
}

static tp_status unknown_front(const tp_server *server, const char *name,
                               const tpi_cfg_place *place, tp_error *err)
{
    tpi_nearest nearest;
    char hint[96];
    char list[160] = "";
    size_t length = 0;

    tpi_nearest_init(&nearest, name);
    for (const tp_front *const *at = fronts_of_kit(server); *at != NULL; at++) {
        tpi_nearest_offer(&nearest, (*at)->name);
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s",
                                   length == 0 ? "" : ", ", (*at)->name);
        length = length < sizeof list ? length : sizeof list - 1;
    }
    tpi_nearest_hint(&nearest, hint, sizeof hint);
    return tpi_cfg_fail(place, err, "there is no front \"%.40s\"%s%s%s", name,
                        nearest.best == NULL ? "; built in: " : hint,
                        nearest.best == NULL ? "" : " Built in: ", length == 0 ? "none" : list);
}

static tp_status read_name(const struct reading *reading, void *into, tp_error *err)
{
    tp_server *server = reading->server;
    tpi_cfg_section *section = reading->section;
    const tp_front **front = &((struct front_entry *)into)->front;
    const char *name = NULL;
    tp_status status = tpi_cfg_string(section, "name", NULL, &name, err);

    if (status != TP_OK) {
        return status;
    }
    if (name == NULL) {
        return tpi_cfg_fail(&section->place, err, "the front has no name");
    }
    *front = front_named(server, name);
    status = tpi_plugins_choose_front(server, section, name, front, err);
    return status != TP_OK || *front != NULL
               ? status
               : unknown_front(server, name, &tpi_cfg_find(section, "name")->place, err);
}

static bool same_front(const void *a, const void *b)
{
    return ((const struct front_entry *)a)->front == ((const struct front_entry *)b)->front;
}

static bool same_plugin(const void *a, const void *b)
{
    return tpi_fields_same_text(((const struct front_entry *)a)->section,
                                ((const struct front_entry *)b)->section, "plugin");
}

/* ---- Fields ---------------------------------------------------------------------------------- */

/* A port, or a robot, whose number is that of a port. */
static tp_status read_number(tpi_cfg_section *section, const char *name, int64_t least, bool *given,
                             unsigned *out, tp_error *err)
{
    int64_t number = 0;
    const tpi_cfg_field *field = tpi_cfg_find(section, name);
    const tp_status status = tpi_cfg_integer(section, name, 0, &number, err);

    *given = field != NULL;
    if (status == TP_OK && field != NULL && (number < least || number > MOST_PORT)) {
        return tpi_cfg_fail(&field->place, err, "%s is a number from %d to %d", name, (int)least,
                            MOST_PORT);
    }
    *out = (unsigned)number;
    return status;
}

static tp_status read_enabled(const struct reading *reading, void *into, tp_error *err)
{
    struct front_entry *entry = into;
    bool enabled = true;
    const tp_status status = tpi_cfg_bool(reading->section, "enabled", true, &enabled, err);

    entry->disabled = !enabled;
    return status;
}

static bool same_enabled(const void *a, const void *b)
{
    return ((const struct front_entry *)a)->disabled == ((const struct front_entry *)b)->disabled;
}

static tp_status read_listen(const struct reading *reading, void *into, tp_error *err)
{
    struct front_entry *entry = into;
    const tp_status status = tpi_cfg_string(reading->section, "listen", NULL, &entry->listen, err);

    if (status == TP_OK && entry->listen != NULL && entry->listen[0] == '\0') {
        return tpi_cfg_fail(&tpi_cfg_find(reading->section, "listen")->place, err,
                            "listen is an address; \"enabled no\" closes a front");
    }
    return status;
}

static bool same_listen(const void *a, const void *b)
{
    return tpi_same_text(((const struct front_entry *)a)->listen,
                         ((const struct front_entry *)b)->listen);
}

static tp_status read_robot(const struct reading *reading, void *into, tp_error *err)
{
    struct front_entry *entry = into;
    bool given = false;

    return read_number(reading->section, "robot", 1, &given, &entry->robot, err);
}

static bool same_robot(const void *a, const void *b)
{
    return ((const struct front_entry *)a)->robot == ((const struct front_entry *)b)->robot;
}

/* Read after `robot`. */
static tp_status read_port(const struct reading *reading, void *into, tp_error *err)
{
    struct front_entry *entry = into;
    const tp_status status =
        read_number(reading->section, "port", 0, &entry->has_port, &entry->port, err);

    if (status == TP_OK && (entry->front->flags & TP_FRONT_PER_ROBOT) != 0 && entry->has_port &&
        entry->robot == 0) {
        return tpi_cfg_fail(&tpi_cfg_find(reading->section, "port")->place, err,
                            "port needs robot: the front %s has one port for each robot",
                            entry->front->name);
    }
    return status;
}

static bool same_port(const void *a, const void *b)
{
    const struct front_entry *x = a;
    const struct front_entry *y = b;

    return x->has_port == y->has_port && x->port == y->port;
}

static const struct section_field front_fields[] = {
    {.name = "name",
     .value = FIELD_TEXT,
     .help = "the front, by its name",
     .flags = FIELD_REQUIRED,
     .examples = {"\"player\"", "\"lines\""},
     .read = read_name,
     .same = same_front},
    {.name = "plugin", /* read with the name */
     .value = FIELD_TEXT,
     .help = "the plug-in that contains the front",
     .examples = {"\"web\"", "\"jsonlines\""},
     .same = same_plugin},
    {.name = "enabled",
     .value = FIELD_FLAG,
     .fallback = "yes",
     .help = "whether the front is opened",
     .examples = {"yes", "no"},
     .read = read_enabled,
     .same = same_enabled},
    {.name = "listen",
     .value = FIELD_TEXT,
     .fallback = "the address of --listen",
     .help = "the address that the front listens on",
     .examples = {"\"127.0.0.1\"", "\"::1\""},
     .read = read_listen,
     .same = same_listen},
    {.name = "robot",
     .value = FIELD_WHOLE,
     .fallback = "all robots",
     .help = "the only robot that it serves, by its port",
     .examples = {"6665", "6666"},
     .read = read_robot,
     .same = same_robot},
    {.name = "port",
     .value = FIELD_WHOLE,
     .fallback = "the port of the front",
     .help = "the port that it listens on; 0 for one that the system chooses",
     .examples = {"9665", "0"},
     .read = read_port,
     .same = same_port},
    {.name = NULL},
};

const struct section_kind tpi_front_section = {"front", front_fields};

static tp_status check_field(const tpi_cfg_field *field, const tp_front *front, tp_error *err)
{
    tpi_nearest nearest;
    char hint[96];

    if (tpi_fields_find(&tpi_front_section, field->name) != NULL ||
        tpi_setting_find(front->params, field->name) != NULL) {
        return TP_OK;
    }
    tpi_nearest_init(&nearest, field->name);
    tpi_fields_offer(&tpi_front_section, &nearest);
    for (const tp_param *p = front->params; p != NULL && p->name != NULL; p++) {
        tpi_nearest_offer(&nearest, p->name);
    }
    return tpi_cfg_fail(&field->place, err, "the front %s has no \"%.40s\"%s", front->name,
                        field->name, tpi_nearest_hint(&nearest, hint, sizeof hint));
}
static tp_status check_fields(tpi_cfg_section *section, const tp_front *front, tp_error *err)
{
    tp_status status = TP_OK;

    for (uint32_t i = 0; i < section->field_count && status == TP_OK; i++) {
        status = check_field(&section->fields[i], front, err);
    }
    if (status == TP_OK && section->section_count > 0) {
        return tpi_cfg_fail(&section->sections[0]->place, err,
                            "the front %s has no section \"%.40s\"", front->name,
                            section->sections[0]->type);
    }
    for (const tp_param *p = front->params; p != NULL && p->name != NULL && status == TP_OK; p++) {
        if (p->fallback == NULL && tpi_cfg_find(section, p->name) == NULL) {
            return tpi_cfg_fail(&section->place, err, "the front %s needs \"%s\": %s", front->name,
                                p->name, p->doc);
        }
    }
    return status;
}

static tp_status read_settings(tp_server *server, tpi_cfg_section *section,
                               struct front_entry *entry, tp_error *err)
{
    tpi_setting *settings =
        tpi_arena_array(&server->file->arena, section->field_count + 1, sizeof *settings);
    tp_status status = TP_OK;

    if (settings == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (uint32_t i = 0; i < section->field_count && status == TP_OK; i++) {
        const char *name = section->fields[i].name;
        const tp_param *param = tpi_setting_find(entry->front->params, name);
        if (param != NULL && tpi_fields_find(&tpi_front_section, name) == NULL) {
            status =
                tpi_setting_read(server, section, param, &settings[entry->setting_count++], err);
        }
    }
    entry->settings = settings;
    return status;
}

/* ---- Entries --------------------------------------------------------------------------------- */

static struct front_entry *make_entry(tp_server *server, const tp_front *front, tp_error *err)
{
    struct front_entry *entry = tpi_arena_array(&server->file->arena, 1, sizeof *entry);

    if (entry == NULL) {
        tp_fail(err, TP_E_NOMEM, "out of memory");
        return NULL;
    }
    entry->front = front;
    return entry;
}

static void append(struct file *file, struct front_entry *entry)
{
    struct front_entry **last = &file->fronts;

    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = entry;
}

/* The fronts that sections name, also those that are switched off. */
struct named {
    const tp_front *fronts[64];
    size_t count;
};

static bool is_named(const struct named *named, const tp_front *front)
{
    for (size_t i = 0; i < named->count; i++) {
        if (named->fronts[i] == front) {
            return true;
        }
    }
    return false;
}

static tp_status read_section(tp_server *server, tpi_cfg_section *section, struct named *named,
                              tp_error *err)
{
    const struct reading reading = {.server = server, .section = section};
    struct front_entry *entry = make_entry(server, NULL, err);

    if (entry == NULL) {
        return TP_E_NOMEM;
    }
    entry->section = section;
    tp_status status = tpi_fields_read(&tpi_front_section, &reading, entry, err);
    status = status == TP_OK ? check_fields(section, entry->front, err) : status;
    status = status == TP_OK ? read_settings(server, section, entry, err) : status;
    if (status != TP_OK) {
        return status;
    }
    if (named->count == sizeof named->fronts / sizeof named->fronts[0]) {
        return tpi_cfg_fail(&section->place, err, "more than %zu front sections", named->count);
    }
    named->fronts[named->count++] = entry->front;
    if (!entry->disabled) {
        append(server->file, entry);
    }
    return TP_OK;
}

/* A front that needs a parameter cannot open by default. */
static bool opens_by_default(const tp_server *server, const tp_front *front)
{
    const tp_server_options *options = &server->options;

    if ((front->flags & TP_FRONT_NAMED) != 0 &&
        (!options->usual_fronts || front->usual_for == NULL ||
         (options->no_page && front->page != NULL))) {
        return false;
    }
    for (const tp_param *p = front->params; p != NULL && p->name != NULL; p++) {
        if (p->fallback == NULL) {
            return false;
        }
    }
    return true;
}

tp_status tpi_fronts_read(tp_server *server, tp_error *err)
{
    tpi_cfg_section *root = tpi_cfg_root(server->file->cfg);
    struct named named = {.count = 0};
    tp_status status = TP_OK;

    for (uint32_t i = 0; i < root->section_count && status == TP_OK; i++) {
        if (strcmp(root->sections[i]->type, "front") == 0) {
            status = read_section(server, root->sections[i], &named, err);
        }
    }
    for (const tp_front *const *at = fronts_of_kit(server); *at != NULL && status == TP_OK; at++) {
        if (!is_named(&named, *at) && opens_by_default(server, *at)) {
            struct front_entry *entry = make_entry(server, *at, err);
            if (entry == NULL) {
                return TP_E_NOMEM;
            }
            entry->usual = ((*at)->flags & TP_FRONT_NAMED) != 0;
            append(server->file, entry);
        }
    }
    return status;
}

/* ---- Failing and comparing ------------------------------------------------------------------- */

tp_status tpi_front_entry_fail(const struct front_entry *entry, const char *param, tp_status status,
                               const char *why, tp_error *err)
{
    const tpi_cfg_field *field =
        entry->section == NULL || param == NULL ? NULL : tpi_cfg_find(entry->section, param);

    if (entry->section == NULL) {
        return tp_fail(err, status, "%s", why);
    }
    return tpi_cfg_fail(field != NULL ? &field->place : &entry->section->place, err, "%s: %s",
                        entry->front->name, why);
}

bool tpi_front_entry_same(const struct front_entry *a, const struct front_entry *b)
{
    const tpi_joined first = {a->settings, a->setting_count};
    const tpi_joined second = {b->settings, b->setting_count};

    return tpi_fields_same(&tpi_front_section, a, b) &&
           tpi_settings_same(a->front->params, &first, &second);
}

static size_t note_missing(tp_server *server, const char *what, const struct file *from,
                           const struct file *in)
{
    size_t count = 0;

    for (const struct front_entry *entry = from->fronts; entry != NULL; entry = entry->next) {
        const struct front_entry *other = in->fronts;
        char text[128];
        while (other != NULL && !tpi_front_entry_same(entry, other)) {
            other = other->next;
        }
        if (other == NULL) {
            (void)snprintf(text, sizeof text, "%s front %s", what, entry->front->name);
            tpi_server_note(server, text);
            count++;
        }
    }
    return count;
}

size_t tpi_fronts_note_changes(tp_server *server, const struct file *before,
                               const struct file *after)
{
    return note_missing(server, "removed", before, after) +
           note_missing(server, "added", after, before);
}
