/* mcap.c - see mcap.h. */
#include "log/mcap.h"

#include <lz4frame.h>
#include <stdlib.h>
#include <zstd.h>

const unsigned char tpi_mcap_magic[TPI_MCAP_MAGIC_LENGTH] = {0x89, 'M', 'C',  'A',
                                                             'P',  '0', '\r', '\n'};

static const char *const names[TPI_MCAP_COMPRESSIONS] = {"", "lz4", "zstd"};

const char *tpi_mcap_compression_name(tpi_mcap_compression compression)
{
    return names[compression];
}

tpi_mcap_compression tpi_mcap_compression_named(const char *name, size_t length)
{
    unsigned i = 0;

    while (i < TPI_MCAP_COMPRESSIONS &&
           !(strlen(names[i]) == length && memcmp(names[i], name, length) == 0)) {
        i++;
    }
    return (tpi_mcap_compression)i;
}

/* ---- Compression ----------------------------------------------------------------------------- */

static tp_status no_memory(tp_error *err)
{
    return tp_fail(err, TP_E_NOMEM, "no memory for a chunk");
}

static tp_status compress_lz4(tpi_buf *out, const void *bytes, size_t length, tp_error *err)
{
    LZ4F_preferences_t wishes = LZ4F_INIT_PREFERENCES;

    wishes.frameInfo.blockSizeID = LZ4F_max4MB;
    wishes.frameInfo.contentSize = length;
    const size_t most = LZ4F_compressFrameBound(length, &wishes);
    char *to = tpi_buf_reserve(out, most);
    if (to == NULL) {
        return no_memory(err);
    }
    const size_t made = LZ4F_compressFrame(to, most, bytes, length, &wishes);
    if (LZ4F_isError(made)) {
        return tp_fail(err, TP_E_INVALID, "lz4: %s", LZ4F_getErrorName(made));
    }
    out->length += made;
    return TP_OK;
}

static tp_status compress_zstd(tpi_buf *out, const void *bytes, size_t length, tp_error *err)
{
    const size_t most = ZSTD_compressBound(length);
    char *to = tpi_buf_reserve(out, most);

    if (to == NULL) {
        return no_memory(err);
    }
    const size_t made = ZSTD_compress(to, most, bytes, length, 1);
    if (ZSTD_isError(made)) {
        return tp_fail(err, TP_E_INVALID, "zstd: %s", ZSTD_getErrorName(made));
    }
    out->length += made;
    return TP_OK;
}

tp_status tpi_mcap_compress(tpi_buf *out, tpi_mcap_compression compression, const void *bytes,
                            size_t length, tp_error *err)
{
    switch (compression) {
    case TPI_MCAP_LZ4:
        return compress_lz4(out, bytes, length, err);
    case TPI_MCAP_ZSTD:
        return compress_zstd(out, bytes, length, err);
    default:
        tpi_buf_put(out, bytes, length);
        return out->failed ? no_memory(err) : TP_OK;
    }
}

static tp_status damaged(tp_error *err, const char *what)
{
    return tp_fail(err, TP_E_SYNTAX, "a chunk is damaged: %s", what);
}

static tp_status decompress_lz4(char *to, const char *bytes, size_t length, size_t size,
                                tp_error *err)
{
    LZ4F_dctx *context = NULL;
    size_t made = 0, used = 0, hint = 1;

    if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION))) {
        return no_memory(err);
    }
    while (hint != 0 && used < length) {
        size_t room = size - made, given = length - used;

        hint = LZ4F_decompress(context, to + made, &room, bytes + used, &given, NULL);
        if (LZ4F_isError(hint) || (room == 0 && given == 0)) {
            break;
        }
        made += room;
        used += given;
    }
    LZ4F_freeDecompressionContext(context);
    return hint == 0 && made == size && used == length ? TP_OK : damaged(err, "its lz4 frame");
}

/* Whether so many bytes can become so many: a byte of lz4 at most 255, a block of zstd with 4 bytes
 * 128 KB. So memory is not taken because a damaged file says so. */
static bool is_possible(tpi_mcap_compression compression, size_t length, size_t size)
{
    switch (compression) {
    case TPI_MCAP_LZ4:
        return size / 256 <= length;
    case TPI_MCAP_ZSTD:
        return size / 32768 <= length;
    default:
        return length == size;
    }
}

tp_status tpi_mcap_decompress(tpi_buf *out, tpi_mcap_compression compression, const void *bytes,
                              size_t length, size_t size, tp_error *err)
{
    tp_status status = TP_OK;

    if (!is_possible(compression, length, size)) {
        return damaged(err, "its length");
    }
    char *to = tpi_buf_reserve(out, size);
    if (to == NULL) {
        return no_memory(err);
    }
    if (compression == TPI_MCAP_LZ4) {
        status = decompress_lz4(to, bytes, length, size, err);
    } else if (compression == TPI_MCAP_ZSTD) {
        status = ZSTD_decompress(to, size, bytes, length) == size ? TP_OK
                                                                  : damaged(err, "its zstd frame");
    } else {
        memcpy(to, bytes, size);
    }
    if (status == TP_OK) {
        out->length += size;
    }
    return status;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

void tpi_mcap_put(tpi_buf *out, uint64_t value, unsigned bytes)
{
    unsigned char little[8];

    for (unsigned i = 0; i < 8; i++) {
        little[i] = (unsigned char)(value >> (8 * i));
    }
    tpi_buf_put(out, little, bytes);
}

void tpi_mcap_put_text(tpi_buf *out, const char *text)
{
    const size_t length = strlen(text);

    tpi_mcap_put(out, length, 4);
    tpi_buf_put(out, text, length);
}

size_t tpi_mcap_begin(tpi_buf *out, tpi_mcap_op op)
{
    const size_t begin = out->length;

    tpi_mcap_put(out, op, 1);
    tpi_mcap_put(out, 0, 8);
    return begin;
}

void tpi_mcap_end(tpi_buf *out, size_t begin)
{
    if (!out->failed) {
        const uint64_t length = out->length - begin - TPI_MCAP_HEAD;

        for (unsigned i = 0; i < 8; i++) {
            out->data[begin + 1 + i] = (char)(unsigned char)(length >> (8 * i));
        }
    }
}

uint64_t tpi_mcap_take(tpi_mcap_view *view, unsigned bytes)
{
    uint64_t value = 0;

    if (tpi_mcap_left(view) < bytes) {
        view->failed = true;
        view->at = view->end;
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++) {
        value |= (uint64_t)view->at[i] << (8 * i);
    }
    view->at += bytes;
    return value;
}

tpi_mcap_view tpi_mcap_take_part(tpi_mcap_view *view, uint64_t length)
{
    tpi_mcap_view part = {.at = view->at, .end = view->at};

    if (length > tpi_mcap_left(view)) {
        view->failed = part.failed = true;
        view->at = view->end;
        return part;
    }
    view->at += length;
    part.end = view->at;
    return part;
}

tpi_mcap_view tpi_mcap_take_counted(tpi_mcap_view *view)
{
    return tpi_mcap_take_part(view, tpi_mcap_take(view, 4));
}
