/*
 * package.c - reading and writing packages by the table of bodies.
 */
#include "motion/package.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/endian.h"

/* ---- Integers ---- */

static uint16_t load16(const uint8_t *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

static void store16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

/* The largest and the smallest integer stand for a limit that does not exist. */
static int64_t to_fixed(double value, double scale)
{
    const double scaled = round(value * scale); /* half away from zero */

    if (scaled >= 0x1p63) {
        return INT64_MAX;
    }
    return scaled < -0x1p63 ? INT64_MIN : (int64_t)scaled;
}

static double from_fixed(int64_t value, double scale)
{
    if (value == INT64_MAX || value == INT64_MIN) {
        return value > 0 ? INFINITY : -INFINITY;
    }
    return (double)value / scale;
}

static double scale_of(tpi_motion_type type)
{
    switch (type) {
    case TPI_MOTION_NANO:
        return 1e9;
    case TPI_MOTION_PICO:
        return 1e12;
    default:
        return 1e6;
    }
}

/* ---- Headers ---- */

void tpi_motion_header_put(uint8_t out[TPI_MOTION_HEADER], const tpi_motion_header *header)
{
    memset(out, 0, TPI_MOTION_HEADER);
    memcpy(out, "RT", 2);
    out[2] = TPI_MOTION_VERSION;
    out[3] = header->flags;
    out[4] = header->kind;
    out[5] = header->mode;
    store16(out + 6, header->records);
    tpi_store_be32(out + 8, header->id);
    tpi_store_be32(out + 12, header->size);
    tpi_store_be64(out + 16, header->time_us);
    tpi_store_be32(out + 24, header->sequence);
}

bool tpi_motion_is_panic(const uint8_t bytes[TPI_MOTION_HEADER])
{
    return bytes[0] == 'R' && bytes[1] == 'T' && (bytes[3] & TPI_MOTION_PANIC) != 0;
}

static bool is_mode(const tpi_motion_header *header)
{
    switch (header->mode) {
    case TPI_MOTION_DIRECT:
    case TPI_MOTION_SESSIONS_OWN:
        return true;
    case TPI_MOTION_DELAY:
    case TPI_MOTION_PLAYBACK:
    case TPI_MOTION_ADAPTIVE:
        return header->kind == TPI_MOTION_COMMAND || header->kind == TPI_MOTION_REPLY;
    case TPI_MOTION_BROADCAST:
        return header->kind == TPI_MOTION_QUERY || header->kind == TPI_MOTION_REPLY;
    default:
        return false;
    }
}

static tp_status check_header(const tpi_motion_header *header, const uint8_t *bytes, tp_error *err)
{
    if (bytes[2] != TPI_MOTION_VERSION) {
        return tp_fail(err, TP_E_INVALID, "version %u is not %u", bytes[2], TPI_MOTION_VERSION);
    }
    if ((header->flags & ~TPI_MOTION_FLAGS) != 0) {
        return tp_fail(err, TP_E_INVALID, "unknown flags 0x%02x", header->flags);
    }
    if (header->kind < TPI_MOTION_QUERY || header->kind > TPI_MOTION_REPLY) {
        return tp_fail(err, TP_E_INVALID, "unknown kind %u", header->kind);
    }
    if (!is_mode(header)) {
        return tp_fail(err, TP_E_INVALID, "mode %u does not fit kind %u", header->mode,
                       header->kind);
    }
    if (tpi_load_be32(bytes + 28) != 0) {
        return tp_fail(err, TP_E_INVALID, "bytes 28 to 31 of the header are not zero");
    }
    if (header->size > TPI_MOTION_PAYLOAD) {
        return tp_fail(err, TP_E_LIMIT, "a payload of %u bytes is over %u", header->size,
                       TPI_MOTION_PAYLOAD);
    }
    return TP_OK;
}

tp_status tpi_motion_header_get(tpi_motion_header *out, const uint8_t bytes[TPI_MOTION_HEADER],
                                bool *foreign, tp_error *err)
{
    *foreign = bytes[0] != 'R' || bytes[1] != 'T';
    if (*foreign) {
        return tp_fail(err, TP_E_INVALID, "a package begins with RT");
    }
    *out = (tpi_motion_header){
        .flags = bytes[3],
        .kind = bytes[4],
        .mode = bytes[5],
        .records = load16(bytes + 6),
        .id = tpi_load_be32(bytes + 8),
        .size = tpi_load_be32(bytes + 12),
        .time_us = tpi_load_be64(bytes + 16),
        .sequence = tpi_load_be32(bytes + 24),
    };
    return check_header(out, bytes, err);
}

/* ---- The table ---- */

const tpi_motion_body *tpi_motion_body_of(uint16_t code)
{
    for (const tpi_motion_body *const *body = tpi_motion_bodies; *body != NULL; body++) {
        if ((*body)->code == code) {
            return *body;
        }
    }
    return NULL;
}

unsigned tpi_motion_kind_of(uint16_t code)
{
    if (tpi_motion_body_of(code) == NULL) {
        return 0;
    }
    if ((code & TPI_MOTION_ANSWER) != 0) {
        return TPI_MOTION_REPLY;
    }
    switch (code >> 8) {
    case 4:
        return TPI_MOTION_QUERY;
    case 5:
        return TPI_MOTION_SESSION;
    default:
        return TPI_MOTION_COMMAND;
    }
}

/* ---- Sizes ---- */

static size_t fixed_size(const tpi_motion_body *body);

/* The bytes of a field, without the elements of a list. */
static size_t field_size(const tpi_motion_field *field)
{
    switch (field->type) {
    case TPI_MOTION_U8:
    case TPI_MOTION_CHARS:
    case TPI_MOTION_ZERO:
        return field->count;
    case TPI_MOTION_U16:
        return 2u * field->count;
    case TPI_MOTION_COUNT:
        return 2;
    case TPI_MOTION_U32:
    case TPI_MOTION_RATIO:
        return 4u * field->count;
    case TPI_MOTION_U64:
    case TPI_MOTION_MICRO:
    case TPI_MOTION_NANO:
    case TPI_MOTION_PICO:
        return 8u * field->count;
    case TPI_MOTION_PART:
        return field->count * fixed_size(field->of);
    case TPI_MOTION_LIST:
        break;
    }
    return 0;
}

static size_t fixed_size(const tpi_motion_body *body)
{
    size_t size = 0;

    for (const tpi_motion_field *field = body->fields; field->name != NULL; field++) {
        size += field_size(field);
    }
    return size;
}

/* The list of a body, with the field of its count before it; NULL if it has none. */
static const tpi_motion_field *list_of(const tpi_motion_body *body, const tpi_motion_field **count)
{
    for (const tpi_motion_field *field = body->fields; field->name != NULL; field++) {
        if (field->type == TPI_MOTION_COUNT) {
            *count = field;
        }
        if (field->type == TPI_MOTION_LIST) {
            return field;
        }
    }
    return NULL;
}

static uint16_t count_of(const tpi_motion_field *count, const void *value)
{
    uint16_t n;

    memcpy(&n, (const char *)value + count->offset, sizeof n);
    return n;
}

size_t tpi_motion_body_size(const tpi_motion_body *body, const void *value)
{
    const tpi_motion_field *count = NULL, *list = list_of(body, &count);
    size_t size = fixed_size(body);

    if (list != NULL) {
        size += count_of(count, value) * fixed_size(list->of);
    }
    return size > UINT16_MAX ? 0 : size;
}

/* ---- Writing ---- */

static bool put_body(uint8_t **to, const tpi_motion_body *body, const void *value);

static bool put_fixed(uint8_t *to, tpi_motion_type type, const char *from)
{
    double value;

    memcpy(&value, from, sizeof value);
    if (isnan(value)) {
        return false;
    }
    tpi_store_be64(to, (uint64_t)to_fixed(value, scale_of(type)));
    return true;
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
        store16(to, half);
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
    case TPI_MOTION_NANO:
    case TPI_MOTION_PICO:
        return put_fixed(to, type, from);
    default:
        *to = (uint8_t)*from;
        return true;
    }
}

/* The size of one value of a field in the struct. */
static size_t native_size(tpi_motion_type type)
{
    switch (type) {
    case TPI_MOTION_U8:
        return 1;
    case TPI_MOTION_U16:
    case TPI_MOTION_COUNT:
        return 2;
    case TPI_MOTION_U32:
        return 4;
    default:
        return 8;
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
    const size_t size = field_size(field) / field->count;

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
        if (!put_value(*to, field->type, from + i * native_size(field->type))) {
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
            put = put_list(to, field, count_of(count, value), value);
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
    if ((size == 0 && fixed_size(body) > 0) || space < TPI_MOTION_RECORD + size) {
        return 0;
    }
    store16(out, code);
    store16(out + 2, (uint16_t)size);
    tpi_store_be32(out + 4, tag);
    return put_body(&to, body, value) ? TPI_MOTION_RECORD + size : 0;
}

/* ---- Reading ---- */

/* Where a body is read from, and where its lists go. */
struct reader {
    const uint8_t *at, *end;
    char *scratch;
    size_t space;
};

static tp_status get_body(struct reader *in, const tpi_motion_body *body, char *value,
                          tp_error *err);

static void get_fixed(const uint8_t *from, tpi_motion_type type, char *to)
{
    const double value = from_fixed((int64_t)tpi_load_be64(from), scale_of(type));

    memcpy(to, &value, sizeof value);
}

static void get_value(const uint8_t *from, tpi_motion_type type, char *to)
{
    const uint16_t half = type == TPI_MOTION_U8 ? 0 : load16(from);
    uint32_t word;
    uint64_t pair;

    switch (type) {
    case TPI_MOTION_U16:
    case TPI_MOTION_COUNT:
        memcpy(to, &half, sizeof half);
        break;
    case TPI_MOTION_U32:
        word = tpi_load_be32(from);
        memcpy(to, &word, sizeof word);
        break;
    case TPI_MOTION_U64:
        pair = tpi_load_be64(from);
        memcpy(to, &pair, sizeof pair);
        break;
    case TPI_MOTION_MICRO:
    case TPI_MOTION_NANO:
    case TPI_MOTION_PICO:
        get_fixed(from, type, to);
        break;
    default:
        memcpy(to, from, 1);
        break;
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
    memcpy(to, from, length);
    to[length] = 0;
    return TP_OK;
}

static tp_status get_field(struct reader *in, const tpi_motion_field *field, char *value,
                           tp_error *err)
{
    const size_t size = field_size(field);
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
        get_value(from + i * (size / field->count), field->type, to + i * native_size(field->type));
    }
    return TP_OK;
}

static tp_status get_parts(struct reader *in, const tpi_motion_body *of, size_t count, char *to,
                           tp_error *err)
{
    tp_status status = TP_OK;

    for (size_t i = 0; i < count && status == TP_OK; i++) {
        status = get_body(in, of, to + i * of->struct_size, err);
    }
    return status;
}

static tp_status get_list(struct reader *in, const tpi_motion_field *list, size_t count,
                          char *value, tp_error *err)
{
    const size_t need = (count * list->of->struct_size + 7) & ~(size_t)7;
    char *items = in->scratch;

    if ((size_t)(in->end - in->at) != count * fixed_size(list->of)) {
        return tp_fail(err, TP_E_INVALID, "the body does not have the length of %zu %s", count,
                       list->name);
    }
    if (need > in->space) {
        return tp_fail(err, TP_E_SPACE, "%zu %s are too many", count, list->name);
    }
    memcpy(value + list->offset, &items, sizeof items);
    in->scratch += need;
    in->space -= need;
    return get_parts(in, list->of, count, items, err);
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
            status = get_parts(in, field->of, field->count, value + field->offset, err);
        } else if (field->type == TPI_MOTION_LIST) {
            status = get_list(in, field, count_of(count, value), value, err);
        } else {
            status = get_field(in, field, value, err);
        }
    }
    return status;
}

tp_status tpi_motion_body_get(const tpi_motion_body *body, const uint8_t *bytes, size_t size,
                              void *value, void *scratch, size_t space, tp_error *err)
{
    struct reader in = {.at = bytes, .end = bytes + size, .scratch = scratch, .space = space};
    tp_status status = get_body(&in, body, value, err);

    if (status == TP_OK && in.at != in.end) {
        status =
            tp_fail(err, TP_E_INVALID, "the body is %zu bytes too long", (size_t)(in.end - in.at));
    }
    return status == TP_OK ? TP_OK : tp_wrap(err, status, body->name);
}

/* ---- Payloads ---- */

tp_status tpi_motion_record_next(tpi_motion_record *out, const uint8_t *payload, size_t size,
                                 size_t *at, tp_error *err)
{
    const uint8_t *from = payload + *at;
    const size_t left = size - *at;

    if (left < TPI_MOTION_RECORD) {
        return tp_fail(err, TP_E_INVALID, "the payload ends inside of a record");
    }
    *out = (tpi_motion_record){
        .code = load16(from),
        .length = load16(from + 2),
        .tag = tpi_load_be32(from + 4),
        .body = from + TPI_MOTION_RECORD,
    };
    if (left - TPI_MOTION_RECORD < out->length) {
        return tp_fail(err, TP_E_INVALID, "the payload ends inside of a record");
    }
    *at += TPI_MOTION_RECORD + out->length;
    return TP_OK;
}

/* Whether a record has the length that its code asks for. The values are checked when the body is
 * read. */
static tp_status check_record(const tpi_motion_header *header, const tpi_motion_record *record,
                              tp_error *err)
{
    const tpi_motion_body *body = tpi_motion_body_of(record->code);
    const tpi_motion_field *count = NULL;
    size_t size;

    if (body == NULL) {
        return tp_fail(err, TP_E_INVALID, "unknown code 0x%04x", record->code);
    }
    if (tpi_motion_kind_of(record->code) != header->kind) {
        return tp_fail(err, TP_E_INVALID, "%s does not fit kind %u", body->name, header->kind);
    }
    size = fixed_size(body);
    if (list_of(body, &count) == NULL ? record->length != size : record->length < size) {
        return tp_fail(err, TP_E_INVALID, "%s has %u bytes instead of %zu", body->name,
                       record->length, size);
    }
    return TP_OK;
}

tp_status tpi_motion_payload_check(const tpi_motion_header *header, const uint8_t *payload,
                                   tp_error *err)
{
    size_t at = 0;

    for (unsigned i = 0; i < header->records; i++) {
        tpi_motion_record record;
        tp_status status = tpi_motion_record_next(&record, payload, header->size, &at, err);

        if (status == TP_OK) {
            status = check_record(header, &record, err);
        }
        if (status != TP_OK) {
            char where[32];

            snprintf(where, sizeof where, "record %u", i);
            return tp_wrap(err, status, where);
        }
    }
    if (at != header->size) {
        return tp_fail(err, TP_E_INVALID, "%zu bytes follow the last record",
                       (size_t)header->size - at);
    }
    return TP_OK;
}
