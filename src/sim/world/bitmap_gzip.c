/* bitmap_gzip.c - pictures that are packed with gzip, as Player and Stage ship some of theirs. */
#include <zlib.h>

#include "sim/world/bitmap.h"

enum { CHUNK = 1 << 16, WITH_GZIP_HEAD = 16 + 15 };

bool tpi_sim_is_gzip(const void *bytes, size_t length)
{
    const unsigned char *at = bytes;

    return length > 2 && at[0] == 0x1f && at[1] == 0x8b;
}

static tp_status unpack_all(tpi_buf *out, z_stream *stream, size_t most, tp_error *err)
{
    unsigned char chunk[CHUNK];
    int result;

    do {
        stream->next_out = chunk;
        stream->avail_out = sizeof chunk;
        result = inflate(stream, Z_NO_FLUSH);
        if (result != Z_OK && result != Z_STREAM_END) {
            return tp_fail(err, TP_E_SYNTAX, "the packed picture is damaged or cut off");
        }
        tpi_buf_put(out, chunk, sizeof chunk - stream->avail_out);
        if (out->length > most) {
            return tp_fail(err, TP_E_LIMIT, "the packed picture has more than %zu bytes", most);
        }
    } while (result != Z_STREAM_END);
    return out->failed ? tp_fail(err, TP_E_NOMEM, "out of memory") : TP_OK;
}

tp_status tpi_sim_gzip_unpack(tpi_buf *out, const void *bytes, size_t length, size_t most,
                              tp_error *err)
{
    /* It reads only; whether its type says so depends on how zlib was made. */
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)length};

    if (length > UINT32_MAX || inflateInit2(&stream, WITH_GZIP_HEAD) != Z_OK) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    const tp_status status = unpack_all(out, &stream, most, err);
    (void)inflateEnd(&stream);
    return status;
}
