/*
 * endian.h - big-endian words in memory, at any alignment, on any processor.
 *
 * Written with the compiler's byte swap: shifts would do, but gcc does not see through them in
 * loops and makes code that is five times slower.
 */
#ifndef TROUPE_BASE_ENDIAN_H
#define TROUPE_BASE_ENDIAN_H

#include <stdint.h>
#include <string.h>

/* Between this processor's order and the big-endian one; the same both ways. */
static inline uint32_t tpi_big32(uint32_t value)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? value : __builtin_bswap32(value);
}

static inline uint64_t tpi_big64(uint64_t value)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? value : __builtin_bswap64(value);
}

static inline uint32_t tpi_load_be32(const void *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return tpi_big32(value);
}

static inline void tpi_store_be32(void *at, uint32_t value)
{
    value = tpi_big32(value);
    memcpy(at, &value, sizeof value);
}

static inline uint64_t tpi_load_be64(const void *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return tpi_big64(value);
}

static inline void tpi_store_be64(void *at, uint64_t value)
{
    value = tpi_big64(value);
    memcpy(at, &value, sizeof value);
}

#endif
