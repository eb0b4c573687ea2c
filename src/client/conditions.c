/* conditions.c - the language of the conditions of tp_client_find(). */
#include "client/conditions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

static const char *const ops[] = {
    [TPI_WISH_EQUAL] = "=",       [TPI_WISH_OTHER] = "!=",        [TPI_WISH_LESS] = "<",
    [TPI_WISH_AT_MOST] = "<=",    [TPI_WISH_MORE] = ">",          [TPI_WISH_AT_LEAST] = ">=",
    [TPI_WISH_THE_MOST] = "most", [TPI_WISH_THE_LEAST] = "least",
};

/* ---- Facts ----------------------------------------------------------------------------------- */

tpi_fact tpi_fact_take(char *text)
{
    tpi_fact fact = {.text = text};

    if (text == NULL) {
        return fact;
    }
    if (strcmp(text, "yes") == 0 || strcmp(text, "no") == 0) {
        fact.is_number = true;
        fact.number = text[0] == 'y' ? 1 : 0;
    } else {
        const size_t length = strlen(text);
        fact.is_number = length > 0 && tpi_number_read_f64(text, length, &fact.number) == length;
    }
    return fact;
}

void tpi_fact_fini(tpi_fact *fact)
{
    free(fact->text);
    *fact = (tpi_fact){0};
}

/* ---- Wishes ---------------------------------------------------------------------------------- */

bool tpi_wish_is_condition(const tpi_wish *wish)
{
    return wish->op < TPI_WISH_THE_MOST;
}

static bool is_equal(const tpi_fact *a, const tpi_fact *b)
{
    if (a->is_number && b->is_number) {
        return !(a->number < b->number) && !(a->number > b->number);
    }
    return strcmp(a->text, b->text) == 0;
}

bool tpi_wish_is_met(const tpi_wish *wish, const tpi_fact *fact)
{
    const tpi_fact *value = &wish->value;
    const bool numbers = fact->is_number && value->is_number;

    if (fact->text == NULL) {
        return false;
    }
    switch (wish->op) {
    case TPI_WISH_EQUAL:
        return is_equal(fact, value);
    case TPI_WISH_OTHER:
        return !is_equal(fact, value);
    case TPI_WISH_LESS:
        return numbers && fact->number < value->number;
    case TPI_WISH_AT_MOST:
        return numbers && fact->number <= value->number;
    case TPI_WISH_MORE:
        return numbers && fact->number > value->number;
    case TPI_WISH_AT_LEAST:
        return numbers && fact->number >= value->number;
    case TPI_WISH_THE_MOST:
    case TPI_WISH_THE_LEAST:
        break;
    }
    return true;
}

int tpi_wish_compare(const tpi_wish *wish, const tpi_fact *a, const tpi_fact *b)
{
    if (!a->is_number || !b->is_number) {
        return (b->is_number ? 1 : 0) - (a->is_number ? 1 : 0);
    }
    const int order = a->number < b->number ? 1 : a->number > b->number ? -1 : 0;
    return wish->op == TPI_WISH_THE_MOST ? order : -order;
}

const char *tpi_wish_text(const tpi_wish *wish, char *out, size_t size)
{
    if (tpi_wish_is_condition(wish)) {
        (void)snprintf(out, size, "%s %s %s", wish->name, ops[wish->op], wish->value.text);
    } else {
        (void)snprintf(out, size, "%s %s", ops[wish->op], wish->name);
    }
    return out;
}

/* ---- Parsing --------------------------------------------------------------------------------- */

struct parser {
    const char *text;
    const char *at;
    tp_error *err;
};

static void skip_blanks(struct parser *p)
{
    p->at += strspn(p->at, " \t\r\n");
}

static size_t word_length(const char *at)
{
    return strcspn(at, " \t\r\n,'\"=!<>");
}

static tp_status fail(const struct parser *p, const char *expected)
{
    const unsigned column = (unsigned)(p->at - p->text) + 1;
    size_t length = word_length(p->at);

    length = length > 0 ? length : 1;
    if (p->at[0] == '\0') {
        return tp_fail(p->err, TP_E_SYNTAX, "column %u: expected %s, found the end", column,
                       expected);
    }
    return tp_fail(p->err, TP_E_SYNTAX, "column %u: expected %s, found \"%.*s\"", column, expected,
                   (int)length, p->at);
}

static tp_status copy(const struct parser *p, const char *text, size_t length, char **out)
{
    *out = malloc(length + 1);
    if (*out == NULL) {
        return tp_fail(p->err, TP_E_NOMEM, "out of memory");
    }
    memcpy(*out, text, length);
    (*out)[length] = '\0';
    return TP_OK;
}

/* A word or a quoted text. */
static tp_status parse_text(struct parser *p, const char *expected, char **out)
{
    skip_blanks(p);
    const char quote = p->at[0];
    if (quote == '"' || quote == '\'') {
        const char *end = strchr(p->at + 1, quote);
        if (end == NULL) {
            p->at += strlen(p->at);
            return fail(p, "a closing quote");
        }
        tp_status status = copy(p, p->at + 1, (size_t)(end - p->at) - 1, out);
        p->at = end + 1;
        return status;
    }
    const size_t length = word_length(p->at);
    if (length == 0) {
        return fail(p, expected);
    }
    tp_status status = copy(p, p->at, length, out);
    p->at += length;
    return status;
}

/* The operator here, the longest one that fits; false if there is none. */
static bool read_op(struct parser *p, tpi_wish_op *op)
{
    static const tpi_wish_op order[] = {TPI_WISH_OTHER, TPI_WISH_AT_MOST, TPI_WISH_AT_LEAST,
                                        TPI_WISH_EQUAL, TPI_WISH_LESS,    TPI_WISH_MORE};

    skip_blanks(p);
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        const size_t length = strlen(ops[order[i]]);
        if (strncmp(p->at, ops[order[i]], length) == 0) {
            *op = order[i];
            p->at += length;
            return true;
        }
    }
    return false;
}

static tp_status parse_value(struct parser *p, tpi_wish *wish)
{
    char *text = NULL;

    skip_blanks(p);
    const char *start = p->at;
    tp_status status = parse_text(p, "a value", &text);
    if (status != TP_OK) {
        return status;
    }
    wish->value = tpi_fact_take(text);
    if (wish->op >= TPI_WISH_LESS && !wish->value.is_number) {
        p->at = start;
        return fail(p, "a number");
    }
    return TP_OK;
}

/* `name` was read: is it the name of a condition, or "most" or "least" before the name? */
static tp_status parse_rest(struct parser *p, tpi_wish *wish, bool quoted)
{
    const bool most = !quoted && strcmp(wish->name, ops[TPI_WISH_THE_MOST]) == 0;
    const bool least = !quoted && strcmp(wish->name, ops[TPI_WISH_THE_LEAST]) == 0;

    if (read_op(p, &wish->op)) {
        return parse_value(p, wish);
    }
    if (!most && !least) {
        return fail(p, "= != < <= > or >=");
    }
    wish->op = most ? TPI_WISH_THE_MOST : TPI_WISH_THE_LEAST;
    free(wish->name);
    wish->name = NULL;
    return parse_text(p, "a name", &wish->name);
}

static tp_status parse_wish(struct parser *p, tpi_conditions *out)
{
    if (out->count == TPI_WANTED_MOST) {
        return tp_fail(p->err, TP_E_LIMIT, "column %u: more than %d conditions",
                       (unsigned)(p->at - p->text) + 1, TPI_WANTED_MOST);
    }
    tpi_wish *wish = &out->wishes[out->count];
    skip_blanks(p);
    const bool quoted = p->at[0] == '"' || p->at[0] == '\'';
    tp_status status = parse_text(p, "a name", &wish->name);
    if (status == TP_OK) {
        out->count++;
        status = parse_rest(p, wish, quoted);
    }
    return status;
}

tp_status tpi_conditions_parse(tpi_conditions *out, const char *text, tp_error *err)
{
    struct parser p = {.text = text, .at = text, .err = err};
    tp_status status = TP_OK;

    *out = (tpi_conditions){.count = 0};
    skip_blanks(&p);
    bool more = p.at[0] != '\0';
    while (more && status == TP_OK) {
        status = parse_wish(&p, out);
        skip_blanks(&p);
        more = p.at[0] == ',';
        if (status == TP_OK && !more && p.at[0] != '\0') {
            status = fail(&p, "a comma");
        }
        p.at += more ? 1 : 0;
    }
    if (status != TP_OK) {
        tpi_conditions_fini(out);
    }
    return status;
}

void tpi_conditions_fini(tpi_conditions *wanted)
{
    for (size_t i = 0; i < wanted->count; i++) {
        free(wanted->wishes[i].name);
        tpi_fact_fini(&wanted->wishes[i].value);
    }
    wanted->count = 0;
}
