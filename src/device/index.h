/*
 * index.h - devices found fast, where there are very many.
 *
 * A table of devices by a hash that the caller computes; of several that are alike the one that was
 * put first is found. The loop's.
 */
#ifndef TROUPE_DEVICE_INDEX_H
#define TROUPE_DEVICE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "troupe/msg.h"

struct device_index {
    tp_device **slots; /* owned; NULL while it is empty */
    size_t size;       /* a power of two, at least twice as many as there are devices */
    bool valid;        /* filled since the devices have changed */
};

/* Room for so many; empties it. False if memory ran out. */
bool tpi_device_index_begin(struct device_index *index, size_t count);
void tpi_device_index_fini(struct device_index *index);

/* The hash of a name of a robot. */
uint32_t tpi_device_index_hash(unsigned robot, const char *name);

/* Whether so many find a place in it. */
static inline bool device_index_has_room(const struct device_index *index, size_t count)
{
    return 2 * count <= index->size;
}

/* The first slot of a hash, and the one behind a slot. A slot that is NULL ends the search, and is
 * where another one goes. */
static inline tp_device **device_index_first(const struct device_index *index, uint32_t hash)
{
    return &index->slots[hash & (index->size - 1)];
}

static inline tp_device **device_index_next(const struct device_index *index, tp_device **slot)
{
    return slot + 1 == index->slots + index->size ? index->slots : slot + 1;
}

#endif
