/*
 * write.c - an interface as a .padi file: what a server sends to programs that do not know it.
 *
 * A file that is parsed and written means the same. Comments, the names of constants in lengths and
 * the sentences of private units are lost.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "padi/names.h"
#include "troupe/padi.h"

static void put_doc(tpi_buf *out, const char *doc)
{
    tpi_buf_puts(out, " \"");
    while (*doc != '\0') {
        const size_t plain = strcspn(doc, "\"\\");
        tpi_buf_put(out, doc, plain);
        doc += plain;
        if (*doc != '\0') {
            tpi_buf_printf(out, "\\%c", *doc++);
        }
    }
    tpi_buf_puts(out, "\"\n");
}

/* ---- Units ----------------------------------------------------------------------------------- */

static bool is_common_unit(const char *unit)
{
    size_t i = 0;

    while (tpi_units[i] != NULL && strcmp(tpi_units[i], unit) != 0) {
        i++;
    }
    return tpi_units[i] != NULL || strcmp(unit, "/s") == 0 || strcmp(unit, "/s^2") == 0;
}

static bool has_own_unit(const tp_field *field)
{
    return field->unit != NULL && !is_common_unit(field->unit);
}

/* Whether a field before this one has the same unit. */
static bool is_declared(const tp_interface *interface, uint32_t structs, uint32_t fields)
{
    const char *unit = interface->structs[structs]->fields[fields].unit;

    for (uint32_t i = 0; i <= structs; i++) {
        const uint32_t end = i < structs ? interface->structs[i]->field_count : fields;
        for (uint32_t k = 0; k < end; k++) {
            const tp_field *field = &interface->structs[i]->fields[k];
            if (has_own_unit(field) && strcmp(field->unit, unit) == 0) {
                return true;
            }
        }
    }
    return false;
}

static void put_units(tpi_buf *out, const tp_interface *interface)
{
    for (uint32_t i = 0; i < interface->struct_count; i++) {
        for (uint32_t k = 0; k < interface->structs[i]->field_count; k++) {
            const tp_field *field = &interface->structs[i]->fields[k];
            if (has_own_unit(field) && !is_declared(interface, i, k)) {
                tpi_buf_printf(out, "unit %s \"A unit of %s.\"\n", field->unit, interface->name);
            }
        }
    }
}

/* ---- Declarations ---------------------------------------------------------------------------- */

static void put_enum(tpi_buf *out, const tp_enum *values)
{
    tpi_buf_printf(out, "%s %s", values->flags ? "flags" : "enum", values->name);
    put_doc(out, values->doc);
    tpi_buf_puts(out, "{\n");
    for (uint32_t i = 0; i < values->member_count; i++) {
        tpi_buf_printf(out, "    %s = %lld", values->members[i].name,
                       (long long)values->members[i].value);
        put_doc(out, values->members[i].doc);
    }
    tpi_buf_puts(out, "}\n");
}

static const char *count_name(const tp_struct *type, const tp_field *array)
{
    uint32_t i = 0;

    while (!type->fields[i].is_count || type->fields[i].offset != array->count_offset) {
        i++;
    }
    return type->fields[i].name;
}

static void put_length(tpi_buf *out, const tp_struct *type, const tp_field *field)
{
    switch (field->shape) {
    case TP_SHAPE_ONE:
        break;
    case TP_SHAPE_FIXED:
        tpi_buf_printf(out, "[%u]", field->length);
        break;
    case TP_SHAPE_BOUNDED:
        tpi_buf_printf(out, "[%s max %u]", count_name(type, field), field->length);
        break;
    case TP_SHAPE_POINTER:
        tpi_buf_printf(out, "[%s]", count_name(type, field));
        break;
    }
}

static void put_field(tpi_buf *out, const tp_struct *type, const tp_field *field)
{
    tpi_buf_printf(out, "    %s %s", field->name,
                   field->type == TP_TYPE_STRUCT ? field->of->name : tp_type_name(field->type));
    put_length(out, type, field);
    if (field->values != NULL) {
        tpi_buf_printf(out, " %s %s", field->values->flags ? "flags" : "enum", field->values->name);
    } else if (field->unit != NULL) {
        tpi_buf_printf(out, " %s", field->unit);
    }
    put_doc(out, field->doc);
}

static void put_struct(tpi_buf *out, const tp_struct *type)
{
    tpi_buf_printf(out, "struct %s", type->name);
    put_doc(out, type->doc);
    tpi_buf_puts(out, "{\n");
    for (uint32_t i = 0; i < type->field_count; i++) {
        put_field(out, type, &type->fields[i]);
    }
    tpi_buf_puts(out, "}\n");
}

static void put_message(tpi_buf *out, const tp_message *message)
{
    /* what a message does that says nothing of it */
    const tp_effect silent = message->kind == TP_KIND_DATA || message->kind == TP_KIND_SYNCH
                                 ? TP_EFFECT_READS
                                 : TP_EFFECT_WRITES;

    tpi_buf_printf(out, "%s %s %u (%s)", tp_kind_name(message->kind), message->name, message->code,
                   message->ask != NULL ? message->ask->name : "");
    if (message->kind == TP_KIND_REQUEST) {
        tpi_buf_printf(out, " -> (%s)", message->answer != NULL ? message->answer->name : "");
    }
    tpi_buf_printf(out, " %s", tp_mark_name(message->mark));
    if (message->effect != silent) {
        tpi_buf_printf(out, " %s", tp_effect_name(message->effect));
    }
    put_doc(out, message->doc);
}

tp_status tp_interface_padi(char **out, const tp_interface *interface)
{
    tpi_buf text = {0};

    tpi_buf_printf(&text, "interface %s %u", interface->name, interface->code);
    put_doc(&text, interface->doc);
    for (uint32_t i = 0; i < interface->use_count; i++) {
        tpi_buf_printf(&text, "use %s\n", interface->uses[i]);
    }
    put_units(&text, interface);
    for (uint32_t i = 0; i < interface->constant_count; i++) {
        tpi_buf_printf(&text, "constant %s = %lld", interface->constants[i].name,
                       (long long)interface->constants[i].value);
        put_doc(&text, interface->constants[i].doc);
    }
    for (uint32_t i = 0; i < interface->enum_count; i++) {
        put_enum(&text, interface->enums[i]);
    }
    for (uint32_t i = 0; i < interface->struct_count; i++) {
        put_struct(&text, interface->structs[i]);
    }
    for (uint32_t i = 0; i < interface->message_count; i++) {
        put_message(&text, &interface->messages[i]);
    }
    if (text.failed) {
        tpi_buf_fini(&text);
        return TP_E_NOMEM;
    }
    *out = text.data;
    return TP_OK;
}
