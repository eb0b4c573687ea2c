/* repl_help.h - what `help` prints where programs are typed one line at a time. */
#ifndef TROUPE_APPS_REPL_HELP_H
#define TROUPE_APPS_REPL_HELP_H

#include "base/buf.h"
#include "play/lang.h"

/* All statements by category; or, with a word, those that begin with it, and built-in functions of
 * that name. With the words of a language. */
void repl_help(tpi_buf *out, const char *word, const tpi_play_lang *lang);

#endif
