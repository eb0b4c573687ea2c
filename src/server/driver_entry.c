/* driver_entry.c - the instances that a configuration asks for: made, prepared, compared. */
#include "server/inside.h"

struct driver_entry *tpi_entry_make(tp_server *server, tp_error *err)
{
    struct driver_entry *entry = tpi_arena_array(&server->file->arena, 1, sizeof *entry);

    if (entry == NULL) {
        tp_fail(err, TP_E_NOMEM, "out of memory");
        return NULL;
    }
    entry->home = server->file;
    return entry;
}

void tpi_entry_append(tp_server *server, struct driver_entry *entry)
{
    struct file *file = server->file;

    *(file->last_entry != NULL ? &file->last_entry->next : &file->entries) = entry;
    file->last_entry = entry;
}

struct driver_entry *tpi_entry_add(tp_server *server, tp_error *err)
{
    struct driver_entry *entry = tpi_entry_make(server, err);

    if (entry != NULL) {
        tpi_entry_append(server, entry);
    }
    return entry;
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
    tpi_building building = {.note = tpi_server_note, .context = server};
    tp_error why = {0};
    tp_status status =
        entry->isolated ? tpi_isolate(server, entry->section, &blueprint, err) : TP_OK;

    if (status != TP_OK) {
        return status;
    }
    /* What such a driver finds wrong is known only in its process otherwise. */
    if (server->options.check) {
        blueprint = entry->asked;
    }
    status = tpi_hub_prepare(server->hub, &blueprint, &building, &entry->instance, &why);
    if (status != TP_OK) {
        const struct driver_entry *part = entry;
        for (size_t i = building.blamed; i > 0 && part != NULL; i--) {
            part = part == entry ? entry->joined : part->next;
        }
        return fail_at(part == NULL ? entry : part, building.blamed_param, status, why.text, err);
    }
    return TP_OK;
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static bool same_joined(const tp_param *params, const tpi_joined *a, const tpi_joined *b)
{
    return a->lease_ns == b->lease_ns && a->own_panic == b->own_panic && a->panic == b->panic &&
           tpi_settings_same(params, a, b);
}

static bool same_settings(const tpi_blueprint *a, const tpi_blueprint *b)
{
    const tp_param *params = a->driver->params;
    const tpi_joined first_a = {.settings = a->settings, .setting_count = a->setting_count};
    const tpi_joined first_b = {.settings = b->settings, .setting_count = b->setting_count};
    bool same = a->joined_count == b->joined_count && tpi_settings_same(params, &first_a, &first_b);

    for (uint32_t i = 0; i < a->joined_count && same; i++) {
        same = same_joined(params, &a->joined[i], &b->joined[i]);
    }
    return same;
}

bool tpi_entry_same(const struct driver_entry *a, const struct driver_entry *b)
{
    return tpi_fields_same(&tpi_driver_section, a, b) && same_settings(&a->asked, &b->asked) &&
           tpi_places_same(&a->asked, &b->asked) && tpi_ranks_same(&a->asked, &b->asked);
}
