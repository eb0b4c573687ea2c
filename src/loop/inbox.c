/*
 * inbox.c - the one door between threads, without a lock.
 *
 * A stack: posters push on it, the owner takes it as a whole and turns it round. Since nobody ever
 * takes a single item, an item that comes back at the same address (ABA) does no harm.
 */
#include "loop/inbox.h"

#include <stddef.h>

void tpi_inbox_init(tpi_inbox *inbox, void (*ring)(void *context), void *context)
{
    atomic_init(&inbox->posted, NULL);
    inbox->ring = ring;
    inbox->context = context;
}

void tpi_inbox_post(tpi_inbox *inbox, tpi_item *item)
{
    tpi_item *newest = atomic_load_explicit(&inbox->posted, memory_order_relaxed);

    do {
        item->next = newest;
    } while (!atomic_compare_exchange_weak_explicit(&inbox->posted, &newest, item,
                                                    memory_order_release, memory_order_relaxed));
    if (newest == NULL) {
        inbox->ring(inbox->context);
    }
}

tpi_item *tpi_inbox_take(tpi_inbox *inbox)
{
    tpi_item *newest = atomic_exchange_explicit(&inbox->posted, NULL, memory_order_acquire);
    tpi_item *oldest = NULL;

    while (newest != NULL) {
        tpi_item *next = newest->next;
        newest->next = oldest;
        oldest = newest;
        newest = next;
    }
    return oldest;
}
