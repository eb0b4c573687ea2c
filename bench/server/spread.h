/*
 * spread.h - many times, counted in buckets less than 1 % wide: for medians and 99th percentiles.
 */
#ifndef TROUPE_BENCH_SERVER_SPREAD_H
#define TROUPE_BENCH_SERVER_SPREAD_H

#include <stdint.h>

enum { SPREAD_BUCKETS = 58 * 128 };

/* Zeroed at first. */
typedef struct bench_spread {
    uint64_t total;
    uint64_t counts[SPREAD_BUCKETS];
} bench_spread;

/* Add a time; below 0 counts as 0. */
void spread_add(bench_spread *spread, int64_t ns);

/* The time that the part `share` (0.5, 0.99) of all lies below; 0 if there are none. */
double spread_quantile(const bench_spread *spread, double share);

/* The one in the middle, or the mean of the two; sorts the values. */
double spread_median(double *values, int count);

#endif
