/* schema.c - JSON Schema (2020-12) for what json.c reads and writes. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "troupe/padi.h"

static const char dialect[] = "https://json-schema.org/draft/2020-12/schema";

static void put_text(tpi_buf *out, const char *key, const char *text)
{
    tpi_buf_printf(out, "\"%s\":", key);
    tpi_json_put_string(out, text, strlen(text));
}

static void put_whole(tpi_buf *out, long long least, long long most)
{
    tpi_buf_printf(out, "\"type\":\"integer\",\"minimum\":%lld,\"maximum\":%lld", least, most);
}

static void put_number(tpi_buf *out, tp_type type)
{
    switch (type) {
    case TP_TYPE_U8:
        put_whole(out, 0, UINT8_MAX);
        break;
    case TP_TYPE_I8:
    case TP_TYPE_CHAR:
        put_whole(out, INT8_MIN, INT8_MAX);
        break;
    case TP_TYPE_U16:
        put_whole(out, 0, UINT16_MAX);
        break;
    case TP_TYPE_I16:
        put_whole(out, INT16_MIN, INT16_MAX);
        break;
    case TP_TYPE_U32:
        put_whole(out, 0, UINT32_MAX);
        break;
    case TP_TYPE_I32:
        put_whole(out, INT32_MIN, INT32_MAX);
        break;
    case TP_TYPE_I64:
        put_whole(out, INT64_MIN, INT64_MAX);
        break;
    default:
        tpi_buf_puts(out, "\"anyOf\":[{\"type\":\"number\"},"
                          "{\"enum\":[\"NaN\",\"Infinity\",\"-Infinity\"]}]");
        break;
    }
}

/* true, false and the names of enums are read too. */
static void put_named_number(tpi_buf *out, const tp_field *field)
{
    tpi_buf_puts(out, "\"anyOf\":[{");
    put_number(out, field->type);
    tpi_buf_puts(out, "},{\"type\":\"boolean\"}");
    if (field->values != NULL) {
        tpi_buf_puts(out, ",{\"enum\":[");
        for (uint32_t i = 0; i < field->values->member_count; i++) {
            tpi_buf_printf(out, "%s\"%s\"", i > 0 ? "," : "", field->values->members[i].name);
        }
        tpi_buf_puts(out, "]}");
    }
    tpi_buf_putc(out, ']');
}

static bool is_real(tp_type type)
{
    return type == TP_TYPE_F32 || type == TP_TYPE_F64;
}

static void put_one(tpi_buf *out, const tp_field *field)
{
    if (field->type == TP_TYPE_STRUCT) {
        tpi_buf_printf(out, "\"$ref\":\"#/$defs/%s\"", field->of->name);
    } else if (is_real(field->type)) {
        put_number(out, field->type);
    } else {
        put_named_number(out, field);
    }
}

static void put_list(tpi_buf *out, const tp_field *field)
{
    tpi_buf_puts(out, "\"type\":\"array\",\"items\":{");
    put_one(out, field);
    tpi_buf_putc(out, '}');
    if (field->shape == TP_SHAPE_FIXED) {
        tpi_buf_printf(out, ",\"minItems\":%lu", (unsigned long)field->length);
    }
    if (field->shape != TP_SHAPE_POINTER) {
        tpi_buf_printf(out, ",\"maxItems\":%lu", (unsigned long)field->length);
    }
}

static void put_field(tpi_buf *out, const tp_field *field)
{
    tpi_json_put_string(out, field->name, strlen(field->name));
    tpi_buf_puts(out, ":{");
    if (field->shape == TP_SHAPE_ONE) {
        put_one(out, field);
    } else if (field->type == TP_TYPE_CHAR) {
        tpi_buf_puts(out, "\"anyOf\":[{\"type\":\"string\"");
        if (field->shape != TP_SHAPE_POINTER) {
            tpi_buf_printf(out, ",\"maxLength\":%lu", (unsigned long)field->length);
        }
        tpi_buf_puts(out, "},{");
        put_list(out, field);
        tpi_buf_puts(out, "}]");
    } else {
        put_list(out, field);
    }
    tpi_buf_putc(out, ',');
    put_text(out, "description", field->doc);
    if (field->unit != NULL) {
        tpi_buf_putc(out, ',');
        put_text(out, "unit", field->unit);
    }
    tpi_buf_putc(out, '}');
}

static void put_struct(tpi_buf *out, const tp_struct *type)
{
    tpi_json_put_string(out, type->name, strlen(type->name));
    tpi_buf_puts(out, ":{\"type\":\"object\",\"additionalProperties\":false,");
    put_text(out, "description", type->doc);
    tpi_buf_puts(out, ",\"properties\":{");
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (i > 0) {
            tpi_buf_putc(out, ',');
        }
        put_field(out, &type->fields[i]);
    }
    tpi_buf_puts(out, "}}");
}

/* The structs written so far, so that each is defined once. */
struct defined {
    const tp_struct **types; /* owned */
    size_t count;
    size_t capacity;
    bool failed;
};

static bool is_new(struct defined *defined, const tp_struct *type)
{
    for (size_t i = 0; i < defined->count; i++) {
        if (defined->types[i] == type) {
            return false;
        }
    }
    if (defined->count == defined->capacity) {
        size_t capacity = defined->capacity * 2 + 16;
        const tp_struct **types = realloc(defined->types, capacity * sizeof(const tp_struct *));
        if (types == NULL) {
            defined->failed = true;
            return false;
        }
        defined->types = types;
        defined->capacity = capacity;
    }
    defined->types[defined->count++] = type;
    return true;
}

static void put_defs(tpi_buf *out, struct defined *defined, const tp_struct *type)
{
    if (!is_new(defined, type)) {
        return;
    }
    if (defined->count > 1) {
        tpi_buf_putc(out, ',');
    }
    put_struct(out, type);
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (type->fields[i].type == TP_TYPE_STRUCT) {
            put_defs(out, defined, type->fields[i].of);
        }
    }
}

static tp_status finish(char **out, tpi_buf *text, struct defined *defined)
{
    const bool failed = text->failed || defined->failed;

    free(defined->types);
    if (failed) {
        tpi_buf_fini(text);
        return TP_E_NOMEM;
    }
    *out = text->data;
    return TP_OK;
}

tp_status tp_struct_schema(char **out, const tp_struct *type)
{
    tpi_buf text = {0};
    struct defined defined = {0};

    tpi_buf_printf(&text,
                   "{\"$schema\":\"%s\",\"title\":\"%s\",\"$ref\":\"#/$defs/%s\",\"$defs\":{",
                   dialect, type->name, type->name);
    put_defs(&text, &defined, type);
    tpi_buf_puts(&text, "}}");
    return finish(out, &text, &defined);
}

static void put_message(tpi_buf *out, const tp_message *message, const char *suffix,
                        const tp_struct *type)
{
    tpi_buf_printf(out, "\"%s.%s%s\":{", tp_kind_name(message->kind), message->name, suffix);
    if (type != NULL) {
        tpi_buf_printf(out, "\"$ref\":\"#/$defs/%s\",", type->name);
    } else {
        tpi_buf_puts(out, "\"type\":\"null\",");
    }
    put_text(out, "description", message->doc);
    tpi_buf_putc(out, '}');
}

tp_status tp_interface_schema(char **out, const tp_interface *interface)
{
    tpi_buf text = {0};
    struct defined defined = {0};

    tpi_buf_printf(&text, "{\"$schema\":\"%s\",\"title\":\"%s\",", dialect, interface->name);
    put_text(&text, "description", interface->doc);
    tpi_buf_puts(&text, ",\"type\":\"object\",\"additionalProperties\":false,\"properties\":{");
    for (uint32_t i = 0; i < interface->message_count; i++) {
        const tp_message *message = &interface->messages[i];
        tpi_buf_puts(&text, i > 0 ? "," : "");
        put_message(&text, message, "", message->ask);
        if (message->kind == TP_KIND_REQUEST) {
            tpi_buf_putc(&text, ',');
            put_message(&text, message, ".answer", message->answer);
        }
    }
    tpi_buf_puts(&text, "},\"$defs\":{");
    for (uint32_t i = 0; i < interface->struct_count; i++) {
        put_defs(&text, &defined, interface->structs[i]);
    }
    for (uint32_t i = 0; i < interface->message_count; i++) {
        const tp_struct *payload = tp_message_payload(&interface->messages[i]);
        if (payload != NULL) {
            put_defs(&text, &defined, payload);
        }
    }
    tpi_buf_puts(&text, "}}");
    return finish(out, &text, &defined);
}
