/*
 * json.h - reading JSON, one piece after the other, without a tree.
 *
 * Why our own: cJSON keeps every number as a double (an i64 beyond 2^53 is lost), ends strings at
 * \u0000, and builds a tree where we know from the descriptor what comes next. This reader walks
 * text that is whole in memory and allocates nothing.
 *
 *     tpi_json r;
 *     tpi_json_init(&r, text, length);
 *     if (tpi_json_object(&r)) {
 *         while (tpi_json_member(&r, &name)) { ... read or skip one value ... }
 *     }
 *     status = tpi_json_end(&r, err);
 *
 * Failure is sticky: after the first every call returns false, and tpi_json_end() tells where
 * and why. Members and elements end when the loop function returns false.
 */
#ifndef TROUPE_BASE_JSON_H
#define TROUPE_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { TPI_JSON_DEPTH = 64 }; /* deepest nesting that is accepted, unless the caller says more */

typedef struct tpi_json {
    const char *text; /* borrowed */
    size_t length;
    size_t at;
    unsigned depth;
    unsigned most_depth; /* the caller may raise it after tpi_json_init() */
    bool fresh;          /* nothing read yet in the innermost object or array */
    bool failed;
    size_t failed_at;
    char reason[192];
} tpi_json;

/* A piece of the text: a string between its quotes, still escaped, or a whole value. */
typedef struct tpi_json_span {
    const char *text; /* borrowed from the reader's text */
    size_t length;
} tpi_json_span;

typedef enum tpi_json_kind {
    TPI_JSON_NONE, /* end of text or not JSON */
    TPI_JSON_NULL,
    TPI_JSON_BOOL,
    TPI_JSON_NUMBER,
    TPI_JSON_STRING,
    TPI_JSON_ARRAY,
    TPI_JSON_OBJECT,
} tpi_json_kind;

void tpi_json_init(tpi_json *json, const char *text, size_t length);

/* What comes next, without reading it. */
tpi_json_kind tpi_json_peek(tpi_json *json);

bool tpi_json_object(tpi_json *json);
bool tpi_json_member(tpi_json *json, tpi_json_span *name);
bool tpi_json_array(tpi_json *json);
bool tpi_json_element(tpi_json *json);

bool tpi_json_null(tpi_json *json);
bool tpi_json_bool(tpi_json *json, bool *value);

/* Also "NaN", "Infinity" and "-Infinity"; a number too large for a double is an infinity too. */
bool tpi_json_f64(tpi_json *json, double *value);
bool tpi_json_i64(tpi_json *json, int64_t *value);
bool tpi_json_string(tpi_json *json, tpi_json_span *raw);

/* Pass over one value of any kind; `span` (may be NULL) is its text. */
bool tpi_json_skip(tpi_json *json, tpi_json_span *span);

/* The text is at its end and nothing failed; otherwise `err` says "line L, column C: reason", where
 * columns count characters. */
tp_status tpi_json_end(tpi_json *json, tp_error *err);

/* Make the reader fail here, or at another place in the text, for a reason of the caller's. Always
 * returns false. */
bool tpi_json_reject(tpi_json *json, const char *format, ...) TP_PRINTF(2, 3);
bool tpi_json_reject_at(tpi_json *json, size_t at, const char *format, ...) TP_PRINTF(3, 4);

/* Append what an escaped string stands for. */
void tpi_json_unescape(tpi_buf *out, tpi_json_span raw);

/* Whether the string is `word`, where `word` needs no escapes. */
bool tpi_json_is(tpi_json_span raw, const char *word);

/* Append `text` as a JSON string with its quotes. Each byte that is no UTF-8 becomes U+FFFD:
 * readers reject a whole document, or close a WebSocket, for one such byte. */
void tpi_json_put_string(tpi_buf *out, const char *text, size_t length);

#endif
