/* section_program.c - program sections: `program ( file "walk.play" robot "universal:0" )` is short
 * for a section of the driver `program`. */
#include <stdio.h>
#include <string.h>

#include "server/inside.h"

/* Whether any section provides this address. */
static bool is_provided(const tpi_cfg_section *root, const char *address)
{
    for (uint32_t i = 0; i < root->section_count; i++) {
        const tpi_cfg_section *section = root->sections[i];
        for (uint32_t f = 0; f < section->field_count; f++) {
            const tpi_cfg_field *field = &section->fields[f];
            for (uint32_t v = 0; strcmp(field->name, "provides") == 0 && v < field->value_count;
                 v++) {
                if (strcmp(field->values[v].text, address) == 0) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* The first program:N that no section provides. */
static const char *free_address(tp_server *server, const tpi_cfg_section *root)
{
    char address[32];
    unsigned index = 0;

    do {
        (void)snprintf(address, sizeof address, "program:%u", index++);
    } while (is_provided(root, address));
    return tpi_arena_text(&server->file->arena, address, strlen(address));
}

static bool put_field(tp_server *server, tpi_cfg_section *section, const char *name,
                      const char *text)
{
    tpi_cfg_value *value = tpi_arena_array(&server->file->arena, 1, sizeof *value);
    tpi_cfg_field *field = &section->fields[section->field_count];

    if (value == NULL || text == NULL) {
        return false;
    }
    *value = (tpi_cfg_value){.kind = TPI_CFG_STRING, .text = text, .place = section->place};
    *field =
        (tpi_cfg_field){.name = name, .values = value, .value_count = 1, .place = section->place};
    section->field_count++;
    return true;
}

/* Make it a section of the driver: with its name, what it requires, and what it provides. */
static bool rewrite(tp_server *server, tpi_cfg_section *section)
{
    enum { MOST_NEW = 3 };
    tpi_cfg_field *fields =
        tpi_arena_array(&server->file->arena, section->field_count + MOST_NEW, sizeof *fields);
    bool has_robot = false, has_provides = false;

    if (fields == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < section->field_count; i++) {
        fields[i] = section->fields[i];
        if (strcmp(fields[i].name, "robot") == 0) {
            fields[i].name = "requires";
        }
        has_robot |= strcmp(fields[i].name, "requires") == 0;
        has_provides |= strcmp(fields[i].name, "provides") == 0;
    }
    section->fields = fields;
    section->type = "driver";
    return put_field(server, section, "name", "program") &&
           (has_robot || put_field(server, section, "requires", "universal:0")) &&
           (has_provides ||
            put_field(server, section, "provides", free_address(server, section->parent)));
}

tp_status tpi_program_read(tp_server *server, tpi_cfg_section *section, tp_error *err)
{
    const tpi_cfg_field *name = tpi_cfg_find(section, "name");

    if (tpi_cfg_find(section, "file") == NULL) {
        return tpi_cfg_fail(&section->place, err,
                            "a program section names a file: file \"walk.play\"");
    }
    if (name != NULL) {
        return tpi_cfg_fail(&name->place, err,
                            "a program section has no name; its file is its name");
    }
    if (!rewrite(server, section)) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    return tpi_driver_read(server, section, err);
}
