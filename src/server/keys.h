/*
 * keys.h - the keys of clients, as configurations and key files write them.
 *
 *     # NAME   RIGHT     SECRET, to the end of the line
 *     anna     move      correct horse battery staple
 *     control  operate   7c0a5d1f9be2
 *
 * The name is for people. The right is read, write, move or operate. Errors name the key and never
 * show a secret, not even where something else was expected.
 */
#ifndef TROUPE_SERVER_KEYS_H
#define TROUPE_SERVER_KEYS_H

#include "session/identity.h"

enum { TPI_KEY_SAFE = 16 }; /* characters of a secret; shorter ones can be guessed */

typedef struct tpi_keys {
    tpi_key keys[TPI_MOST_KEYS];
    size_t count;
} tpi_keys;

/* One more key: "anna move secret". TP_E_SYNTAX with the reason, without a place. */
tp_status tpi_keys_add(tpi_keys *keys, const char *line, size_t length, tp_error *err);

/* The same in pieces, for keys whose name and right are given. */
tp_status tpi_keys_add_secret(tpi_keys *keys, const char *name, tp_right right, const char *secret,
                              tp_error *err);

/* The lines of a file; empty ones and those that begin with # are left out. The reason begins with
 * the path and the number of the line. */
tp_status tpi_keys_read(tpi_keys *keys, const char *path, const char *text, size_t length,
                        tp_error *err);

#endif
