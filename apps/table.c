/* table.c - rows and columns of text. */
#include "table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "output.h"

enum { GAP = 2, LONGEST_CELL = 1024 };

void table_init(struct table *table, const char *const *headings)
{
    table->headings = headings;
    table->cells = (tpi_buf){0};
}

void table_fini(struct table *table)
{
    tpi_buf_fini(&table->cells);
}

void table_cell(struct table *table, const char *format, ...)
{
    char text[LONGEST_CELL];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    output_put_clean(&table->cells, text, sizeof text);
    tpi_buf_putc(&table->cells, '\0');
}

static const char *heading_text(const char *heading)
{
    return heading + (heading[0] == '>');
}

static void measure(const struct table *table, size_t *widths, size_t *columns)
{
    *columns = 0;
    while (table->headings[*columns] != NULL) {
        const char *text = heading_text(table->headings[*columns]);
        widths[(*columns)++] = strlen(text);
    }
    const char *end = tpi_buf_text(&table->cells) + table->cells.length;
    size_t column = 0;
    for (const char *cell = tpi_buf_text(&table->cells); cell < end; cell += strlen(cell) + 1) {
        const size_t width = output_width(cell, strlen(cell));
        widths[column] = width > widths[column] ? width : widths[column];
        column = column + 1 < *columns ? column + 1 : 0;
    }
}

/* One cell; behind the last one of a line stand no blanks. */
static void put_cell(tpi_buf *out, const char *text, size_t width, bool right, bool last)
{
    const size_t own = output_width(text, strlen(text));
    const size_t blanks = width > own ? width - own : 0;

    tpi_buf_indent(out, right ? blanks : 0);
    tpi_buf_puts(out, text);
    tpi_buf_indent(out, !right && !last ? blanks : 0);
    tpi_buf_indent(out, last ? 0 : GAP);
}

/* Cut what was put from `start` on, take away blanks at its end, and end the line. */
static void end_line(tpi_buf *out, size_t start, size_t most)
{
    if (out->failed) {
        return;
    }
    if (most > 0) {
        out->length = start + output_fit(out->data + start, out->length - start, most);
    }
    while (out->length > start && out->data[out->length - 1] == ' ') {
        out->length--;
    }
    tpi_buf_putc(out, '\n');
}

void table_put(tpi_buf *out, const struct table *table, size_t indent, size_t most)
{
    size_t widths[TABLE_COLUMNS] = {0};
    size_t columns;
    size_t start = out->length;

    measure(table, widths, &columns);
    tpi_buf_indent(out, indent);
    for (size_t i = 0; i < columns; i++) {
        put_cell(out, heading_text(table->headings[i]), widths[i], table->headings[i][0] == '>',
                 i + 1 == columns);
    }
    end_line(out, start, most);
    const char *end = tpi_buf_text(&table->cells) + table->cells.length;
    const char *cell = tpi_buf_text(&table->cells);
    while (cell < end) {
        start = out->length;
        tpi_buf_indent(out, indent);
        for (size_t i = 0; i < columns && cell < end; i++, cell += strlen(cell) + 1) {
            put_cell(out, cell, widths[i], table->headings[i][0] == '>', i + 1 == columns);
        }
        end_line(out, start, most);
    }
    out->failed = out->failed || table->cells.failed;
}
