/* scan.c - see scan.h. */
#include "log/scan.h"

#include <stdlib.h>

enum {
    WINDOW = 1 << 20,
    HEAD = TPI_MCAP_HEAD + 28 + 4 + 4 + 8, /* of a chunk with the longest name of a compression */
};

bool tpi_log_take_chunk(tpi_mcap_view *content, uint64_t length, tpi_log_chunk *chunk)
{
    const uint64_t start = tpi_mcap_take(content, 8), end = tpi_mcap_take(content, 8);

    chunk->size = tpi_mcap_take(content, 8);
    chunk->crc = (uint32_t)tpi_mcap_take(content, 4);
    const tpi_mcap_view name = tpi_mcap_take_counted(content);
    const size_t named = tpi_mcap_left(&name);
    chunk->compression = tpi_mcap_compression_named((const char *)name.at, named);
    chunk->packed = tpi_mcap_take(content, 8);
    return !content->failed && start <= end && chunk->compression != TPI_MCAP_COMPRESSIONS &&
           chunk->size <= TPI_LOG_MOST_RECORD && chunk->packed == length - 40 - named;
}

/* Whether a chunk that ends in time begins at `bytes`. */
static bool is_chunk(const unsigned char *bytes, size_t length, uint64_t left)
{
    tpi_mcap_view view = {.at = bytes, .end = bytes + length};
    tpi_log_chunk chunk;

    if (tpi_mcap_take(&view, 1) != TPI_MCAP_CHUNK) {
        return false;
    }
    const uint64_t content = tpi_mcap_take(&view, 8);
    return content >= 40 && content <= left - TPI_MCAP_HEAD && content <= TPI_LOG_MOST_RECORD &&
           tpi_log_take_chunk(&view, content, &chunk);
}

tp_status tpi_log_scan(const tpi_log_source *source, uint64_t *at, uint64_t end, tp_error *err)
{
    const uint64_t left = *at < end ? end - *at : 0;
    unsigned char *window = malloc(left < WINDOW ? (size_t)left + 1 : WINDOW);
    tp_status status = TP_E_CLOSED;

    if (window == NULL) {
        return tp_fail(err, TP_E_NOMEM, "no memory to look for chunks");
    }
    while (status == TP_E_CLOSED && *at < end && end - *at > TPI_MCAP_HEAD) {
        const size_t length = end - *at < WINDOW ? (size_t)(end - *at) : WINDOW;
        const bool last = length < WINDOW;

        status = source->read(source->context, *at, window, length, err);
        if (status != TP_OK) {
            break;
        }
        status = TP_E_CLOSED;
        size_t i = 0;
        const size_t stop = last ? length : length - HEAD;
        while (i < stop &&
               !is_chunk(window + i, length - i < HEAD ? length - i : HEAD, end - *at - i)) {
            const unsigned char *next = memchr(window + i + 1, TPI_MCAP_CHUNK, stop - i - 1);
            i = next == NULL ? stop : (size_t)(next - window);
        }
        *at += i;
        if (i < stop) {
            status = TP_OK;
        } else if (last) {
            break;
        }
    }
    free(window);
    return status;
}
