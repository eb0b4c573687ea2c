/* intern.c - equal bytes are kept once: a hash table with open addressing, at most half full. */
#include "sim/world/intern.h"

#include <stdlib.h>
#include <string.h>

#include "sim/maths.h"

enum { FIRST_CAPACITY = 64 };

struct sim_interned {
    void *bytes; /* the arena's; NULL in a free entry */
    size_t length;
    uint64_t hash;
    void *derived; /* the arena's, or NULL */
};

void tpi_sim_interner_fini(struct sim_interner *interner)
{
    free(interner->entries);
    interner->entries = NULL;
}

/* The entry of the bytes, or the free one where they belong. There is always a free one. */
static struct sim_interned *find(const struct sim_interner *interner, uint64_t hash,
                                 const void *bytes, size_t length)
{
    for (size_t at = (size_t)hash;; at++) {
        struct sim_interned *entry = &interner->entries[at & (interner->capacity - 1)];
        if (entry->bytes == NULL || (entry->hash == hash && entry->length == length &&
                                     (length == 0 || memcmp(entry->bytes, bytes, length) == 0))) {
            return entry;
        }
    }
}

static bool grow(struct sim_interner *interner)
{
    struct sim_interner larger = *interner;

    larger.capacity = interner->capacity == 0 ? FIRST_CAPACITY : interner->capacity * 2;
    larger.entries = calloc(larger.capacity, sizeof larger.entries[0]);
    if (larger.entries == NULL) {
        return false;
    }
    for (size_t i = 0; i < interner->capacity; i++) {
        const struct sim_interned *entry = &interner->entries[i];
        if (entry->bytes != NULL) {
            *find(&larger, entry->hash, entry->bytes, entry->length) = *entry;
        }
    }
    free(interner->entries);
    *interner = larger;
    return true;
}

/* NULL if memory ran out. */
static struct sim_interned *intern(struct sim_interner *interner, const void *bytes, size_t length)
{
    const uint64_t hash = sim_hash_bytes(0, bytes, length);

    if ((interner->count + 1) * 2 > interner->capacity && !grow(interner)) {
        return NULL;
    }
    struct sim_interned *entry = find(interner, hash, bytes, length);
    if (entry->bytes == NULL) {
        void *copy = tpi_arena_alloc(interner->arena, length + 1);
        if (copy == NULL) {
            return NULL;
        }
        if (length > 0) {
            memcpy(copy, bytes, length);
        }
        *entry = (struct sim_interned){.bytes = copy, .length = length, .hash = hash};
        interner->count++;
    }
    return entry;
}

void *tpi_sim_intern(struct sim_interner *interner, const void *bytes, size_t length)
{
    struct sim_interned *entry = intern(interner, bytes, length);

    return entry == NULL ? NULL : entry->bytes;
}

void **tpi_sim_intern_slot(struct sim_interner *interner, const void *bytes, size_t length)
{
    struct sim_interned *entry = intern(interner, bytes, length);

    return entry == NULL ? NULL : &entry->derived;
}
