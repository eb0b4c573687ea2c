/*
 * edit_line.h - a line that is edited on a terminal: cursor keys, history. It knows no terminal:
 * keys come in one by one, what is to be shown goes out.
 *
 * Keys: left, right, Home, End (Ctrl-A, Ctrl-E), Backspace, Delete, Ctrl-U (all before the cursor),
 * Ctrl-K (all behind it), up and down (history), Ctrl-D (the end, on an empty line).
 */
#ifndef TROUPE_APPS_EDIT_LINE_H
#define TROUPE_APPS_EDIT_LINE_H

#include "base/buf.h"

enum { EDIT_LINE_MOST = 4096, EDIT_LINE_HISTORY = 200 };

/* An all-zero editor is ready. */
typedef struct edit_line {
    char text[EDIT_LINE_MOST]; /* without its end */
    size_t length, cursor;     /* in bytes, at whole characters */
    const char *prompt;        /* borrowed */
    char *history[EDIT_LINE_HISTORY];
    unsigned count, shown;  /* of the history; `count` is the line that is new */
    char *unsent;           /* owned: what was typed before the history was looked at */
    char escape[8];         /* a key of several bytes that is not complete */
    unsigned escape_length; /* 0 for none */
} edit_line;

typedef enum edit_state { EDIT_GOES_ON, EDIT_DONE, EDIT_ENDS } edit_state;

void edit_line_fini(edit_line *e);

/* Begin a line. */
void edit_line_begin(edit_line *e, const char *prompt, tpi_buf *out);

/* A byte of a key. DONE: the line is in `text`, and in the history. ENDS: the end of the input. */
edit_state edit_line_key(edit_line *e, char byte, tpi_buf *out);

#endif
