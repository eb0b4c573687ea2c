/* parse_hint.c - what may have been meant by words that do not belong on a line. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "play/parse.h"

/* ---- Marking several words ---- */

/* Report a mistake that goes from one token to another one of the same line. */
static tpi_play_trouble *mark(tpi_play_parser *parser, const tpi_play_token *from,
                              const tpi_play_token *to, const char *sentence)
{
    char word[64] = {0};

    for (const tpi_play_token *token = from; token <= to; token++) {
        const size_t length = strlen(word);
        (void)snprintf(word + length, sizeof word - length, "%s%.60s",
                       token > from && !token->is_attached ? " " : "", token->text);
    }
    parser->is_lost = true;
    return tpi_play_trouble_add(parser->troubles, from->line, from->column,
                                to->column + to->width - from->column, word, "%s", sentence);
}

static void fix(tpi_play_trouble *trouble, const char *before, const char *text, const char *after)
{
    (void)snprintf(trouble->fix, sizeof trouble->fix, "%s%.60s%s", before, text, after);
}

static bool is_word(const tpi_play_token *token, const char *text)
{
    return (token->kind == TPI_PLAY_T_WORD || token->kind == TPI_PLAY_T_SYMBOL) &&
           strcmp(token->text, text) == 0;
}

static bool ends(const tpi_play_token *token)
{
    return token->kind == TPI_PLAY_T_LINE_END || token->kind == TPI_PLAY_T_COMMENT;
}

/* ---- What is left of a line ---- */

/* Words that stand for an operator in other languages and in speech. */
static bool is_operator(tpi_play_parser *parser, const tpi_play_token *token)
{
    static const struct {
        const char *word, *operator, * sentence;
    } spoken[] = {
        {"is", "=", "two values are compared with ="},
        {"equals", "=", "two values are compared with ="},
        {"equal", "=", "two values are compared with ="},
        {"be", "=", "two values are compared with ="},
        {"greater", ">", "\"more than\" is written >"},
        {"bigger", ">", "\"more than\" is written >"},
        {"more", ">", "\"more than\" is written >"},
        {"above", ">", "\"more than\" is written >"},
        {"less", "<", "\"less than\" is written <"},
        {"smaller", "<", "\"less than\" is written <"},
        {"below", "<", "\"less than\" is written <"},
        {"plus", "+", "a sum is written +"},
        {"minus", "-", "a difference is written -"},
        {"x", "*", "a product is written *"},
        {"modulo", "mod", "the rest of a division is written `mod`"},
    };

    for (unsigned i = 0; i < sizeof spoken / sizeof spoken[0]; i++) {
        if (strcmp(spoken[i].word, token->text) == 0) {
            fix(tpi_play_lose(parser, "%s", spoken[i].sentence), "", spoken[i].operator, "");
            return true;
        }
    }
    return false;
}

/* `drive 50 left 20`, `drive 50, 20`, `drive 50 for 2 s`. */
static bool is_of_drive(tpi_play_parser *parser, const tpi_play_token *token)
{
    if (strcmp(token->text, "left") == 0 || strcmp(token->text, ",") == 0) {
        fix(tpi_play_lose(parser, "how it turns stands behind `turn`"), "turn", "", "");
    } else if (strcmp(token->text, "right") == 0) {
        fix(tpi_play_lose(parser, "it turns right with a number below 0 behind `turn`"), "turn -",
            token[1].kind == TPI_PLAY_T_NUMBER ? "" : "…", "");
    } else if (strcmp(token->text, "for") == 0) {
        tpi_play_lose(parser, "how long is said by `wait` on the next line");
    } else {
        return false;
    }
    return true;
}

/* Words that other languages need here and this one does not. */
static bool is_superfluous(tpi_play_parser *parser, const tpi_play_token *token, tpi_play_kind kind)
{
    static const char *const openers[] = {"then", "do", "begin", "loop", NULL};

    if (kind < TPI_PLAY_STATEMENTS && tpi_play_has_body(kind) &&
        tpi_text_among(openers, token->text)) {
        tpi_play_lose(parser, "leave it out: the body begins on the next line");
    } else if (kind == TPI_PLAY_START_STATEMENT && is_word(token, "(")) {
        tpi_play_lose(parser, "leave it out: a task is started by its name alone");
    } else if (kind == TPI_PLAY_BODY && token->kind == TPI_PLAY_T_WORD) {
        tpi_play_lose(parser, "leave it out: `end` alone closes a body");
    } else {
        return false;
    }
    return true;
}

/* `say hello world`: names behind each other where a text can stand. */
static bool is_text(tpi_play_parser *parser, const tpi_play_token *token, tpi_play_kind kind)
{
    const tpi_play_token *from = token, *to = token;
    char text[80];

    if ((kind != TPI_PLAY_PRINT_STATEMENT && kind != TPI_PLAY_SAY_STATEMENT &&
         kind != TPI_PLAY_SHOW_STATEMENT) ||
        token->kind != TPI_PLAY_T_WORD || tpi_play_is_reserved(token->text)) {
        return false;
    }
    while (from[-1].kind == TPI_PLAY_T_WORD && !tpi_play_is_reserved(from[-1].text)) {
        from--; /* the line begins with a word of the language */
    }
    while (to[1].kind == TPI_PLAY_T_WORD) {
        to++;
    }
    if (from == token) {
        return false;
    }
    tpi_play_trouble *trouble = mark(parser, from, to, "a text stands in \"…\"");
    (void)snprintf(text, sizeof text, "%s", trouble->word);
    fix(trouble, "\"", text, "\"");
    return true;
}

void tpi_play_leftover(tpi_play_parser *parser, tpi_play_kind kind)
{
    const tpi_play_token *token = tpi_play_peek(parser);

    if (token->kind == TPI_PLAY_T_BAD) {
        parser->is_lost = true;
        return;
    }
    if (is_word(token, ",") && token->is_attached && token[1].is_attached &&
        token[-1].kind == TPI_PLAY_T_NUMBER && token[1].kind == TPI_PLAY_T_NUMBER) {
        char number[80];
        (void)snprintf(number, sizeof number, "%.30s.%.30s", token[-1].text, token[1].text);
        fix(mark(parser, token - 1, token + 1, "a number has a point, no comma"), "", number, "");
        return;
    }
    if (is_superfluous(parser, token, kind) || is_text(parser, token, kind) ||
        (kind == TPI_PLAY_DRIVE_STATEMENT && is_of_drive(parser, token)) ||
        is_operator(parser, token)) {
        return;
    }
    if (kind == TPI_PLAY_WAIT_UNTIL_STATEMENT && is_word(token, "for")) {
        fix(tpi_play_lose(parser, "the longest time stands behind `at most`"), "at most", "", "");
    } else if (token->kind == TPI_PLAY_T_UNIT) {
        tpi_play_lose(parser, "a unit stands behind a number only");
    } else {
        tpi_play_lose(parser, "nothing more is expected on this line");
    }
}

/* ---- The begin of a line ---- */

/* Whether the program declares this name by this word, on any line. */
static bool is_declared(const tpi_play_parser *parser, const char *word, const char *name)
{
    const tpi_play_token *list = parser->tokens.list;

    for (unsigned i = 0; i + 1 < parser->tokens.count; i++) {
        if (is_word(&list[i], word) && is_word(&list[i + 1], name) &&
            (i == 0 || list[i - 1].kind == TPI_PLAY_T_LINE_END)) {
            return true;
        }
    }
    return false;
}

/* `x = 5`, `x be 5`, `x += 5`, `x++` */
static bool is_assignment(tpi_play_parser *parser, const tpi_play_token *token)
{
    static const char sentence[] = "a variable is set with `let`, and changed with `change`";
    const tpi_play_token *next = token + 1;
    const bool is_sum = is_word(next, "+"), is_difference = is_word(next, "-");

    if (is_word(next, "=") || is_word(next, "be")) {
        fix(mark(parser, token, next, "a variable is set with `let`"), "let ", token->text, " be");
    } else if ((is_sum || is_difference) && is_word(&next[1], "=")) {
        fix(mark(parser, token, next + 1, sentence), "change ", token->text,
            is_sum ? " by" : " by -");
    } else if ((is_sum || is_difference) && is_word(&next[1], next->text) && ends(&next[2])) {
        fix(mark(parser, token, next + 1, sentence), "change ", token->text,
            is_sum ? " by 1" : " by -1");
    } else {
        return false;
    }
    return true;
}

bool tpi_play_guess_line(tpi_play_parser *parser)
{
    const tpi_play_token *token = tpi_play_peek(parser);

    if (tpi_play_is_reserved(token->text)) {
        return false;
    }
    if (is_assignment(parser, token)) {
        return true;
    }
    if (ends(&token[1]) && is_declared(parser, "task", token->text)) {
        fix(tpi_play_lose(parser, "a task begins with `start`"), "start ", token->text, "");
        return true;
    }
    if (!ends(&token[1]) && is_declared(parser, "to", token->text)) {
        char call[80];
        const bool is_short = ends(&token[2]) && token[1].kind != TPI_PLAY_T_STRING;
        (void)snprintf(call, sizeof call, "%.40s(%.30s", token->text,
                       is_short ? token[1].text : "");
        fix(mark(parser, token, is_short ? token + 1 : token,
                 "this is a function: its values stand in ( )"),
            "", call, is_short ? ")" : "");
        return true;
    }
    return false;
}

tpi_play_kind tpi_play_guess_pair(tpi_play_parser *parser, tpi_play_kind kind)
{
    const tpi_play_token *token = tpi_play_peek(parser);

    if (kind == TPI_PLAY_REPEAT_STATEMENT && is_word(&token[1], "forever") && ends(&token[2])) {
        fix(mark(parser, token, token + 1, "`forever` repeats without an end"), "forever", "", "");
        parser->is_lost = false;
        parser->at++;
        return TPI_PLAY_FOREVER_STATEMENT;
    }
    return kind;
}
