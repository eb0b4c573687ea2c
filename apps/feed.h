/*
 * feed.h - one JSON value after the other, from text that comes in pieces.
 *
 * Where a value ends follows from its braces, brackets and quotes; what is in it is for others to
 * judge. One without them ends at the next blank. Values may stand on a line each, on several
 * lines, or behind each other.
 */
#ifndef TROUPE_APPS_FEED_H
#define TROUPE_APPS_FEED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct feed {
    tpi_buf text;               /* owned: what has come and was not taken */
    size_t at;                  /* what is before it was looked at */
    size_t start;               /* of the value that is looked at */
    bool in_value;              /* there is one */
    bool in_string;             /* and in it */
    bool escaped;               /* and behind a backslash in it */
    bool plain;                 /* it has no braces, brackets or quotes around it */
    size_t depth;               /* how many braces and brackets are open */
    size_t taken;               /* of the text, by the last value; it goes with the next call */
    unsigned long line, column; /* of `at`, from 1 */
    unsigned long start_line, start_column; /* of the value */
};

/* Zeroed at first. */
void feed_fini(struct feed *feed);

/* Some more of it. False if there is no memory. */
bool feed_add(struct feed *feed, const char *bytes, size_t length);

/* The next value that is whole, borrowed until the next call; false for none yet. */
bool feed_next(struct feed *feed, const char **value, size_t *length);

/* At the end: what is left, whole or not; false if that is nothing but blanks. */
bool feed_rest(struct feed *feed, const char **value, size_t *length);

/* A sentence about the value that came last, which may begin with "line 1, column 9: ": counted in
 * the whole input instead. */
void feed_place(const struct feed *feed, const char *sentence, tpi_buf *out);

#endif
