/* wrap.c - text for a terminal, wrapped between words; see wrap.h. */
#include "wrap.h"

#include <string.h>
#include <unistd.h>

#include "output.h"

/* A last column with less room than this goes on at the left instead. */
enum { LEAST_ROOM = 20, USUAL_COLUMNS = 80 };

/* A line, without its end. */
struct line {
    const char *text;
    size_t length;
    size_t indent;
};

static struct line line_at(const char *text)
{
    return (struct line){text, strcspn(text, "\n"), strspn(text, " ")};
}

static const char *behind(const struct line *line)
{
    return line->text + line->length + (line->text[line->length] == '\n');
}

/* "troupe" or "./troupe", whatever follows. */
static bool is_command(const char *text)
{
    const size_t length = strcspn(text, " \n");

    return length >= 6 && memcmp(text + length - 6, "troupe", 6) == 0;
}

/* Where the last column of the line begins. */
static size_t last_column(const struct line *line, size_t columns)
{
    size_t column = line->indent;

    if (is_command(line->text + line->indent)) {
        return line->indent + 4;
    }
    for (size_t i = line->indent + 2; i < line->length; i++) {
        if (line->text[i] != ' ' && line->text[i - 1] == ' ' && line->text[i - 2] == ' ') {
            column = i;
        }
    }
    column = output_width(line->text, column);
    return column + LEAST_ROOM > columns ? line->indent + 4 : column;
}

/* The same for the lines of a text, in which `usual` was that of the last option: the name of an
 * option that fills its column has one blank behind it. */
static size_t next_column(const struct line *line, size_t columns, size_t *usual)
{
    const size_t column = last_column(line, columns);
    const bool is_option = line->indent > 0 && line->text[line->indent] == '-';

    if (is_option && column > line->indent) {
        *usual = column;
    }
    return is_option && column == line->indent && *usual > column ? *usual : column;
}

/* Whether a line goes on in the next one: there was no room for the next word. Options and commands
 * begin lines of their own. */
static bool goes_on(const struct line *line, const struct line *next, size_t column)
{
    const char *word = next->text + next->indent;
    const bool is_deeper = next->indent > line->indent;

    return next->length > next->indent && next->indent == column && (word[0] != '-' || is_deeper) &&
           !is_command(word) && line->length + 1 + strcspn(word, " \n") > USUAL_COLUMNS;
}

/* Append the text, which has no line ends, in lines; all but the first begin at `column`. */
static void put_filled(tpi_buf *out, const char *text, size_t column, size_t columns)
{
    size_t room = columns;

    while (output_width(text, strlen(text)) > room) {
        const size_t indent = strspn(text, " ");
        size_t end = output_fit(text, strlen(text), room);

        while (end > indent && text[end] != ' ') {
            end--;
        }
        if (end <= indent) { /* a word that is too long for any line */
            end = indent + strcspn(text + indent, " ");
        }
        tpi_buf_put(out, text, end);
        text += end + strspn(text + end, " ");
        if (*text == '\0') {
            break;
        }
        tpi_buf_printf(out, "\n%*s", (int)column, "");
        room = columns - column;
    }
    tpi_buf_puts(out, text);
    tpi_buf_putc(out, '\n');
}

static bool has_long_line(const char *text, size_t columns)
{
    bool has = false;

    while (*text != '\0' && !has) {
        const struct line line = line_at(text);
        has = output_width(line.text, line.length) > columns;
        text = behind(&line);
    }
    return has;
}

/* Append the line at the text, and those that go on with it; what is behind them. */
static const char *put_paragraph(tpi_buf *out, const char *text, size_t columns, size_t *usual)
{
    tpi_buf whole = {0};
    struct line line = line_at(text);
    const size_t column = next_column(&line, columns, usual);
    struct line next = line_at(behind(&line));

    tpi_buf_put(&whole, line.text, line.length);
    while (goes_on(&line, &next, column)) {
        tpi_buf_putc(&whole, ' ');
        tpi_buf_put(&whole, next.text + next.indent, next.length - next.indent);
        line = next;
        next = line_at(behind(&line));
    }
    put_filled(out, tpi_buf_text(&whole), column, columns);
    tpi_buf_fini(&whole);
    return behind(&line);
}

void wrap_put(tpi_buf *out, const char *text, size_t columns)
{
    size_t usual = 0;

    if (columns < 2 * LEAST_ROOM || !has_long_line(text, columns)) {
        tpi_buf_puts(out, text);
        return;
    }
    while (*text != '\0') {
        text = put_paragraph(out, text, columns, &usual);
    }
}

void wrap_write(FILE *out, const char *text)
{
    tpi_buf wrapped = {0};
    size_t columns;
    size_t lines;

    if (isatty(fileno(out)) == 0) {
        fputs(text, out);
        return;
    }
    output_size(&columns, &lines);
    wrap_put(&wrapped, text, columns);
    fputs(tpi_buf_text(&wrapped), out);
    tpi_buf_fini(&wrapped);
}
