/*
 * framing.h - what surrounds an instruction on the line; see tpi_framing in robot.h.
 *
 * Nothing here takes memory.
 */
#ifndef TROUPE_UNIVERSAL_FRAMING_H
#define TROUPE_UNIVERSAL_FRAMING_H

#include "universal/robot.h"

/* Append the frame of an instruction; false if it does not fit. */
bool tpi_framing_put(const tpi_framing *framing, const uint8_t *body, size_t length,
                     uint8_t sequence, tpi_bytes *out);

/* A frame that was found. */
typedef struct tpi_frame {
    size_t used;   /* bytes of the input, with what was dropped */
    uint8_t *body; /* in the input; its escapes are resolved in place */
    size_t length;
    uint8_t sequence;
} tpi_frame;

typedef enum tpi_framed {
    TPI_FRAME_FOUND,
    TPI_FRAME_MORE,  /* it has not arrived in full */
    TPI_FRAME_NOISE, /* `used` bytes belong to no frame */
} tpi_framed;

/* Find the frame at the beginning of the input. */
tpi_framed tpi_framing_get(const tpi_framing *framing, uint8_t *data, size_t length,
                           tpi_frame *out);

#endif
