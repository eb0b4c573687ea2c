/* order.h - the smaller and the larger of two numbers. */
#ifndef TROUPE_BASE_ORDER_H
#define TROUPE_BASE_ORDER_H

#include <stdint.h>

static inline int64_t tpi_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t tpi_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

#endif
