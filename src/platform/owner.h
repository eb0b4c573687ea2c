/*
 * owner.h - which thread owns something, for assertions.
 *
 *     assert(tpi_owner_is_current(&thing->owner));
 */
#ifndef TROUPE_PLATFORM_OWNER_H
#define TROUPE_PLATFORM_OWNER_H

#include <stdatomic.h>
#include <stdbool.h>

/* All zero is owned by no thread. */
typedef struct tpi_owner {
    _Atomic(const void *) thread; /* an address that no other living thread has */
} tpi_owner;

/* The calling thread owns it from now on; and no thread does any more. */
void tpi_owner_take(tpi_owner *owner);
void tpi_owner_drop(tpi_owner *owner);

/* Whether a thread owns it; whether the calling thread does. */
bool tpi_owner_exists(const tpi_owner *owner);
bool tpi_owner_is_current(const tpi_owner *owner);

#endif
