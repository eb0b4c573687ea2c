/*
 * front_plan.c - the fronts that a configuration wants.
 *
 *     front ( name "web" port 9665 listen "*" robot 6665 )
 *     front ( name "jsonlines" plugin "jsonlines" enabled no )
 *
 * A front of the kit that no section names opens by default. Sections take the place of the
 * default, one opening for each. A field that a front section does not have is a mistake: a
 * section that says where a server listens is not guessed at.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "server/inside.h"

enum { MOST_PORT = 65535 };

/* Fields of a front section that are the server's own. */
static const char *const own_fields[] = {"name",  "plugin",  "port", "listen",
                                         "robot", "enabled", NULL};

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

static tp_status choose_front(tp_server *server, tpi_cfg_section *section, const tp_front **front,
                              tp_error *err)
{
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

/* ---- Fields ---------------------------------------------------------------------------------- */

static tp_status check_field(const tpi_cfg_field *field, const tp_front *front, tp_error *err)
{
    tpi_nearest nearest;
    char hint[96];

    if (tpi_text_among(own_fields, field->name) ||
        tpi_setting_find(front->params, field->name) != NULL) {
        return TP_OK;
    }
    tpi_nearest_init(&nearest, field->name);
    for (size_t i = 0; own_fields[i] != NULL; i++) {
        tpi_nearest_offer(&nearest, own_fields[i]);
    }
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

/* A port or a robot, which is the port of one. */
static tp_status read_port(tpi_cfg_section *section, const char *name, int64_t least, bool *given,
                           unsigned *port, tp_error *err)
{
    int64_t number = 0;
    const tpi_cfg_field *field = tpi_cfg_find(section, name);
    const tp_status status = tpi_cfg_integer(section, name, 0, &number, err);

    *given = field != NULL;
    if (status == TP_OK && field != NULL && (number < least || number > MOST_PORT)) {
        return tpi_cfg_fail(&field->place, err, "%s is a number from %d to %d", name, (int)least,
                            MOST_PORT);
    }
    *port = (unsigned)number;
    return status;
}

static tp_status read_place(tpi_cfg_section *section, struct front_plan *plan, tp_error *err)
{
    bool has_robot = false;
    tp_status status = tpi_cfg_string(section, "listen", NULL, &plan->listen, err);

    if (status == TP_OK && plan->listen != NULL && plan->listen[0] == '\0') {
        return tpi_cfg_fail(&tpi_cfg_find(section, "listen")->place, err,
                            "listen is an address; \"enabled no\" closes a front");
    }
    status =
        status == TP_OK ? read_port(section, "port", 0, &plan->has_port, &plan->port, err) : status;
    status =
        status == TP_OK ? read_port(section, "robot", 1, &has_robot, &plan->robot, err) : status;
    if (status == TP_OK && (plan->front->flags & TP_FRONT_PER_ROBOT) != 0 && plan->has_port &&
        !has_robot) {
        return tpi_cfg_fail(&tpi_cfg_find(section, "port")->place, err,
                            "port needs robot: the front %s has one port for each robot",
                            plan->front->name);
    }
    return status;
}

static tp_status read_settings(tp_server *server, tpi_cfg_section *section, struct front_plan *plan,
                               tp_error *err)
{
    tpi_setting *settings =
        tpi_arena_array(&server->file->arena, section->field_count + 1, sizeof *settings);
    tp_status status = TP_OK;

    if (settings == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (uint32_t i = 0; i < section->field_count && status == TP_OK; i++) {
        const char *name = section->fields[i].name;
        const tp_param *param = tpi_setting_find(plan->front->params, name);
        if (param != NULL && !tpi_text_among(own_fields, name)) {
            status =
                tpi_setting_read(server, section, param, &settings[plan->setting_count++], err);
        }
    }
    plan->settings = settings;
    return status;
}

/* ---- Plans ----------------------------------------------------------------------------------- */

static struct front_plan *make_plan(tp_server *server, const tp_front *front, tp_error *err)
{
    struct front_plan *plan = tpi_arena_array(&server->file->arena, 1, sizeof *plan);

    if (plan == NULL) {
        tp_fail(err, TP_E_NOMEM, "out of memory");
        return NULL;
    }
    plan->front = front;
    return plan;
}

static void append(struct file *file, struct front_plan *plan)
{
    struct front_plan **last = &file->fronts;

    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = plan;
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
    const tp_front *front = NULL;
    bool enabled = true;
    tp_status status = choose_front(server, section, &front, err);

    if (status != TP_OK) {
        return status;
    }
    if (named->count == sizeof named->fronts / sizeof named->fronts[0]) {
        return tpi_cfg_fail(&section->place, err, "more than %zu front sections", named->count);
    }
    named->fronts[named->count++] = front;
    struct front_plan *plan = make_plan(server, front, err);
    if (plan == NULL) {
        return TP_E_NOMEM;
    }
    plan->section = section;
    status = check_fields(section, front, err);
    status = status == TP_OK ? tpi_cfg_bool(section, "enabled", true, &enabled, err) : status;
    status = status == TP_OK ? read_place(section, plan, err) : status;
    status = status == TP_OK ? read_settings(server, section, plan, err) : status;
    if (status == TP_OK && enabled) {
        append(server->file, plan);
    }
    return status;
}

/* A front that needs a parameter cannot open by default. */
static bool opens_by_default(const tp_front *front)
{
    for (const tp_param *p = front->params; p != NULL && p->name != NULL; p++) {
        if (p->fallback == NULL) {
            return false;
        }
    }
    return true;
}

tp_status tpi_front_plans_read(tp_server *server, tp_error *err)
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
        if (!is_named(&named, *at) && opens_by_default(*at)) {
            struct front_plan *plan = make_plan(server, *at, err);
            if (plan == NULL) {
                return TP_E_NOMEM;
            }
            append(server->file, plan);
        }
    }
    return status;
}

/* ---- Failing and comparing ------------------------------------------------------------------- */

tp_status tpi_front_plan_fail(const struct front_plan *plan, const char *param, tp_status status,
                              const char *why, tp_error *err)
{
    const tpi_cfg_field *field =
        plan->section == NULL || param == NULL ? NULL : tpi_cfg_find(plan->section, param);

    if (plan->section == NULL) {
        return tp_fail(err, status, "%s", why);
    }
    return tpi_cfg_fail(field != NULL ? &field->place : &plan->section->place, err, "%s: %s",
                        plan->front->name, why);
}

bool tpi_front_plan_same(const struct front_plan *a, const struct front_plan *b)
{
    const tpi_joined first = {a->settings, a->setting_count};
    const tpi_joined second = {b->settings, b->setting_count};
    const bool same_host = a->listen == b->listen || (a->listen != NULL && b->listen != NULL &&
                                                      strcmp(a->listen, b->listen) == 0);

    return a->front == b->front && same_host && a->has_port == b->has_port && a->port == b->port &&
           a->robot == b->robot && tpi_settings_same(a->front->params, &first, &second);
}

static size_t note_missing(tp_server *server, const char *what, const struct file *from,
                           const struct file *in)
{
    size_t count = 0;

    for (const struct front_plan *plan = from->fronts; plan != NULL; plan = plan->next) {
        const struct front_plan *other = in->fronts;
        char text[128];
        while (other != NULL && !tpi_front_plan_same(plan, other)) {
            other = other->next;
        }
        if (other == NULL) {
            (void)snprintf(text, sizeof text, "%s front %s", what, plan->front->name);
            tpi_server_note(server, text);
            count++;
        }
    }
    return count;
}

size_t tpi_front_plans_note_changes(tp_server *server, const struct file *before,
                                    const struct file *after)
{
    return note_missing(server, "removed", before, after) +
           note_missing(server, "added", after, before);
}
