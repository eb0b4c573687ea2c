/* format.c - the printer of trees. Parentheses that are needed and missing are added. */
#include "play/format.h"

#include <string.h>

enum { RANK_OR, RANK_AND, RANK_COMPARE, RANK_SUM, RANK_PRODUCT, RANK_NEGATIVE, RANK_VALUE };
enum { INDENT = 4 };

static void put_expression(tpi_buf *out, const tpi_play_node *node, int least, bool is_last);

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

static void put_row(tpi_buf *out, const tpi_play_node *node)
{
    for (; node != NULL; node = node->next) {
        put_expression(out, node, RANK_OR, node->next == NULL);
        tpi_buf_puts(out, node->next != NULL ? ", " : "");
    }
}

static void put_binary(tpi_buf *out, const tpi_play_node *node)
{
    const int rank = rank_of(node);

    put_expression(out, node->slots[0], rank == RANK_COMPARE ? rank + 1 : rank, false);
    tpi_buf_printf(out, " %s ", node->text);
    put_expression(out, node->slots[1], rank + 1, false);
}

static void put_plain(tpi_buf *out, const tpi_play_node *node)
{
    switch (node->kind) {
    case TPI_PLAY_STRING:
        tpi_play_format_string(out, node->text);
        break;
    case TPI_PLAY_BINARY:
        put_binary(out, node);
        break;
    case TPI_PLAY_NEGATIVE:
        tpi_buf_putc(out, '-');
        put_expression(out, node->slots[0], RANK_NEGATIVE, false);
        break;
    case TPI_PLAY_NOT:
        tpi_buf_puts(out, "not ");
        put_expression(out, node->slots[0], RANK_COMPARE, false);
        break;
    case TPI_PLAY_GROUP:
        tpi_buf_putc(out, '(');
        put_expression(out, node->slots[0], RANK_OR, true);
        tpi_buf_putc(out, ')');
        break;
    case TPI_PLAY_CALL:
        tpi_buf_printf(out, "%s(", node->text);
        put_row(out, node->slots[0]);
        tpi_buf_putc(out, ')');
        break;
    case TPI_PLAY_DO:
        tpi_buf_printf(out, "do %s%s", node->text, node->slots[0] != NULL ? " " : "");
        put_row(out, node->slots[0]);
        break;
    case TPI_PLAY_MESSAGE:
        tpi_buf_printf(out, "message from %s", node->slots[0]->text);
        break;
    default:
        tpi_buf_puts(out, node->text);
        if (node->kind == TPI_PLAY_NUMBER && node->unit != NULL) {
            tpi_buf_printf(out, " %s", node->unit);
        }
    }
}

/* An expression where at least this rank is needed. A command takes all that follows as its values,
 * so it stands without parentheses at the end of a whole expression only. */
static void put_expression(tpi_buf *out, const tpi_play_node *node, int least, bool is_last)
{
    const bool is_wrapped = rank_of(node) < least || (node->kind == TPI_PLAY_DO && !is_last);

    tpi_buf_puts(out, is_wrapped ? "(" : "");
    put_plain(out, node);
    tpi_buf_puts(out, is_wrapped ? ")" : "");
}

void tpi_play_format_expression(tpi_buf *out, const tpi_play_node *node)
{
    put_expression(out, node, RANK_OR, true);
}

/* ---- Statements ---- */

static void put_body(tpi_buf *out, const tpi_play_node *body, unsigned depth);

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

static void put_item(tpi_buf *out, const tpi_play_node *node, const tpi_play_item *item,
                     bool is_first)
{
    const bool is_tight = is_first || (item->sort == 's') || out->data[out->length - 1] == '(';

    tpi_buf_puts(out, is_tight ? "" : " ");
    if (item->sort == 'w' || item->sort == 's') {
        tpi_buf_puts(out, item->text);
    } else if (item->is_list) {
        put_row(out, node->slots[item->slot]);
    } else {
        tpi_play_format_expression(out, node->slots[item->slot]);
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
static void put_head(tpi_buf *out, const tpi_play_node *node, unsigned depth,
                     const tpi_play_node **body)
{
    const char *shape = tpi_play_statement_of(node->kind)->shape;
    unsigned slot = 0;
    tpi_play_item item;
    bool is_first = true;

    *body = NULL;
    tpi_buf_indent(out, (size_t)depth * INDENT);
    while (!out->failed && tpi_play_item_next(&shape, &slot, &item)) {
        if (item.sort == '{') {
            *body = node->slots[item.slot];
            break;
        }
        if (item.sort == '[') {
            pass_missing(node, &shape, &slot);
        } else if (item.sort != ']') {
            put_item(out, node, &item, is_first);
            is_first = false;
        }
    }
    end_line(out, node->tail);
}

static void put_statement(tpi_buf *out, const tpi_play_node *node, unsigned depth)
{
    const tpi_play_node *body;

    put_comments(out, node->comments, depth);
    tpi_buf_puts(out, node->has_blank && out->length > 0 ? "\n" : "");
    put_head(out, node, depth, &body);
    if (body == NULL) {
        return;
    }
    put_body(out, body, depth + 1);
    for (const tpi_play_node *branch = node->branches; branch != NULL; branch = branch->next) {
        put_head(out, branch, depth, &body);
        put_body(out, body, depth + 1);
    }
    tpi_buf_indent(out, (size_t)depth * INDENT);
    tpi_buf_puts(out, "end");
    end_line(out, node->end_tail);
}

static void put_body(tpi_buf *out, const tpi_play_node *body, unsigned depth)
{
    for (const tpi_play_node *node = body->slots[0]; node != NULL; node = node->next) {
        put_statement(out, node, depth);
    }
    put_comments(out, body->comments, depth);
}

void tpi_play_format(tpi_buf *out, const tpi_play_tree *tree)
{
    put_body(out, tree->body, 0);
}
