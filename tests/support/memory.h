/*
 * memory.h - memory that runs out on purpose.
 *
 * Tests are linked so that malloc, calloc, aligned_alloc, realloc and free of our code pass through
 * here, where they are counted and where a chosen one fails.
 */
#ifndef TROUPE_TESTS_MEMORY_H
#define TROUPE_TESTS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "troupe/status.h"

/* Allocations so far, and how many of them are not freed yet. */
size_t memory_allocations(void);
long memory_live(void);

/* Bytes that are not freed yet, and the most since the last call of memory_forget_peak(). */
long memory_bytes(void);
long memory_peak(void);
void memory_forget_peak(void);

/* The n-th allocation from now on fails, once; 0 lets all succeed. */
void memory_fail_at(size_t n);

/* Whether the chosen allocation has failed. */
bool memory_has_failed(void);

/* Look at a block when it is freed; and whether it was freed, with `length` bytes of 0. */
void memory_watch(const void *block, size_t length);
bool memory_was_wiped(void);

/* Do something that succeeds while there is memory. It gives back all it takes, failed or not. */
typedef tp_status memory_scenario(void *context);

/* Run the scenario with the first allocation failing, then the second, and so on until none does:
 * each time it has to say TP_E_NOMEM and leave nothing behind, and TP_OK at last. */
void memory_sweep(memory_scenario *scenario, void *context);

#endif
