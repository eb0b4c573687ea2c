/* cfg_value.c - values of fields: one, or a tuple. */
#include <string.h>

#include "base/text.h"
#include "convert/cfg_number.h"
#include "convert/cfg_parser.h"

static bool read_bool(const tpi_cfg_token *token, double *number)
{
    static const char *const words[] = {"no", "yes", "false", "true"};

    for (size_t i = 0; token->kind == TPI_CFG_TOKEN_WORD && i < 4; i++) {
        if (strcmp(token->text, words[i]) == 0) {
            *number = (double)(i % 2);
            return true;
        }
    }
    return false;
}

static tp_status read_number(struct tpi_cfg_parser *p, double *number)
{
    const tpi_cfg_token *token = &p->lexer.token;

    switch (tpi_cfg_number_read(token->text, number)) {
    case TPI_CFG_DECIMAL:
        return TP_OK;
    case TPI_CFG_EXPONENT:
        tpi_cfg_tell(p, &token->place, "%s misreads a number with an exponent: %.40s",
                     tpi_cfg_reader(p), token->text);
        return TP_OK;
    case TPI_CFG_HEX:
        tpi_cfg_tell(p, &token->place, "%s misreads a hexadecimal number: %.40s", tpi_cfg_reader(p),
                     token->text);
        return TP_OK;
    case TPI_CFG_TOO_LARGE:
        return tpi_cfg_fail(&token->place, p->err, "the number %.40s is too large", token->text);
    case TPI_CFG_TOO_LONG:
        return tpi_cfg_fail(&token->place, p->err, "the number %.20s... has too many digits",
                            token->text);
    case TPI_CFG_NO_NUMBER:
        break;
    }
    return tpi_cfg_fail(&token->place, p->err, "\"%.40s\" is not a number; a text needs quotes",
                        token->text);
}

bool tpi_cfg_at_name(const struct tpi_cfg_parser *p)
{
    double number;

    return p->lexer.token.kind == TPI_CFG_TOKEN_WORD && !read_bool(&p->lexer.token, &number);
}

static bool at_value(const struct tpi_cfg_parser *p)
{
    const tpi_cfg_token *token = &p->lexer.token;
    double number;

    return token->kind == TPI_CFG_TOKEN_NUMBER || token->kind == TPI_CFG_TOKEN_STRING ||
           read_bool(token, &number);
}

/* Take one value, which is there, into p->values. */
static tp_status parse_value(struct tpi_cfg_parser *p)
{
    const tpi_cfg_token *token = &p->lexer.token;
    tpi_cfg_value value = {.text = token->text, .place = token->place};
    tp_status status = TP_OK;

    if (token->kind == TPI_CFG_TOKEN_STRING) {
        value.kind = TPI_CFG_STRING;
        if (!tpi_utf8_valid(token->text, strlen(token->text))) {
            tpi_cfg_tell(p, &token->place, "the text is not UTF-8");
        }
    } else if (token->kind == TPI_CFG_TOKEN_NUMBER) {
        value.kind = TPI_CFG_NUMBER;
        status = read_number(p, &value.number);
    } else {
        value.kind = TPI_CFG_BOOL;
        read_bool(token, &value.number);
    }
    if (status != TP_OK) {
        return status;
    }
    tpi_buf_put(&p->values, &value, sizeof value);
    return p->values.failed ? tpi_cfg_no_memory(p) : tpi_cfg_lexer_next(&p->lexer, p->err);
}

/* A comma or semicolon between values; `told` is whether the tuple has a note already. */
static tp_status skip_separator(struct tpi_cfg_parser *p, bool *told)
{
    if (!*told) {
        tpi_cfg_tell(p, &p->lexer.token.place, "%s refuses \"%s\" between values",
                     tpi_cfg_reader(p), p->lexer.token.text);
        *told = true;
    }
    return tpi_cfg_lexer_next(&p->lexer, p->err);
}

/* "yse" and "on" were not meant to be texts. */
static bool is_nearly_flag(const char *word)
{
    enum { MOST = 4 };
    const size_t length = strlen(word);

    return length <= MOST && (strspn(word, "yesYES") == length || strspn(word, "noNO") == length);
}

/* Nor were these: they are what programs print for results that are no numbers. */
static bool is_no_number(const char *word)
{
    static const char *const words[] = {"nan", "NaN", "NAN", "inf", "Inf", "INF", "Infinity", NULL};

    return tpi_text_among(words, word);
}

static const char *advice_on(const char *word)
{
    if (is_no_number(word)) {
        return "that is no number";
    }
    return is_nearly_flag(word) ? "did you mean yes or no?" : "a text needs quotes";
}

static tp_status no_value(struct tpi_cfg_parser *p, const char *wanted, const tpi_cfg_token *name,
                          bool quotable)
{
    const tpi_cfg_token *token = &p->lexer.token;

    if (quotable && token->kind == TPI_CFG_TOKEN_WORD) {
        return tpi_cfg_fail(&token->place, p->err,
                            "expected %s for \"%.40s\", found the word %.40s; %s", wanted,
                            name->text, token->text, advice_on(token->text));
    }
    return tpi_cfg_unexpected(p, "%s for \"%.40s\"", wanted, name->text);
}

/* Stage reads no further than the line; here is where the values have ended. */
static void check_line(struct tpi_cfg_parser *p, const tpi_cfg_token *name, unsigned line)
{
    if (p->options.dialect == TPI_CFG_STAGE && line != name->place.line) {
        tpi_cfg_tell(p, &name->place, "Stage wants \"%.40s\" and its values in one line",
                     name->text);
    }
}

/* The tuple behind its "[". */
static tp_status parse_tuple(struct tpi_cfg_parser *p, const tpi_cfg_token *name)
{
    bool separable = false;
    bool told = false;
    tp_status status = tpi_cfg_lexer_next(&p->lexer, p->err);

    while (status == TP_OK && !tpi_cfg_at(p, "]")) {
        if (separable && (tpi_cfg_at(p, ",") || tpi_cfg_at(p, ";"))) {
            separable = false;
            status = skip_separator(p, &told);
        } else if (at_value(p)) {
            if (p->lexer.token.kind == TPI_CFG_TOKEN_WORD) {
                tpi_cfg_tell(p, &p->lexer.token.place, "%s refuses %s in a tuple",
                             tpi_cfg_reader(p), p->lexer.token.text);
            }
            separable = true;
            status = parse_value(p);
        } else if (tpi_cfg_at(p, "[")) {
            status = tpi_cfg_fail(&p->lexer.token.place, p->err,
                                  "the tuple \"%.40s\" cannot hold another tuple", name->text);
        } else {
            status = no_value(p, "a value or \"]\"", name, true);
        }
    }
    if (status != TP_OK) {
        return status;
    }
    check_line(p, name, p->lexer.token.place.line);
    return tpi_cfg_lexer_next(&p->lexer, p->err);
}

tp_status tpi_cfg_parse_values(struct tpi_cfg_parser *p, const tpi_cfg_token *name, bool *tuple)
{
    const tpi_cfg_token *token = &p->lexer.token;

    tpi_buf_clear(&p->values);
    *tuple = tpi_cfg_at(p, "[");
    if (*tuple) {
        if (token->glued) {
            tpi_cfg_tell(p, &token->place, "%s wants a blank between \"%.40s\" and \"[\"",
                         tpi_cfg_reader(p), name->text);
        }
        return parse_tuple(p, name);
    }
    if (at_value(p)) {
        check_line(p, name, token->place.line);
        return parse_value(p);
    }
    /* a word in the next line is more likely the next field */
    return no_value(p, "a value", name, token->place.line == name->place.line);
}
