/* lex_symbol.c - symbols, and those of other languages. */
#include <string.h>

#include "base/text.h"
#include "play/lex_inside.h"

/* Symbols of other languages, and what they are here. */
static const struct {
    const char *symbol, *fix, *sentence;
} foreign[] = {
    {"//", "/", "a division is written with /"},
    {"===", "=", "two values are compared with one ="},
    {"!==", "<>", "\"not equal\" is written <>"},
    {"==", "=", "two values are compared with one ="},
    {"><", "<>", "\"not equal\" is written <>"},
    {":=", "be", "a variable is set with `let … be`"},
    {"**", "", "there are no powers: write a product, as x * x"},
    {"^", "", "there are no powers: write a product, as x * x"},
    {"≠", "<>", "\"not equal\" is written <>"},
    {"≥", ">=", "\"at least\" is written >="},
    {"≤", "<=", "\"at most\" is written <="},
    {"×", "*", "a product is written with *"},
    {"·", "*", "a product is written with *"},
    {"÷", "/", "a division is written with /"},
    {"−", "-", "this is another sign than the minus of the keyboard"},
    {"–", "-", "this is another sign than the minus of the keyboard"},
    {"—", "-", "this is another sign than the minus of the keyboard"},
    {"‐", "-", "this is another sign than the minus of the keyboard"},
    {"‑", "-", "this is another sign than the minus of the keyboard"},
    {"!=", "<>", "\"not equal\" is written <>"},
    {"=>", ">=", "\"at least\" is written >="},
    {"=<", "<=", "\"at most\" is written <="},
    {"&&", "and", "two conditions are joined by a word"},
    {"||", "or", "two conditions are joined by a word"},
    {"&", ",", "texts are joined by a comma in `print`"},
    {"|", "or", "two conditions are joined by a word"},
    {"!", "not", "the opposite is written with a word"},
    {"~", "not", "the opposite is written with a word"},
    {"$", "", "leave it out: a name has no sign in front"},
    {"[", "", "there are no lists: a variable holds one value"},
    {"%", "mod", "the rest of a division is written with a word"},
    {";", "", "leave it out: each statement stands on its own line, nothing ends it"},
    {"{", "", "leave it out: a body ends with `end`, not with }"},
    {"}", "end", "a body ends with `end`"},
    {":", "", "leave it out: nothing stands between a statement and its body"},
};

bool tpi_play_lex_is_sign(const char *at, const char *end)
{
    for (unsigned i = 0; (*at & 0x80) != 0 && i < sizeof foreign / sizeof foreign[0]; i++) {
        const size_t length = strlen(foreign[i].symbol);
        if (length <= (size_t)(end - at) && memcmp(at, foreign[i].symbol, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether two values are compared before this on the line. */
static bool has_comparison(const tpi_play_lexer *in)
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
static bool is_open(const tpi_play_lexer *in)
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
static bool closes_alone(const tpi_play_lexer *in)
{
    const char *at = in->at + 1;

    while (at < in->end && (*at == ' ' || *at == '\t' || *at == '\r')) {
        at++;
    }
    return (at == in->end || *at == '\n' || *at == '#') && tpi_play_lex_begins_line(in);
}

/* The tokens of the line so far. */
static const tpi_play_token *line_here(const tpi_play_lexer *in, unsigned *count)
{
    unsigned i = in->out->count;

    while (i > 0 && in->out->list[i - 1].kind != TPI_PLAY_T_LINE_END) {
        i--;
    }
    *count = in->out->count - i;
    return &in->out->list[i];
}

/* `} else` */
static bool stands_before_else(const tpi_play_lexer *in)
{
    static const char *const words[] = {"else", "sonst", "sinon"};
    const char *at = in->at + 1;

    while (at < in->end && *at == ' ') {
        at++;
    }
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t length = strlen(words[i]);
        if ((size_t)(in->end - at) >= length && memcmp(at, words[i], length) == 0) {
            return tpi_play_lex_begins_line(in);
        }
    }
    return false;
}

/* `drive %50` */
static bool stands_before_number(const tpi_play_lexer *in)
{
    unsigned count;

    (void)line_here(in, &count);
    return count == 1 && !in->is_attached && in->at + 1 < in->end && in->at[1] >= '0' &&
           in->at[1] <= '9';
}

/* `:size`, as Logo has it */
static bool stands_before_name(const tpi_play_lexer *in)
{
    return !in->is_attached && !tpi_play_lex_begins_line(in) && in->at + 1 < in->end &&
           ((in->at[1] >= 'a' && in->at[1] <= 'z') || (in->at[1] >= 'A' && in->at[1] <= 'Z'));
}

/* `device eye` */
static bool declares(const tpi_play_lexer *in)
{
    static const char *const words[] = {"device", "channel", "gerät", "kanal", "appareil", NULL};
    unsigned count;
    const tpi_play_token *line = line_here(in, &count);

    return count == 2 && tpi_text_among(words, line->text);
}

/* `let x be 12 : 3` */
static bool divides(const tpi_play_lexer *in)
{
    static const char *const words[] = {"let",   "print",    "change", "return", "drive",
                                        "setze", "schreibe", "ändere", "fahre",  NULL};
    unsigned count;
    const tpi_play_token *line = line_here(in, &count);
    const char *next = in->at + 1;

    while (next < in->end && *next == ' ') {
        next++;
    }
    return count > 1 && tpi_text_among(words, line->text) && next < in->end && *next != '\n' &&
           *next != '\r' && *next != '=';
}

bool tpi_play_lex_divides(const tpi_play_lexer *in)
{
    const char *next = in->at + 2;

    while (next < in->end && *next == ' ') {
        next++;
    }
    return in->at[1] == '/' && next < in->end && *next >= '0' && *next <= '9' && divides(in);
}

/* `repeat 4` */
static bool opens_body(const tpi_play_lexer *in)
{
    static const char *const words[] = {"repeat",  "while", "forever", "if", "wiederhole",
                                        "solange", "immer", "wenn",    NULL};
    unsigned count;
    const tpi_play_token *line = line_here(in, &count);

    return count > 0 && tpi_text_among(words, line->text) &&
           (count == 1) == (strcmp(line->text, "forever") == 0 || strcmp(line->text, "immer") == 0);
}

/* A symbol of the language, or a character without meaning. */
static bool lex_own(tpi_play_lexer *in)
{
    static const char *const symbols[] = {"<=", ">=", "<>", "<", ">", "=", "+",
                                          "-",  "*",  "/",  "(", ")", ",", NULL};
    const char *from = in->at;
    const size_t left = (size_t)(in->end - in->at);

    for (unsigned i = 0; symbols[i] != NULL; i++) {
        const size_t length = strlen(symbols[i]);
        if (length <= left && memcmp(from, symbols[i], length) == 0) {
            in->at += length;
            return tpi_play_lex_add(in, TPI_PLAY_T_SYMBOL, from, from, length) != NULL;
        }
    }
    in->at++;
    tpi_play_lex_complain(in, from, "this character has no meaning here");
    return tpi_play_lex_add(in, TPI_PLAY_T_BAD, from, from, 1) != NULL;
}

/* `x > 1 & x < 9` */
static bool joins_conditions(const tpi_play_lexer *in)
{
    return in->end - in->at > 1 && in->at[1] != '&' && has_comparison(in);
}

/* Symbols that mean something else by where they stand. */
static const struct {
    char symbol;
    bool (*applies)(const tpi_play_lexer *in);
    const char *sentence;
    const char *fix; /* what is taken for it; "" for nothing */
} odd[] = {
    {';', is_open, "values are separated by commas", ","},
    {']', is_open, "what begins with ( ends with )", ")"},
    {'}', is_open, "what begins with ( ends with )", ")"},
    {'%', stands_before_number, "leave it out: a unit stands behind its number", ""},
    {'&', joins_conditions, "two conditions are joined by a word", "and"},
    {':', stands_before_name, "leave it out: a name has no sign in front", ""},
    {':', declares, "`is` stands behind the name", "is"},
    {':', divides, "a division is written with /", "/"},
};

static bool take(tpi_play_lexer *in, const char *from, const char *text)
{
    return tpi_play_lex_add(in, text[0] >= 'a' ? TPI_PLAY_T_WORD : TPI_PLAY_T_SYMBOL, from, text,
                            strlen(text)) != NULL;
}

/* A bracket that closes a body, or what another one has opened. */
static bool lex_closing(tpi_play_lexer *in)
{
    const char *from = in->at;
    const bool is_before_else = *from == '}' && stands_before_else(in);

    if (!is_before_else && !closes_alone(in)) {
        in->at++; /* what it closes is reported */
        return tpi_play_lex_add(in, TPI_PLAY_T_BAD, from, from, 1) != NULL;
    }
    in->at++;
    if (!in->has_bracket && is_before_else) {
        tpi_play_lex_complain(in, from, "leave it out: `else` ends the body before it");
    } else if (!in->has_bracket) {
        strcpy(tpi_play_lex_complain(in, from, "a body ends with `end`")->fix, "end");
    }
    return is_before_else || take(in, from, "end");
}

/* A symbol of another language, or of this one. */
static bool lex_foreign(tpi_play_lexer *in)
{
    const char *from = in->at;
    const size_t left = (size_t)(in->end - in->at);

    for (unsigned i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        const size_t length = strlen(foreign[i].symbol);
        if (length <= left && memcmp(from, foreign[i].symbol, length) == 0) {
            in->at += length;
            strcpy(tpi_play_lex_complain(in, from, foreign[i].sentence)->fix, foreign[i].fix);
            return foreign[i].fix[0] == '\0' || foreign[i].symbol[0] == '}'
                       ? tpi_play_lex_add(in, TPI_PLAY_T_BAD, from, from, length) != NULL
                       : take(in, from, foreign[i].fix);
        }
    }
    return lex_own(in);
}

bool tpi_play_lex_symbol(tpi_play_lexer *in)
{
    const char *from = in->at;

    for (unsigned i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        if (*from == odd[i].symbol && odd[i].applies(in)) {
            in->at++;
            strcpy(tpi_play_lex_complain(in, from, odd[i].sentence)->fix, odd[i].fix);
            return odd[i].fix[0] == '\0' || take(in, from, odd[i].fix);
        }
    }
    const bool is_closing = *from == '}' || *from == ']';
    if ((is_closing && in->has_bracket) ||
        (*from == '}' && (closes_alone(in) || stands_before_else(in)))) {
        return lex_closing(in);
    }
    in->has_bracket |= *from == '{' || *from == '[';
    if (*from == '[' && opens_body(in)) {
        in->at++;
        tpi_play_lex_complain(in, from, "leave it out: the body begins on the next line");
        return tpi_play_lex_add(in, TPI_PLAY_T_BAD, from, from, 1) != NULL;
    }
    return lex_foreign(in);
}
