/* parse_hint.c - what may have been meant by words that do not belong on a line. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "play/meant.h"
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
                       token > from && !token->is_attached ? " " : "", token->source);
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

/* ---- Words that are no words of the shape ---- */

bool tpi_play_guess_name(tpi_play_parser *parser, const char *wanted)
{
    const tpi_play_token *token = tpi_play_peek(parser), *last = token;
    char name[80];

    if (parser->at == 0 || token[-1].kind != TPI_PLAY_T_WORD || *wanted == ')') {
        return false;
    }
    if (is_word(token, "-") && token[1].kind == TPI_PLAY_T_WORD) {
        last = token + 1;
    }
    if (last->kind != TPI_PLAY_T_WORD || tpi_play_is_reserved(last->text) ||
        !(is_word(&last[1], wanted) || is_word(&last[1], "="))) {
        return false;
    }
    (void)snprintf(name, sizeof name, "%.38s_%.38s", token[-1].text, last->text);
    fix(mark(parser, token - 1, last, "a name is one word"), "", name, "");
    return true;
}

void tpi_play_guess_closing(tpi_play_parser *parser, bool takes_else)
{
    tpi_play_token *token = &parser->tokens.list[parser->at];
    const bool is_alone = ends(&token[1]);
    tpi_nearest nearest;

    if (token->kind != TPI_PLAY_T_WORD || tpi_play_is_reserved(token->text) ||
        (!is_alone && !(takes_else && is_word(&token[1], "if"))) ||
        is_declared(parser, "task", token->text) || is_declared(parser, "to", token->text)) {
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
    fix(mark(parser, token, token,
             is_end ? "a body ends with `end`" : "the other case begins with `else`"),
        meant, "", "");
    parser->is_lost = false;
    token->text = meant;
}

bool tpi_play_guess_word(tpi_play_parser *parser, const char *wanted)
{
    const tpi_play_token *token = tpi_play_peek(parser);
    const char *truth = tpi_play_meant(TPI_PLAY_MEANS_TRUTH, token->text);

    if (parser->kind == TPI_PLAY_SET_STATEMENT && truth != NULL && ends(&token[1])) {
        fix(tpi_play_lose(parser, "`%s` is expected here", wanted), "to ", truth, "");
    } else if (strcmp(wanted, "be") == 0 && token->kind == TPI_PLAY_T_WORD &&
               (strcmp(token->text, "equal") == 0 || strcmp(token->text, "equals") == 0)) {
        fix(tpi_play_lose(parser, "`be` is expected here"), "be", "", "");
    } else if (strcmp(wanted, "times") == 0 && ends(token) && parser->at > 0 &&
               token[-1].kind == TPI_PLAY_T_UNIT) {
        fix(tpi_play_lose(parser, "`times` is expected here"), "times", "", "");
    } else if (*wanted == ')' &&
               (token->kind == TPI_PLAY_T_WORD || token->kind == TPI_PLAY_T_NUMBER)) {
        fix(tpi_play_lose(parser, "a comma stands between two of them"), ", ", token->text, "");
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
    fix(tpi_play_lose(parser, "between two values this is written %s", meant), "", meant, "");
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
            fix(mark(parser, token - 1, token - 1, "the opposite: write `not`"), "not", "", "");
            return true;
        }
    }
    if ((token->kind != TPI_PLAY_T_WORD && token->kind != TPI_PLAY_T_UNIT) || ends(&token[1]) ||
        tpi_play_is_reserved(token->text)) {
        return false;
    }
    tpi_nearest_init(&nearest, token->text);
    tpi_nearest_offer(&nearest, "and");
    tpi_nearest_offer(&nearest, "or");
    tpi_nearest_offer(&nearest, "mod");
    if (nearest.best == NULL || nearest.distance > 1) {
        return false;
    }
    fix(tpi_play_lose(parser, "`%s` is expected here", nearest.best), nearest.best, "", "");
    return true;
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
    static const char *const openers[] = {"then", "do", "begin", "loop", "dann", "alors", NULL};

    if (kind < TPI_PLAY_STATEMENTS && tpi_play_has_body(kind) &&
        tpi_text_among(openers, token->text)) {
        tpi_play_lose(parser, "leave it out: the body begins on the next line");
    } else if (strcmp(token->text, "pressed") == 0 || strcmp(token->text, "touched") == 0) {
        tpi_play_lose(parser, "leave it out: a button is true by itself while it is pressed");
    } else if ((kind == TPI_PLAY_START_STATEMENT || kind == TPI_PLAY_TASK_STATEMENT) &&
               is_word(token, "(")) {
        tpi_play_lose(parser, kind == TPI_PLAY_TASK_STATEMENT
                                  ? "leave it out: a task has no values"
                                  : "leave it out: a task is started by its name alone");
    } else if (is_word(token, ")")) {
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
    tpi_play_trouble *trouble = mark(parser, from, to, "a text stands in \"…\"");
    (void)snprintf(text, sizeof text, "%s", trouble->word);
    fix(trouble, "\"", text, "\"");
    return true;
}

void tpi_play_leftover(tpi_play_parser *parser, tpi_play_kind kind)
{
    static const char *const limits[] = {"for", "timeout", "max", "maximum", "within", NULL};
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
        is_operator(parser, token) || is_mistyped(parser, token)) {
        return;
    }
    if (kind == TPI_PLAY_ELSE_STATEMENT &&
        (token->kind == TPI_PLAY_T_WORD || token->kind == TPI_PLAY_T_NUMBER)) {
        fix(tpi_play_lose(parser, "another condition stands behind `else if`"), "if ", token->text,
            "");
    } else if ((kind == TPI_PLAY_PRINT_STATEMENT || kind == TPI_PLAY_DO_STATEMENT) &&
               (token->kind == TPI_PLAY_T_STRING || token->kind == TPI_PLAY_T_NUMBER)) {
        const char *quote = token->kind == TPI_PLAY_T_STRING ? "\"" : "";
        char value[80];
        (void)snprintf(value, sizeof value, "%s%.60s", quote, token->text);
        fix(tpi_play_lose(parser, "a comma stands between two values"), ", ", value, quote);
    } else if (is_word(token, "for") && kind < TPI_PLAY_STATEMENTS && !tpi_play_has_body(kind) &&
               kind != TPI_PLAY_WAIT_UNTIL_STATEMENT) {
        tpi_play_lose(parser, "how long is said by `wait` on the next line");
    } else if (kind == TPI_PLAY_WAIT_UNTIL_STATEMENT && tpi_text_among(limits, token->text)) {
        fix(tpi_play_lose(parser, "the longest time stands behind `at most`"), "at most", "", "");
    } else if (token->kind == TPI_PLAY_T_UNIT) {
        tpi_play_lose(parser, "a unit stands behind a number only");
    } else {
        tpi_play_lose(parser, "nothing more is expected on this line");
    }
}

/* ---- The begin of a line ---- */

/* `x = 5`, `x be 5`, `x += 5`, `x++` */
static bool is_assignment(tpi_play_parser *parser, const tpi_play_token *token)
{
    static const char sentence[] = "a variable is set with `let`, and changed with `change`";
    const tpi_play_token *next = token + 1;
    const bool is_sum = is_word(next, "+"), is_difference = is_word(next, "-");

    if (is_word(next, "=") && is_declared(parser, "device", token->text)) {
        fix(mark(parser, token, next, "a device is written with `set`"), "set ", token->text,
            " to");
    } else if (is_word(next, "=") || is_word(next, "be")) {
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

/* `decrease x by 5`, `call dance()`, `stop()` */
static bool is_spoken(tpi_play_parser *parser, const tpi_play_token *token)
{
    static const char *const downs[] = {"decrease", "decrement", "subtract", "dec", NULL};
    static const char *const calls[] = {"call", "run", "execute", "invoke", "perform", NULL};

    if (tpi_text_among(downs, token->text) && token[1].kind == TPI_PLAY_T_WORD &&
        is_word(&token[2], "by")) {
        fix(mark(parser, token, token + 2, "a variable is changed with `change`"), "change ",
            token[1].text, " by -");
    } else if (tpi_text_among(calls, token->text) && is_declared(parser, "to", token[1].text)) {
        tpi_play_lose(parser, "leave it out: a function is called by its name and ( )");
    } else {
        return false;
    }
    return true;
}

/* `motor 50`, where `motor` is a device. */
static bool is_device(tpi_play_parser *parser, const tpi_play_token *token)
{
    const tpi_play_token *list = parser->tokens.list;
    bool is_motor = false;

    if (!is_declared(parser, "device", token->text)) {
        return false;
    }
    for (unsigned i = 0; i + 3 < parser->tokens.count; i++) {
        if (is_word(&list[i], "device") && is_word(&list[i + 1], token->text)) {
            for (unsigned n = i + 3; n < parser->tokens.count && !ends(&list[n]); n++) {
                is_motor |= is_word(&list[n], "Motor") || is_word(&list[n], "Wheel");
            }
        }
    }
    if (is_motor) {
        fix(tpi_play_lose(parser, "a motor is run with `move`"), "move ", token->text, " at");
    } else {
        fix(tpi_play_lose(parser, "this is a device: it is written with `set`"), "set ",
            token->text, " to");
    }
    return true;
}

bool tpi_play_guess_line(tpi_play_parser *parser)
{
    const tpi_play_token *token = tpi_play_peek(parser);
    const char *remark = tpi_play_meant(TPI_PLAY_MEANS_REMARK, token->text);

    if (tpi_play_is_reserved(token->text)) {
        return false;
    }
    if (is_assignment(parser, token) || is_spoken(parser, token) || is_device(parser, token)) {
        return true;
    }
    if (remark != NULL) {
        tpi_play_lose(parser, "%s", remark);
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

/* `wait untill eye > 50`: a mistyped word that something stands behind. */
static bool is_nearly_until(const tpi_play_parser *parser, const tpi_play_token *token)
{
    static const char *const spoken[] = {"til", "till", NULL};
    tpi_nearest nearest;

    if (token->kind != TPI_PLAY_T_WORD || tpi_play_is_reserved(token->text) ||
        (token[1].kind != TPI_PLAY_T_WORD && token[1].kind != TPI_PLAY_T_NUMBER) ||
        is_word(&token[1], "and") || is_word(&token[1], "or") || is_word(&token[1], "mod")) {
        return false;
    }
    tpi_nearest_init(&nearest, token->text);
    tpi_nearest_offer(&nearest, "until");
    tpi_nearest_offer(&nearest,
                      tpi_play_words_of(parser->words, TPI_PLAY_WAIT_UNTIL_STATEMENT, "until"));
    return tpi_text_among(spoken, token->text) ||
           (nearest.best != NULL && !tpi_play_is_far(&nearest));
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
    if (kind == TPI_PLAY_REPEAT_STATEMENT && is_word(&token[1], "until")) {
        fix(mark(parser, token, token + 1, "`while not` repeats until something is true"),
            "while not", "", "");
        parser->is_lost = false;
        parser->at++;
        parser->tokens.list[parser->at].text = "while";
        return TPI_PLAY_WHILE_STATEMENT;
    }
    if (kind == TPI_PLAY_WAIT_STATEMENT && is_nearly_until(parser, &token[1])) {
        parser->at++;
        fix(tpi_play_lose(parser, "`until` is expected here"), "until", "", "");
        parser->at--;
        parser->is_lost = false;
        parser->tokens.list[parser->at + 1].text = "until";
        return TPI_PLAY_WAIT_UNTIL_STATEMENT;
    }
    if (kind == TPI_PLAY_MOVE_STATEMENT &&
        (token[1].kind == TPI_PLAY_T_NUMBER || is_word(&token[1], "-"))) {
        fix(tpi_play_lose(parser, "`move` runs a motor; the robot drives with `drive`"), "drive",
            "", "");
        return TPI_PLAY_STATEMENTS;
    }
    return kind;
}
