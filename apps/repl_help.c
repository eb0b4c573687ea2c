/* repl_help.c - what `help` prints; see repl_help.h. The statements are those of grammar.def. */
#include "repl_help.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "play/cell.h"
#include "play/tree.h"

static const struct {
    const char *name, *sentence;
    unsigned values;
} maths[] = {
#define REPL_MATH(name, text, count, sentence) {text, sentence, count},
    TPI_PLAY_MATHS(REPL_MATH)
#undef REPL_MATH
};

/* The shape of a statement: slots in capitals, `drive POWER [turn TURN]`. Returns its width. */
static size_t put_shape(tpi_buf *out, const char *shape)
{
    const size_t begin = out->length;
    unsigned slot = 0;
    bool is_near = true; /* no blank stands before the next item */
    tpi_play_item item;

    while (tpi_play_item_next(&shape, &slot, &item)) {
        const bool is_tight = item.sort == ']' || (item.sort == 's' && item.text[0] != '(');
        tpi_buf_puts(out, is_near || is_tight ? "" : " ");
        is_near = item.sort == '[' || (item.sort == 's' && item.text[0] == '(');
        if (item.sort == '{') {
            tpi_buf_puts(out, "…");
        } else if (item.sort == '[' || item.sort == ']') {
            tpi_buf_putc(out, item.sort);
        } else if (item.sort == 'w' || item.sort == 's') {
            tpi_buf_puts(out, item.text);
        } else {
            for (const char *c = item.text; *c != '\0'; c++) {
                tpi_buf_putc(out, (char)toupper((unsigned char)*c));
            }
            tpi_buf_puts(out, item.is_list ? ", …" : "");
        }
    }
    size_t width = 0;
    for (size_t i = begin; i < out->length; i++) {
        width += ((unsigned char)out->data[i] & 0xc0) != 0x80;
    }
    return width;
}

static void put_statement(tpi_buf *out, tpi_play_kind kind, const tpi_play_lang *lang)
{
    tpi_buf_puts(out, "  ");
    const size_t width = put_shape(out, tpi_play_lang_shape(lang, kind));
    tpi_buf_printf(out, "%*s  %s\n", (int)(width < 42 ? 42 - width : 0), "",
                   tpi_play_statement_of(kind)->sentence);
}

static bool begins_with(const char *shape, const char *word)
{
    const size_t length = strcspn(shape, " ");

    return strlen(word) == length && memcmp(shape, word, length) == 0;
}

static void put_maths(tpi_buf *out, const char *word)
{
    static const char *const values[] = {"()", "(x)", "(x, y)"};

    for (unsigned i = 0; i < sizeof maths / sizeof maths[0]; i++) {
        if (word == NULL || strcmp(maths[i].name, word) == 0) {
            char call[32];
            const bool is_y_first = strstr(maths[i].sentence, "y, x") != NULL;
            (void)snprintf(call, sizeof call, "%s%s", maths[i].name,
                           is_y_first ? "(y, x)" : values[maths[i].values]);
            tpi_buf_printf(out, "  %-42s  %s\n", call, maths[i].sentence);
        }
    }
}

static void put_all(tpi_buf *out, const tpi_play_lang *lang)
{
    const char *category = "";

    tpi_buf_puts(out, "A line is a statement, or an expression whose value is printed.\n");
    for (unsigned i = 0; i < TPI_PLAY_STATEMENTS; i++) {
        const char *mine = tpi_play_statement_of((tpi_play_kind)i)->category;
        bool is_new = strcmp(category, mine) != 0;
        for (unsigned k = 0; k < i; k++) {
            is_new &= strcmp(tpi_play_statement_of((tpi_play_kind)k)->category, mine) != 0;
        }
        if (!is_new) {
            continue;
        }
        category = mine;
        tpi_buf_printf(out, "%s\n", mine);
        for (unsigned k = i; k < TPI_PLAY_STATEMENTS; k++) {
            if (strcmp(tpi_play_statement_of((tpi_play_kind)k)->category, mine) == 0) {
                put_statement(out, (tpi_play_kind)k, lang);
            }
        }
    }
    tpi_buf_puts(out, "Values\n");
    put_maths(out, NULL);
    tpi_buf_puts(
        out, "Ctrl-C stops the robot, Ctrl-D or `quit` ends. `help drive` tells about one word; "
             "docs/play.md is the whole language.\n");
}

void repl_help(tpi_buf *out, const char *word, const tpi_play_lang *lang)
{
    const size_t before = out->length;

    if (word[0] == '\0') {
        put_all(out, lang);
        return;
    }
    for (unsigned i = 0; i < TPI_PLAY_STATEMENTS; i++) {
        if (begins_with(tpi_play_lang_shape(lang, (tpi_play_kind)i), word) ||
            begins_with(tpi_play_statement_of((tpi_play_kind)i)->shape, word)) {
            put_statement(out, (tpi_play_kind)i, lang);
        }
    }
    put_maths(out, word);
    if (out->length == before) {
        tpi_buf_printf(out, "no statement and no function is called \"%s\"; `help` lists all\n",
                       word);
    }
}
