/*
 * conditions.h - the language of the conditions of tp_client_find().
 *
 *     wanted    = [ wish { "," wish } ]
 *     wish      = name op value | ( "most" | "least" ) name
 *     op        = "=" | "!=" | "<" | "<=" | ">" | ">="
 *     name      = word | quoted
 *     value     = word | quoted
 *
 * A word is made of anything but blanks, commas, quotes and the characters of operators; a quoted
 * text stands between two quotes of one kind, without escapes. A value that is a number can be
 * compared as one; yes and no are 1 and 0.
 */
#ifndef TROUPE_CLIENT_CONDITIONS_H
#define TROUPE_CLIENT_CONDITIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "troupe/status.h"

enum { TPI_WANTED_MOST = 32 };

/* What is known of something: a text, and what number it is, if any. */
typedef struct tpi_fact {
    char *text; /* owned; NULL for what is not known */
    bool is_number;
    double number;
} tpi_fact;

typedef enum tpi_wish_op {
    TPI_WISH_EQUAL,
    TPI_WISH_OTHER,
    TPI_WISH_LESS,
    TPI_WISH_AT_MOST,
    TPI_WISH_MORE,
    TPI_WISH_AT_LEAST,
    TPI_WISH_THE_MOST,
    TPI_WISH_THE_LEAST,
} tpi_wish_op;

typedef struct tpi_wish {
    char *name; /* owned */
    tpi_wish_op op;
    tpi_fact value; /* of conditions */
} tpi_wish;

typedef struct tpi_conditions {
    tpi_wish wishes[TPI_WANTED_MOST];
    size_t count;
} tpi_conditions;

/* Fails with TP_E_SYNTAX and "column N: ..."; `out` needs no release then. */
tp_status tpi_conditions_parse(tpi_conditions *out, const char *text, tp_error *err);
void tpi_conditions_fini(tpi_conditions *wanted);

/* Take a text as a fact; it becomes the fact's. NULL is a fact that is not known. */
tpi_fact tpi_fact_take(char *text);
void tpi_fact_fini(tpi_fact *fact);

/* Whether it is a condition, and whether a fact meets it. */
bool tpi_wish_is_condition(const tpi_wish *wish);
bool tpi_wish_is_met(const tpi_wish *wish, const tpi_fact *fact);

/* Of a wish for the most or least: negative if `a` is better, positive if `b` is. */
int tpi_wish_compare(const tpi_wish *wish, const tpi_fact *a, const tpi_fact *b);

/* "x > 0" as it was meant, for messages. */
const char *tpi_wish_text(const tpi_wish *wish, char *out, size_t size);

#endif
