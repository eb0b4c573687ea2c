/*
 * endian.h - big-endian words in memory, at any alignment, on any processor.
 *
 * Written with shifts: compilers turn each into one load or store with a byte swap.
 */
#ifndef TROUPE_BASE_ENDIAN_H
#define TROUPE_BASE_ENDIAN_H

#include <stdint.h>

static inline uint32_t tpi_load_be32(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static inline void tpi_store_be32(unsigned char *at, uint32_t value)
{
    at[0] = (unsigned char)(value >> 24);
    at[1] = (unsigned char)(value >> 16);
    at[2] = (unsigned char)(value >> 8);
    at[3] = (unsigned char)value;
}

static inline uint64_t tpi_load_be64(const unsigned char *at)
{
    return (uint64_t)tpi_load_be32(at) << 32 | tpi_load_be32(at + 4);
}

static inline void tpi_store_be64(unsigned char *at, uint64_t value)
{
    tpi_store_be32(at, (uint32_t)(value >> 32));
    tpi_store_be32(at + 4, (uint32_t)value);
}

#endif
