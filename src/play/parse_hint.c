/* parse_hint.c - what may have been meant by words that do not belong on a line. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "play/meant.h"
#include "play/parse.h"
#include "play/units.h"

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

/* Looked at first, since it is cheap: a program has many tokens, and few begin a line. */
static bool begins_line(const tpi_play_token *list, unsigned i)
{
    return i == 0 || list[i - 1].kind == TPI_PLAY_T_LINE_END;
}

bool tpi_play_is_declared(const tpi_play_parser *parser, const char *word, const char *name)
{
    const tpi_play_token *list = parser->tokens.list;

    for (unsigned i = 0; i + 1 < parser->tokens.count; i++) {
        if (begins_line(list, i) && tpi_play_is_word(&list[i], word) &&
            tpi_play_is_word(&list[i + 1], name)) {
            return true;
        }
    }
    return false;
}

const char *tpi_play_only(const tpi_play_parser *parser, const char *word)
{
    const tpi_play_token *list = parser->tokens.list;
    const char *found = NULL;

    for (unsigned i = 0; i + 1 < parser->tokens.count; i++) {
        if (begins_line(list, i) && tpi_play_is_word(&list[i], word) &&
            list[i + 1].kind == TPI_PLAY_T_WORD) {
            if (found != NULL) {
                return NULL;
            }
            found = list[i + 1].text;
        }
    }
    return found;
}

bool tpi_play_is_value(const tpi_play_token *token)
{
    return token->kind == TPI_PLAY_T_NUMBER || token->kind == TPI_PLAY_T_STRING ||
           tpi_play_is_word(token, "(") || tpi_play_is_word(token, "-") ||
           (token->kind == TPI_PLAY_T_WORD && !tpi_play_is_reserved(token->text));
}

bool tpi_play_has_statement(const tpi_play_parser *parser)
{
    const tpi_play_token *token = tpi_play_peek(parser);

    while (!tpi_play_ends(token) &&
           (token->kind != TPI_PLAY_T_WORD || tpi_play_is_word(token, "to") ||
            tpi_play_is_word(token, "do") ||
            (!tpi_play_begins_statement(tpi_play_lang_at(0), token->text) &&
             tpi_play_meant(TPI_PLAY_MEANS_STATEMENT, token->text) == NULL))) {
        token++;
    }
    return !tpi_play_ends(token);
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

unsigned tpi_play_line_of_end(const tpi_play_parser *parser, const tpi_play_node *opener)
{
    const tpi_play_token *list = parser->tokens.list;
    bool has_body = false;

    for (unsigned i = 1; i < parser->tokens.count; i++) {
        if (list[i - 1].kind != TPI_PLAY_T_LINE_END || list[i].line <= opener->line ||
            tpi_play_ends(&list[i]) || tpi_play_is_word(&list[i], "else")) {
            continue;
        }
        if (list[i].column <= opener->column) {
            return has_body ? list[i].line : 0;
        }
        has_body = true;
    }
    return 0;
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
        tpi_play_fix(tpi_play_lose(parser, "another word is expected here"), "to ", truth, "");
    } else if (strcmp(wanted, "be") == 0 && token->kind == TPI_PLAY_T_WORD &&
               (strcmp(token->text, "equal") == 0 || strcmp(token->text, "equals") == 0)) {
        tpi_play_fix(tpi_play_lose(parser, "another word is expected here"), "be", "", "");
    } else if (strcmp(wanted, "be") == 0 && tpi_play_is_word(token, "<") &&
               tpi_play_is_word(&token[1], "-") && token[1].is_attached) {
        tpi_play_fix(tpi_play_mark(parser, token, token + 1, "another word is expected here"), "be",
                     "", "");
        parser->is_lost = false;
        parser->at += 2;
    } else if (strcmp(wanted, "is") == 0 && tpi_play_is_word(token, ",")) {
        tpi_play_lose(parser, "each device has a line of its own: begin a new line here");
    } else if (strcmp(wanted, "to") == 0 && parser->kind == TPI_PLAY_SEND_STATEMENT &&
               tpi_play_ends(token) && tpi_play_only(parser, "channel") != NULL) {
        char sent[64];
        tpi_play_trouble *trouble =
            tpi_play_lose(parser, "`to` and a channel are missing behind this");
        (void)snprintf(sent, sizeof sent, "%.40s", trouble->word);
        tpi_play_fix(trouble, sent, " to ", tpi_play_only(parser, "channel"));
    } else if (strcmp(wanted, "times") == 0 && tpi_play_ends(token) && parser->at > 0 &&
               token[-1].kind == TPI_PLAY_T_UNIT) {
        tpi_play_fix(tpi_play_lose(parser, "another word is expected here"), "times", "", "");
    } else if (*wanted == ')' &&
               (token->kind == TPI_PLAY_T_WORD || token->kind == TPI_PLAY_T_NUMBER)) {
        tpi_play_fix(tpi_play_lose(parser, "a comma stands between two of them"), ", ", token->text,
                     "");
    } else {
        return false;
    }
    return true;
}

void tpi_play_take_for_name(tpi_play_parser *parser)
{
    tpi_play_token *token = &parser->tokens.list[parser->at];

    if (token->kind == TPI_PLAY_T_UNIT && !token->is_attached &&
        !tpi_play_unit_known(token->text) &&
        (tpi_play_is_declared(parser, "let", token->text) ||
         tpi_play_is_declared(parser, "device", token->text))) {
        token->kind = TPI_PLAY_T_WORD;
    }
}

bool tpi_play_is_used(const tpi_play_parser *parser, const tpi_play_token *word)
{
    for (unsigned i = 0; i < parser->tokens.count; i++) {
        if (parser->tokens.list[i].line != word->line &&
            tpi_play_is_word(&parser->tokens.list[i], word->text)) {
            return true;
        }
    }
    return false;
}

void tpi_play_guess_values(tpi_play_parser *parser, tpi_play_node *function)
{
    const tpi_play_token *token = tpi_play_peek(parser);
    tpi_play_node **end = &function->slots[1];
    char name[80];

    if (function->kind != TPI_PLAY_TO_STATEMENT || parser->is_lost || *end != NULL ||
        token->kind != TPI_PLAY_T_WORD || tpi_play_is_reserved(token->text)) {
        return;
    }
    if (!tpi_play_is_used(parser, token) && !tpi_play_is_used(parser, &token[-1])) {
        (void)snprintf(name, sizeof name, "%.38s_%.38s", token[-1].text, token->text);
        tpi_play_fix(tpi_play_mark(parser, token - 1, token, "a name is one word"), "", name, "");
        return;
    }
    if (!tpi_play_trouble_at(parser->troubles, token->line, token->column - 1)) { /* `:size` */
        tpi_play_fix(tpi_play_lose(parser, "the values of a function stand in ( )"), "(",
                     token->text, ")");
    }
    parser->is_lost = false;
    while (*end == NULL && tpi_play_peek(parser)->kind == TPI_PLAY_T_WORD &&
           (*end = tpi_play_parse_name(parser)) != NULL) {
        end = &(*end)->next;
        parser->at += tpi_play_sees(parser, ",");
    }
    parser->is_lost = true;
}
