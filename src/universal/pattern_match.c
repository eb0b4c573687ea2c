/* pattern_match.c - comparing what arrives with a pattern; see pattern.h. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "universal/pattern.h"

/* The state of a comparison. */
struct matching {
    const uint8_t *data;
    size_t at, length;
    bool is_whole;
    const tpi_context *context;
    tpi_found *found;
};

/* Whether `count` more bytes are there: YES, MORE, or NO in a whole frame. */
static tpi_matched has(const struct matching *in, size_t count)
{
    return in->length - in->at >= count ? TPI_MATCH_YES
           : in->is_whole               ? TPI_MATCH_NO
                                        : TPI_MATCH_MORE;
}

static tpi_matched match_bytes(struct matching *in, const tpi_pattern_item *item)
{
    const size_t there = in->length - in->at < item->length ? in->length - in->at : item->length;

    if (memcmp(in->data + in->at, item->bytes, there) != 0) {
        return TPI_MATCH_NO;
    }
    const tpi_matched result = has(in, item->length);
    in->at += there;
    return result;
}

/* ---- Numbers ---- */

static double get_integer(const uint8_t *data, const tpi_format *format)
{
    const uint32_t bits = tpi_integer_get(data, format->width, format->is_little);
    const double all = ldexp(1, 8 * format->width);

    if (format->kind == TPI_FORMAT_SIGN_MAGNITUDE) {
        return bits >= all / 2 ? -(bits - all / 2) : bits;
    }
    return format->is_signed && bits >= all / 2 ? bits - all : bits;
}

static double get_float(const uint8_t *data, const tpi_format *format)
{
    uint64_t bits = 0;
    double value;
    float single;

    for (unsigned i = 0; i < format->width; i++) {
        bits |= (uint64_t)data[format->is_little ? i : format->width - 1u - i] << (8 * i);
    }
    if (format->width == 4) {
        const uint32_t half = (uint32_t)bits;
        memcpy(&single, &half, sizeof single);
        return (double)single;
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double get_sevens(const uint8_t *data, unsigned groups)
{
    uint64_t bits = 0;

    for (unsigned i = 0; i < groups; i++) {
        bits |= (uint64_t)(data[i] & 0x7F) << (7 * i);
    }
    return (double)bits;
}

/* Digits with a sign and a point; false if there is none or more than one point. */
static bool read_digits(const char *text, bool is_hex, double *out)
{
    const double sign = *text == '-' ? -1 : 1, base = is_hex ? 16 : 10;
    double value = 0, unit = 0;
    bool any = false;

    for (text += *text == '-' || *text == '+'; *text != '\0'; text++) {
        const int c = tolower((unsigned char)*text);
        if (c == '.') {
            if (unit > 0) {
                return false;
            }
            unit = 1;
            continue;
        }
        any = true;
        unit /= base;
        value = value * base + (isdigit(c) ? c - '0' : c - 'a' + 10);
    }
    *out = sign * value * (unit > 0 ? unit : 1);
    return any;
}

/* A number as text. In a stream it ends only where another character stands. */
static tpi_matched match_digits(struct matching *in, const tpi_pattern_item *item, double *out)
{
    const bool is_hex = item->format.kind == TPI_FORMAT_HEX;
    const unsigned width = item->format.kind == TPI_FORMAT_REAL ? 0 : item->format.width;
    char text[32];
    size_t length = 0;

    while (width == 0 && in->at < in->length && in->data[in->at] == ' ') {
        in->at++;
    }
    while (in->at < in->length && length + 1 < sizeof text && (width == 0 || length < width)) {
        const char c = (char)in->data[in->at];
        if (!(is_hex ? isxdigit((unsigned char)c) != 0
                     : isdigit((unsigned char)c) || c == '.' || (length == 0 && strchr("+-", c)))) {
            break;
        }
        text[length++] = c;
        in->at++;
    }
    if (in->at == in->length && !in->is_whole && (width == 0 || length < width)) {
        return TPI_MATCH_MORE;
    }
    text[length] = '\0';
    return length > 0 && (width == 0 || length == width) && read_digits(text, is_hex, out)
               ? TPI_MATCH_YES
               : TPI_MATCH_NO;
}

static tpi_matched match_number(struct matching *in, const tpi_pattern_item *item, double *out)
{
    const tpi_format *format = &item->format;

    if (format->kind == TPI_FORMAT_DECIMAL || format->kind == TPI_FORMAT_HEX ||
        format->kind == TPI_FORMAT_REAL) {
        return match_digits(in, item, out);
    }
    const tpi_matched result = has(in, format->width);
    if (result != TPI_MATCH_YES) {
        return result;
    }
    const uint8_t *data = in->data + in->at;
    *out = format->kind == TPI_FORMAT_FLOAT   ? get_float(data, format)
           : format->kind == TPI_FORMAT_SEVEN ? get_sevens(data, format->width)
                                              : get_integer(data, format);
    in->at += format->width;
    return isfinite(*out) ? TPI_MATCH_YES : TPI_MATCH_NO;
}

static tpi_matched check_number(struct matching *in, const tpi_pattern_item *item, double value)
{
    if (item->has_bounds && !(value >= item->low && value <= item->high)) {
        return TPI_MATCH_NO;
    }
    for (unsigned i = 0; i < item->allowed_count; i++) {
        if (item->allowed[i] == value) {
            return TPI_MATCH_YES;
        }
    }
    in->found->code = value;
    return item->allowed_count > 0 ? TPI_MATCH_REFUSED : TPI_MATCH_YES;
}

/* ---- Texts ---- */

/* Where a text without a length ends: before the next item's bytes, or with the frame. */
static tpi_matched find_end(const struct matching *in, const tpi_pattern_item *item,
                            const tpi_pattern_item *next, size_t *length)
{
    const size_t there = in->length - in->at;
    static const uint8_t nul[1] = {0};
    const uint8_t *bytes = item->format.kind == TPI_FORMAT_TEXT_NUL ? nul
                           : next != NULL                           ? next->bytes
                                                                    : NULL;
    const size_t wanted = bytes == nul ? 1 : next != NULL ? next->length : 0;

    if (bytes == NULL) {
        *length = there;
        return TPI_MATCH_YES;
    }
    for (size_t i = 0; i + wanted <= there; i++) {
        if (memcmp(in->data + in->at + i, bytes, wanted) == 0) {
            *length = i;
            return TPI_MATCH_YES;
        }
    }
    return in->is_whole ? TPI_MATCH_NO : TPI_MATCH_MORE;
}

static tpi_matched text_length(const struct matching *in, const tpi_pattern_item *item,
                               const tpi_pattern_item *next, size_t *length)
{
    double number;

    if (item->value.ops != NULL) {
        if (!tpi_expression_number(&item->value, in->context, &number) || !(number >= 0) ||
            number > 1e7) {
            return TPI_MATCH_NO;
        }
        *length = (size_t)number;
        return has(in, *length);
    }
    if (item->format.width > 0) {
        *length = item->format.width;
        return has(in, *length);
    }
    return find_end(in, item, next, length);
}

/* Pairs of 7-bit groups become bytes; the data is turned in place, since nobody reads it again. */
static uint32_t join_sevens(uint8_t *data, size_t length)
{
    for (size_t i = 0; i + 1 < length; i += 2) {
        data[i / 2] = (uint8_t)(data[i] | data[i + 1] << 7);
    }
    return (uint32_t)(length / 2);
}

static tpi_matched match_text(struct matching *in, const tpi_pattern_item *item,
                              const tpi_pattern_item *next)
{
    size_t length = 0;
    const tpi_matched result = text_length(in, item, next, &length);

    if (result != TPI_MATCH_YES) {
        return result;
    }
    if (item->local >= 0) {
        tpi_value *local = &in->context->locals[item->local];
        *local = (tpi_value){.text = (const char *)in->data + in->at, .length = (uint32_t)length};
    }
    in->at += length + (item->format.kind == TPI_FORMAT_TEXT_NUL ? 1 : 0);
    return TPI_MATCH_YES;
}

/* ---- Patterns ---- */

static tpi_matched match_checksum(struct matching *in, const tpi_pattern_item *item)
{
    const tpi_matched result = has(in, item->format.width);

    if (result != TPI_MATCH_YES) {
        return result;
    }
    const unsigned wanted = tpi_checksum_of(item->format.checksum, in->data, in->at);
    const unsigned there =
        tpi_integer_get(in->data + in->at, item->format.width, item->format.is_little);
    in->at += item->format.width;
    return wanted == there ? TPI_MATCH_YES : TPI_MATCH_NO;
}

static tpi_matched match_field(struct matching *in, const tpi_pattern_item *item,
                               const tpi_pattern_item *next)
{
    double number = 0;

    if (item->format.kind == TPI_FORMAT_CHECKSUM) {
        return match_checksum(in, item);
    }
    if (item->format.kind == TPI_FORMAT_TEXT || item->format.kind == TPI_FORMAT_TEXT_NUL ||
        item->format.kind == TPI_FORMAT_TEXT_SEVEN) {
        return match_text(in, item, next);
    }
    const tpi_matched result = match_number(in, item, &number);
    if (result == TPI_MATCH_YES && item->local >= 0) {
        in->context->locals[item->local] = (tpi_value){.number = number};
    }
    return result == TPI_MATCH_YES ? check_number(in, item, number) : result;
}

static tpi_matched match_item(struct matching *in, const tpi_pattern_item *item,
                              const tpi_pattern_item *next)
{
    tpi_matched result;
    size_t length;

    switch (item->kind) {
    case TPI_ITEM_BYTES:
        return match_bytes(in, item);
    case TPI_ITEM_FIELD:
        return match_field(in, item, next);
    case TPI_ITEM_BLANKS:
        while (in->at < in->length && (in->data[in->at] == ' ' || in->data[in->at] == '\t')) {
            in->at++;
        }
        return TPI_MATCH_YES;
    case TPI_ITEM_ANY:
        result = has(in, 1);
        in->at += result == TPI_MATCH_YES;
        return result;
    default:
        result = find_end(in, item, next, &length);
        in->at += result == TPI_MATCH_YES ? length : 0;
        return result;
    }
}

/* Texts of 7-bit pairs are joined once the whole pattern has fitted. */
static void finish_texts(const tpi_pattern *pattern, const tpi_context *context, uint8_t *data)
{
    for (unsigned i = 0; i < pattern->count; i++) {
        const tpi_pattern_item *item = &pattern->items[i];
        if (item->kind == TPI_ITEM_FIELD && item->format.kind == TPI_FORMAT_TEXT_SEVEN &&
            item->local >= 0) {
            tpi_value *local = &context->locals[item->local];
            const size_t at = (size_t)((const uint8_t *)local->text - data);
            local->length = join_sevens(data + at, local->length);
        }
    }
}

tpi_matched tpi_pattern_match(const tpi_pattern *pattern, uint8_t *data, size_t length,
                              bool is_whole, const tpi_context *context, tpi_found *found)
{
    struct matching in = {
        .data = data, .length = length, .is_whole = is_whole, .context = context, .found = found};

    for (unsigned i = 0; i < pattern->count; i++) {
        const tpi_pattern_item *next = i + 1 < pattern->count ? &pattern->items[i + 1] : NULL;
        const tpi_matched result = match_item(
            &in, &pattern->items[i], next != NULL && next->kind == TPI_ITEM_BYTES ? next : NULL);
        found->used = result == TPI_MATCH_REFUSED && is_whole ? length : in.at;
        if (result != TPI_MATCH_YES) {
            return result;
        }
    }
    if (is_whole && in.at != length) {
        return TPI_MATCH_NO;
    }
    finish_texts(pattern, context, data);
    return TPI_MATCH_YES;
}
