/*
 * xdr.c - the wire form of Player, walking the plans of troupe/padi.h.
 *
 * Encoding measures first, which checks every count and pointer, then writes without checks into a
 * buffer that is large enough. Decoding checks every step against the bytes that are left and the
 * memory that is left; nothing is taken on the word of a count.
 *
 * An array is on the wire as its count field (where that stands in the struct), then a length and
 * the elements. As in Player's own library the length wins; behind a pointer it may not exceed
 * the count field, which is what Player allocated by.
 */
#include <stdlib.h>
#include <string.h>

#include "base/endian.h"
#include "base/swap.h"
#include "padi/plan.h"
#include "troupe/padi.h"

/* ---- Runs ------------------------------------------------------------------------------------ */

static uint32_t widen(unsigned op, const unsigned char *at)
{
    uint16_t half;

    switch (op) {
    case TP_STEP_U8:
        return *at;
    case TP_STEP_I8:
        return (uint32_t)(int32_t)(int8_t)*at;
    case TP_STEP_U16:
        memcpy(&half, at, 2);
        return half;
    default:
        memcpy(&half, at, 2);
        return (uint32_t)(int32_t)(int16_t)half;
    }
}

static size_t narrow_size(unsigned op)
{
    return op == TP_STEP_U8 || op == TP_STEP_I8 ? 1 : 2;
}

static void narrow_to_wire(unsigned op, unsigned char *to, const unsigned char *from, size_t n)
{
    const size_t size = narrow_size(op);

    for (size_t i = 0; i < n; i++) {
        tpi_store_be32(to + 4 * i, widen(op, from + size * i));
    }
}

/* Only the low bits count, as in Player. */
static void narrow_from_wire(unsigned op, unsigned char *to, const unsigned char *from, size_t n)
{
    const size_t size = narrow_size(op);

    for (size_t i = 0; i < n; i++) {
        uint16_t half = (uint16_t)(from[4 * i + 2] << 8 | from[4 * i + 3]);
        if (size == 1) {
            to[i] = (unsigned char)half;
        } else {
            memcpy(to + 2 * i, &half, 2);
        }
    }
}

static void run_to_wire(unsigned op, unsigned char *to, const unsigned char *from, size_t n)
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
        memset(to + n, 0, (4 - n % 4) % 4);
        break;
    default:
        narrow_to_wire(op, to, from, n);
        break;
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

/* ---- Arrays in memory ------------------------------------------------------------------------ */

static uint32_t array_count(const tp_step *step, const unsigned char *value)
{
    uint32_t count;

    memcpy(&count, value + step->count_offset, sizeof count);
    return count;
}

static const unsigned char *array_elements(const tp_step *step, const unsigned char *value)
{
    if (!step->pointer) {
        return value + step->offset;
    }
    const unsigned char *elements;
    memcpy(&elements, value + step->offset, sizeof elements);
    return elements;
}

/* ---- Encoding -------------------------------------------------------------------------------- */

static tp_status size_of(const tp_struct *type, const unsigned char *value, size_t *size);

static tp_status size_of_each(const tp_struct *of, const unsigned char *elements, uint32_t n,
                              size_t stride, size_t *size)
{
    if (!of->variable) {
        *size += (size_t)n * of->wire_min;
        return TP_OK;
    }
    for (uint32_t i = 0; i < n; i++) {
        tp_status status = size_of(of, elements + i * stride, size);
        if (status != TP_OK) {
            return status;
        }
    }
    return TP_OK;
}

static tp_status size_of_array(const tp_step *step, const unsigned char *value, size_t *size)
{
    const uint32_t count = array_count(step, value);
    const unsigned char *elements = array_elements(step, value);

    if (!step->pointer && count > step->most) {
        return TP_E_COUNT;
    }
    if (count > 0 && elements == NULL) {
        return TP_E_INVALID;
    }
    *size += 4;
    if (step->of != NULL) {
        return size_of_each(step->of, elements, count, step->stride, size);
    }
    *size += (size_t)tpi_step_wire_size(step->item, (uint64_t)count * step->n);
    return TP_OK;
}

/* Adds the encoded length of `value`. */
static tp_status size_of(const tp_struct *type, const unsigned char *value, size_t *size)
{
    if (!type->variable) {
        *size += type->wire_min;
        return TP_OK;
    }
    tp_status status = TP_OK;
    for (uint32_t i = 0; i < type->step_count && status == TP_OK; i++) {
        const tp_step *step = &type->steps[i];
        if (step->op == TP_STEP_ARRAY) {
            status = size_of_array(step, value, size);
        } else if (step->op == TP_STEP_EACH) {
            status = size_of_each(step->of, value + step->offset, step->n, step->stride, size);
        } else {
            *size += (size_t)tpi_step_wire_size(step->op, step->n);
        }
    }
    return status;
}

static unsigned char *encode(const tp_struct *type, const unsigned char *value, unsigned char *at);

static unsigned char *encode_array(const tp_step *step, const unsigned char *value,
                                   unsigned char *at)
{
    const uint32_t count = array_count(step, value);
    const unsigned char *elements = array_elements(step, value);

    tpi_store_be32(at, count);
    at += 4;
    if (count == 0) {
        return at;
    }
    if (step->of == NULL) {
        size_t n = (size_t)count * step->n;
        run_to_wire(step->item, at, elements, n);
        return at + tpi_step_wire_size(step->item, n);
    }
    for (uint32_t i = 0; i < count; i++) {
        at = encode(step->of, elements + (size_t)i * step->stride, at);
    }
    return at;
}

/* Writes a value that size_of() has accepted; where the next one goes. */
static unsigned char *encode(const tp_struct *type, const unsigned char *value, unsigned char *at)
{
    for (uint32_t i = 0; i < type->step_count; i++) {
        const tp_step *step = &type->steps[i];
        const unsigned char *from = value + step->offset;
        switch (step->op) {
        case TP_STEP_ARRAY:
            at = encode_array(step, value, at);
            break;
        case TP_STEP_EACH:
            for (uint32_t k = 0; k < step->n; k++) {
                at = encode(step->of, from + (size_t)k * step->stride, at);
            }
            break;
        case TP_STEP_COUNT:
            tpi_swap_words(at, from, 1);
            at += 4;
            break;
        default:
            run_to_wire(step->op, at, from, step->n);
            at += tpi_step_wire_size(step->op, step->n);
            break;
        }
    }
    return at;
}

tp_status tp_xdr_size(const tp_struct *type, const void *value, size_t *size)
{
    *size = 0;
    return size_of(type, value, size);
}

tp_status tp_xdr_encode(const tp_struct *type, const void *value, void *buffer, size_t capacity,
                        size_t *size)
{
    size_t needed = 0;
    tp_status status = size_of(type, value, &needed);

    if (status != TP_OK) {
        return status;
    }
    if (needed > capacity) {
        return TP_E_SPACE;
    }
    encode(type, value, buffer);
    *size = needed;
    return TP_OK;
}

/* ---- Decoding -------------------------------------------------------------------------------- */

enum { BLOCK_ALIGN = 8 }; /* of the arrays in a block; enough for every field type */

/* What is left of the bytes and of the block. While measuring there is no block: `memory` is NULL
 * and `used` counts what one would need. */
struct decoder {
    const unsigned char *at;
    size_t left;
    unsigned char *memory;
    size_t used;
    size_t capacity;
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
    if (*length > (step->pointer ? announced : step->most)) {
        return TP_E_COUNT;
    }
    uint64_t least = step->of != NULL ? (uint64_t)*length * step->of->wire_min
                                      : tpi_step_wire_size(step->item, (uint64_t)*length * step->n);
    return least > d->left ? TP_E_SHORT : TP_OK;
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

/* Decode into `value`, zeroed memory of the struct's size, or only measure if it is NULL. */
static tp_status decode(struct decoder *d, const tp_struct *type, unsigned char *value)
{
    uint32_t counts[TP_MAX_SLOTS];
    tp_status status = TP_OK;

    if (value == NULL && !type->variable) {
        if (d->left < type->wire_min) {
            return TP_E_SHORT;
        }
        d->at += type->wire_min;
        d->left -= type->wire_min;
        return TP_OK;
    }
    for (uint32_t i = 0; i < type->step_count && status == TP_OK; i++) {
        const tp_step *step = &type->steps[i];
        switch (step->op) {
        case TP_STEP_ARRAY:
            status = decode_array(d, step, counts[step->slot], value);
            break;
        case TP_STEP_EACH:
            status = decode_each(d, step->of, step->n, step->stride,
                                 value == NULL ? NULL : value + step->offset);
            break;
        default:
            if (step->op == TP_STEP_COUNT && d->left >= 4) {
                counts[step->slot] = tpi_load_be32(d->at);
            }
            status = decode_run(d, step, value);
            break;
        }
    }
    return status;
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
