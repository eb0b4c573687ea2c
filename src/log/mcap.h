/*
 * mcap.h - the file format MCAP: what its writer and its reader share.
 *
 * A file is a magic, a header, chunks with their indexes, a summary, a footer and the magic again.
 * Each is a record: an opcode, the length of its content, the content. All numbers are
 * little-endian. A chunk holds schemas, channels and messages, compressed as one piece, with a
 * check sum. A reader that trusts the summary finds each chunk at once; a reader of a file without
 * one, cut off by a crash, goes from record to record.
 */
#ifndef TROUPE_LOG_MCAP_H
#define TROUPE_LOG_MCAP_H

#include <stdint.h>
#include <string.h>

#include "base/buf.h"

enum { TPI_MCAP_MAGIC_LENGTH = 8, TPI_MCAP_HEAD = 9 /* opcode and length of a record */ };

extern const unsigned char tpi_mcap_magic[TPI_MCAP_MAGIC_LENGTH];

typedef enum tpi_mcap_op {
    TPI_MCAP_HEADER = 0x01,
    TPI_MCAP_FOOTER,
    TPI_MCAP_SCHEMA,
    TPI_MCAP_CHANNEL,
    TPI_MCAP_MESSAGE,
    TPI_MCAP_CHUNK,
    TPI_MCAP_MESSAGE_INDEX,
    TPI_MCAP_CHUNK_INDEX,
    TPI_MCAP_ATTACHMENT,
    TPI_MCAP_ATTACHMENT_INDEX,
    TPI_MCAP_STATISTICS,
    TPI_MCAP_METADATA,
    TPI_MCAP_METADATA_INDEX,
    TPI_MCAP_SUMMARY_OFFSET,
    TPI_MCAP_DATA_END,
} tpi_mcap_op;

/* How the records of a chunk are compressed. */
typedef enum tpi_mcap_compression {
    TPI_MCAP_PLAIN,
    TPI_MCAP_LZ4,
    TPI_MCAP_ZSTD,
    TPI_MCAP_COMPRESSIONS
} tpi_mcap_compression;

/* The name in files and on the command line: "", "lz4", "zstd". */
const char *tpi_mcap_compression_name(tpi_mcap_compression compression);

/* The compression with this name. TPI_MCAP_COMPRESSIONS if there is none. */
tpi_mcap_compression tpi_mcap_compression_named(const char *name, size_t length);

/* Append the compressed bytes to `out`. */
tp_status tpi_mcap_compress(tpi_buf *out, tpi_mcap_compression compression, const void *bytes,
                            size_t length, tp_error *err);

/* Append exactly `size` bytes, unpacked, to `out`. TP_E_SYNTAX if the bytes are damaged or hold
 * another number of bytes. */
tp_status tpi_mcap_decompress(tpi_buf *out, tpi_mcap_compression compression, const void *bytes,
                              size_t length, size_t size, tp_error *err);

/* ---- Numbers, little-endian ------------------------------------------------------------------ */

void tpi_mcap_put(tpi_buf *out, uint64_t value, unsigned bytes);
void tpi_mcap_put_text(tpi_buf *out, const char *text);

/* Begin a record; returns where it begins. */
size_t tpi_mcap_begin(tpi_buf *out, tpi_mcap_op op);

/* End it: fills in its length. */
void tpi_mcap_end(tpi_buf *out, size_t begin);

/* Read content from its front. After the end everything is 0 and `failed` is set. */
typedef struct tpi_mcap_view {
    const unsigned char *at, *end;
    bool failed;
} tpi_mcap_view;

uint64_t tpi_mcap_take(tpi_mcap_view *view, unsigned bytes);

/* A part of `length` bytes. Empty if it is not there. */
tpi_mcap_view tpi_mcap_take_part(tpi_mcap_view *view, uint64_t length);

/* A text or a list that begins with its length in four bytes. */
tpi_mcap_view tpi_mcap_take_counted(tpi_mcap_view *view);

static inline size_t tpi_mcap_left(const tpi_mcap_view *view)
{
    return (size_t)(view->end - view->at);
}

#endif
