/* lex.c - a source text as tokens. */
#include "play/lex.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "play/lang.h"

struct lexer {
    const char *at, *end;
    const char *line_start;
    unsigned line;
    bool is_attached;
    bool has_bracket;            /* a { was reported */
    const tpi_play_words *words; /* borrowed */
    tpi_arena *arena;            /* borrowed */
    tpi_play_troubles *troubles; /* borrowed */
    tpi_play_tokens *out;        /* borrowed */
    unsigned room;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
}

/* How many characters a piece of text has. */
static unsigned characters(const char *from, const char *to)
{
    unsigned count = 0;

    for (; from < to; from++) {
        count += ((unsigned char)*from & 0xc0) != 0x80;
    }
    return count;
}

static tpi_play_token *add(struct lexer *in, tpi_play_token_kind kind, const char *from,
                           const char *text, size_t length)
{
    if (in->out->count == in->room) {
        tpi_play_token *more = tpi_arena_array(in->arena, (size_t)in->room * 2, sizeof *more);
        if (more == NULL) {
            return NULL;
        }
        memcpy(more, in->out->list, in->room * sizeof *more);
        in->out->list = more;
        in->room *= 2;
    }
    tpi_play_token *token = &in->out->list[in->out->count++];
    *token = (tpi_play_token){.kind = kind,
                              .line = in->line,
                              .column = characters(in->line_start, from) + 1,
                              .width = characters(from, in->at),
                              .is_attached = in->is_attached,
                              .text = tpi_arena_text(in->arena, text, length)};
    token->source = token->text;
    return token->text != NULL ? token : NULL;
}

static tpi_play_trouble *complain(struct lexer *in, const char *from, const char *sentence)
{
    char word[64] = {0};
    size_t length = (size_t)(in->at - from);

    if (length >= sizeof word) {
        length = sizeof word - 1;
        while (length > 0 && ((unsigned char)from[length] & 0xc0) == 0x80) {
            length--;
        }
    }
    memcpy(word, from, length);
    return tpi_play_trouble_add(in->troubles, in->line, characters(in->line_start, from) + 1,
                                characters(from, in->at), word, "%s", sentence);
}

/* ---- Kinds of tokens ---- */

static bool lex_number(struct lexer *in)
{
    const char *from = in->at;

    while (in->at < in->end && is_digit(*in->at)) {
        in->at++;
    }
    if (in->at + 1 < in->end && in->at[0] == '.' && is_digit(in->at[1])) {
        in->at++;
        while (in->at < in->end && is_digit(*in->at)) {
            in->at++;
        }
    }
    if (*from == '.') {
        tpi_play_trouble *trouble = complain(in, from, "a digit stands before the point");
        snprintf(trouble->fix, sizeof trouble->fix, "0%s", trouble->word);
    } else if (in->at < in->end && *in->at == '.') {
        while (in->at < in->end && (is_digit(*in->at) || *in->at == '.')) {
            in->at++;
        }
        complain(in, from, "a number has at most one point, and digits on both sides of it");
        return add(in, TPI_PLAY_T_BAD, from, from, (size_t)(in->at - from)) != NULL;
    }
    return add(in, TPI_PLAY_T_NUMBER, from, from, (size_t)(in->at - from)) != NULL;
}

static bool follows_number(const struct lexer *in)
{
    return in->out->count > 0 && in->out->list[in->out->count - 1].kind == TPI_PLAY_T_NUMBER &&
           in->out->list[in->out->count - 1].line == in->line;
}

static bool lex_word(struct lexer *in)
{
    const char *from = in->at;
    char word[TPI_PLAY_MOST_NAME + 1] = {0};

    while (in->at < in->end && (is_letter(*in->at) || is_digit(*in->at))) {
        in->at++;
    }
    size_t length = (size_t)(in->at - from);
    if (length > TPI_PLAY_MOST_NAME) {
        complain(in, from, "a name has at most 60 bytes");
        return add(in, TPI_PLAY_T_BAD, from, from, length) != NULL;
    }
    memcpy(word, from, length);
    if (!follows_number(in) || tpi_play_words_have(in->words, word)) {
        return add(in, TPI_PLAY_T_WORD, from, from, length) != NULL;
    }
    /* "deg/s" is one unit. */
    if (in->at + 1 < in->end && in->at[0] == '/' && is_letter(in->at[1])) {
        in->at++;
        while (in->at < in->end && (is_letter(*in->at) || is_digit(*in->at))) {
            in->at++;
        }
    }
    return add(in, TPI_PLAY_T_UNIT, from, from, (size_t)(in->at - from)) != NULL;
}

static bool lex_string(struct lexer *in)
{
    const char *from = in->at++;
    tpi_buf text = {0};
    bool is_bad = false;

    while (in->at < in->end && *in->at != '"' && *in->at != '\n') {
        if (*in->at == '\\') {
            char c = 0;
            const char *escape = in->at++;
            const size_t length = tpi_escape_read(in->at, (size_t)(in->end - in->at), &c);
            if (length == 0 || *in->at == 'x' || *in->at == '0') {
                in->at += in->at < in->end && *in->at != '\n' && *in->at != '"';
                complain(in, escape,
                         "behind a backslash stands one of n, t, r, \", ' or another backslash");
                is_bad = true;
                continue;
            }
            in->at += length;
            tpi_buf_putc(&text, c);
        } else {
            tpi_buf_putc(&text, *in->at++);
        }
    }
    if (in->at == in->end || *in->at != '"') {
        while (in->at > from + 1 && (in->at[-1] == ' ' || in->at[-1] == '\r')) {
            in->at--;
        }
        const int length = (int)(in->at - from);
        tpi_play_trouble *trouble = complain(in, from, "the text has no closing \"");
        if (length > 1 && length < 70 && memchr(from, ' ', (size_t)length) == NULL) {
            snprintf(trouble->fix, sizeof trouble->fix, "%.*s\"", length, from);
        }
        is_bad = true;
    } else {
        in->at++;
    }
    const bool fine = !text.failed && add(in, is_bad ? TPI_PLAY_T_BAD : TPI_PLAY_T_STRING, from,
                                          tpi_buf_text(&text), text.length) != NULL;
    tpi_buf_fini(&text);
    return fine;
}

/* How many bytes the quote here has: ', or one of a word processor; 0 for none. */
static size_t quote_here(const struct lexer *in, const char *at)
{
    static const char *const quotes[] = {"'", "“", "”", "„", "‘", "’", "«", "»"};

    for (unsigned i = 0; i < sizeof quotes / sizeof quotes[0]; i++) {
        const size_t length = strlen(quotes[i]);
        if (length <= (size_t)(in->end - at) && memcmp(at, quotes[i], length) == 0) {
            return length;
        }
    }
    return 0;
}

/* Whether nothing stands before this on its line. */
static bool begins_line(const struct lexer *in)
{
    return in->out->count == 0 || in->out->list[in->out->count - 1].kind == TPI_PLAY_T_LINE_END;
}

/* A comment; one of another language, is reported. */
static bool lex_comment(struct lexer *in)
{
    const bool is_foreign = *in->at != '#';
    const char *from = in->at, *text = in->at + (*in->at == '/' ? 2 : 1);

    if (is_foreign) {
        in->at = text;
        strcpy(complain(in, from, "a comment begins with #")->fix, "#");
    }

    while (in->at < in->end && *in->at != '\n') {
        in->at++;
    }
    const char *stop = in->at;
    while (text < stop && (*text == ' ' || *text == '\t')) {
        text++;
    }
    while (stop > text && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r')) {
        stop--;
    }
    return add(in, TPI_PLAY_T_COMMENT, from, text, (size_t)(stop - text)) != NULL;
}

/* A text in other quotes is reported, and taken as a text. */
static bool lex_other_quotes(struct lexer *in)
{
    const char *from = in->at, *text = from + quote_here(in, from), *end = text;

    while (end < in->end && quote_here(in, end) == 0 && *end != '\n') {
        end++;
    }
    const bool is_closed = end < in->end && *end != '\n';
    if (!is_closed && *from == '\'' && begins_line(in)) {
        return lex_comment(in);
    }
    in->at = is_closed ? end + quote_here(in, end) : text;
    tpi_play_trouble *trouble = complain(in, from, "a text stands in \"…\"");
    const size_t length = (size_t)(end - text);
    snprintf(trouble->fix, sizeof trouble->fix, "\"%.*s%s",
             is_closed && length < 70 ? (int)length : 0, text, is_closed ? "\"" : "");
    return add(in, is_closed ? TPI_PLAY_T_STRING : TPI_PLAY_T_BAD, from, text,
               is_closed ? length : 0) != NULL;
}

/* Symbols of other languages, and what they are here. */
static const struct {
    const char *symbol, *fix, *sentence;
} foreign[] = {
    {"==", "=", "two values are compared with one ="},
    {"><", "<>", "\"not equal\" is written <>"},
    {":=", "be", "a variable is set with `let … be`"},
    {"**", "", "there are no powers: write a product, as x * x"},
    {"^", "", "there are no powers: write a product, as x * x"},
    {"!=", "<>", "\"not equal\" is written <>"},
    {"=>", ">=", "\"at least\" is written >="},
    {"=<", "<=", "\"at most\" is written <="},
    {"&&", "and", "both conditions: write `and`"},
    {"||", "or", "one of the conditions: write `or`"},
    {"&", ",", "texts are joined by a comma in `print`"},
    {"|", "or", "one of the conditions: write `or`"},
    {"!", "not", "the opposite: write `not`"},
    {"~", "not", "the opposite: write `not`"},
    {"$", "", "leave it out: a name has no sign in front"},
    {"[", "", "there are no lists: a variable holds one value"},
    {"%", "mod", "the rest of a division is written `mod`"},
    {";", "", "leave it out: each statement stands on its own line, nothing ends it"},
    {"{", "", "leave it out: a body ends with `end`, not with }"},
    {"}", "end", "a body ends with `end`"},
    {":", "", "leave it out: nothing stands between a statement and its body"},
};

/* Whether two values are compared before this on the line. */
static bool has_comparison(const struct lexer *in)
{
    unsigned i = in->out->count;

    while (i > 0 && in->out->list[i - 1].kind != TPI_PLAY_T_LINE_END &&
           (in->out->list[i - 1].kind != TPI_PLAY_T_SYMBOL ||
            strpbrk(in->out->list[i - 1].text, "=<>") == NULL)) {
        i--;
    }
    return i > 0 && in->out->list[i - 1].kind == TPI_PLAY_T_SYMBOL;
}

/* Whether a parenthesis of this line is open. */
static bool is_open(const struct lexer *in)
{
    int depth = 0;

    for (unsigned i = in->out->count; i > 0 && in->out->list[i - 1].kind != TPI_PLAY_T_LINE_END;
         i--) {
        const tpi_play_token *token = &in->out->list[i - 1];
        if (token->kind == TPI_PLAY_T_SYMBOL) {
            depth += strcmp(token->text, "(") == 0 ? 1 : strcmp(token->text, ")") == 0 ? -1 : 0;
        }
    }
    return depth > 0;
}

/* Whether a bracket stands alone on its line. */
static bool closes_alone(const struct lexer *in)
{
    const char *at = in->at + 1;

    while (at < in->end && (*at == ' ' || *at == '\t' || *at == '\r')) {
        at++;
    }
    return (at == in->end || *at == '\n' || *at == '#') && begins_line(in);
}

/* A symbol of the language, or a character without meaning. */
static bool lex_own(struct lexer *in)
{
    static const char *const symbols[] = {"<=", ">=", "<>", "<", ">", "=", "+",
                                          "-",  "*",  "/",  "(", ")", ",", NULL};
    const char *from = in->at;
    const size_t left = (size_t)(in->end - in->at);

    for (unsigned i = 0; symbols[i] != NULL; i++) {
        const size_t length = strlen(symbols[i]);
        if (length <= left && memcmp(from, symbols[i], length) == 0) {
            in->at += length;
            return add(in, TPI_PLAY_T_SYMBOL, from, from, length) != NULL;
        }
    }
    in->at++;
    complain(in, from, "this character has no meaning here");
    return add(in, TPI_PLAY_T_BAD, from, from, 1) != NULL;
}

static bool lex_symbol(struct lexer *in)
{
    const char *from = in->at;
    const size_t left = (size_t)(in->end - in->at);

    if (*from == ';' && is_open(in)) {
        in->at++;
        strcpy(complain(in, from, "values are separated by commas")->fix, ",");
        return add(in, TPI_PLAY_T_SYMBOL, from, ",", 1) != NULL;
    }
    if (*from == '}' && closes_alone(in)) {
        in->at++;
        if (!in->has_bracket) {
            strcpy(complain(in, from, "a body ends with `end`")->fix, "end");
        }
        return add(in, TPI_PLAY_T_WORD, from, "end", 3) != NULL;
    }
    if (*from == '&' && left > 1 && from[1] != '&' && has_comparison(in)) {
        in->at++;
        strcpy(complain(in, from, "both conditions: write `and`")->fix, "and");
        return add(in, TPI_PLAY_T_WORD, from, "and", 3) != NULL;
    }
    in->has_bracket |= *from == '{';
    for (unsigned i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        const size_t length = strlen(foreign[i].symbol);
        if (length <= left && memcmp(from, foreign[i].symbol, length) == 0) {
            in->at += length;
            strcpy(complain(in, from, foreign[i].sentence)->fix, foreign[i].fix);
            return foreign[i].fix[0] == '\0' || foreign[i].fix[0] == '"' ||
                           foreign[i].symbol[0] == '}'
                       ? add(in, TPI_PLAY_T_BAD, from, from, length) != NULL
                       : add(in, foreign[i].fix[0] >= 'a' ? TPI_PLAY_T_WORD : TPI_PLAY_T_SYMBOL,
                             from, foreign[i].fix, strlen(foreign[i].fix)) != NULL;
        }
    }
    return lex_own(in);
}

static bool lex_one(struct lexer *in)
{
    const char c = *in->at;

    const char next = in->at + 1 < in->end ? in->at[1] : '\0';

    if (c == '#' || (c == '/' && (next == '/' || next == '*'))) {
        return lex_comment(in);
    }
    if (c == '"') {
        return lex_string(in);
    }
    if (quote_here(in, in->at) > 0) {
        return lex_other_quotes(in);
    }
    if (is_digit(c) || (c == '.' && in->at + 1 < in->end && is_digit(in->at[1]))) {
        return lex_number(in);
    }
    if (is_letter(c)) {
        return lex_word(in);
    }
    if (c == '%' && in->is_attached && in->out->count > 0 &&
        in->out->list[in->out->count - 1].kind == TPI_PLAY_T_UNIT) {
        in->at++;
        complain(in, in->at - 1, "leave it out: one unit is enough");
        return add(in, TPI_PLAY_T_BAD, in->at - 1, "%", 1) != NULL;
    }
    if (c == '%' && follows_number(in)) {
        in->at++;
        return add(in, TPI_PLAY_T_UNIT, in->at - 1, "%", 1) != NULL;
    }
    return lex_symbol(in);
}

static bool begin(struct lexer *in, size_t length)
{
    in->room = 64;
    in->out->count = 0;
    in->out->list = tpi_arena_array(in->arena, in->room, sizeof *in->out->list);
    if (length > TPI_PLAY_MOST_SOURCE) {
        tpi_play_trouble_add(in->troubles, 1, 1, 1, "", "the file is too long: %u bytes at most",
                             (unsigned)TPI_PLAY_MOST_SOURCE);
        return false;
    }
    return in->out->list != NULL;
}

bool tpi_play_lex(tpi_play_tokens *out, const char *text, size_t length,
                  const tpi_play_words *words, tpi_arena *arena, tpi_play_troubles *troubles)
{
    struct lexer in = {.at = text,
                       .end = text + length,
                       .line_start = text,
                       .line = 1,
                       .words = words,
                       .arena = arena,
                       .troubles = troubles,
                       .out = out};
    bool fine = begin(&in, length);

    if (fine && (!tpi_utf8_valid(text, length) || memchr(text, '\0', length) != NULL)) {
        tpi_play_trouble_add(troubles, 1, 1, 1, "", "the file is no UTF-8 text");
        return false;
    }
    while (fine && in.at < in.end) {
        const char c = *in.at;
        if (c == '\n') {
            fine = add(&in, TPI_PLAY_T_LINE_END, in.at, "", 0) != NULL;
            in.line_start = ++in.at;
            in.line++;
            in.is_attached = false;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            in.at++;
            in.is_attached = false;
        } else {
            fine = lex_one(&in);
            in.is_attached = true;
        }
    }
    fine = fine && add(&in, TPI_PLAY_T_LINE_END, in.at, "", 0) != NULL;
    troubles->no_memory |= !fine && length <= TPI_PLAY_MOST_SOURCE;
    return fine;
}
