/* json_write.c - values to JSON; the form is described in docs/reference/json.md. */
#include "base/json.h"
#include "padi/plan.h"
#include "padi/value.h"

enum { INDENT = 2 };

static void put_chars(tpi_buf *out, const char *chars, uint32_t count)
{
    uint32_t length;

    if (tpi_chars_text(chars, count, &length)) {
        tpi_json_put_string(out, chars, length);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        tpi_buf_putc(out, i == 0 ? '[' : ',');
        tpi_number_put(out, TP_TYPE_CHAR, chars + i, true);
    }
    tpi_buf_putc(out, ']');
}

static void new_line(tpi_buf *out, bool pretty, size_t indent)
{
    if (pretty) {
        tpi_buf_putc(out, '\n');
        tpi_buf_indent(out, indent);
    }
}

static void put_element(tpi_buf *out, const tp_field *field, const void *at, bool pretty,
                        size_t indent)
{
    if (field->type == TP_TYPE_STRUCT) {
        tpi_value_put_json(out, field->of, at, pretty, indent);
    } else {
        tpi_number_put(out, field->type, at, true);
    }
}

static void put_elements(tpi_buf *out, const tp_field *field, const void *value, bool pretty,
                         size_t indent)
{
    const uint32_t count = tp_field_count(field, value);
    const char *elements = tpi_field_elements(field, value);
    const size_t size = tpi_field_element_size(field);
    const bool lines = pretty && field->type == TP_TYPE_STRUCT && count > 0;

    if (field->type == TP_TYPE_CHAR) {
        put_chars(out, elements, count);
        return;
    }
    tpi_buf_putc(out, '[');
    if (field->type != TP_TYPE_STRUCT && !pretty) {
        tpi_numbers_put(out, field->type, elements, count, size);
        tpi_buf_putc(out, ']');
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) {
            tpi_buf_puts(out, pretty && !lines ? ", " : ",");
        }
        new_line(out, lines, indent + INDENT);
        put_element(out, field, elements + i * size, pretty, indent + INDENT);
    }
    new_line(out, lines, indent);
    tpi_buf_putc(out, ']');
}

void tpi_value_put_json(tpi_buf *out, const tp_struct *type, const void *value, bool pretty,
                        size_t indent)
{
    tpi_buf_putc(out, '{');
    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        if (i > 0) {
            tpi_buf_putc(out, ',');
        }
        new_line(out, pretty, indent + INDENT);
        tpi_buf_putc(out, '"');
        tpi_buf_puts(out, field->name);
        tpi_buf_puts(out, pretty ? "\": " : "\":");
        if (field->shape == TP_SHAPE_ONE) {
            put_element(out, field, (const char *)value + field->offset, pretty, indent + INDENT);
        } else {
            put_elements(out, field, value, pretty, indent + INDENT);
        }
    }
    new_line(out, pretty && type->field_count > 0, indent);
    tpi_buf_putc(out, '}');
}
