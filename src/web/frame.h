/*
 * frame.h - the edges of WebSocket frames (RFC 6455): where one ends, how one of ours begins, and
 * the answer to the greeting of a client. What is inside a client's frame is wslay's.
 */
#ifndef TROUPE_WEB_FRAME_H
#define TROUPE_WEB_FRAME_H

#include "web/http.h"

enum {
    TPI_FRAME_HEAD = 10, /* the longest begin of a frame of a server */
    TPI_FRAME_ACCEPT = 28,
    TPI_FRAME_TEXT = 1,
    TPI_FRAME_BINARY = 2,
};

/* The length of the first frame, as far as its head is there; 0 if it is not. */
uint64_t tpi_frame_length(const uint8_t *bytes, size_t length);

/* Copy what is inside the first frame, which is whole; how many bytes it has, of which at most
 * `room` are copied. */
size_t tpi_frame_payload(char *out, size_t room, const uint8_t *bytes, size_t length);

/* Write the head of an unmasked whole message of `length` bytes; how many bytes it has. */
size_t tpi_frame_begin(uint8_t head[TPI_FRAME_HEAD], unsigned opcode, uint64_t length);

/* What the server answers to Sec-WebSocket-Key; false if the key is not one. */
bool tpi_frame_accept(char out[TPI_FRAME_ACCEPT + 1], tpi_span key);

#endif
