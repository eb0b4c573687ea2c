/*
 * encodings.h - two encodings that count what they make: Player's, and a line of JSON.
 *
 * For tests of who encodes a message, and how often.
 */
#ifndef TROUPE_TESTS_SUPPORT_ENCODINGS_H
#define TROUPE_TESTS_SUPPORT_ENCODINGS_H

#include "troupe/msg.h"

/* The same bytes as tp_encoding_player. */
extern const tp_encoding counted_player;

/* {"interf":5,"type":1,"subtype":1,"body":...} and a newline; the body is null without a payload.
 * It has room for more than it needs, as encodings with text do. */
extern const tp_encoding counted_json;

/* How many messages each has encoded since encodings_reset(). */
typedef struct encodings_counts {
    unsigned player;
    unsigned json;
} encodings_counts;

encodings_counts encodings_count(void);

/* Count from 0. */
void encodings_reset(void);

/* The next encodings fail so, in `size` and then in `encode`; TP_OK for not at all. Only JSON. */
void encodings_fail(tp_status in_size, tp_status in_encode);

#endif
