/*
 * http.h - reading an HTTP/1.1 request, and what may be said to a browser.
 *
 * The head of a request is read when it is whole. Everything that two programs could read in two
 * ways is refused: bare line feeds, folded lines, a header twice that decides something, a
 * transfer encoding beside a length. Nothing is copied: a span points into the caller's bytes.
 */
#ifndef TROUPE_WEB_HTTP_H
#define TROUPE_WEB_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum {
    TPI_HTTP_HEAD = 8192,
    TPI_HTTP_HEADERS = 64,
    TPI_HTTP_CHUNKED = 65536, /* the longest body in chunks */
    TPI_HTTP_CHUNKS = 1024
};

/* A piece of the request; `text` is NULL for what it does not have. */
typedef struct tpi_span {
    const char *text; /* borrowed */
    size_t length;
} tpi_span;

typedef enum tpi_http_method {
    TPI_HTTP_OTHER,
    TPI_HTTP_GET,
    TPI_HTTP_HEAD_ONLY,
    TPI_HTTP_POST,
} tpi_http_method;

typedef struct tpi_http {
    tpi_http_method method;
    tpi_span path;  /* up to the question mark, as it came */
    tpi_span query; /* behind it */
    tpi_span host, origin, type, authorization, client, fetch_site;
    tpi_span socket_key, socket_version, socket_protocols;
    size_t head;     /* length of the head */
    uint64_t length; /* of the body */
    bool has_length;
    bool chunked;       /* the body comes in chunks: tpi_http_chunks() */
    bool upgrades;      /* Upgrade: websocket, with Connection: upgrade */
    bool closes;        /* the client ends the connection after it */
    bool takes_gzip;    /* Accept-Encoding has gzip */
    bool says_continue; /* Expect: 100-continue */
} tpi_http;

/* Read the head of a request. 0 if it is not whole yet, 1 if it was read, or the HTTP status of the
 * refusal: 400, 411, 413, 417, 431, 501, 505. */
int tpi_http_read(tpi_http *out, const char *bytes, size_t length);

/* Read a body in chunks, from behind the head on, into an empty buffer. 0 if it is not whole yet, 1
 * if it was read (`*used`: bytes of the input), 400 or 413. */
int tpi_http_chunks(tpi_buf *out, const char *bytes, size_t length, size_t *used);

/* The reason that stands behind a status: "Not Found". */
const char *tpi_http_reason(int status);

bool tpi_span_is(tpi_span span, const char *word);

/* The same with letters of any case. */
bool tpi_span_same(tpi_span span, const char *word);

/* Whether a list with commas has this word, with letters of any case. */
bool tpi_span_lists(tpi_span list, const char *word);

/* The next word of such a list, without blanks around it; false at its end. `*at` begins with 0. */
bool tpi_span_word(tpi_span list, size_t *at, tpi_span *word);

/* Copy with %XX replaced; false if it does not fit, or is not text: a wrong escape, a NUL, a
 * control character. With `plus`, + is a blank. */
bool tpi_http_decode(char *out, size_t size, tpi_span escaped, bool plus);

/* A parameter of a query, decoded; false if there is none, or as above. */
bool tpi_http_parameter(char *out, size_t size, tpi_span query, const char *name);

/* The next part of a path between slashes, decoded; false at the end, or if it cannot be decoded
 * (`*wrong`). `*at` begins with 0. */
bool tpi_http_part(char *out, size_t size, tpi_span path, size_t *at, bool *wrong);

#endif
