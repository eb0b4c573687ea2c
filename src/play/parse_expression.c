/* parse_expression.c - the parser of expressions. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "play/check.h"
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
    static const char *const limits[] = {"max", "maximum", "maximal", "within", NULL};
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

    tpi_play_take_for_name(parser);
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
        parser->calls++;
        node->slots[0] = tpi_play_parse_expressions(parser);
        parser->calls--;
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

/* Whether a token stands behind the first word of its line. */
static bool is_second(const tpi_play_parser *parser, const tpi_play_token *token)
{
    const tpi_play_token *list = parser->tokens.list;

    return token == list + 1 || (token > list + 1 && token[-2].kind == TPI_PLAY_T_LINE_END);
}

static tpi_play_node *parse_group(tpi_play_parser *parser)
{
    tpi_play_node *node = tpi_play_node_here(parser, TPI_PLAY_GROUP);

    if (node == NULL) {
        return NULL;
    }
    parser->at++;
    const tpi_play_token *open = tpi_play_peek(parser) - 1;
    node->slots[0] = tpi_play_parse_expression(parser);
    if (!parser->is_lost && tpi_play_sees(parser, ",") && is_second(parser, open)) {
        tpi_play_mark(parser, open, open, "leave it out: the values stand here without ( )");
    } else if (!parser->is_lost && !tpi_play_sees(parser, ")")) {
        const bool is_end = tpi_play_at_line_end(parser);
        tpi_play_trouble *trouble =
            tpi_play_lose(parser, is_end ? "a `(` is open: `)` is missing"
                                         : "a sign, such as + or ), is missing before this");
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
        const char *channel = tpi_play_only(parser, "channel");
        if (token->kind != TPI_PLAY_T_WORD && token->kind != TPI_PLAY_T_STRING) {
            tpi_play_trouble *bare = tpi_play_mark(parser, token - 1, token - 1,
                                                   "`from` and a channel stand behind `message`");
            tpi_play_fix(bare, "message from ", channel != NULL ? channel : "…", "");
            return node;
        }
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

/* A word of the language where a value must stand. */
static void lose_reserved(tpi_play_parser *parser, const tpi_play_token *token)
{
    const char *truth = tpi_play_meant(TPI_PLAY_MEANS_TRUTH, token->source);

    if (truth != NULL && tpi_play_ends(&token[1])) { /* `stelle lampe auf an` */
        strcpy(tpi_play_lose(parser, "a value is expected here")->fix, truth);
    } else if (parser->kind == TPI_PLAY_WAIT_STATEMENT && tpi_play_is_word(token, "for") &&
               !tpi_play_ends(&token[1])) {
        strcpy(tpi_play_lose(parser, "a condition stands behind `wait until`")->fix, "until");
    } else {
        tpi_play_lose(parser, strcmp(token[-1].source, token->source) == 0
                                  ? "leave it out: it stands here twice"
                                  : "a value is missing before this word");
    }
}

/* `mesage from crew`, `drive 50 turn right 20` */
static bool is_odd_word(tpi_play_parser *parser, const tpi_play_token *token,
                        const tpi_play_token *next)
{
    const bool is_right = strcmp(token->text, "right") == 0 || strcmp(token->text, "rechts") == 0;
    const bool is_left = strcmp(token->text, "left") == 0 || strcmp(token->text, "links") == 0;

    if (tpi_play_unit_named(token->text) != NULL && next->kind == TPI_PLAY_T_NUMBER &&
        !tpi_play_is_declared(parser, "let", token->text)) {
        snprintf(tpi_play_lose(parser, "a unit stands behind its number")->fix, 80, "%.40s %.20s",
                 next->text, token->text);
    } else if (tpi_play_is_word(next, "from")) {
        strcpy(tpi_play_lose(parser, "a message is read with `message from`")->fix, "message");
    } else if (parser->kind == TPI_PLAY_DRIVE_STATEMENT && next->kind == TPI_PLAY_T_NUMBER &&
               is_right) {
        strcpy(tpi_play_lose(parser, "it turns right with a number below 0")->fix, "-");
    } else if (parser->kind == TPI_PLAY_DRIVE_STATEMENT && next->kind == TPI_PLAY_T_NUMBER &&
               is_left) {
        tpi_play_lose(parser, "leave it out: it turns left with a number above 0");
    } else {
        return false;
    }
    return true;
}

/* `wait for 2 s`, `drive backwards 50` */
static bool is_before_number(tpi_play_parser *parser, const tpi_play_token *token,
                             const tpi_play_token *next)
{
    static const char *const backs[] = {"backwards", "backward",  "back",
                                        "reverse",   "rückwärts", NULL};
    const bool is_drive = parser->kind == TPI_PLAY_DRIVE_STATEMENT;

    if (next->kind != TPI_PLAY_T_NUMBER || (!is_drive && parser->kind != TPI_PLAY_WAIT_STATEMENT) ||
        tpi_play_is_declared(parser, "let", token->text)) {
        return false;
    }
    if (tpi_play_meant(TPI_PLAY_MEANS_NOTHING, token->text) != NULL) {
        tpi_play_lose(parser, "leave it out: the value stands here");
        return true;
    }
    if (is_drive && tpi_text_among(backs, token->text)) {
        strcpy(tpi_play_lose(parser, "it drives backwards with a number below 0")->fix, "-");
        return true;
    }
    return false;
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
    if (is_before_number(parser, token, next)) {
        return NULL;
    }
    if (tpi_play_is_reserved(token->text)) {
        lose_reserved(parser, token);
        return NULL;
    }
    if (is_odd_word(parser, token, next)) {
        return NULL;
    }
    if ((next->kind == TPI_PLAY_T_NUMBER ||
         (next->kind == TPI_PLAY_T_WORD && !tpi_play_is_reserved(next->text))) &&
        (tpi_play_math_named(token->text) >= 0 ||
         tpi_play_is_declared(parser, "to", token->text))) {
        snprintf(
            tpi_play_mark(parser, token, next, "this is a function: its values stand in ( )")->fix,
            80, "%.30s(%.40s)", token->text, next->text);
        return NULL;
    }
    return next->kind == TPI_PLAY_T_SYMBOL && strcmp(next->text, "(") == 0
               ? parse_call(parser)
               : take(parser, TPI_PLAY_NAME);
}

/* `print x,` */
static bool ends_row(const tpi_play_parser *parser)
{
    return parser->kind == TPI_PLAY_PRINT_STATEMENT && parser->at > 0 &&
           tpi_play_is_word(tpi_play_peek(parser) - 1, ",");
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
        tpi_play_lose(parser, tpi_play_at_line_end(parser)
                                  ? (ends_row(parser) ? "leave it out: nothing follows"
                                                      : "a value is missing behind this")
                              : tpi_play_sees(parser, "+")
                                  ? "leave it out: a number above 0 has no sign"
                              : tpi_play_sees(parser, "=") ? "leave it out: a value stands here"
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

/* `drive 50 and turn 20`, `drive 50 and wait 1 s` */
static bool joins_statements(tpi_play_parser *parser, const tpi_play_token *next)
{
    if (parser->kind == TPI_PLAY_DRIVE_STATEMENT && tpi_play_is_word(next, "turn")) {
        tpi_play_lose(parser, "leave it out: `turn` stands behind the speed");
    } else if (next->kind == TPI_PLAY_T_WORD && !tpi_play_is_word(next, "do") &&
               tpi_play_begins_statement(tpi_play_lang_at(0), next->text)) {
        tpi_play_lose(parser, "each statement stands on its own line: begin a new line here");
    } else {
        return false;
    }
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
        if (rank <= RANK_AND && joins_statements(parser, next)) {
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

/* `f(1 2)`: the comma is reported, and taken for there. */
static bool lacks_comma(tpi_play_parser *parser)
{
    const tpi_play_token *token = tpi_play_peek(parser);
    const bool is_inside = parser->calls > 0 || parser->kind == TPI_PLAY_CALL_STATEMENT;

    if (!is_inside || !tpi_play_is_value(token) || tpi_play_is_word(token, "(") ||
        tpi_play_is_word(token, "-") || tpi_play_meant(TPI_PLAY_MEANS_OPERATOR, token->text)) {
        return false;
    }
    tpi_play_trouble *trouble = tpi_play_lose(parser, "a comma stands between two values");
    snprintf(trouble->fix, sizeof trouble->fix, ", %.60s", trouble->word);
    parser->is_lost = false;
    return true;
}

tpi_play_node *tpi_play_parse_expressions(tpi_play_parser *parser)
{
    tpi_play_node *first = tpi_play_parse_expression(parser), *last = first;

    while (last != NULL && !parser->is_lost &&
           (tpi_play_sees(parser, ",") || lacks_comma(parser))) {
        const tpi_play_token *next = tpi_play_peek(parser) + 1;
        if (tpi_play_is_word(next, ")") && tpi_play_sees(parser, ",")) {
            tpi_play_lose(parser, "leave it out: nothing follows");
            return first;
        }
        parser->at += tpi_play_sees(parser, ",");
        last->next = tpi_play_parse_expression(parser);
        last = last->next;
    }
    return first;
}
