/*
 * pattern.h - rows of bytes and typed fields: templates of what is sent, patterns of what arrives.
 *
 * Both are compiled from the same notation (docs/robot-files.md) and used without memory.
 */
#ifndef TROUPE_UNIVERSAL_PATTERN_H
#define TROUPE_UNIVERSAL_PATTERN_H

#include "universal/expression.h"

enum {
    TPI_MOST_ITEMS = 128, /* of a pattern */
    TPI_MOST_ALLOWED = 8, /* values behind "ok" */
};

typedef enum tpi_format_kind {
    TPI_FORMAT_INTEGER,
    TPI_FORMAT_FLOAT,
    TPI_FORMAT_SIGN_MAGNITUDE,
    TPI_FORMAT_SEVEN, /* groups of 7 bits */
    TPI_FORMAT_DECIMAL,
    TPI_FORMAT_HEX,
    TPI_FORMAT_REAL,
    TPI_FORMAT_TEXT,
    TPI_FORMAT_TEXT_NUL,
    TPI_FORMAT_TEXT_SEVEN,
    TPI_FORMAT_TEXT_QUOTED, /* as between quotes in Python or C */
    TPI_FORMAT_CHECKSUM,
} tpi_format_kind;

typedef enum tpi_checksum {
    TPI_CHECKSUM_NONE,
    TPI_CHECKSUM_SUM,
    TPI_CHECKSUM_ZERO, /* makes the sum 0 */
    TPI_CHECKSUM_INVERSE,
    TPI_CHECKSUM_XOR,
    TPI_CHECKSUM_CRC8,
    TPI_CHECKSUM_CRC16,
} tpi_checksum;

/* How a field is encoded. */
typedef struct tpi_format {
    tpi_format_kind kind;
    uint16_t width; /* bytes, groups, digits or the fixed length of a text; 0 for free */
    bool is_signed, is_little;
    tpi_checksum checksum;
} tpi_format;

typedef enum tpi_item_kind {
    TPI_ITEM_BYTES,
    TPI_ITEM_FIELD,
    TPI_ITEM_BLANKS,
    TPI_ITEM_ANY,
    TPI_ITEM_REST,
} tpi_item_kind;

typedef struct tpi_pattern_item {
    tpi_item_kind kind;
    const uint8_t *bytes; /* borrowed from the arena */
    unsigned length;
    tpi_format format;
    tpi_expression value; /* of a template: the value; of a pattern: the length of a text */
    int local;            /* of a pattern: where the value goes; -1 for nowhere */
    bool has_bounds;
    double low, high;
    unsigned allowed_count; /* values behind "ok"; 0 for no such check */
    double allowed[TPI_MOST_ALLOWED];
} tpi_pattern_item;

typedef struct tpi_pattern {
    const tpi_pattern_item *items; /* borrowed from the arena */
    unsigned count;
    const char *text; /* as it was written; borrowed */
} tpi_pattern;

/* Compile a template (`is_template`) or a pattern, whose fields become locals of the scope.
 * `framed` says that a pattern sees whole frames. On failure `why` says what is wrong. */
tp_status tpi_pattern_read(tpi_pattern *out, const char *text, bool is_template, bool framed,
                           tpi_scope *scope, tpi_arena *arena, char *why, size_t size);

/* Read the name of a type: "u16le". */
bool tpi_format_read(tpi_format *out, const char *text, size_t length);

/* Bytes that are being written, of a fixed capacity. */
typedef struct tpi_bytes {
    uint8_t *data; /* borrowed */
    size_t length, capacity;
} tpi_bytes;

bool tpi_bytes_put(tpi_bytes *out, const void *data, size_t length);

/* The result of writing a template. */
typedef enum tpi_written {
    TPI_WRITTEN,
    TPI_WRITTEN_CLAMPED, /* written, but a number was outside of its type */
    TPI_WRITTEN_NO_VALUE,
    TPI_WRITTEN_TOO_LONG,
} tpi_written;

/* Append what the template stands for. */
tpi_written tpi_pattern_write(const tpi_pattern *pattern, const tpi_context *context,
                              tpi_bytes *out);

typedef enum tpi_matched {
    TPI_MATCH_YES,
    TPI_MATCH_NO,
    TPI_MATCH_MORE,    /* it fits so far */
    TPI_MATCH_REFUSED, /* a value that is not behind its "ok" */
} tpi_matched;

/* What a match has found. */
typedef struct tpi_found {
    size_t used; /* bytes */
    double code; /* the value that was refused */
} tpi_found;

/* Compare a pattern with the beginning of the data, or with all of it if it is a whole frame. Sets
 * the locals; texts point into the data. Texts of 7-bit pairs are joined in place after a match. */
tpi_matched tpi_pattern_match(const tpi_pattern *pattern, uint8_t *data, size_t length,
                              bool is_whole, const tpi_context *context, tpi_found *found);

/* Append bytes that the pattern fits: what must be there, zeros for fields without a name, ones for
 * the others. */
bool tpi_pattern_sample(const tpi_pattern *pattern, tpi_bytes *out);

/* The checksum of some bytes; 16 bits for TPI_CHECKSUM_CRC16, else 8. */
unsigned tpi_checksum_of(tpi_checksum kind, const uint8_t *data, size_t length);

/* Write an integer of 1 to 4 bytes; read one. */
void tpi_integer_put(uint8_t *out, uint32_t value, unsigned width, bool is_little);
uint32_t tpi_integer_get(const uint8_t *data, unsigned width, bool is_little);

#endif
