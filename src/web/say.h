/*
 * say.h - what a WebSocket client says in text: the messages of Foxglove's protocol, and ours.
 *
 *     tpi_say said;
 *     if (tpi_say_read(&said, text, length, &err) == TP_OK) {
 *         while (tpi_say_next(&said, &item)) { ... one of its list ... }
 *     }
 *
 * The text is checked as a whole before anything of it is used. Spans point into it.
 */
#ifndef TROUPE_WEB_SAY_H
#define TROUPE_WEB_SAY_H

#include "base/json.h"

typedef enum tpi_say_op {
    TPI_SAY_UNKNOWN,
    TPI_SAY_SUBSCRIBE,
    TPI_SAY_UNSUBSCRIBE,
    TPI_SAY_ADVERTISE,
    TPI_SAY_UNADVERTISE,
    TPI_SAY_GET_PARAMETERS,
    TPI_SAY_SET_PARAMETERS,
    TPI_SAY_WATCH_PARAMETERS,
    TPI_SAY_FORGET_PARAMETERS,
    TPI_SAY_WATCH_GRAPH,
    TPI_SAY_FORGET_GRAPH,
    TPI_SAY_AUTH,
    TPI_SAY_CHALLENGE,
    TPI_SAY_PROVE,
    TPI_SAY_PING,
    TPI_SAY_PANIC,
    TPI_SAY_STATE,
} tpi_say_op;

typedef struct tpi_say {
    tpi_say_op op;
    tpi_json_span name;   /* of the op, as it came */
    tpi_json_span id;     /* of parameters: a string, still escaped; NULL for none */
    tpi_json_span secret; /* `key` or `digest`; NULL for none */
    tpi_json_span why;
    tpi_json list; /* reads the list of the op; `listed` tells whether there is one */
    bool listed;
} tpi_say;

/* One of a list: a number, a name, or an object. What is not there is 0 or NULL. */
typedef struct tpi_say_item {
    uint32_t id;
    uint32_t channel;
    double rate;
    tpi_json_span topic, encoding, schema; /* strings, still escaped */
    tpi_json_span name;
    tpi_json_span value; /* any JSON */
} tpi_say_item;

/* Fails with what is wrong with the text. */
tp_status tpi_say_read(tpi_say *out, const char *text, size_t length, tp_error *err);

/* The next of the list; false at its end, and if it is none of these (`said->list.failed`). */
bool tpi_say_next(tpi_say *said, tpi_say_item *item);

/* Copy a string without its escapes, ended by a NUL; false if it does not fit or has a NUL. */
bool tpi_say_copy(char *out, size_t size, tpi_json_span raw);

#endif
