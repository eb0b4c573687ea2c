/* mover.h - the mover of a device, and its terms. */
#ifndef TROUPE_SAFETY_MOVER_H
#define TROUPE_SAFETY_MOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "troupe/clock.h"

typedef enum tpi_mover_kind {
    TPI_MOVER_NOBODY,
    TPI_MOVER_CLIENT, /* a client of a front */
    TPI_MOVER_DRIVER, /* a driver of this server that uses the device */
    TPI_MOVER_SERVER, /* the server itself */
} tpi_mover_kind;

enum { TPI_MOVER_LABEL = 160 }; /* longest label, with its NUL */

/* All zero is nobody. */
typedef struct tpi_mover {
    tpi_mover_kind kind;
    uint32_t id;       /* unlike that of every other mover of the kind */
    const char *label; /* borrowed: for people, as in "the driver vfh0" */
} tpi_mover;

/* Movers are compared by kind and id; labels may change. */
static inline bool tpi_mover_equal(const tpi_mover *a, const tpi_mover *b)
{
    return a->kind == b->kind && a->id == b->id;
}

static inline bool tpi_mover_exists(const tpi_mover *mover)
{
    return mover->kind != TPI_MOVER_NOBODY;
}

/* How long a message of a driver to a device that it uses may be on its way. A driver has no lease;
 * this is that of most clients. */
#define TPI_DRIVER_MESSAGE_NS TP_NS_PER_S

/* The terms on which a mover sends a message to a device. All zero is for nobody. */
typedef struct tpi_claim {
    tpi_mover mover;
    int64_t lease_ns;   /* from the mover's last message to the stop; 0 for no limit */
    int64_t valid_ns;   /* from this message to the stop, whatever follows; 0 for no limit */
    int64_t until_ns;   /* it moves nothing after this time; 0 for no limit but the lease */
    int64_t silence_ns; /* how long the client that wants it may be silent; 0 for no limit */
    int32_t rank;       /* lower ranks are refused ... */
    int64_t hold_ns;    /* ... for so long after this message */
    bool yields;        /* what others want of the driver comes first */
} tpi_claim;

#endif
