/*
 * counted.h - texts in messages: characters with a count, with or without a NUL at the end.
 */
#ifndef SHARED_COUNTED_H
#define SHARED_COUNTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How messages count a text: its length with the NUL. */
uint32_t tpi_counted_size(const char *text);

/* Whether a counted text is this one. */
bool tpi_counted_is(const char *chars, uint32_t count, const char *text);

/* Copy a counted text into room for `size` characters, at least 1, with a NUL at the end. Returns
 * whether all of it fits; otherwise it is cut. */
bool tpi_counted_copy(char *to, size_t size, const char *chars, uint32_t count);

#endif
