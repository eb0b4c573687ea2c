/*
 * xdr.c - the wire form of Player, walking the plans of troupe/padi.h; xdr_decode.c reads it.
 *
 * Encoding measures first, which checks every count and pointer, then writes without checks into a
 * buffer that is large enough.
 *
 * An array is on the wire as its count field (where that stands in the struct), then a length and
 * the elements.
 */
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

static void narrow_to_wire(unsigned op, unsigned char *to, const unsigned char *from, size_t n)
{
    const size_t size = tpi_step_item_size(op);

    for (size_t i = 0; i < n; i++) {
        tpi_store_be32(to + 4 * i, widen(op, from + size * i));
    }
}

/* Most runs are single fields: a call for each would cost more than the field. */
enum { FEW_WORDS = 8, FEW_LONGS = 4 };

static inline void words_to_wire(unsigned char *to, const unsigned char *from, size_t n)
{
    if (n >= FEW_WORDS) {
        tpi_swap_words(to, from, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t word;
        memcpy(&word, from + 4 * i, sizeof word);
        tpi_store_be32(to + 4 * i, word);
    }
}

static inline void longs_to_wire(unsigned char *to, const unsigned char *from, size_t n)
{
    if (n >= FEW_LONGS) {
        tpi_swap_longs(to, from, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t word;
        memcpy(&word, from + 8 * i, sizeof word);
        tpi_store_be64(to + 8 * i, word);
    }
}

static void run_to_wire(unsigned op, unsigned char *to, const unsigned char *from, size_t n)
{
    switch (op) {
    case TP_STEP_WORDS:
        words_to_wire(to, from, n);
        break;
    case TP_STEP_LONGS:
        longs_to_wire(to, from, n);
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

static tp_status more_than_least(const tp_struct *type, const unsigned char *value, size_t *more);

static tp_status more_of_each(const tp_struct *of, const unsigned char *elements, uint32_t n,
                              size_t stride, size_t *more)
{
    tp_status status = TP_OK;

    for (uint32_t i = 0; of->variable && i < n && status == TP_OK; i++) {
        status = more_than_least(of, elements + i * stride, more);
    }
    return status;
}

static tp_status more_of_array(const tp_step *step, const unsigned char *value, size_t *more)
{
    const uint32_t count = array_count(step, value);
    const unsigned char *elements = array_elements(step, value);

    if (!step->pointer && count > step->most) {
        return TP_E_COUNT;
    }
    if (count > 0 && elements == NULL) {
        return TP_E_INVALID;
    }
    if (step->of != NULL) {
        *more += (size_t)count * step->of->wire_min;
        return more_of_each(step->of, elements, count, step->stride, more);
    }
    *more += (size_t)tpi_step_wire_size(step->item, (uint64_t)count * step->n);
    return TP_OK;
}

/* Adds how much longer the encoded `value` is than the least of its type, which has empty arrays.
 */
static tp_status more_than_least(const tp_struct *type, const unsigned char *value, size_t *more)
{
    tp_status status = TP_OK;

    for (uint32_t i = 0; i < type->step_count && status == TP_OK; i++) {
        const tp_step *step = &type->steps[i];
        if (step->op == TP_STEP_ARRAY) {
            status = more_of_array(step, value, more);
        } else if (step->op == TP_STEP_EACH) {
            status = more_of_each(step->of, value + step->offset, step->n, step->stride, more);
        }
    }
    return status;
}

tp_status tp_xdr_size(const tp_struct *type, const void *value, size_t *size)
{
    *size = type->wire_min;
    return type->variable ? more_than_least(type, value, size) : TP_OK;
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

/* Writes a value that tp_xdr_size() has accepted; where the next one goes. */
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
            words_to_wire(at, from, 1);
            at += 4;
            break;
        case TP_STEP_WORDS:
            words_to_wire(at, from, step->n);
            at += 4 * (size_t)step->n;
            break;
        case TP_STEP_LONGS:
            longs_to_wire(at, from, step->n);
            at += 8 * (size_t)step->n;
            break;
        default:
            run_to_wire(step->op, at, from, step->n);
            at += tpi_step_wire_size(step->op, step->n);
            break;
        }
    }
    return at;
}

void tp_xdr_write(const tp_struct *type, const void *value, void *buffer)
{
    encode(type, value, buffer);
}

tp_status tp_xdr_encode(const tp_struct *type, const void *value, void *buffer, size_t capacity,
                        size_t *size)
{
    size_t needed = 0;
    tp_status status = tp_xdr_size(type, value, &needed);

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
