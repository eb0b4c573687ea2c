/* expression_read.c - the compiler of expressions: recursive descent to postfix; see expression.h.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "universal/expression.h"

enum { MOST_OPS = 160, MOST_NAME = 40, MOST_NESTED = 20 };

struct compiling {
    const char *at, *end;
    const tpi_scope *scope;
    char *why;
    size_t size;
    bool failed;
    unsigned nested;
    unsigned count;
    unsigned depth; /* of the stack at this point */
    tpi_op ops[MOST_OPS];
    bool is_text; /* the last name was that of a text */
};

static void sum(struct compiling *in);
static void choice(struct compiling *in);

TP_PRINTF(2, 3) static void fail(struct compiling *in, const char *format, ...)
{
    va_list values;

    if (!in->failed) {
        va_start(values, format);
        vsnprintf(in->why, in->size, format, values);
        va_end(values);
    }
    in->failed = true;
}

/* Append an operation that takes `takes` numbers from the stack and leaves one. */
static void put(struct compiling *in, tpi_op op, unsigned takes)
{
    if (in->failed) {
        return;
    }
    in->depth = in->depth + 1 - takes;
    if (in->count == MOST_OPS || in->depth > TPI_MOST_STACK) {
        fail(in, "the expression is too long; split it with <set>");
        return;
    }
    in->ops[in->count++] = op;
}

static void blanks(struct compiling *in)
{
    while (in->at < in->end && isspace((unsigned char)*in->at)) {
        in->at++;
    }
}

static bool take(struct compiling *in, char c)
{
    blanks(in);
    if (in->at < in->end && *in->at == c) {
        in->at++;
        return true;
    }
    return false;
}

static void need(struct compiling *in, char c)
{
    if (!take(in, c)) {
        fail(in, "\"%c\" is missing before \"%.*s\"", c, (int)(in->end - in->at), in->at);
    }
}

static size_t word_length(const struct compiling *in)
{
    const char *at = in->at;

    if (at < in->end && (isalpha((unsigned char)*at) || *at == '_')) {
        while (at < in->end && (isalnum((unsigned char)*at) || *at == '_')) {
            at++;
        }
    }
    return (size_t)(at - in->at);
}

/* Take a word of operators, if it is the next one. */
static bool take_word(struct compiling *in, const char *word)
{
    blanks(in);
    const size_t length = word_length(in);
    if (length == strlen(word) && strncmp(in->at, word, length) == 0) {
        in->at += length;
        return true;
    }
    return false;
}

/* ---- Names ---- */

static int find_local(const tpi_scope *scope, const char *name)
{
    for (unsigned i = 0; i < scope->local_count; i++) {
        if (strcmp(scope->locals[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

static int find_value(const tpi_scope *scope, const char *name)
{
    for (unsigned i = 0; scope->entry != NULL && scope->entry->values[i].name != NULL; i++) {
        if (strcmp(scope->entry->values[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

static int find_number(const tpi_scope *scope, const char *name)
{
    for (unsigned i = 0; i < scope->number_count; i++) {
        if (strcmp(scope->numbers[i], name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

int tpi_scope_register(const tpi_scope *scope, const char *name)
{
    for (unsigned i = 0; i < scope->register_count; i++) {
        if (strcmp(scope->registers[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

int tpi_scope_local(tpi_scope *scope, const char *name, bool is_text)
{
    int index = find_local(scope, name);

    if (index < 0 && scope->local_count < TPI_MOST_LOCALS) {
        index = (int)scope->local_count++;
        scope->locals[index].name = name;
    }
    if (index >= 0) {
        scope->locals[index].is_text = is_text;
    }
    return index;
}

static void unknown(struct compiling *in, const char *name)
{
    const tpi_scope *scope = in->scope;
    tpi_nearest nearest;
    char hint[80];

    tpi_nearest_init(&nearest, name);
    for (unsigned i = 0; i < scope->local_count; i++) {
        tpi_nearest_offer(&nearest, scope->locals[i].name);
    }
    for (unsigned i = 0; scope->entry != NULL && scope->entry->values[i].name != NULL; i++) {
        tpi_nearest_offer(&nearest, scope->entry->values[i].name);
    }
    for (unsigned i = 0; i < scope->number_count; i++) {
        tpi_nearest_offer(&nearest, scope->numbers[i]);
    }
    for (unsigned i = 0; i < scope->register_count; i++) {
        tpi_nearest_offer(&nearest, scope->registers[i].name);
    }
    tpi_nearest_hint(&nearest, hint, sizeof hint);
    fail(in, "nothing is called \"%s\" here%s", name,
         hint[0] != '\0' ? hint
                         : "; names are fields of replies, values of the command, numbers of the "
                           "device, registers");
}

static void put_register(struct compiling *in, int index)
{
    const tpi_register *r = &in->scope->registers[index];
    const bool indexed = take(in, '[');

    if (indexed != (r->size > 0)) {
        fail(in,
             indexed ? "the register \"%s\" has no size; remove the index"
                     : "the register \"%s\" has a size; write %s[...]",
             r->name, r->name);
    } else if (indexed) {
        choice(in);
        need(in, ']');
        put(in, (tpi_op){.code = TPI_OP_ELEMENT, .index = (uint16_t)index}, 1);
    } else {
        put(in, (tpi_op){.code = TPI_OP_REGISTER, .index = (uint16_t)index}, 0);
    }
}

static void put_name(struct compiling *in, const char *name)
{
    const tpi_scope *scope = in->scope;
    const int local = find_local(scope, name), value = local < 0 ? find_value(scope, name) : -1;
    int index;

    if (local >= 0) {
        put(in, (tpi_op){.code = TPI_OP_LOCAL, .index = (uint16_t)local}, 0);
        in->is_text = scope->locals[local].is_text;
    } else if (value >= 0) {
        put(in, (tpi_op){.code = TPI_OP_VALUE, .index = (uint16_t)value}, 0);
        in->is_text = tpi_kind_is_text(scope->entry->values[value].kind);
    } else if ((index = find_number(scope, name)) >= 0) {
        put(in, (tpi_op){.code = TPI_OP_DEVICE, .index = (uint16_t)index}, 0);
    } else if ((index = tpi_scope_register(scope, name)) >= 0) {
        put_register(in, index);
    } else {
        unknown(in, name);
    }
}

/* ---- Functions ---- */

static bool read_name(struct compiling *in, char name[MOST_NAME])
{
    const size_t length = word_length(in);

    if (length == 0 || length >= MOST_NAME) {
        fail(in, "a name is missing before \"%.*s\"", (int)(in->end - in->at), in->at);
        return false;
    }
    memcpy(name, in->at, length);
    name[length] = '\0';
    in->at += length;
    return true;
}

/* next(counter) */
static void put_next(struct compiling *in)
{
    char name[MOST_NAME];

    blanks(in);
    if (!read_name(in, name)) {
        return;
    }
    const int index = tpi_scope_register(in->scope, name);
    if (index < 0 || !in->scope->registers[index].is_counter) {
        fail(in, "next() needs a counter; \"%s\" is none: write <counter name=\"%s\" .../>", name,
             name);
        return;
    }
    put(in, (tpi_op){.code = TPI_OP_NEXT, .index = (uint16_t)index}, 0);
    need(in, ')');
}

/* size(text) */
static void put_size(struct compiling *in)
{
    char name[MOST_NAME];

    blanks(in);
    if (!read_name(in, name)) {
        return;
    }
    const int local = find_local(in->scope, name);
    const int value = local < 0 ? find_value(in->scope, name) : -1;
    if ((local < 0 || !in->scope->locals[local].is_text) &&
        (value < 0 || !tpi_kind_is_text(in->scope->entry->values[value].kind))) {
        fail(in, "size() needs the name of a text; \"%s\" is none", name);
        return;
    }
    put(in,
        (tpi_op){.code = local >= 0 ? TPI_OP_SIZE_LOCAL : TPI_OP_SIZE_VALUE,
                 .index = (uint16_t)(local >= 0 ? local : value)},
        0);
    need(in, ')');
}

static void put_call(struct compiling *in, const char *name)
{
    unsigned index = 0, count = 0;

    while (tpi_functions[index].name != NULL && strcmp(tpi_functions[index].name, name) != 0) {
        index++;
    }
    const tpi_function *function = &tpi_functions[index];
    if (function->name == NULL) {
        fail(in, "no function is called \"%s\"", name);
        return;
    }
    do {
        choice(in);
        count++;
    } while (!in->failed && take(in, ','));
    need(in, ')');
    if (!in->failed && (count < function->least || count > function->most)) {
        fail(in, "%s() takes %u%s values, here are %u", name, function->least,
             function->most > function->least ? " or more" : "", count);
    }
    put(in, (tpi_op){.code = TPI_OP_FUNCTION, .index = (uint16_t)index, .count = (uint8_t)count},
        count);
}

/* ---- Grammar ---- */

static void put_number(struct compiling *in)
{
    double number = 0;
    size_t length = 0;

    if (in->end - in->at > 2 && in->at[0] == '0' && (in->at[1] == 'x' || in->at[1] == 'X')) {
        for (length = 2;
             in->at + length < in->end && isxdigit((unsigned char)in->at[length]) && length < 12;
             length++) {
            const char c = (char)tolower((unsigned char)in->at[length]);
            number = number * 16 + (c <= '9' ? c - '0' : c - 'a' + 10);
        }
        length = length == 2 ? 0 : length;
    } else {
        length = tpi_number_read_f64(in->at, (size_t)(in->end - in->at), &number);
    }
    if (length == 0) {
        if (in->at == in->end) {
            fail(in, "a number or name is missing at the end");
        } else {
            fail(in, "a number or name is missing before \"%.*s\"", (int)(in->end - in->at),
                 in->at);
        }
        return;
    }
    in->at += length;
    put(in, (tpi_op){.code = TPI_OP_NUMBER, .number = number}, 0);
}

static void primary(struct compiling *in)
{
    char name[MOST_NAME];

    blanks(in);
    in->is_text = false;
    if (take(in, '(')) {
        choice(in);
        need(in, ')');
    } else if (word_length(in) == 0) {
        put_number(in);
    } else if (read_name(in, name)) {
        if (!take(in, '(')) {
            put_name(in, name);
        } else if (strcmp(name, "next") == 0) {
            put_next(in);
        } else if (strcmp(name, "size") == 0) {
            put_size(in);
        } else if (strcmp(name, "now") == 0) {
            need(in, ')');
            put(in, (tpi_op){.code = TPI_OP_NOW}, 0);
        } else {
            put_call(in, name);
        }
    }
}

static void unary(struct compiling *in)
{
    if (++in->nested > MOST_NESTED) {
        fail(in, "the expression is nested too deep; split it with <set>");
    } else if (take(in, '-')) {
        unary(in);
        put(in, (tpi_op){.code = TPI_OP_NEGATE}, 1);
    } else if (take_word(in, "not")) {
        unary(in);
        put(in, (tpi_op){.code = TPI_OP_NOT}, 1);
    } else {
        primary(in);
    }
    in->nested--;
}

static void term(struct compiling *in)
{
    unary(in);
    while (!in->failed) {
        const uint8_t code = take(in, '*')          ? TPI_OP_MULTIPLY
                             : take(in, '/')        ? TPI_OP_DIVIDE
                             : take_word(in, "mod") ? TPI_OP_MODULO
                                                    : 0;
        if (code == 0) {
            return;
        }
        unary(in);
        put(in, (tpi_op){.code = code}, 2);
    }
}

static void sum(struct compiling *in)
{
    term(in);
    while (!in->failed) {
        const uint8_t code = take(in, '+') ? TPI_OP_ADD : take(in, '-') ? TPI_OP_SUBTRACT : 0;
        if (code == 0) {
            return;
        }
        term(in);
        put(in, (tpi_op){.code = code}, 2);
    }
}

static void comparison(struct compiling *in)
{
    static const char *const words[] = {"lt", "le", "gt", "ge", "eq", "ne"};

    sum(in);
    for (unsigned i = 0; i < 6 && !in->failed; i++) {
        if (take_word(in, words[i])) {
            sum(in);
            put(in, (tpi_op){.code = (uint8_t)(TPI_OP_LT + i)}, 2);
            return;
        }
    }
}

static void conjunction(struct compiling *in)
{
    comparison(in);
    while (!in->failed && take_word(in, "and")) {
        comparison(in);
        put(in, (tpi_op){.code = TPI_OP_AND}, 2);
    }
}

static void choice(struct compiling *in)
{
    conjunction(in);
    while (!in->failed && take_word(in, "or")) {
        conjunction(in);
        put(in, (tpi_op){.code = TPI_OP_OR}, 2);
    }
}

/* How other languages write it, and how it is written here. */
static const char *instead_of(char sign)
{
    switch (sign) {
    case '?':
        return "; write if(condition, a, b)";
    case '=':
        return "; write eq";
    case '!':
        return "; write ne, or not";
    case '<':
        return "; write lt or le; left(x, n) shifts";
    case '>':
        return "; write gt or ge; right(x, n) shifts";
    case '&':
        return "; write and; both(x, y) for bits";
    case '|':
        return "; write or; either(x, y) for bits";
    case '%':
        return "; write mod";
    default:
        return "";
    }
}

tp_status tpi_expression_read(tpi_expression *out, const char *text, size_t length,
                              const tpi_scope *scope, tpi_arena *arena, char *why, size_t size)
{
    struct compiling in = {
        .at = text, .end = text + length, .scope = scope, .why = why, .size = size};

    choice(&in);
    blanks(&in);
    if (!in.failed && in.at != in.end) {
        fail(&in, "\"%.*s\" is left over%s", (int)(in.end - in.at), in.at, instead_of(*in.at));
    }
    const bool is_text = in.count == 1 && in.is_text;
    for (unsigned i = 0; i < in.count && !is_text && !in.failed; i++) {
        const tpi_op *op = &in.ops[i];
        if ((op->code == TPI_OP_LOCAL && scope->locals[op->index].is_text) ||
            (op->code == TPI_OP_VALUE && tpi_kind_is_text(scope->entry->values[op->index].kind))) {
            fail(&in, "a text is no number; size() gives its length");
        }
    }
    if (in.failed) {
        return TP_E_SYNTAX;
    }
    tpi_op *ops = tpi_arena_array(arena, in.count, sizeof *ops);
    if (ops == NULL) {
        snprintf(why, size, "out of memory");
        return TP_E_NOMEM;
    }
    memcpy(ops, in.ops, in.count * sizeof *ops);
    *out = (tpi_expression){.ops = ops, .count = in.count, .is_text = is_text};
    return TP_OK;
}
