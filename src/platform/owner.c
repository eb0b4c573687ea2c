/* owner.c - which thread owns something; see owner.h. */
#include "platform/owner.h"

#include <stddef.h>

static const void *self(void)
{
    static _Thread_local char place;

    return &place;
}

void tpi_owner_take(tpi_owner *owner)
{
    atomic_store_explicit(&owner->thread, self(), memory_order_relaxed);
}

void tpi_owner_drop(tpi_owner *owner)
{
    atomic_store_explicit(&owner->thread, NULL, memory_order_relaxed);
}

bool tpi_owner_exists(const tpi_owner *owner)
{
    return atomic_load_explicit(&owner->thread, memory_order_relaxed) != NULL;
}

bool tpi_owner_is_current(const tpi_owner *owner)
{
    return atomic_load_explicit(&owner->thread, memory_order_relaxed) == self();
}
