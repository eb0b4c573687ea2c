/*
 * answers.h - the return queue of a client: records that wait until the client takes them.
 *
 * Records leave in the order in which they were issued. There are two kinds. Answers of broadcasts
 * may be lost: a full queue drops the oldest of them and counts it. All others are never dropped:
 * if there is no room the queue is marked as lost, and the client has to be disconnected. The
 * memory is taken at the start.
 */
#ifndef TROUPE_MOTION_ANSWERS_H
#define TROUPE_MOTION_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "troupe/status.h"

/* Bytes in a circle. */
typedef struct tpi_motion_ring {
    uint8_t *bytes; /* owned */
    size_t size, first, used;
    uint32_t count; /* records in it */
} tpi_motion_ring;

typedef struct tpi_motion_answers {
    tpi_motion_ring lasting, passing; /* `passing` are the answers of broadcasts */
    uint64_t issued;                  /* records, so that the order of both rings is known */
    uint64_t dropped;                 /* answers of broadcasts that were lost */
    bool lost;                        /* a record that must not be lost had no room */
} tpi_motion_answers;

/* Take memory for so many bytes of lasting and of passing records. TP_E_NOMEM. */
tp_status tpi_motion_answers_init(tpi_motion_answers *answers, size_t lasting, size_t passing);

void tpi_motion_answers_fini(tpi_motion_answers *answers);

/* Add a record as it stands in a payload. */
void tpi_motion_answers_add(tpi_motion_answers *answers, const uint8_t *record, size_t size,
                            bool passing);

/* Take as many of the oldest records as fit `space`. Returns the bytes, and how many records. */
size_t tpi_motion_answers_take(tpi_motion_answers *answers, uint8_t *out, size_t space,
                               uint16_t *records);

/* How many records wait. */
uint32_t tpi_motion_answers_count(const tpi_motion_answers *answers);

#endif
