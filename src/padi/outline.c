/*
 * outline.c - the JSON Schema of a struct for programs that know only the simple part of JSON
 * Schema, such as Foxglove and the readers of its files.
 *
 * It has no references and no alternatives: every object has its members, every array its items. So
 * it says less than schema.c: a number that is not finite and a text that is no UTF-8 have another
 * form than it names (docs/reference/json.md).
 */
#include <string.h>

#include "base/json.h"
#include "troupe/padi.h"

enum { DEEPEST = 16 };

static void put_text(tpi_buf *out, const char *key, const char *text)
{
    tpi_buf_printf(out, "\"%s\":", key);
    tpi_json_put_string(out, text, strlen(text));
}

/* One of a set of numbers with names. */
static void put_choice(tpi_buf *out, const tp_enum *values)
{
    tpi_buf_puts(out, "\"type\":\"integer\",\"oneOf\":[");
    for (uint32_t i = 0; i < values->member_count; i++) {
        tpi_buf_printf(out, "%s{\"title\":\"%s\",\"const\":%lld}", i > 0 ? "," : "",
                       values->members[i].name, (long long)values->members[i].value);
    }
    tpi_buf_putc(out, ']');
}

static void put_members(tpi_buf *out, const tp_struct *type, unsigned depth);

static void put_one(tpi_buf *out, const tp_field *field, unsigned depth)
{
    switch (field->type) {
    case TP_TYPE_STRUCT:
        put_members(out, field->of, depth + 1);
        break;
    case TP_TYPE_F32:
    case TP_TYPE_F64:
        tpi_buf_puts(out, "\"type\":\"number\"");
        break;
    default:
        tpi_buf_puts(out, "\"type\":\"integer\"");
        break;
    }
}

static void put_field(tpi_buf *out, const tp_field *field, unsigned depth)
{
    const bool is_choice = field->values != NULL && !field->values->flags &&
                           field->values->member_count > 0 && field->shape == TP_SHAPE_ONE;

    tpi_json_put_string(out, field->name, strlen(field->name));
    tpi_buf_puts(out, ":{");
    if (field->type == TP_TYPE_CHAR && field->shape != TP_SHAPE_ONE) {
        tpi_buf_puts(out, "\"type\":\"string\"");
    } else if (is_choice) {
        put_choice(out, field->values);
    } else if (field->shape == TP_SHAPE_ONE) {
        put_one(out, field, depth);
    } else {
        tpi_buf_puts(out, "\"type\":\"array\",\"items\":{");
        put_one(out, field, depth);
        tpi_buf_putc(out, '}');
    }
    tpi_buf_putc(out, ',');
    put_text(out, "description", field->doc);
    if (field->unit != NULL) {
        tpi_buf_putc(out, ',');
        put_text(out, "unit", field->unit);
    }
    tpi_buf_putc(out, '}');
}

static void put_members(tpi_buf *out, const tp_struct *type, unsigned depth)
{
    tpi_buf_puts(out, "\"type\":\"object\",\"properties\":{");
    for (uint32_t i = 0; i < type->field_count && depth < DEEPEST; i++) {
        if (i > 0) {
            tpi_buf_putc(out, ',');
        }
        put_field(out, &type->fields[i], depth);
    }
    tpi_buf_putc(out, '}');
}

tp_status tp_struct_outline(char **out, const tp_struct *type)
{
    tpi_buf text = {0};

    tpi_buf_putc(&text, '{');
    put_text(&text, "title", type->name);
    tpi_buf_putc(&text, ',');
    put_text(&text, "description", type->doc);
    tpi_buf_putc(&text, ',');
    put_members(&text, type, 0);
    tpi_buf_putc(&text, '}');
    if (text.failed) {
        tpi_buf_fini(&text);
        return TP_E_NOMEM;
    }
    *out = text.data;
    return TP_OK;
}
