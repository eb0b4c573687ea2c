/* random.h - values of any struct, made from a seed: the same seed gives the same value. */
#ifndef TROUPE_TESTS_RANDOM_H
#define TROUPE_TESTS_RANDOM_H

#include "troupe/padi.h"

typedef struct random_source {
    uint64_t state;
} random_source;

uint32_t random_below(random_source *source, uint32_t bound);
uint64_t random_bits(random_source *source);

/* A value in one block of memory, to free(). Numbers take their extremes often; arrays are short;
 * texts are mostly, but not always, UTF-8. Every NaN is the usual one. */
void *random_value(random_source *source, const tp_struct *type);

#endif
