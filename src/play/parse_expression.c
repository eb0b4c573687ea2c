/* parse_expression.c - the parser of expressions. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "play/meant.h"
#include "play/parse.h"
#include "play/units.h"

/* Operators by rank, weakest first. Comparisons do not chain. */
static const char *const ranks[][7] = {
    {"or", NULL},     {"and", NULL},           {"=", "<>", "<", "<=", ">", ">=", NULL},
    {"+", "-", NULL}, {"*", "/", "mod", NULL},
};
enum { RANK_AND = 1, RANK_COMPARE = 2, RANKS = 5 };

static tpi_play_node *parse_rank(tpi_play_parser *parser, unsigned rank);

static tpi_play_node *take(tpi_play_parser *parser, tpi_play_kind kind)
{
    tpi_play_node *node = tpi_play_node_here(parser, kind);

    if (node != NULL) {
        node->text = tpi_play_peek(parser)->text;
        parser->at++;
    }
    return node;
}

/* The tree of an expression grew by a node. */
static void grow(tpi_play_parser *parser, tpi_play_node *node)
{
    for (unsigned i = 0; i < TPI_PLAY_MOST_SLOTS; i++) {
        for (const tpi_play_node *part = node->slots[i]; part != NULL; part = part->next) {
            node->height = part->height >= node->height ? part->height + 1 : node->height;
        }
    }
    if (node->height > TPI_PLAY_MOST_HEIGHT && !parser->is_lost) {
        tpi_play_lose(parser, "the expression is too long: put a part of it into a variable");
    }
}

/* A word behind a number that is no unit: a mistyped word of the language, such as `turn`? */
static bool is_other_word(const tpi_play_parser *parser, const char *text)
{
    static const char *const limits[] = {"max", "maximum", "within", NULL};
    static const char *const words[] = {"turn", "times", "at",    "for",  "to",    "and",     "or",
                                        "mod",  "left",  "right", "then", "begin", "timeout", NULL};
    tpi_nearest nearest;

    if (tpi_play_unit_known(text)) {
        return false;
    }
    if (!tpi_play_ends(tpi_play_peek(parser) + 1) &&
        (tpi_text_among(limits, text) || tpi_play_meant(TPI_PLAY_MEANS_OPERATOR, text) != NULL)) {
        return true;
    }
    tpi_nearest_init(&nearest, text);
    for (unsigned i = 0; words[i] != NULL; i++) {
        tpi_nearest_offer(&nearest, words[i]);
    }
    for (unsigned i = 0; tpi_play_unit_at(i) != NULL; i++) {
        tpi_nearest_offer(&nearest, tpi_play_unit_at(i)->name);
    }
    for (unsigned i = 0; i < parser->words->count; i++) {
        tpi_nearest_offer(&nearest, parser->words->list[i].word);
    }
    /* "tims" is nearer to "times" than to "ms" */
    return nearest.best != NULL && (tpi_text_among(words, nearest.best) ||
                                    tpi_play_words_have(parser->words, nearest.best));
}

static tpi_play_node *parse_number(tpi_play_parser *parser)
{
    tpi_play_node *node = take(parser, TPI_PLAY_NUMBER);

    if (node != NULL && tpi_play_peek(parser)->kind == TPI_PLAY_T_UNIT &&
        !is_other_word(parser, tpi_play_peek(parser)->text)) {
        node->unit = tpi_play_peek(parser)->text;
        node->unit_column = tpi_play_peek(parser)->column;
        parser->at++;
    }
    return node;
}

/* `(` values `)` behind a name. */
static tpi_play_node *parse_call(tpi_play_parser *parser)
{
    tpi_play_node *node = take(parser, TPI_PLAY_CALL);

    if (node == NULL) {
        return NULL;
    }
    parser->at++;
    if (!tpi_play_sees(parser, ")")) {
        node->slots[0] = tpi_play_parse_expressions(parser);
    }
    if (!parser->is_lost && !tpi_play_sees(parser, ")")) {
        const bool is_end = tpi_play_at_line_end(parser);
        tpi_play_trouble *trouble =
            tpi_play_lose(parser, "the values of `%s` end with `)`", node->text);
        snprintf(trouble->fix, sizeof trouble->fix, "%s%.60s%s", is_end ? "" : ", ", trouble->word,
                 is_end ? ")" : "");
    }
    parser->at += !parser->is_lost;
    grow(parser, node);
    return parser->is_lost ? NULL : node; /* of half a call nothing can be said */
}

static tpi_play_node *parse_group(tpi_play_parser *parser)
{
    tpi_play_node *node = tpi_play_node_here(parser, TPI_PLAY_GROUP);

    if (node == NULL) {
        return NULL;
    }
    parser->at++;
    node->slots[0] = tpi_play_parse_expression(parser);
    if (!parser->is_lost && !tpi_play_sees(parser, ")")) {
        const bool is_end = tpi_play_at_line_end(parser);
        tpi_play_trouble *trouble = tpi_play_lose(parser, "a `(` is open: `)` is missing");
        snprintf(trouble->fix, sizeof trouble->fix, "%.60s%s", is_end ? trouble->word : "",
                 is_end ? ")" : "");
    }
    parser->at += !parser->is_lost;
    grow(parser, node);
    return node;
}

/* Whether a value can begin with the next token. */
static bool begins_value(const tpi_play_parser *parser)
{
    static const char *const words[] = {"true", "false", "not", "do", "message", NULL};
    const tpi_play_token *token = tpi_play_peek(parser);

    return token->kind == TPI_PLAY_T_NUMBER || token->kind == TPI_PLAY_T_STRING ||
           (token->kind == TPI_PLAY_T_WORD &&
            (!tpi_play_is_reserved(token->text) || tpi_text_among(words, token->text))) ||
           tpi_play_sees(parser, "(") || tpi_play_sees(parser, "-");
}

static tpi_play_node *parse_do(tpi_play_parser *parser)
{
    tpi_play_node *node = tpi_play_node_here(parser, TPI_PLAY_DO);

    if (node == NULL) {
        return NULL;
    }
    parser->at++;
    if (tpi_play_peek(parser)->kind != TPI_PLAY_T_WORD) {
        tpi_play_lose(parser, "the name of a command stands behind `do`");
        return node;
    }
    const tpi_play_token *word = tpi_play_peek(parser);
    node->text = word->source;
    node->line = word->line;
    node->column = word->column;
    node->width = word->width;
    parser->at++;
    if (begins_value(parser)) {
        node->slots[0] = tpi_play_parse_expressions(parser);
        grow(parser, node);
    }
    return node;
}

static tpi_play_node *parse_message(tpi_play_parser *parser)
{
    tpi_play_node *node = tpi_play_node_here(parser, TPI_PLAY_MESSAGE);

    if (node == NULL) {
        return NULL;
    }
    parser->at++;
    if (!tpi_play_sees(parser, "from")) {
        const tpi_play_token *token = tpi_play_peek(parser);
        const bool is_typo =
            token->kind == TPI_PLAY_T_WORD && token[1].kind == TPI_PLAY_T_WORD; /* `of` */
        const bool is_name =
            token->kind == TPI_PLAY_T_WORD && !tpi_play_is_reserved(token->text) && !is_typo;
        tpi_play_trouble *trouble =
            tpi_play_lose(parser, "`from` and a channel stand behind `message`");
        snprintf(trouble->fix, sizeof trouble->fix, "from%s%.60s", is_name ? " " : "",
                 is_name ? token->text : "");
        return node;
    }
    parser->at++;
    node->slots[0] = tpi_play_parse_name(parser);
    return node;
}

static tpi_play_node *parse_word(tpi_play_parser *parser)
{
    const tpi_play_token *token = tpi_play_peek(parser);

    if (strcmp(token->text, "true") == 0 || strcmp(token->text, "false") == 0) {
        return take(parser, TPI_PLAY_TRUTH);
    }
    if (strcmp(token->text, "do") == 0) {
        return parse_do(parser);
    }
    if (strcmp(token->text, "message") == 0) {
        return parse_message(parser);
    }
    const tpi_play_token *next = token + 1;
    if ((parser->kind == TPI_PLAY_WAIT_STATEMENT || parser->kind == TPI_PLAY_DRIVE_STATEMENT) &&
        next->kind == TPI_PLAY_T_NUMBER &&
        tpi_play_meant(TPI_PLAY_MEANS_NOTHING, token->text) != NULL) {
        tpi_play_lose(parser, "leave it out: the value stands here");
        return NULL;
    }
    static const char *const backs[] = {"backwards", "backward", "back", "reverse", NULL};
    if (parser->kind == TPI_PLAY_DRIVE_STATEMENT && next->kind == TPI_PLAY_T_NUMBER &&
        tpi_text_among(backs, token->text)) {
        strcpy(tpi_play_lose(parser, "it drives backwards with a number below 0")->fix, "-");
        return NULL;
    }
    if (tpi_play_is_reserved(token->text)) {
        tpi_play_lose(parser, "a value is missing before this word");
        return NULL;
    }
    return next->kind == TPI_PLAY_T_SYMBOL && strcmp(next->text, "(") == 0
               ? parse_call(parser)
               : take(parser, TPI_PLAY_NAME);
}

static tpi_play_node *parse_primary(tpi_play_parser *parser)
{
    switch (tpi_play_peek(parser)->kind) {
    case TPI_PLAY_T_NUMBER:
        return parse_number(parser);
    case TPI_PLAY_T_STRING:
        return take(parser, TPI_PLAY_STRING);
    case TPI_PLAY_T_WORD:
        return parse_word(parser);
    case TPI_PLAY_T_BAD:
        parser->is_lost = true; /* reported already */
        return NULL;
    default:
        if (tpi_play_sees(parser, "(")) {
            return parse_group(parser);
        }
        tpi_play_lose(parser, tpi_play_at_line_end(parser) ? "a value is missing behind this"
                              : tpi_play_sees(parser, "+")
                                  ? "leave it out: a number above 0 has no sign"
                                  : "a value is expected here");
        return NULL;
    }
}

/* `-` binds stronger than all operators, `not` stands between `and` and the comparisons. */
static tpi_play_node *parse_prefixed(tpi_play_parser *parser, tpi_play_kind kind, unsigned rank)
{
    tpi_play_node *node = tpi_play_node_here(parser, kind);

    if (node == NULL || ++parser->depth > TPI_PLAY_MOST_DEPTH) {
        tpi_play_lose(parser, "the expression is nested too deep");
        parser->depth -= node != NULL;
        return NULL;
    }
    parser->at++;
    node->slots[0] = parse_rank(parser, rank);
    grow(parser, node);
    parser->depth--;
    return node;
}

static const char *operator_here(const tpi_play_parser *parser, unsigned rank)
{
    const tpi_play_token *token = tpi_play_peek(parser);

    if (token->kind != TPI_PLAY_T_WORD && token->kind != TPI_PLAY_T_SYMBOL) {
        return NULL;
    }
    for (unsigned i = 0; ranks[rank][i] != NULL; i++) {
        if (strcmp(token->text, ranks[rank][i]) == 0) {
            return ranks[rank][i];
        }
    }
    return NULL;
}

/* `20 < n < 50`: two comparisons of a value that is a name or a number. */
static void refuse_chain(tpi_play_parser *parser, const tpi_play_node *left, const char *operator)
{
    const tpi_play_node *middle = left->slots[1];
    tpi_play_trouble *trouble =
        tpi_play_lose(parser, "comparisons do not chain: join two of them with `and`");

    if (middle != NULL && (middle->kind == TPI_PLAY_NAME || middle->kind == TPI_PLAY_NUMBER)) {
        snprintf(trouble->fix, sizeof trouble->fix, "and %.60s %s", middle->text, operator);
    }
}

/* `n > 20 and < 50`: what is compared is missing. */
static bool lacks_left(tpi_play_parser *parser, const tpi_play_node *left)
{
    const char *operator= operator_here(parser, RANK_COMPARE);
    const tpi_play_node *first = left != NULL ? left->slots[0] : NULL;

    if (operator== NULL || first == NULL || first->kind != TPI_PLAY_NAME) {
        return false;
    }
    snprintf(tpi_play_lose(parser, "a value is missing before this")->fix, 80, "%.60s %s",
             first->text, operator);
    return true;
}

static tpi_play_node *parse_rank(tpi_play_parser *parser, unsigned rank)
{
    if (rank == RANK_COMPARE && tpi_play_sees(parser, "not")) {
        return parse_prefixed(parser, TPI_PLAY_NOT, RANK_COMPARE);
    }
    if (rank == RANKS) {
        return tpi_play_sees(parser, "-") ? parse_prefixed(parser, TPI_PLAY_NEGATIVE, RANKS)
                                          : parse_primary(parser);
    }
    tpi_play_node *left = parse_rank(parser, rank + 1);
    const char *operator;
    unsigned count = 0;
    while (!parser->is_lost && (operator= operator_here(parser, rank)) != NULL) {
        if (rank == RANK_COMPARE && count++ > 0) {
            refuse_chain(parser, left, operator);
            break;
        }
        const tpi_play_token *next = tpi_play_peek(parser) + 1;
        if (parser->kind == TPI_PLAY_DRIVE_STATEMENT && rank == RANK_AND &&
            next->kind == TPI_PLAY_T_WORD && strcmp(next->text, "turn") == 0) {
            tpi_play_lose(parser, "leave it out: `turn` stands behind the speed");
            return left;
        }
        tpi_play_node *node = tpi_play_node_here(parser, TPI_PLAY_BINARY);
        if (node == NULL) {
            return left;
        }
        parser->at++;
        if (rank <= RANK_AND && lacks_left(parser, left)) {
            return left;
        }
        node->text = operator;
        node->slots[0] = left;
        node->slots[1] = parse_rank(parser, rank + 1);
        grow(parser, node);
        left = node;
    }
    return left;
}

tpi_play_node *tpi_play_parse_expression(tpi_play_parser *parser)
{
    tpi_play_node *node = NULL;

    if (++parser->depth > TPI_PLAY_MOST_DEPTH) {
        tpi_play_lose(parser, "the expression is nested too deep");
    } else {
        node = parse_rank(parser, 0);
    }
    parser->depth--;
    return node;
}

tpi_play_node *tpi_play_parse_expressions(tpi_play_parser *parser)
{
    tpi_play_node *first = tpi_play_parse_expression(parser), *last = first;

    while (last != NULL && !parser->is_lost && tpi_play_sees(parser, ",")) {
        parser->at++;
        last->next = tpi_play_parse_expression(parser);
        last = last->next;
    }
    return first;
}
