/*
 * top.c - the fields at the top of a configuration.
 *
 * A field that no table has is reported, no more: files for other servers have fields of their own.
 * But a slip in one that says who may do what would open the server to everybody, so it is an
 * error.
 */
#include <string.h>

#include "base/text.h"
#include "server/inside.h"

enum { DEFAULT_PATIENCE_S = 10, MOST_PATIENCE_S = 3600 };

/* ---- Fields ---------------------------------------------------------------------------------- */

static bool same_plugins(const void *a, const void *b)
{
    return tpi_fields_same_text(tpi_cfg_root(((const struct file *)a)->cfg),
                                tpi_cfg_root(((const struct file *)b)->cfg), "plugin");
}

static const char *report_plugins(const void *after)
{
    (void)after;
    return "the plug-ins of the file have changed; those that are open stay open";
}

static tp_status read_panic(const struct reading *reading, void *into, tp_error *err)
{
    bool given = false;

    return tpi_section_read_panic(reading->section, &given, &((struct file *)into)->panic, err);
}

static bool same_panic(const void *a, const void *b)
{
    return ((const struct file *)a)->panic == ((const struct file *)b)->panic;
}

static const char *report_panic(const void *after)
{
    (void)after;
    return "how a panic stops what moves has changed";
}

static tp_status read_keepalive(const struct reading *reading, void *into, tp_error *err)
{
    int64_t seconds = 0;
    tp_status status =
        tpi_cfg_integer(reading->section, "keepalive", DEFAULT_PATIENCE_S, &seconds, err);

    if (status == TP_OK && (seconds < 0 || seconds > MOST_PATIENCE_S)) {
        return tpi_cfg_fail(&tpi_cfg_find(reading->section, "keepalive")->place, err,
                            "keepalive is a number of seconds from 0 to %d", MOST_PATIENCE_S);
    }
    ((struct file *)into)->patience_s = seconds == 0 ? TP_PATIENCE_ENDLESS : (int)seconds;
    return status;
}

static bool same_keepalive(const void *a, const void *b)
{
    return ((const struct file *)a)->patience_s == ((const struct file *)b)->patience_s;
}

static const char *report_keepalive(const void *after)
{
    (void)after;
    return "keepalive has changed, for ports that are opened from now on";
}

static const struct section_field top_fields[] = {
    {.name = "unit_length", /* scales the lengths of driver sections */
     .value = FIELD_TEXT,
     .fallback = "\"m\"",
     .help = "the unit of lengths: \"m\", \"cm\" or \"mm\"",
     .examples = {"\"m\"", "\"cm\""}},
    {.name = "unit_angle", /* scales the angles of driver sections */
     .value = FIELD_TEXT,
     .fallback = "\"degrees\"",
     .help = "the unit of angles: \"degrees\" or \"radians\"",
     .examples = {"\"degrees\"", "\"radians\""}},
    {.name = "plugin", /* read by plugins.c, before the sections */
     .value = FIELD_TEXTS,
     .help = "plug-ins whose drivers all sections can use",
     .examples = {"\"kmot\"", "\"base\""},
     .same = same_plugins,
     .report = report_plugins},
    {.name = "extensions", /* the default of driver sections */
     .value = FIELD_FLAG,
     .fallback = "no",
     .help = "whether clients can use extension messages without asking for them",
     .examples = {"no", "yes"}},
    {.name = "keys",
     .value = FIELD_TEXTS,
     .help = "keys of clients, each \"NAME RIGHT SECRET\"",
     .flags = FIELD_CAREFUL | FIELD_LOCAL,
     .examples = {"[ \"anna move horse\" ]", "[ \"anna move battery\" ]"},
     .read = tpi_access_read_keys,
     .same = tpi_access_same_keys,
     .report = tpi_access_report},
    {.name = "key_file",
     .value = FIELD_FILES,
     .help = "a file with keys, one on each line",
     .flags = FIELD_CAREFUL | FIELD_LOCAL,
     .examples = {"\"robot.keys\"", "\"other.keys\""},
     .read = tpi_access_read_key_file,
     .same = tpi_access_same_keys,
     .report = tpi_access_report},
    {.name = "operator_key",
     .value = FIELD_TEXT,
     .help = "a key with the right to operate; on its own it protects only the reset of a panic",
     .flags = FIELD_CAREFUL | FIELD_LOCAL,
     .examples = {"\"horse\"", "\"battery\""},
     .read = tpi_access_read_operator_key,
     .same = tpi_access_same_keys,
     .report = tpi_access_report},
    {.name = "open",
     .value = FIELD_FLAG,
     .fallback = "no",
     .help =
         "whether clients without a key have all rights except to reset a panic of another client",
     .flags = FIELD_CAREFUL | FIELD_LOCAL,
     .examples = {"no", "yes"},
     .read = tpi_access_read_open,
     .same = tpi_access_same_open,
     .report = tpi_access_report},
    {.name = "panic",
     .value = FIELD_TEXT,
     .fallback = "\"brake\"",
     .help = "how a panic stops what moves: \"brake\", \"hold\" or \"finish\"",
     .flags = FIELD_CAREFUL,
     .examples = {"\"brake\"", "\"hold\""},
     .read = read_panic,
     .same = same_panic,
     .report = report_panic},
    {.name = "keepalive",
     .value = FIELD_WHOLE,
     .unit = "s",
     .fallback = "10",
     .help = "time after which a TCP connection is closed whose peer machine no longer answers; "
             "0 for never",
     .examples = {"10", "60"},
     .read = read_keepalive,
     .same = same_keepalive,
     .report = report_keepalive},
    {.name = NULL},
};

const struct section_kind tpi_top_section = {"", top_fields};

/* ---- Reading --------------------------------------------------------------------------------- */

static tp_status check_names(const tpi_cfg_section *root, tp_error *err)
{
    for (uint32_t i = 0; i < root->field_count; i++) {
        const tpi_cfg_field *field = &root->fields[i];
        tpi_nearest nearest;
        tpi_nearest_init(&nearest, field->name);
        tpi_fields_offer(&tpi_top_section, &nearest);
        if (tpi_fields_find(&tpi_top_section, field->name) == NULL && nearest.best != NULL &&
            tpi_fields_have(&tpi_top_section, nearest.best, FIELD_CAREFUL)) {
            return tpi_cfg_fail(&field->place, err, "there is no \"%.40s\"; did you mean \"%s\"?",
                                field->name, nearest.best);
        }
    }
    return TP_OK;
}

tp_status tpi_top_read(tp_server *server, struct file *file, tp_error *err)
{
    const struct reading reading = {.server = server, .section = tpi_cfg_root(file->cfg)};
    tp_status status = check_names(reading.section, err);

    status = status == TP_OK ? tpi_fields_read(&tpi_top_section, &reading, file, err) : status;
    if (status == TP_OK) {
        tpi_access_note_keys(server, file);
    }
    return status;
}

/* Fields of driver sections have a note of their own. */
static void report_elsewhere(tp_server *server, tpi_cfg_section *root)
{
    for (const struct section_field *known = tpi_driver_section.fields; known->name != NULL;
         known++) {
        const tpi_cfg_field *field = tpi_fields_find(&tpi_top_section, known->name) == NULL
                                         ? tpi_cfg_find(root, known->name) /* marks it as used */
                                         : NULL;
        tp_error note = {0};
        if (field != NULL) {
            tpi_cfg_fail(&field->place, &note,
                         "\"%s\" is not used here: it stands in a driver section", field->name);
            tpi_server_note(server, note.text);
        }
    }
}

void tpi_top_report(tp_server *server)
{
    tpi_cfg_section *root = tpi_cfg_root(server->file->cfg);
    const char *names[TPI_MOST_FIELDS + 1];

    tpi_fields_names(&tpi_top_section, names);
    for (size_t i = 0; names[i] != NULL; i++) {
        (void)tpi_cfg_find(root, names[i]); /* marks it as used */
    }
    report_elsewhere(server, root);
    tpi_cfg_report_unused(root, names, false, tpi_server_note, server);
}

bool tpi_top_report_changes(tp_server *server, const struct file *before, const struct file *after)
{
    const char *last = NULL;

    for (const struct section_field *field = top_fields; field->name != NULL; field++) {
        if (field->same != NULL && !field->same(before, after)) {
            const char *text = field->report(after);
            if (last == NULL || strcmp(last, text) != 0) {
                tpi_server_note(server, text);
            }
            last = text;
        }
    }
    return last != NULL;
}
