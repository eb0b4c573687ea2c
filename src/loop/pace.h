/*
 * pace.h - how long work that others bring may take: so much in a turn, and a share of the time in
 * the long run. After a quiet time it may take more, so that many who come at once need not wait.
 */
#ifndef TROUPE_LOOP_PACE_H
#define TROUPE_LOOP_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* All zero at first. Times are those of any clock that does not stand still. */
typedef struct tpi_pace {
    int64_t begun_ns; /* the work of this turn */
    int64_t paid_ns;  /* the work so far is paid for at this time */
} tpi_pace;

/* Work begins. */
void tpi_pace_begin(tpi_pace *pace, int64_t now_ns);

/* Whether there is time left for it in this turn. */
bool tpi_pace_has_time(const tpi_pace *pace, int64_t now_ns);

/* The work of this turn ends: how long it has to rest; 0 if it can go on in the next turn. */
int64_t tpi_pace_end(tpi_pace *pace, int64_t now_ns);

#endif
