/* blocks_read.c - blocks as a tree. What is read is checked so far that its text means the same. */
#include <string.h>

#include "base/text.h"
#include "play/blocks.h"

struct reader {
    tpi_json json;
    tpi_play_tree *tree;  /* borrowed */
    tpi_play_words words; /* of the language that it names */
    unsigned depth, height;
    bool has_statement; /* one was read already */
    bool no_memory;
};

static tpi_play_node *read_statement(struct reader *in, tpi_play_place most);

static tpi_play_node *create(struct reader *in, tpi_play_kind kind)
{
    tpi_play_node *node = tpi_play_node_create(in->tree, kind);

    if (node == NULL) {
        in->no_memory = true;
        tpi_json_reject(&in->json, "out of memory");
    }
    return node;
}

/* ---- Texts ---- */

/* A string, unescaped; NULL if there is none. */
static const char *read_text(struct reader *in)
{
    tpi_json_span raw;
    tpi_buf text = {0};
    const char *copy = NULL;

    if (!tpi_json_string(&in->json, &raw)) {
        return NULL;
    }
    tpi_json_unescape(&text, raw);
    if (text.length > 0 && memchr(text.data, '\0', text.length) != NULL) {
        tpi_json_reject(&in->json, "a text must not contain \\u0000");
    } else {
        copy =
            text.failed ? NULL : tpi_arena_text(&in->tree->arena, tpi_buf_text(&text), text.length);
        in->no_memory |= copy == NULL;
        if (copy == NULL) {
            tpi_json_reject(&in->json, "out of memory");
        }
    }
    tpi_buf_fini(&text);
    return copy;
}

static const char *read_typed(struct reader *in, const char *type)
{
    const size_t at = in->json.at;
    const char *text = read_text(in);

    if (text == NULL || tpi_play_block_fits(type, text, &in->words)) {
        return text;
    }
    tpi_json_reject_at(&in->json, at, "this is no %s", type);
    return NULL;
}

/* A comment is one line. */
static const char *read_line(struct reader *in)
{
    const size_t at = in->json.at;
    const char *text = read_text(in);

    if (text != NULL && (strpbrk(text, "\n\r") != NULL ||
                         (*text != '\0' && (strchr(" \t", *text) != NULL ||
                                            strchr(" \t", text[strlen(text) - 1]) != NULL)))) {
        tpi_json_reject_at(&in->json, at, "a comment is one line, without blanks around it");
        return NULL;
    }
    return text;
}

/* ---- Expressions ---- */

static tpi_play_node *read_expression(struct reader *in);

static tpi_play_node *read_expressions(struct reader *in)
{
    tpi_play_node *first = NULL, **end = &first;

    if (tpi_json_array(&in->json)) {
        while (tpi_json_element(&in->json)) {
            *end = read_expression(in);
            if (*end == NULL) {
                return NULL;
            }
            end = &(*end)->next;
        }
    }
    return first;
}

static bool read_kind(struct reader *in, tpi_play_node *node)
{
    tpi_json_span name;

    if (!tpi_json_member(&in->json, &name) || !tpi_json_is(name, "kind") ||
        !tpi_json_string(&in->json, &name)) {
        return tpi_json_reject(&in->json, "\"kind\" is the first member of a block");
    }
    for (unsigned i = TPI_PLAY_NUMBER; i <= TPI_PLAY_MESSAGE; i++) {
        if (tpi_json_is(name, tpi_play_expression_of((tpi_play_kind)i)->name)) {
            node->kind = (tpi_play_kind)i;
            return true;
        }
    }
    return tpi_json_reject(&in->json, "there is no such kind of expression");
}

static bool read_part(struct reader *in, tpi_play_node *node, tpi_json_span name)
{
    const tpi_play_expression *info = tpi_play_expression_of(node->kind);

    if (info->text != NULL && tpi_json_is(name, "text")) {
        node->text = read_typed(in, info->text);
        return node->text != NULL;
    }
    if (node->kind == TPI_PLAY_NUMBER && tpi_json_is(name, "unit")) {
        const size_t at = in->json.at;
        node->unit = read_text(in);
        return node->unit != NULL && (tpi_play_block_is_unit(node->unit, &in->words) ||
                                      tpi_json_reject_at(&in->json, at, "this is no unit"));
    }
    for (unsigned i = 0; i < 2 && info->slots[i] != NULL; i++) {
        if (tpi_json_is(name, info->slots[i])) {
            node->slots[i] = info->is_row ? read_expressions(in) : read_expression(in);
            return !in->json.failed;
        }
    }
    return tpi_json_reject(&in->json, "a block of the kind \"%s\" has no such member", info->name);
}

static bool is_whole(struct reader *in, const tpi_play_node *node)
{
    const tpi_play_expression *info = tpi_play_expression_of(node->kind);
    bool whole = info->text == NULL || node->text != NULL;

    for (unsigned i = 0; i < 2 && info->slots[i] != NULL && !info->is_row; i++) {
        whole = whole && node->slots[i] != NULL;
    }
    if (whole && node->kind == TPI_PLAY_MESSAGE && node->slots[0]->kind != TPI_PLAY_NAME) {
        return tpi_json_reject(&in->json, "the channel of a message is a name");
    }
    return whole ||
           tpi_json_reject(&in->json, "a block of the kind \"%s\" lacks a member", info->name);
}

static tpi_play_node *read_expression(struct reader *in)
{
    tpi_play_node *node = create(in, TPI_PLAY_NUMBER);
    tpi_json_span name;

    if (++in->height > TPI_PLAY_MOST_HEIGHT) {
        tpi_json_reject(&in->json, "the expression is too long");
    }
    if (node != NULL && tpi_json_object(&in->json) && read_kind(in, node)) {
        while (tpi_json_member(&in->json, &name) && read_part(in, node, name)) {
        }
        if (!in->json.failed) {
            is_whole(in, node);
        }
    }
    in->height--;
    return in->json.failed ? NULL : node;
}

/* ---- Statements ---- */

static tpi_play_comment *read_comments(struct reader *in)
{
    tpi_play_comment *first = NULL, **end = &first;
    tpi_json_span name;

    if (!tpi_json_array(&in->json)) {
        return NULL;
    }
    while (tpi_json_element(&in->json)) {
        tpi_play_comment *comment = tpi_arena_alloc(&in->tree->arena, sizeof *comment);
        if (comment == NULL || !tpi_json_object(&in->json)) {
            in->no_memory |= comment == NULL;
            tpi_json_reject(&in->json, "out of memory");
            return first;
        }
        comment->text = "";
        while (tpi_json_member(&in->json, &name)) {
            if (tpi_json_is(name, "text")) {
                const char *text = read_line(in);
                comment->text = text != NULL ? text : "";
            } else if (!tpi_json_is(name, "blank") ||
                       !tpi_json_bool(&in->json, &comment->has_blank)) {
                tpi_json_reject(&in->json, "a comment has no such member");
            }
        }
        *end = comment;
        end = &comment->next;
    }
    return first;
}

static tpi_play_node *read_body(struct reader *in, tpi_play_place most)
{
    tpi_play_node *body = create(in, TPI_PLAY_BODY);
    tpi_play_node **end = body != NULL ? &body->slots[0] : NULL;

    if (body == NULL || !tpi_json_array(&in->json)) {
        return NULL;
    }
    while (tpi_json_element(&in->json)) {
        *end = read_statement(in, most);
        if (*end == NULL) {
            return NULL;
        }
        end = &(*end)->next;
    }
    return body;
}

static const char *text_type(char sort)
{
    return sort == '%' ? "class" : sort == '!' ? "command" : sort == '#' ? "integer" : "name";
}

static tpi_play_node *read_word(struct reader *in, char sort)
{
    static const struct {
        char sort;
        tpi_play_kind kind;
    } kinds[] = {{'@', TPI_PLAY_NAME},
                 {'%', TPI_PLAY_CLASS},
                 {'!', TPI_PLAY_WORD},
                 {'#', TPI_PLAY_NUMBER},
                 {'$', TPI_PLAY_STRING}};
    const size_t at = in->json.at;
    unsigned i = 0;

    while (kinds[i].sort != sort) {
        i++;
    }
    tpi_play_node *node = create(in, kinds[i].kind);
    if (node == NULL) {
        return NULL;
    }
    if (sort == '#' || sort == '$') {
        node->text = read_text(in);
        if (node->text != NULL && sort == '#' &&
            (node->text[strspn(node->text, "0123456789")] != '\0' || *node->text == '\0')) {
            tpi_json_reject_at(&in->json, at, "this is no integer");
        }
    } else {
        node->text = read_typed(in, text_type(sort));
    }
    return node->text != NULL && !in->json.failed ? node : NULL;
}

static tpi_play_node *read_words(struct reader *in, char sort)
{
    tpi_play_node *first = NULL, **end = &first;

    if (tpi_json_array(&in->json)) {
        while (tpi_json_element(&in->json)) {
            *end = read_word(in, sort);
            if (*end == NULL) {
                return NULL;
            }
            end = &(*end)->next;
        }
    }
    return first;
}

static tpi_play_node *read_branches(struct reader *in)
{
    tpi_play_node *first = NULL, **end = &first;
    bool has_else = false;

    if (!tpi_json_array(&in->json)) {
        return NULL;
    }
    while (tpi_json_element(&in->json)) {
        *end = read_statement(in, TPI_PLAY_BRANCH);
        if (*end == NULL) {
            return NULL;
        }
        if (has_else || (*end)->comments != NULL || (*end)->has_blank || (*end)->end_tail != NULL) {
            tpi_json_reject(&in->json, "this branch has no place in text");
            return NULL;
        }
        has_else = (*end)->kind == TPI_PLAY_ELSE_STATEMENT;
        end = &(*end)->next;
    }
    return first;
}

/* A member of all statements; false if it is none of these. */
static bool read_common(struct reader *in, tpi_play_node *node, tpi_play_node **body,
                        tpi_json_span name)
{
    if (tpi_json_is(name, "comments")) {
        node->comments = read_comments(in);
    } else if (tpi_json_is(name, "blank")) {
        tpi_json_bool(&in->json, &node->has_blank);
    } else if (tpi_json_is(name, "tail")) {
        node->tail = read_line(in);
    } else if (tpi_json_is(name, "end_tail") && tpi_play_has_body(node->kind)) {
        node->end_tail = read_line(in);
    } else if (tpi_json_is(name, "branches") && node->kind == TPI_PLAY_IF_STATEMENT) {
        node->branches = read_branches(in);
    } else if (tpi_json_is(name, "end_comments") && *body != NULL) {
        (*body)->comments = read_comments(in);
    } else {
        return false;
    }
    return true;
}

static bool read_slot(struct reader *in, tpi_play_node *node, tpi_play_node **body,
                      tpi_json_span name)
{
    const char *shape = tpi_play_statement_of(node->kind)->shape;
    unsigned slot = 0;
    tpi_play_item item;

    while (tpi_play_item_next(&shape, &slot, &item)) {
        if (strchr("ws[]", item.sort) != NULL || !tpi_json_is(name, item.text)) {
            continue;
        }
        node->slots[item.slot] = item.sort == '{'   ? read_body(in, TPI_PLAY_ANY)
                                 : item.sort != '<' ? (item.is_list ? read_words(in, item.sort)
                                                                    : read_word(in, item.sort))
                                 : item.is_list     ? read_expressions(in)
                                                    : read_expression(in);
        *body = item.sort == '{' ? node->slots[item.slot] : *body;
        return !in->json.failed;
    }
    return tpi_json_reject(&in->json, "a block of the kind \"%s\" has no such member",
                           tpi_play_statement_of(node->kind)->name);
}

/* Everything that cannot be left out is there; an optional part is there as a whole. */
static bool has_all(struct reader *in, const tpi_play_node *node)
{
    const char *shape = tpi_play_statement_of(node->kind)->shape;
    unsigned slot = 0;
    tpi_play_item item;
    bool is_optional = false;

    while (tpi_play_item_next(&shape, &slot, &item)) {
        is_optional = item.sort == '[' || (is_optional && item.sort != ']');
        if (strchr("ws[]", item.sort) == NULL && !is_optional && node->slots[item.slot] == NULL) {
            return tpi_json_reject(&in->json, "a block of the kind \"%s\" lacks \"%s\"",
                                   tpi_play_statement_of(node->kind)->name, item.text);
        }
    }
    return true;
}

static bool read_statement_kind(struct reader *in, tpi_play_node *node, tpi_play_place most)
{
    tpi_json_span name;
    char known[24];

    if (!tpi_json_member(&in->json, &name) || !tpi_json_is(name, "kind") ||
        !tpi_json_string(&in->json, &name)) {
        return tpi_json_reject(&in->json, "\"kind\" is the first member of a block");
    }
    for (unsigned i = 0; i < TPI_PLAY_STATEMENTS; i++) {
        tpi_play_statement_name((tpi_play_kind)i, known);
        if (tpi_json_is(name, known)) {
            const tpi_play_place place = tpi_play_statement_of((tpi_play_kind)i)->place;
            node->kind = (tpi_play_kind)i;
            return place == most || (most == TPI_PLAY_TOP && place == TPI_PLAY_ANY) ||
                   tpi_json_reject(&in->json, "a block of the kind \"%s\" has no place here",
                                   known);
        }
    }
    return tpi_json_reject(&in->json, "there is no such kind of statement");
}

/* `lang` is the first statement, and names a language that there is. */
static bool take_lang(struct reader *in, const tpi_play_node *node, bool is_first)
{
    const tpi_play_lang *lang = tpi_play_lang_find(node->slots[0]->text);

    if (lang == NULL || !is_first) {
        return tpi_json_reject(&in->json, lang == NULL ? "there is no such language"
                                                       : "\"lang\" is the first statement");
    }
    tpi_play_words_init(&in->words, lang);
    return true;
}

static tpi_play_node *read_statement(struct reader *in, tpi_play_place most)
{
    const bool is_first = !in->has_statement;
    tpi_play_node *node = create(in, TPI_PLAY_BREAK_STATEMENT);
    tpi_play_node *body = NULL;
    tpi_json_span name;

    in->has_statement = true;
    if (++in->depth > TPI_PLAY_MOST_DEPTH) {
        tpi_json_reject(&in->json, "the blocks are nested too deep");
    }
    if (node != NULL && tpi_json_object(&in->json) && read_statement_kind(in, node, most)) {
        while (tpi_json_member(&in->json, &name) &&
               (read_common(in, node, &body, name) || read_slot(in, node, &body, name))) {
        }
        if (!in->json.failed && has_all(in, node) && node->kind == TPI_PLAY_LANG_STATEMENT) {
            take_lang(in, node, is_first);
        }
    }
    in->depth--;
    return in->json.failed ? NULL : node;
}

tp_status tpi_play_blocks_read(tpi_play_tree *tree, const char *json, size_t length, tp_error *err)
{
    struct reader in = {.tree = tree};
    tpi_json_span name;
    int64_t version = 0;

    tpi_play_words_init(&in.words, tpi_play_lang_at(0));
    tpi_json_init(&in.json, json, length);
    in.json.most_depth = TPI_PLAY_BLOCKS_DEPTH;
    if (tpi_json_object(&in.json)) {
        while (tpi_json_member(&in.json, &name)) {
            if (tpi_json_is(name, "version")) {
                tpi_json_i64(&in.json, &version);
            } else if (tpi_json_is(name, "body")) {
                tree->body = read_body(&in, TPI_PLAY_TOP);
            } else if (tpi_json_is(name, "end_comments") && tree->body != NULL) {
                tree->body->comments = read_comments(&in);
            } else {
                tpi_json_reject(&in.json, "blocks have no such member");
            }
        }
    }
    if (!in.json.failed && (version != 1 || tree->body == NULL)) {
        tpi_json_reject(&in.json, "blocks have \"version\": 1 and a \"body\"");
    }
    const tp_status status = tpi_json_end(&in.json, err);
    if (status != TP_OK) {
        tree->body = NULL;
    } else if (tree->body != NULL) {
        tpi_play_settle_head(tree);
    }
    return in.no_memory ? TP_E_NOMEM : status;
}
