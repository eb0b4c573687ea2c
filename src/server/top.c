/*
 * top.c - fields at the top of a configuration: which there are, and what others were meant to be.
 *
 * What nobody uses is told, no more: files for other servers have fields of their own. But a slip
 * in one that says who may do what would open the server to everybody, so it is a mistake.
 */
#include <string.h>

#include "base/text.h"
#include "server/inside.h"

static const char *const known[] = {"unit_length", "unit_angle",   "plugin", "extensions",
                                    "panic",       "operator_key", "keys",   "key_file",
                                    "open",        "keepalive",    "test",   NULL};

static const char *const careful[] = {"panic", "operator_key", "keys", "key_file", "open", NULL};

/* Of driver sections, where some look for them in vain. */
static const char *const elsewhere[] = {"alwayson", "restart", "lease", "isolated", "guard", NULL};

static const char *nearest_to(const char *name)
{
    tpi_nearest nearest;

    tpi_nearest_init(&nearest, name);
    for (size_t i = 0; known[i] != NULL; i++) {
        tpi_nearest_offer(&nearest, known[i]);
    }
    return nearest.best;
}

tp_status tpi_top_check(const tpi_cfg_section *root, tp_error *err)
{
    for (uint32_t i = 0; i < root->field_count; i++) {
        const tpi_cfg_field *field = &root->fields[i];
        const char *meant = tpi_text_among(known, field->name) ? NULL : nearest_to(field->name);
        if (meant != NULL && tpi_text_among(careful, meant)) {
            return tpi_cfg_fail(&field->place, err, "there is no \"%.40s\"; did you mean \"%s\"?",
                                field->name, meant);
        }
    }
    return TP_OK;
}

/* Those that stand in driver sections have a note of their own. */
static void report_elsewhere(tp_server *server, tpi_cfg_section *root)
{
    for (size_t i = 0; elsewhere[i] != NULL; i++) {
        const tpi_cfg_field *field = tpi_cfg_find(root, elsewhere[i]); /* marks it as used */
        tp_error note = {0};
        if (field != NULL) {
            tpi_cfg_fail(&field->place, &note,
                         "nobody uses \"%s\" here: it stands in a driver section", field->name);
            tpi_server_note(server, note.text);
        }
    }
}

void tpi_top_report(tp_server *server)
{
    tpi_cfg_section *root = tpi_cfg_root(server->file->cfg);

    for (size_t i = 0; known[i] != NULL; i++) {
        (void)tpi_cfg_find(root, known[i]); /* marks it as used */
    }
    report_elsewhere(server, root);
    tpi_cfg_report_unused(root, known, false, tpi_server_note, server);
}
