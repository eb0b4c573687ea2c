/* text.h - small helpers for names, and for bytes that are written as text. */
#ifndef TROUPE_BASE_TEXT_H
#define TROUPE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Finds the known name that a mistyped one most likely meant. Feed every candidate, then read
 * `best`: NULL unless one is close enough to be worth suggesting, or the only one that begins or
 * ends with the word. */
typedef struct tpi_nearest {
    const char *word; /* borrowed */
    const char *best; /* borrowed from the candidates */
    unsigned distance;
} tpi_nearest;

void tpi_nearest_init(tpi_nearest *nearest, const char *word);
void tpi_nearest_offer(tpi_nearest *nearest, const char *candidate);

/* `; did you mean "best"?` or nothing, into a buffer that stays valid as long as `out`. */
const char *tpi_nearest_hint(const tpi_nearest *nearest, char *out, size_t size);

/* Whether a list, which NULL ends, has the text. */
bool tpi_text_among(const char *const *list, const char *text);

/* Whether a text, given with its length, is the pattern, or begins with it if a * stands behind. */
bool tpi_text_fits(const char *pattern, const char *text, size_t length);

/* A text as a field of a message that is about to be made: borrowed, and only read; its count is
 * that of its characters and the NUL. */
char *tpi_text_field(const char *text, uint32_t *count);

/* Append bytes as lower-case hex digits. */
void tpi_hex_put(tpi_buf *out, const void *bytes, size_t length);

/* Append the bytes that hex digits stand for; blanks between bytes are skipped. Fails with the
 * place and the character that is none. */
tp_status tpi_hex_read(tpi_buf *out, const char *text, size_t length, tp_error *err);

/* The byte that an escape stands for, given what follows its backslash: n, r, t, 0, \\, ", ' or x
 * and two hex digits. Its length, 0 if it is none. */
size_t tpi_escape_read(const char *text, size_t available, char *out);

/* Length of the UTF-8 sequence at `text`, 0 if it is none. */
size_t tpi_utf8_length(const char *text, size_t available);

/* Whether the text is UTF-8 throughout. */
bool tpi_utf8_valid(const char *text, size_t length);

#endif
