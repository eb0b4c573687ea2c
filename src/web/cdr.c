/* cdr.c - see cdr.h. */
#include "web/cdr.h"

#include <string.h>

/* Zeros up to a multiple of `size`, a power of two, from behind the head on. */
static void align(tpi_cdr *cdr, size_t size)
{
    const size_t end = ((cdr->length - TPI_CDR_HEAD + size - 1) & ~(size - 1)) + TPI_CDR_HEAD;

    if (cdr->bytes != NULL && end <= cdr->capacity) {
        while (cdr->length < end) {
            cdr->bytes[cdr->length++] = 0;
        }
    }
    cdr->length = end;
}

static void put(tpi_cdr *cdr, uint64_t value, size_t size)
{
    align(cdr, size);
    if (cdr->bytes != NULL && cdr->length + size <= cdr->capacity) {
        for (size_t i = 0; i < size; i++) {
            cdr->bytes[cdr->length + i] = (uint8_t)(value >> (8 * i));
        }
    }
    cdr->length += size;
}

void tpi_cdr_begin(tpi_cdr *cdr, void *bytes, size_t capacity)
{
    *cdr = (tpi_cdr){.bytes = bytes, .capacity = capacity, .length = TPI_CDR_HEAD};
    if (bytes != NULL) {
        memcpy(bytes, "\0\1\0", TPI_CDR_HEAD); /* CDR, little-endian */
    }
}

void tpi_cdr_u8(tpi_cdr *cdr, uint8_t value)
{
    put(cdr, value, 1);
}

void tpi_cdr_u16(tpi_cdr *cdr, uint16_t value)
{
    put(cdr, value, 2);
}

void tpi_cdr_u32(tpi_cdr *cdr, uint32_t value)
{
    put(cdr, value, 4);
}

void tpi_cdr_f32(tpi_cdr *cdr, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    put(cdr, bits, 4);
}

void tpi_cdr_f32s(tpi_cdr *cdr, const float *values, uint32_t count)
{
    static const union {
        uint16_t number;
        uint8_t low;
    } order = {1};

    if (count == 0) {
        return;
    }
    if (order.low == 0) {
        for (uint32_t i = 0; i < count; i++) {
            tpi_cdr_f32(cdr, values[i]);
        }
        return;
    }
    align(cdr, 4);
    tpi_cdr_bytes(cdr, values, (size_t)count * 4); /* they lie in memory as they are sent */
}

void tpi_cdr_f64(tpi_cdr *cdr, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    put(cdr, bits, 8);
}

void tpi_cdr_bytes(tpi_cdr *cdr, const void *bytes, size_t length)
{
    if (cdr->bytes != NULL && length > 0 && cdr->length + length <= cdr->capacity) {
        memcpy(cdr->bytes + cdr->length, bytes, length);
    }
    cdr->length += length;
}

void tpi_cdr_text(tpi_cdr *cdr, const char *text)
{
    const size_t length = strlen(text) + 1;

    tpi_cdr_u32(cdr, (uint32_t)length);
    tpi_cdr_bytes(cdr, text, length);
}
