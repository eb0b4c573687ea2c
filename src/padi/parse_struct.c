/* parse_struct.c - structs and their fields in .padi files. */
#include <string.h>

#include "base/text.h"
#include "padi/names.h"
#include "padi/parser.h"
#include "padi/value.h"

static const int64_t most_elements = 1 << 20;

/* Words that a field cannot have as its name, since C or C++ would not compile it. */
static const char *const reserved[] = {
    "alignas",   "alignof",  "and",      "asm",      "auto",     "bool",    "break",   "case",
    "catch",     "char",     "class",    "const",    "continue", "default", "delete",  "do",
    "double",    "else",     "enum",     "explicit", "export",   "extern",  "false",   "float",
    "for",       "friend",   "goto",     "if",       "inline",   "int",     "long",    "mutable",
    "namespace", "new",      "not",      "nullptr",  "operator", "or",      "private", "protected",
    "public",    "register", "restrict", "return",   "short",    "signed",  "sizeof",  "static",
    "struct",    "switch",   "template", "this",     "throw",    "true",    "try",     "typedef",
    "typeid",    "typename", "union",    "unsigned", "using",    "virtual", "void",    "volatile",
    "while",     "xor",
};

static bool has_capital(const char *name)
{
    return strpbrk(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != NULL;
}

static tp_status check_field_name(struct parser *p, const tpi_token *name,
                                  const struct list *fields)
{
    const tp_field *known = fields->items;

    if (p->interface.code >= TPI_PADI_FIRST_FREE && has_capital(name->text)) {
        return tpi_parser_fail_at(p, name, "\"%s\" must be in lower case", name->text);
    }
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
        if (strcmp(reserved[i], name->text) == 0) {
            return tpi_parser_fail_at(p, name, "\"%s\" is a word of C or C++; choose another name",
                                      name->text);
        }
    }
    for (uint32_t i = 0; i < fields->count; i++) {
        if (strcmp(known[i].name, name->text) == 0) {
            return tpi_parser_fail_at(p, name, "the struct has a field \"%s\" already", name->text);
        }
    }
    return TP_OK;
}

/* Types as other languages spell them. */
static const struct {
    const char *theirs;
    const char *ours;
} spellings[] = {
    {"float", "f32"},
    {"float32", "f32"},
    {"float32_t", "f32"},
    {"double", "f64"},
    {"float64", "f64"},
    {"float64_t", "f64"},
    {"uint8", "u8"},
    {"uint8_t", "u8"},
    {"byte", "u8"},
    {"uchar", "u8"},
    {"int8", "i8"},
    {"int8_t", "i8"},
    {"uint16", "u16"},
    {"uint16_t", "u16"},
    {"ushort", "u16"},
    {"int16", "i16"},
    {"int16_t", "i16"},
    {"short", "i16"},
    {"uint", "u32"},
    {"uint32", "u32"},
    {"uint32_t", "u32"},
    {"unsigned", "u32"},
    {"size_t", "u32"},
    {"int", "i32"},
    {"int32", "i32"},
    {"int32_t", "i32"},
    {"integer", "i32"},
    {"long", "i64"},
    {"int64", "i64"},
    {"int64_t", "i64"},
    {"uint64", "i64"},
    {"uint64_t", "i64"},
    {"u64", "i64"},
    {"bool", "u8 with the unit bool"},
    {"boolean", "u8 with the unit bool"},
    {"string", "char[NAME_count]"},
    {"str", "char[NAME_count]"},
    {"text", "char[NAME_count]"},
};

static tp_status unknown_type(struct parser *p, const tpi_token *type)
{
    char hint[96];
    tpi_nearest nearest;

    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        if (strcmp(spellings[i].theirs, type->text) == 0) {
            return tpi_parser_fail_at(p, type, "unknown type \"%s\"; here it is %s", type->text,
                                      spellings[i].ours);
        }
    }
    tpi_nearest_init(&nearest, type->text);
    for (unsigned i = 0; i < TP_TYPE_STRUCT; i++) {
        tpi_nearest_offer(&nearest, tp_type_name((tp_type)i));
    }
    tpi_parser_offer_structs(p, &nearest);
    return tpi_parser_fail_at(p, type, "unknown type \"%s\"%s", type->text,
                              tpi_parser_hint(p, &nearest, hint, sizeof hint));
}

static tp_status parse_type(struct parser *p, tp_field *field, const char *struct_name)
{
    tpi_token type;

    if (p->lexer.token.kind != TPI_TOKEN_WORD) {
        return tpi_parser_unexpected(p, "a type");
    }
    tp_status status = tpi_parser_take(p, &type);
    if (status != TP_OK) {
        return status;
    }
    if (tpi_type_named(type.text, &field->type)) {
        return TP_OK;
    }
    field->type = TP_TYPE_STRUCT;
    field->of = tpi_parser_struct(p, type.text);
    if (field->of != NULL) {
        return TP_OK;
    }
    if (strcmp(type.text, struct_name) == 0) {
        return tpi_parser_fail_at(p, &type, "struct %s cannot contain itself", struct_name);
    }
    return unknown_type(p, &type);
}

/* The count field that an array names: an earlier u32 that counts nothing yet. */
static tp_status bind_count(struct parser *p, const tpi_token *name, struct list *fields,
                            tp_field *array)
{
    tp_field *known = fields->items;

    for (uint32_t i = 0; i < fields->count; i++) {
        if (strcmp(known[i].name, name->text) != 0) {
            continue;
        }
        if (known[i].type != TP_TYPE_U32 || known[i].shape != TP_SHAPE_ONE) {
            return tpi_parser_fail_at(p, name, "the count field \"%s\" must be one u32",
                                      name->text);
        }
        if (known[i].unit == NULL || strcmp(known[i].unit, "count") != 0) {
            return tpi_parser_fail_at(p, name, "the count field \"%s\" must have the unit count",
                                      name->text);
        }
        if (known[i].is_count) {
            return tpi_parser_fail_at(p, name, "\"%s\" counts another array already", name->text);
        }
        known[i].is_count = true;
        array->count_offset = i; /* an index until the layout is known */
        return TP_OK;
    }
    return tpi_parser_fail_at(
        p, name,
        "\"%s\" is neither a constant nor an earlier field: a count comes before its array",
        name->text);
}

static tp_status parse_length(struct parser *p, const char *what, uint32_t *length)
{
    const tpi_token token = p->lexer.token;
    const tp_constant *constant =
        token.kind == TPI_TOKEN_WORD ? tpi_parser_constant(p, token.text) : NULL;
    int64_t value = 0;

    if (constant == NULL) {
        tp_status status = tpi_parse_integer(p, what, 1, most_elements, &value);
        *length = (uint32_t)value;
        return status;
    }
    if (constant->value < 1 || constant->value > most_elements) {
        return tpi_parser_fail_at(p, &token, "%s is %lld, which is no length", constant->name,
                                  (long long)constant->value);
    }
    *length = (uint32_t)constant->value;
    return tpi_lexer_next(&p->lexer, p->err);
}

static bool starts_number(const char *text)
{
    return (text[0] >= '0' && text[0] <= '9') || text[0] == '-';
}

static tp_status parse_dimension(struct parser *p, tp_field *field, struct list *fields)
{
    tp_status status = tpi_lexer_next(&p->lexer, p->err);
    if (status != TP_OK) {
        return status;
    }
    const tpi_token first = p->lexer.token;
    if (first.kind != TPI_TOKEN_WORD) {
        return tpi_parser_unexpected(p, "a length or a count field");
    }
    if (starts_number(first.text) || tpi_parser_constant(p, first.text) != NULL) {
        field->shape = TP_SHAPE_FIXED;
        status = parse_length(p, "a length", &field->length);
    } else {
        field->shape = TP_SHAPE_POINTER;
        status = bind_count(p, &first, fields, field);
        status = status == TP_OK ? tpi_lexer_next(&p->lexer, p->err) : status;
        if (status == TP_OK && tpi_parser_at(p, TPI_TOKEN_WORD, "max")) {
            field->shape = TP_SHAPE_BOUNDED;
            status = tpi_lexer_next(&p->lexer, p->err);
            status = status == TP_OK ? parse_length(p, "a maximum", &field->length) : status;
        }
    }
    status = status == TP_OK ? tpi_parser_expect(p, "]") : status;
    if (status == TP_OK && tpi_parser_at(p, TPI_TOKEN_MARK, "[")) {
        return tpi_parser_fail_at(p, &p->lexer.token, "arrays have one dimension");
    }
    return status;
}

static tp_status unknown_enum(struct parser *p, const tpi_token *name)
{
    tpi_nearest nearest;
    char hint[96];

    tpi_nearest_init(&nearest, name->text);
    tpi_parser_offer_enums(p, &nearest);
    return tpi_parser_fail_at(p, name, "unknown enum \"%s\"%s", name->text,
                              tpi_parser_hint(p, &nearest, hint, sizeof hint));
}

static tp_status parse_values(struct parser *p, tp_field *field)
{
    const bool flags = tpi_parser_at(p, TPI_TOKEN_WORD, "flags");
    tpi_token name = {0};
    tp_status status = tpi_lexer_next(&p->lexer, p->err);

    status = status == TP_OK ? tpi_parse_name(p, "an enum", false, &name) : status;
    if (status != TP_OK) {
        return status;
    }
    field->values = tpi_parser_enum(p, name.text);
    if (field->values == NULL) {
        return unknown_enum(p, &name);
    }
    if (field->values->flags != flags) {
        return tpi_parser_fail_at(p, &name, "\"%s\" is declared as %s", name.text,
                                  flags ? "enum" : "flags");
    }
    if (field->type == TP_TYPE_F32 || field->type == TP_TYPE_F64) {
        return tpi_parser_fail_at(p, &name, "a field of type %s cannot be an enum",
                                  tp_type_name(field->type));
    }
    for (uint32_t i = 0; i < field->values->member_count; i++) {
        if (!tpi_type_holds(field->type, field->values->members[i].value)) {
            return tpi_parser_fail_at(p, &name, "%s does not fit into %s",
                                      field->values->members[i].name, tp_type_name(field->type));
        }
    }
    return TP_OK;
}

/* What the members of a struct may be divided by. */
static const char *const divisors[] = {"/s", "/s^2"};

enum { DIVISOR_COUNT = sizeof divisors / sizeof divisors[0] };

static tp_status unknown_unit(struct parser *p, const tp_field *field, const tpi_token *unit)
{
    const char *const *own = p->units.items;
    char hint[96];
    tpi_nearest nearest;

    tpi_nearest_init(&nearest, unit->text);
    for (size_t i = 0; tpi_units[i] != NULL; i++) {
        tpi_nearest_offer(&nearest, tpi_units[i]);
    }
    for (uint32_t i = 0; i < p->units.count; i++) {
        tpi_nearest_offer(&nearest, own[i]);
    }
    for (size_t i = 0; i < DIVISOR_COUNT && field->type == TP_TYPE_STRUCT; i++) {
        tpi_nearest_offer(&nearest, divisors[i]);
    }
    return tpi_parser_fail_at(p, unit, "unknown unit \"%s\"%s", unit->text,
                              nearest.best != NULL
                                  ? tpi_nearest_hint(&nearest, hint, sizeof hint)
                                  : "; docs/reference/padi.md has the list, and unit NAME "
                                    "\"Description.\" adds one");
}

/* "/s" or a unit behind a struct: what becomes of its members' units. */
static tp_status parse_struct_unit(struct parser *p, tp_field *field)
{
    const tpi_token unit = p->lexer.token;

    if (unit.kind != TPI_TOKEN_WORD) {
        return TP_OK;
    }
    if (tpi_parser_at(p, TPI_TOKEN_WORD, "enum") || tpi_parser_at(p, TPI_TOKEN_WORD, "flags")) {
        return tpi_parser_fail_at(p, &unit, "a field of type struct cannot be an enum");
    }
    field->unit = tpi_parser_unit(p, unit.text);
    for (size_t i = 0; i < DIVISOR_COUNT; i++) {
        field->unit = strcmp(unit.text, divisors[i]) == 0 ? divisors[i] : field->unit;
    }
    return field->unit == NULL ? unknown_unit(p, field, &unit) : tpi_lexer_next(&p->lexer, p->err);
}

static tp_status parse_unit(struct parser *p, tp_field *field)
{
    const tpi_token unit = p->lexer.token;

    if (field->type == TP_TYPE_STRUCT) {
        return parse_struct_unit(p, field);
    }
    if (field->type == TP_TYPE_CHAR) {
        return unit.kind != TPI_TOKEN_WORD
                   ? TP_OK
                   : tpi_parser_fail_at(p, &unit, "a field of type char has no unit");
    }
    if (unit.kind != TPI_TOKEN_WORD) {
        return tpi_parser_fail_at(p, &unit, "the field \"%s\" has no unit", field->name);
    }
    if (tpi_parser_at(p, TPI_TOKEN_WORD, "enum") || tpi_parser_at(p, TPI_TOKEN_WORD, "flags")) {
        return parse_values(p, field);
    }
    field->unit = tpi_parser_unit(p, unit.text);
    return field->unit == NULL ? unknown_unit(p, field, &unit) : tpi_lexer_next(&p->lexer, p->err);
}

static tp_status parse_field(struct parser *p, const char *struct_name, struct list *fields)
{
    tp_field field = {.shape = TP_SHAPE_ONE};
    tpi_token name = {0};

    if (p->lexer.token.kind != TPI_TOKEN_WORD) {
        return tpi_parser_unexpected(p, "a field or \"}\"");
    }
    tp_status status = tpi_parser_take(p, &name);
    if (status == TP_OK &&
        (name.text[0] < 'A' || name.text[0] > 'z' || strpbrk(name.text, "/%^*.|-+>") != NULL ||
         strlen(name.text) > TPI_PADI_LONGEST_NAME)) {
        status = tpi_parser_fail_at(
            p, &name, "\"%.40s\" cannot be the name of a field: letters, digits and _, at most %d",
            name.text, TPI_PADI_LONGEST_NAME);
    }
    status = status == TP_OK ? check_field_name(p, &name, fields) : status;
    field.name = name.text;
    status = status == TP_OK ? parse_type(p, &field, struct_name) : status;
    if (status == TP_OK && tpi_parser_at(p, TPI_TOKEN_MARK, "[")) {
        status = parse_dimension(p, &field, fields);
    }
    status = status == TP_OK ? parse_unit(p, &field) : status;
    status = status == TP_OK ? tpi_parse_doc(p, &field.doc) : status;
    if (status != TP_OK) {
        return status;
    }
    if (fields->count == TP_MAX_FIELDS) {
        return tpi_parser_fail_at(p, &name, "more than %d fields", TP_MAX_FIELDS);
    }
    tp_field *kept = tpi_list_add(p, fields);
    if (kept == NULL) {
        return TP_E_NOMEM;
    }
    *kept = field;
    return TP_OK;
}

/* Fields are complete: lay them out, replace the counts' indexes by their offsets, plan. */
static tp_status finish_struct(struct parser *p, const tpi_token *at, tp_struct *type,
                               struct list *fields)
{
    tp_field *all = fields->items;
    const tpi_step_path *paths;
    tp_error why = {0};

    type->fields = all;
    type->field_count = fields->count;
    tp_status status = tpi_plan_layout(type, all, &why);
    for (uint32_t i = 0; i < fields->count && status == TP_OK; i++) {
        if (all[i].shape == TP_SHAPE_BOUNDED || all[i].shape == TP_SHAPE_POINTER) {
            all[i].count_offset = all[all[i].count_offset].offset;
        }
    }
    status = status == TP_OK ? tpi_plan_make(type, p->arena, &paths, &why) : status;
    if (status == TP_E_NOMEM) {
        return tpi_parser_no_memory(p);
    }
    if (status != TP_OK) {
        return tpi_parser_fail_at(p, at, "%s", why.text);
    }
    tp_struct **kept = tpi_list_add(p, &p->structs);
    const tpi_step_path **kept_paths = tpi_list_add(p, &p->paths);
    if (kept == NULL || kept_paths == NULL) {
        return TP_E_NOMEM;
    }
    *kept = type;
    *kept_paths = paths;
    return TP_OK;
}

tp_status tpi_parse_struct(struct parser *p)
{
    struct list fields = {.item_size = sizeof(tp_field)};
    tp_struct *type = tpi_arena_alloc(p->arena, sizeof *type);
    tpi_token name = {0};

    if (type == NULL) {
        return tpi_parser_no_memory(p);
    }
    tp_status status = tpi_parse_name(p, "a struct", false, &name);
    status = status == TP_OK ? tpi_parser_check_type(p, &name) : status;
    type->name = name.text;
    type->interface = p->interface.name;
    status = status == TP_OK ? tpi_parse_doc(p, &type->doc) : status;
    status = status == TP_OK ? tpi_parser_expect(p, "{") : status;
    while (status == TP_OK && !tpi_parser_at(p, TPI_TOKEN_MARK, "}")) {
        status = parse_field(p, type->name, &fields);
    }
    if (status == TP_OK && fields.count == 0) {
        status = tpi_parser_fail_at(p, &name, "struct %s has no fields", name.text);
    }
    status = status == TP_OK ? tpi_lexer_next(&p->lexer, p->err) : status;
    return status == TP_OK ? finish_struct(p, &name, type, &fields) : status;
}
