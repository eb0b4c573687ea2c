/* parse_hint.c - what may have been meant by words that do not belong on a line. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "play/meant.h"
#include "play/parse.h"

/* ---- Marking several words ---- */

tpi_play_trouble *tpi_play_mark(tpi_play_parser *parser, const tpi_play_token *from,
                                const tpi_play_token *to, const char *sentence)
{
    char word[64] = {0};

    for (const tpi_play_token *token = from; token <= to; token++) {
        const size_t length = strlen(word);
        (void)snprintf(word + length, sizeof word - length, "%s%.60s",
                       token > from && !token->is_attached ? " " : "", token->source);
    }
    parser->is_lost = true;
    return tpi_play_trouble_add(parser->troubles, from->line, from->column,
                                to->column + to->width - from->column, word, "%s", sentence);
}

void tpi_play_fix(tpi_play_trouble *trouble, const char *before, const char *text,
                  const char *after)
{
    (void)snprintf(trouble->fix, sizeof trouble->fix, "%s%.60s%s", before, text, after);
}

bool tpi_play_is_word(const tpi_play_token *token, const char *text)
{
    return (token->kind == TPI_PLAY_T_WORD || token->kind == TPI_PLAY_T_SYMBOL) &&
           strcmp(token->text, text) == 0;
}

bool tpi_play_ends(const tpi_play_token *token)
{
    return token->kind == TPI_PLAY_T_LINE_END || token->kind == TPI_PLAY_T_COMMENT;
}

bool tpi_play_is_declared(const tpi_play_parser *parser, const char *word, const char *name)
{
    const tpi_play_token *list = parser->tokens.list;

    for (unsigned i = 0; i + 1 < parser->tokens.count; i++) {
        if (tpi_play_is_word(&list[i], word) && tpi_play_is_word(&list[i + 1], name) &&
            (i == 0 || list[i - 1].kind == TPI_PLAY_T_LINE_END)) {
            return true;
        }
    }
    return false;
}

/* ---- Words that are no words of the shape ---- */

bool tpi_play_guess_name(tpi_play_parser *parser, const char *wanted)
{
    const tpi_play_token *token = tpi_play_peek(parser), *last = token;
    char name[80];

    if (parser->at == 0 || token[-1].kind != TPI_PLAY_T_WORD || *wanted == ')') {
        return false;
    }
    if (tpi_play_is_word(token, "-") && token[1].kind == TPI_PLAY_T_WORD) {
        last = token + 1;
    }
    if (last->kind != TPI_PLAY_T_WORD || tpi_play_is_reserved(last->text) ||
        !(tpi_play_is_word(&last[1], wanted) || tpi_play_is_word(&last[1], "="))) {
        return false;
    }
    (void)snprintf(name, sizeof name, "%.38s_%.38s", token[-1].text, last->text);
    tpi_play_fix(tpi_play_mark(parser, token - 1, last, "a name is one word"), "", name, "");
    return true;
}

void tpi_play_guess_closing(tpi_play_parser *parser, bool takes_else)
{
    tpi_play_token *token = &parser->tokens.list[parser->at];
    const bool is_alone = tpi_play_ends(&token[1]);
    tpi_nearest nearest;

    if (token->kind != TPI_PLAY_T_WORD || tpi_play_is_reserved(token->text) ||
        (!is_alone && !(takes_else && tpi_play_is_word(&token[1], "if"))) ||
        tpi_play_is_declared(parser, "task", token->text) ||
        tpi_play_is_declared(parser, "to", token->text)) {
        return;
    }
    const char *closing = tpi_play_words_of(parser->words, TPI_PLAY_FOREVER_STATEMENT, "end");
    tpi_nearest_init(&nearest, token->text);
    if (is_alone) {
        tpi_nearest_offer(&nearest, "end");
        tpi_nearest_offer(&nearest, closing);
    }
    const char *other = tpi_play_words_of(parser->words, TPI_PLAY_ELSE_STATEMENT, "else");
    if (takes_else) {
        tpi_nearest_offer(&nearest, "else");
        tpi_nearest_offer(&nearest, other);
    }
    if (nearest.best == NULL || (nearest.distance > 1 && strlen(token->text) < 4)) {
        return;
    }
    const bool is_end = strcmp(nearest.best, "end") == 0 || nearest.best == closing;
    if (is_end && tpi_play_near_statement(token->text, nearest.distance)) {
        return;
    }
    const char *meant = is_end ? "end" : "else";
    tpi_play_fix(
        tpi_play_mark(parser, token, token,
                      is_end ? "a body ends with `end`" : "the other case begins with `else`"),
        meant, "", "");
    parser->is_lost = false;
    token->text = meant;
}

bool tpi_play_guess_word(tpi_play_parser *parser, const char *wanted)
{
    const tpi_play_token *token = tpi_play_peek(parser);
    const char *truth = tpi_play_meant(TPI_PLAY_MEANS_TRUTH, token->text);

    if (parser->kind == TPI_PLAY_SET_STATEMENT && truth != NULL && tpi_play_ends(&token[1])) {
        tpi_play_fix(tpi_play_lose(parser, "`%s` is expected here", wanted), "to ", truth, "");
    } else if (strcmp(wanted, "be") == 0 && token->kind == TPI_PLAY_T_WORD &&
               (strcmp(token->text, "equal") == 0 || strcmp(token->text, "equals") == 0)) {
        tpi_play_fix(tpi_play_lose(parser, "`be` is expected here"), "be", "", "");
    } else if (strcmp(wanted, "be") == 0 && tpi_play_is_word(token, "<") &&
               tpi_play_is_word(&token[1], "-") && token[1].is_attached) {
        tpi_play_fix(tpi_play_mark(parser, token, token + 1, "`be` is expected here"), "be", "",
                     "");
        parser->is_lost = false;
        parser->at += 2;
    } else if (strcmp(wanted, "times") == 0 && tpi_play_ends(token) && parser->at > 0 &&
               token[-1].kind == TPI_PLAY_T_UNIT) {
        tpi_play_fix(tpi_play_lose(parser, "`times` is expected here"), "times", "", "");
    } else if (*wanted == ')' &&
               (token->kind == TPI_PLAY_T_WORD || token->kind == TPI_PLAY_T_NUMBER)) {
        tpi_play_fix(tpi_play_lose(parser, "a comma stands between two of them"), ", ", token->text,
                     "");
    } else {
        return false;
    }
    return true;
}

/* ---- What is left of a line ---- */

/* Words that stand for an operator in other languages and in speech. */
static bool is_operator(tpi_play_parser *parser, const tpi_play_token *token)
{
    const char *meant = tpi_play_meant(TPI_PLAY_MEANS_OPERATOR, token->text);

    if (meant == NULL) {
        return false;
    }
    const char *more = tpi_play_is_word(token, "is") && token[1].kind == TPI_PLAY_T_WORD
                           ? tpi_play_meant(TPI_PLAY_MEANS_OPERATOR, token[1].text)
                           : NULL;
    if (more != NULL) {
        const bool has_than = tpi_play_is_word(&token[2], "than");
        tpi_play_fix(tpi_play_mark(parser, token, token + (has_than ? 2 : 1),
                                   "two values are compared with a symbol"),
                     "", more, "");
        return true;
    }
    tpi_play_fix(tpi_play_lose(parser, "between two values this is written %s", meant), "", meant,
                 "");
    return true;
}

/* `5 adn 3`, `nto true`: a mistyped word between or before values. */
static bool is_mistyped(tpi_play_parser *parser, const tpi_play_token *token)
{
    tpi_nearest nearest;

    if (token[-1].kind == TPI_PLAY_T_WORD && !tpi_play_is_reserved(token[-1].text)) {
        tpi_nearest_init(&nearest, token[-1].text);
        tpi_nearest_offer(&nearest, "not");
        if (nearest.best != NULL && nearest.distance == 1) {
            tpi_play_fix(tpi_play_mark(parser, token - 1, token - 1, "the opposite: write `not`"),
                         "not", "", "");
            return true;
        }
    }
    if ((token->kind != TPI_PLAY_T_WORD && token->kind != TPI_PLAY_T_UNIT) ||
        tpi_play_ends(&token[1]) || tpi_play_is_reserved(token->text)) {
        return false;
    }
    tpi_nearest_init(&nearest, token->text);
    tpi_nearest_offer(&nearest, "and");
    tpi_nearest_offer(&nearest, "or");
    tpi_nearest_offer(&nearest, "mod");
    if (nearest.best == NULL || nearest.distance > 1) {
        return false;
    }
    tpi_play_fix(tpi_play_lose(parser, "`%s` is expected here", nearest.best), nearest.best, "",
                 "");
    return true;
}

/* `drive 50 left 20`, `drive 50, 20`, `drive 50 for 2 s`. */
static bool is_of_drive(tpi_play_parser *parser, const tpi_play_token *token)
{
    if (strcmp(token->text, "left") == 0 || strcmp(token->text, ",") == 0) {
        tpi_play_fix(tpi_play_lose(parser, "how it turns stands behind `turn`"), "turn", "", "");
    } else if (strcmp(token->text, "right") == 0) {
        tpi_play_fix(tpi_play_lose(parser, "it turns right with a number below 0 behind `turn`"),
                     "turn -", token[1].kind == TPI_PLAY_T_NUMBER ? "" : "…", "");
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
    static const char *const openers[] = {"then", "do", "begin", "loop", "dann", "alors", NULL};

    if (kind < TPI_PLAY_STATEMENTS && tpi_play_has_body(kind) &&
        tpi_text_among(openers, token->text)) {
        tpi_play_lose(parser, "leave it out: the body begins on the next line");
    } else if (strcmp(token->text, "pressed") == 0 || strcmp(token->text, "touched") == 0) {
        tpi_play_lose(parser, "leave it out: a button is true by itself while it is pressed");
    } else if ((kind == TPI_PLAY_START_STATEMENT || kind == TPI_PLAY_TASK_STATEMENT) &&
               tpi_play_is_word(token, "(")) {
        tpi_play_lose(parser, kind == TPI_PLAY_TASK_STATEMENT
                                  ? "leave it out: a task has no values"
                                  : "leave it out: a task is started by its name alone");
    } else if (tpi_play_is_word(token, ")")) {
        tpi_play_lose(parser, "leave it out: no `(` is open");
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
    tpi_play_trouble *trouble = tpi_play_mark(parser, from, to, "a text stands in \"…\"");
    (void)snprintf(text, sizeof text, "%s", trouble->word);
    tpi_play_fix(trouble, "\"", text, "\"");
    return true;
}

/* `7 % 2`: what was taken for percent. */
static bool is_rest(tpi_play_parser *parser, const tpi_play_token *token)
{
    const bool is_value = token->kind == TPI_PLAY_T_NUMBER || tpi_play_is_word(token, "(") ||
                          (token->kind == TPI_PLAY_T_WORD && !tpi_play_is_reserved(token->text));

    if (!is_value || token[-1].kind != TPI_PLAY_T_UNIT || strcmp(token[-1].text, "%") != 0) {
        return false;
    }
    tpi_play_fix(
        tpi_play_mark(parser, token - 1, token - 1, "the rest of a division is written `mod`"),
        "mod", "", "");
    return true;
}

/* What stands on a line although it belongs elsewhere. */
static bool is_misplaced(tpi_play_parser *parser, const tpi_play_token *token, tpi_play_kind kind)
{
    if (kind == TPI_PLAY_TO_STATEMENT && token->kind == TPI_PLAY_T_WORD) {
        tpi_play_fix(tpi_play_lose(parser,
                                   "the values of a function stand in ( ); a name is one "
                                   "word, such as `%.30s_%.30s`",
                                   token[-1].text, token->text),
                     "(", token->text, ")");
    } else if (token->kind == TPI_PLAY_T_WORD && strcmp(token->text, "to") != 0 &&
               tpi_play_begins_statement(tpi_play_lang_at(0), token->text)) {
        tpi_play_lose(parser, "each statement stands on its own line: begin a new line here");
    } else {
        return false;
    }
    return true;
}

/* `0,5` */
static bool is_comma(tpi_play_parser *parser, const tpi_play_token *token)
{
    if (tpi_play_is_word(token, ",") && token->is_attached && token[1].is_attached &&
        token[-1].kind == TPI_PLAY_T_NUMBER && token[1].kind == TPI_PLAY_T_NUMBER) {
        char number[80];
        (void)snprintf(number, sizeof number, "%.30s.%.30s", token[-1].text, token[1].text);
        tpi_play_fix(tpi_play_mark(parser, token - 1, token + 1, "a number has a point, no comma"),
                     "", number, "");
        return true;
    }
    return false;
}

void tpi_play_leftover(tpi_play_parser *parser, tpi_play_kind kind)
{
    static const char *const limits[] = {"for", "timeout", "max", "maximum", "within", NULL};
    const tpi_play_token *token = tpi_play_peek(parser);

    if (token->kind == TPI_PLAY_T_BAD) {
        parser->is_lost = true;
        return;
    }
    if (is_comma(parser, token) || is_superfluous(parser, token, kind) ||
        is_text(parser, token, kind) ||
        (kind == TPI_PLAY_DRIVE_STATEMENT && is_of_drive(parser, token)) ||
        is_operator(parser, token) || is_mistyped(parser, token)) {
        return;
    }
    if (kind == TPI_PLAY_ELSE_STATEMENT &&
        (token->kind == TPI_PLAY_T_WORD || token->kind == TPI_PLAY_T_NUMBER)) {
        tpi_play_fix(tpi_play_lose(parser, "another condition stands behind `else if`"), "if ",
                     token->text, "");
    } else if ((kind == TPI_PLAY_PRINT_STATEMENT || kind == TPI_PLAY_DO_STATEMENT) &&
               (token->kind == TPI_PLAY_T_STRING || token->kind == TPI_PLAY_T_NUMBER)) {
        const char *quote = token->kind == TPI_PLAY_T_STRING ? "\"" : "";
        char value[80];
        (void)snprintf(value, sizeof value, "%s%.60s", quote, token->text);
        tpi_play_fix(tpi_play_lose(parser, "a comma stands between two values"), ", ", value,
                     quote);
    } else if (tpi_play_is_word(token, "for") && kind < TPI_PLAY_STATEMENTS &&
               !tpi_play_has_body(kind) && kind != TPI_PLAY_WAIT_UNTIL_STATEMENT) {
        tpi_play_lose(parser, "how long is said by `wait` on the next line");
    } else if (kind == TPI_PLAY_WAIT_UNTIL_STATEMENT && tpi_text_among(limits, token->text)) {
        tpi_play_fix(tpi_play_lose(parser, "the longest time stands behind `at most`"), "at most",
                     "", "");
    } else if (token->kind == TPI_PLAY_T_UNIT) {
        tpi_play_lose(parser, "a unit stands behind a number only");
    } else if (!is_rest(parser, token) && !is_misplaced(parser, token, kind)) {
        tpi_play_lose(parser, "nothing more is expected on this line");
    }
}
