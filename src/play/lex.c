/* lex.c - a source text as tokens. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "play/lex_inside.h"
#include "play/meant.h"

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

tpi_play_token *tpi_play_lex_add(tpi_play_lexer *in, tpi_play_token_kind kind, const char *from,
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

tpi_play_trouble *tpi_play_lex_complain(tpi_play_lexer *in, const char *from, const char *sentence)
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

/* `5O`, `O.5`: the letter in the place of the digit. False if that is not so. */
static bool has_letter_o(tpi_play_lexer *in, bool *fine)
{
    const char *from = in->at, *to = from;
    unsigned digits = 0, letters = 0;

    for (; to < in->end && (is_digit(*to) || *to == '.' || *to == 'O' || *to == 'o'); to++) {
        digits += is_digit(*to);
        letters += *to == 'O' || *to == 'o';
    }
    if (digits == 0 || letters == 0 || to - from > 20 || (to < in->end && is_letter(*to))) {
        return false;
    }
    in->at = to;
    tpi_play_trouble *trouble =
        tpi_play_lex_complain(in, from, "a letter stands in the place of the digit 0");
    strcpy(trouble->fix, trouble->word);
    for (char *c = trouble->fix; *c != '\0'; c++) {
        *c = *c == 'O' || *c == 'o' ? '0' : *c;
    }
    *fine =
        tpi_play_lex_add(in, TPI_PLAY_T_NUMBER, from, trouble->fix, strlen(trouble->fix)) != NULL;
    return true;
}

static bool lex_number(tpi_play_lexer *in)
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
        tpi_play_trouble *trouble =
            tpi_play_lex_complain(in, from, "a digit stands before the point");
        snprintf(trouble->fix, sizeof trouble->fix, "0%s", trouble->word);
    } else if (in->at < in->end && *in->at == '.') {
        while (in->at < in->end && (is_digit(*in->at) || *in->at == '.')) {
            in->at++;
        }
        tpi_play_trouble *trouble = tpi_play_lex_complain(
            in, from, "a number has at most one point, and digits on both sides of it");
        const size_t length = strcspn(trouble->word, ".");
        if (trouble->word[length + 1] == '\0') { /* `40.` */
            snprintf(trouble->fix, sizeof trouble->fix, "%.*s", (int)length, trouble->word);
        }
        return tpi_play_lex_add(in, TPI_PLAY_T_BAD, from, from, (size_t)(in->at - from)) != NULL;
    }
    return tpi_play_lex_add(in, TPI_PLAY_T_NUMBER, from, from, (size_t)(in->at - from)) != NULL;
}

static bool follows_number(const tpi_play_lexer *in)
{
    return in->out->count > 0 && in->out->list[in->out->count - 1].kind == TPI_PLAY_T_NUMBER &&
           in->out->list[in->out->count - 1].line == in->line;
}

/* `console.log`, `motor.run`: names with points in them are those of other languages. */
static bool lex_path(tpi_play_lexer *in, const char *from)
{
    const char *last = from, *first_end = in->at;

    while (in->at < in->end && (is_letter(*in->at) || is_digit(*in->at) || *in->at == '.')) {
        last = *in->at == '.' ? in->at + 1 : last;
        in->at++;
    }
    tpi_play_trouble *trouble = tpi_play_lex_complain(in, from, "a name has no point in it");
    char first[40], word[40];
    snprintf(first, sizeof first, "%.*s", (int)(first_end - from), from);
    snprintf(word, sizeof word, "%.*s", (int)(in->at - last), last);
    tpi_play_meant_path(first, word, trouble->fix, sizeof trouble->fix);
    const size_t length = strcspn(trouble->fix, " ");
    return length == 0
               ? tpi_play_lex_add(in, TPI_PLAY_T_BAD, from, from, (size_t)(in->at - from)) != NULL
           : trouble->fix[length] != '\0'
               ? tpi_play_lex_add(in, TPI_PLAY_T_BAD, from, from, (size_t)(in->at - from)) != NULL
               : tpi_play_lex_add(in, TPI_PLAY_T_WORD, from, trouble->fix, length) != NULL;
}

static bool lex_word(tpi_play_lexer *in)
{
    const char *from = in->at;
    char word[TPI_PLAY_MOST_NAME + 1] = {0};

    while (in->at < in->end && (is_letter(*in->at) || is_digit(*in->at)) &&
           !tpi_play_lex_is_sign(in->at, in->end)) {
        in->at++;
    }
    if (in->at + 1 < in->end && in->at[0] == '.' && is_letter(in->at[1]) && !follows_number(in)) {
        return lex_path(in, from);
    }
    size_t length = (size_t)(in->at - from);
    if (length > TPI_PLAY_MOST_NAME) {
        tpi_play_lex_complain(in, from, "a name has at most 60 bytes");
        return tpi_play_lex_add(in, TPI_PLAY_T_BAD, from, from, length) != NULL;
    }
    memcpy(word, from, length);
    if (!follows_number(in) || tpi_play_words_have(in->words, word)) {
        return tpi_play_lex_add(in, TPI_PLAY_T_WORD, from, from, length) != NULL;
    }
    /* "deg/s" is one unit. */
    if (in->at + 1 < in->end && in->at[0] == '/' && is_letter(in->at[1])) {
        in->at++;
        while (in->at < in->end && (is_letter(*in->at) || is_digit(*in->at))) {
            in->at++;
        }
    }
    return tpi_play_lex_add(in, TPI_PLAY_T_UNIT, from, from, (size_t)(in->at - from)) != NULL;
}

static bool lex_string(tpi_play_lexer *in)
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
                tpi_play_lex_complain(
                    in, escape,
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
        tpi_play_trouble *trouble = tpi_play_lex_complain(in, from, "the text has no closing \"");
        if (length > 1 && length < 70) {
            snprintf(trouble->fix, sizeof trouble->fix, "%.*s\"", length, from);
        }
        is_bad = true;
    } else {
        in->at++;
    }
    const bool fine =
        !text.failed && tpi_play_lex_add(in, is_bad ? TPI_PLAY_T_BAD : TPI_PLAY_T_STRING, from,
                                         tpi_buf_text(&text), text.length) != NULL;
    tpi_buf_fini(&text);
    return fine;
}

/* How many bytes the quote here has: ', or one of a word processor; 0 for none. */
static size_t quote_here(const tpi_play_lexer *in, const char *at)
{
    static const char *const quotes[] = {"'", "“", "”", "„", "‘", "’", "«", "»", "`"};

    for (unsigned i = 0; i < sizeof quotes / sizeof quotes[0]; i++) {
        const size_t length = strlen(quotes[i]);
        if (length <= (size_t)(in->end - at) && memcmp(at, quotes[i], length) == 0) {
            return length;
        }
    }
    return 0;
}

bool tpi_play_lex_begins_line(const tpi_play_lexer *in)
{
    return in->out->count == 0 || in->out->list[in->out->count - 1].kind == TPI_PLAY_T_LINE_END;
}

/* A comment; one of another language, is reported. */
static bool lex_comment(tpi_play_lexer *in)
{
    const bool is_foreign = *in->at != '#';
    const char *from = in->at, *text = in->at + (*in->at == '/' ? 2 : *in->at == '"' ? 3 : 1);

    if (is_foreign) {
        in->at = text;
        strcpy(tpi_play_lex_complain(in, from, "a comment begins with #")->fix, "#");
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
    return tpi_play_lex_add(in, TPI_PLAY_T_COMMENT, from, text, (size_t)(stop - text)) != NULL;
}

/* A text in other quotes is reported, and taken as a text. */
static bool lex_other_quotes(tpi_play_lexer *in)
{
    const char *from = in->at, *text = from + quote_here(in, from), *end = text;

    while (end < in->end && quote_here(in, end) == 0 && *end != '\n') {
        end++;
    }
    const bool is_closed = end < in->end && *end != '\n';
    if (!is_closed && *from == '\'' && tpi_play_lex_begins_line(in)) {
        return lex_comment(in);
    }
    in->at = is_closed ? end + quote_here(in, end) : end;
    while (!is_closed && in->at > text && (in->at[-1] == ' ' || in->at[-1] == '\r')) {
        end = --in->at;
    }
    tpi_play_trouble *trouble = tpi_play_lex_complain(in, from, "a text stands in \"…\"");
    const size_t length = (size_t)(end - text);
    snprintf(trouble->fix, sizeof trouble->fix, "\"%.*s\"", length < 70 ? (int)length : 0, text);
    return tpi_play_lex_add(in, is_closed ? TPI_PLAY_T_STRING : TPI_PLAY_T_BAD, from, text,
                            is_closed ? length : 0) != NULL;
}

/* Whether a comment begins here, also one of another language. */
static bool begins_comment(const tpi_play_lexer *in, char c, char next)
{
    if (c == '#' || (c == '/' && (next == '/' || next == '*') && !tpi_play_lex_divides(in))) {
        return true;
    }
    const bool is_quote = c == '"' && in->end - in->at > 2 && next == '"' && in->at[2] == '"';
    return tpi_play_lex_begins_line(in) && (is_quote || ((c == ';' || c == '*') && next == ' '));
}

static bool lex_one(tpi_play_lexer *in)
{
    const char c = *in->at;
    const char next = in->at + 1 < in->end ? in->at[1] : '\0';

    if (begins_comment(in, c, next)) {
        return lex_comment(in);
    }
    if (c == '"') {
        return lex_string(in);
    }
    if (quote_here(in, in->at) > 0) {
        return lex_other_quotes(in);
    }
    bool fine = true;
    if ((is_digit(c) || ((c == 'O' || c == 'o') && next == '.')) && has_letter_o(in, &fine)) {
        return fine;
    }
    if (is_digit(c) || (c == '.' && in->at + 1 < in->end && is_digit(in->at[1]))) {
        return lex_number(in);
    }
    if (is_letter(c) && !tpi_play_lex_is_sign(in->at, in->end)) {
        return lex_word(in);
    }
    if (c == '%' && in->is_attached && in->out->count > 0 &&
        in->out->list[in->out->count - 1].kind == TPI_PLAY_T_UNIT) {
        in->at++;
        tpi_play_lex_complain(in, in->at - 1, "leave it out: one unit is enough");
        return tpi_play_lex_add(in, TPI_PLAY_T_BAD, in->at - 1, "%", 1) != NULL;
    }
    if (c == '%' && follows_number(in)) {
        in->at++;
        return tpi_play_lex_add(in, TPI_PLAY_T_UNIT, in->at - 1, "%", 1) != NULL;
    }
    return tpi_play_lex_symbol(in);
}

static bool begin(tpi_play_lexer *in, size_t length)
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
    tpi_play_lexer in = {.at = text,
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
            fine = tpi_play_lex_add(&in, TPI_PLAY_T_LINE_END, in.at, "", 0) != NULL;
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
    fine = fine && tpi_play_lex_add(&in, TPI_PLAY_T_LINE_END, in.at, "", 0) != NULL;
    troubles->no_memory |= !fine && length <= TPI_PLAY_MOST_SOURCE;
    return fine;
}
