/*
 * sync.h - the server's clock, seen from a client.
 *
 * Each exchange gives four times: t1 when the client asked, t2 and t3 when the server read it and
 * answered, t4 when the answer came. The offset of the server's clock is at most t2 - t1 and at
 * least t3 - t4, since nothing travels back in time. The estimate is the middle of what all recent
 * exchanges allow. They are brought to the same moment with the drift between the clocks: the one
 * that leaves the offset the most room, since packages that did not wait are on lines with that
 * slope. The bounds are widened with age by what is not known of the drift. An exchange that
 * contradicts the others is dropped; if several do so in a row, the others are dropped.
 *
 * The time that is read follows the estimate without jumping back: it runs a little faster or
 * slower until both meet.
 *
 * Time is an argument, in ns of the client's clock. Nothing allocates or waits.
 */
#ifndef TROUPE_CLIENT_MOTION_SYNC_H
#define TROUPE_CLIENT_MOTION_SYNC_H

#include <stdbool.h>
#include <stdint.h>

enum {
    TPI_SYNC_FIRST = 8,  /* exchanges at the start, one right after the other */
    TPI_SYNC_MOST = 16,  /* the most of them, while none or one has come through without waiting */
    TPI_SYNC_KEPT = 96,  /* exchanges that count */
    TPI_SYNC_STRAYS = 4, /* contradictions in a row that end the past */
};

/* One exchange. */
typedef struct tpi_sync_exchange {
    int64_t at_ns;    /* the middle of t1 and t4 */
    int64_t upper_ns; /* t2 - t1 */
    int64_t lower_ns; /* t3 - t4 */
} tpi_sync_exchange;

/* All zero: nothing is known. */
typedef struct tpi_sync {
    tpi_sync_exchange kept[TPI_SYNC_KEPT]; /* a ring */
    uint32_t count, next;                  /* how many of them; where the next one goes */
    uint64_t total;                        /* exchanges so far */
    tpi_sync_exchange strays[TPI_SYNC_STRAYS];
    uint32_t stray_count;
    uint64_t dropped; /* exchanges that contradicted the others */
    bool confirmed;   /* several packages have come through without waiting, on both ways */

    int64_t offset_ns; /* the estimate at `at_ns` */
    int64_t at_ns;
    int64_t error_ns; /* bound of the estimate's error at `at_ns` */
    double drift;     /* s of the server's clock per s of the client's, less 1 */
    double doubt;     /* of the drift, likewise */

    bool shown;       /* the time was read once */
    int64_t shown_ns; /* what was read last */
    int64_t shown_at; /* when */
} tpi_sync;

/* An exchange is complete. The times of the server are those of its clock, t1 and t4 the client's.
 * Exchanges whose answer came before the question are ignored. */
void tpi_sync_add(tpi_sync *sync, int64_t t1_ns, int64_t t2_ns, int64_t t3_ns, int64_t t4_ns);

/* Whether the first exchanges are complete. */
bool tpi_sync_is_ready(const tpi_sync *sync);

/* How long after the last exchange the next one is due: none at the start, then a tenth of a
 * second, then about a second; odd periods, so that they do not fall into step with anything. */
int64_t tpi_sync_pause_ns(const tpi_sync *sync);

/* The time of the server's clock at `now_ns`, as far as it is known: never less than before. 0
 * before the first exchange. */
int64_t tpi_sync_read(tpi_sync *sync, int64_t now_ns);

/* The bound of its error at `now_ns`; INT64_MAX before the first exchange. */
int64_t tpi_sync_error(const tpi_sync *sync, int64_t now_ns);

#endif
