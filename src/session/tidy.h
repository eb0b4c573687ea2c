/*
 * tidy.h - gives memory back to the system after clients have made the server use much.
 *
 * Pools and the C library keep what was released, which is right while it is used again. Two to
 * four seconds after the last large answer, or the last client that had to wait, a short-lived
 * thread gives it back. Belongs to the loop's thread.
 */
#ifndef TROUPE_SESSION_TIDY_H
#define TROUPE_SESSION_TIDY_H

#include <stdbool.h>

#include "troupe/loop.h"

typedef struct tpi_tidy {
    tp_loop *loop;               /* borrowed */
    tp_timer *timer;             /* owned; NULL until it was needed */
    bool armed;                  /* the timer */
    bool used;                   /* memory, since the timer has looked last */
    struct tpi_tidying *running; /* the thread's; NULL if there is none */
} tpi_tidy;

void tpi_tidy_init(tpi_tidy *tidy, tp_loop *loop);
void tpi_tidy_fini(tpi_tidy *tidy);

/* Much memory is being used; give it back when that is over. */
void tpi_tidy_expect(tpi_tidy *tidy);

#endif
