/* package_put.c - writes bodies, walking the table of bodies; see package.h. */
#include <math.h>
#include <string.h>

#include "base/endian.h"
#include "motion/body.h"

/* The nearest integer; the largest or the smallest one for what is too large: a little more than
 * what is read as finite, as scaling rounds. */
static int64_t to_fixed(double value, double scale)
{
    const double scaled = round(value * scale), most = 0x1.001p62; /* half away from zero */

    if (scaled > most) {
        return INT64_MAX;
    }
    return scaled < -most ? INT64_MIN : (int64_t)scaled;
}

static bool put_body(uint8_t **to, const tpi_motion_body *body, const void *value);

static bool put_fixed(uint8_t *to, tpi_motion_type type, const char *from)
{
    double value;

    memcpy(&value, from, sizeof value);
    if (isnan(value)) {
        return false;
    }
    const int64_t fixed = to_fixed(value, tpi_motion_scale_of(type));
    tpi_store_be64(to, (uint64_t)fixed);
    return type == TPI_MOTION_LIMIT || (fixed != INT64_MAX && fixed != INT64_MIN);
}

static bool put_ratio(uint8_t *to, const char *from)
{
    double value;

    memcpy(&value, from, sizeof value);
    if (!(value >= 0 && value <= 1)) {
        return false;
    }
    tpi_store_be32(to, (uint32_t)to_fixed(value, 1e6));
    return true;
}

/* Write one of the values of a field. Returns false for a value that has no bytes. */
static bool put_value(uint8_t *to, tpi_motion_type type, const char *from)
{
    uint16_t half;
    uint32_t word;
    uint64_t pair;

    switch (type) {
    case TPI_MOTION_U16:
    case TPI_MOTION_COUNT:
        memcpy(&half, from, sizeof half);
        tpi_motion_store16(to, half);
        return true;
    case TPI_MOTION_U32:
        memcpy(&word, from, sizeof word);
        tpi_store_be32(to, word);
        return true;
    case TPI_MOTION_U64:
        memcpy(&pair, from, sizeof pair);
        tpi_store_be64(to, pair);
        return true;
    case TPI_MOTION_RATIO:
        return put_ratio(to, from);
    case TPI_MOTION_MICRO:
    case TPI_MOTION_LIMIT:
    case TPI_MOTION_NANO:
    case TPI_MOTION_PICO:
        return put_fixed(to, type, from);
    default:
        *to = (uint8_t)*from;
        return true;
    }
}

static bool put_parts(uint8_t **to, const tpi_motion_body *of, size_t count, const char *from)
{
    for (size_t i = 0; i < count; i++) {
        if (!put_body(to, of, from + i * of->struct_size)) {
            return false;
        }
    }
    return true;
}

static bool put_list(uint8_t **to, const tpi_motion_field *list, size_t count, const char *value)
{
    const char *items;

    memcpy(&items, value + list->offset, sizeof items);
    return put_parts(to, list->of, count, items);
}

static bool put_field(uint8_t **to, const tpi_motion_field *field, const char *value)
{
    const char *from = value + field->offset;
    const size_t size = tpi_motion_field_size(field) / field->count;

    if (field->type == TPI_MOTION_ZERO) {
        memset(*to, 0, field->count);
        *to += field->count;
        return true;
    }
    if (field->type == TPI_MOTION_CHARS) {
        const size_t length = strnlen(from, field->count);

        memset(*to, 0, field->count);
        memcpy(*to, from, length);
        *to += field->count;
        return true;
    }
    for (size_t i = 0; i < field->count; i++, *to += size) {
        if (!put_value(*to, field->type, from + i * tpi_motion_native_size(field->type))) {
            return false;
        }
    }
    return true;
}

static bool put_body(uint8_t **to, const tpi_motion_body *body, const void *value)
{
    const tpi_motion_field *count = NULL;

    for (const tpi_motion_field *field = body->fields; field->name != NULL; field++) {
        const char *from = (const char *)value + field->offset;
        bool put = true;

        if (field->type == TPI_MOTION_COUNT) {
            count = field;
        }
        if (field->type == TPI_MOTION_PART) {
            put = put_parts(to, field->of, field->count, from);
        } else if (field->type == TPI_MOTION_LIST) {
            put = put_list(to, field, tpi_motion_count_of(count, value), value);
        } else {
            put = put_field(to, field, value);
        }
        if (!put) {
            return false;
        }
    }
    return true;
}

size_t tpi_motion_record_put(uint8_t *out, size_t space, uint16_t code, uint32_t tag,
                             const void *value)
{
    const tpi_motion_body *body = tpi_motion_body_of(code);
    uint8_t *to = out + TPI_MOTION_RECORD;
    size_t size;

    if (body == NULL) {
        return 0;
    }
    size = tpi_motion_body_size(body, value);
    if ((size == 0 && tpi_motion_fixed_size(body) > 0) || space < TPI_MOTION_RECORD + size) {
        return 0;
    }
    tpi_motion_store16(out, code);
    tpi_motion_store16(out + 2, (uint16_t)size);
    tpi_store_be32(out + 4, tag);
    return put_body(&to, body, value) ? TPI_MOTION_RECORD + size : 0;
}

/* ---- Names ---- */

size_t tpi_motion_name_cut(const char *name, size_t most)
{
    size_t length = strlen(name);

    if (length > most) {
        length = most;
        while (length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80) {
            length--;
        }
    }
    return length;
}

void tpi_motion_name_put(char out[TPI_MOTION_NAME + 1], const char *name)
{
    const size_t length = tpi_motion_name_cut(name, TPI_MOTION_NAME);

    memcpy(out, name, length);
    memset(out + length, 0, TPI_MOTION_NAME + 1 - length);
}
