/* framing.c - frames out and in; see framing.h. */
#include "universal/framing.h"

#include <string.h>

/* ---- Out ---- */

/* Replace bytes from `from` on by their escapes. */
static bool put_escapes(const tpi_framing *framing, tpi_bytes *out, size_t from)
{
    uint8_t plain[1024];
    const size_t length = out->length - from;

    if (length > sizeof plain) {
        return false;
    }
    memcpy(plain, out->data + from, length);
    out->length = from;
    for (size_t i = 0; i < length; i++) {
        uint8_t pair[2] = {plain[i], 0};
        size_t count = 1;
        for (unsigned j = 0; j < framing->escape_count; j++) {
            if (framing->escapes[j][0] == plain[i]) {
                pair[0] = framing->escape;
                pair[1] = framing->escapes[j][1];
                count = 2;
            }
        }
        if (!tpi_bytes_put(out, pair, count)) {
            return false;
        }
    }
    return true;
}

/* The bytes behind the instruction, without padding. */
static size_t tail(const tpi_framing *framing)
{
    return framing->has_sequence + framing->checksum.width + framing->end.length;
}

static bool put_length(const tpi_framing *framing, size_t length, tpi_bytes *out)
{
    const double counted = (double)length + framing->length_adds;
    uint8_t bytes[4];

    if (framing->length.width == 0) {
        return true;
    }
    if (!(counted >= 0) || counted >= (double)((uint64_t)1 << (8 * framing->length.width))) {
        return false;
    }
    tpi_integer_put(bytes, (uint32_t)counted, framing->length.width, framing->length.is_little);
    return tpi_bytes_put(out, bytes, framing->length.width);
}

bool tpi_framing_put(const tpi_framing *framing, const uint8_t *body, size_t length,
                     uint8_t sequence, tpi_bytes *out)
{
    const size_t start = out->length;
    uint8_t sum[2];
    bool good = tpi_bytes_put(out, framing->start.bytes, framing->start.length);
    const size_t inner = out->length;

    good = good && put_length(framing, length, out) && tpi_bytes_put(out, body, length);
    while (good && framing->size > 0 && out->length - start + tail(framing) < framing->size) {
        good = tpi_bytes_put(out, &framing->pad, 1);
    }
    if (good && framing->size > 0 && out->length - start + tail(framing) > framing->size) {
        return false;
    }
    if (good && framing->has_sequence) {
        good = tpi_bytes_put(out, &sequence, 1);
    }
    if (good && framing->checksum.width > 0) {
        tpi_integer_put(
            sum,
            tpi_checksum_of(framing->checksum.checksum, out->data + start, out->length - start),
            framing->checksum.width, framing->checksum.is_little);
        good = tpi_bytes_put(out, sum, framing->checksum.width);
    }
    if (good && framing->has_escape) {
        good = put_escapes(framing, out, inner);
    }
    return good && tpi_bytes_put(out, framing->end.bytes, framing->end.length);
}

/* ---- In ---- */

static size_t find(const uint8_t *data, size_t length, const tpi_mark *mark)
{
    for (size_t i = 0; i + mark->length <= length; i++) {
        if (memcmp(data + i, mark->bytes, mark->length) == 0) {
            return i;
        }
    }
    return length;
}

/* How many bytes the frame has: its length field, its fixed size, or up to its end. 0: not yet
 * known; more than `length` is possible. */
static size_t whole_size(const tpi_framing *framing, const uint8_t *data, size_t length)
{
    const size_t head = framing->start.length + framing->length.width;

    if (framing->is_packet && framing->length.width == 0 && framing->in_size == 0) {
        return length;
    }
    if (framing->length.width > 0) {
        if (length < head) {
            return 0;
        }
        const double body = tpi_integer_get(data + framing->start.length, framing->length.width,
                                            framing->length.is_little) -
                            framing->length_adds;
        return head + (body > 0 ? (size_t)body : 0) + tail(framing);
    }
    if (framing->in_size > 0) {
        return framing->in_size;
    }
    const size_t end =
        framing->start.length < length
            ? find(data + framing->start.length, length - framing->start.length, &framing->end)
            : 0;
    return framing->start.length + end < length ? framing->start.length + end + framing->end.length
                                                : 0;
}

/* Resolve escapes in place; the new length. */
static size_t unescape(const tpi_framing *framing, uint8_t *data, size_t length)
{
    size_t out = 0;

    for (size_t i = 0; i < length; i++, out++) {
        data[out] = data[i];
        for (unsigned j = 0;
             data[i] == framing->escape && i + 1 < length && j < framing->escape_count; j++) {
            if (framing->escapes[j][1] == data[i + 1]) {
                data[out] = framing->escapes[j][0];
                i++;
                break;
            }
        }
    }
    return out;
}

/* Take head and tail off a whole frame; false if they are wrong. */
static bool strip(const tpi_framing *framing, uint8_t *data, size_t length, tpi_frame *out)
{
    const size_t head = framing->start.length + framing->length.width;
    uint8_t *inner = data + framing->start.length;
    size_t rest = length - framing->start.length - framing->end.length;

    if (length < head + tail(framing) ||
        memcmp(data + length - framing->end.length, framing->end.bytes, framing->end.length) != 0) {
        return false;
    }
    if (framing->has_escape) {
        rest = unescape(framing, inner, rest);
    }
    if (rest < (size_t)framing->length.width + framing->has_sequence + framing->checksum.width) {
        return false;
    }
    if (framing->checksum.width > 0) {
        rest -= framing->checksum.width;
        if (tpi_integer_get(inner + rest, framing->checksum.width, framing->checksum.is_little) !=
            tpi_checksum_of(framing->checksum.checksum, data, framing->start.length + rest)) {
            return false;
        }
    }
    if (framing->has_sequence) {
        out->sequence = inner[--rest];
    }
    out->body = inner + framing->length.width;
    out->length = rest - framing->length.width;
    return true;
}

tpi_framed tpi_framing_get(const tpi_framing *framing, uint8_t *data, size_t length, tpi_frame *out)
{
    const tpi_mark *start = &framing->start;
    const size_t there = length < start->length ? length : start->length;

    *out = (tpi_frame){0};
    if (length == 0) {
        return TPI_FRAME_MORE;
    }
    if (memcmp(data, start->bytes, there) != 0) {
        out->used = 1;
        return TPI_FRAME_NOISE;
    }
    const size_t size = whole_size(framing, data, length);
    if (size == 0 || size > length) {
        return TPI_FRAME_MORE;
    }
    if (!strip(framing, data, size, out)) {
        out->used = start->length > 0 ? 1 : size;
        return TPI_FRAME_NOISE;
    }
    out->used = size;
    return TPI_FRAME_FOUND;
}
