/* key.h - the key of a program, from its options or the environment. */
#ifndef TROUPE_CLIENT_KEY_H
#define TROUPE_CLIENT_KEY_H

#include "troupe/status.h"

/* Read a key: `key`, or the first line of the file `path`, which must be private; without both the
 * environment's TROUPE_KEY. *out is the caller's, NULL if there is none. TP_E_INVALID for both, and
 * for what is no key; TP_E_DENIED for a file that others can read. */
tp_status tpi_key_read(char **out, const char *key, const char *path, tp_error *err);

/* Overwrite and release a key. */
void tpi_key_forget(char **key);

#endif
