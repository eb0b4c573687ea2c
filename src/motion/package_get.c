/* package_get.c - reads bodies, walking the table of bodies; see package.h. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/endian.h"
#include "base/text.h"
#include "motion/body.h"

/* Beyond 2^62 in both directions is infinite, so that every finite value can be written again. */
static double from_fixed(int64_t value, double scale)
{
    const int64_t most = (int64_t)1 << 62;

    if (value > most || value < -most) {
        return value > 0 ? INFINITY : -INFINITY;
    }
    return (double)value / scale;
}

/* Where a body is read from, and where its lists go. */
struct reader {
    const uint8_t *at, *end;
    char *scratch;
    size_t space;
    bool discards; /* the elements of a list are read into the same place */
};

static tp_status get_body(struct reader *in, const tpi_motion_body *body, char *value,
                          tp_error *err);

/* Returns false for a value that must be finite and is not. */
static bool get_fixed(const uint8_t *from, tpi_motion_type type, char *to)
{
    const double value = from_fixed((int64_t)tpi_load_be64(from), tpi_motion_scale_of(type));

    memcpy(to, &value, sizeof value);
    return type == TPI_MOTION_LIMIT || !isinf(value);
}

/* Read one of the values of a field. Returns false if it is not valid. */
static bool get_value(const uint8_t *from, tpi_motion_type type, char *to)
{
    const uint16_t half = type == TPI_MOTION_U8 ? 0 : tpi_motion_load16(from);
    uint32_t word;
    uint64_t pair;

    switch (type) {
    case TPI_MOTION_U16:
    case TPI_MOTION_COUNT:
        memcpy(to, &half, sizeof half);
        return true;
    case TPI_MOTION_U32:
        word = tpi_load_be32(from);
        memcpy(to, &word, sizeof word);
        return true;
    case TPI_MOTION_U64:
        pair = tpi_load_be64(from);
        memcpy(to, &pair, sizeof pair);
        return true;
    case TPI_MOTION_MICRO:
    case TPI_MOTION_LIMIT:
    case TPI_MOTION_NANO:
    case TPI_MOTION_PICO:
        return get_fixed(from, type, to);
    default:
        memcpy(to, from, 1);
        return true;
    }
}

static tp_status get_ratio(const tpi_motion_field *field, const uint8_t *from, char *to,
                           tp_error *err)
{
    const uint32_t word = tpi_load_be32(from);
    const double value = word / 1e6;

    if (word > 1000000) {
        return tp_fail(err, TP_E_INVALID, "%s is over 1", field->name);
    }
    memcpy(to, &value, sizeof value);
    return TP_OK;
}

static tp_status get_zero(const tpi_motion_field *field, const uint8_t *from, tp_error *err)
{
    for (size_t i = 0; i < field->count; i++) {
        if (from[i] != 0) {
            return tp_fail(err, TP_E_INVALID, "a reserved byte is not zero");
        }
    }
    return TP_OK;
}

static tp_status get_chars(const tpi_motion_field *field, const uint8_t *from, char *to,
                           tp_error *err)
{
    const size_t length = strnlen((const char *)from, field->count);

    for (size_t i = length; i < field->count; i++) {
        if (from[i] != 0) {
            return tp_fail(err, TP_E_INVALID, "%s has bytes after its end", field->name);
        }
    }
    if (!tpi_utf8_valid((const char *)from, length)) {
        return tp_fail(err, TP_E_INVALID, "%s is no text in UTF-8", field->name);
    }
    memcpy(to, from, length);
    to[length] = 0;
    return TP_OK;
}

static tp_status get_field(struct reader *in, const tpi_motion_field *field, char *value,
                           tp_error *err)
{
    const size_t size = tpi_motion_field_size(field);
    const uint8_t *from = in->at;
    char *to = value + field->offset;

    if ((size_t)(in->end - in->at) < size) {
        return tp_fail(err, TP_E_INVALID, "the body ends before %s", field->name);
    }
    in->at += size;
    switch (field->type) {
    case TPI_MOTION_ZERO:
        return get_zero(field, from, err);
    case TPI_MOTION_CHARS:
        return get_chars(field, from, to, err);
    case TPI_MOTION_RATIO:
        return get_ratio(field, from, to, err);
    default:
        break;
    }
    for (size_t i = 0; i < field->count; i++) {
        if (!get_value(from + i * (size / field->count), field->type,
                       to + i * tpi_motion_native_size(field->type))) {
            return tp_fail(err, TP_E_INVALID, "%s is out of range", field->name);
        }
    }
    return TP_OK;
}

static tp_status get_parts(struct reader *in, const tpi_motion_body *of, size_t count, char *to,
                           size_t step, tp_error *err)
{
    tp_status status = TP_OK;

    for (size_t i = 0; i < count && status == TP_OK; i++) {
        status = get_body(in, of, to + i * step, err);
    }
    return status;
}

static tp_status get_list(struct reader *in, const tpi_motion_field *list, size_t count,
                          char *value, tp_error *err)
{
    const size_t step = in->discards ? 0 : list->of->struct_size;
    const size_t need = (count * step + 7) & ~(size_t)7;
    char *items = in->scratch;

    if ((size_t)(in->end - in->at) != count * tpi_motion_fixed_size(list->of)) {
        return tp_fail(err, TP_E_INVALID, "the body does not have the length of %zu %s", count,
                       list->name);
    }
    if (need > in->space) {
        return tp_fail(err, TP_E_SPACE, "%zu %s are too many", count, list->name);
    }
    memcpy(value + list->offset, &items, sizeof items);
    in->scratch += need;
    in->space -= need;
    return get_parts(in, list->of, count, items, step, err);
}

static tp_status get_body(struct reader *in, const tpi_motion_body *body, char *value,
                          tp_error *err)
{
    const tpi_motion_field *count = NULL;
    tp_status status = TP_OK;

    for (const tpi_motion_field *field = body->fields; field->name != NULL && status == TP_OK;
         field++) {
        if (field->type == TPI_MOTION_COUNT) {
            count = field;
        }
        if (field->type == TPI_MOTION_PART) {
            status = get_parts(in, field->of, field->count, value + field->offset,
                               field->of->struct_size, err);
        } else if (field->type == TPI_MOTION_LIST) {
            status = get_list(in, field, tpi_motion_count_of(count, value), value, err);
        } else {
            status = get_field(in, field, value, err);
        }
    }
    return status;
}

static tp_status get_whole(struct reader *in, const tpi_motion_body *body, void *value,
                           tp_error *err)
{
    tp_status status = get_body(in, body, value, err);

    if (status == TP_OK && in->at != in->end) {
        status = tp_fail(err, TP_E_INVALID, "the body is %zu bytes too long",
                         (size_t)(in->end - in->at));
    }
    return status == TP_OK ? TP_OK : tp_wrap(err, status, body->name);
}

tp_status tpi_motion_body_get(const tpi_motion_body *body, const uint8_t *bytes, size_t size,
                              void *value, void *scratch, size_t space, tp_error *err)
{
    struct reader in = {.at = bytes, .end = bytes + size, .scratch = scratch, .space = space};

    return get_whole(&in, body, value, err);
}

tp_status tpi_motion_body_check(const tpi_motion_body *body, const uint8_t *bytes, size_t size,
                                tp_error *err)
{
    tpi_motion_joint value, element; /* no struct of the table is larger */
    struct reader in = {
        .at = bytes, .end = bytes + size, .scratch = (char *)&element, .discards = true};

    assert(body->struct_size <= sizeof value);
    return get_whole(&in, body, &value, err);
}
