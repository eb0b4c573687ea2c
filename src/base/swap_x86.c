/*
 * swap_x86.c - arrays of big-endian numbers on x86-64.
 *
 * Reversing the bytes of each number is one shuffle of 32 bytes with AVX2, which is asked for at
 * run time since the build is for every x86-64. Ends and short arrays go one number at a time.
 */
#include <immintrin.h>

#include "base/endian.h"
#include "base/swap.h"

enum { VECTOR = 32 };

__attribute__((target("avx2"))) static inline void
shuffle_one(unsigned char *to, const unsigned char *from, __m256i order)
{
    const __m256i in = _mm256_loadu_si256((const __m256i *)(const void *)from);

    _mm256_storeu_si256((__m256i *)(void *)to, _mm256_shuffle_epi8(in, order));
}

__attribute__((target("avx2"))) static size_t shuffle(unsigned char *to, const unsigned char *from,
                                                      size_t bytes, __m256i order)
{
    size_t at = 0;

    for (; at + 4 * VECTOR <= bytes; at += 4 * VECTOR) {
        shuffle_one(to + at, from + at, order);
        shuffle_one(to + at + VECTOR, from + at + VECTOR, order);
        shuffle_one(to + at + 2 * VECTOR, from + at + 2 * VECTOR, order);
        shuffle_one(to + at + 3 * VECTOR, from + at + 3 * VECTOR, order);
    }
    for (; at + VECTOR <= bytes; at += VECTOR) {
        shuffle_one(to + at, from + at, order);
    }
    return at;
}

__attribute__((target("avx2"))) static size_t shuffle_words(unsigned char *to,
                                                            const unsigned char *from, size_t bytes)
{
    const __m256i order = _mm256_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12, 3,
                                           2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);

    return shuffle(to, from, bytes, order);
}

__attribute__((target("avx2"))) static size_t shuffle_longs(unsigned char *to,
                                                            const unsigned char *from, size_t bytes)
{
    const __m256i order = _mm256_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8, 7,
                                           6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);

    return shuffle(to, from, bytes, order);
}

void tpi_swap_words(void *to, const void *from, size_t n)
{
    unsigned char *out = to;
    const unsigned char *in = from;
    const size_t bytes = n * 4;
    size_t at = 0;

    if (bytes >= VECTOR && __builtin_cpu_supports("avx2")) {
        at = shuffle_words(out, in, bytes);
    }
    for (; at < bytes; at += 4) {
        uint32_t word;
        memcpy(&word, in + at, 4);
        tpi_store_be32(out + at, word);
    }
}

void tpi_swap_longs(void *to, const void *from, size_t n)
{
    unsigned char *out = to;
    const unsigned char *in = from;
    const size_t bytes = n * 8;
    size_t at = 0;

    if (bytes >= VECTOR && __builtin_cpu_supports("avx2")) {
        at = shuffle_longs(out, in, bytes);
    }
    for (; at < bytes; at += 8) {
        uint64_t word;
        memcpy(&word, in + at, 8);
        tpi_store_be64(out + at, word);
    }
}
