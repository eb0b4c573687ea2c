/* series.h - the data messages of a device that wait for the program; see tp_proxy_next(). */
#ifndef TROUPE_CLIENT_SERIES_H
#define TROUPE_CLIENT_SERIES_H

#include <stdbool.h>

#include "troupe/msg.h"

/* All zero is a queue that keeps nothing. */
typedef struct tpi_series {
    tp_msg **ring; /* owned, with one reference for each message; NULL if nothing is kept */
    unsigned capacity;
    unsigned first; /* the place of the oldest one */
    unsigned count;
    uint64_t missed;
    tp_msg *given; /* owned reference: what the program has; NULL for nothing */
} tpi_series;

/* Forgets what waits. */
tp_status tpi_series_resize(tpi_series *series, unsigned capacity);
void tpi_series_fini(tpi_series *series);

/* Keep a message, in place of the oldest one if the queue is full. */
void tpi_series_put(tpi_series *series, const tp_msg *msg);

/* The oldest one, kept until the next call; NULL if none waits. */
const tp_msg *tpi_series_take(tpi_series *series);

#endif
