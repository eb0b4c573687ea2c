/*
 * spread.c - times counted in buckets; see spread.h.
 *
 * Times below 128 have a bucket each; above, every power of two is divided into 128.
 */
#include "spread.h"

#include <stdlib.h>

enum { PARTS_SHIFT = 7, PARTS = 1 << PARTS_SHIFT };

static unsigned bucket_of(uint64_t ns)
{
    if (ns < PARTS) {
        return (unsigned)ns;
    }
    const unsigned shift = 63u - (unsigned)__builtin_clzll(ns) - PARTS_SHIFT;
    return (shift << PARTS_SHIFT) + (unsigned)(ns >> shift);
}

static double middle_of(unsigned bucket)
{
    if (bucket < PARTS) {
        return bucket;
    }
    const unsigned shift = (bucket >> PARTS_SHIFT) - 1;
    const uint64_t part = (bucket & (PARTS - 1)) + PARTS;
    return ((double)part + 0.5) * (double)(UINT64_C(1) << shift);
}

void spread_add(bench_spread *spread, int64_t ns)
{
    spread->counts[bucket_of(ns > 0 ? (uint64_t)ns : 0)]++;
    spread->total++;
}

double spread_quantile(const bench_spread *spread, double share)
{
    const double wanted = share * (double)spread->total;
    double below = 0;

    for (unsigned bucket = 0; bucket < SPREAD_BUCKETS; bucket++) {
        below += (double)spread->counts[bucket];
        if (below > 0 && below >= wanted) {
            return middle_of(bucket);
        }
    }
    return 0;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

double spread_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}
