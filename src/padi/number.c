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

static void put_whole(tpi_buf *out, int64_t value)
{
    char text[24];
    size_t at = sizeof text;
    uint64_t rest = value < 0 ? (uint64_t)0 - (uint64_t)value : (uint64_t)value;

    do {
        text[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0) {
        text[--at] = '-';
    }
    tpi_buf_put(out, text + at, sizeof text - at);
}

void tpi_number_put(tpi_buf *out, tp_type type, const void *at, bool quote)
{
    char text[TPI_NUMBER_SIZE];
    size_t length;

    if (!tpi_type_is_real(type)) {
        put_whole(out, tpi_number_get_whole(type, at));
        return;
    }
    double value = tpi_number_get_real(type, at);
    length = type == TP_TYPE_F32 ? tpi_number_put_f32(text, (float)value)
                                 : tpi_number_put_f64(text, value);
    bool special = text[length - 1] == 'N' || text[length - 1] == 'y';
    if (special && quote) {
        tpi_buf_printf(out, "\"%s\"", text);
    } else {
        tpi_buf_put(out, text, length);
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
