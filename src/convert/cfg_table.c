/* cfg_table.c - where names lead: a hash table with open addressing, at most half full. */
#include "convert/cfg_table.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };

struct tpi_cfg_slot {
    const void *scope; /* borrowed; compared, not followed */
    const char *name;  /* borrowed; NULL in a free slot */
    uint32_t number;
};

void tpi_cfg_table_fini(tpi_cfg_table *table)
{
    free(table->slots);
    *table = (tpi_cfg_table){0};
}

/* FNV-1a over the name, started with the scope. */
static size_t hash(const void *scope, const char *name)
{
    uint64_t value = UINT64_C(14695981039346656037) ^ (uint64_t)(uintptr_t)scope;

    for (; *name != '\0'; name++) {
        value = (value ^ (unsigned char)*name) * UINT64_C(1099511628211);
    }
    return (size_t)(value ^ value >> 32);
}

/* The slot that holds the name, or the free one where it belongs. There is always a free one. */
static struct tpi_cfg_slot *find(const tpi_cfg_table *table, const void *scope, const char *name)
{
    size_t at = hash(scope, name);

    for (;; at++) {
        struct tpi_cfg_slot *slot = &table->slots[at & (table->capacity - 1)];
        if (slot->name == NULL || (slot->scope == scope && strcmp(slot->name, name) == 0)) {
            return slot;
        }
    }
}

bool tpi_cfg_table_get(const tpi_cfg_table *table, const void *scope, const char *name,
                       uint32_t *number)
{
    const struct tpi_cfg_slot *slot = table->count == 0 ? NULL : find(table, scope, name);

    if (slot == NULL || slot->name == NULL) {
        return false;
    }
    if (number != NULL) {
        *number = slot->number;
    }
    return true;
}

static bool grow(tpi_cfg_table *table)
{
    tpi_cfg_table larger = {.capacity = table->capacity == 0 ? FIRST_CAPACITY : table->capacity * 2,
                            .count = table->count};

    larger.slots = calloc(larger.capacity, sizeof larger.slots[0]);
    if (larger.slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < table->capacity; i++) {
        const struct tpi_cfg_slot *slot = &table->slots[i];
        if (slot->name != NULL) {
            *find(&larger, slot->scope, slot->name) = *slot;
        }
    }
    free(table->slots);
    *table = larger;
    return true;
}

bool tpi_cfg_table_add(tpi_cfg_table *table, const void *scope, const char *name, uint32_t number)
{
    if ((table->count + 1) * 2 > table->capacity && !grow(table)) {
        return false;
    }
    *find(table, scope, name) =
        (struct tpi_cfg_slot){.scope = scope, .name = name, .number = number};
    table->count++;
    return true;
}
