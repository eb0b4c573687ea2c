/* random.c - random values by descriptor; see random.h. */
#include "support/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "padi/plan.h"
#include "padi/value.h"

uint64_t random_bits(random_source *source)
{
    /* splitmix64 */
    uint64_t z = source->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint32_t random_below(random_source *source, uint32_t bound)
{
    return (uint32_t)(random_bits(source) % bound);
}

static double random_real(random_source *source)
{
    static const double extremes[] = {0.0, -0.0, 1.0, -1.0, 0.1, 1e300, 5e-324, 1e22, 123456.789};
    const uint32_t choice = random_below(source, 16);
    double value;

    if (choice < 9) {
        return extremes[choice];
    }
    if (choice == 9) {
        return (double)NAN;
    }
    if (choice == 10) {
        return random_below(source, 2) == 0 ? (double)INFINITY : -(double)INFINITY;
    }
    if (choice < 14) {
        uint64_t bits = random_bits(source);
        memcpy(&value, &bits, sizeof value);
        return isnan(value) ? (double)NAN : value;
    }
    return (double)random_below(source, 100000) / 1000.0;
}

static void random_number(random_source *source, tp_type type, void *at, size_t size)
{
    const double real = random_real(source);
    const float narrow = isnan(real) ? NAN : (float)real;
    uint64_t bits = random_bits(source);

    if (type == TP_TYPE_F64) {
        memcpy(at, &real, sizeof real);
    } else if (type == TP_TYPE_F32) {
        memcpy(at, &narrow, sizeof narrow);
    } else {
        const uint32_t choice = random_below(source, 4);
        bits = choice == 0 ? 0 : choice == 1 ? UINT64_MAX : choice == 2 ? bits >> 60 : bits;
        memset(at, 0, size);
        for (size_t i = 0; i < size; i++) {
            ((unsigned char *)at)[i] = (unsigned char)bits;
            bits >>= 8;
        }
    }
}

static void fill(random_source *source, const tp_struct *type, char *value);

static void fill_chars(random_source *source, char *at, uint32_t count)
{
    const bool wild = random_below(source, 8) == 0;

    for (uint32_t i = 0; i < count; i++) {
        at[i] = (char)(wild ? random_below(source, 256) : 'a' + random_below(source, 26));
    }
    if (count > 0 && random_below(source, 2) == 0) {
        at[count - 1] = '\0';
    }
}

static void fill_elements(random_source *source, const tp_field *field, char *at, uint32_t count)
{
    const size_t size = tpi_field_element_size(field);

    if (field->type == TP_TYPE_CHAR && field->shape != TP_SHAPE_ONE) {
        fill_chars(source, at, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (field->type == TP_TYPE_STRUCT) {
            fill(source, field->of, at + i * size);
        } else {
            random_number(source, field->type, at + i * size, size);
        }
    }
}

static void fill(random_source *source, const tp_struct *type, char *value)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        uint32_t count = field->shape == TP_SHAPE_FIXED ? field->length : 1;
        char *at = value + field->offset;

        if (field->is_count) {
            continue; /* set with its array */
        }
        if (field->shape == TP_SHAPE_BOUNDED || field->shape == TP_SHAPE_POINTER) {
            count = random_below(source, 6);
            if (field->shape == TP_SHAPE_BOUNDED && count > field->length) {
                count = field->length;
            }
            memcpy(value + field->count_offset, &count, sizeof count);
        }
        if (field->shape == TP_SHAPE_POINTER) {
            at = count == 0 ? NULL : calloc(count, tpi_field_element_size(field));
            tpi_field_point(field, value, at);
        }
        if (at != NULL) {
            fill_elements(source, field, at, count);
        }
    }
}

void *random_value(random_source *source, const tp_struct *type)
{
    char *loose = calloc(1, type->size);
    void *block = NULL;

    if (loose == NULL) {
        abort();
    }
    fill(source, type, loose);
    if (tp_value_copy(&block, type, loose, NULL) != TP_OK) {
        abort();
    }
    tp_value_clear(type, loose);
    free(loose);
    return block;
}
