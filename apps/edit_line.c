/* edit_line.c - a line that is edited on a terminal; see edit_line.h. */
#include "edit_line.h"

#include <stdlib.h>
#include <string.h>

enum { CTRL_A = 1, CTRL_D = 4, CTRL_E = 5, CTRL_K = 11, CTRL_U = 21, ESCAPE = 27, DELETE = 127 };

void edit_line_fini(edit_line *e)
{
    for (unsigned i = 0; i < e->count; i++) {
        free(e->history[i]);
    }
    free(e->unsent);
    *e = (edit_line){0};
}

/* ---- Showing --------------------------------------------------------------------------------- */

static bool begins_character(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

/* Show the line anew, with the cursor at its place. */
static void show(const edit_line *e, tpi_buf *out)
{
    unsigned behind = 0;

    for (size_t i = e->cursor; i < e->length; i++) {
        behind += begins_character(e->text[i]);
    }
    tpi_buf_printf(out, "\r%s%.*s\033[K", e->prompt, (int)e->length, e->text);
    if (behind > 0) {
        tpi_buf_printf(out, "\033[%uD", behind);
    }
}

void edit_line_begin(edit_line *e, const char *prompt, tpi_buf *out)
{
    e->prompt = prompt;
    e->length = e->cursor = 0;
    e->shown = e->count;
    e->escape_length = 0;
    show(e, out);
}

/* ---- Changing -------------------------------------------------------------------------------- */

static size_t before_cursor(const edit_line *e)
{
    size_t at = e->cursor;

    while (at > 0 && !begins_character(e->text[--at])) {
    }
    return at;
}

static size_t behind_cursor(const edit_line *e)
{
    size_t at = e->cursor;

    while (at < e->length && !begins_character(e->text[++at]) && at < e->length) {
    }
    return at;
}

/* Take bytes away; the cursor is where they were. */
static void cut(edit_line *e, size_t from, size_t to)
{
    memmove(e->text + from, e->text + to, e->length - to);
    e->length -= to - from;
    e->cursor = from;
}

static void insert(edit_line *e, char byte)
{
    if (e->length + 1 < EDIT_LINE_MOST) {
        memmove(e->text + e->cursor + 1, e->text + e->cursor, e->length - e->cursor);
        e->text[e->cursor++] = byte;
        e->length++;
    }
}

/* ---- History --------------------------------------------------------------------------------- */

static char *copy_of(const edit_line *e)
{
    char *copy = malloc(e->length + 1);

    if (copy != NULL) {
        memcpy(copy, e->text, e->length);
        copy[e->length] = '\0';
    }
    return copy;
}

static void keep(edit_line *e)
{
    const bool is_same = e->count > 0 && strlen(e->history[e->count - 1]) == e->length &&
                         memcmp(e->history[e->count - 1], e->text, e->length) == 0;
    char *copy = e->length > 0 && !is_same ? copy_of(e) : NULL;

    if (copy == NULL) {
        return;
    }
    if (e->count == EDIT_LINE_HISTORY) {
        free(e->history[0]);
        memmove(e->history, e->history + 1, sizeof e->history - sizeof e->history[0]);
        e->count--;
    }
    e->history[e->count++] = copy;
}

static void take(edit_line *e, const char *text)
{
    e->length = strlen(text);
    e->length = e->length < EDIT_LINE_MOST ? e->length : EDIT_LINE_MOST - 1;
    memcpy(e->text, text, e->length);
    e->cursor = e->length;
}

/* Show another line of the history; behind the last one stands what was typed. */
static void look(edit_line *e, bool is_back)
{
    if (is_back ? e->shown == 0 : e->shown == e->count) {
        return;
    }
    if (e->shown == e->count) {
        free(e->unsent);
        e->unsent = copy_of(e);
    }
    e->shown = is_back ? e->shown - 1 : e->shown + 1;
    take(e, e->shown < e->count ? e->history[e->shown] : e->unsent != NULL ? e->unsent : "");
}

/* ---- Keys ------------------------------------------------------------------------------------ */

/* A key of several bytes: ESC [ A, ESC O H, ESC [ 3 ~. Others do nothing. */
static void special(edit_line *e)
{
    const char last = e->escape[e->escape_length - 1];
    const char first = e->escape[2];

    switch (last == '~' ? first : last) {
    case 'A':
        look(e, true);
        break;
    case 'B':
        look(e, false);
        break;
    case 'C':
        e->cursor = behind_cursor(e);
        break;
    case 'D':
        e->cursor = before_cursor(e);
        break;
    case 'H':
    case '1':
        e->cursor = 0;
        break;
    case 'F':
    case '4':
        e->cursor = e->length;
        break;
    case '3':
        cut(e, e->cursor, behind_cursor(e));
        break;
    default:
        break;
    }
}

/* A byte of such a key. */
static void go_on(edit_line *e, char byte)
{
    e->escape[e->escape_length++] = byte;
    if (e->escape_length == 2 && (byte == '[' || byte == 'O')) {
        return;
    }
    const bool is_over = (byte >= '@' && byte <= '~') || e->escape_length == sizeof e->escape;
    if (e->escape_length == 2 || is_over) {
        if (e->escape_length > 2) {
            special(e);
        }
        e->escape_length = 0;
    }
}

static void control(edit_line *e, char byte)
{
    switch (byte) {
    case CTRL_A:
        e->cursor = 0;
        break;
    case CTRL_D:
        cut(e, e->cursor, behind_cursor(e));
        break;
    case CTRL_E:
        e->cursor = e->length;
        break;
    case CTRL_K:
        cut(e, e->cursor, e->length);
        break;
    case CTRL_U:
        cut(e, 0, e->cursor);
        break;
    case '\b':
    case DELETE:
        cut(e, before_cursor(e), e->cursor);
        break;
    default:
        break;
    }
}

edit_state edit_line_key(edit_line *e, char byte, tpi_buf *out)
{
    if (e->escape_length > 0) {
        go_on(e, byte);
    } else if (byte == ESCAPE) {
        e->escape[e->escape_length++] = byte;
    } else if (byte == '\r' || byte == '\n') {
        keep(e);
        e->cursor = e->length;
        show(e, out);
        tpi_buf_puts(out, "\r\n");
        return EDIT_DONE;
    } else if (byte == CTRL_D && e->length == 0) {
        return EDIT_ENDS;
    } else if (((unsigned char)byte >= ' ' && byte != DELETE) || byte == '\t') {
        insert(e, byte == '\t' ? ' ' : byte);
    } else {
        control(e, byte);
    }
    show(e, out);
    return EDIT_GOES_ON;
}
