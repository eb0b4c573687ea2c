/* swap_plain.c - arrays of big-endian numbers, for any processor. */
#include "base/endian.h"
#include "base/swap.h"

void tpi_swap_words(void *to, const void *from, size_t n)
{
    unsigned char *restrict out = to;
    const unsigned char *restrict in = from;

    for (size_t i = 0; i < n; i++) {
        uint32_t word;
        memcpy(&word, in + 4 * i, 4);
        tpi_store_be32(out + 4 * i, word);
    }
}

void tpi_swap_longs(void *to, const void *from, size_t n)
{
    unsigned char *restrict out = to;
    const unsigned char *restrict in = from;

    for (size_t i = 0; i < n; i++) {
        uint64_t word;
        memcpy(&word, in + 8 * i, 8);
        tpi_store_be64(out + 8 * i, word);
    }
}
