/* sections.c - the sections of a configuration file, in the order in which they are read. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "server/inside.h"

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

/* An interface that was loaded before stays as it is. */
static tp_status read_file(const struct reading *reading, void *into, tp_error *err)
{
    struct interface_file *interface = into;
    tp_server *server = reading->server;
    const tpi_cfg_field *file = tpi_cfg_find(reading->section, "file");
    char *path = NULL;
    tp_error why = {0};

    if (file == NULL) {
        return tpi_cfg_fail(&reading->section->place, err, "an interface section names a file");
    }
    interface->name = file->values[0].text;
    tp_status status = tpi_cfg_path(&file->values[0], &path, err);
    if (status == TP_OK && !is_loaded(server, path) && load(server, path, &why) != TP_OK) {
        status = tpi_cfg_fail(&file->place, err, "%s", why.text);
    }
    free(path);
    return status;
}

static bool same_file(const void *a, const void *b)
{
    return tpi_same_text(((const struct interface_file *)a)->name,
                         ((const struct interface_file *)b)->name);
}

static const struct section_field interface_fields[] = {
    {.name = "file",
     .value = FIELD_FILE,
     .help = "a file that describes one more interface",
     .flags = FIELD_REQUIRED,
     .examples = {"\"lamp.padi\"", "\"horn.padi\""},
     .read = read_file,
     .same = same_file},
    {.name = NULL},
};

const struct section_kind tpi_interface_section = {"interface", interface_fields};

static tp_status read_interface(tp_server *server, tpi_cfg_section *section, tp_error *err)
{
    struct interface_file *interface = tpi_arena_array(&server->file->arena, 1, sizeof *interface);
    const struct reading reading = {.server = server, .section = section};

    if (interface == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    interface->next = server->file->interfaces;
    server->file->interfaces = interface;
    return tpi_fields_read(&tpi_interface_section, &reading, interface, err);
}

bool tpi_interfaces_same(const struct file *a, const struct file *b)
{
    const struct interface_file *x = a->interfaces;
    const struct interface_file *y = b->interfaces;

    while (x != NULL && y != NULL && tpi_fields_same(&tpi_interface_section, x, y)) {
        x = x->next;
        y = y->next;
    }
    return x == NULL && y == NULL;
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

static const char *const section_types[] = {"driver", "front", "interface", "program", NULL};

/* An unknown section, with the type that was perhaps meant. */
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

static void note_unknown(tp_server *server, const tp_error *unknown)
{
    if (unknown->code != 0) {
        tpi_server_note(server, unknown->text);
    }
}

/* Files for other servers may have sections that mean nothing here, so they are only reported;
 * unless there is nothing else: then the last one is the error. */
static tp_status check_sections(tp_server *server, tp_error *err)
{
    const tpi_cfg_section *root = tpi_cfg_root(server->file->cfg);
    tp_error unknown = {0};

    for (uint32_t i = 0; i < root->section_count; i++) {
        if (!tpi_text_among(section_types, root->sections[i]->type)) {
            note_unknown(server, &unknown);
            put_section_error(root->sections[i], &unknown);
        }
    }
    if (server->file->entries != NULL) {
        note_unknown(server, &unknown);
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
    status = status == TP_OK ? read_sections(server, "driver", tpi_driver_read, err) : status;
    status = status == TP_OK ? read_sections(server, "program", tpi_program_read, err) : status;
    status = status == TP_OK ? tpi_join_finish(server, err) : status;
    status = status == TP_OK ? check_sections(server, err) : status;
    return status == TP_OK ? tpi_elsewhere_offer(server, err) : status;
}
