/*
 * owners.c - entries found by the address of a device, where there are very many.
 *
 * A table with open addressing. It is made for one question and thrown away: what is in it is the
 * caller's choice.
 */
#include <stdlib.h>
#include <string.h>

#include "server/inside.h"

struct owner {
    tp_devaddr addr;
    struct driver_entry *entry; /* borrowed; NULL where nobody is */
};

tp_status tpi_owners_init(struct owners *owners, size_t most, tp_error *err)
{
    owners->size = 64;
    while (owners->size < 2 * most) {
        owners->size *= 2;
    }
    owners->slots = calloc(owners->size, sizeof *owners->slots);
    return owners->slots != NULL ? TP_OK : tp_fail(err, TP_E_NOMEM, "out of memory");
}

void tpi_owners_fini(struct owners *owners)
{
    free(owners->slots);
    *owners = (struct owners){0};
}

static size_t first_slot(const struct owners *owners, const tp_devaddr *addr)
{
    const uint32_t sum = (addr->robot * 31U + addr->interf) * UINT32_C(65599) + addr->index;

    return (sum * UINT32_C(2654435769) >> 7) & (owners->size - 1);
}

void tpi_owners_add(struct owners *owners, const tp_devaddr *addr, struct driver_entry *entry)
{
    size_t i = first_slot(owners, addr);

    while (owners->slots[i].entry != NULL) {
        i = (i + 1) & (owners->size - 1);
    }
    owners->slots[i] = (struct owner){*addr, entry};
}

struct driver_entry *tpi_owners_next(const struct owners *owners, const tp_devaddr *addr,
                                     size_t *passed)
{
    const size_t mask = owners->size - 1;
    const size_t first = first_slot(owners, addr);
    const struct owner *at = &owners->slots[(first + (*passed)++) & mask];

    while (at->entry != NULL && memcmp(&at->addr, addr, sizeof *addr) != 0) {
        at = &owners->slots[(first + (*passed)++) & mask];
    }
    return at->entry;
}
