/*
 * tidy.h - gives memory back to the system after clients have made the server use much.
 *
 * Pools and the C library keep what was released, which is right while it is used again. Two to
 * four seconds after the last large answer, the last client that had to wait, the last seconds with
 * much work, or the last change of many bytes that clients held or did not read, a short-lived
 * thread gives it back; if it never ends, every eight seconds.
 * Belongs to the loop's thread.
 */
#ifndef TROUPE_SESSION_TIDY_H
#define TROUPE_SESSION_TIDY_H

#include <stdbool.h>
#include <stddef.h>

#include "troupe/loop.h"

typedef struct tpi_tidy {
    tp_loop *loop;               /* borrowed */
    tp_timer *timer;             /* owned; NULL until it was needed */
    bool armed;                  /* the timer */
    bool used;                   /* much memory, since the timer has looked last */
    int64_t work;                /* since then */
    unsigned looks;              /* since much was used; 0 if there is nothing to give back */
    struct tpi_tidying *running; /* the thread's; NULL if there is none */
} tpi_tidy;

void tpi_tidy_init(tpi_tidy *tidy, tp_loop *loop);
void tpi_tidy_fini(tpi_tidy *tidy);

/* Much memory is being used; give it back when that is over. */
void tpi_tidy_expect(tpi_tidy *tidy);

/* Clients have made so much work, in nanoseconds. Much of it uses memory, too. */
void tpi_tidy_count(tpi_tidy *tidy, size_t work);

#endif
