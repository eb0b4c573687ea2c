/*
 * section_writer.c - who writes before whom: the writer sections inside of a driver section.
 *
 *     writer ( client "joystick*" rank 2 timeout 1.5 )
 *     writer ( key "pilot" host "192.168.1.7" rank 1 )
 *     writer ( driver "vfh" rank -1 )
 *
 * The first one that fits a writer counts; one that says nothing of whom it means fits everybody.
 */
#include <string.h>

#include "base/text.h"
#include "server/inside.h"

enum { MOST_RANK = 1000, MOST_COMPARED = 64 };

static tp_status read_who(tpi_cfg_section *section, const char *name, const char **out,
                          tp_error *err)
{
    tp_status status = tpi_cfg_string(section, name, NULL, out, err);

    if (status == TP_OK && *out != NULL && (*out)[0] == '\0') {
        return tpi_cfg_fail(&tpi_cfg_find(section, name)->values[0].place, err,
                            "%s is a name, or the beginning of one and a *", name);
    }
    return status;
}

static tp_status read_numbers(tpi_cfg_section *section, tpi_rank *out, tp_error *err)
{
    const double usual_s = (double)TPI_RANK_HOLD_NS / (double)TP_NS_PER_S;
    const tpi_cfg_field *field = tpi_cfg_find(section, "rank");
    int64_t rank = 0;
    double timeout_s = usual_s;

    if (field == NULL) {
        return tpi_cfg_fail(&section->place, err, "a writer has a rank");
    }
    tp_status status = tpi_cfg_integer(section, "rank", 0, &rank, err);
    if (status == TP_OK && (rank < -MOST_RANK || rank > MOST_RANK)) {
        return tpi_cfg_fail(&field->place, err, "a rank is a whole number from %d to %d",
                            -MOST_RANK, MOST_RANK);
    }
    status =
        status == TP_OK ? tpi_cfg_number(section, "timeout", usual_s, &timeout_s, err) : status;
    if (status == TP_OK && !(timeout_s > 0 && timeout_s < 1e6)) {
        return tpi_cfg_fail(&tpi_cfg_find(section, "timeout")->place, err,
                            "timeout is a number of seconds above 0 and below 1000000");
    }
    out->rank = (int32_t)rank;
    out->hold_ns = (int64_t)(timeout_s * (double)TP_NS_PER_S);
    return status;
}

/* A slip of the pen would let everybody in, so it is no note but a mistake. */
static tp_status check_fields(const tpi_cfg_section *section, const char *const *known,
                              tp_error *err)
{
    for (uint32_t i = 0; i < section->field_count; i++) {
        tpi_nearest nearest;
        char hint[96];
        size_t k = 0;
        tpi_nearest_init(&nearest, section->fields[i].name);
        while (known[k] != NULL && strcmp(known[k], section->fields[i].name) != 0) {
            tpi_nearest_offer(&nearest, known[k++]);
        }
        if (known[k] == NULL) {
            return tpi_cfg_fail(&section->fields[i].place, err, "a writer has no \"%s\"%s",
                                section->fields[i].name,
                                tpi_nearest_hint(&nearest, hint, sizeof hint));
        }
    }
    return TP_OK;
}

static tp_status read_rank(tpi_cfg_section *section, tpi_rank *out, tp_error *err)
{
    static const char *const known[] = {"client", "host", "key", "driver", "rank", "timeout", NULL};
    tp_status status = read_who(section, "client", &out->client, err);

    status = status == TP_OK ? read_who(section, "host", &out->host, err) : status;
    status = status == TP_OK ? read_who(section, "key", &out->key, err) : status;
    status = status == TP_OK ? read_who(section, "driver", &out->driver, err) : status;
    if (status == TP_OK && out->driver != NULL &&
        (out->client != NULL || out->host != NULL || out->key != NULL)) {
        return tpi_cfg_fail(&section->place, err, "a writer is a client or a driver, not both");
    }
    status = status == TP_OK ? read_numbers(section, out, err) : status;
    return status == TP_OK ? check_fields(section, known, err) : status;
}

static bool fits(const char *pattern, const char *name)
{
    return tpi_text_fits(pattern, name, strlen(name));
}

/* Whether all that fit one pattern fit another; NULL for anything. */
static bool covers(const char *wide, const char *narrow)
{
    return wide == NULL || (narrow != NULL && fits(wide, narrow));
}

static bool takes_all(const tpi_rank *first, const tpi_rank *then)
{
    return covers(first->client, then->client) && covers(first->host, then->host) &&
           covers(first->key, then->key) && covers(first->driver, then->driver);
}

/* The first one that fits counts: one behind another that fits all it means is never looked at. */
static void note_shadowed(tp_server *server, const tpi_cfg_section *section, const tpi_rank *ranks)
{
    const tpi_cfg_section *writers[MOST_COMPARED];
    uint32_t count = 0;

    for (uint32_t i = 0; i < section->section_count && count < MOST_COMPARED; i++) {
        if (strcmp(section->sections[i]->type, "writer") == 0) {
            writers[count++] = section->sections[i];
        }
    }
    for (uint32_t i = 1; i < count; i++) {
        tp_error note = {0};
        uint32_t first = 0;
        while (first < i && !takes_all(&ranks[first], &ranks[i])) {
            first++;
        }
        if (first < i) {
            tpi_cfg_fail(&writers[i]->place, &note,
                         "no writer has this rank: all that it means fit the one of line %u before",
                         (unsigned)writers[first]->place.line);
            tpi_server_note(server, note.text);
        }
    }
}

tp_status tpi_ranks_read(tp_server *server, tpi_cfg_section *section, tpi_blueprint *blueprint,
                         tp_error *err)
{
    tpi_rank *ranks =
        tpi_arena_array(&server->file->arena, section->section_count + 1, sizeof *ranks);
    tp_status status = TP_OK;

    if (ranks == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (uint32_t i = 0; i < section->section_count && status == TP_OK; i++) {
        if (strcmp(section->sections[i]->type, "writer") == 0) {
            status = read_rank(section->sections[i], &ranks[blueprint->rank_count++], err);
        }
    }
    blueprint->ranks = ranks;
    if (status == TP_OK) {
        note_shadowed(server, section, ranks);
    }
    return status;
}

/* ---- Whom they mean -------------------------------------------------------------------------- */

static void tell(tp_server *server, const tpi_cfg_field *field, const tpi_nearest *nearest)
{
    char hint[96];
    tp_error note = {0};

    tpi_cfg_fail(&field->values[0].place, &note, "no writer has this rank: there is no %s \"%s\"%s",
                 field->name, field->values[0].text, tpi_nearest_hint(nearest, hint, sizeof hint));
    tpi_server_note(server, note.text);
}

static void report_key(tp_server *server, const tpi_cfg_field *field)
{
    const tpi_keys *keys = &server->file->access.keys;
    bool found = false;
    tpi_nearest nearest;

    tpi_nearest_init(&nearest, field->values[0].text);
    for (size_t i = 0; i < keys->count; i++) {
        found = found || fits(field->values[0].text, keys->keys[i].name);
        tpi_nearest_offer(&nearest, keys->keys[i].name);
    }
    if (!found) {
        tell(server, field, &nearest);
    }
}

/* By the name of the driver, or of the instance. */
static void report_driver(tp_server *server, const tpi_cfg_field *field)
{
    bool found = false;
    tpi_nearest nearest;

    tpi_nearest_init(&nearest, field->values[0].text);
    for (const struct driver_entry *entry = server->file->entries; entry != NULL;
         entry = entry->next) {
        const char *driver = entry->asked.driver->name;
        found = found || fits(field->values[0].text, driver) ||
                (entry->instance != NULL &&
                 fits(field->values[0].text, tp_instance_name(entry->instance)));
        tpi_nearest_offer(&nearest, driver);
    }
    if (!found) {
        tell(server, field, &nearest);
    }
}

static void report_section(tp_server *server, const tpi_cfg_section *section)
{
    for (uint32_t i = 0; section != NULL && i < section->section_count; i++) {
        tpi_cfg_section *writer = section->sections[i];
        if (strcmp(writer->type, "writer") != 0) {
            continue;
        }
        const tpi_cfg_field *key = tpi_cfg_find(writer, "key");
        const tpi_cfg_field *driver = tpi_cfg_find(writer, "driver");
        if (key != NULL) {
            report_key(server, key);
        }
        if (driver != NULL) {
            report_driver(server, driver);
        }
    }
}

void tpi_ranks_report(tp_server *server)
{
    for (const struct driver_entry *entry = server->file->entries; entry != NULL;
         entry = entry->next) {
        report_section(server, entry->section);
        for (const struct driver_entry *part = entry->joined; part != NULL; part = part->next) {
            report_section(server, part->section);
        }
    }
}
