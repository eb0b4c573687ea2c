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

/* What a first word may have meant: a statement, a function. */
static const char *meant(const tpi_play_parser *parser, const char *word, char *room, size_t size)
{
    const char *known = tpi_play_meant(TPI_PLAY_MEANS_STATEMENT, word);
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

/* A line that begins with no word; `--` begins a comment elsewhere. */
static void lose_symbol(tpi_play_parser *parser, const tpi_play_token *token)
{
    if (tpi_play_is_word(token, "-") && tpi_play_is_word(&token[1], "-")) {
        tpi_play_fix(tpi_play_mark(parser, token, token + 1, "a comment begins with #"), "#", "",
                     "");
    } else if (token->kind != TPI_PLAY_T_BAD) {
        tpi_play_lose(parser, "a statement begins with a word");
    }
}

/* A statement that begins with no known word: it is reported, and read as what it may have meant.
 */
tpi_play_kind tpi_play_guess(tpi_play_parser *parser)
{
    tpi_play_token *token = &parser->tokens.list[parser->at];
    char room[80];

    if (token->kind != TPI_PLAY_T_WORD) {
        lose_symbol(parser, token);
        return TPI_PLAY_STATEMENTS;
    }
    if (tpi_play_guess_line(parser)) {
        return parser->is_bare ? TPI_PLAY_LET_STATEMENT : TPI_PLAY_STATEMENTS;
    }
    if (tpi_play_guess_lang(parser)) {
        return tpi_play_kind_here(parser);
    }
    const bool is_for = strcmp(token->text, "for") == 0;
    const char *best = meant(parser, token->text, room, sizeof room);
    tpi_play_trouble *trouble = tpi_play_lose(parser, tpi_play_is_reserved(token->text)
                                                          ? "no statement begins with this word"
                                                          : "there is no such statement");
    if (best == NULL) {
        return TPI_PLAY_STATEMENTS;
    }
    snprintf(trouble->fix, sizeof trouble->fix, "%s", best);
    if (is_for) {
        offer_count(trouble, token);
    }
    token->text = tpi_arena_text(&parser->tree->arena, best, strcspn(best, " "));
    if (token->text == NULL) {
        parser->troubles->no_memory = true;
        return TPI_PLAY_STATEMENTS;
    }
    const tpi_play_kind kind = tpi_play_kind_here(parser);
    /* `for i = 1 to 10` has a body, but nothing of its line is that of `repeat`. */
    parser->is_lost = kind == TPI_PLAY_STATEMENTS || (is_for && kind == TPI_PLAY_REPEAT_STATEMENT &&
                                                      token[1].kind == TPI_PLAY_T_WORD);
    return kind;
}
