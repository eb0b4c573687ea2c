/* parse_kind.c - which statement a line is, or may have been meant to be. */
#include "play/parse.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "play/meant.h"

/* ---- Which statement it is ---- */

/* How many leading words of a shape stand here; 0 if not all. */
static unsigned leading_words(const tpi_play_parser *parser, const char *shape)
{
    const tpi_play_token *token = tpi_play_peek(parser);
    unsigned slot = 0, count = 0;
    tpi_play_item item;

    while (tpi_play_item_next(&shape, &slot, &item) && item.sort == 'w') {
        if (token->kind != TPI_PLAY_T_WORD || strcmp(token->text, item.text) != 0) {
            return count > 0 && strcmp(item.text, "until") != 0 && strcmp(item.text, "if") != 0
                       ? count
                       : 0;
        }
        token++;
        count++;
    }
    return count;
}

tpi_play_kind tpi_play_kind_here(const tpi_play_parser *parser)
{
    const tpi_play_token *token = tpi_play_peek(parser);

    for (unsigned i = 0; i < TPI_PLAY_STATEMENTS; i++) {
        if (i != TPI_PLAY_CALL_STATEMENT &&
            leading_words(parser, tpi_play_statement_of((tpi_play_kind)i)->shape) > 0) {
            return (tpi_play_kind)i;
        }
    }
    return token[1].kind == TPI_PLAY_T_SYMBOL && strcmp(token[1].text, "(") == 0 &&
                   !tpi_play_is_reserved(token->text)
               ? TPI_PLAY_CALL_STATEMENT
               : TPI_PLAY_STATEMENTS;
}

bool tpi_play_begins_statement(const tpi_play_lang *lang, const char *word)
{
    for (unsigned i = 0; i < TPI_PLAY_STATEMENTS; i++) {
        const char *shape = tpi_play_lang_shape(lang, (tpi_play_kind)i);
        unsigned slot = 0;
        tpi_play_item item;
        if (tpi_play_item_next(&shape, &slot, &item) && item.sort == 'w' &&
            strcmp(item.text, word) == 0) {
            return true;
        }
    }
    return false;
}

bool tpi_play_near_statement(const char *word, unsigned distance)
{
    static const char *const alone[] = {"stop", "break", "return", "forever"};
    tpi_nearest nearest;

    tpi_nearest_init(&nearest, word);
    for (unsigned i = 0; i < sizeof alone / sizeof alone[0]; i++) {
        tpi_nearest_offer(&nearest, alone[i]);
    }
    return nearest.best != NULL && nearest.distance <= distance;
}

/* Whether the next line is indented more than this one. */
static bool has_deeper_line(const tpi_play_parser *parser)
{
    const tpi_play_token *first = tpi_play_peek(parser), *token = first;

    while (token->kind != TPI_PLAY_T_LINE_END) {
        token++;
    }
    return token + 1 < parser->tokens.list + parser->tokens.count &&
           token[1].kind != TPI_PLAY_T_LINE_END && token[1].column > first->column;
}

/* What a first word means in other languages; NULL if that is not known. */
static const char *meant_elsewhere(const tpi_play_parser *parser, const char *word)
{
    const char *known = tpi_play_meant(TPI_PLAY_MEANS_STATEMENT, word);
    const tpi_play_token *here = tpi_play_peek(parser);

    if (known != NULL && strcmp(known, "wait until") == 0 && has_deeper_line(parser)) {
        return "while not";
    }
    if (known != NULL && strcmp(known, "let") == 0 && here[1].kind == TPI_PLAY_T_WORD &&
        tpi_play_is_word(&here[2], "(")) {
        return "to"; /* `int main()` */
    }
    return known;
}

/* What a first word may have meant: a statement, a function. */
static const char *meant(const tpi_play_parser *parser, const char *word, char *room, size_t size)
{
    const char *known = meant_elsewhere(parser, word);
    tpi_nearest nearest;

    if (known != NULL) {
        return known;
    }
    tpi_nearest_init(&nearest, word);
    for (unsigned w = 0; w < parser->words->count; w++) {
        if (tpi_play_begins_statement(parser->words->lang, parser->words->list[w].word)) {
            tpi_nearest_offer(&nearest, parser->words->list[w].word);
        }
    }
    for (unsigned w = 0; tpi_play_reserved(w) != NULL; w++) {
        if (tpi_play_begins_statement(tpi_play_lang_at(0), tpi_play_reserved(w))) {
            tpi_nearest_offer(&nearest, tpi_play_reserved(w));
        }
    }
    for (unsigned i = 0; i + 1 < parser->tokens.count; i++) {
        if (parser->tokens.list[i].kind == TPI_PLAY_T_WORD &&
            strcmp(parser->tokens.list[i].text, "to") == 0 &&
            parser->tokens.list[i + 1].kind == TPI_PLAY_T_WORD &&
            (i == 0 || parser->tokens.list[i - 1].kind == TPI_PLAY_T_LINE_END)) {
            tpi_nearest_offer(&nearest, parser->tokens.list[i + 1].text);
        }
    }
    if (nearest.best == NULL || tpi_play_is_far(&nearest)) {
        return NULL;
    }
    if (tpi_play_is_reserved(nearest.best)) {
        return nearest.best;
    }
    const char *english = tpi_play_words_english(
        parser->words, tpi_play_lang_kind(parser->words->lang, nearest.best, ""), nearest.best);
    if (english != NULL) {
        return english;
    }
    snprintf(room, size, "%.60s()", nearest.best);
    return room;
}

/* `for i in range(10)`: the last number of the line is how often. */
static void offer_count(tpi_play_trouble *trouble, const tpi_play_token *token)
{
    for (; !tpi_play_ends(token); token++) {
        if (token->kind == TPI_PLAY_T_NUMBER) {
            tpi_play_fix(trouble, "repeat ", token->text, " times");
        }
    }
}

/* Whether a statement begins here by a word that means nothing else. */
static bool begins_here(const tpi_play_token *token)
{
    return token->kind == TPI_PLAY_T_WORD && tpi_play_is_reserved(token->text) &&
           !tpi_play_is_word(token, "to") && !tpi_play_is_word(token, "do") &&
           tpi_play_begins_statement(tpi_play_lang_at(0), token->text);
}

/* `turn on lamp`, `switch lamp off` */
static bool offer_switch(tpi_play_trouble *trouble, const tpi_play_token *token)
{
    const bool is_first = token[1].kind == TPI_PLAY_T_WORD &&
                          tpi_play_meant(TPI_PLAY_MEANS_TRUTH, token[1].text) != NULL;
    const tpi_play_token *state = &token[is_first ? 1 : 2], *device = &token[is_first ? 2 : 1];

    if (tpi_play_ends(&token[1]) || tpi_play_ends(&token[2]) || !tpi_play_ends(&token[3]) ||
        state->kind != TPI_PLAY_T_WORD || device->kind != TPI_PLAY_T_WORD ||
        tpi_play_meant(TPI_PLAY_MEANS_TRUTH, state->text) == NULL) {
        return false;
    }
    snprintf(trouble->text, sizeof trouble->text, "a device is written with `set`");
    snprintf(trouble->fix, sizeof trouble->fix, "set %.40s to %s", device->text,
             tpi_play_meant(TPI_PLAY_MEANS_TRUTH, state->text));
    return true;
}

/* More of the line than its first word is written in another way here. */
static void offer_rest(tpi_play_trouble *trouble, tpi_play_token *token, const char *best)
{
    const bool is_right =
        tpi_play_is_word(&token[1], "right") || tpi_play_is_word(&token[1], "rechts");

    if (offer_switch(trouble, token)) {
        return;
    }
    if (strcmp(best, "drive 0 turn") == 0 && is_right) {
        strcpy(trouble->fix, "drive 0 turn -");
    } else if (strcmp(best, "tone") == 0 && tpi_play_ends(&token[1])) {
        strcpy(trouble->fix, "tone 440 for 0.5 s");
    } else if (strcmp(best, "let") == 0 && token[1].kind == TPI_PLAY_T_WORD &&
               tpi_play_is_word(&token[2], "=")) {
        snprintf(trouble->text, sizeof trouble->text, "a variable is set with `let`");
        snprintf(trouble->fix, sizeof trouble->fix, "let %.60s be", token[1].text);
        token[2].kind = TPI_PLAY_T_WORD;
        token[2].text = "be";
    }
}

/* A line that begins with no word; `--` begins a comment elsewhere. */
static void lose_symbol(tpi_play_parser *parser, const tpi_play_token *token)
{
    if (token->kind == TPI_PLAY_T_WORD) {
        return; /* reported */
    }
    if (tpi_play_is_word(token, "-") && tpi_play_is_word(&token[1], "-")) {
        tpi_play_fix(tpi_play_mark(parser, token, token + 1, "a comment begins with #"), "#", "",
                     "");
    } else if (token->kind == TPI_PLAY_T_NUMBER && tpi_play_is_word(&token[1], "times")) {
        tpi_play_fix(tpi_play_lose(parser, "`repeat` is missing before this"), "repeat ",
                     token->text, "");
        parser->is_lost = false;
        parser->is_bare = true;
    } else if (token->kind == TPI_PLAY_T_NUMBER && token[1].kind == TPI_PLAY_T_WORD &&
               tpi_play_begins_statement(tpi_play_lang_at(0), token[1].text)) {
        tpi_play_lose(parser, "leave it out: lines have no numbers");
    } else if (token->kind == TPI_PLAY_T_NUMBER && token[1].kind == TPI_PLAY_T_UNIT &&
               strcmp(token[1].text, "s") == 0) {
        tpi_play_fix(tpi_play_lose(parser, "`wait` is missing before this"), "wait ", token->text,
                     "");
    } else if (token->kind == TPI_PLAY_T_STRING && tpi_play_ends(&token[1])) {
        tpi_play_trouble *trouble = tpi_play_lose(parser, "`print` is missing before this");
        (void)snprintf(trouble->fix, sizeof trouble->fix, "print %s", trouble->word);
    } else if (token->kind != TPI_PLAY_T_BAD) {
        tpi_play_lose(parser, "a statement begins with a word");
    }
}

/* The statement whose first word is missing; TPI_PLAY_STATEMENTS for none. */
static tpi_play_kind bare_kind(const tpi_play_parser *parser, const tpi_play_token *token)
{
    return !parser->is_bare                    ? TPI_PLAY_STATEMENTS
           : token->kind != TPI_PLAY_T_WORD    ? TPI_PLAY_REPEAT_STATEMENT
           : tpi_play_is_word(&token[1], "is") ? TPI_PLAY_DEVICE_STATEMENT
                                               : TPI_PLAY_LET_STATEMENT;
}

/* Whether nothing of the rest of a line is that of the statement that its first word stands for. */
static bool is_all_odd(const tpi_play_token *rest, tpi_play_kind kind, bool is_for, bool is_foreign)
{
    if (kind == TPI_PLAY_STATEMENTS) {
        return true;
    }
    if (is_for && kind == TPI_PLAY_REPEAT_STATEMENT) {
        return rest->kind == TPI_PLAY_T_WORD; /* `for i = 1 to 10` has a body */
    }
    return is_foreign && !tpi_play_has_body(kind) && kind != TPI_PLAY_LET_STATEMENT &&
           tpi_play_statement_of(kind)->place == TPI_PLAY_ANY;
}

/* A statement that begins with no known word: it is reported, and read as what it may have meant.
 */
tpi_play_kind tpi_play_guess(tpi_play_parser *parser)
{
    tpi_play_token *token = &parser->tokens.list[parser->at];
    char room[80];

    if (token->kind != TPI_PLAY_T_WORD || tpi_play_guess_line(parser)) {
        lose_symbol(parser, token);
        return bare_kind(parser, token);
    }
    if (tpi_play_guess_lang(parser)) {
        return tpi_play_kind_here(parser);
    }
    const bool is_for = strcmp(token->text, "for") == 0;
    const bool is_foreign = tpi_play_meant(TPI_PLAY_MEANS_STATEMENT, token->text) != NULL;
    const char *best = meant(parser, token->text, room, sizeof room);
    if ((is_foreign || best == NULL) && !is_for && begins_here(&token[1])) {
        tpi_play_lose(parser, "leave it out: the statement begins behind it");
        return TPI_PLAY_STATEMENTS;
    }
    tpi_play_trouble *trouble = tpi_play_lose(parser, tpi_play_is_reserved(token->text)
                                                          ? "no statement begins with this word"
                                                          : "there is no such statement");
    if (best == NULL) {
        return TPI_PLAY_STATEMENTS;
    }
    snprintf(trouble->fix, sizeof trouble->fix, "%s", best);
    if (is_for) {
        offer_count(trouble, token);
    } else if (is_foreign) {
        offer_rest(trouble, token, best);
    }
    token->text = tpi_arena_text(&parser->tree->arena, best, strcspn(best, " "));
    if (token->text == NULL) {
        parser->troubles->no_memory = true;
        return TPI_PLAY_STATEMENTS;
    }
    const tpi_play_kind kind = tpi_play_kind_here(parser);
    parser->is_lost = is_all_odd(&token[1], kind, is_for, is_foreign);
    return kind;
}
