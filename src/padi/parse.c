/* parse.c - .padi files: the items of a file; fields of structs are in parse_struct.c. */
#include "padi/parse.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "padi/names.h"
#include "padi/parser.h"

/* ---- Items ----------------------------------------------------------------------------------- */

/* Whether a constant has the name that a code gets: TP_LASER_CODE, or for a message
 * TP_LASER_DATA_SCAN. */
static bool code_taken(const struct parser *p, const char *interface, const char *infix,
                       const char *message)
{
    const struct list none = {0};
    char name[4 * TPI_PADI_LONGEST_NAME];

    snprintf(name, sizeof name, "%s_%s%s%s", interface, infix, message[0] == '\0' ? "" : "_",
             message);
    for (char *c = name; *c != '\0'; c++) {
        *c = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
    }
    return tpi_parser_constant_taken(p, &none, name);
}

static tp_status parse_interface(struct parser *p)
{
    tpi_token name = {0};
    tpi_token at = {0};
    int64_t code = 0;

    if (p->has_interface) {
        return tpi_parser_fail_at(p, &p->lexer.token, "a file describes one interface");
    }
    tp_status status = tpi_parse_name(p, "an interface", false, &name);
    at = p->lexer.token;
    status =
        status == TP_OK ? tpi_parse_integer(p, "an interface code", 0, UINT16_MAX, &code) : status;
    status = status == TP_OK ? tpi_parse_doc(p, &p->interface.doc) : status;
    if (status != TP_OK) {
        return status;
    }
    p->interface.name = name.text;
    p->interface.code = (uint16_t)code;
    if (code_taken(p, name.text, "CODE", "")) {
        return tpi_parser_fail_at(
            p, &name, "a constant has the name that the code of interface %s gets", name.text);
    }
    p->has_interface = true;
    return tpi_parser_check_interface(p, &name, &at);
}

static bool is_used(const struct parser *p, const char *name)
{
    const char *const *uses = p->uses.items;

    for (uint32_t i = 0; i < p->uses.count; i++) {
        if (strcmp(uses[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static tp_status parse_use(struct parser *p)
{
    tpi_token name = {0};
    tp_error why = {0};
    tp_status status = tpi_parse_name(p, "an interface", false, &name);

    if (status != TP_OK) {
        return status;
    }
    if (is_used(p, name.text)) {
        return tpi_parser_fail_at(p, &name, "\"%s\" is used already", name.text);
    }
    const tp_interface *interface = p->scope->find(p->scope->context, name.text, &why);
    if (interface == NULL && why.code == TP_E_SYNTAX) {
        return tp_fail(p->err, TP_E_SYNTAX, "%s", why.text); /* it has its place in that file */
    }
    if (interface == NULL) {
        return why.code == TP_E_NOMEM ? tpi_parser_no_memory(p)
                                      : tpi_parser_fail_at(p, &name, "%s", why.text);
    }
    const char **kept_name = tpi_list_add(p, &p->uses);
    const tp_interface **kept = tpi_list_add(p, &p->used);
    if (kept_name == NULL || kept == NULL) {
        return TP_E_NOMEM;
    }
    *kept_name = name.text;
    *kept = interface;
    return TP_OK;
}

static tp_status parse_unit_item(struct parser *p)
{
    tpi_token name = {0};
    const char *doc;

    if (p->lexer.token.kind != TPI_TOKEN_WORD) {
        return tpi_parser_unexpected(p, "a unit");
    }
    tp_status status = tpi_parser_take(p, &name);
    if (status == TP_OK && tpi_parser_unit(p, name.text) != NULL) {
        status = tpi_parser_fail_at(p, &name, "\"%.40s\" is a unit already", name.text);
    }
    if (status == TP_OK && (name.text[0] == '/' || strcmp(name.text, "enum") == 0 ||
                            strcmp(name.text, "flags") == 0)) {
        status = tpi_parser_fail_at(p, &name, "\"%.40s\" cannot be a unit", name.text);
    }
    status = status == TP_OK ? tpi_parse_doc(p, &doc) : status;
    const char **kept = status == TP_OK ? tpi_list_add(p, &p->units) : NULL;
    if (kept == NULL) {
        return status == TP_OK ? TP_E_NOMEM : status;
    }
    *kept = name.text;
    return TP_OK;
}

static tp_status check_value(struct parser *p, const tpi_token *name, const tp_constant *constant,
                             const struct list *others)
{
    const tp_constant *other = others->items;

    for (uint32_t i = 0; i < others->count; i++) {
        if (other[i].value == constant->value) {
            return tpi_parser_fail_at(p, name, "\"%s\" has the value %lld of \"%s\"", name->text,
                                      (long long)constant->value, other[i].name);
        }
    }
    return TP_OK;
}

/* NAME = INTEGER DOC, into `list`; `distinct` if no two may have one value. */
static tp_status parse_constant(struct parser *p, struct list *list, bool distinct)
{
    tp_constant constant;
    tpi_token name = {0};
    tp_status status = tpi_parse_name(p, "a constant", true, &name);

    if (status == TP_OK && tpi_parser_constant_taken(p, list, name.text)) {
        status = tpi_parser_fail_at(p, &name, "\"%s\" is the name of another constant already",
                                    name.text);
    }
    status = status == TP_OK ? tpi_parser_check_constant(p, &name) : status;
    status = status == TP_OK ? tpi_parser_expect(p, "=") : status;
    status = status == TP_OK
                 ? tpi_parse_integer(p, "a constant", INT32_MIN, INT32_MAX, &constant.value)
                 : status;
    status = status == TP_OK && distinct ? check_value(p, &name, &constant, list) : status;
    status = status == TP_OK ? tpi_parse_doc(p, &constant.doc) : status;
    constant.name = name.text;
    tp_constant *kept = status == TP_OK ? tpi_list_add(p, list) : NULL;
    if (kept == NULL) {
        return status == TP_OK ? TP_E_NOMEM : status;
    }
    *kept = constant;
    return TP_OK;
}

static tp_status parse_enum(struct parser *p, bool flags)
{
    struct list members = {.item_size = sizeof(tp_constant)};
    tp_enum *values = tpi_arena_alloc(p->arena, sizeof *values);
    tpi_token name = {0};

    if (values == NULL) {
        return tpi_parser_no_memory(p);
    }
    tp_status status = tpi_parse_name(p, "an enum", false, &name);
    status = status == TP_OK ? tpi_parser_check_type(p, &name) : status;
    status = status == TP_OK ? tpi_parse_doc(p, &values->doc) : status;
    status = status == TP_OK ? tpi_parser_expect(p, "{") : status;
    while (status == TP_OK && !tpi_parser_at(p, TPI_TOKEN_MARK, "}")) {
        status = parse_constant(p, &members, !flags);
    }
    if (status == TP_OK && members.count == 0) {
        status = tpi_parser_fail_at(p, &name, "enum %s has no members", name.text);
    }
    status = status == TP_OK ? tpi_lexer_next(&p->lexer, p->err) : status;
    tp_enum **kept = status == TP_OK ? tpi_list_add(p, &p->enums) : NULL;
    if (kept == NULL) {
        return status == TP_OK ? TP_E_NOMEM : status;
    }
    values->name = name.text;
    values->flags = flags;
    values->members = members.items;
    values->member_count = members.count;
    *kept = values;
    return TP_OK;
}

/* ---- Messages -------------------------------------------------------------------------------- */

static tp_status unknown_struct(struct parser *p, const tpi_token *name)
{
    tpi_nearest nearest;
    char hint[96];

    tpi_nearest_init(&nearest, name->text);
    tpi_parser_offer_structs(p, &nearest);
    return tpi_parser_fail_at(p, name, "unknown struct \"%s\"%s", name->text,
                              tpi_parser_hint(p, &nearest, hint, sizeof hint));
}

/* "(" [STRUCT] ")" */
static tp_status parse_payload(struct parser *p, const tp_struct **type)
{
    tpi_token name = {0};
    tp_status status = tpi_parser_expect(p, "(");

    *type = NULL;
    if (status == TP_OK && !tpi_parser_at(p, TPI_TOKEN_MARK, ")")) {
        status = tpi_parse_name(p, "a struct", false, &name);
        if (status != TP_OK) {
            return status;
        }
        *type = tpi_parser_struct(p, name.text);
        if (*type == NULL) {
            return unknown_struct(p, &name);
        }
    }
    return status == TP_OK ? tpi_parser_expect(p, ")") : status;
}

static tp_status parse_answer(struct parser *p, tp_message *message)
{
    const tpi_token arrow = p->lexer.token;
    tp_status status = tpi_parser_expect(p, "->");

    status = status == TP_OK ? parse_payload(p, &message->answer) : status;
    const bool both = message->ask != NULL && message->answer != NULL;
    const bool old = p->interface.code > 0 && p->interface.code < TPI_PADI_FIRST_FREE;
    if (status == TP_OK && both && old && message->ask != message->answer) {
        return tpi_parser_fail_at(p, &arrow,
                                  "Player has one struct for a request and its answer, "
                                  "so they differ only in interfaces from %d up",
                                  TPI_PADI_FIRST_FREE);
    }
    return status;
}

static tp_status parse_mark(struct parser *p, tp_mark *mark)
{
    if (!tpi_mark_named(p->lexer.token.text, mark) || p->lexer.token.kind != TPI_TOKEN_WORD) {
        return tpi_parser_unexpected(p, "required, optional or extension");
    }
    return tpi_lexer_next(&p->lexer, p->err);
}

/* Requests can state every effect but *writes*, which is the default; commands those that can move
 * something. */
static bool can_state(tp_kind kind, tp_effect effect)
{
    return kind == TP_KIND_COMMAND ? tp_effect_can_move(effect) : effect != TP_EFFECT_WRITES;
}

/* Without a stated effect, requests and commands change something, and the sentence follows. */
static tp_status parse_effect(struct parser *p, tp_message *message)
{
    const bool command = message->kind == TP_KIND_COMMAND;

    message->effect =
        command || message->kind == TP_KIND_REQUEST ? TP_EFFECT_WRITES : TP_EFFECT_READS;
    if (p->lexer.token.kind != TPI_TOKEN_WORD || message->effect == TP_EFFECT_READS) {
        return TP_OK;
    }
    for (tp_effect effect = TP_EFFECT_READS; effect <= TP_EFFECT_ACTUATES; effect++) {
        if (can_state(message->kind, effect) &&
            strcmp(p->lexer.token.text, tp_effect_name(effect)) == 0) {
            message->effect = effect;
            return tpi_lexer_next(&p->lexer, p->err);
        }
    }
    return tpi_parser_unexpected(p, command ? "moves, actuates or a sentence"
                                            : "reads, moves, actuates, operates or a sentence");
}

const char *tpi_kind_infix(tp_kind kind)
{
    switch (kind) {
    case TP_KIND_DATA:
        return "DATA";
    case TP_KIND_COMMAND:
        return "CMD";
    case TP_KIND_REQUEST:
        return "REQ";
    case TP_KIND_SYNCH:
        break;
    }
    return "SYNCH";
}

static tp_status check_message(struct parser *p, const tpi_token *at, const tp_message *message)
{
    const tp_message *known = p->messages.items;
    const bool common = p->interface.code == 0;

    if (message->code >= TPI_PADI_FIRST_COMMON && !common) {
        return tpi_parser_fail_at(p, at, "codes from %d up belong to the common questions",
                                  TPI_PADI_FIRST_COMMON);
    }
    for (uint32_t i = 0; i < p->messages.count; i++) {
        if (known[i].kind != message->kind) {
            continue;
        }
        if (tpi_names_equal(known[i].name, message->name)) {
            return tpi_parser_fail_at(p, at, "there is a %s %s already",
                                      tp_kind_name(message->kind), known[i].name);
        }
        if (known[i].code == message->code) {
            return tpi_parser_fail_at(p, at, "%s %s has the code %u already",
                                      tp_kind_name(message->kind), known[i].name, message->code);
        }
    }
    if (code_taken(p, p->interface.name, tpi_kind_infix(message->kind), message->name)) {
        return tpi_parser_fail_at(p, at, "a constant has the name that the code of %s %s gets",
                                  tp_kind_name(message->kind), message->name);
    }
    return TP_OK;
}

static tp_status parse_message(struct parser *p, tp_kind kind)
{
    tp_message message = {.kind = kind};
    tpi_token name = {0};
    int64_t code = 0;

    tp_status status = tpi_parse_name(p, "a message", true, &name);
    status = status == TP_OK ? tpi_parse_integer(p, "a message code", 0, UINT8_MAX, &code) : status;
    status = status == TP_OK ? parse_payload(p, &message.ask) : status;
    if (status == TP_OK && kind == TP_KIND_REQUEST) {
        status = parse_answer(p, &message);
    }
    status = status == TP_OK ? parse_mark(p, &message.mark) : status;
    status = status == TP_OK ? parse_effect(p, &message) : status;
    status = status == TP_OK ? tpi_parse_doc(p, &message.doc) : status;
    message.name = name.text;
    message.code = (uint8_t)code;
    status = status == TP_OK ? check_message(p, &name, &message) : status;
    tp_message *kept = status == TP_OK ? tpi_list_add(p, &p->messages) : NULL;
    if (kept == NULL) {
        return status == TP_OK ? TP_E_NOMEM : status;
    }
    *kept = message;
    return TP_OK;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static tp_status parse_constant_item(struct parser *p)
{
    return parse_constant(p, &p->constants, false);
}

static tp_status parse_enum_item(struct parser *p)
{
    return parse_enum(p, false);
}

static tp_status parse_flags_item(struct parser *p)
{
    return parse_enum(p, true);
}

static const struct {
    const char *word;
    const char *of; /* what the interface has, so that it comes first; NULL for what may precede */
    tp_status (*parse)(struct parser *p);
} items[] = {
    {"interface", NULL, parse_interface},    {"use", NULL, parse_use},
    {"unit", NULL, parse_unit_item},         {"constant", "constants", parse_constant_item},
    {"enum", "enums", parse_enum_item},      {"flags", "enums", parse_flags_item},
    {"struct", "structs", tpi_parse_struct},
};

static tp_status comes_too_early(struct parser *p, const char *what)
{
    return tpi_parser_fail_at(p, &p->lexer.token, "the interface comes before its %s", what);
}

static tp_status unknown_item(struct parser *p, const tpi_token *word)
{
    tpi_nearest nearest;
    char hint[96];

    tpi_nearest_init(&nearest, word->text);
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
        tpi_nearest_offer(&nearest, items[i].word);
    }
    for (int kind = TP_KIND_DATA; kind <= TP_KIND_SYNCH; kind++) {
        tpi_nearest_offer(&nearest, tp_kind_name((tp_kind)kind));
    }
    return tpi_parser_fail_at(p, word, "\"%.40s\" begins no item%s", word->text,
                              tpi_nearest_hint(&nearest, hint, sizeof hint));
}

static tp_status parse_item(struct parser *p)
{
    tpi_token word;

    if (p->lexer.token.kind != TPI_TOKEN_WORD) {
        return tpi_parser_unexpected(p, "interface, use, struct, data, request or another item");
    }
    tp_status status = tpi_parser_take(p, &word);
    if (status != TP_OK) {
        return status;
    }
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
        if (strcmp(items[i].word, word.text) == 0) {
            return items[i].of == NULL || p->has_interface ? items[i].parse(p)
                                                           : comes_too_early(p, items[i].of);
        }
    }
    const tp_kind kind = tp_kind_named(word.text);
    if (kind == 0) {
        return unknown_item(p, &word);
    }
    return p->has_interface ? parse_message(p, kind) : comes_too_early(p, "messages");
}

static tp_status parse_file(struct parser *p)
{
    tp_status status = TP_OK;

    while (status == TP_OK && p->lexer.token.kind != TPI_TOKEN_END) {
        status = parse_item(p);
    }
    if (status == TP_OK && !p->has_interface) {
        status = tpi_parser_fail_at(p, &p->lexer.token, "the file describes no interface");
    }
    return status;
}

static void keep_lists(struct parser *p, tpi_padi *out)
{
    out->interface = p->interface;
    out->interface.uses = p->uses.items;
    out->interface.use_count = p->uses.count;
    out->interface.constants = p->constants.items;
    out->interface.constant_count = p->constants.count;
    out->interface.enums = p->enums.items;
    out->interface.enum_count = p->enums.count;
    out->interface.structs = p->structs.items;
    out->interface.struct_count = p->structs.count;
    out->interface.messages = p->messages.items;
    out->interface.message_count = p->messages.count;
    out->paths = p->paths.items;
}

tp_status tpi_padi_parse(tpi_padi *out, const char *file, const char *text, size_t length,
                         const tpi_padi_scope *scope, tp_error *err)
{
    struct parser p = {
        .arena = &out->arena,
        .scope = scope,
        .err = err,
        .uses = {.item_size = sizeof(const char *)},
        .used = {.item_size = sizeof(const tp_interface *)},
        .units = {.item_size = sizeof(const char *)},
        .constants = {.item_size = sizeof(tp_constant)},
        .enums = {.item_size = sizeof(tp_enum *)},
        .structs = {.item_size = sizeof(tp_struct *)},
        .paths = {.item_size = sizeof(const tpi_step_path *)},
        .messages = {.item_size = sizeof(tp_message)},
    };

    *out = (tpi_padi){0};
    tp_status status = tpi_lexer_init(&p.lexer, file, text, length, p.arena, err);
    status = status == TP_OK ? parse_file(&p) : status;
    if (status != TP_OK) {
        tpi_padi_fini(out);
        return status;
    }
    keep_lists(&p, out);
    return TP_OK;
}

void tpi_padi_fini(tpi_padi *padi)
{
    tpi_arena_fini(&padi->arena);
    *padi = (tpi_padi){0};
}
