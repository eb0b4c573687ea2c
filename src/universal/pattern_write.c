/* pattern_write.c - bytes of a template; checksums; integers; see pattern.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "universal/pattern.h"

bool tpi_bytes_put(tpi_bytes *out, const void *data, size_t length)
{
    if (length > out->capacity - out->length) {
        return false;
    }
    memcpy(out->data + out->length, data, length);
    out->length += length;
    return true;
}

void tpi_integer_put(uint8_t *out, uint32_t value, unsigned width, bool is_little)
{
    for (unsigned i = 0; i < width; i++) {
        out[is_little ? i : width - 1 - i] = (uint8_t)(value >> (8 * i));
    }
}

uint32_t tpi_integer_get(const uint8_t *data, unsigned width, bool is_little)
{
    uint32_t value = 0;

    for (unsigned i = 0; i < width; i++) {
        value |= (uint32_t)data[is_little ? i : width - 1 - i] << (8 * i);
    }
    return value;
}

/* ---- Checksums ---- */

static unsigned crc8(const uint8_t *data, size_t length)
{
    unsigned crc = 0;

    for (size_t i = 0; i < length; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc & 0x80) != 0 ? (crc << 1 ^ 0x07) & 0xFF : crc << 1;
        }
    }
    return crc & 0xFF;
}

static unsigned crc16(const uint8_t *data, size_t length)
{
    unsigned crc = 0;

    for (size_t i = 0; i < length; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc & 1) != 0 ? crc >> 1 ^ 0xA001 : crc >> 1;
        }
    }
    return crc;
}

unsigned tpi_checksum_of(tpi_checksum kind, const uint8_t *data, size_t length)
{
    unsigned sum = 0, xored = 0;

    if (kind == TPI_CHECKSUM_CRC8) {
        return crc8(data, length);
    }
    if (kind == TPI_CHECKSUM_CRC16) {
        return crc16(data, length);
    }
    for (size_t i = 0; i < length; i++) {
        sum += data[i];
        xored ^= data[i];
    }
    switch (kind) {
    case TPI_CHECKSUM_ZERO:
        return (0u - sum) & 0xFF;
    case TPI_CHECKSUM_INVERSE:
        return ~sum & 0xFF;
    case TPI_CHECKSUM_XOR:
        return xored;
    default:
        return sum & 0xFF;
    }
}

/* ---- Numbers ---- */

/* Round and clamp; true if it had to be clamped. */
static bool fit(double *value, double low, double high)
{
    const double rounded = round(*value);

    *value = rounded < low ? low : rounded > high ? high : rounded;
    return *value != rounded;
}

static tpi_written put_integer(tpi_bytes *out, const tpi_format *format, double value)
{
    const double all = ldexp(1, 8 * format->width);
    const bool clamped =
        format->is_signed ? fit(&value, -all / 2, all / 2 - 1) : fit(&value, 0, all - 1);
    uint8_t bytes[4];

    tpi_integer_put(bytes, (uint32_t)(int64_t)value, format->width, format->is_little);
    return !tpi_bytes_put(out, bytes, format->width) ? TPI_WRITTEN_TOO_LONG
           : clamped                                 ? TPI_WRITTEN_CLAMPED
                                                     : TPI_WRITTEN;
}

static tpi_written put_magnitude(tpi_bytes *out, const tpi_format *format, double value)
{
    const uint32_t sign = (uint32_t)1 << (8 * format->width - 1);
    const bool clamped = fit(&value, 1.0 - sign, sign - 1.0);
    uint8_t bytes[4];

    tpi_integer_put(bytes, value < 0 ? sign | (uint32_t)-value : (uint32_t)value, format->width,
                    format->is_little);
    return !tpi_bytes_put(out, bytes, format->width) ? TPI_WRITTEN_TOO_LONG
           : clamped                                 ? TPI_WRITTEN_CLAMPED
                                                     : TPI_WRITTEN;
}

static tpi_written put_float(tpi_bytes *out, const tpi_format *format, double value)
{
    const float single = (float)value;
    uint8_t bytes[8];
    uint64_t bits = 0;
    uint32_t half;

    if (format->width == 4) {
        memcpy(&half, &single, sizeof half);
        bits = half;
    } else {
        memcpy(&bits, &value, sizeof bits);
    }
    for (unsigned i = 0; i < format->width; i++) {
        bytes[format->is_little ? i : format->width - 1u - i] = (uint8_t)(bits >> (8 * i));
    }
    return tpi_bytes_put(out, bytes, format->width) ? TPI_WRITTEN : TPI_WRITTEN_TOO_LONG;
}

static tpi_written put_sevens(tpi_bytes *out, const tpi_format *format, double value)
{
    const bool clamped = fit(&value, 0, ldexp(1, 7 * format->width) - 1);
    uint64_t bits = (uint64_t)value;

    for (unsigned i = 0; i < format->width; i++, bits >>= 7) {
        const uint8_t byte = (uint8_t)(bits & 0x7F);
        if (!tpi_bytes_put(out, &byte, 1)) {
            return TPI_WRITTEN_TOO_LONG;
        }
    }
    return clamped ? TPI_WRITTEN_CLAMPED : TPI_WRITTEN;
}

static tpi_written put_digits(tpi_bytes *out, const tpi_format *format, double value)
{
    const bool is_hex = format->kind == TPI_FORMAT_HEX;
    const double most = format->width == 0 ? 1e15 : pow(is_hex ? 16 : 10, format->width) - 1;
    bool clamped = false;
    char text[64];
    int length;

    if (format->kind == TPI_FORMAT_REAL) {
        const double unit = pow(10, format->width);
        clamped = !(fabs(value) < 1e9);
        value = round(fabs(clamped ? 1e9 : value) * unit) * (value < 0 ? -1 : 1);
        const long long whole = (long long)(fabs(value) / unit);
        length = snprintf(text, sizeof text, "%s%lld.%0*lld", value < 0 ? "-" : "", whole,
                          format->width, (long long)(fabs(value) - (double)whole * unit));
    } else {
        clamped = fit(&value, format->width == 0 ? -most : 0, most);
        length = is_hex ? snprintf(text, sizeof text, "%0*X", format->width, (unsigned)value)
                        : snprintf(text, sizeof text, "%0*lld", format->width, (long long)value);
    }
    return !tpi_bytes_put(out, text, (size_t)length) ? TPI_WRITTEN_TOO_LONG
           : clamped                                 ? TPI_WRITTEN_CLAMPED
                                                     : TPI_WRITTEN;
}

static tpi_written put_number(tpi_bytes *out, const tpi_format *format, double value)
{
    switch (format->kind) {
    case TPI_FORMAT_INTEGER:
        return put_integer(out, format, value);
    case TPI_FORMAT_SIGN_MAGNITUDE:
        return put_magnitude(out, format, value);
    case TPI_FORMAT_FLOAT:
        return put_float(out, format, value);
    case TPI_FORMAT_SEVEN:
        return put_sevens(out, format, value);
    default:
        return put_digits(out, format, value);
    }
}

/* ---- Texts ---- */

/* As it stands between quotes in Python, C and their like: nothing in it ends the text. */
static tpi_written put_quoted(tpi_bytes *out, tpi_value value)
{
    bool written = true;

    for (uint32_t i = 0; i < value.length && written; i++) {
        const uint8_t byte = (uint8_t)value.text[i];
        const bool is_plain = byte >= ' ' && byte < 0x7F && strchr("\"'\\", byte) == NULL;
        char escaped[5];
        (void)snprintf(escaped, sizeof escaped, "\\x%02x", byte);
        written = is_plain ? tpi_bytes_put(out, &byte, 1) : tpi_bytes_put(out, escaped, 4);
    }
    return written ? TPI_WRITTEN : TPI_WRITTEN_TOO_LONG;
}

static tpi_written put_text(tpi_bytes *out, const tpi_format *format, tpi_value value)
{
    const uint8_t nul = 0;
    bool written = true;

    if (format->kind == TPI_FORMAT_TEXT_QUOTED) {
        return put_quoted(out, value);
    }
    if (format->kind == TPI_FORMAT_TEXT_SEVEN) {
        for (uint32_t i = 0; i < value.length && written; i++) {
            const uint8_t pair[2] = {(uint8_t)value.text[i] & 0x7F, (uint8_t)value.text[i] >> 7};
            written = tpi_bytes_put(out, pair, 2);
        }
        return written ? TPI_WRITTEN : TPI_WRITTEN_TOO_LONG;
    }
    if (format->width > 0 && value.length > format->width) {
        return TPI_WRITTEN_TOO_LONG;
    }
    written = tpi_bytes_put(out, value.text, value.length);
    for (uint32_t i = value.length; i < format->width && written; i++) {
        written = tpi_bytes_put(out, &nul, 1);
    }
    if (format->kind == TPI_FORMAT_TEXT_NUL) {
        written = written && tpi_bytes_put(out, &nul, 1);
    }
    return written ? TPI_WRITTEN : TPI_WRITTEN_TOO_LONG;
}

/* ---- Templates ---- */

static tpi_written put_checksum(tpi_bytes *out, const tpi_format *format, size_t start)
{
    uint8_t bytes[2];

    tpi_integer_put(bytes,
                    tpi_checksum_of(format->checksum, out->data + start, out->length - start),
                    format->width, format->is_little);
    return tpi_bytes_put(out, bytes, format->width) ? TPI_WRITTEN : TPI_WRITTEN_TOO_LONG;
}

static tpi_written put_item(const tpi_pattern_item *item, const tpi_context *context,
                            tpi_bytes *out, size_t start)
{
    double number;

    if (item->kind == TPI_ITEM_BYTES) {
        return tpi_bytes_put(out, item->bytes, item->length) ? TPI_WRITTEN : TPI_WRITTEN_TOO_LONG;
    }
    if (item->format.kind == TPI_FORMAT_CHECKSUM) {
        return put_checksum(out, &item->format, start);
    }
    if (item->value.is_text) {
        return put_text(out, &item->format, tpi_expression_text(&item->value, context));
    }
    if (!tpi_expression_number(&item->value, context, &number)) {
        return TPI_WRITTEN_NO_VALUE;
    }
    return put_number(out, &item->format, number);
}

tpi_written tpi_pattern_write(const tpi_pattern *pattern, const tpi_context *context,
                              tpi_bytes *out)
{
    const size_t start = out->length;
    tpi_written result = TPI_WRITTEN;

    for (unsigned i = 0; i < pattern->count; i++) {
        const tpi_written written = put_item(&pattern->items[i], context, out, start);
        if (written > TPI_WRITTEN_CLAMPED) {
            return written;
        }
        result = written != TPI_WRITTEN ? written : result;
    }
    return result;
}

/* ---- Samples ---- */

/* A number that the field accepts. */
static double sample_number(const tpi_pattern_item *item)
{
    return item->allowed_count > 0 ? item->allowed[0]
           : item->has_bounds      ? item->low
           : item->local >= 0      ? 1
                                   : 0;
}

static bool sample_text(const tpi_format *format, tpi_bytes *out)
{
    const uint8_t nul = 0;
    bool good = format->kind != TPI_FORMAT_TEXT_NUL || tpi_bytes_put(out, &nul, 1);

    for (unsigned i = 0; i < format->width && good; i++) {
        good = tpi_bytes_put(out, &nul, 1);
    }
    return good;
}

bool tpi_pattern_sample(const tpi_pattern *pattern, tpi_bytes *out)
{
    const size_t start = out->length;
    const uint8_t nul = 0;
    bool good = true;

    for (unsigned i = 0; i < pattern->count && good; i++) {
        const tpi_pattern_item *item = &pattern->items[i];
        if (item->kind == TPI_ITEM_BYTES) {
            good = tpi_bytes_put(out, item->bytes, item->length);
        } else if (item->kind == TPI_ITEM_ANY) {
            good = tpi_bytes_put(out, &nul, 1);
        } else if (item->kind == TPI_ITEM_FIELD && item->format.kind == TPI_FORMAT_CHECKSUM) {
            good = put_checksum(out, &item->format, start) == TPI_WRITTEN;
        } else if (item->kind == TPI_ITEM_FIELD && item->format.kind >= TPI_FORMAT_TEXT) {
            good = item->value.ops != NULL ? tpi_bytes_put(out, &nul, 1)
                                           : sample_text(&item->format, out);
        } else if (item->kind == TPI_ITEM_FIELD) {
            good = put_number(out, &item->format, sample_number(item)) <= TPI_WRITTEN_CLAMPED;
        }
    }
    return good;
}
