/*
 * trouble.h - the mistakes of a program, all of them, with their places.
 *
 * A mistake names the word, says a sentence, and offers what may have been meant.
 */
#ifndef TROUPE_PLAY_TROUBLE_H
#define TROUPE_PLAY_TROUBLE_H

#include "base/buf.h"
#include "base/text.h"

enum { TPI_PLAY_MOST_TROUBLES = 100 };

typedef struct tpi_play_trouble {
    unsigned line, column, width;
    char word[64];
    char text[320];  /* a sentence without its end */
    char fix[120];   /* what may have been meant in the place of the word; "" for none */
    char whole[120]; /* what may have been meant in the place of the statement; "" for none */
    bool is_grammar; /* the parser has reported it */
    bool removes;    /* the program is right without the word */
} tpi_play_trouble;

/* All-zero is empty. Owned by the caller; takes no memory. */
typedef struct tpi_play_troubles {
    unsigned count; /* those beyond the most are only counted */
    bool no_memory;
    tpi_play_trouble list[TPI_PLAY_MOST_TROUBLES];
    tpi_play_trouble beyond; /* takes those that are not listed */
} tpi_play_troubles;

/* Whether a mistake is listed at a place. */
bool tpi_play_trouble_at(const tpi_play_troubles *troubles, unsigned line, unsigned column);

/* Add a mistake at a place; returns it, so that a fix can be added. Of two at one place the first
 * is kept. */
tpi_play_trouble *tpi_play_trouble_add(tpi_play_troubles *troubles, unsigned line, unsigned column,
                                       unsigned width, const char *word, const char *format, ...)
    TP_PRINTF(6, 7);

/* Whether a short word and the nearest one have little in common: two of three letters differ. */
bool tpi_play_is_far(const tpi_nearest *nearest);

/* How many are listed. */
unsigned tpi_play_trouble_count(const tpi_play_troubles *troubles);

/* Put them into the order of their places. */
void tpi_play_troubles_sort(tpi_play_troubles *troubles);

/* Append one object of JSON in a line: file, line, column, length, text, message, suggestion,
 * statement. */
void tpi_play_trouble_put_json(tpi_buf *out, const char *file, const tpi_play_trouble *trouble);

/* Append one line: "file:line:column: `word`: sentence; did you mean `fix`?". */
void tpi_play_trouble_put(tpi_buf *out, const char *file, const tpi_play_trouble *trouble);

#endif
