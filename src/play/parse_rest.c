/* parse_rest.c - what is left of a line, and what may have been meant by it. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "play/check.h"
#include "play/meant.h"
#include "play/parse.h"
#include "play/units.h"

/* Words that stand for an operator in other languages and in speech. */
static bool is_operator(tpi_play_parser *parser, const tpi_play_token *token)
{
    const char *meant = tpi_play_meant(TPI_PLAY_MEANS_OPERATOR, token->text);

    if (meant == NULL || tpi_play_ends(&token[1])) {
        return false;
    }
    if (tpi_play_is_word(token, "is") &&
        (tpi_play_is_word(&token[1], "pressed") || tpi_play_is_word(&token[1], "touched"))) {
        tpi_play_mark(parser, token, token + 1,
                      "leave it out: a button is true by itself while it is pressed");
        return true;
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
            tpi_play_fix(tpi_play_mark(parser, token - 1, token - 1,
                                       "the opposite is written in another way"),
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
    const char *const both = tpi_play_words_of(parser->words, TPI_PLAY_STATEMENTS, "and");
    const char *const any = tpi_play_words_of(parser->words, TPI_PLAY_STATEMENTS, "or");
    tpi_nearest_offer(&nearest, both);
    tpi_nearest_offer(&nearest, any);
    if (nearest.best == NULL || nearest.distance > 1) {
        return false;
    }
    const char *meant = nearest.best == both ? "and" : nearest.best == any ? "or" : nearest.best;
    tpi_play_fix(tpi_play_lose(parser, "another word is expected here"), meant, "", "");
    return true;
}

/* `drive 50 for 2 s` */
static void lose_time(tpi_play_parser *parser, const tpi_play_token *token)
{
    tpi_buf rest = {0};

    for (const tpi_play_token *t = token + 1; !tpi_play_ends(t); t++) {
        tpi_buf_printf(&rest, "%s%.20s", t->is_attached ? "" : " ", t->source);
    }
    tpi_play_lose(parser,
                  "how long is said by `wait`: leave out `for%.60s`, and write `wait%.60s` on the "
                  "next line",
                  tpi_buf_text(&rest), tpi_buf_text(&rest));
    tpi_buf_fini(&rest);
}

/* `drive 50 left 20`, `drive 50, 20`, `drive 50 for 2 s`. */
static bool is_of_drive(tpi_play_parser *parser, const tpi_play_token *token)
{
    if (strcmp(token->text, "left") == 0 || strcmp(token->text, ",") == 0) {
        tpi_play_fix(tpi_play_lose(parser, "how it turns stands behind `turn`"), "turn", "", "");
    } else if (strcmp(token->text, "right") == 0) {
        tpi_play_fix(tpi_play_lose(parser, "it turns right with a number below 0 behind `turn`"),
                     "turn -", token[1].kind == TPI_PLAY_T_NUMBER ? "" : "50", "");
    } else if (strcmp(token->text, "for") == 0) {
        lose_time(parser, token);
    } else if ((token->kind == TPI_PLAY_T_NUMBER &&
                (token[-1].kind != TPI_PLAY_T_WORD ||
                 tpi_play_is_declared(parser, "let", token[-1].text))) ||
               (tpi_play_is_word(&token[-2], "drive") && token->kind == TPI_PLAY_T_WORD &&
                tpi_play_is_declared(parser, "let", token->text))) {
        tpi_play_fix(tpi_play_lose(parser, "`turn` is missing before this"), "turn ", token->text,
                     "");
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
    } else if ((kind == TPI_PLAY_START_STATEMENT || kind == TPI_PLAY_TASK_STATEMENT ||
                kind == TPI_PLAY_STOP_STATEMENT) &&
               tpi_play_is_word(token, "(")) {
        tpi_play_lose(parser, kind == TPI_PLAY_TASK_STATEMENT
                                  ? "leave it out: a task has no values"
                                  : "leave it out: the name alone stands here");
    } else if (kind < TPI_PLAY_STATEMENTS && !tpi_play_has_body(kind) &&
               token[1].kind == TPI_PLAY_T_WORD &&
               (strcmp(token->text, "then") == 0 || strcmp(token->text, "dann") == 0)) {
        tpi_play_lose(parser, "each statement stands on its own line: begin a new line here");
    } else if (token->kind == TPI_PLAY_T_WORD && tpi_play_unit_known(token->text) &&
               tpi_play_ends(&token[1]) && strlen(token->text) > 1 &&
               tpi_play_meant(TPI_PLAY_MEANS_NUMBER, token[-1].text) == NULL) {
        tpi_play_lose(parser, "leave it out: a unit stands behind a number only");
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
    tpi_play_fix(tpi_play_mark(parser, token - 1, token - 1,
                               "the rest of a division is written with a word"),
                 "mod", "", "");
    return true;
}

/* A statement that begins behind another one. */
static bool is_statement(tpi_play_parser *parser, const tpi_play_token *token)
{
    if (token->kind != TPI_PLAY_T_WORD || strcmp(token->text, "to") == 0 ||
        !tpi_play_begins_statement(tpi_play_lang_at(0), token->text)) {
        return false;
    }
    tpi_play_lose(parser, "each statement stands on its own line: begin a new line here");
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

/* `touching bump`, `pick random 1`, `f"text"`: the word before the value. */
static bool is_word_too_many(tpi_play_parser *parser, const tpi_play_token *token)
{
    const tpi_play_token *before = token - 1;
    const bool is_prefix = token->kind == TPI_PLAY_T_STRING && token->is_attached;
    const bool is_known =
        token->kind == TPI_PLAY_T_WORD && (tpi_play_math_named(token->text) >= 0 ||
                                           tpi_play_is_declared(parser, "device", token->text));

    if (before->kind != TPI_PLAY_T_WORD || tpi_play_is_reserved(before->text) ||
        (!is_prefix && !is_known) || tpi_play_is_declared(parser, "device", before->text) ||
        tpi_play_is_declared(parser, "let", before->text)) {
        return false;
    }
    tpi_play_mark(parser, before, before,
                  is_prefix ? "leave it out: `print` takes several values, with commas"
                            : "leave it out: the value stands behind it");
    return true;
}

/* `let x be Track ball`: a command without its `do`. */
static bool is_command(tpi_play_parser *parser, const tpi_play_token *token)
{
    const tpi_play_token *command = token - 1;

    if (!tpi_play_is_value(token) || command->kind != TPI_PLAY_T_WORD ||
        tpi_dictionary_named(command->source) >= TPI_COMMANDS) {
        return false;
    }
    tpi_play_fix(tpi_play_mark(parser, command, command, "`do` is missing before this"), "do ",
                 command->source, "");
    return true;
}

/* Whether a statement ends with a condition. */
static bool is_condition(tpi_play_kind kind)
{
    return kind == TPI_PLAY_IF_STATEMENT || kind == TPI_PLAY_ELSE_IF_STATEMENT ||
           kind == TPI_PLAY_WHILE_STATEMENT || kind == TPI_PLAY_WHEN_STATEMENT ||
           kind == TPI_PLAY_WAIT_UNTIL_STATEMENT;
}

/* Whether a name is that of a device which is true or false, by the words of its classes. */
static bool is_truth(const tpi_play_parser *parser, const tpi_play_token *name)
{
    static const char *const classes[] = {"Touch",    "Bump",  "Button", "Obstacle",
                                          "Infrared", "Cliff", NULL};
    const tpi_play_token *list = parser->tokens.list;

    for (unsigned i = 0; i + 3 < parser->tokens.count; i++) {
        if (!tpi_play_is_word(&list[i], "device") || !tpi_play_is_word(&list[i + 1], name->text)) {
            continue;
        }
        for (i += 2; !tpi_play_ends(&list[i]); i++) {
            if (tpi_text_among(classes, list[i].text)) {
                return true;
            }
        }
    }
    return false;
}

/* `if left, right`, `if left right` */
static bool is_second_condition(tpi_play_parser *parser, const tpi_play_token *token,
                                tpi_play_kind kind)
{
    if (!is_condition(kind)) {
        return false;
    }
    if (tpi_play_is_word(token, ",")) {
        tpi_play_fix(tpi_play_lose(parser, "two conditions are joined by a word"), "and", "", "");
        return true;
    }
    if (token->kind == TPI_PLAY_T_WORD && !tpi_play_is_reserved(token->text) &&
        (is_truth(parser, token) ||
         (is_truth(parser, &token[-1]) && tpi_play_is_used(parser, token)))) {
        tpi_play_fix(tpi_play_lose(parser, "`and` or `or` is missing before this"), "and ",
                     token->text, "");
        return true;
    }
    return false;
}

/* Whether a comparison stands before a token on its line. */
static bool is_compared(const tpi_play_parser *parser, const tpi_play_token *token)
{
    static const char *const signs[] = {"=", "<>", "<", "<=", ">", ">=", NULL};
    const tpi_play_token *list = parser->tokens.list;

    while (token > list && token[-1].kind != TPI_PLAY_T_LINE_END) {
        token--;
        if (token->kind == TPI_PLAY_T_SYMBOL && tpi_text_among(signs, token->text)) {
            return true;
        }
    }
    return false;
}

/* `wait until bump 5 s` */
static bool lacks_limit(tpi_play_parser *parser, const tpi_play_token *token, tpi_play_kind kind)
{
    const tpi_play_unit *unit =
        token[1].kind == TPI_PLAY_T_UNIT ? tpi_play_unit_named(token[1].text) : NULL;

    if (kind != TPI_PLAY_WAIT_UNTIL_STATEMENT || token->kind != TPI_PLAY_T_NUMBER || unit == NULL ||
        unit->dimension != TPI_PLAY_TIME ||
        !(is_compared(parser, token) || is_truth(parser, &token[-1]))) {
        return false;
    }
    tpi_play_fix(tpi_play_lose(parser, "`at most` is missing before this"), "at most ", token->text,
                 "");
    return true;
}

/* `if eye 50`, `let x be y 3`: to leave out the second value would change what the line means. */
static bool lacks_operator(tpi_play_parser *parser, const tpi_play_token *token, tpi_play_kind kind)
{
    static const tpi_play_kind kinds[] = {TPI_PLAY_LET_STATEMENT,   TPI_PLAY_CHANGE_STATEMENT,
                                          TPI_PLAY_SET_STATEMENT,   TPI_PLAY_MOVE_STATEMENT,
                                          TPI_PLAY_WAIT_STATEMENT,  TPI_PLAY_DRIVE_STATEMENT,
                                          TPI_PLAY_RETURN_STATEMENT};
    const tpi_play_token *before = token - 1;
    bool is_sum = is_condition(kind) && is_compared(parser, token);
    const bool is_compare = is_condition(kind) && !is_sum;

    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        is_sum |= kinds[i] == kind;
    }
    if ((!is_sum && !is_compare) || !tpi_play_is_value(token) ||
        !(tpi_play_is_value(before) || before->kind == TPI_PLAY_T_UNIT ||
          tpi_play_is_word(before, ")")) ||
        (token->kind == TPI_PLAY_T_WORD && !tpi_play_is_word(&token[1], "(") &&
         !tpi_play_is_used(parser, token))) {
        return false;
    }
    tpi_play_lose(parser, is_compare
                              ? "a comparison is missing before this: `>`, `<` or `=`"
                              : "a sign is missing before this, such as `+` or `*`, or a word");
    return true;
}

/* A value behind another one, with a comma before it or without. */
static bool is_value_too_many(tpi_play_parser *parser, const tpi_play_token *token,
                              tpi_play_kind kind)
{
    const bool is_row = kind == TPI_PLAY_PRINT_STATEMENT || kind == TPI_PLAY_DO_STATEMENT;
    const bool is_word = token->kind == TPI_PLAY_T_WORD && !tpi_play_is_reserved(token->text) &&
                         (tpi_play_ends(&token[1]) || token[-1].kind == TPI_PLAY_T_STRING ||
                          tpi_play_is_word(&token[1], ",") || tpi_play_is_word(&token[1], "("));
    const bool is_more = tpi_play_is_word(token, ",") || tpi_play_is_value(token);
    const char *quote = token->kind == TPI_PLAY_T_STRING ? "\"" : "";
    char value[80];

    if (is_row &&
        (token->kind == TPI_PLAY_T_STRING || token->kind == TPI_PLAY_T_NUMBER || is_word)) {
        (void)snprintf(value, sizeof value, "%s%.60s", quote, token->text);
        tpi_play_fix(tpi_play_lose(parser, "a comma stands between two values"), ", ", value,
                     quote);
    } else if (kind == TPI_PLAY_SAY_STATEMENT && is_more) {
        tpi_play_lose(parser, "one text is said: write another `say` on the next line");
    } else if (kind == TPI_PLAY_START_STATEMENT && tpi_play_is_word(token, ",")) {
        tpi_play_lose(parser, "one task is started: write another `start` on the next line");
    } else if (kind == TPI_PLAY_SHOW_STATEMENT && is_more) {
        tpi_play_lose(parser, "one value is shown: write another `show` on the next line");
    } else if (kind == TPI_PLAY_LET_STATEMENT && tpi_play_is_word(token, ",")) {
        tpi_play_lose(parser, "one variable is set: write another `let` on the next line");
    } else if (kind == TPI_PLAY_DEVICE_STATEMENT && token->kind == TPI_PLAY_T_NUMBER) {
        tpi_play_fix(tpi_play_lose(parser, "`number` is missing before this"), "number ",
                     token->text, "");
    } else if (token->kind == TPI_PLAY_T_NUMBER && token[-1].kind == TPI_PLAY_T_NUMBER &&
               strlen(token->text) == 3) {
        (void)snprintf(value, sizeof value, "%.30s%.30s", token[-1].text, token->text);
        tpi_play_fix(tpi_play_mark(parser, token - 1, token, "a number has no blank"), "", value,
                     "");
    } else if (tpi_play_is_word(token, "(") && token->is_attached) {
        tpi_play_fix(tpi_play_lose(parser, "a product is written with *"), "* (", "", "");
    } else if (token[-1].kind == TPI_PLAY_T_WORD &&
               tpi_play_meant(TPI_PLAY_MEANS_NUMBER, token[-1].text) != NULL) {
        parser->is_lost = true; /* `two seconds`: the number is reported */
    } else {
        return false;
    }
    return true;
}

void tpi_play_leftover(tpi_play_parser *parser, tpi_play_kind kind)
{
    static const char *const limits[] = {"for",     "timeout", "max",  "maximum",
                                         "maximal", "within",  "most", NULL};
    const tpi_play_token *token = tpi_play_peek(parser);

    if (token->kind == TPI_PLAY_T_BAD) {
        parser->is_lost = true;
        return;
    }
    if (is_comma(parser, token) || is_superfluous(parser, token, kind) ||
        is_statement(parser, token) || is_command(parser, token) || is_text(parser, token, kind) ||
        (kind == TPI_PLAY_DRIVE_STATEMENT && is_of_drive(parser, token)) ||
        is_word_too_many(parser, token) || is_second_condition(parser, token, kind) ||
        is_value_too_many(parser, token, kind) || is_operator(parser, token) ||
        is_mistyped(parser, token) || is_rest(parser, token) || lacks_limit(parser, token, kind) ||
        lacks_operator(parser, token, kind)) {
        return;
    }
    parser->kind = kind == TPI_PLAY_ELSE_STATEMENT ? TPI_PLAY_ELSE_IF_STATEMENT : parser->kind;
    if (kind == TPI_PLAY_ELSE_STATEMENT && tpi_play_sees_nearly(parser, "if")) {
        tpi_play_fix(tpi_play_lose(parser, "another condition stands behind `else if`"), "if", "",
                     "");
    } else if (kind == TPI_PLAY_ELSE_STATEMENT &&
               (token->kind == TPI_PLAY_T_WORD || token->kind == TPI_PLAY_T_NUMBER)) {
        tpi_play_fix(tpi_play_lose(parser, "another condition stands behind `else if`"), "if ",
                     token->text, "");
    } else if (tpi_play_is_word(token, "for") && kind < TPI_PLAY_STATEMENTS &&
               !tpi_play_has_body(kind) && kind != TPI_PLAY_WAIT_UNTIL_STATEMENT) {
        lose_time(parser, token);
    } else if (kind == TPI_PLAY_WAIT_UNTIL_STATEMENT && tpi_text_among(limits, token->text)) {
        tpi_play_fix(tpi_play_lose(parser, "the longest time stands behind `at most`"), "at most",
                     "", "");
    } else if (token->kind == TPI_PLAY_T_UNIT) {
        tpi_play_lose(parser, "a unit stands behind a number only");
    } else {
        tpi_play_lose(parser, "nothing more is expected on this line");
    }
}
