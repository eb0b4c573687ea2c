/*
 * vectors.h - checking the codecs against a file of recorded encodings.
 *
 * The file is JSON: `messages` and `helper_structs` (values and the bytes they encode to),
 * `headers`, `header_decode_edge_cases` and `decode_edge_cases` (bytes and what Player's library
 * makes of them). Each entry is encoded and decoded; docs/vectors.md describes the form.
 */
#ifndef TESTS_VECTORS_VECTORS_H
#define TESTS_VECTORS_VECTORS_H

#include "troupe/padi.h"

typedef struct tpi_vector_report {
    unsigned passed;
    unsigned failed;
    /* Told of every failure, and of sections that nobody knows how to check. */
    void (*note)(void *context, const char *text);
    void *context;
} tpi_vector_report;

/* Check all entries. Fails only if the text is no such file; failed entries are counted. */
tp_status tpi_vectors_check(tpi_vector_report *report, const tp_catalogue *catalogue,
                            const char *text, size_t length, tp_error *err);

#endif
