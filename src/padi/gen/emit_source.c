/* emit_source.c - the descriptor tables of an interface, and the calls of its operations. */
#include "padi/gen/gen.h"

/* ---- Fields ---------------------------------------------------------------------------------- */

static const char *const type_constants[] = {
    [TP_TYPE_U8] = "U8",     [TP_TYPE_I8] = "I8",         [TP_TYPE_U16] = "U16",
    [TP_TYPE_I16] = "I16",   [TP_TYPE_U32] = "U32",       [TP_TYPE_I32] = "I32",
    [TP_TYPE_I64] = "I64",   [TP_TYPE_F32] = "F32",       [TP_TYPE_F64] = "F64",
    [TP_TYPE_CHAR] = "CHAR", [TP_TYPE_STRUCT] = "STRUCT",
};

static const char *const shape_constants[] = {"ONE", "FIXED", "BOUNDED", "POINTER"};

static const char *count_name(const tp_struct *type, const tp_field *array)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (type->fields[i].is_count && type->fields[i].offset == array->count_offset) {
            return type->fields[i].name;
        }
    }
    return "";
}

static void put_field(tpi_buf *out, const tp_struct *type, const tp_field *field)
{
    tpi_buf_printf(out, "    {.name = \"%s\",\n     .doc = ", field->name);
    gen_string(out, field->doc);
    if (field->unit != NULL) {
        tpi_buf_puts(out, ",\n     .unit = ");
        gen_string(out, field->unit);
    }
    if (field->values != NULL) {
        tpi_buf_printf(out, ",\n     .values = &tp_desc_%s", field->values->name);
    }
    if (field->of != NULL) {
        tpi_buf_printf(out, ",\n     .of = &tp_desc_%s", field->of->name);
    }
    tpi_buf_printf(out, ",\n     .type = TP_TYPE_%s,\n     .shape = TP_SHAPE_%s",
                   type_constants[field->type], shape_constants[field->shape]);
    tpi_buf_printf(out, ",\n     .offset = offsetof(tp_%s, %s)", type->name, field->name);
    if (field->shape == TP_SHAPE_BOUNDED || field->shape == TP_SHAPE_POINTER) {
        tpi_buf_printf(out, ",\n     .count_offset = offsetof(tp_%s, %s)", type->name,
                       count_name(type, field));
    }
    if (field->length > 0) {
        tpi_buf_printf(out, ",\n     .length = %lu", (unsigned long)field->length);
    }
    tpi_buf_puts(out, field->is_count ? ",\n     .is_count = true},\n" : "},\n");
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static const char *const op_constants[] = {
    [TP_STEP_U8] = "U8",       [TP_STEP_I8] = "I8",       [TP_STEP_U16] = "U16",
    [TP_STEP_I16] = "I16",     [TP_STEP_WORDS] = "WORDS", [TP_STEP_LONGS] = "LONGS",
    [TP_STEP_BYTES] = "BYTES", [TP_STEP_COUNT] = "COUNT", [TP_STEP_ARRAY] = "ARRAY",
    [TP_STEP_EACH] = "EACH",
};

static void put_array_step(tpi_buf *out, const tp_struct *type, const tp_step *step,
                           const tpi_step_path *path)
{
    if (step->op == TP_STEP_ARRAY) {
        tpi_buf_printf(out, ",\n     .count_offset = offsetof(tp_%s, %s)", type->name, path->count);
    }
    if (step->op == TP_STEP_ARRAY && step->pointer) {
        tpi_buf_puts(out, ",\n     .pointer = true");
    } else if (step->op == TP_STEP_ARRAY) {
        tpi_buf_printf(out, ",\n     .most = %lu", (unsigned long)step->most);
    }
    if (step->of != NULL) {
        tpi_buf_printf(out, ",\n     .of = &tp_desc_%s", step->of->name);
    } else {
        tpi_buf_printf(out, ",\n     .item = TP_STEP_%s", op_constants[step->item]);
    }
    tpi_buf_printf(out, ",\n     .stride = sizeof(((tp_%s *)0)->%s[0])", type->name, path->first);
}

static void put_step(tpi_buf *out, const tp_struct *type, const tp_step *step,
                     const tpi_step_path *path)
{
    tpi_buf_printf(out, "    {.op = TP_STEP_%s,\n", op_constants[step->op]);
    if (step->op == TP_STEP_COUNT || step->op == TP_STEP_ARRAY) {
        tpi_buf_printf(out, "     .slot = %u,\n", step->slot);
    }
    tpi_buf_printf(out, "     .n = %lu,\n     .offset = offsetof(tp_%s, %s)",
                   (unsigned long)step->n, type->name, path->first);
    if (step->op == TP_STEP_ARRAY || step->op == TP_STEP_EACH) {
        put_array_step(out, type, step, path);
    }
    tpi_buf_puts(out, "},\n");
}

/* A run stands for several members: the compiler has to agree that nothing lies between them. */
static void put_run_check(tpi_buf *out, const tp_struct *type, const tp_step *step,
                          const tpi_step_path *path)
{
    if (path->last == NULL || step->op > TP_STEP_BYTES) {
        return;
    }
    tpi_buf_printf(out,
                   "_Static_assert(offsetof(tp_%s, %s) +\n"
                   "                       sizeof(((tp_%s *)0)->%s) ==\n"
                   "                   offsetof(tp_%s, %s) + %lu,\n"
                   "               \"padding in a run of tp_%s\");\n",
                   type->name, path->last, type->name, path->last, type->name, path->first,
                   (unsigned long)step->n * tpi_step_item_size(step->op), type->name);
}

static void put_struct(tpi_buf *out, const tp_struct *type, const tpi_step_path *paths)
{
    tpi_buf_printf(out, "\nstatic const tp_field %s_fields[] = {\n", type->name);
    for (uint32_t i = 0; i < type->field_count; i++) {
        put_field(out, type, &type->fields[i]);
    }
    tpi_buf_printf(out, "};\n\nstatic const tp_step %s_steps[] = {\n", type->name);
    for (uint32_t i = 0; i < type->step_count; i++) {
        put_step(out, type, &type->steps[i], &paths[i]);
    }
    tpi_buf_puts(out, "};\n");
    for (uint32_t i = 0; i < type->step_count; i++) {
        put_run_check(out, type, &type->steps[i], &paths[i]);
    }
    tpi_buf_printf(out,
                   "const tp_struct tp_desc_%s = {\n    .name = \"%s\",\n    .doc = ", type->name,
                   type->name);
    gen_string(out, type->doc);
    tpi_buf_printf(out, ",\n    .interface = \"%s\"", type->interface);
    tpi_buf_printf(out,
                   ",\n    .fields = %s_fields,\n    .field_count = %lu,\n"
                   "    .steps = %s_steps,\n    .step_count = %lu,\n",
                   type->name, (unsigned long)type->field_count, type->name,
                   (unsigned long)type->step_count);
    tpi_buf_printf(out,
                   "    .size = sizeof(tp_%s),\n    .align = _Alignof(tp_%s),\n"
                   "    .wire_min = %lu,\n    .variable = %s,\n};\n",
                   type->name, type->name, (unsigned long)type->wire_min,
                   type->variable ? "true" : "false");
}

/* ---- Constants ------------------------------------------------------------------------------- */

static void put_constant_rows(tpi_buf *out, const tp_constant *constants, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        tpi_buf_printf(out, "    {\"%s\", ", constants[i].name);
        gen_string(out, constants[i].doc);
        tpi_buf_printf(out, ", %lld},\n", (long long)constants[i].value);
    }
    tpi_buf_puts(out, "};\n");
}

static void put_enums(tpi_buf *out, const tp_interface *interface)
{
    for (uint32_t i = 0; i < interface->enum_count; i++) {
        const tp_enum *values = interface->enums[i];
        tpi_buf_printf(out, "\nstatic const tp_constant %s_members[] = {\n", values->name);
        put_constant_rows(out, values->members, values->member_count);
        tpi_buf_printf(out, "\nconst tp_enum tp_desc_%s = {\n    .name = \"%s\",\n    .doc = ",
                       values->name, values->name);
        gen_string(out, values->doc);
        tpi_buf_printf(out, ",\n    .members = %s_members,\n    .member_count = %lu,\n",
                       values->name, (unsigned long)values->member_count);
        tpi_buf_printf(out, "    .flags = %s,\n};\n", values->flags ? "true" : "false");
    }
    if (interface->enum_count > 0) {
        tpi_buf_puts(out, "\nstatic const tp_enum *const all_enums[] = {\n");
        for (uint32_t i = 0; i < interface->enum_count; i++) {
            tpi_buf_printf(out, "    &tp_desc_%s,\n", interface->enums[i]->name);
        }
        tpi_buf_puts(out, "};\n");
    }
    if (interface->constant_count > 0) {
        tpi_buf_puts(out, "\nstatic const tp_constant all_constants[] = {\n");
        put_constant_rows(out, interface->constants, interface->constant_count);
    }
}

/* ---- Messages -------------------------------------------------------------------------------- */

static void put_call(tpi_buf *out, const tp_interface *interface, const tp_message *message)
{
    tpi_buf_puts(out, "\nstatic tp_status call_");
    gen_operation(out, message);
    tpi_buf_puts(out, "(\n    const void *ops, tp_device *device, const void *ask, void *answer, "
                      "tp_error *err)\n{\n");
    tpi_buf_puts(out, message->ask == NULL ? "    (void)ask;\n" : "");
    tpi_buf_puts(out, message->answer == NULL ? "    (void)answer;\n" : "");
    tpi_buf_printf(out, "    return ((const tp_%s_ops *)ops)->", interface->name);
    gen_operation(out, message);
    tpi_buf_printf(out, "(device%s%s, err);\n}\n", message->ask != NULL ? ", ask" : "",
                   message->answer != NULL ? ", answer" : "");
}

static void put_message(tpi_buf *out, const tp_interface *interface, const tp_message *message)
{
    static const char *const marks[] = {"REQUIRED", "OPTIONAL", "EXTENSION"};
    static const char *const effects[] = {"READS", "WRITES", "MOVES", "OPERATES", "ACTUATES"};

    tpi_buf_printf(out, "    {.name = \"%s\",\n     .doc = ", message->name);
    gen_string(out, message->doc);
    if (message->ask != NULL) {
        tpi_buf_printf(out, ",\n     .ask = &tp_desc_%s", message->ask->name);
    }
    if (message->answer != NULL) {
        tpi_buf_printf(out, ",\n     .answer = &tp_desc_%s", message->answer->name);
    }
    tpi_buf_puts(out, ",\n     .kind = TP_KIND_");
    gen_upper(out, tp_kind_name(message->kind));
    tpi_buf_printf(out,
                   ",\n     .mark = TP_MARK_%s,\n     .effect = TP_EFFECT_%s,\n     .code = %u",
                   marks[message->mark], effects[message->effect], message->code);
    if (gen_has_operation(message)) {
        tpi_buf_puts(out, ",\n     .call = call_");
        gen_operation(out, message);
        tpi_buf_printf(out, ",\n     .op_offset = offsetof(tp_%s_ops, ", interface->name);
        gen_operation(out, message);
        tpi_buf_putc(out, ')');
    }
    tpi_buf_puts(out, "},\n");
}

static void put_messages(tpi_buf *out, const tp_interface *interface)
{
    for (uint32_t i = 0; i < interface->message_count; i++) {
        if (gen_has_operation(&interface->messages[i])) {
            put_call(out, interface, &interface->messages[i]);
        }
    }
    if (interface->message_count > 0) {
        tpi_buf_puts(out, "\nstatic const tp_message all_messages[] = {\n");
        for (uint32_t i = 0; i < interface->message_count; i++) {
            put_message(out, interface, &interface->messages[i]);
        }
        tpi_buf_puts(out, "};\n");
    }
}

/* ---- Interface ------------------------------------------------------------------------------- */

static void put_list(tpi_buf *out, const char *member, uint32_t count)
{
    if (count > 0) {
        tpi_buf_printf(out, "    .%ss = all_%ss,\n    .%s_count = %lu,\n", member, member, member,
                       (unsigned long)count);
    }
}

static void put_interface(tpi_buf *out, const tp_interface *interface)
{
    if (interface->struct_count > 0) {
        tpi_buf_puts(out, "\nstatic const tp_struct *const all_structs[] = {\n");
        for (uint32_t i = 0; i < interface->struct_count; i++) {
            tpi_buf_printf(out, "    &tp_desc_%s,\n", interface->structs[i]->name);
        }
        tpi_buf_puts(out, "};\n");
    }
    if (interface->use_count > 0) {
        tpi_buf_puts(out, "\nstatic const char *const all_uses[] = {\n");
        for (uint32_t i = 0; i < interface->use_count; i++) {
            tpi_buf_printf(out, "    \"%s\",\n", interface->uses[i]);
        }
        tpi_buf_puts(out, "};\n");
    }
    tpi_buf_printf(out, "\nconst tp_interface tp_interface_%s = {\n    .name = \"%s\",\n",
                   interface->name, interface->name);
    tpi_buf_puts(out, "    .doc = ");
    gen_string(out, interface->doc);
    tpi_buf_printf(out, ",\n    .code = %u,\n", interface->code);
    put_list(out, "use", interface->use_count);
    put_list(out, "constant", interface->constant_count);
    put_list(out, "enum", interface->enum_count);
    put_list(out, "struct", interface->struct_count);
    put_list(out, "message", interface->message_count);
    tpi_buf_puts(out, "};\n");
}

void gen_source(tpi_buf *out, const tpi_padi *padi, const gen_names *names)
{
    const tp_interface *interface = &padi->interface;

    tpi_buf_printf(out, "/* Generated from %s.padi by troupe-padi; do not edit. */\n",
                   interface->name);
    tpi_buf_printf(out, "#include \"%s%s.h\"\n", names->own_prefix, interface->name);
    put_enums(out, interface);
    for (uint32_t i = 0; i < interface->struct_count; i++) {
        put_struct(out, interface->structs[i], padi->paths[i]);
    }
    put_messages(out, interface);
    put_interface(out, interface);
}

void gen_builtin_table(tpi_buf *out, const tpi_padi *const *padis, size_t count)
{
    tpi_buf_puts(out, "/* Generated by troupe-padi: every built-in interface. */\n"
                      "#include \"padi/catalogue.h\"\n#include \"troupe/interfaces/all.h\"\n\n"
                      "const tp_interface *const tpi_builtin_interfaces[] = {\n");
    for (size_t i = 0; i < count; i++) {
        tpi_buf_printf(out, "    &tp_interface_%s,\n", padis[i]->interface.name);
    }
    tpi_buf_puts(out, "    NULL,\n};\n");
}
