/* parser.c - what the parts of the .padi parser share: tokens, names, look-ups. */
#include "padi/parser.h"

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

static bool is_decimal(const char *text)
{
    text += text[0] == '-' ? 1 : 0;
    return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* A word that is no integer, or one beyond 64 bits. */
static tp_status no_integer(struct parser *p, const char *what, int64_t least, int64_t most)
{
    const tpi_token *token = &p->lexer.token;
    const char *digits = token->text[0] == '-' ? token->text + 1 : token->text;

    if (token->kind == TPI_TOKEN_WORD && is_decimal(token->text)) {
        return tpi_parser_fail_at(p, token, "%s goes from %lld to %lld, not %.40s", what,
                                  (long long)least, (long long)most, token->text);
    }
    if (token->kind == TPI_TOKEN_WORD && digits[0] == '0' &&
        (digits[1] == 'x' || digits[1] == 'X')) {
        return tpi_parser_fail_at(p, token, "expected %s, found \"%.40s\": integers are decimal",
                                  what, token->text);
    }
    return tpi_parser_unexpected(p, what);
}

tp_status tpi_parse_integer(struct parser *p, const char *what, int64_t least, int64_t most,
                            int64_t *value)
{
    const tpi_token token = p->lexer.token;

    if (token.kind != TPI_TOKEN_WORD ||
        !tpi_number_read_i64(token.text, strlen(token.text), value)) {
        return no_integer(p, what, least, most);
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

const tp_constant *tpi_find_constant(const tp_constant *constants, uint32_t count, const char *name)
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
    const tp_constant *found = tpi_find_constant(p->constants.items, p->constants.count, name);

    for (uint32_t i = 0; i < p->used.count && found == NULL; i++) {
        found = tpi_find_constant(used[i]->constants, used[i]->constant_count, name);
    }
    return found;
}

const char *tpi_parser_unit(const struct parser *p, const char *name)
{
    const char *const *own = p->units.items;

    for (size_t i = 0; tpi_units[i] != NULL; i++) {
        if (strcmp(tpi_units[i], name) == 0) {
            return tpi_units[i];
        }
    }
    for (uint32_t i = 0; i < p->units.count; i++) {
        if (strcmp(own[i], name) == 0) {
            return own[i];
        }
    }
    return NULL;
}

/* ---- Near misses ----------------------------------------------------------------------------- */

void tpi_parser_offer_structs(const struct parser *p, tpi_nearest *nearest)
{
    tp_struct *const *own = p->structs.items;
    const tp_interface *const *used = p->used.items;

    for (uint32_t i = 0; i < p->structs.count; i++) {
        tpi_nearest_offer(nearest, own[i]->name);
    }
    for (uint32_t i = 0; i < p->used.count; i++) {
        for (uint32_t k = 0; k < used[i]->struct_count; k++) {
            tpi_nearest_offer(nearest, used[i]->structs[k]->name);
        }
    }
}

void tpi_parser_offer_enums(const struct parser *p, tpi_nearest *nearest)
{
    tp_enum *const *own = p->enums.items;
    const tp_interface *const *used = p->used.items;

    for (uint32_t i = 0; i < p->enums.count; i++) {
        tpi_nearest_offer(nearest, own[i]->name);
    }
    for (uint32_t i = 0; i < p->used.count; i++) {
        for (uint32_t k = 0; k < used[i]->enum_count; k++) {
            tpi_nearest_offer(nearest, used[i]->enums[k]->name);
        }
    }
}

const char *tpi_parser_hint(const struct parser *p, const tpi_nearest *nearest, char *out,
                            size_t size)
{
    if (nearest->best == NULL && p->uses.count == 0) {
        snprintf(out, size, "; what other files have needs a use, such as \"use common\"");
        return out;
    }
    return tpi_nearest_hint(nearest, out, size);
}
