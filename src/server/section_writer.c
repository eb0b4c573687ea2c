/*
 * section_writer.c - ranks of writers: the writer sections inside of a driver section.
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

static tp_status read_client(const struct reading *reading, void *into, tp_error *err)
{
    return read_who(reading->section, "client", &((tpi_rank *)into)->client, err);
}

static bool same_client(const void *a, const void *b)
{
    return tpi_same_text(((const tpi_rank *)a)->client, ((const tpi_rank *)b)->client);
}

static tp_status read_host(const struct reading *reading, void *into, tp_error *err)
{
    return read_who(reading->section, "host", &((tpi_rank *)into)->host, err);
}

static bool same_host(const void *a, const void *b)
{
    return tpi_same_text(((const tpi_rank *)a)->host, ((const tpi_rank *)b)->host);
}

static tp_status read_key(const struct reading *reading, void *into, tp_error *err)
{
    return read_who(reading->section, "key", &((tpi_rank *)into)->key, err);
}

static bool same_key(const void *a, const void *b)
{
    return tpi_same_text(((const tpi_rank *)a)->key, ((const tpi_rank *)b)->key);
}

static tp_status read_driver(const struct reading *reading, void *into, tp_error *err)
{
    return read_who(reading->section, "driver", &((tpi_rank *)into)->driver, err);
}

static bool same_driver(const void *a, const void *b)
{
    return tpi_same_text(((const tpi_rank *)a)->driver, ((const tpi_rank *)b)->driver);
}

static tp_status read_rank(const struct reading *reading, void *into, tp_error *err)
{
    const tpi_cfg_field *field = tpi_cfg_find(reading->section, "rank");
    int64_t rank = 0;

    if (field == NULL) {
        return tpi_cfg_fail(&reading->section->place, err, "a writer has a rank");
    }
    tp_status status = tpi_cfg_integer(reading->section, "rank", 0, &rank, err);
    if (status == TP_OK && (rank < -MOST_RANK || rank > MOST_RANK)) {
        return tpi_cfg_fail(&field->place, err, "a rank is a whole number from %d to %d",
                            -MOST_RANK, MOST_RANK);
    }
    ((tpi_rank *)into)->rank = (int32_t)rank;
    return status;
}

static bool same_rank(const void *a, const void *b)
{
    return ((const tpi_rank *)a)->rank == ((const tpi_rank *)b)->rank;
}

static tp_status read_timeout(const struct reading *reading, void *into, tp_error *err)
{
    double timeout_s = 0;
    tp_status status =
        tpi_cfg_number(reading->section, "timeout", (double)TPI_RANK_HOLD_NS / (double)TP_NS_PER_S,
                       &timeout_s, err);

    if (status == TP_OK && !(timeout_s > 0 && timeout_s < 1e6)) {
        return tpi_cfg_fail(&tpi_cfg_find(reading->section, "timeout")->place, err,
                            "timeout is a number of seconds above 0 and below 1000000");
    }
    ((tpi_rank *)into)->hold_ns = (int64_t)(timeout_s * (double)TP_NS_PER_S);
    return status;
}

static bool same_timeout(const void *a, const void *b)
{
    return ((const tpi_rank *)a)->hold_ns == ((const tpi_rank *)b)->hold_ns;
}

static const struct section_field writer_fields[] = {
    {.name = "client",
     .value = FIELD_TEXT,
     .fallback = "any",
     .help = "the name that the client gives when it connects",
     .examples = {"\"joystick*\"", "\"planner\""},
     .read = read_client,
     .same = same_client},
    {.name = "host",
     .value = FIELD_TEXT,
     .fallback = "any",
     .help = "the address that the client connects from, without its port",
     .examples = {"\"192.168.1.7\"", "\"unix\""},
     .read = read_host,
     .same = same_host},
    {.name = "key",
     .value = FIELD_TEXT,
     .fallback = "any, or none",
     .help = "the name of the key that the client proved",
     .examples = {"\"anna\"", "\"desk\""},
     .read = read_key,
     .same = same_key},
    {.name = "driver",
     .value = FIELD_TEXT,
     .help = "instead of a client, a driver of this server",
     .examples = {"\"vfh\"", "\"passthrough\""},
     .read = read_driver,
     .same = same_driver},
    {.name = "rank",
     .value = FIELD_WHOLE,
     .help = "higher ranks take precedence",
     .flags = FIELD_REQUIRED,
     .examples = {"1", "2"},
     .read = read_rank,
     .same = same_rank},
    {.name = "timeout",
     .value = FIELD_NUMBER,
     .unit = "s",
     .fallback = "1",
     .help = "time after its last moving command during which lower ranks are refused",
     .examples = {"1", "1.5"},
     .read = read_timeout,
     .same = same_timeout},
    {.name = NULL},
};

const struct section_kind tpi_writer_section = {"writer", writer_fields};

/* ---- Sections -------------------------------------------------------------------------------- */

/* A slip of the pen would let everybody in, so it is no note but a mistake. */
static tp_status check_fields(const tpi_cfg_section *section, tp_error *err)
{
    for (uint32_t i = 0; i < section->field_count; i++) {
        const tpi_cfg_field *field = &section->fields[i];
        tpi_nearest nearest;
        char hint[96];
        if (tpi_fields_find(&tpi_writer_section, field->name) == NULL) {
            tpi_nearest_init(&nearest, field->name);
            tpi_fields_offer(&tpi_writer_section, &nearest);
            return tpi_cfg_fail(&field->place, err, "a writer has no \"%s\"%s", field->name,
                                tpi_nearest_hint(&nearest, hint, sizeof hint));
        }
    }
    return TP_OK;
}

static tp_status read_writer(const struct reading *reading, tpi_rank *out, tp_error *err)
{
    tp_status status = tpi_fields_read(&tpi_writer_section, reading, out, err);

    if (status == TP_OK && out->driver != NULL &&
        (out->client != NULL || out->host != NULL || out->key != NULL)) {
        return tpi_cfg_fail(&reading->section->place, err,
                            "a writer is a client or a driver, not both");
    }
    return status == TP_OK ? check_fields(reading->section, err) : status;
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
            const struct reading reading = {server, section->sections[i], blueprint};
            status = read_writer(&reading, &ranks[blueprint->rank_count++], err);
        }
    }
    blueprint->ranks = ranks;
    if (status == TP_OK) {
        note_shadowed(server, section, ranks);
    }
    return status;
}

/* In the same order, which matters. */
bool tpi_ranks_same(const tpi_blueprint *a, const tpi_blueprint *b)
{
    for (uint32_t i = 0; i < a->rank_count && a->rank_count == b->rank_count; i++) {
        if (a->ranks[i].section != b->ranks[i].section ||
            !tpi_fields_same(&tpi_writer_section, &a->ranks[i], &b->ranks[i])) {
            return false;
        }
    }
    return a->rank_count == b->rank_count;
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
