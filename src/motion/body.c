/* body.c - looking the table of bodies up; see body.h. */
#include "motion/body.h"

#include <string.h>

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

size_t tpi_motion_field_size(const tpi_motion_field *field)
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
    case TPI_MOTION_LIMIT:
    case TPI_MOTION_NANO:
    case TPI_MOTION_PICO:
        return 8u * field->count;
    case TPI_MOTION_PART:
        return field->count * tpi_motion_fixed_size(field->of);
    case TPI_MOTION_LIST:
        break;
    }
    return 0;
}

size_t tpi_motion_fixed_size(const tpi_motion_body *body)
{
    size_t size = 0;

    for (const tpi_motion_field *field = body->fields; field->name != NULL; field++) {
        size += tpi_motion_field_size(field);
    }
    return size;
}

const tpi_motion_field *tpi_motion_list_of(const tpi_motion_body *body,
                                           const tpi_motion_field **count)
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

uint16_t tpi_motion_count_of(const tpi_motion_field *count, const void *value)
{
    uint16_t n;

    memcpy(&n, (const char *)value + count->offset, sizeof n);
    return n;
}

size_t tpi_motion_body_size(const tpi_motion_body *body, const void *value)
{
    const tpi_motion_field *count = NULL, *list = tpi_motion_list_of(body, &count);
    size_t size = tpi_motion_fixed_size(body);

    if (list != NULL) {
        size += tpi_motion_count_of(count, value) * tpi_motion_fixed_size(list->of);
    }
    return size > UINT16_MAX ? 0 : size;
}

size_t tpi_motion_native_size(tpi_motion_type type)
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

double tpi_motion_scale_of(tpi_motion_type type)
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
