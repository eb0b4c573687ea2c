/* swap_test.c - arrays of big-endian numbers, at every length and alignment. */
#include "base/swap.h"

#include <string.h>

#include "base/endian.h"
#include "support/unit.h"

enum { MOST = 80, GUARD = 0xa5 };

typedef void swap_function(void *to, const void *from, size_t n);

/* What comes out, byte by byte, and that nothing is written behind it. */
static void check(swap_function *swap, size_t width, size_t n, size_t shift)
{
    unsigned char in[MOST * 8 + 16];
    unsigned char out[MOST * 8 + 16];

    for (size_t i = 0; i < sizeof in; i++) {
        in[i] = (unsigned char)(i * 7 + 1);
    }
    memset(out, GUARD, sizeof out);
    swap(out + shift, in + shift, n);
    for (size_t i = 0; i < n * width; i++) {
        size_t partner = i / width * width + (width - 1 - i % width);
        size_t source = tpi_big32(1) == 1 ? i : partner;
        assert_int_equal(out[shift + i], in[shift + source]);
    }
    assert_int_equal(out[shift + n * width], GUARD);
}

static void words_of_every_length_and_alignment(void **state)
{
    (void)state;
    for (size_t n = 0; n < MOST; n++) {
        for (size_t shift = 0; shift < 8; shift++) {
            check(tpi_swap_words, 4, n, shift);
        }
    }
}

static void longs_of_every_length_and_alignment(void **state)
{
    (void)state;
    for (size_t n = 0; n < MOST; n++) {
        for (size_t shift = 0; shift < 8; shift++) {
            check(tpi_swap_longs, 8, n, shift);
        }
    }
}

static void single_numbers_are_big_endian(void **state)
{
    (void)state;
    unsigned char bytes[8];

    tpi_store_be32(bytes, 0x01020304);
    assert_memory_equal(bytes, "\1\2\3\4", 4);
    assert_int_equal(tpi_load_be32(bytes), 0x01020304);
    tpi_store_be64(bytes, UINT64_C(0x0102030405060708));
    assert_memory_equal(bytes, "\1\2\3\4\5\6\7\10", 8);
    assert_true(tpi_load_be64(bytes) == UINT64_C(0x0102030405060708));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_every_length_and_alignment),
        cmocka_unit_test(longs_of_every_length_and_alignment),
        cmocka_unit_test(single_numbers_are_big_endian),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
