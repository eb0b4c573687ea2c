/* rank.h - which writers take precedence: a joystick over a planner. The loop's. */
#ifndef TROUPE_SAFETY_RANK_H
#define TROUPE_SAFETY_RANK_H

#include "safety/mover.h"
#include "troupe/clock.h"
#include "troupe/padi.h"
#include "troupe/status.h"

/* A rank as the configuration gives it. It applies to a writer that fits all that it names; a text
 * may end in * for any end. */
typedef struct tpi_rank {
    const char *client; /* the name that it says; NULL for any */
    const char *host;   /* that it connects from; NULL for any */
    const char *key;    /* that it has proved, by name; NULL for any or none */
    const char *driver; /* of this server; NULL for any, and for clients */
    int32_t rank;
    int64_t hold_ns;  /* how long after its last move those of a lower rank are refused */
    uint32_t section; /* of the instance, whose devices it is about; 0 for the first */
} tpi_rank;

/* The hold time of writers that no rank fits; their rank is 0. */
#define TPI_RANK_HOLD_NS TP_NS_PER_S

/* The ranks of one section of an instance's configuration. Borrowed. */
typedef struct tpi_rank_list {
    const tpi_rank *ranks;
    uint32_t count;
    uint32_t section;
} tpi_rank_list;

/* What ranks are compared with: a client, or a driver if `driver` is set. Texts are borrowed. */
typedef struct tpi_writer {
    const char *client;
    const char *address; /* "127.0.0.1:51234", "unix" */
    const char *key;     /* "" for none */
    const char *driver;
    const char *instance; /* of the driver */
} tpi_writer;

/* Set rank and hold time of a claim: of the first rank that fits, or the usual ones. */
void tpi_rank_choose(const tpi_rank_list *list, const tpi_writer *writer, tpi_claim *claim);

/* Whether the list has a rank for its section. */
bool tpi_rank_is_configured(const tpi_rank_list *list);

#endif
