/* format.c - the printer of trees. Parentheses that are needed and missing are added. */
#include "play/format.h"

#include <string.h>

#include "play/lang.h"

enum { RANK_OR, RANK_AND, RANK_COMPARE, RANK_SUM, RANK_PRODUCT, RANK_NEGATIVE, RANK_VALUE };
enum { INDENT = 4 };

struct writer {
    tpi_buf *out;              /* borrowed */
    const tpi_play_lang *lang; /* of the words */
};

static void put_expression(const struct writer *to, const tpi_play_node *node, int least,
                           bool is_last);

static int rank_of(const tpi_play_node *node)
{
    if (node->kind == TPI_PLAY_NOT) {
        return RANK_COMPARE;
    }
    if (node->kind == TPI_PLAY_NEGATIVE) {
        return RANK_NEGATIVE;
    }
    if (node->kind != TPI_PLAY_BINARY) {
        return RANK_VALUE;
    }
    return strcmp(node->text, "or") == 0                  ? RANK_OR
           : strcmp(node->text, "and") == 0               ? RANK_AND
           : strpbrk(node->text, "=<>") != NULL           ? RANK_COMPARE
           : node->text[0] == '+' || node->text[0] == '-' ? RANK_SUM
                                                          : RANK_PRODUCT;
}

void tpi_play_format_string(tpi_buf *out, const char *text)
{
    static const char set[] = "\n\t\r\"\\";

    tpi_buf_putc(out, '"');
    for (; *text != '\0'; text++) {
        const char *escaped = strchr(set, *text);
        if (escaped == NULL) {
            tpi_buf_putc(out, *text);
        } else {
            tpi_buf_putc(out, '\\');
            tpi_buf_putc(out, "ntr\"\\"[escaped - set]);
        }
    }
    tpi_buf_putc(out, '"');
}

static void put_row(const struct writer *to, const tpi_play_node *node)
{
    for (; node != NULL; node = node->next) {
        put_expression(to, node, RANK_OR, node->next == NULL);
        tpi_buf_puts(to->out, node->next != NULL ? ", " : "");
    }
}

static void put_binary(const struct writer *to, const tpi_play_node *node)
{
    const int rank = rank_of(node);

    put_expression(to, node->slots[0], rank == RANK_COMPARE ? rank + 1 : rank, false);
    tpi_buf_printf(to->out, " %s ", tpi_play_lang_value(to->lang, node->text));
    put_expression(to, node->slots[1], rank + 1, false);
}

static void put_plain(const struct writer *to, const tpi_play_node *node)
{
    switch (node->kind) {
    case TPI_PLAY_STRING:
        tpi_play_format_string(to->out, node->text);
        break;
    case TPI_PLAY_BINARY:
        put_binary(to, node);
        break;
    case TPI_PLAY_NEGATIVE:
        tpi_buf_putc(to->out, '-');
        put_expression(to, node->slots[0], RANK_NEGATIVE, false);
        break;
    case TPI_PLAY_NOT:
        tpi_buf_printf(to->out, "%s ", tpi_play_lang_value(to->lang, "not"));
        put_expression(to, node->slots[0], RANK_COMPARE, false);
        break;
    case TPI_PLAY_GROUP:
        tpi_buf_putc(to->out, '(');
        put_expression(to, node->slots[0], RANK_OR, true);
        tpi_buf_putc(to->out, ')');
        break;
    case TPI_PLAY_CALL:
        tpi_buf_printf(to->out, "%s(", node->text);
        put_row(to, node->slots[0]);
        tpi_buf_putc(to->out, ')');
        break;
    case TPI_PLAY_DO:
        tpi_buf_printf(to->out, "%s %s%s", tpi_play_lang_value(to->lang, "do"), node->text,
                       node->slots[0] != NULL ? " " : "");
        put_row(to, node->slots[0]);
        break;
    case TPI_PLAY_MESSAGE:
        tpi_buf_printf(to->out, "%s %s %s", tpi_play_lang_value(to->lang, "message"),
                       tpi_play_lang_value(to->lang, "from"), node->slots[0]->text);
        break;
    default:
        tpi_buf_puts(to->out, node->kind == TPI_PLAY_TRUTH
                                  ? tpi_play_lang_value(to->lang, node->text)
                                  : node->text);
        if (node->kind == TPI_PLAY_NUMBER && node->unit != NULL) {
            tpi_buf_printf(to->out, " %s", node->unit);
        }
    }
}

/* An expression where at least this rank is needed. A command takes all that follows as its values,
 * so it stands without parentheses at the end of a whole expression only. */
static void put_expression(const struct writer *to, const tpi_play_node *node, int least,
                           bool is_last)
{
    const bool is_wrapped = rank_of(node) < least || (node->kind == TPI_PLAY_DO && !is_last);

    tpi_buf_puts(to->out, is_wrapped ? "(" : "");
    put_plain(to, node);
    tpi_buf_puts(to->out, is_wrapped ? ")" : "");
}

void tpi_play_format_expression(tpi_buf *out, const tpi_play_node *node)
{
    const struct writer to = {out, tpi_play_lang_at(0)};

    put_expression(&to, node, RANK_OR, true);
}

/* ---- Statements ---- */

static void put_body(const struct writer *to, const tpi_play_node *body, unsigned depth);

static void put_comment_text(tpi_buf *out, const char *text)
{
    tpi_buf_printf(out, "#%s%s", *text != '\0' ? " " : "", text);
}

static void put_comments(tpi_buf *out, const tpi_play_comment *comment, unsigned depth)
{
    for (; comment != NULL; comment = comment->next) {
        tpi_buf_puts(out, comment->has_blank && out->length > 0 ? "\n" : "");
        tpi_buf_indent(out, (size_t)depth * INDENT);
        put_comment_text(out, comment->text);
        tpi_buf_putc(out, '\n');
    }
}

/* Pass over an optional part that is not there. */
static void pass_missing(const tpi_play_node *node, const char **shape, unsigned *slot)
{
    const char *ahead = *shape;
    unsigned ahead_slot = *slot;
    tpi_play_item item;

    while (tpi_play_item_next(&ahead, &ahead_slot, &item) && item.sort != ']') {
        if (strchr("<@%!#$", item.sort) != NULL && node->slots[item.slot] != NULL) {
            return;
        }
    }
    *shape = ahead;
    *slot = ahead_slot;
}

static void put_item(const struct writer *to, const tpi_play_node *node, const tpi_play_item *item,
                     bool is_first)
{
    const bool is_tight =
        is_first || (item->sort == 's') || to->out->data[to->out->length - 1] == '(';

    tpi_buf_puts(to->out, is_tight ? "" : " ");
    if (item->sort == 'w' || item->sort == 's') {
        tpi_buf_puts(to->out, item->text);
    } else if (item->is_list) {
        put_row(to, node->slots[item->slot]);
    } else {
        put_expression(to, node->slots[item->slot], RANK_OR, true);
    }
}

static void end_line(tpi_buf *out, const char *tail)
{
    if (tail != NULL) {
        tpi_buf_puts(out, "  ");
        put_comment_text(out, tail);
    }
    tpi_buf_putc(out, '\n');
}

/* The first line of a statement; its body, if it has one, is `*body`. */
static void put_head(const struct writer *to, const tpi_play_node *node, unsigned depth,
                     const tpi_play_node **body)
{
    const char *shape = tpi_play_lang_shape(to->lang, node->kind);
    unsigned slot = 0;
    tpi_play_item item;
    bool is_first = true;

    *body = NULL;
    tpi_buf_indent(to->out, (size_t)depth * INDENT);
    while (!to->out->failed && tpi_play_item_next(&shape, &slot, &item)) {
        if (item.sort == '{') {
            *body = node->slots[item.slot];
            break;
        }
        if (item.sort == '[') {
            pass_missing(node, &shape, &slot);
        } else if (item.sort != ']') {
            put_item(to, node, &item, is_first);
            is_first = false;
        }
    }
    end_line(to->out, node->tail);
}

static void put_statement(const struct writer *to, const tpi_play_node *node, unsigned depth)
{
    const tpi_play_node *body;

    put_comments(to->out, node->comments, depth);
    tpi_buf_puts(to->out, node->has_blank && to->out->length > 0 ? "\n" : "");
    put_head(to, node, depth, &body);
    if (body == NULL) {
        return;
    }
    put_body(to, body, depth + 1);
    for (const tpi_play_node *branch = node->branches; branch != NULL; branch = branch->next) {
        put_head(to, branch, depth, &body);
        put_body(to, body, depth + 1);
    }
    tpi_buf_indent(to->out, (size_t)depth * INDENT);
    tpi_buf_puts(to->out, tpi_play_lang_value(to->lang, "end"));
    end_line(to->out, node->end_tail);
}

static void put_body(const struct writer *to, const tpi_play_node *body, unsigned depth)
{
    for (const tpi_play_node *node = body->slots[0]; node != NULL; node = node->next) {
        put_statement(to, node, depth);
    }
    put_comments(to->out, body->comments, depth);
}

void tpi_play_format(tpi_buf *out, const tpi_play_tree *tree)
{
    const struct writer to = {out, tpi_play_lang_of(tree)};

    put_body(&to, tree->body, 0);
}
