/* allocations.c - see allocations.h. */
#include "allocations.h"

#include <execinfo.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
unsigned long allocations_count(void)
{
    return 0;
}

void allocations_trace(bool on)
{
    (void)on;
}

void allocations_print(void)
{
}
#else
enum { MOST_TRACES = 256, DEPTH = 14, OWN = 2 }; /* OWN: frames of this file */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);

static atomic_ulong allocated;
static struct {
    atomic_bool on;
    atomic_uint count;
    void *stacks[MOST_TRACES][DEPTH];
    int depths[MOST_TRACES];
} traces;

static void count(void)
{
    atomic_fetch_add_explicit(&allocated, 1, memory_order_relaxed);
    if (atomic_load_explicit(&traces.on, memory_order_relaxed)) {
        const unsigned at = atomic_fetch_add(&traces.count, 1);

        if (at < MOST_TRACES) {
            traces.depths[at] = backtrace(traces.stacks[at], DEPTH);
        }
    }
}

void *malloc(size_t size)
{
    count();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size)
{
    count();
    return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size)
{
    count();
    return __libc_realloc(block, size);
}

unsigned long allocations_count(void)
{
    return atomic_load(&allocated);
}

/* The first call of backtrace() allocates. */
void allocations_trace(bool on)
{
    void *once[DEPTH];

    if (on) {
        (void)backtrace(once, DEPTH);
    }
    atomic_store(&traces.on, on);
}

void allocations_print(void)
{
    const unsigned made = atomic_exchange(&traces.count, 0);

    for (unsigned i = 0; i < made && i < MOST_TRACES; i++) {
        (void)fprintf(stderr, "allocation %u\n", i + 1);
        (void)fflush(stderr);
        backtrace_symbols_fd(traces.stacks[i] + OWN, traces.depths[i] - OWN, STDERR_FILENO);
    }
}
#endif
