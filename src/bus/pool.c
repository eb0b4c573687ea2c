/* pool.c - blocks of memory that are used again; see pool.h. */
#include "bus/pool.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Sizes from 256 bytes to 16 MiB, eight steps to each doubling; what is larger is not kept. */
enum {
    STEPS_SHIFT = 3,
    STEPS = 1 << STEPS_SHIFT,
    DOUBLINGS = 16,
    CLASSES = STEPS * DOUBLINGS + 1,
    FIRST_SHIFT = 8
};

/* Small blocks are what messages are made of all the time: some more of them are made than are
 * needed, and some are kept when memory is given back. Otherwise every new peak allocates again. */
enum { MOST_SPARE = 16, KEPT_BYTES = 64 << 10 };

/* These have at most 4096 bytes. Only the owner touches those that are idle. Larger ones may be
 * given back to the system, whether or not the owner ever runs again: they lie on stacks that any
 * thread may empty. */
enum { SMALL_CLASSES = STEPS * 4 + 1, LARGE_CLASSES = CLASSES - SMALL_CLASSES };

/* Bytes of large blocks that are idle in all pools together: there are many sizes, and one that
 * nobody asks for again is kept for nothing. */
enum { MOST_IDLE = 32 << 20 };

struct pool;

/* What precedes every block. */
struct head {
    struct head *next;  /* while it is idle */
    struct pool *owner; /* NULL for a block that is too large to be kept */
    size_t size;
    unsigned class;
    max_align_t bytes[];
};

/* Any thread may push, and any thread may take all; `left` when the owner is gone. */
typedef _Atomic(struct head *) stack;

struct pool {
    struct head *idle[SMALL_CLASSES]; /* the owner's, as the next */
    uint32_t made[SMALL_CLASSES];     /* blocks of each class, so far */
    stack returned;                   /* small ones that other threads gave back */
    stack large[LARGE_CLASSES];       /* idle ones */
    atomic_long blocks;               /* not freed yet, plus one while its thread lives */
    struct pool *next;                /* of all pools; guarded by the lock, as the next */
    struct pool *previous;
};

/* All pools. The lock is held for a few steps, when a pool begins or ends and by tpi_pool_tidy().
 */
static struct pool *pools;
static atomic_flag pools_lock = ATOMIC_FLAG_INIT;

static struct head left; /* a mark, never a block */

static atomic_size_t idle_bytes; /* of large blocks */

static _Thread_local struct pool *own_pool;

static size_t size_of(unsigned class)
{
    const size_t first = (size_t)1 << (class / STEPS + FIRST_SHIFT);

    return first + first / STEPS * (class % STEPS);
}

/* The smallest class that has so much room; CLASSES for what is too large. */
static unsigned class_of(size_t size)
{
    if (size <= (size_t)1 << FIRST_SHIFT) {
        return 0;
    }
    const unsigned long long last = size - 1; /* the last byte has this place */
    const unsigned shift = 63u - (unsigned)__builtin_clzll(last);
    const unsigned step = (unsigned)(last >> (shift - STEPS_SHIFT)) & (STEPS - 1);
    const unsigned class = (shift - FIRST_SHIFT) * STEPS + step + 1;
    return class < CLASSES ? class : CLASSES;
}

static struct head *head_of(const void *block)
{
    return (struct head *)((uintptr_t)block - offsetof(struct head, bytes));
}

static void lock_pools(void)
{
    while (atomic_flag_test_and_set_explicit(&pools_lock, memory_order_acquire)) {
    }
}

static void unlock_pools(void)
{
    atomic_flag_clear_explicit(&pools_lock, memory_order_release);
}

static void link_pool(struct pool *pool)
{
    lock_pools();
    pool->next = pools;
    if (pools != NULL) {
        pools->previous = pool;
    }
    pools = pool;
    unlock_pools();
}

static void unlink_pool(struct pool *pool)
{
    lock_pools();
    *(pool->previous != NULL ? &pool->previous->next : &pools) = pool->next;
    if (pool->next != NULL) {
        pool->next->previous = pool->previous;
    }
    unlock_pools();
}

/* One block less; the last one takes the pool with it. */
static void forget(struct pool *pool)
{
    if (atomic_fetch_sub(&pool->blocks, 1) == 1) {
        unlink_pool(pool);
        free(pool);
    }
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

static void free_block(struct head *head)
{
    struct pool *owner = head->owner;

    free(head);
    forget(owner);
}

/* False if the owner is gone. */
static bool push(stack *on, struct head *head)
{
    struct head *top = atomic_load(on);

    do {
        if (top == &left) {
            return false;
        }
        head->next = top;
    } while (!atomic_compare_exchange_weak(on, &top, head));
    return true;
}

/* NULL for nothing. Other threads than the owner call this; the owner may be gone. */
static struct head *take_all(stack *from)
{
    struct head *top = atomic_load(from);

    while (top != NULL && top != &left && !atomic_compare_exchange_weak(from, &top, NULL)) {
    }
    return top != &left ? top : NULL;
}

/* What was pushed meanwhile comes first. */
static void put_back(stack *on, struct head *rest)
{
    struct head *none = NULL;

    while (!atomic_compare_exchange_strong(on, &none, rest)) {
        struct head *more = atomic_exchange(on, NULL);
        struct head **end = &more;

        while (*end != NULL) {
            end = &(*end)->next;
        }
        *end = rest;
        rest = more;
        none = NULL;
    }
}

/* The owner takes the rest off for a moment: nobody else may look at a block that somebody has
 * taken meanwhile. */
static struct head *take_one(stack *from)
{
    struct head *first = atomic_exchange(from, NULL);

    if (first != NULL && first->next != NULL) {
        put_back(from, first->next);
    }
    return first;
}

/* ---- Small blocks ---------------------------------------------------------------------------- */

static struct pool *this_pool(void)
{
    if (own_pool == NULL) {
        own_pool = calloc(1, sizeof *own_pool);
        if (own_pool != NULL) {
            atomic_store(&own_pool->blocks, 1);
            link_pool(own_pool);
        }
    }
    return own_pool;
}

/* Sort what others gave back of small ones into the idle lists; `mark` takes its place. */
static void collect_returned(struct pool *pool, struct head *mark)
{
    struct head *head = atomic_exchange(&pool->returned, mark);

    while (head != NULL) {
        struct head *next = head->next;
        head->next = pool->idle[head->class];
        pool->idle[head->class] = head;
        head = next;
    }
}

static void *new_block(struct pool *pool, unsigned class, size_t size)
{
    const bool kept = class < CLASSES;
    const size_t room = kept ? size_of(class) : size;
    struct head *head = room < SIZE_MAX / 2 ? malloc(sizeof *head + room) : NULL;

    if (head == NULL) {
        return NULL;
    }
    *head = (struct head){.owner = kept ? pool : NULL, .size = room, .class = class};
    if (kept) {
        atomic_fetch_add(&pool->blocks, 1);
    }
    if (class < SMALL_CLASSES) {
        pool->made[class]++;
    }
    return head->bytes;
}

/* Half as many as there are, for the next peak. */
static void make_spare(struct pool *pool, unsigned class)
{
    unsigned count = pool->made[class] / 2;

    for (count = count < MOST_SPARE ? count : MOST_SPARE; count > 0; count--) {
        void *block = new_block(pool, class, size_of(class));
        if (block == NULL) {
            return;
        }
        tpi_pool_give(block);
    }
}

static void *take_small(struct pool *pool, unsigned class)
{
    if (pool->idle[class] == NULL) {
        collect_returned(pool, NULL);
    }
    if (pool->idle[class] == NULL) {
        make_spare(pool, class);
        return new_block(pool, class, size_of(class));
    }
    struct head *head = pool->idle[class];
    pool->idle[class] = head->next;
    return head->bytes;
}

/* To the pool of another thread, or to the system if that thread is gone. */
static void give_across(struct pool *owner, struct head *head)
{
    if (!push(&owner->returned, head)) {
        free_block(head);
    }
}

/* ---- Large ones ------------------------------------------------------------------------------ */

static stack *stack_for(struct pool *pool, unsigned class)
{
    return &pool->large[class - SMALL_CLASSES];
}

static void *take_large(struct pool *pool, unsigned class)
{
    struct head *head = take_one(stack_for(pool, class));

    if (head == NULL) {
        return new_block(pool, class, size_of(class));
    }
    atomic_fetch_sub(&idle_bytes, head->size);
    return head->bytes;
}

static void give_large(struct pool *owner, struct head *head)
{
    const size_t size = head->size;

    if (atomic_fetch_add(&idle_bytes, size) + size > MOST_IDLE ||
        !push(stack_for(owner, head->class), head)) {
        atomic_fetch_sub(&idle_bytes, size);
        free_block(head);
    }
}

/* ---- All of them ----------------------------------------------------------------------------- */

void *tpi_pool_take(size_t size)
{
    struct pool *pool = this_pool();
    const unsigned class = class_of(size);

    if (pool == NULL) {
        return NULL;
    }
    return class < SMALL_CLASSES ? take_small(pool, class)
           : class < CLASSES     ? take_large(pool, class)
                                 : new_block(pool, class, size);
}

void tpi_pool_give(void *block)
{
    if (block == NULL) {
        return;
    }
    struct head *head = head_of(block);
    struct pool *owner = head->owner;
    if (owner == NULL) {
        free(head);
    } else if (head->class >= SMALL_CLASSES) {
        give_large(owner, head);
    } else if (owner == own_pool) {
        head->next = owner->idle[head->class];
        owner->idle[head->class] = head;
    } else {
        give_across(owner, head);
    }
}

size_t tpi_pool_size(const void *block)
{
    return head_of(block)->size;
}

/* Blocks that were idle in one pool. */
struct tpi_idle {
    struct head *lists[SMALL_CLASSES];
};

static void free_list(struct head *head)
{
    while (head != NULL) {
        struct head *next = head->next;
        free_block(head);
        head = next;
    }
}

static void free_idle(struct head *head)
{
    for (const struct head *at = head; at != NULL; at = at->next) {
        atomic_fetch_sub(&idle_bytes, at->size);
    }
    free_list(head);
}

void tpi_pool_leave(void)
{
    struct pool *pool = own_pool;

    if (pool == NULL) {
        return;
    }
    own_pool = NULL;
    collect_returned(pool, &left);
    for (unsigned class = 0; class < SMALL_CLASSES; class ++) {
        free_list(pool->idle[class]);
    }
    for (unsigned i = 0; i < LARGE_CLASSES; i++) {
        free_idle(atomic_exchange(&pool->large[i], &left));
    }
    forget(pool);
}

/* ---- Memory that nobody uses ----------------------------------------------------------------- */

/* The end of what a pool keeps of a class. */
static struct head **behind_kept(struct head **list, unsigned class)
{
    const size_t size = size_of(class);

    for (size_t kept = 0; *list != NULL && kept + size <= KEPT_BYTES; kept += size) {
        list = &(*list)->next;
    }
    return list;
}

tpi_idle *tpi_pool_detach(void)
{
    tpi_idle *idle = own_pool != NULL ? calloc(1, sizeof *idle) : NULL;

    if (idle != NULL) {
        collect_returned(own_pool, NULL);
        for (unsigned class = 0; class < SMALL_CLASSES; class ++) {
            struct head **rest = behind_kept(&own_pool->idle[class], class);
            idle->lists[class] = *rest;
            *rest = NULL;
        }
    }
    return idle;
}

static void prepend(struct head **list, struct head *head)
{
    head->next = *list;
    *list = head;
}

static void take_idle(struct pool *pool, struct head **out)
{
    for (unsigned i = 0; i < LARGE_CLASSES; i++) {
        for (struct head *head = take_all(&pool->large[i]), *next; head != NULL; head = next) {
            next = head->next;
            atomic_fetch_sub(&idle_bytes, head->size);
            prepend(out, head);
        }
    }
}

static void take_returned(struct pool *pool, struct head **out, struct head **kept)
{
    size_t bytes = 0;

    for (struct head *head = take_all(&pool->returned), *next; head != NULL; head = next) {
        next = head->next;
        bytes += head->size;
        prepend(bytes <= KEPT_BYTES ? kept : out, head);
    }
}

/* What is to be freed, and small blocks that their pools keep. The blocks keep their pools, so
 * these are not looked at without the lock. */
static void take_from_pools(struct head **out, struct head **kept)
{
    lock_pools();
    for (struct pool *pool = pools; pool != NULL; pool = pool->next) {
        take_idle(pool, out);
        take_returned(pool, out, kept);
    }
    unlock_pools();
}

void tpi_pool_tidy(tpi_idle *idle)
{
    struct head *returned = NULL, *kept = NULL;

    for (unsigned class = 0; idle != NULL && class < SMALL_CLASSES; class ++) {
        free_list(idle->lists[class]);
    }
    free(idle);
    take_from_pools(&returned, &kept);
    free_list(returned);
    while (kept != NULL) {
        struct head *next = kept->next;
        give_across(kept->owner, kept);
        kept = next;
    }
    (void)malloc_trim(0);
}
