/*
 * line.h - lines of JSON: what a client asks, and the line that a message becomes.
 *
 *     {"op":"request","device":"6665:position2d:0","message":"GET_GEOM","id":7}
 *     {"type":"reply","device":"6665:4:0","code":1,"id":7,"time":12.500000,"value":{...}}
 *
 * Nothing here knows sockets or sessions.
 */
#ifndef JSONLINES_LINE_H
#define JSONLINES_LINE_H

#include "troupe/msg.h"

/* A part of the line; borrowed from it, without a NUL behind it. */
struct slice {
    const char *text; /* NULL for a member that is not there */
    size_t length;
};

/* The members of a line. Texts are without their quotes and have no escapes. */
struct line {
    struct slice op;
    struct slice device;
    struct slice message;
    struct slice key;
    struct slice why;
    struct slice value; /* any JSON, as it stands */
    uint32_t id;
    uint32_t first;
};

/* Read a line, given without its line feed. Fails with what is wrong with it. */
tp_status jsonlines_read(struct line *out, const char *text, size_t length, tp_error *err);

bool jsonlines_is(const struct slice *slice, const char *word);

/* Split "6665:position2d:0"; an interface may also be its number. False if it is no address. */
bool jsonlines_address(const struct slice *device, const tp_catalogue *catalogue, tp_devaddr *out);

/* The line of a message, with its line feed. It depends on nothing but the message, so all readers
 * share one. */
extern const tp_encoding jsonlines_encoding;

#endif
