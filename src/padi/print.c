/* print.c - values for people: one line, or a block with units and the names of enums. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "padi/plan.h"
#include "padi/value.h"

enum { INDENT = 2, MOST_ON_A_LINE = 12 };

static const char *member_name(const tp_enum *values, int64_t value)
{
    for (uint32_t i = 0; i < values->member_count; i++) {
        if (values->members[i].value == value) {
            return values->members[i].name;
        }
    }
    return NULL;
}

/* " (OPEN)" or " (VOLTS+PERCENT)" behind a number. */
static void put_meaning(tpi_buf *out, const tp_enum *values, int64_t value)
{
    const char *name = member_name(values, value);
    const char *glue = " (";

    if (name != NULL || !values->flags) {
        tpi_buf_printf(out, " (%s)", name != NULL ? name : "?");
        return;
    }
    for (uint32_t i = 0; i < values->member_count; i++) {
        int64_t bit = values->members[i].value;
        if (bit != 0 && (value & bit) == bit) {
            tpi_buf_printf(out, "%s%s", glue, values->members[i].name);
            glue = "+";
        }
    }
    tpi_buf_puts(out, glue[0] == '+' ? ")" : "");
}

static void put_unit(tpi_buf *out, const char *unit)
{
    static const char *const silent[] = {"count", "id", "1", "raw", "bool", "byte"};

    for (size_t i = 0; unit != NULL && i < sizeof silent / sizeof silent[0]; i++) {
        if (strcmp(unit, silent[i]) == 0) {
            return;
        }
    }
    if (unit != NULL) {
        tpi_buf_printf(out, " %s", unit);
    }
}

static void put_scalar(tpi_buf *out, const tp_field *field, const void *at, bool block)
{
    tpi_number_put(out, field->type, at, false);
    if (!block) {
        return;
    }
    if (field->values != NULL) {
        put_meaning(out, field->values, tpi_number_get_whole(field->type, at));
    }
    put_unit(out, field->unit);
}

static void put_numbers(tpi_buf *out, const tp_field *field, const char *elements, uint32_t count,
                        bool block, size_t indent)
{
    const size_t size = tpi_field_element_size(field);

    tpi_buf_putc(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (block && count > MOST_ON_A_LINE && i % MOST_ON_A_LINE == 0) {
            tpi_buf_putc(out, '\n');
            tpi_buf_indent(out, indent + INDENT);
        } else if (i > 0) {
            tpi_buf_putc(out, ' ');
        }
        tpi_number_put(out, field->type, elements + i * size, false);
    }
    tpi_buf_putc(out, ']');
    if (block && count > 0) {
        put_unit(out, field->unit);
    }
}

static void put_structs(tpi_buf *out, const tp_field *field, const char *elements, uint32_t count,
                        bool block, size_t indent)
{
    tpi_buf_putc(out, block ? '(' : '[');
    if (block) {
        tpi_buf_printf(out, "%lu)", (unsigned long)count);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (block) {
            tpi_buf_putc(out, '\n');
            tpi_buf_indent(out, indent);
            tpi_buf_printf(out, "%lu:", (unsigned long)i);
        } else if (i > 0) {
            tpi_buf_putc(out, ' ');
        }
        tpi_value_put_human(out, field->of, elements + (size_t)i * field->of->size, block,
                            indent + INDENT);
    }
    tpi_buf_puts(out, block ? "" : "]");
}

static void put_array(tpi_buf *out, const tp_field *field, const void *value, bool block,
                      size_t indent)
{
    const uint32_t count = tp_field_count(field, value);
    const char *elements = tpi_field_elements(field, value);
    uint32_t length;

    if (field->type == TP_TYPE_STRUCT) {
        put_structs(out, field, elements, count, block, indent);
    } else if (field->type == TP_TYPE_CHAR && tpi_chars_text(elements, count, &length)) {
        tpi_json_put_string(out, elements, length);
    } else {
        put_numbers(out, field, elements, count, block, indent);
    }
}

static void put_field(tpi_buf *out, const tp_field *field, const void *value, bool block,
                      size_t indent)
{
    const char *at = (const char *)value + field->offset;

    tpi_buf_printf(out, block ? "%s: " : "%s=", field->name);
    if (field->shape != TP_SHAPE_ONE) {
        put_array(out, field, value, block, indent + INDENT);
    } else if (field->type == TP_TYPE_STRUCT) {
        tpi_value_put_human(out, field->of, at, block, indent + INDENT);
    } else {
        put_scalar(out, field, at, block);
    }
}

void tpi_value_put_human(tpi_buf *out, const tp_struct *type, const void *value, bool block,
                         size_t indent)
{
    bool first = true;

    tpi_buf_puts(out, block ? "" : "{");
    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        if (field->is_count) {
            continue; /* the array shows it */
        }
        if (block) {
            tpi_buf_putc(out, '\n');
            tpi_buf_indent(out, indent);
        } else if (!first) {
            tpi_buf_putc(out, ' ');
        }
        first = false;
        put_field(out, field, value, block, indent);
    }
    tpi_buf_puts(out, block ? "" : "}");
}

tp_status tp_value_text(char **out, const tp_struct *type, const void *value, tp_text_form form)
{
    tpi_buf text = {0};

    if (form == TP_TEXT_JSON || form == TP_TEXT_JSON_PRETTY) {
        tpi_value_put_json(&text, type, value, form == TP_TEXT_JSON_PRETTY, 0);
    } else {
        tpi_buf_puts(&text, type->name);
        tpi_value_put_human(&text, type, value, form == TP_TEXT_BLOCK, INDENT);
    }
    if (text.failed) {
        tpi_buf_fini(&text);
        return TP_E_NOMEM;
    }
    *out = text.data;
    return TP_OK;
}
