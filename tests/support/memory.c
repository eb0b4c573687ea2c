/* memory.c - memory that runs out on purpose; see memory.h. */
#include "support/memory.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The linker's names for the functions behind --wrap. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *memory);

/* Atomic, since the code under test may have threads. */
static atomic_size_t allocations;
static atomic_long live;
static atomic_long bytes; /* below 0 where others take what is freed here */
static atomic_long peak;
static atomic_size_t fail_at; /* 0 for never */
static atomic_bool failed;
static _Atomic(const unsigned char *) watched; /* NULL for nothing */
static atomic_size_t watched_length;
static atomic_bool wiped;

size_t memory_allocations(void)
{
    return allocations;
}

long memory_live(void)
{
    return live;
}

long memory_bytes(void)
{
    return bytes;
}

long memory_peak(void)
{
    return peak;
}

void memory_forget_peak(void)
{
    peak = bytes;
}

void memory_fail_at(size_t n)
{
    fail_at = n == 0 ? 0 : allocations + n;
    failed = false;
}

bool memory_has_failed(void)
{
    return failed;
}

void memory_watch(const void *block, size_t length)
{
    wiped = false;
    watched_length = length;
    watched = block;
}

bool memory_was_wiped(void)
{
    return watched == NULL && wiped;
}

static bool is_zero(const unsigned char *bytes_of, size_t length)
{
    size_t i = 0;

    while (i < length && bytes_of[i] == 0) {
        i++;
    }
    return i == length;
}

static bool fails_now(void)
{
    if (atomic_fetch_add(&allocations, 1) + 1 != fail_at) {
        return false;
    }
    failed = true;
    return true;
}

static void add_bytes(size_t size)
{
    const long now = atomic_fetch_add(&bytes, (long)size) + (long)size;
    long most = peak;

    while (now > most && !atomic_compare_exchange_weak(&peak, &most, now)) {
    }
}

static void *counted(void *block)
{
    if (block != NULL) {
        atomic_fetch_add(&live, 1);
        add_bytes(malloc_usable_size(block));
    }
    return block;
}

void *__wrap_malloc(size_t size)
{
    return fails_now() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails_now() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails_now() ? NULL : counted(__real_aligned_alloc(alignment, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    if (fails_now()) {
        return NULL;
    }
    const size_t before = old == NULL ? 0 : malloc_usable_size(old);
    void *block = __real_realloc(old, size);
    if (old == NULL) {
        return counted(block);
    }
    if (block != NULL) {
        add_bytes(malloc_usable_size(block)); /* both exist while it is copied */
        atomic_fetch_sub(&bytes, (long)before);
    }
    return block;
}

void __wrap_free(void *block)
{
    if (block != NULL) {
        if (block == watched) {
            wiped = is_zero(block, watched_length);
            watched = NULL;
        }
        atomic_fetch_sub(&live, 1);
        atomic_fetch_sub(&bytes, (long)malloc_usable_size(block));
    }
    __real_free(block);
}

void memory_sweep(memory_scenario *scenario, void *context)
{
    for (size_t n = 1;; n++) {
        const long before = memory_live();
        memory_fail_at(n);
        tp_status status = scenario(context);
        const bool hit = memory_has_failed();
        memory_fail_at(0);
        assert_int_equal(memory_live(), before);
        assert_int_equal(status, hit ? TP_E_NOMEM : TP_OK);
        if (!hit) {
            return;
        }
    }
}
