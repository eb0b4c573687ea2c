/*
 * swap.h - arrays of numbers between memory and big-endian bytes.
 *
 * The same call serves both directions. swap_plain.c is for every processor, swap_x86.c for those
 * with byte shuffles; the build picks one.
 */
#ifndef TROUPE_BASE_SWAP_H
#define TROUPE_BASE_SWAP_H

#include <stddef.h>

/* `n` numbers of 4 or 8 bytes, at any alignment. The two areas do not overlap. */
void tpi_swap_words(void *to, const void *from, size_t n);
void tpi_swap_longs(void *to, const void *from, size_t n);

#endif
