/* parse_kind.c - which statement a line is, or may have been meant to be. */
#include "play/parse.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

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

/* Words of other languages. */
static const struct {
    const char *word, *fix;
} foreign[] = {
    {"function", "to"},       {"def", "to"},        {"func", "to"},
    {"define", "to"},         {"var", "let"},       {"loop", "forever"},
    {"for", "repeat"},        {"sleep", "wait"},    {"delay", "wait"},
    {"turn", "drive 0 turn"}, {"forward", "drive"}, {"halt", "stop"},
    {"play", "tone"},         {"call", "do"},       {"sensor", "device"},
    {"motor", "device"},      {"write", "print"},   {"echo", "print"},
    {"until", "wait until"},  {"every", "when"},    {"on", "when"},
    {"exit", "break"},
};

/* What a first word may have meant: a statement, a function. */
static const char *meant(const tpi_play_parser *parser, const char *word, char *room, size_t size)
{
    tpi_nearest nearest;
    unsigned slot = 0;
    tpi_play_item item;

    for (unsigned i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        if (strcmp(foreign[i].word, word) == 0) {
            return foreign[i].fix;
        }
    }
    tpi_nearest_init(&nearest, word);
    for (unsigned i = 0; i < TPI_PLAY_STATEMENTS; i++) {
        const char *shape = tpi_play_statement_of((tpi_play_kind)i)->shape;
        if (tpi_play_item_next(&shape, &slot, &item) && item.sort == 'w') {
            for (unsigned w = 0; tpi_play_reserved(w) != NULL; w++) {
                if (strcmp(tpi_play_reserved(w), item.text) == 0) {
                    tpi_nearest_offer(&nearest, tpi_play_reserved(w));
                }
            }
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
    snprintf(room, size, "%.60s()", nearest.best);
    return room;
}

/* A statement that begins with no known word: it is reported, and read as what it may have meant.
 */
tpi_play_kind tpi_play_guess(tpi_play_parser *parser)
{
    tpi_play_token *token = &parser->tokens.list[parser->at];
    char room[80];

    if (token->kind != TPI_PLAY_T_WORD) {
        if (token->kind != TPI_PLAY_T_BAD) {
            tpi_play_lose(parser, "a statement begins with a word");
        }
        return TPI_PLAY_STATEMENTS;
    }
    if (tpi_play_guess_line(parser)) {
        return TPI_PLAY_STATEMENTS;
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
    token->text = tpi_arena_text(&parser->tree->arena, best, strlen(best));
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
