/* section_kinds.c - all kinds of sections with their fields, as they are listed for people. */
#include "server/fields.h"

const struct section_kind *const tpi_section_kinds[] = {&tpi_top_section,
                                                        &tpi_interface_section,
                                                        &tpi_front_section,
                                                        &tpi_driver_section,
                                                        &tpi_geometry_section,
                                                        &tpi_writer_section,
                                                        NULL};

static const char *value_text(enum field_value value)
{
    static const char *const texts[] = {
        [FIELD_TEXT] = "text",          [FIELD_TEXTS] = "texts",     [FIELD_FLAG] = "yes or no",
        [FIELD_NUMBER] = "number",      [FIELD_NUMBERS] = "numbers", [FIELD_WHOLE] = "whole number",
        [FIELD_FILE] = "file",          [FIELD_FILES] = "files",     [FIELD_ADDRESS] = "address",
        [FIELD_ADDRESSES] = "addresses"};

    return texts[value];
}

bool tp_server_field_at(size_t i, tp_server_field *out)
{
    for (const struct section_kind *const *kind = tpi_section_kinds; *kind != NULL; kind++) {
        for (const struct section_field *field = (*kind)->fields; field->name != NULL; field++) {
            if (i-- == 0) {
                *out = (tp_server_field){.section = (*kind)->type,
                                         .name = field->name,
                                         .value = value_text(field->value),
                                         .unit = field->unit,
                                         .fallback = field->fallback,
                                         .required = (field->flags & FIELD_REQUIRED) != 0,
                                         .help = field->help,
                                         .example = field->examples[0],
                                         .other_example = field->examples[1]};
                return true;
            }
        }
    }
    return false;
}
