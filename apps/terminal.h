/*
 * terminal.h - the whole terminal for ourselves, and back as it was on every way out.
 *
 * While it is ours, keys are read one by one and not shown, the cursor is hidden, and another page
 * is shown than before. Signals that end the program give it back first, and so does exit(); only
 * SIGKILL does not. There is one terminal, so there is one state.
 */
#ifndef TROUPE_APPS_TERMINAL_H
#define TROUPE_APPS_TERMINAL_H

#include <stdbool.h>

#include "troupe/status.h"

/* Fails if standard input or output is no terminal. */
tp_status terminal_take(tp_error *err);
void terminal_give_back(void); /* safe at any time, also from a signal handler */

/* The next key, -1 if none was pressed. Does not wait. */
int terminal_key(void);

#endif
