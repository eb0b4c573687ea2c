/*
 * output.h - what goes to people and programs: text from elsewhere made harmless, colours, and a
 * piece of the terminal that is drawn again and again in the same place.
 */
#ifndef TROUPE_APPS_OUTPUT_H
#define TROUPE_APPS_OUTPUT_H

#include <stdint.h>

#include "base/buf.h"
#include "troupe/status.h"

/* Append text from elsewhere, up to its NUL or `length`: what is not UTF-8 and characters that
 * steer a terminal become question marks. */
void output_put_clean(tpi_buf *out, const char *text, size_t length);

/* The same line by line, each with a line end. */
void output_put_lines(tpi_buf *out, const char *text);

/* Append it as a JSON string; what is not UTF-8 becomes question marks. */
void output_put_json(tpi_buf *out, const char *text, size_t length);

/* Append a number as JSON: docs/reference/json.md tells what becomes of those that JSON does not
 * have. */
void output_put_number(tpi_buf *out, double value);

/* The end of a word that is counted: "" for one, "s" for none and for several. */
const char *output_plural(uint64_t count);

/* How long the first sentence of the text is: descriptions tell the most important thing first. */
int output_sentence(const char *text);

/* How many columns of a terminal the text takes. */
size_t output_width(const char *text, size_t length);

/* How much of the text fits into so many columns. */
size_t output_fit(const char *text, size_t length, size_t columns);

/* Whether standard output is a terminal, and how many columns and lines it has. */
bool output_is_terminal(void);
void output_size(size_t *columns, size_t *lines);

/* Whether the environment says that text is in UTF-8. */
bool output_is_utf8(void);

/* Whether it is a terminal on which text can be replaced. */
bool output_is_live(void);

/* Whether the reader of the output is gone. */
bool output_is_gone(void);

/* Write to standard output at once, past stdio. TP_E_CLOSED if its reader is gone, or does
 * not read and output_stop() was called: the rest is dropped. TP_E_IO if it cannot be written.
 */
tp_status output_write(const char *text, size_t length);

/* Write a note of a server or a world, a line, to standard error; it may have words of strangers in
 * it. Never waits: if nobody reads, the note is dropped, and the next one that is written tells how
 * many were. `count` is an unsigned that counts notes, or NULL. */
void output_note(void *count, const char *text);

/* From now on nobody waits for a reader that does not read. From a signal handler, too. */
void output_stop(void);

/* What makes text stand out, and ends that: "" unless standard output is a terminal that shows
 * colours and the environment does not say NO_COLOR. */
typedef enum output_style {
    STYLE_NONE,
    STYLE_BOLD,
    STYLE_GOOD,
    STYLE_DOUBT,
    STYLE_BAD
} output_style;
const char *output_style_begin(output_style style);
const char *output_style_end(output_style style);

/* Text on a terminal that is replaced by the next. All zero at first. */
struct screen {
    size_t drawn; /* lines that stand there */
    size_t columns;
    size_t lines; /* of the terminal when it was drawn */
};

/* Show the text in place of what was shown before. Lines that are too long go on in the next one;
 * what does not fit below is left out, which is reported. Fails as output_write() does. */
tp_status screen_show(struct screen *screen, const char *text);

/* Leave it there: the next text comes below. */
void screen_leave(struct screen *screen);

#endif
