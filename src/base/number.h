/*
 * number.h - numbers as text, exactly.
 *
 * What is written reads back as the same number. The locale of the program does not matter.
 * Not-a-number and the infinities are written NaN, Infinity and -Infinity.
 */
#ifndef TROUPE_BASE_NUMBER_H
#define TROUPE_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TPI_NUMBER_SIZE = 40 }; /* longest text that the writers make, with its NUL */

/* Write a number in few digits; the length of the text. A float is written in as many digits as a
 * float needs: 0.1f becomes 0.1. */
size_t tpi_number_put_f64(char out[TPI_NUMBER_SIZE], double value);
size_t tpi_number_put_f32(char out[TPI_NUMBER_SIZE], float value);

/* Write a whole number; the length of the text. */
size_t tpi_number_put_whole(char out[TPI_NUMBER_SIZE], int64_t value);

/* Bytes as numbers, each with a comma behind it; where the text ends. It needs four characters for
 * each. */
char *tpi_number_put_bytes(char *out, const uint8_t *values, size_t count);

/* The same text as tpi_number_put_f32(), fast; 0, and nothing that counts in `out`, for numbers
 * that it does not know: very large and very small ones, some powers of two. */
size_t tpi_number_fast_f32(char out[TPI_NUMBER_SIZE], float value);

/* Read a JSON number; how many characters it takes, 0 if there is none (or one of more than 800
 * characters, which nobody means). */
size_t tpi_number_read_f64(const char *text, size_t length, double *value);

/* Read a decimal integer that fills all `length` characters; false if it is none or too large. */
bool tpi_number_read_i64(const char *text, size_t length, int64_t *value);

#endif
