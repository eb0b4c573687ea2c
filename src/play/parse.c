/* parse.c - the parser of statements and bodies, led by the shapes of grammar.def. */
#include "play/parse.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "play/meant.h"

/* ---- Shapes ---- */

static tpi_play_node *parse_body(tpi_play_parser *parser, const tpi_play_node *opener);

/* Whether an optional part, whose first item this is, is there. */
static bool is_there(const tpi_play_parser *parser, const tpi_play_item *first)
{
    if (first->sort == 'w' || first->sort == 's') {
        return tpi_play_sees(parser, first->text) ||
               (first->sort == 'w' && tpi_play_sees_nearly(parser, first->text));
    }
    return !tpi_play_at_line_end(parser) && !tpi_play_sees(parser, ")");
}

static tpi_play_node *parse_slot(tpi_play_parser *parser, const tpi_play_item *item)
{
    switch (item->sort) {
    case '<':
        return item->is_list ? tpi_play_parse_expressions(parser)
                             : tpi_play_parse_expression(parser);
    case '@':
        return item->is_list ? tpi_play_parse_names(parser) : tpi_play_parse_name(parser);
    case '%':
        return tpi_play_parse_classes(parser);
    case '#':
        return tpi_play_parse_literal(parser, TPI_PLAY_T_NUMBER, TPI_PLAY_NUMBER, "a whole number");
    case '$':
        return tpi_play_parse_literal(parser, TPI_PLAY_T_STRING, TPI_PLAY_STRING,
                                      "a text in quotes");
    default:
        return tpi_play_parse_literal(parser, TPI_PLAY_T_WORD, TPI_PLAY_WORD,
                                      "the name of a command");
    }
}

/* The rest of the line of a statement, or of the `end` of a BODY: a comment, or nothing. */
static const char *finish_line(tpi_play_parser *parser, tpi_play_kind kind)
{
    const char *tail = NULL;

    if (!parser->is_lost && !tpi_play_at_line_end(parser)) {
        tpi_play_leftover(parser, kind);
    }
    if (parser->is_lost && kind < TPI_PLAY_STATEMENTS && tpi_play_has_statement(parser)) {
        parser->crowded = tpi_play_peek(parser)->line;
    }
    while (tpi_play_peek(parser)->kind != TPI_PLAY_T_LINE_END) {
        tail =
            tpi_play_peek(parser)->kind == TPI_PLAY_T_COMMENT ? tpi_play_peek(parser)->text : NULL;
        parser->at++;
    }
    parser->at++;
    parser->is_lost = false;
    return tail;
}

/* The items of a statement. A mistake in its line does not hide its body. */
static void parse_shape(tpi_play_parser *parser, tpi_play_node *node)
{
    const char *shape = tpi_play_statement_of(node->kind)->shape;
    unsigned slot = 0;
    tpi_play_item item;

    parser->kind = node->kind;
    parser->has_second = parser->is_bare;
    parser->is_bare = false;
    while (tpi_play_item_next(&shape, &slot, &item)) {
        if (item.sort == '{') {
            tpi_play_guess_values(parser, node);
            node->tail = finish_line(parser, node->kind);
            node->slots[item.slot] = parse_body(parser, node);
            return; /* the `end` is the caller's */
        }
        if (parser->is_lost || item.sort == ']') {
            continue;
        }
        if (item.sort == '[') {
            const char *ahead = shape;
            unsigned ahead_slot = slot;
            tpi_play_item first;
            tpi_play_item_next(&ahead, &ahead_slot, &first);
            while (!is_there(parser, &first) && item.sort != ']') {
                tpi_play_item_next(&shape, &slot, &item);
            }
        } else if (item.sort == 'w' || item.sort == 's') {
            tpi_play_expect(parser, item.text);
        } else {
            node->slots[item.slot] = parse_slot(parser, &item);
        }
    }
    node->tail = finish_line(parser, node->kind);
}

/* ---- Bodies ---- */

/* `end` and its variants of other languages. */
static bool sees_end(tpi_play_parser *parser)
{
    static const char *const others[] = {"endif", "endwhile", "endfor", "fi",
                                         "done",  "End",      "END",    NULL};
    const tpi_play_token *token = tpi_play_peek(parser);

    if (tpi_play_sees(parser, "end")) {
        return true;
    }
    if (parser->depth > 0 && token->kind == TPI_PLAY_T_WORD && tpi_play_ends(&token[1]) &&
        tpi_text_among(others, token->text)) {
        strcpy(tpi_play_trouble_add(parser->troubles, token->line, token->column, token->width,
                                    token->text, "a body ends with `end`")
                   ->fix,
               "end");
        return true;
    }
    return false;
}

static bool sees_branch(const tpi_play_parser *parser)
{
    static const char *const words[] = {"else",      "elseif",    "elif",    "elsif",
                                        "otherwise", "sonstwenn", "sinonsi", NULL};
    const tpi_play_token *token = tpi_play_peek(parser);

    return token->kind == TPI_PLAY_T_WORD && tpi_text_among(words, token->text);
}

static void missing_end(tpi_play_parser *parser, const tpi_play_node *opener)
{
    const tpi_play_node *to = parser->blamed != NULL ? parser->blamed : opener;
    const char *word = tpi_play_statement_of(to->kind)->shape;
    char first[16] = {0};

    parser->is_abandoned = true;
    if (to->line == parser->crowded) {
        return; /* the line is reported; its body stands on it */
    }
    memcpy(first, word, strcspn(word, " "));
    const unsigned line = tpi_play_line_of_end(parser, to);
    if (line > 0) {
        tpi_play_trouble_add(parser->troubles, to->line, to->column, to->width, first,
                             "this has no `end`: write `end` before line %u", line);
    } else {
        tpi_play_trouble_add(parser->troubles, to->line, to->column, to->width, first,
                             "this has no `end`: write `end` below its body");
    }
}

/* The `end` of a block. */
static void parse_end(tpi_play_parser *parser, tpi_play_node *opener)
{
    if (parser->is_abandoned) {
        return;
    }
    if (parser->at >= parser->tokens.count) {
        missing_end(parser, opener);
        return;
    }
    const tpi_play_token *token = tpi_play_peek(parser);
    if (token->column < opener->column && parser->blamed == NULL) {
        parser->blamed = opener;
    }
    if (token->column > opener->column && parser->odd == NULL) {
        parser->odd = token;
    }
    parser->at++;
    opener->end_tail = finish_line(parser, TPI_PLAY_BODY);
}

/* An `else if` or `else`. */
static tpi_play_node *parse_branch(tpi_play_parser *parser)
{
    const tpi_play_token *token = tpi_play_peek(parser);
    tpi_play_node *node;

    if (strcmp(token->text, "otherwise") == 0) {
        strcpy(tpi_play_trouble_add(parser->troubles, token->line, token->column, token->width,
                                    token->text, "there is no such statement")
                   ->fix,
               "else");
        parser->tokens.list[parser->at].text = "else";
    }
    if (strcmp(token->text, "else") != 0) {
        strcpy(tpi_play_trouble_add(parser->troubles, token->line, token->column, token->width,
                                    token->text, "these are two words")
                   ->fix,
               "else if");
        node = tpi_play_node_here(parser, TPI_PLAY_ELSE_IF_STATEMENT);
        parser->at++;
        if (node != NULL) {
            node->slots[0] = tpi_play_parse_expression(parser);
            node->tail = finish_line(parser, node->kind);
            node->slots[1] = parse_body(parser, node);
        }
        return node;
    }
    const bool has_if = token[1].kind == TPI_PLAY_T_WORD && strcmp(token[1].text, "if") == 0;
    node =
        tpi_play_node_here(parser, has_if ? TPI_PLAY_ELSE_IF_STATEMENT : TPI_PLAY_ELSE_STATEMENT);
    if (node != NULL) {
        parse_shape(parser, node);
    }
    return node;
}

static void parse_branches(tpi_play_parser *parser, tpi_play_node *opener)
{
    tpi_play_node **end = &opener->branches;
    bool has_else = false;

    while (!parser->is_abandoned && parser->at < parser->tokens.count && sees_branch(parser)) {
        const tpi_play_token *token = tpi_play_peek(parser);
        if (has_else) {
            tpi_play_trouble_add(parser->troubles, token->line, token->column, token->width,
                                 token->text, "nothing but `end` stands behind the last `else`");
        }
        *end = parse_branch(parser);
        if (*end == NULL) {
            parser->is_abandoned = true;
            return;
        }
        has_else |= (*end)->kind == TPI_PLAY_ELSE_STATEMENT;
        end = &(*end)->next;
    }
}

static tpi_play_node *parse_statement(tpi_play_parser *parser)
{
    tpi_play_kind kind = tpi_play_kind_here(parser);

    kind = kind == TPI_PLAY_STATEMENTS ? tpi_play_guess(parser) : tpi_play_guess_pair(parser, kind);
    if (kind == TPI_PLAY_STATEMENTS) {
        finish_line(parser, TPI_PLAY_STATEMENTS);
        return NULL;
    }
    if (!parser->is_bare) {
        tpi_play_guess_order(parser, kind);
    }
    tpi_play_node *node = tpi_play_node_here(parser, kind);
    if (node == NULL) {
        parser->is_abandoned = true;
        return NULL;
    }
    parse_shape(parser, node);
    if (tpi_play_has_body(kind)) {
        if (kind == TPI_PLAY_IF_STATEMENT) {
            parse_branches(parser, node);
        }
        parse_end(parser, node);
    }
    return node;
}

/* What stands before a statement. */
struct before {
    tpi_play_comment *first, **end;
    bool has_blank;
};

static bool keep_comment(tpi_play_parser *parser, struct before *before)
{
    tpi_play_comment *comment = tpi_arena_alloc(&parser->tree->arena, sizeof *comment);

    if (comment == NULL) {
        parser->troubles->no_memory = parser->is_abandoned = true;
        return false;
    }
    comment->text = tpi_play_peek(parser)->text;
    comment->has_blank = before->has_blank;
    before->has_blank = false;
    *before->end = comment;
    before->end = &comment->next;
    parser->at += 2; /* and the end of the line */
    return true;
}

/* Take blank lines and comments. */
static void take_before(tpi_play_parser *parser, struct before *before)
{
    while (parser->at < parser->tokens.count) {
        if (tpi_play_peek(parser)->kind == TPI_PLAY_T_LINE_END) {
            before->has_blank = true;
            parser->at++;
        } else if (tpi_play_peek(parser)->kind != TPI_PLAY_T_COMMENT ||
                   !keep_comment(parser, before)) {
            return;
        }
    }
}

/* A declaration within a body at the left: an `end` is missing above it. */
static bool seems_unclosed(const tpi_play_parser *parser, const tpi_play_node *opener)
{
    const tpi_play_kind kind = tpi_play_kind_here(parser);

    return opener != NULL && kind < TPI_PLAY_STATEMENTS &&
           tpi_play_statement_of(kind)->place == TPI_PLAY_TOP &&
           tpi_play_peek(parser)->column <= opener->column;
}

/* An `end` of a block which is not open. */
static void closes_nothing(tpi_play_parser *parser)
{
    const tpi_play_token *token = parser->odd != NULL ? parser->odd : tpi_play_peek(parser);

    tpi_play_trouble_add(parser->troubles, token->line, token->column, token->width, token->text,
                         "this `end` is one too many: leave it out");
    parser->is_lost = true;
    finish_line(parser, TPI_PLAY_STATEMENTS);
}

/* An `else` without an `if`: the statements of its body are added, and its `end` is taken. */
static tpi_play_node **belongs_nowhere(tpi_play_parser *parser, const tpi_play_node *opener,
                                       tpi_play_node **end)
{
    const tpi_play_token *token = tpi_play_peek(parser);
    const bool is_closed = parser->at > 1 && tpi_play_is_word(&token[-2], "end");
    tpi_play_node *node = tpi_play_node_here(parser, TPI_PLAY_ELSE_STATEMENT);

    tpi_play_trouble_add(parser->troubles, token->line, token->column, token->width, token->text,
                         is_closed ? "this belongs to no `if`: leave out the `end` above it"
                                   : "this belongs to no `if`: write the `if` above it");
    parser->is_lost = true;
    finish_line(parser, TPI_PLAY_STATEMENTS);
    if (node == NULL || (opener != NULL && node->column <= opener->column)) {
        return end; /* the `end` is rather that of the block around it */
    }
    node->slots[0] = parse_body(parser, node);
    if (parser->at < parser->tokens.count && !parser->is_abandoned && !sees_branch(parser)) {
        parse_end(parser, node);
    }
    *end = node->slots[0] != NULL ? node->slots[0]->slots[0] : NULL;
    while (*end != NULL) {
        end = &(*end)->next;
    }
    return end;
}

/* Whether the body ends here; what closes nothing is skipped. */
static bool ends_here(tpi_play_parser *parser, const tpi_play_node *opener)
{
    const bool takes_branch =
        opener != NULL && (opener->kind == TPI_PLAY_IF_STATEMENT ||
                           tpi_play_statement_of(opener->kind)->place == TPI_PLAY_BRANCH);

    if (opener != NULL) {
        tpi_play_guess_closing(parser, takes_branch);
    }
    if (takes_branch) {
        tpi_play_guess_branch(parser);
    }
    const bool is_branch = sees_branch(parser);
    if (opener != NULL && tpi_play_sees(parser, "next") &&
        tpi_play_peek(parser)->column <= opener->column) {
        const tpi_play_token *token = tpi_play_peek(parser);
        tpi_play_fix(tpi_play_mark(parser, token, token, "a body ends with `end`"), "end", "", "");
        return true; /* of Basic; the rest of the line is skipped */
    }
    return opener != NULL && (is_branch ? takes_branch : sees_end(parser));
}

/* `lang` is the first statement, and names a language that there is. */
static void check_lang(tpi_play_parser *parser, const tpi_play_node *node, bool is_first)
{
    const tpi_play_node *name = node->slots[0];
    tpi_nearest nearest;

    if (!is_first) {
        tpi_play_trouble_add(parser->troubles, node->line, node->column, node->width, "lang",
                             "this stands before all other statements");
    } else if (name != NULL && tpi_play_lang_find(name->text) == NULL) {
        tpi_play_trouble *trouble =
            tpi_play_trouble_add(parser->troubles, name->line, name->column, name->width,
                                 name->text, "there is no such language: en, de or fr");
        const char *known = tpi_play_meant(TPI_PLAY_MEANS_LANG, name->text);
        tpi_nearest_init(&nearest, name->text);
        for (unsigned i = 0; tpi_play_lang_at(i) != NULL; i++) {
            tpi_nearest_offer(&nearest, tpi_play_lang_at(i)->name);
        }
        snprintf(trouble->fix, sizeof trouble->fix, "%s",
                 known != NULL          ? known
                 : nearest.best != NULL ? nearest.best
                                        : "");
    }
}

/* Declarations stand at the top; blocks have no place for them elsewhere. */
static void check_place(tpi_play_parser *parser, const tpi_play_node *node,
                        const tpi_play_node *opener, bool is_first)
{
    const char *shape = tpi_play_statement_of(node->kind)->shape;
    char word[16];

    if (opener != NULL && tpi_play_statement_of(node->kind)->place == TPI_PLAY_TOP) {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(shape, " "), shape);
        const bool is_when = node->kind == TPI_PLAY_WHEN_STATEMENT;
        strcpy(tpi_play_trouble_add(parser->troubles, node->line, node->column, node->width, word,
                                    is_when ? "this stands outside of all bodies"
                                            : "this stands outside of all bodies: write it "
                                              "above them")
                   ->fix,
               is_when ? "if" : "");
    }
    if (node->kind == TPI_PLAY_LANG_STATEMENT) {
        check_lang(parser, node, parser->tree->body == NULL && is_first);
    }
}

static tpi_play_node *parse_body(tpi_play_parser *parser, const tpi_play_node *opener)
{
    tpi_play_node *body = tpi_play_node_here(parser, TPI_PLAY_BODY);
    tpi_play_node **end = body != NULL ? &body->slots[0] : NULL;

    if (body == NULL || ++parser->depth > TPI_PLAY_MOST_DEPTH) {
        if (body != NULL) {
            tpi_play_trouble_add(parser->troubles, opener->line, opener->column, opener->width, "",
                                 "the blocks are nested too deep");
            parser->depth--;
        }
        parser->is_abandoned = true;
        return body;
    }
    while (!parser->is_abandoned) {
        struct before before = {.end = &before.first};
        take_before(parser, &before);
        body->comments = before.first;
        if (parser->is_abandoned || parser->at >= parser->tokens.count ||
            ends_here(parser, opener)) {
            break;
        }
        if (tpi_play_sees(parser, "end")) {
            closes_nothing(parser);
            continue;
        }
        if (sees_branch(parser)) {
            end = belongs_nowhere(parser, opener, end);
            continue;
        }
        if (seems_unclosed(parser, opener)) {
            missing_end(parser, opener);
            break;
        }
        *end = parse_statement(parser);
        if (*end != NULL) {
            check_place(parser, *end, opener, end == &body->slots[0]);
            (*end)->comments = before.first;
            (*end)->has_blank = before.has_blank;
            end = &(*end)->next;
            body->comments = NULL;
        }
    }
    parser->depth--;
    return body;
}

bool tpi_play_parse_raw(tpi_play_tree *tree, const char *text, size_t length,
                        const tpi_play_words *words, tpi_play_troubles *troubles)
{
    tpi_play_parser parser = {.tree = tree, .troubles = troubles, .words = words};
    tpi_play_node **end = NULL;

    if (!tpi_play_lex(&parser.tokens, text, length, words, &tree->arena, troubles)) {
        return false;
    }
    if (!tpi_play_translate(&parser.tokens, words, &tree->arena)) {
        troubles->no_memory = true;
        return false;
    }
    /* A missing `end` closes all blocks; what follows is read as well. */
    do {
        parser.is_abandoned = false;
        parser.blamed = NULL;
        parser.depth = 0;
        tpi_play_node *body = parse_body(&parser, NULL);
        if (end == NULL) {
            tree->body = body;
        } else if (body != NULL) {
            *end = body->slots[0];
        }
        end = body != NULL ? &body->slots[0] : end;
        while (end != NULL && *end != NULL) {
            end = &(*end)->next;
        }
    } while (parser.is_abandoned && !troubles->no_memory && parser.at < parser.tokens.count);
    if (tree->body != NULL) {
        tpi_play_settle_head(tree);
    }
    return troubles->count == 0 && !troubles->no_memory;
}

bool tpi_play_parse(tpi_play_tree *tree, const char *text, size_t length,
                    tpi_play_troubles *troubles)
{
    tpi_play_words words;

    tpi_play_skip_mark(&text, &length);
    tpi_play_words_init(&words, tpi_play_lang_of_text(text, length));
    const bool fine = tpi_play_parse_raw(tree, text, length, &words, troubles);
    tpi_play_translate_troubles(troubles, &words, text, length);
    return fine;
}
