/* fields_table.c - the fields of configuration files, for people; see fields_table.h. */
#include "fields_table.h"

#include <string.h>

#include "table.h"
#include "troupe/server.h"

static const char *default_of(const tp_server_field *field)
{
    if (field->fallback != NULL) {
        return field->fallback;
    }
    return field->required ? "(required)" : "";
}

/* The fields of one section, from the i-th on; the first one that belongs to another. */
static size_t put_section(tpi_buf *out, size_t i, bool headed)
{
    static const char *const headings[] = {"FIELD",   "VALUE",       "UNIT",
                                           "DEFAULT", "DESCRIPTION", NULL};
    tp_server_field first = {0};
    tp_server_field field = {0};
    struct table table;

    tp_server_field_at(i, &first);
    table_init(&table, headings);
    for (; tp_server_field_at(i, &field) && strcmp(field.section, first.section) == 0; i++) {
        table_cell(&table, "%s", field.name);
        table_cell(&table, "%s", field.value);
        table_cell(&table, "%s", field.unit == NULL ? "" : field.unit);
        table_cell(&table, "%s", default_of(&field));
        table_cell(&table, "%s", field.help);
    }
    if (headed) {
        tpi_buf_printf(out, "%s\n", first.section[0] == '\0' ? "top level" : first.section);
    }
    table_put(out, &table, headed ? 2 : 0, 0);
    table_fini(&table);
    return i;
}

bool fields_table_put(tpi_buf *out, const char *only)
{
    tp_server_field field = {0};
    bool found = false;

    for (size_t i = 0; tp_server_field_at(i, &field);) {
        if (only == NULL) {
            tpi_buf_puts(out, i == 0 ? "" : "\n");
            i = put_section(out, i, true);
            found = true;
        } else if (strcmp(field.section, only) == 0 && !found) {
            i = put_section(out, i, false);
            found = true;
        } else {
            i++;
        }
    }
    return found;
}
