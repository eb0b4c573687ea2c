/* xdr_fuzz.c - decoding any bytes as any struct; what is accepted survives a round trip. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static void round_trip(const tp_struct *type, const void *value)
{
    size_t size = 0;
    void *back = NULL;
    void *copy = NULL;

    fuzz_require(tp_xdr_size(type, value, &size) == TP_OK, "a decoded value has no size");
    unsigned char *bytes = malloc(size + 1);
    fuzz_require(tp_xdr_encode(type, value, bytes, size, &size) == TP_OK, "cannot encode again");
    fuzz_require(tp_xdr_decode_new(&back, type, bytes, size) == TP_OK, "cannot decode again");
    fuzz_require(tp_value_equal(type, value, back), "the round trip changes the value");
    fuzz_require(tp_value_copy(&copy, type, value, NULL) == TP_OK, "cannot copy");
    fuzz_require(tp_value_equal(type, value, copy), "the copy differs");
    free(copy);
    free(back);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const tp_struct *type = fuzz_struct(data, size);
    size_t block_size = 0;
    void *value = NULL;

    if (type == NULL) {
        return 0;
    }
    tp_status measured = tp_xdr_measure(type, data + 2, size - 2, &block_size);
    tp_status decoded = tp_xdr_decode_new(&value, type, data + 2, size - 2);
    fuzz_require(measured == decoded, "measuring and decoding disagree");
    if (decoded == TP_OK) {
        fuzz_require(block_size <= type->size + 64 * size, "a small message takes much memory");
        round_trip(type, value);
    }
    free(value);
    return 0;
}
