/*
 * xdr_decode.c - reading the wire form of Player, walking the plans of troupe/padi.h.
 *
 * Every step is checked against the bytes that are left and the memory that is left; nothing is
 * taken on the word of a count. As in Player's own library the length that stands before the
 * elements of an array wins over its count field; behind a pointer it may not exceed the count
 * field, which is what Player allocated by.
 */
#include <stdlib.h>
#include <string.h>

#include "base/endian.h"
#include "base/swap.h"
#include "padi/plan.h"
#include "padi/xdr.h"

/* ---- Runs ------------------------------------------------------------------------------------ */

/* Only the low bits count, as in Player. */
static void narrow_from_wire(unsigned op, unsigned char *to, const unsigned char *from, size_t n)
{
    const size_t size = tpi_step_item_size(op);

    for (size_t i = 0; i < n; i++) {
        uint16_t half = (uint16_t)(from[4 * i + 2] << 8 | from[4 * i + 3]);
        if (size == 1) {
            to[i] = (unsigned char)half;
        } else {
            memcpy(to + 2 * i, &half, 2);
        }
    }
}

static void run_from_wire(unsigned op, unsigned char *to, const unsigned char *from, size_t n)
{
    switch (op) {
    case TP_STEP_WORDS:
        tpi_swap_words(to, from, n);
        break;
    case TP_STEP_LONGS:
        tpi_swap_longs(to, from, n);
        break;
    case TP_STEP_BYTES:
        memcpy(to, from, n);
        break;
    default:
        narrow_from_wire(op, to, from, n);
        break;
    }
}

/* ---- Decoding -------------------------------------------------------------------------------- */

enum { BLOCK_ALIGN = 8 }; /* of the arrays in a block; enough for every field type */

/* What is left of the bytes and of the block. While measuring there is no block: `memory` is NULL
 * and `used` counts what one would need. What failed is kept for callers that ask why. */
struct decoder {
    const unsigned char *at;
    size_t left;
    unsigned char *memory;
    size_t used;
    size_t capacity;
    const tp_struct *failed_type; /* the innermost; NULL as long as nothing failed */
    const tp_step *failed_step;   /* NULL if the struct is too long as a whole */
    uint32_t length;              /* of the array that failed, 0 if that is not known */
    uint32_t limit;               /* that it is over */
    uint64_t needed;              /* by its elements, at least */
};

static tp_status take_memory(struct decoder *d, uint64_t size, unsigned char **piece)
{
    const size_t start = (d->used + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN;

    if (start > d->capacity || size > d->capacity - start) {
        return TP_E_SPACE;
    }
    *piece = d->memory == NULL ? NULL : d->memory + start;
    d->used = start + (size_t)size;
    return TP_OK;
}

static tp_status decode(struct decoder *d, const tp_struct *type, unsigned char *value);

static tp_status decode_each(struct decoder *d, const tp_struct *of, uint32_t n, size_t stride,
                             unsigned char *elements)
{
    tp_status status = TP_OK;

    for (uint32_t i = 0; i < n && status == TP_OK; i++) {
        status = decode(d, of, elements == NULL ? NULL : elements + i * stride);
    }
    return status;
}

/* Read the length word and check it against the limit and the bytes that are left. */
static tp_status array_length(struct decoder *d, const tp_step *step, uint32_t announced,
                              uint32_t *length)
{
    if (d->left < 4) {
        return TP_E_SHORT;
    }
    *length = tpi_load_be32(d->at);
    d->at += 4;
    d->left -= 4;
    const uint32_t limit = step->pointer ? announced : step->most;
    const uint64_t least = step->of != NULL
                               ? (uint64_t)*length * step->of->wire_min
                               : tpi_step_wire_size(step->item, (uint64_t)*length * step->n);
    if (*length <= limit && least <= d->left) {
        return TP_OK;
    }
    d->length = *length;
    d->limit = limit;
    d->needed = least;
    return *length > limit ? TP_E_COUNT : TP_E_SHORT;
}

static tp_status decode_array(struct decoder *d, const tp_step *step, uint32_t announced,
                              unsigned char *value)
{
    uint32_t length;
    tp_status status = array_length(d, step, announced, &length);
    unsigned char *elements = value == NULL ? NULL : value + step->offset;

    if (status == TP_OK && step->pointer && length > 0) {
        status = take_memory(d, (uint64_t)length * step->stride, &elements);
    }
    if (status != TP_OK) {
        return status;
    }
    if (value != NULL) {
        memcpy(value + step->count_offset, &length, sizeof length);
    }
    if (value != NULL && step->pointer && length > 0) {
        memcpy(value + step->offset, &elements, sizeof elements);
    }
    if (step->of != NULL) {
        return decode_each(d, step->of, length, step->stride, elements);
    }
    const size_t n = (size_t)length * step->n;
    if (elements != NULL && n > 0) {
        run_from_wire(step->item, elements, d->at, n);
    }
    d->at += tpi_step_wire_size(step->item, n);
    d->left -= (size_t)tpi_step_wire_size(step->item, n);
    return TP_OK;
}

static tp_status decode_run(struct decoder *d, const tp_step *step, unsigned char *value)
{
    const size_t size = (size_t)tpi_step_wire_size(step->op, step->n);

    if (d->left < size) {
        return TP_E_SHORT;
    }
    if (value != NULL) {
        unsigned op = step->op == TP_STEP_COUNT ? TP_STEP_WORDS : step->op;
        run_from_wire(op, value + step->offset, d->at, step->n);
    }
    d->at += size;
    d->left -= size;
    return TP_OK;
}

static tp_status decode_step(struct decoder *d, const tp_step *step, uint32_t *counts,
                             unsigned char *value)
{
    switch (step->op) {
    case TP_STEP_ARRAY:
        return decode_array(d, step, counts[step->slot], value);
    case TP_STEP_EACH:
        return decode_each(d, step->of, step->n, step->stride,
                           value == NULL ? NULL : value + step->offset);
    default:
        if (step->op == TP_STEP_COUNT && d->left >= 4) {
            counts[step->slot] = tpi_load_be32(d->at);
        }
        return decode_run(d, step, value);
    }
}

static tp_status fail(struct decoder *d, tp_status status, const tp_struct *type,
                      const tp_step *step)
{
    if (d->failed_type == NULL) {
        d->failed_type = type;
        d->failed_step = step;
    }
    return status;
}

/* Decode into `value`, zeroed memory of the struct's size, or only measure if it is NULL. */
static tp_status decode(struct decoder *d, const tp_struct *type, unsigned char *value)
{
    uint32_t counts[TP_MAX_SLOTS];

    if (value == NULL && !type->variable) {
        if (d->left < type->wire_min) {
            return fail(d, TP_E_SHORT, type, NULL);
        }
        d->at += type->wire_min;
        d->left -= type->wire_min;
        return TP_OK;
    }
    for (uint32_t i = 0; i < type->step_count; i++) {
        const tp_status status = decode_step(d, &type->steps[i], counts, value);
        if (status != TP_OK) {
            return fail(d, status, type, &type->steps[i]);
        }
    }
    return TP_OK;
}

tp_status tp_xdr_measure(const tp_struct *type, const void *bytes, size_t length,
                         size_t *block_size)
{
    struct decoder d = {.at = bytes, .left = length, .used = type->size, .capacity = SIZE_MAX / 2};
    tp_status status = decode(&d, type, NULL);

    *block_size = d.used;
    return status;
}

tp_status tp_xdr_decode(const tp_struct *type, const void *bytes, size_t length, void *block,
                        size_t block_size)
{
    struct decoder d = {
        .at = bytes, .left = length, .memory = block, .used = type->size, .capacity = block_size};

    if (block_size < type->size) {
        return TP_E_SPACE;
    }
    memset(block, 0, type->size);
    return decode(&d, type, block);
}

tp_status tp_xdr_decode_new(void **out, const tp_struct *type, const void *bytes, size_t length)
{
    size_t size;
    tp_status status = tp_xdr_measure(type, bytes, length, &size);

    if (status != TP_OK) {
        return status;
    }
    void *block = malloc(size);
    if (block == NULL) {
        return TP_E_NOMEM;
    }
    status = tp_xdr_decode(type, bytes, length, block, size);
    if (status != TP_OK) {
        free(block);
        return status;
    }
    *out = block;
    return TP_OK;
}

/* ---- Why not --------------------------------------------------------------------------------- */

/* The name of the field that is at this place in memory. */
static const char *name_at(const tp_struct *type, size_t offset)
{
    const char *name = "";

    for (uint32_t i = 0; i < type->field_count && type->fields[i].offset <= offset; i++) {
        name = type->fields[i].name;
    }
    return name;
}

/* The first field that is not there in full. */
static const char *cut_field(const struct decoder *d)
{
    const tp_step *step = d->failed_step;
    size_t whole = 0;

    if (step == NULL) {
        return d->failed_type->fields[0].name;
    }
    if (step->op < TP_STEP_BYTES) {
        whole = d->left / (size_t)tpi_step_wire_size(step->op, 1) * tpi_step_item_size(step->op);
    }
    return name_at(d->failed_type, step->offset + whole);
}

static tp_status explain_array(const struct decoder *d, tp_status status, tp_error *err)
{
    const char *name = name_at(d->failed_type, d->failed_step->offset);
    const unsigned long length = d->length;

    if (status == TP_E_SHORT) {
        return tp_fail(err, status, "%s has %lu elements in at least %llu bytes, but %zu are left",
                       name, length, (unsigned long long)d->needed, d->left);
    }
    if (d->failed_step->pointer) {
        return tp_fail(err, status, "%s has %lu elements, but its count says %lu", name, length,
                       (unsigned long)d->limit);
    }
    return tp_fail(err, status, "%s has %lu elements, at most %lu fit", name, length,
                   (unsigned long)d->limit);
}

tp_status tpi_xdr_explain(const tp_struct *type, const void *bytes, size_t length, tp_error *err)
{
    struct decoder d = {.at = bytes, .left = length, .used = type->size, .capacity = SIZE_MAX / 2};
    const tp_status status = decode(&d, type, NULL);

    if (status == TP_OK) {
        return TP_OK;
    }
    if (length < type->wire_min) {
        return tp_fail(err, status, "%zu bytes, at least %lu are needed", length,
                       (unsigned long)type->wire_min);
    }
    if (d.length > 0) {
        return explain_array(&d, status, err);
    }
    return tp_fail(err, status, "the %zu bytes end before %s is complete", length, cut_field(&d));
}
