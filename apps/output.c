/* output.c - harmless text, colours, and text in place. */
#include "output.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "padi/value.h"

enum { STEP_MS = 100 };

static volatile sig_atomic_t stopped;

/* ---- Text from elsewhere --------------------------------------------------------------------- */

/* Control characters of ASCII and, as two bytes, those of Latin-1. */
static bool steers(const char *text, size_t length)
{
    const unsigned char first = (unsigned char)text[0];

    return (length == 1 && (first < 0x20 || first == 0x7f)) ||
           (length == 2 && first == 0xc2 && (unsigned char)text[1] < 0xa0);
}

static void put_valid(tpi_buf *out, const char *text, size_t length, bool for_terminal)
{
    for (size_t i = 0; i < length && text[i] != '\0';) {
        const size_t step = tpi_utf8_length(text + i, length - i);
        if (step == 0 || (for_terminal && steers(text + i, step))) {
            tpi_buf_putc(out, '?');
        } else {
            tpi_buf_put(out, text + i, step);
        }
        i += step == 0 ? 1 : step;
    }
}

void output_put_clean(tpi_buf *out, const char *text, size_t length)
{
    put_valid(out, text, length, true);
}

void output_put_lines(tpi_buf *out, const char *text)
{
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        output_put_clean(out, text, length);
        tpi_buf_putc(out, '\n');
        text += length + (text[length] == '\n');
    }
}

void output_put_json(tpi_buf *out, const char *text, size_t length)
{
    tpi_buf valid = {0};

    put_valid(&valid, text, length, false);
    tpi_json_put_string(out, tpi_buf_text(&valid), valid.length);
    out->failed = out->failed || valid.failed;
    tpi_buf_fini(&valid);
}

void output_put_number(tpi_buf *out, double value)
{
    tpi_number_put(out, TP_TYPE_F64, &value, true);
}

const char *output_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

int output_sentence(const char *text)
{
    const char *end = strstr(text, ". ");

    return (int)(end != NULL ? (size_t)(end - text) + 1 : strlen(text));
}

/* ---- Columns --------------------------------------------------------------------------------- */

/* Characters of Asia take two columns; what we cannot tell counts two as well, so that a line is
 * rather cut too early than broken by the terminal. */
static size_t columns_of(const char *text, size_t step)
{
    return step < 3 ? 1 : (unsigned char)text[0] == 0xe2 ? 1 : 2;
}

size_t output_fit(const char *text, size_t length, size_t columns)
{
    size_t used = 0;
    size_t i = 0;

    while (i < length) {
        const size_t step = tpi_utf8_length(text + i, length - i);
        const size_t whole = step == 0 ? 1 : step;
        used += columns_of(text + i, whole);
        if (used > columns) {
            break;
        }
        i += whole;
    }
    return i;
}

size_t output_width(const char *text, size_t length)
{
    size_t used = 0;

    for (size_t i = 0; i < length;) {
        const size_t step = tpi_utf8_length(text + i, length - i);
        const size_t whole = step == 0 ? 1 : step;
        used += columns_of(text + i, whole);
        i += whole;
    }
    return used;
}

/* ---- Standard output ------------------------------------------------------------------------- */

bool output_is_terminal(void)
{
    return isatty(STDOUT_FILENO) != 0;
}

void output_size(size_t *columns, size_t *lines)
{
    struct winsize size = {0};

    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    *columns = size.ws_col > 0 ? size.ws_col : 80;
    *lines = size.ws_row > 0 ? size.ws_row : 24;
}

bool output_is_gone(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO};

    return poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLHUP)) != 0;
}

void output_stop(void)
{
    stopped = 1;
}

/* Wait until something can be written, in steps, so that a stop between two of them is seen. */
static bool is_ready(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    int ready = 0;

    do {
        ready = poll(&out, 1, stopped ? 0 : STEP_MS);
    } while (ready <= 0 && !stopped);
    return ready > 0;
}

tp_status output_write(const char *text, size_t length)
{
    fflush(stdout);
    while (length > 0) {
        if (!is_ready()) {
            return TP_E_CLOSED;
        }
        /* as much as a pipe that is ready takes without waiting */
        const ssize_t written = write(STDOUT_FILENO, text, length < PIPE_BUF ? length : PIPE_BUF);
        if (written < 0 && errno != EINTR && errno != EAGAIN) {
            return output_is_gone() ? TP_E_CLOSED : TP_E_IO;
        }
        text += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
    return TP_OK;
}

bool output_is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = NULL;

    for (size_t i = 0; i < 3 && (locale == NULL || locale[0] == '\0'); i++) {
        locale = getenv(names[i]);
    }
    return locale != NULL && (strstr(locale, "UTF-8") != NULL || strstr(locale, "utf8") != NULL ||
                              strstr(locale, "UTF8") != NULL || strstr(locale, "utf-8") != NULL);
}

bool output_is_live(void)
{
    const char *terminal = getenv("TERM");

    return output_is_terminal() && terminal != NULL && strcmp(terminal, "dumb") != 0;
}

static bool shows_colours(void)
{
    const char *none = getenv("NO_COLOR");

    return output_is_live() && (none == NULL || none[0] == '\0');
}

const char *output_style_begin(output_style style)
{
    static const char *const codes[] = {"", "\033[1m", "\033[32m", "\033[33m", "\033[31m"};

    return shows_colours() ? codes[style] : "";
}

const char *output_style_end(output_style style)
{
    return style != STYLE_NONE && shows_colours() ? "\033[0m" : "";
}

/* ---- Text in place --------------------------------------------------------------------------- */

static size_t count_lines(const char *text)
{
    size_t count = 0;

    for (; *text != '\0'; text += *text == '\n') {
        text += strcspn(text, "\n");
        count++;
    }
    return count;
}

/* To where the first line stands. A terminal that was resized has moved everything. */
static void put_start(tpi_buf *out, struct screen *screen, size_t columns, size_t lines)
{
    if (screen->drawn > 0 && (screen->columns != columns || screen->lines != lines)) {
        tpi_buf_puts(out, "\033[H\033[2J");
    } else if (screen->drawn > 0) {
        tpi_buf_printf(out, "\033[%zuA\r", screen->drawn);
    }
    screen->columns = columns;
    screen->lines = lines;
}

/* How much of a line goes into one of the terminal: whole words, so that no number is cut in two
 * and looks like another one. */
static size_t fit_words(const char *line, size_t length, size_t columns)
{
    const size_t most = output_fit(line, length, columns);
    size_t fit = most;

    while (fit < length && fit > 0 && line[fit] != ' ') {
        fit--;
    }
    if (fit > strspn(line, " ")) {
        return fit;
    }
    return most > 0 || length == 0 ? most : 1; /* in any case it goes on */
}

/* Lines that are too long go on in the next one, a little to the right. */
static void put_wrapped(tpi_buf *out, const char *text, size_t columns)
{
    static const char indent[] = "    ";
    const size_t margin = columns > 2 * strlen(indent) ? strlen(indent) : 0;

    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        size_t fit = fit_words(text, length, columns);
        tpi_buf_put(out, text, fit);
        while (fit < length) {
            const size_t gap = strspn(text + fit, " ");
            text += fit + gap;
            length -= fit + gap;
            fit = fit_words(text, length, columns - margin);
            tpi_buf_puts(out, "\n");
            tpi_buf_put(out, indent, margin);
            tpi_buf_put(out, text, fit);
        }
        tpi_buf_puts(out, "\n");
        text += length + (text[length] == '\n');
    }
}

static tp_status show(struct screen *screen, const char *text, size_t columns, size_t lines)
{
    tpi_buf out = {0};

    put_start(&out, screen, columns, lines);
    const size_t all = count_lines(text);
    const size_t most = lines > 2 ? lines - 1 : 1; /* the cursor stands below */
    const size_t shown = all <= most ? all : most - 1;
    for (size_t i = 0; i < shown; i++) {
        const size_t length = strcspn(text, "\n");
        tpi_buf_put(&out, text, length);
        tpi_buf_puts(&out, "\033[K\n");
        text += length + (text[length] == '\n');
    }
    if (shown < all) {
        tpi_buf_printf(&out, "... %zu more lines\033[K\n", all - shown);
    }
    tpi_buf_puts(&out, "\033[J");
    screen->drawn = shown + (shown < all);
    const tp_status status = output_write(tpi_buf_text(&out), out.length);
    tpi_buf_fini(&out);
    return status;
}

tp_status screen_show(struct screen *screen, const char *text)
{
    tpi_buf wrapped = {0};
    size_t columns;
    size_t lines;

    output_size(&columns, &lines);
    put_wrapped(&wrapped, text, columns > 1 ? columns - 1 : 1);
    const tp_status status = show(screen, tpi_buf_text(&wrapped), columns, lines);
    tpi_buf_fini(&wrapped);
    return status;
}

void screen_leave(struct screen *screen)
{
    screen->drawn = 0;
}

/* ---- Notes ----------------------------------------------------------------------------------- */

/* Whether a line can be written without waiting: a pipe that is ready takes PIPE_BUF bytes. */
static bool takes_note(void)
{
    struct pollfd err = {.fd = STDERR_FILENO, .events = POLLOUT};

    return poll(&err, 1, 0) > 0 && (err.revents & (POLLERR | POLLHUP | POLLNVAL)) == 0;
}

void output_note(void *count, const char *text)
{
    static atomic_ulong dropped; /* notes come from the loop and from the thread of a world */
    tpi_buf line = {0};

    if (count != NULL) {
        (*(unsigned *)count)++;
    }
    if (!takes_note()) {
        dropped++;
        return;
    }
    const unsigned long before = atomic_exchange(&dropped, 0);
    if (before > 0) {
        tpi_buf_printf(&line, "(%lu notes before this one were not read)\n", before);
    }
    output_put_clean(&line, text, strlen(text));
    line.length = line.length < PIPE_BUF ? line.length : PIPE_BUF - 1;
    tpi_buf_putc(&line, '\n');
    if (!line.failed && write(STDERR_FILENO, line.data, line.length) < 0) {
        dropped++;
    }
    tpi_buf_fini(&line);
}
