/* describe.c - an interface described for people and for programs. */
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "troupe/padi.h"

static tp_status finish(char **out, tpi_buf *text)
{
    if (text->failed) {
        tpi_buf_fini(text);
        return TP_E_NOMEM;
    }
    *out = text->data;
    return TP_OK;
}

static const char *count_name(const tp_struct *type, const tp_field *array)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (type->fields[i].is_count && type->fields[i].offset == array->count_offset) {
            return type->fields[i].name;
        }
    }
    return "";
}

static bool is_counted(const tp_field *field)
{
    return field->shape == TP_SHAPE_BOUNDED || field->shape == TP_SHAPE_POINTER;
}

/* ---- For people ------------------------------------------------------------------------------ */

static void put_padded(tpi_buf *out, const char *text, size_t width)
{
    size_t length = strlen(text);

    tpi_buf_puts(out, text);
    tpi_buf_indent(out, length < width ? width - length : 1);
}

static void put_message(tpi_buf *out, const tp_message *message)
{
    tpi_buf line = {0};

    tpi_buf_printf(&line, "  %-8s %s %u", tp_kind_name(message->kind), message->name,
                   message->code);
    put_padded(out, tpi_buf_text(&line), 36);
    out->failed = out->failed || line.failed;
    tpi_buf_clear(&line);
    tpi_buf_printf(&line, "(%s)", message->ask == NULL ? "" : message->ask->name);
    if (message->kind == TP_KIND_REQUEST) {
        tpi_buf_printf(&line, " -> (%s)", message->answer == NULL ? "" : message->answer->name);
    }
    tpi_buf_printf(out, "%-10s %s\n      %s\n", tp_mark_name(message->mark), tpi_buf_text(&line),
                   message->doc);
    out->failed = out->failed || line.failed;
    tpi_buf_fini(&line);
}

static void put_field(tpi_buf *out, const tp_struct *type, const tp_field *field)
{
    tpi_buf line = {0};

    tpi_buf_printf(&line, "%s",
                   field->type == TP_TYPE_STRUCT ? field->of->name : tp_type_name(field->type));
    if (field->shape == TP_SHAPE_FIXED) {
        tpi_buf_printf(&line, "[%lu]", (unsigned long)field->length);
    } else if (field->shape == TP_SHAPE_POINTER) {
        tpi_buf_printf(&line, "[%s]", count_name(type, field));
    } else if (field->shape == TP_SHAPE_BOUNDED) {
        tpi_buf_printf(&line, "[%s max %lu]", count_name(type, field),
                       (unsigned long)field->length);
    }
    tpi_buf_puts(out, "    ");
    put_padded(out, field->name, 22);
    put_padded(out, tpi_buf_text(&line), 30);
    put_padded(out,
               field->values != NULL ? field->values->name
               : field->unit != NULL ? field->unit
                                     : "",
               12);
    tpi_buf_printf(out, "%s\n", field->doc);
    out->failed = out->failed || line.failed;
    tpi_buf_fini(&line);
}

static void put_constants(tpi_buf *out, const tp_constant *constants, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        tpi_buf_printf(out, "    %-34s %8lld  %s\n", constants[i].name,
                       (long long)constants[i].value, constants[i].doc);
    }
}

tp_status tp_interface_text(char **out, const tp_interface *interface)
{
    tpi_buf text = {0};

    tpi_buf_printf(&text, "%s, code %u\n%s\n", interface->name, interface->code, interface->doc);
    if (interface->message_count > 0) {
        tpi_buf_puts(&text, "\nMessages\n");
    }
    for (uint32_t i = 0; i < interface->message_count; i++) {
        put_message(&text, &interface->messages[i]);
    }
    for (uint32_t i = 0; i < interface->struct_count; i++) {
        const tp_struct *type = interface->structs[i];
        tpi_buf_printf(&text, "\n%s\n  %s\n", type->name, type->doc);
        for (uint32_t k = 0; k < type->field_count; k++) {
            put_field(&text, type, &type->fields[k]);
        }
    }
    for (uint32_t i = 0; i < interface->enum_count; i++) {
        const tp_enum *values = interface->enums[i];
        tpi_buf_printf(&text, "\n%s%s\n  %s\n", values->name, values->flags ? " (flags)" : "",
                       values->doc);
        put_constants(&text, values->members, values->member_count);
    }
    if (interface->constant_count > 0) {
        tpi_buf_puts(&text, "\nConstants\n");
        put_constants(&text, interface->constants, interface->constant_count);
    }
    return finish(out, &text);
}

/* ---- For programs ---------------------------------------------------------------------------- */

/* ,"key":"text" */
static void json_text(tpi_buf *out, const char *key, const char *text)
{
    tpi_buf_printf(out, ",\"%s\":", key);
    if (text == NULL) {
        tpi_buf_puts(out, "null");
    } else {
        tpi_json_put_string(out, text, strlen(text));
    }
}

static void json_message(tpi_buf *out, const tp_message *message)
{
    const tp_struct *payload = tp_message_payload(message);

    tpi_buf_printf(out, "{\"kind\":\"%s\",\"name\":\"%s\",\"code\":%u,\"mark\":\"%s\"",
                   tp_kind_name(message->kind), message->name, message->code,
                   tp_mark_name(message->mark));
    json_text(out, "payload", payload == NULL ? NULL : payload->name);
    json_text(out, "ask", message->ask == NULL ? NULL : message->ask->name);
    if (message->kind == TP_KIND_REQUEST) {
        json_text(out, "answer", message->answer == NULL ? NULL : message->answer->name);
    }
    json_text(out, "doc", message->doc);
    tpi_buf_putc(out, '}');
}

static void json_field(tpi_buf *out, const tp_struct *type, const tp_field *field)
{
    static const char *const shapes[] = {"one", "fixed", "bounded", "variable"};

    tpi_buf_printf(out, "{\"name\":\"%s\",\"type\":\"%s\",\"shape\":\"%s\"", field->name,
                   field->type == TP_TYPE_STRUCT ? field->of->name : tp_type_name(field->type),
                   shapes[field->shape]);
    if (is_counted(field)) {
        json_text(out, "count", count_name(type, field));
    }
    if (field->length > 0) {
        tpi_buf_printf(out, ",\"%s\":%lu", field->shape == TP_SHAPE_FIXED ? "length" : "max",
                       (unsigned long)field->length);
    }
    if (field->unit != NULL) {
        json_text(out, "unit", field->unit);
    }
    if (field->values != NULL) {
        json_text(out, field->values->flags ? "flags" : "enum", field->values->name);
    }
    json_text(out, "doc", field->doc);
    tpi_buf_putc(out, '}');
}

static void json_struct(tpi_buf *out, const tp_struct *type)
{
    tpi_buf_printf(out, "{\"name\":\"%s\",\"player_name\":\"player_%s_t\"", type->name, type->name);
    json_text(out, "doc", type->doc);
    tpi_buf_puts(out, ",\"fields\":[");
    for (uint32_t i = 0; i < type->field_count; i++) {
        tpi_buf_puts(out, i > 0 ? "," : "");
        json_field(out, type, &type->fields[i]);
    }
    tpi_buf_puts(out, "]}");
}

static void json_constants(tpi_buf *out, const tp_constant *constants, uint32_t count)
{
    tpi_buf_putc(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        tpi_buf_printf(out, "%s{\"name\":\"%s\",\"value\":%lld", i > 0 ? "," : "",
                       constants[i].name, (long long)constants[i].value);
        json_text(out, "doc", constants[i].doc);
        tpi_buf_putc(out, '}');
    }
    tpi_buf_putc(out, ']');
}

static void json_enum(tpi_buf *out, const tp_enum *values)
{
    tpi_buf_printf(out, "{\"name\":\"%s\",\"flags\":%s", values->name,
                   values->flags ? "true" : "false");
    json_text(out, "doc", values->doc);
    tpi_buf_puts(out, ",\"members\":");
    json_constants(out, values->members, values->member_count);
    tpi_buf_putc(out, '}');
}

tp_status tp_interface_json(char **out, const tp_interface *interface)
{
    tpi_buf text = {0};

    tpi_buf_printf(&text, "{\"name\":\"%s\",\"code\":%u", interface->name, interface->code);
    json_text(&text, "doc", interface->doc);
    tpi_buf_puts(&text, ",\"messages\":[");
    for (uint32_t i = 0; i < interface->message_count; i++) {
        tpi_buf_puts(&text, i > 0 ? "," : "");
        json_message(&text, &interface->messages[i]);
    }
    tpi_buf_puts(&text, "],\"structs\":[");
    for (uint32_t i = 0; i < interface->struct_count; i++) {
        tpi_buf_puts(&text, i > 0 ? "," : "");
        json_struct(&text, interface->structs[i]);
    }
    tpi_buf_puts(&text, "],\"enums\":[");
    for (uint32_t i = 0; i < interface->enum_count; i++) {
        tpi_buf_puts(&text, i > 0 ? "," : "");
        json_enum(&text, interface->enums[i]);
    }
    tpi_buf_puts(&text, "],\"constants\":");
    json_constants(&text, interface->constants, interface->constant_count);
    tpi_buf_putc(&text, '}');
    return finish(out, &text);
}
