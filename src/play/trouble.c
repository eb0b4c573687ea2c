/* trouble.c - the list of mistakes. */
#include "play/trouble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

bool tpi_play_trouble_at(const tpi_play_troubles *troubles, unsigned line, unsigned column)
{
    for (unsigned i = 0; i < tpi_play_trouble_count(troubles); i++) {
        if (troubles->list[i].line == line && troubles->list[i].column == column) {
            return true;
        }
    }
    return false;
}

tpi_play_trouble *tpi_play_trouble_add(tpi_play_troubles *troubles, unsigned line, unsigned column,
                                       unsigned width, const char *word, const char *format, ...)
{
    va_list values;

    if (tpi_play_trouble_at(troubles, line, column)) {
        return &troubles->beyond;
    }
    if (troubles->count++ >= TPI_PLAY_MOST_TROUBLES) {
        return &troubles->beyond;
    }
    tpi_play_trouble *trouble = &troubles->list[troubles->count - 1];
    *trouble = (tpi_play_trouble){.line = line, .column = column, .width = width};
    size_t length = strlen(word);
    if (length >= sizeof trouble->word) {
        length = sizeof trouble->word - 1;
        while (length > 0 && ((unsigned char)word[length] & 0xc0) == 0x80) {
            length--; /* whole characters */
        }
    }
    memcpy(trouble->word, word, length);
    va_start(values, format);
    vsnprintf(trouble->text, sizeof trouble->text, format, values);
    va_end(values);
    return trouble;
}

bool tpi_play_is_far(const tpi_nearest *nearest)
{
    const size_t length = strlen(nearest->word);

    return (nearest->distance > 1 && length <= 3) ||
           (nearest->distance == length && length == 1 &&
            (nearest->word[0] | 0x20) != (nearest->best[0] | 0x20));
}

unsigned tpi_play_trouble_count(const tpi_play_troubles *troubles)
{
    return troubles->count < TPI_PLAY_MOST_TROUBLES ? troubles->count : TPI_PLAY_MOST_TROUBLES;
}

static int by_place(const void *a, const void *b)
{
    const tpi_play_trouble *x = a, *y = b;

    return x->line != y->line ? (x->line < y->line ? -1 : 1)
                              : (x->column > y->column) - (x->column < y->column);
}

void tpi_play_troubles_sort(tpi_play_troubles *troubles)
{
    qsort(troubles->list, tpi_play_trouble_count(troubles), sizeof troubles->list[0], by_place);
}

void tpi_play_trouble_put(tpi_buf *out, const char *file, const tpi_play_trouble *trouble)
{
    tpi_buf_printf(out, "%s:%u:%u: `%s`: %s", file, trouble->line, trouble->column, trouble->word,
                   trouble->text);
    if (trouble->fix[0] != '\0') {
        tpi_buf_printf(out, "; did you mean `%s`?", trouble->fix);
    }
    tpi_buf_putc(out, '\n');
}

static void put_member(tpi_buf *out, const char *name, const char *text)
{
    tpi_buf_printf(out, ",\"%s\":", name);
    if (text == NULL) {
        tpi_buf_puts(out, "null");
    } else {
        tpi_json_put_string(out, text, strlen(text));
    }
}

void tpi_play_trouble_put_json(tpi_buf *out, const char *file, const tpi_play_trouble *trouble)
{
    const bool has_fix = trouble->fix[0] != '\0' || trouble->removes;

    tpi_buf_puts(out, "{\"file\":");
    tpi_json_put_string(out, file, strlen(file));
    tpi_buf_printf(out, ",\"line\":%u,\"column\":%u,\"length\":%u", trouble->line, trouble->column,
                   trouble->width);
    put_member(out, "text", trouble->word);
    put_member(out, "message", trouble->text);
    put_member(out, "suggestion", has_fix ? trouble->fix : NULL);
    put_member(out, "statement", trouble->whole[0] != '\0' ? trouble->whole : NULL);
    tpi_buf_puts(out, "}\n");
}
