/* parser.c - what the parts of the .padi parser share: tokens, names, look-ups. */
#include "padi/parser.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/number.h"
#include "padi/names.h"

/* ---- Shared pieces --------------------------------------------------------------------------- */

tp_status tpi_parser_no_memory(struct parser *p)
{
    return tp_fail(p->err, TP_E_NOMEM, "%s: out of memory", p->lexer.file);
}

void *tpi_list_add(struct parser *p, struct list *list)
{
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity == 0 ? 8 : list->capacity * 2;
        void *items = tpi_arena_array(p->arena, capacity, list->item_size);
        if (items == NULL) {
            tpi_parser_no_memory(p);
            return NULL;
        }
        if (list->count > 0) {
            memcpy(items, list->items, list->count * list->item_size);
        }
        list->items = items;
        list->capacity = capacity;
    }
    return (char *)list->items + list->item_size * list->count++;
}

bool tpi_parser_at(const struct parser *p, tpi_token_kind kind, const char *text)
{
    return p->lexer.token.kind == kind && strcmp(p->lexer.token.text, text) == 0;
}

tp_status tpi_parser_take(struct parser *p, tpi_token *token)
{
    *token = p->lexer.token;
    return tpi_lexer_next(&p->lexer, p->err);
}

tp_status tpi_parser_fail_at(struct parser *p, const tpi_token *at, const char *format, ...)
{
    char reason[192];
    va_list args;

    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return tpi_lexer_fail(&p->lexer, at, p->err, "%s", reason);
}

tp_status tpi_parser_unexpected(struct parser *p, const char *wanted)
{
    const tpi_token *token = &p->lexer.token;

    if (token->kind == TPI_TOKEN_END) {
        return tpi_parser_fail_at(p, token, "expected %s, found the end of the file", wanted);
    }
    return tpi_parser_fail_at(p, token, "expected %s, found %s\"%.40s\"", wanted,
                              token->kind == TPI_TOKEN_STRING ? "the sentence " : "", token->text);
}

tp_status tpi_parser_expect(struct parser *p, const char *mark)
{
    char wanted[16];

    if (tpi_parser_at(p, TPI_TOKEN_MARK, mark) || tpi_parser_at(p, TPI_TOKEN_WORD, mark)) {
        return tpi_lexer_next(&p->lexer, p->err);
    }
    snprintf(wanted, sizeof wanted, "\"%s\"", mark);
    return tpi_parser_unexpected(p, wanted);
}

static bool is_letter(char c, bool upper)
{
    return upper ? c >= 'A' && c <= 'Z' : c >= 'a' && c <= 'z';
}

tp_status tpi_parse_name(struct parser *p, const char *what, bool upper, tpi_token *name)
{
    char wanted[64];
    const char *text = p->lexer.token.text;

    if (p->lexer.token.kind != TPI_TOKEN_WORD) {
        snprintf(wanted, sizeof wanted, "the name of %s", what);
        return tpi_parser_unexpected(p, wanted);
    }
    if (!is_letter(text[0], upper) || strpbrk(text, "/%^*.|-+>") != NULL ||
        strlen(text) > TPI_PADI_LONGEST_NAME) {
        return tpi_parser_fail_at(
            p, &p->lexer.token,
            "\"%.40s\" cannot be the name of %s: %s letters, digits and _, at most %d", text, what,
            upper ? "upper-case" : "lower-case", TPI_PADI_LONGEST_NAME);
    }
    return tpi_parser_take(p, name);
}

tp_status tpi_parse_integer(struct parser *p, const char *what, int64_t least, int64_t most,
                            int64_t *value)
{
    const tpi_token token = p->lexer.token;

    if (token.kind != TPI_TOKEN_WORD ||
        !tpi_number_read_i64(token.text, strlen(token.text), value)) {
        return tpi_parser_unexpected(p, what);
    }
    if (*value < least || *value > most) {
        return tpi_parser_fail_at(p, &token, "%s goes from %lld to %lld, not %lld", what,
                                  (long long)least, (long long)most, (long long)*value);
    }
    return tpi_lexer_next(&p->lexer, p->err);
}

tp_status tpi_parse_doc(struct parser *p, const char **doc)
{
    tpi_buf text = {0};
    tp_status status = TP_OK;

    if (p->lexer.token.kind != TPI_TOKEN_STRING) {
        return tpi_parser_unexpected(p, "a sentence in quotes");
    }
    if (p->lexer.token.text[0] == '\0') {
        return tpi_parser_fail_at(p, &p->lexer.token, "the sentence is empty");
    }
    while (status == TP_OK && p->lexer.token.kind == TPI_TOKEN_STRING) {
        tpi_buf_puts(&text, text.length > 0 ? " " : "");
        tpi_buf_puts(&text, p->lexer.token.text);
        status = tpi_lexer_next(&p->lexer, p->err);
    }
    if (status == TP_OK) {
        *doc = text.failed ? NULL : tpi_arena_text(p->arena, text.data, text.length);
        status = *doc == NULL ? tpi_parser_no_memory(p) : TP_OK;
    }
    tpi_buf_fini(&text);
    return status;
}

bool tpi_parser_type_taken(struct parser *p, const tpi_token *name, tp_status *status)
{
    /* tp_NAME is a type of Troupe's own */
    static const char *const ours[] = {
        "catalogue", "client",  "clock",   "constant", "device",   "driver",    "enum",
        "error",     "field",   "frame",   "front",    "instance", "interface", "kind",
        "mark",      "message", "op_call", "param",    "port",     "queue",     "server",
        "shape",     "status",  "step",    "step_op",  "struct",   "text_form", "type",
    };
    tp_type basic;
    bool taken = tpi_parser_struct(p, name->text) != NULL ||
                 tpi_parser_enum(p, name->text) != NULL || tpi_type_named(name->text, &basic);

    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        taken = taken || strcmp(ours[i], name->text) == 0;
    }
    if (taken) {
        *status =
            tpi_parser_fail_at(p, name, "\"%s\" is the name of another type already", name->text);
    }
    return taken;
}

/* ---- Look-ups -------------------------------------------------------------------------------- */

const tp_struct *tpi_parser_struct(const struct parser *p, const char *name)
{
    tp_struct *const *own = p->structs.items;
    const tp_interface *const *used = p->used.items;

    for (uint32_t i = 0; i < p->structs.count; i++) {
        if (strcmp(own[i]->name, name) == 0) {
            return own[i];
        }
    }
    for (uint32_t i = 0; i < p->used.count; i++) {
        for (uint32_t k = 0; k < used[i]->struct_count; k++) {
            if (strcmp(used[i]->structs[k]->name, name) == 0) {
                return used[i]->structs[k];
            }
        }
    }
    return NULL;
}

const tp_enum *tpi_parser_enum(const struct parser *p, const char *name)
{
    tp_enum *const *own = p->enums.items;
    const tp_interface *const *used = p->used.items;

    for (uint32_t i = 0; i < p->enums.count; i++) {
        if (strcmp(own[i]->name, name) == 0) {
            return own[i];
        }
    }
    for (uint32_t i = 0; i < p->used.count; i++) {
        for (uint32_t k = 0; k < used[i]->enum_count; k++) {
            if (strcmp(used[i]->enums[k]->name, name) == 0) {
                return used[i]->enums[k];
            }
        }
    }
    return NULL;
}

static const tp_constant *find_constant(const tp_constant *constants, uint32_t count,
                                        const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(constants[i].name, name) == 0) {
            return &constants[i];
        }
    }
    return NULL;
}

const tp_constant *tpi_parser_constant(const struct parser *p, const char *name)
{
    const tp_interface *const *used = p->used.items;
    const tp_constant *found = find_constant(p->constants.items, p->constants.count, name);

    for (uint32_t i = 0; i < p->used.count && found == NULL; i++) {
        found = find_constant(used[i]->constants, used[i]->constant_count, name);
    }
    return found;
}

/* Whether `name` is the constant of the interface's code or of one of these messages' codes. */
static bool names_code(const char *interface, const tp_message *messages, uint32_t count,
                       const char *name)
{
    for (; *interface != '\0'; interface++, name++) {
        if (toupper((unsigned char)*interface) != *name) {
            return false;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        const char *infix = tpi_kind_infix(messages[i].kind);
        const size_t length = strlen(infix);
        if (name[0] == '_' && strncmp(name + 1, infix, length) == 0 && name[length + 1] == '_' &&
            strcmp(name + length + 2, messages[i].name) == 0) {
            return true;
        }
    }
    return strcmp(name, "_CODE") == 0;
}

/* Constants, members of enums and codes of messages share one name space in C. */
bool tpi_parser_constant_taken(const struct parser *p, const struct list *members, const char *name)
{
    tp_enum *const *own = p->enums.items;
    const tp_interface *const *used = p->used.items;
    bool taken = tpi_parser_constant(p, name) != NULL ||
                 find_constant(members->items, members->count, name) != NULL ||
                 (p->has_interface &&
                  names_code(p->interface.name, p->messages.items, p->messages.count, name));

    for (uint32_t i = 0; i < p->enums.count && !taken; i++) {
        taken = find_constant(own[i]->members, own[i]->member_count, name) != NULL;
    }
    for (uint32_t i = 0; i < p->used.count && !taken; i++) {
        taken = names_code(used[i]->name, used[i]->messages, used[i]->message_count, name);
        for (uint32_t k = 0; k < used[i]->enum_count && !taken; k++) {
            const tp_enum *values = used[i]->enums[k];
            taken = find_constant(values->members, values->member_count, name) != NULL;
        }
    }
    return taken;
}
