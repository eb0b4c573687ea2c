/* emit_header.c - the C header of an interface: constants, structs, operations. */
#include "padi/gen/gen.h"

static void put_guard(tpi_buf *out, const char *name)
{
    tpi_buf_puts(out, "TROUPE_INTERFACES_");
    gen_upper(out, name);
    tpi_buf_puts(out, "_H");
}

static void put_constant(tpi_buf *out, const tp_constant *constant)
{
    gen_comment(out, 4, constant->doc);
    tpi_buf_printf(out, "    TP_%s = %lld,\n", constant->name, (long long)constant->value);
}

static void put_constants(tpi_buf *out, const tp_interface *interface)
{
    if (interface->constant_count > 0) {
        tpi_buf_puts(out, "\nenum {\n");
        for (uint32_t i = 0; i < interface->constant_count; i++) {
            put_constant(out, &interface->constants[i]);
        }
        tpi_buf_puts(out, "};\n");
    }
    for (uint32_t i = 0; i < interface->enum_count; i++) {
        const tp_enum *values = interface->enums[i];
        tpi_buf_putc(out, '\n');
        gen_comment(out, 0, values->doc);
        tpi_buf_printf(out, "typedef enum tp_%s {\n", values->name);
        for (uint32_t k = 0; k < values->member_count; k++) {
            put_constant(out, &values->members[k]);
        }
        tpi_buf_printf(out, "} tp_%s;\n\nTP_API extern const tp_enum tp_desc_%s;\n", values->name,
                       values->name);
    }
}

static void put_codes(tpi_buf *out, const tp_interface *interface)
{
    tpi_buf_puts(out, "\n/* The code of the interface and of its messages. */\nenum {\n    TP_");
    gen_upper(out, interface->name);
    tpi_buf_printf(out, "_CODE = %u,\n", interface->code);
    for (uint32_t i = 0; i < interface->message_count; i++) {
        const tp_message *message = &interface->messages[i];
        gen_comment(out, 4, message->doc);
        tpi_buf_puts(out, "    TP_");
        gen_upper(out, interface->name);
        tpi_buf_printf(out, "_%s_%s = %u,\n", tpi_kind_infix(message->kind), message->name,
                       message->code);
    }
    tpi_buf_puts(out, "};\n");
}

/* The sentence of a field with its unit or enum. */
static void put_field_comment(tpi_buf *out, const tp_field *field)
{
    tpi_buf text = {0};

    tpi_buf_puts(&text, field->doc);
    if (field->values != NULL) {
        tpi_buf_printf(&text, " (tp_%s)", field->values->name);
    } else if (field->unit != NULL) {
        tpi_buf_printf(&text, " [%s]", field->unit);
    }
    gen_comment(out, 4, tpi_buf_text(&text));
    out->failed = out->failed || text.failed;
    tpi_buf_fini(&text);
}

static void put_field(tpi_buf *out, const tp_field *field)
{
    put_field_comment(out, field);
    tpi_buf_indent(out, 4);
    gen_type(out, field);
    tpi_buf_puts(out, field->shape == TP_SHAPE_POINTER ? " *" : " ");
    tpi_buf_puts(out, field->name);
    if (field->shape == TP_SHAPE_FIXED || field->shape == TP_SHAPE_BOUNDED) {
        tpi_buf_printf(out, "[%lu]", (unsigned long)field->length);
    }
    tpi_buf_puts(out, ";\n");
}

static void put_struct(tpi_buf *out, const tp_struct *type)
{
    tpi_buf_putc(out, '\n');
    gen_comment(out, 0, type->doc);
    tpi_buf_printf(out, "typedef struct tp_%s {\n", type->name);
    for (uint32_t i = 0; i < type->field_count; i++) {
        put_field(out, &type->fields[i]);
    }
    tpi_buf_printf(out, "} tp_%s;\n\n", type->name);
    tpi_buf_printf(out, "TP_API extern const tp_struct tp_desc_%s;\n", type->name);
}

static void put_operation(tpi_buf *out, const tp_message *message)
{
    gen_comment(out, 4, message->doc);
    tpi_buf_puts(out, "    tp_status (*");
    gen_operation(out, message);
    tpi_buf_puts(out, ")(tp_device *device,");
    if (message->ask != NULL) {
        tpi_buf_printf(out, "\n        const tp_%s *ask,", message->ask->name);
    }
    if (message->answer != NULL) {
        tpi_buf_printf(out, "\n        tp_%s *answer,", message->answer->name);
    }
    tpi_buf_puts(out, message->ask == NULL && message->answer == NULL ? " " : "\n        ");
    tpi_buf_puts(out, "tp_error *err);\n");
}

static void put_operations(tpi_buf *out, const tp_interface *interface)
{
    if (!gen_has_operations(interface)) {
        return;
    }
    tpi_buf_printf(
        out,
        "\n/* What a driver of %s does. An operation that is NULL is refused as not\n"
        " * supported. `ask` is borrowed for the call; `answer` comes zeroed, and what it\n"
        " * points to stays the driver's: it is copied before the driver runs again. */\n",
        interface->name);
    tpi_buf_printf(out, "typedef struct tp_%s_ops {\n", interface->name);
    for (uint32_t i = 0; i < interface->message_count; i++) {
        if (gen_has_operation(&interface->messages[i])) {
            put_operation(out, &interface->messages[i]);
        }
    }
    tpi_buf_printf(out, "} tp_%s_ops;\n", interface->name);
}

void gen_header(tpi_buf *out, const tpi_padi *padi, const gen_names *names)
{
    const tp_interface *interface = &padi->interface;

    tpi_buf_printf(out, "/* %s.h - generated from %s.padi by troupe-padi; do not edit. */\n",
                   interface->name, interface->name);
    gen_comment(out, 0, interface->doc);
    tpi_buf_puts(out, "#ifndef ");
    put_guard(out, interface->name);
    tpi_buf_puts(out, "\n#define ");
    put_guard(out, interface->name);
    tpi_buf_puts(out, "\n\n#include \"troupe/padi.h\"\n");
    for (uint32_t i = 0; i < interface->use_count; i++) {
        tpi_buf_printf(out, "#include \"%s%s.h\"\n", names->use_prefixes[i], interface->uses[i]);
    }
    tpi_buf_puts(out, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    put_constants(out, interface);
    put_codes(out, interface);
    for (uint32_t i = 0; i < interface->struct_count; i++) {
        put_struct(out, interface->structs[i]);
    }
    put_operations(out, interface);
    tpi_buf_printf(out, "\nTP_API extern const tp_interface tp_interface_%s;\n", interface->name);
    tpi_buf_puts(out, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

void gen_all_header(tpi_buf *out, const tpi_padi *const *padis, size_t count)
{
    tpi_buf_puts(out, "/* all.h - generated by troupe-padi; every built-in interface. */\n"
                      "#ifndef TROUPE_INTERFACES_ALL_H\n#define TROUPE_INTERFACES_ALL_H\n\n");
    for (size_t i = 0; i < count; i++) {
        tpi_buf_printf(out, "#include \"troupe/interfaces/%s.h\"\n", padis[i]->interface.name);
    }
    tpi_buf_puts(out, "\n#endif\n");
}
