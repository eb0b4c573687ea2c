/*
 * element.h - a small XML file as a tree, with the line of every element.
 *
 * Robot files, wiring files, the vocabulary and the manifests of sensors are read through it.
 * Everything is bounded, and a file with declarations of its own is refused. All memory belongs to
 * the document's arena.
 */
#ifndef TROUPE_CONVERT_ELEMENT_H
#define TROUPE_CONVERT_ELEMENT_H

#include <stdbool.h>

#include "base/arena.h"
#include "troupe/status.h"

enum {
    TPI_MOST_ELEMENTS = 20000,
    TPI_MOST_DEPTH = 16,
    TPI_MOST_DOCUMENT = 4 << 20, /* bytes */
};

typedef struct tpi_attribute {
    const char *name, *value;
} tpi_attribute;

typedef struct tpi_element {
    const char *name;
    unsigned line;
    tpi_attribute *attributes; /* a NULL name ends them */
    const char *text;          /* what stands in it, without the text of children; "" for none */
    struct tpi_element *first; /* child */
    struct tpi_element *next;  /* sibling */
} tpi_element;

/* Receives every mistake of a file. Without it the first one ends the reading. */
typedef struct tpi_mistakes {
    void (*tell)(void *context, const char *text);
    void *context; /* borrowed */
    unsigned count;
} tpi_mistakes;

typedef struct tpi_document {
    const char *path; /* for messages; borrowed */
    tpi_arena arena;
    tpi_element *root;
    tp_error *err;          /* borrowed; where the first mistake is told */
    tpi_mistakes *mistakes; /* borrowed; may be NULL */
} tpi_document;

/* Read a text. The document must be zeroed; fini is safe after a failure. */
tp_status tpi_document_read(tpi_document *out, const char *text, size_t length, const char *path,
                            tp_error *err);
void tpi_document_fini(tpi_document *document);

/* Tell a mistake: "path:line: <element>: text". Returns TP_E_INVALID. */
tp_status tpi_element_fail(const tpi_document *document, const tpi_element *element,
                           const char *format, ...) TP_PRINTF(3, 4);

/* Whether reading goes on after this status, to find further mistakes. */
bool tpi_document_goes_on(const tpi_document *document, tp_status status);

/* Tell that there is no memory. */
tp_status tpi_document_no_memory(const tpi_document *document);

/* The value of an attribute; NULL if there is none. */
const char *tpi_element_get(const tpi_element *element, const char *name);

/* The value of an attribute that must be there and not empty; NULL, with the error, if it is not.
 */
const char *tpi_element_need(const tpi_document *document, const tpi_element *element,
                             const char *name);

/* Fails if an attribute is none of `names`, a list that NULL ends. */
tp_status tpi_element_only(const tpi_document *document, const tpi_element *element,
                           const char *const *names);

/* Tell that a child has no business here; `names` are those that have. */
tp_status tpi_element_unexpected(const tpi_document *document, const tpi_element *child,
                                 const char *const *names);

/* Read an attribute as a number between two bounds, `missing` if it is not there. */
tp_status tpi_element_number(const tpi_document *document, const tpi_element *element,
                             const char *name, double low, double high, double missing,
                             double *out);

/* Read an attribute as two numbers, the lower one first; `out` is left alone if it is not there. */
tp_status tpi_element_pair(const tpi_document *document, const tpi_element *element,
                           const char *name, double out[2]);

/* Read an attribute as yes or no; no if it is not there. */
tp_status tpi_element_flag(const tpi_document *document, const tpi_element *element,
                           const char *name, bool *out);

/* Check `version`, which must be 1. */
tp_status tpi_element_version(const tpi_document *document, const tpi_element *element);

/* Split a list at commas: a copy of the next word without blanks around it, NULL at the end or if
 * memory ran out (then `failed` is set). */
const char *tpi_list_next(tpi_arena *arena, const char **at, bool *failed);

#endif
