/* blocks.c - writing: the description of all blocks, and programs as blocks. */
#include "play/blocks.h"

#include <ctype.h>
#include <string.h>

#include "play/cell.h"
#include "play/check.h"
#include "play/units.h"

static const tpi_play_expression expressions[] = {
    {"number", "number", {NULL}, false},
    {"text", "text", {NULL}, false},
    {"truth", "truth", {NULL}, false},
    {"name", "name", {NULL}, false},
    {"binary", "operator", {"left", "right"}, false},
    {"negative", NULL, {"value"}, false},
    {"not", NULL, {"value"}, false},
    {"group", NULL, {"value"}, false},
    {"call", "function", {"values"}, true},
    {"do", "command", {"values"}, true},
    {"message", NULL, {"channel"}, false},
};

const tpi_play_expression *tpi_play_expression_of(tpi_play_kind kind)
{
    return &expressions[kind - TPI_PLAY_NUMBER];
}

void tpi_play_statement_name(tpi_play_kind kind, char out[24])
{
    const char *name = tpi_play_statement_of(kind)->name;
    size_t i = 0;

    for (; name[i] != '\0' && i < 23; i++) {
        out[i] = (char)tolower((unsigned char)name[i]);
    }
    out[i] = '\0';
}

static void put_text(tpi_buf *out, const char *text)
{
    tpi_json_put_string(out, text, strlen(text));
}

/* ---- A program ---- */

static void put_body(tpi_buf *out, const tpi_play_node *body);

static void put_expression(tpi_buf *out, const tpi_play_node *node)
{
    const tpi_play_expression *info = tpi_play_expression_of(node->kind);

    tpi_buf_printf(out, "{\"kind\":\"%s\"", info->name);
    if (info->text != NULL) {
        tpi_buf_puts(out, ",\"text\":");
        put_text(out, node->text);
    }
    if (node->unit != NULL) {
        tpi_buf_puts(out, ",\"unit\":");
        put_text(out, node->unit);
    }
    for (unsigned i = 0; i < 2 && info->slots[i] != NULL; i++) {
        tpi_buf_printf(out, ",\"%s\":%s", info->slots[i], info->is_row ? "[" : "");
        for (const tpi_play_node *part = node->slots[i]; part != NULL; part = part->next) {
            put_expression(out, part);
            tpi_buf_puts(out, info->is_row && part->next != NULL ? "," : "");
            if (!info->is_row) {
                break;
            }
        }
        tpi_buf_puts(out, info->is_row ? "]" : "");
    }
    tpi_buf_putc(out, '}');
}

static void put_slot(tpi_buf *out, const tpi_play_node *node, const tpi_play_item *item)
{
    tpi_buf_printf(out, ",\"%s\":%s", item->text, item->is_list ? "[" : "");
    for (; node != NULL; node = node->next) {
        if (item->sort == '<') {
            put_expression(out, node);
        } else {
            put_text(out, node->text);
        }
        if (!item->is_list) {
            break;
        }
        tpi_buf_puts(out, node->next != NULL ? "," : "");
    }
    tpi_buf_puts(out, item->is_list ? "]" : "");
}

static void put_comments(tpi_buf *out, const char *name, const tpi_play_comment *comment)
{
    if (comment == NULL) {
        return;
    }
    tpi_buf_printf(out, ",\"%s\":[", name);
    for (; comment != NULL; comment = comment->next) {
        tpi_buf_puts(out, "{\"text\":");
        put_text(out, comment->text);
        tpi_buf_puts(out, comment->has_blank ? ",\"blank\":true}" : "}");
        tpi_buf_puts(out, comment->next != NULL ? "," : "");
    }
    tpi_buf_putc(out, ']');
}

static void put_tail(tpi_buf *out, const char *name, const char *text)
{
    if (text != NULL) {
        tpi_buf_printf(out, ",\"%s\":", name);
        put_text(out, text);
    }
}

static void put_statement(tpi_buf *out, const tpi_play_node *node)
{
    const char *shape = tpi_play_statement_of(node->kind)->shape;
    unsigned slot = 0;
    tpi_play_item item;
    char name[24];

    tpi_play_statement_name(node->kind, name);
    tpi_buf_printf(out, "{\"kind\":\"%s\"", name);
    put_comments(out, "comments", node->comments);
    tpi_buf_puts(out, node->has_blank ? ",\"blank\":true" : "");
    put_tail(out, "tail", node->tail);
    put_tail(out, "end_tail", node->end_tail);
    while (tpi_play_item_next(&shape, &slot, &item)) {
        if (item.sort == '{') {
            put_body(out, node->slots[item.slot]);
        } else if (strchr("<@%!#$", item.sort) != NULL && node->slots[item.slot] != NULL) {
            put_slot(out, node->slots[item.slot], &item);
        }
    }
    if (node->branches != NULL) {
        tpi_buf_puts(out, ",\"branches\":[");
        for (const tpi_play_node *branch = node->branches; branch != NULL; branch = branch->next) {
            put_statement(out, branch);
            tpi_buf_puts(out, branch->next != NULL ? "," : "]");
        }
    }
    tpi_buf_putc(out, '}');
}

static void put_body(tpi_buf *out, const tpi_play_node *body)
{
    tpi_buf_puts(out, ",\"body\":[");
    for (const tpi_play_node *node = body->slots[0]; node != NULL; node = node->next) {
        put_statement(out, node);
        tpi_buf_puts(out, node->next != NULL ? ",\n" : "");
    }
    tpi_buf_putc(out, ']');
    put_comments(out, "end_comments", body->comments);
}

void tpi_play_blocks_put(tpi_buf *out, const tpi_play_tree *tree)
{
    tpi_buf_puts(out, "{\"version\":1");
    put_body(out, tree->body);
    tpi_buf_puts(out, "}\n");
}

/* ---- The description ---- */

static const char *slot_type(char sort)
{
    switch (sort) {
    case '<':
        return "expression";
    case '@':
        return "name";
    case '%':
        return "class";
    case '!':
        return "command";
    case '#':
        return "integer";
    case '$':
        return "text";
    default:
        return "body";
    }
}

static void describe_statement(tpi_buf *out, tpi_play_kind kind, const tpi_play_lang *lang)
{
    static const char *const places[] = {"top", "any", "branch"};
    const tpi_play_statement *info = tpi_play_statement_of(kind);
    const char *shape = tpi_play_lang_shape(lang, kind);
    unsigned slot = 0;
    tpi_play_item item;
    char name[24];
    bool is_optional = false, is_first = true;

    tpi_play_statement_name(kind, name);
    tpi_buf_printf(out, "{\"kind\":\"%s\",\"category\":\"%s\",\"place\":\"%s\",\"help\":", name,
                   info->category, places[info->place]);
    put_text(out, info->sentence);
    tpi_buf_puts(out, ",\"items\":[");
    while (tpi_play_item_next(&shape, &slot, &item)) {
        if (item.sort == '[' || item.sort == ']') {
            is_optional = item.sort == '[';
            continue;
        }
        tpi_buf_puts(out, is_first ? "" : ",");
        is_first = false;
        if (item.sort == 'w' || item.sort == 's') {
            tpi_buf_printf(out, "{\"word\":\"%s\"", item.text);
        } else {
            tpi_buf_printf(out, "{\"slot\":\"%s\",\"type\":\"%s\"%s", item.text,
                           slot_type(item.sort), item.is_list ? ",\"list\":true" : "");
        }
        tpi_buf_puts(out, is_optional ? ",\"optional\":true}" : "}");
    }
    tpi_buf_puts(out, "]}");
}

static void describe_expressions(tpi_buf *out)
{
    for (unsigned i = 0; i < sizeof expressions / sizeof expressions[0]; i++) {
        tpi_buf_printf(out, "%s{\"kind\":\"%s\"", i > 0 ? ",\n" : "", expressions[i].name);
        if (expressions[i].text != NULL) {
            tpi_buf_printf(out, ",\"text\":\"%s\"", expressions[i].text);
        }
        tpi_buf_puts(out, ",\"slots\":[");
        for (unsigned j = 0; j < 2 && expressions[i].slots[j] != NULL; j++) {
            tpi_buf_printf(out, "%s{\"slot\":\"%s\"%s}", j > 0 ? "," : "", expressions[i].slots[j],
                           expressions[i].is_row ? ",\"list\":true" : "");
        }
        tpi_buf_puts(out, "]}");
    }
}

static void describe_words(tpi_buf *out, const tpi_vocabulary *vocabulary)
{
    tpi_buf_puts(out, "],\n\"operators\":[\"or\",\"and\",\"=\",\"<>\",\"<\",\"<=\",\">\",\">=\","
                      "\"+\",\"-\",\"*\",\"/\",\"mod\"],\n\"units\":[");
    for (unsigned i = 0; tpi_play_unit_at(i) != NULL; i++) {
        tpi_buf_printf(out, "%s\"%s\"", i > 0 ? "," : "", tpi_play_unit_at(i)->name);
    }
    tpi_buf_puts(out, "],\n\"functions\":[");
    for (unsigned i = 0; i < TPI_PLAY_MATH_COUNT; i++) {
        tpi_buf_printf(out, "%s{\"name\":\"%s\",\"values\":%u}", i > 0 ? "," : "",
                       tpi_play_math_name(i), tpi_play_math_values((uint8_t)i));
    }
    tpi_buf_puts(out, "],\n\"classes\":[");
    for (unsigned i = 0; i < tpi_vocabulary_count(vocabulary); i++) {
        tpi_buf_puts(out, i > 0 ? "," : "");
        put_text(out, tpi_vocabulary_class(vocabulary, (int)i)->name);
    }
    tpi_buf_puts(out, "],\n\"commands\":[");
    for (unsigned i = 0; i < TPI_COMMANDS; i++) {
        tpi_buf_puts(out, i > 0 ? "," : "");
        put_text(out, tpi_dictionary_entry((tpi_command)i)->name);
    }
    tpi_buf_puts(out, "],\n\"reserved\":[");
    for (unsigned i = 0; tpi_play_reserved(i) != NULL; i++) {
        tpi_buf_printf(out, "%s\"%s\"", i > 0 ? "," : "", tpi_play_reserved(i));
    }
}

/* The end of the reserved words; the language, and its words for those of expressions. */
static void describe_lang(tpi_buf *out, const tpi_play_lang *lang)
{
    tpi_play_words words;

    tpi_play_words_init(&words, lang);
    for (unsigned i = 0; i < words.count; i++) {
        if (!tpi_play_is_reserved(words.list[i].word)) {
            tpi_buf_printf(out, ",\"%s\"", words.list[i].word);
        }
    }
    tpi_buf_puts(out, "]");
    if (words.count > 0) {
        tpi_buf_printf(out, ",\n\"lang\":\"%s\",\"words\":{", lang->name);
        for (const tpi_play_value_word *value = lang->values; value->word != NULL; value++) {
            tpi_buf_printf(out, "%s\"%s\":\"%s\"", value > lang->values ? "," : "", value->english,
                           value->word);
        }
        tpi_buf_puts(out, "}");
    }
    tpi_buf_puts(out, "}\n");
}

void tpi_play_blocks_describe(tpi_buf *out, const tpi_vocabulary *vocabulary,
                              const tpi_play_lang *lang)
{
    tpi_buf_puts(out, "{\"version\":1,\n\"statements\":[");
    for (unsigned i = 0; i < TPI_PLAY_STATEMENTS; i++) {
        tpi_buf_puts(out, i > 0 ? ",\n" : "");
        describe_statement(out, (tpi_play_kind)i, lang);
    }
    tpi_buf_puts(out, "],\n\"expressions\":[");
    describe_expressions(out);
    describe_words(out, vocabulary);
    describe_lang(out, lang);
}
