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

enum { GAP = 2 }; /* between columns */

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* How long the line is; it is cleared. */
static size_t measure(tpi_buf *out, tpi_buf *line)
{
    const size_t length = line->length;

    out->failed = out->failed || line->failed;
    tpi_buf_clear(line);
    return length;
}

/* Append what the line holds, padded to a column, and clear it. A column without any text has no
 * width and takes no room. */
static void put_column(tpi_buf *out, tpi_buf *line, size_t width)
{
    tpi_buf_puts(out, tpi_buf_text(line));
    if (width > 0 && line->length < width + GAP) {
        tpi_buf_indent(out, width + GAP - line->length);
    }
    measure(out, line);
}

/* The name of a struct, and where it is borrowed from: "pose3d (common)". */
static void put_struct_name(tpi_buf *out, const tp_interface *interface, const tp_struct *type,
                            const char *behind)
{
    tpi_buf_printf(out, "%s%s", type->name, behind);
    if (type->interface != NULL && strcmp(type->interface, interface->name) != 0) {
        tpi_buf_printf(out, " (%s)", type->interface);
    }
}

static void put_payload(tpi_buf *out, const tp_interface *interface, const tp_struct *type)
{
    tpi_buf_putc(out, '(');
    if (type != NULL) {
        put_struct_name(out, interface, type, "");
    }
    tpi_buf_putc(out, ')');
}

static void put_signature(tpi_buf *out, const tp_message *message)
{
    tpi_buf_printf(out, "%-8s %s %u", tp_kind_name(message->kind), message->name, message->code);
}

static void put_messages(tpi_buf *out, const tp_interface *interface)
{
    tpi_buf line = {0};
    size_t width = 0;
    int effect_width = 8;

    tpi_buf_puts(out, interface->message_count > 0 ? "\nMessages\n" : "");
    for (uint32_t i = 0; i < interface->message_count; i++) {
        const int effect = (int)strlen(tp_effect_name(interface->messages[i].effect)) + 2;
        effect_width = effect > effect_width ? effect : effect_width;
        put_signature(&line, &interface->messages[i]);
        width = larger(width, measure(out, &line));
    }
    for (uint32_t i = 0; i < interface->message_count; i++) {
        const tp_message *message = &interface->messages[i];
        tpi_buf_puts(out, "  ");
        put_signature(&line, message);
        put_column(out, &line, width);
        tpi_buf_printf(out, "%-11s%-*s", tp_mark_name(message->mark), effect_width,
                       tp_effect_name(message->effect));
        put_payload(out, interface, message->ask);
        if (message->kind == TP_KIND_REQUEST) {
            tpi_buf_puts(out, " -> ");
            put_payload(out, interface, message->answer);
        }
        tpi_buf_printf(out, "\n      %s\n", message->doc);
    }
    tpi_buf_fini(&line);
}

static void put_type(tpi_buf *out, const tp_interface *interface, const tp_struct *type,
                     const tp_field *field)
{
    tpi_buf length = {0};

    if (field->shape == TP_SHAPE_FIXED) {
        tpi_buf_printf(&length, "[%lu]", (unsigned long)field->length);
    } else if (field->shape == TP_SHAPE_POINTER) {
        tpi_buf_printf(&length, "[%s]", count_name(type, field));
    } else if (field->shape == TP_SHAPE_BOUNDED) {
        tpi_buf_printf(&length, "[%s max %lu]", count_name(type, field),
                       (unsigned long)field->length);
    }
    if (field->type == TP_TYPE_STRUCT) {
        put_struct_name(out, interface, field->of, tpi_buf_text(&length));
    } else {
        tpi_buf_printf(out, "%s%s", tp_type_name(field->type), tpi_buf_text(&length));
    }
    out->failed = out->failed || length.failed;
    tpi_buf_fini(&length);
}

static const char *unit_of(const tp_field *field)
{
    if (field->values != NULL) {
        return field->values->name;
    }
    return field->unit != NULL ? field->unit : "";
}

static void put_fields(tpi_buf *out, const tp_interface *interface, const tp_struct *type)
{
    tpi_buf line = {0};
    size_t widths[3] = {0};

    for (uint32_t i = 0; i < type->field_count; i++) {
        put_type(&line, interface, type, &type->fields[i]);
        widths[0] = larger(widths[0], strlen(type->fields[i].name));
        widths[1] = larger(widths[1], measure(out, &line));
        widths[2] = larger(widths[2], strlen(unit_of(&type->fields[i])));
    }
    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        tpi_buf_puts(out, "    ");
        tpi_buf_puts(&line, field->name);
        put_column(out, &line, widths[0]);
        put_type(&line, interface, type, field);
        put_column(out, &line, widths[1]);
        tpi_buf_puts(&line, unit_of(field));
        put_column(out, &line, widths[2]);
        tpi_buf_printf(out, "%s\n", field->doc);
    }
    tpi_buf_fini(&line);
}

static void put_constants(tpi_buf *out, const tp_constant *constants, uint32_t count)
{
    tpi_buf line = {0};
    size_t names = 0;
    size_t values = 0;

    for (uint32_t i = 0; i < count; i++) {
        tpi_buf_printf(&line, "%lld", (long long)constants[i].value);
        names = larger(names, strlen(constants[i].name));
        values = larger(values, measure(out, &line));
    }
    for (uint32_t i = 0; i < count; i++) {
        tpi_buf_puts(out, "    ");
        tpi_buf_puts(&line, constants[i].name);
        put_column(out, &line, names);
        tpi_buf_printf(out, "%*lld  %s\n", (int)values, (long long)constants[i].value,
                       constants[i].doc);
    }
    tpi_buf_fini(&line);
}

tp_status tp_interface_text(char **out, const tp_interface *interface)
{
    tpi_buf text = {0};

    tpi_buf_printf(&text, "%s, code %u\n%s\n", interface->name, interface->code, interface->doc);
    put_messages(&text, interface);
    for (uint32_t i = 0; i < interface->struct_count; i++) {
        const tp_struct *type = interface->structs[i];
        tpi_buf_printf(&text, "\n%s\n  %s\n", type->name, type->doc);
        put_fields(&text, interface, type);
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

    tpi_buf_printf(out,
                   "{\"kind\":\"%s\",\"name\":\"%s\",\"code\":%u,\"mark\":\"%s\",\"effect\":\"%s\"",
                   tp_kind_name(message->kind), message->name, message->code,
                   tp_mark_name(message->mark), tp_effect_name(message->effect));
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
    tpi_buf_puts(&text, ",\"uses\":[");
    for (uint32_t i = 0; i < interface->use_count; i++) {
        tpi_buf_printf(&text, "%s\"%s\"", i > 0 ? "," : "", interface->uses[i]);
    }
    tpi_buf_puts(&text, "],\"messages\":[");
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
