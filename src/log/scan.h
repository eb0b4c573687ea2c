/* scan.h - finds chunks in a damaged file. */
#ifndef TROUPE_LOG_SCAN_H
#define TROUPE_LOG_SCAN_H

#include "log/reader.h"

/* Longer records, and chunks with more bytes when they are unpacked, are taken for damage. */
#define TPI_LOG_MOST_RECORD (UINT64_C(1) << 28)

/* The head of a chunk. */
typedef struct tpi_log_chunk {
    tpi_mcap_compression compression;
    uint64_t size, packed; /* unpacked, and in the file */
    uint32_t crc;          /* 0: not given */
} tpi_log_chunk;

/* Take the head of a chunk whose record is `length` bytes long. What follows in `content` is
 * packed. False if the lengths do not fit each other. `content` may end behind the head. */
bool tpi_log_take_chunk(tpi_mcap_view *content, uint64_t length, tpi_log_chunk *chunk);

/* Move `at` to the next record that looks like a chunk and ends before `end`. TP_E_CLOSED if there
 * is none. */
tp_status tpi_log_scan(const tpi_log_source *source, uint64_t *at, uint64_t end, tp_error *err);

#endif
