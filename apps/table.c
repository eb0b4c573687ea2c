/* table.c - rows and columns of text. */
#include "table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "output.h"

enum { GAP = 2, LONGEST_CELL = 1024, SHORTEST = 16 /* of what is shortened */ };

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

/* The beginning and the end of a text, since both tell names apart. */
static void put_shortened(tpi_buf *out, const char *text, size_t width)
{
    static const char dots[] = "...";
    const size_t length = strlen(text), rest = width - strlen(dots);
    size_t end = output_fit(text, length, rest - rest / 2), tail = end;

    tpi_buf_put(out, text, end);
    tpi_buf_puts(out, dots);
    while (output_width(text + tail, length - tail) > rest / 2) {
        const size_t step = output_fit(text + tail, length - tail, 2); /* any character */
        tail += step > 0 ? step : 1;
    }
    tpi_buf_puts(out, text + tail);
}

/* One cell; behind the last one of a line stand no blanks. */
static void put_cell(tpi_buf *out, const char *text, size_t width, bool right, bool last)
{
    const size_t own = output_width(text, strlen(text));
    const size_t blanks = width > own ? width - own : 0;

    tpi_buf_indent(out, right ? blanks : 0);
    if (own > width && !last) {
        put_shortened(out, text, width);
    } else {
        tpi_buf_puts(out, text);
    }
    tpi_buf_indent(out, !right && !last ? blanks : 0);
    tpi_buf_indent(out, last ? 0 : GAP);
}

/* Take away a word that was cut in two, unless it is the first. */
static void cut_word(tpi_buf *out, size_t start)
{
    size_t at = out->length;

    while (at > start && out->data[at - 1] != ' ') {
        at--;
    }
    out->length = at > start ? at : out->length;
}

/* Cut what was put from `start` on, take away blanks at its end, and end the line. */
static void end_line(tpi_buf *out, size_t start, size_t most)
{
    if (out->failed) {
        return;
    }
    const size_t end = out->length;
    if (most > 0) {
        out->length = start + output_fit(out->data + start, end - start, most);
    }
    if (out->length < end && out->data[out->length] != ' ') { /* whole words */
        cut_word(out, start);
    }
    while (out->length > start && out->data[out->length - 1] == ' ') {
        out->length--;
    }
    tpi_buf_putc(out, '\n');
}

/* ---- Columns that do not fit ----------------------------------------------------------------- */

/* Which columns are shown. */
struct choice {
    size_t columns;
    size_t widths[TABLE_COLUMNS];
    bool hidden[TABLE_COLUMNS];
    bool blank[TABLE_COLUMNS]; /* all its cells say nothing */
};

/* "0", "0.0", "-" and "". */
static bool says_nothing(const char *cell)
{
    return cell[strspn(cell, "0.-")] == '\0';
}

static void find_blank(const struct table *table, struct choice *choice)
{
    const char *end = tpi_buf_text(&table->cells) + table->cells.length;
    size_t column = 0;

    for (size_t i = 0; i < choice->columns; i++) {
        choice->blank[i] = true;
    }
    for (const char *cell = tpi_buf_text(&table->cells); cell < end; cell += strlen(cell) + 1) {
        choice->blank[column] = choice->blank[column] && says_nothing(cell);
        column = column + 1 < choice->columns ? column + 1 : 0;
    }
}

static size_t width_of(const struct choice *choice, size_t indent)
{
    size_t width = indent;
    bool first = true;

    for (size_t i = 0; i < choice->columns; i++) {
        if (!choice->hidden[i]) {
            width += choice->widths[i] + (first ? 0 : GAP);
            first = false;
        }
    }
    return width;
}

/* From the right; the first column always stays. */
static void hide(struct choice *choice, size_t indent, size_t most, bool only_blank)
{
    for (size_t i = choice->columns; i-- > 1 && width_of(choice, indent) > most;) {
        choice->hidden[i] = choice->hidden[i] || !only_blank || choice->blank[i];
    }
}

/* Make long texts shorter, the longest first; not in the first column and not in the last one. */
static void shorten(const struct table *table, struct choice *choice, size_t indent, size_t most)
{
    for (;;) {
        size_t longest = 0;
        for (size_t i = 1; i + 1 < choice->columns; i++) {
            const bool can =
                !choice->hidden[i] && table->headings[i][0] != '>' && choice->widths[i] > SHORTEST;
            if (can && (longest == 0 || choice->widths[i] > choice->widths[longest])) {
                longest = i;
            }
        }
        if (longest == 0 || width_of(choice, indent) <= most) {
            return;
        }
        choice->widths[longest]--;
    }
}

/* The columns that were left out though they say something. */
static void put_hidden(tpi_buf *out, const struct table *table, const struct choice *choice,
                       size_t indent)
{
    const char *before = "not shown here: ";

    for (size_t i = 0; i < choice->columns; i++) {
        if (choice->hidden[i] && !choice->blank[i]) {
            tpi_buf_indent(out, before[0] == 'n' ? indent : 0);
            tpi_buf_printf(out, "%s%s", before, heading_text(table->headings[i]));
            before = ", ";
        }
    }
    tpi_buf_puts(out, before[0] == ',' ? "\n" : "");
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static size_t last_shown(const struct choice *choice)
{
    size_t last = choice->columns - 1;

    while (last > 0 && choice->hidden[last]) {
        last--;
    }
    return last;
}

static void put_table(tpi_buf *out, const struct table *table, const struct choice *choice,
                      size_t indent, size_t most)
{
    const char *end = tpi_buf_text(&table->cells) + table->cells.length;
    const char *cell = tpi_buf_text(&table->cells);
    const size_t last = last_shown(choice);
    bool heading = true;

    while (heading || cell < end) {
        const size_t start = out->length;
        tpi_buf_indent(out, indent);
        for (size_t i = 0; i < choice->columns && (heading || cell < end); i++) {
            const char *text = heading ? heading_text(table->headings[i]) : cell;
            if (!choice->hidden[i]) {
                put_cell(out, text, choice->widths[i], table->headings[i][0] == '>', i == last);
            }
            cell += heading ? 0 : strlen(cell) + 1;
        }
        end_line(out, start, most);
        heading = false;
    }
    out->failed = out->failed || table->cells.failed;
}

void table_put(tpi_buf *out, const struct table *table, size_t indent, size_t most)
{
    struct choice choice = {.columns = 0};

    measure(table, choice.widths, &choice.columns);
    if (most > 0) { /* what is cut off the last column leaves at least its heading */
        const size_t last = choice.columns - 1;
        const size_t heading = strlen(heading_text(table->headings[last]));
        choice.widths[last] = choice.widths[last] > heading ? heading : choice.widths[last];
        shorten(table, &choice, indent, most);
    }
    put_table(out, table, &choice, indent, most);
}

void table_put_fitting(tpi_buf *out, const struct table *table, size_t indent, size_t most)
{
    struct choice choice = {.columns = 0};

    measure(table, choice.widths, &choice.columns);
    find_blank(table, &choice);
    if (most > 0) {
        hide(&choice, indent, most, true);
        shorten(table, &choice, indent, most);
        hide(&choice, indent, most, false);
    }
    put_table(out, table, &choice, indent, most);
    put_hidden(out, table, &choice, indent);
}
