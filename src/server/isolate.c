/*
 * isolate.c - drivers in processes of their own.
 *
 * A section that says `isolated yes` is written out again and given to a child, which runs it as a
 * server with a unix socket; here the driver `isolated` takes its place and relays its devices. The
 * child reaches the devices that it requires through unix sockets of this server. All sockets are
 * in a folder that only this user can enter.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "platform/folder.h"
#include "server/address.h"
#include "server/inside.h"

/* ---- Writing a section out ------------------------------------------------------------------- */

/* Mistakes are reported where they stand in the file: what is written goes to the same line and
 * column, unless they are behind already. Values that a macro brings stand elsewhere. */
static void go_to(tpi_buf *out, const tpi_cfg_section *section, const tpi_cfg_place *place)
{
    const char *text = tpi_buf_text(out);
    unsigned line = 1;
    unsigned column = 1;

    if (strcmp(place->file, section->place.file) != 0) {
        return;
    }
    for (; *text != '\0'; text++) {
        column = *text == '\n' ? 1 : column + 1;
        line += *text == '\n';
    }
    for (; line < place->line; line++) {
        tpi_buf_puts(out, "\n");
        column = 1;
    }
    for (; line == place->line && column < place->column; column++) {
        tpi_buf_puts(out, " ");
    }
}

static void write_value(tpi_buf *out, const tpi_cfg_value *value)
{
    const char *quote = value->kind == TPI_CFG_STRING ? "\"" : "";

    tpi_buf_printf(out, "%s%s%s ", quote, value->text, quote);
}

static void write_field(tpi_buf *out, const tpi_cfg_section *section, const tpi_cfg_field *field)
{
    go_to(out, section, &field->place);
    tpi_buf_printf(out, "%s %s", field->name, field->tuple ? "[" : "");
    for (uint32_t i = 0; i < field->value_count; i++) {
        go_to(out, section, &field->values[i].place);
        write_value(out, &field->values[i]);
    }
    tpi_buf_puts(out, field->tuple ? "] " : "");
}

/* Without its end. */
static void write_section(tpi_buf *out, const tpi_cfg_section *section)
{
    go_to(out, section, &section->place);
    tpi_buf_printf(out, "%s ( ", section->type);
    for (uint32_t i = 0; i < section->field_count; i++) {
        if (!tpi_fields_have(&tpi_driver_section, section->fields[i].name, FIELD_LOCAL)) {
            write_field(out, section, &section->fields[i]);
        }
    }
    for (uint32_t i = 0; i < section->section_count; i++) {
        /* ranks of writers are decided here: the child knows no writers */
        if (strcmp(section->sections[i]->type, "writer") != 0) {
            write_section(out, section->sections[i]);
            tpi_buf_puts(out, ") ");
        }
    }
}

/* Units, plug-ins and all else at the top of the file. This server has read them already, so they
 * can follow the section. */
static void write_globals(tpi_buf *out, tpi_cfg *cfg)
{
    const tpi_cfg_section *root = tpi_cfg_root(cfg);

    for (uint32_t i = 0; i < root->field_count; i++) {
        if (!tpi_fields_have(&tpi_top_section, root->fields[i].name, FIELD_LOCAL)) {
            write_field(out, root, &root->fields[i]);
        }
    }
    for (uint32_t i = 0; i < root->section_count; i++) {
        if (strcmp(root->sections[i]->type, "interface") == 0) {
            write_section(out, root->sections[i]);
            tpi_buf_puts(out, ") ");
        }
    }
}

/* ---- Sockets --------------------------------------------------------------------------------- */

static tp_status make_folder(tp_server *server, tp_error *err)
{
    return server->folder[0] != '\0' ? TP_OK
                                     : tpi_folder_make(server->folder, sizeof server->folder, err);
}

/* This server's devices of a robot, for its children. */
static tp_status serve_children(tp_server *server, unsigned robot, tp_error *err)
{
    for (size_t i = 0; i < server->inner_count; i++) {
        if (server->inner[i] == robot) {
            return TP_OK;
        }
    }
    if (server->inner_count == MOST_ROBOTS) {
        return tp_fail(err, TP_E_LIMIT, "more than %d robots", MOST_ROBOTS);
    }
    server->inner[server->inner_count++] = robot;
    return TP_OK;
}

/* Devices of this server get the socket in the place of their host. */
static tp_status write_required(tp_server *server, tpi_buf *out, const tpi_cfg_value *value,
                                tp_error *err)
{
    tpi_devaddr_text address;
    tp_status status = tpi_devaddr_parse(&address, value->text, err);

    if (status != TP_OK || tpi_elsewhere_is(server, &address)) {
        write_value(out, value);
        return status;
    }
    const unsigned robot = address.robot > 0 ? address.robot : server->options.port;
    tpi_buf_printf(out, "\"%s:%s/%u:%u:%s:%u\" ", address.key, server->folder, robot, robot,
                   address.interface, address.index);
    return serve_children(server, robot, err);
}

static tp_status write_requires(tp_server *server, tpi_buf *out, tpi_cfg_section *section,
                                tp_error *err)
{
    const tpi_cfg_field *field = tpi_cfg_find(section, "requires");
    tp_status status = TP_OK;

    if (field == NULL) {
        return TP_OK;
    }
    tpi_buf_puts(out, "requires [ ");
    for (uint32_t i = 0; i < field->value_count && status == TP_OK; i++) {
        status = write_required(server, out, &field->values[i], err);
    }
    tpi_buf_puts(out, "] ");
    return status;
}

/* ---- Taking the driver's place --------------------------------------------------------------- */

static tp_status check_one_robot(const tpi_cfg_section *section, const tpi_blueprint *blueprint,
                                 tp_error *err)
{
    for (uint32_t i = 1; i < blueprint->provide_count; i++) {
        if (blueprint->provides[i].addr.robot != blueprint->provides[0].addr.robot) {
            return tpi_cfg_fail(&section->place, err,
                                "the devices of an isolated driver must have the same port");
        }
    }
    return TP_OK;
}

/* What a driver could offer its process knows once it runs, which is after the devices are made. */
static tp_status check_listed(tpi_cfg_section *section, const tpi_blueprint *blueprint,
                              tp_error *err)
{
    const tpi_cfg_field *field = tpi_cfg_find(section, "provides");

    return blueprint->provide_count > 0
               ? TP_OK
               : tpi_cfg_fail(field != NULL ? &field->place : &section->place, err,
                              "an isolated driver lists its devices in \"provides\": \"all\" is "
                              "known only in its process, once it runs");
}

static tp_status set_text(tp_server *server, tpi_setting *out, const char *name, const char *text)
{
    tpi_setting_value *value = tpi_arena_array(&server->file->arena, 1, sizeof *value);
    const char *copy = tpi_arena_text(&server->file->arena, text, strlen(text));

    if (value == NULL || copy == NULL) {
        return TP_E_NOMEM;
    }
    *value = (tpi_setting_value){.text = copy};
    *out = (tpi_setting){.name = name, .values = value, .value_count = 1};
    return TP_OK;
}

static tp_status take_place(tp_server *server, const char *text, const char *file,
                            tpi_blueprint *blueprint, tp_error *err)
{
    enum { SETTINGS = 4 };
    tpi_setting *settings = tpi_arena_array(&server->file->arena, SETTINGS, sizeof *settings);
    char socket[sizeof server->folder + 16];

    snprintf(socket, sizeof socket, "%s/child%u", server->folder, server->child_count++);
    if (settings == NULL ||
        set_text(server, &settings[0], "program", server->options.program) != TP_OK ||
        set_text(server, &settings[1], "configuration", text) != TP_OK ||
        set_text(server, &settings[2], "file", file) != TP_OK ||
        set_text(server, &settings[3], "socket", socket) != TP_OK) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    blueprint->in_place_of = blueprint->driver->name;
    blueprint->driver = tpi_find_driver(server, "isolated");
    blueprint->settings = settings;
    blueprint->setting_count = SETTINGS;
    blueprint->requires = NULL;
    blueprint->require_count = 0;
    return TP_OK;
}

tp_status tpi_isolate(tp_server *server, tpi_cfg_section *section, tpi_blueprint *blueprint,
                      tp_error *err)
{
    tpi_buf text = {0};

    if (server->options.program == NULL || tpi_find_driver(server, "isolated") == NULL) {
        return tpi_cfg_fail(&section->place, err, "this program cannot isolate drivers");
    }
    tp_status status = check_listed(section, blueprint, err);
    status = status == TP_OK ? check_one_robot(section, blueprint, err) : status;
    status = status == TP_OK ? make_folder(server, err) : status;
    if (status == TP_OK) {
        write_section(&text, section);
        status = write_requires(server, &text, section, err);
        tpi_buf_puts(&text, ") ");
        write_globals(&text, server->file->cfg);
    }
    if (status == TP_OK && text.failed) {
        status = tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    status = status == TP_OK
                 ? take_place(server, tpi_buf_text(&text), section->place.file, blueprint, err)
                 : status;
    tpi_buf_fini(&text);
    return status;
}
