/*
 * caller.h - a client of a front of the mirror (mirror.h), for fuzz targets: one connection at a
 * time, bytes cut into pieces, everything that came back.
 */
#ifndef TROUPE_TESTS_FUZZ_CALLER_H
#define TROUPE_TESTS_FUZZ_CALLER_H

#include "troupe/front.h"

typedef struct caller {
    const unsigned char *received; /* borrowed until the next call of caller_connect() */
    size_t length;
    bool ended; /* the front has closed the connection */
} caller;

/* Connect to the front, which is opened at the first call and closed when the process ends. What is
 * returned changes in every turn. */
const caller *caller_connect(const tp_front *front);

/* Send bytes, with a turn of the loop after each piece that the socket takes. */
void caller_say(const uint8_t *data, size_t size);

/* The same, cut by the bits of `pattern`: a short or a long piece, again and again. */
void caller_say_in_pieces(unsigned pattern, const uint8_t *data, size_t size);

void caller_close(void);

#endif
