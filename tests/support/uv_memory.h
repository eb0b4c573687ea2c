/*
 * uv_memory.h - counts what libuv allocates, which the linker's wrapping does not see.
 *
 * Call uv_memory_count() first of all. These allocations never fail on purpose: libuv aborts when
 * some of its own do.
 */
#ifndef TROUPE_TESTS_UV_MEMORY_H
#define TROUPE_TESTS_UV_MEMORY_H

#include <stddef.h>

#include <uv.h>

/* The linker's names for the functions behind --wrap. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *memory);

static size_t uv_allocations;

static void *uv_memory_malloc(size_t size)
{
    uv_allocations++;
    return __real_malloc(size);
}

static void *uv_memory_realloc(void *old, size_t size)
{
    uv_allocations++;
    return __real_realloc(old, size);
}

static void *uv_memory_calloc(size_t count, size_t size)
{
    uv_allocations++;
    return __real_calloc(count, size);
}

static inline void uv_memory_count(void)
{
    uv_replace_allocator(uv_memory_malloc, uv_memory_realloc, uv_memory_calloc, __real_free);
}

#endif
