/* number.c - the numbers in a value, whatever their type. */
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "padi/value.h"

bool tpi_type_is_real(tp_type type)
{
    return type == TP_TYPE_F32 || type == TP_TYPE_F64;
}

double tpi_number_get_real(tp_type type, const void *at)
{
    float narrow;
    double wide;

    if (type == TP_TYPE_F32) {
        memcpy(&narrow, at, sizeof narrow);
        return (double)narrow;
    }
    memcpy(&wide, at, sizeof wide);
    return wide;
}

int64_t tpi_number_get_whole(tp_type type, const void *at)
{
    union {
        uint16_t u16;
        int16_t i16;
        uint32_t u32;
        int32_t i32;
        int64_t i64;
    } n;

    switch (type) {
    case TP_TYPE_U8:
        return *(const uint8_t *)at;
    case TP_TYPE_I8:
    case TP_TYPE_CHAR:
        return *(const int8_t *)at;
    case TP_TYPE_U16:
        memcpy(&n.u16, at, 2);
        return n.u16;
    case TP_TYPE_I16:
        memcpy(&n.i16, at, 2);
        return n.i16;
    case TP_TYPE_U32:
        memcpy(&n.u32, at, 4);
        return n.u32;
    case TP_TYPE_I32:
        memcpy(&n.i32, at, 4);
        return n.i32;
    default:
        memcpy(&n.i64, at, 8);
        return n.i64;
    }
}

bool tpi_type_holds(tp_type type, int64_t value)
{
    static const struct {
        int64_t least;
        int64_t most;
    } ranges[] = {
        [TP_TYPE_U8] = {0, UINT8_MAX},
        [TP_TYPE_I8] = {INT8_MIN, INT8_MAX},
        [TP_TYPE_U16] = {0, UINT16_MAX},
        [TP_TYPE_I16] = {INT16_MIN, INT16_MAX},
        [TP_TYPE_U32] = {0, UINT32_MAX},
        [TP_TYPE_I32] = {INT32_MIN, INT32_MAX},
        [TP_TYPE_I64] = {INT64_MIN, INT64_MAX},
        [TP_TYPE_F32] = {0, 0},
        [TP_TYPE_F64] = {0, 0},
        [TP_TYPE_CHAR] = {INT8_MIN, INT8_MAX},
    };
    return value >= ranges[type].least && value <= ranges[type].most;
}

size_t tpi_number_width(tp_type type)
{
    static const size_t widths[] = {
        [TP_TYPE_U8] = 4,   [TP_TYPE_I8] = 5,   [TP_TYPE_U16] = 6,    [TP_TYPE_I16] = 7,
        [TP_TYPE_U32] = 11, [TP_TYPE_I32] = 12, [TP_TYPE_I64] = 21,   [TP_TYPE_F32] = 24,
        [TP_TYPE_F64] = 28, [TP_TYPE_CHAR] = 6, [TP_TYPE_STRUCT] = 0,
    };
    return widths[type];
}

static size_t put_real(char *out, tp_type type, const void *at, bool quote)
{
    const double value = tpi_number_get_real(type, at);
    size_t length = type == TP_TYPE_F32 ? tpi_number_put_f32(out, (float)value)
                                        : tpi_number_put_f64(out, value);
    const bool special = out[length - 1] == 'N' || out[length - 1] == 'y';

    if (special && quote) {
        memmove(out + 1, out, length);
        out[0] = out[length + 1] = '"';
        length += 2;
    }
    return length;
}

/* The types that come in thousands first. */
static size_t put_one(char *out, tp_type type, const void *at, bool quote)
{
    float narrow;

    if (type == TP_TYPE_F32) {
        memcpy(&narrow, at, sizeof narrow);
        const size_t length = tpi_number_fast_f32(out, narrow);
        return length > 0 ? length : put_real(out, type, at, quote);
    }
    return tpi_type_is_real(type) ? put_real(out, type, at, quote)
                                  : tpi_number_put_whole(out, tpi_number_get_whole(type, at));
}

void tpi_number_put(tpi_buf *out, tp_type type, const void *at, bool quote)
{
    char text[TPI_NUMBER_SIZE];

    tpi_buf_put(out, text, put_one(text, type, at, quote));
}

/* Each with a comma behind it; where the text ends. */
static char *put_some(char *out, tp_type type, const char *from, uint32_t count, size_t size)
{
    for (uint32_t i = 0; i < count; i++, from += size) {
        out += put_one(out, type, from, true);
        *out++ = ',';
    }
    return out;
}

void tpi_numbers_put(tpi_buf *out, tp_type type, const void *first, uint32_t count, size_t size)
{
    enum { PORTION = 64 };
    const size_t width = tpi_number_width(type);
    const char *from = first;

    for (uint32_t done = 0; done < count;) {
        const uint32_t portion = count - done < PORTION ? count - done : PORTION;
        char *const begin = tpi_buf_reserve(out, portion * width);
        char *at = begin;

        if (begin == NULL) {
            return;
        }
        if (type == TP_TYPE_U8) {
            at = tpi_number_put_bytes(at, (const uint8_t *)from, portion);
        } else {
            at = put_some(at, type, from, portion, size);
        }
        from += portion * size;
        done += portion;
        at -= done == count; /* no comma behind the last */
        *at = '\0';
        out->length += (size_t)(at - begin);
    }
}

bool tpi_chars_text(const char *chars, uint32_t count, uint32_t *length)
{
    while (count > 0 && chars[count - 1] == '\0') {
        count--;
    }
    *length = count;
    return memchr(chars == NULL ? "" : chars, '\0', count) == NULL && tpi_utf8_valid(chars, count);
}
