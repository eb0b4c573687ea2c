/*
 * transit.h - a program on its way from one server to another, as bytes: what a server writes to a
 * file, so that a restart loses nothing.
 *
 * The bytes begin with a mark and a version and end with a checksum. Numbers are in the order of
 * the little end, texts have a length in front of them.
 */
#ifndef TROUPE_PLAY_TRANSIT_H
#define TROUPE_PLAY_TRANSIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "troupe/status.h"

enum { TPI_PLAY_TRANSIT_PROOF = 32, TPI_PLAY_TRANSIT_NAME = 64, TPI_PLAY_TRANSIT_PEER = 128 };

typedef enum tpi_play_transit_step {
    TPI_PLAY_TRANSIT_LEAVING = 1, /* the source stands still */
    TPI_PLAY_TRANSIT_GONE,        /* the source has given it up */
    TPI_PLAY_TRANSIT_ARRIVING,    /* the target has accepted it */
    TPI_PLAY_TRANSIT_BEGUN,       /* the target has begun */
} tpi_play_transit_step;

/* All zero is empty. */
typedef struct tpi_play_transit {
    uint8_t step;
    bool is_loose;
    bool was_running; /* the source, before it left */
    uint32_t seed;
    char id[TPI_PLAY_TRANSIT_NAME], peer[TPI_PLAY_TRANSIT_PEER];
    char name[TPI_PLAY_TRANSIT_NAME];
    uint8_t proof[TPI_PLAY_TRANSIT_PROOF]; /* of the source; 0 at the target */
    uint8_t hash[TPI_PLAY_TRANSIT_PROOF];
    tpi_buf text;  /* of the program */
    tpi_buf state; /* of its machine, and its time */
} tpi_play_transit;

void tpi_play_transit_fini(tpi_play_transit *transit);

/* Append it as bytes. */
void tpi_play_transit_put(tpi_buf *out, const tpi_play_transit *transit);

/* Read it; `out` is empty, and fini is due in any case. TP_E_INVALID if it is damaged. */
tp_status tpi_play_transit_read(tpi_play_transit *out, const void *bytes, size_t length,
                                tp_error *err);

#endif
