/* allocations.h - how often memory is allocated in this program, and where. */
#ifndef BENCH_MOTION_ALLOCATIONS_H
#define BENCH_MOTION_ALLOCATIONS_H

#include <stdbool.h>

/* Allocations so far; 0 with a sanitizer, which has its own. */
unsigned long allocations_count(void);

/* Keep the call stacks of allocations from now on, or no longer. */
void allocations_trace(bool on);

/* Print the call stacks that were kept, and forget them. */
void allocations_print(void);

#endif
