/*
 * inbox.h - the one door between threads.
 *
 * Any thread may post; one thread, the owner, takes. An item is a struct that begins with a
 * tpi_item; posting hands it over. Posting never waits and never allocates. The order of one
 * poster is kept. An owner that is woken by a bell silences it before taking, not after. It is
 * destroyed only after all threads that may be inside tpi_inbox_post().
 */
#ifndef TROUPE_LOOP_INBOX_H
#define TROUPE_LOOP_INBOX_H

#include <stdatomic.h>
#include <stdbool.h>

#include "platform/thread.h"

typedef struct tpi_item {
    struct tpi_item *next;
} tpi_item;

typedef struct tpi_inbox {
    _Atomic(tpi_item *) posted; /* newest first */
    /* Rung when the inbox turns from empty to not empty. */
    void (*ring)(void *context);
    void *context; /* borrowed; for `ring` */
} tpi_inbox;

/* `ring` is called by the thread that posts. There is nothing to release at the end. */
void tpi_inbox_init(tpi_inbox *inbox, void (*ring)(void *context), void *context);

/* Hand over an item. May be called from any thread. */
void tpi_inbox_post(tpi_inbox *inbox, tpi_item *item);

/* Everything posted so far, oldest first, linked by `next`; NULL if there is nothing. Only the
 * owner may call it. */
tpi_item *tpi_inbox_take(tpi_inbox *inbox);

#endif
