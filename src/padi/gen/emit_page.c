/* emit_page.c - the reference page of an interface, in Markdown. */
#include "padi/gen/gen.h"

/* Text for a table cell: a bar would end it. */
static void put_cell(tpi_buf *out, const char *text)
{
    for (; *text != '\0'; text++) {
        tpi_buf_puts(out, *text == '|' ? "\\" : "");
        tpi_buf_putc(out, *text);
    }
}

static void put_payload(tpi_buf *out, const tp_struct *type)
{
    if (type == NULL) {
        tpi_buf_puts(out, "nothing");
    } else {
        tpi_buf_printf(out, "`%s`", type->name);
    }
}

static void put_messages(tpi_buf *out, const tp_interface *interface)
{
    tpi_buf_puts(out,
                 "\n## Messages\n\n| kind | name | code | carries | answer | mark | effect | |\n"
                 "|---|---|---|---|---|---|---|---|\n");
    for (uint32_t i = 0; i < interface->message_count; i++) {
        const tp_message *message = &interface->messages[i];
        tpi_buf_printf(out, "| %s | **%s** | %u | ", tp_kind_name(message->kind), message->name,
                       message->code);
        put_payload(out, message->ask);
        tpi_buf_puts(out, " | ");
        if (message->kind == TP_KIND_REQUEST) {
            put_payload(out, message->answer);
        }
        tpi_buf_printf(out, " | %s | %s | ", tp_mark_name(message->mark),
                       tp_effect_name(message->effect));
        put_cell(out, message->doc);
        tpi_buf_puts(out, " |\n");
    }
}

static void put_type(tpi_buf *out, const tp_struct *type, const tp_field *field)
{
    tpi_buf_puts(out, field->type == TP_TYPE_STRUCT ? field->of->name : tp_type_name(field->type));
    if (field->shape == TP_SHAPE_FIXED) {
        tpi_buf_printf(out, "[%lu]", (unsigned long)field->length);
    }
    for (uint32_t i = 0; i < type->field_count; i++) {
        bool counted = field->shape == TP_SHAPE_BOUNDED || field->shape == TP_SHAPE_POINTER;
        if (counted && type->fields[i].is_count && type->fields[i].offset == field->count_offset) {
            tpi_buf_printf(out, "[%s", type->fields[i].name);
        }
    }
    if (field->shape == TP_SHAPE_BOUNDED) {
        tpi_buf_printf(out, " max %lu", (unsigned long)field->length);
    }
    tpi_buf_puts(out,
                 field->shape == TP_SHAPE_BOUNDED || field->shape == TP_SHAPE_POINTER ? "]" : "");
}

static void put_struct(tpi_buf *out, const tp_struct *type)
{
    tpi_buf_printf(out, "\n### %s\n\n%s\n\n| field | type | unit | |\n|---|---|---|---|\n",
                   type->name, type->doc);
    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        tpi_buf_printf(out, "| **%s** | `", field->name);
        put_type(out, type, field);
        tpi_buf_puts(out, "` | ");
        put_cell(out, field->values != NULL ? field->values->name
                      : field->unit != NULL ? field->unit
                                            : "");
        tpi_buf_puts(out, " | ");
        put_cell(out, field->doc);
        tpi_buf_puts(out, " |\n");
    }
}

static void put_constants(tpi_buf *out, const tp_constant *constants, uint32_t count)
{
    tpi_buf_puts(out, "\n| name | value | |\n|---|---|---|\n");
    for (uint32_t i = 0; i < count; i++) {
        tpi_buf_printf(out, "| %s | %lld | ", constants[i].name, (long long)constants[i].value);
        put_cell(out, constants[i].doc);
        tpi_buf_puts(out, " |\n");
    }
}

void gen_page(tpi_buf *out, const tp_interface *interface)
{
    tpi_buf_printf(out, "# %s\n\n%s\n\nInterface code %u.\n", interface->name, interface->doc,
                   interface->code);
    if (interface->message_count > 0) {
        put_messages(out, interface);
    }
    if (interface->struct_count > 0) {
        tpi_buf_puts(out, "\n## Structs\n");
    }
    for (uint32_t i = 0; i < interface->struct_count; i++) {
        put_struct(out, interface->structs[i]);
    }
    if (interface->enum_count + interface->constant_count > 0) {
        tpi_buf_puts(out, "\n## Constants\n");
    }
    for (uint32_t i = 0; i < interface->enum_count; i++) {
        const tp_enum *values = interface->enums[i];
        tpi_buf_printf(out, "\n### %s\n\n%s\n", values->name, values->doc);
        put_constants(out, values->members, values->member_count);
    }
    if (interface->constant_count > 0) {
        put_constants(out, interface->constants, interface->constant_count);
    }
}
