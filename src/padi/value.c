/* value.c - comparing, copying and freeing values by their descriptors. */
#include <stdlib.h>
#include <string.h>

#include "padi/plan.h"
#include "padi/value.h"
#include "troupe/padi.h"

enum { BLOCK_ALIGN = 8 };

uint32_t tp_field_count(const tp_field *field, const void *value)
{
    uint32_t count;

    switch (field->shape) {
    case TP_SHAPE_ONE:
        return 1;
    case TP_SHAPE_FIXED:
        return field->length;
    case TP_SHAPE_BOUNDED:
        memcpy(&count, (const char *)value + field->count_offset, sizeof count);
        return count < field->length ? count : field->length;
    case TP_SHAPE_POINTER:
        break;
    }
    memcpy(&count, (const char *)value + field->count_offset, sizeof count);
    return tpi_field_elements(field, value) == NULL ? 0 : count;
}

const void *tpi_field_elements(const tp_field *field, const void *value)
{
    const char *at = (const char *)value + field->offset;
    const void *elements;

    if (field->shape != TP_SHAPE_POINTER) {
        return at;
    }
    memcpy(&elements, at, sizeof elements);
    return elements;
}

void tpi_field_point(const tp_field *field, void *value, void *elements)
{
    memcpy((char *)value + field->offset, &elements, sizeof elements);
}

static bool fields_equal(const tp_field *field, const void *a, const void *b)
{
    const uint32_t count = tp_field_count(field, a);
    const char *at_a = tpi_field_elements(field, a);
    const char *at_b = tpi_field_elements(field, b);

    if (tp_field_count(field, b) != count) {
        return false;
    }
    const size_t size = tpi_field_element_size(field);
    if (field->type != TP_TYPE_STRUCT) {
        return count == 0 || memcmp(at_a, at_b, count * size) == 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!tp_value_equal(field->of, at_a + i * size, at_b + i * size)) {
            return false;
        }
    }
    return true;
}

bool tp_value_equal(const tp_struct *type, const void *a, const void *b)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (!fields_equal(&type->fields[i], a, b)) {
            return false;
        }
    }
    return true;
}

/* Whether values of this field point to something. */
static bool points(const tp_field *field)
{
    return field->shape == TP_SHAPE_POINTER ||
           (field->type == TP_TYPE_STRUCT && field->of->variable);
}

/* The memory that copies of what `value` points to take, added to `size`. */
static void measure_arrays(const tp_struct *type, const void *value, size_t *size)
{
    if (!type->variable) {
        return;
    }
    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        if (!points(field)) {
            continue;
        }
        const uint32_t count = tp_field_count(field, value);
        const char *elements = tpi_field_elements(field, value);
        const size_t element_size = tpi_field_element_size(field);

        if (field->shape == TP_SHAPE_POINTER) {
            *size = (*size + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN + count * element_size;
        }
        for (uint32_t k = 0; field->type == TP_TYPE_STRUCT && k < count; k++) {
            measure_arrays(field->of, elements + k * element_size, size);
        }
    }
}

/* `value` is a plain copy: give it copies of its own of what it points to, from the block. */
static void copy_arrays(const tp_struct *type, char *value, char *block, size_t *used)
{
    if (!type->variable) {
        return;
    }
    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        if (!points(field)) {
            continue;
        }
        const uint32_t count = tp_field_count(field, value);
        const size_t element_size = tpi_field_element_size(field);
        const char *elements = tpi_field_elements(field, value);
        char *own = value + field->offset;

        if (field->shape == TP_SHAPE_POINTER) {
            const size_t start = (*used + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN;
            own = count == 0 ? NULL : block + start;
            if (count > 0) {
                memcpy(own, elements, count * element_size);
            }
            tpi_field_point(field, value, own);
            *used = start + count * element_size;
        }
        for (uint32_t k = 0; field->type == TP_TYPE_STRUCT && k < count; k++) {
            copy_arrays(field->of, own + k * element_size, block, used);
        }
    }
}

size_t tpi_value_size(const tp_struct *type, const void *value)
{
    size_t size = type->size;

    measure_arrays(type, value, &size);
    return size;
}

void tpi_value_copy_into(const tp_struct *type, const void *value, void *block)
{
    size_t used = type->size;

    memcpy(block, value, type->size);
    copy_arrays(type, block, block, &used);
}

tp_status tp_value_copy(void **out, const tp_struct *type, const void *value, size_t *size)
{
    const size_t needed = tpi_value_size(type, value);
    void *block = malloc(needed);

    if (block == NULL) {
        return TP_E_NOMEM;
    }
    tpi_value_copy_into(type, value, block);
    if (size != NULL) {
        *size = needed;
    }
    *out = block;
    return TP_OK;
}

void tp_value_clear(const tp_struct *type, void *value)
{
    for (uint32_t i = 0; i < type->field_count && type->variable; i++) {
        const tp_field *field = &type->fields[i];
        const uint32_t count = tp_field_count(field, value);
        char *elements = (char *)(uintptr_t)tpi_field_elements(field, value);

        for (uint32_t k = 0; field->type == TP_TYPE_STRUCT && k < count; k++) {
            tp_value_clear(field->of, elements + (size_t)k * field->of->size);
        }
        if (field->shape == TP_SHAPE_POINTER) {
            free(elements);
        }
    }
    memset(value, 0, type->size);
}
