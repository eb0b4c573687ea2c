/* inside.h - what the parts of the checker of recorded encodings share. */
#ifndef TESTS_VECTORS_INSIDE_H
#define TESTS_VECTORS_INSIDE_H

#include "base/buf.h"
#include "base/json.h"
#include "vectors/vectors.h"

enum { TPI_VECTOR_NAME = 128 }; /* longest name in a file, with its NUL */

typedef struct tpi_vector_checker {
    const tp_catalogue *catalogue;
    tpi_vector_report *report;
    const char *section;
    unsigned entry;                 /* number within the section, from 1 */
    char what[3 * TPI_VECTOR_NAME]; /* what the entry is about: "laser data SCAN"; may be "" */
} tpi_vector_checker;

/* A member to look for and, if it is there, its text. */
typedef struct tpi_vector_member {
    const char *name;
    tpi_json_span span; /* of no text if it is not there */
} tpi_vector_member;

/* Tell "SECTION ENTRY: WHAT: ...". */
void tpi_vector_note(const tpi_vector_checker *c, const char *format, ...) TP_PRINTF(2, 3);

/* Count an entry. */
void tpi_vector_count(tpi_vector_checker *c, bool good);

void tpi_vector_find(tpi_json_span object, tpi_vector_member *members, size_t n);

/* The characters of a JSON string that needs no unescaping; "" for anything else. */
const char *tpi_vector_text(tpi_json_span span, char out[TPI_VECTOR_NAME]);

/* A whole number, or `otherwise` if it is none. */
int64_t tpi_vector_whole(tpi_json_span span, int64_t otherwise);

/* The bytes that a string of hex digits stands for; false (and a note) if it is none. */
bool tpi_vector_bytes(const tpi_vector_checker *c, tpi_json_span span, tpi_buf *out);

/* Decode for the checker; whether that succeeds or is refused as `wanted` says, with a note if not.
 * The value is the caller's, to free(); NULL if it was refused. */
bool tpi_vector_decode(const tpi_vector_checker *c, const tp_struct *type, const tpi_buf *bytes,
                       bool wanted, void **value);

/* Whether the values encode to the bytes and the bytes decode to the values. */
bool tpi_vector_struct(const tpi_vector_checker *c, const tp_struct *type, tpi_json_span values,
                       tpi_json_span hex);

/* Sections that are objects of cases. */
void tpi_vector_header_cases(tpi_vector_checker *c, tpi_json_span object);
void tpi_vector_decode_cases(tpi_vector_checker *c, tpi_json_span object);

/* An entry of the section `headers`. */
bool tpi_vector_header(tpi_vector_checker *c, tpi_json_span entry);

/* Every element of a list; `check` or, for cases of one struct, `check_one`. */
typedef bool tpi_vector_check(tpi_vector_checker *c, tpi_json_span entry);
typedef bool tpi_vector_check_one(tpi_vector_checker *c, const tp_struct *type,
                                  tpi_json_span entry);
void tpi_vector_list(tpi_vector_checker *c, tpi_json_span list, tpi_vector_check *check,
                     tpi_vector_check_one *check_one, const tp_struct *type);

#endif
