/*
 * terminal.h - the whole terminal for ourselves, and back as it was on every way out.
 *
 * While it is ours, keys are read one by one and not shown, the cursor is hidden, and another page
 * is shown than before. Signals that end the program give it back first, and so does exit(); only
 * SIGKILL does not. There is one terminal, so there is one state.
 */
#ifndef TROUPE_APPS_TERMINAL_H
#define TROUPE_APPS_TERMINAL_H

#include <stddef.h>

#include "troupe/status.h"

/* Fails if standard input or output is no terminal. */
tp_status terminal_take(tp_error *err);
void terminal_restore(void); /* safe at any time, also from a signal handler */

/* The next key, -1 if none was pressed. Does not wait. */
int terminal_key(void);

/* Write what the terminal takes within so many milliseconds; how much that was is in `written`. One
 * that is stopped takes nothing. TP_E_CLOSED if it is gone. */
tp_status terminal_write(const char *text, size_t length, int patience_ms, size_t *written);

#endif
