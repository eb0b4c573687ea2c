/* body.h - how a field of the table of bodies lies on the wire and in a struct. Shared by the files
 * that read and write packages. */
#ifndef TROUPE_MOTION_BODY_H
#define TROUPE_MOTION_BODY_H

#include "motion/package.h"

static inline uint16_t tpi_motion_load16(const uint8_t *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

static inline void tpi_motion_store16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

/* How many units of the wire are 1 in MKS units. */
double tpi_motion_scale_of(tpi_motion_type type);

/* The bytes of a field on the wire, without the elements of a list. */
size_t tpi_motion_field_size(const tpi_motion_field *field);

/* The bytes of a body on the wire, without the elements of a list. */
size_t tpi_motion_fixed_size(const tpi_motion_body *body);

/* The bytes of one value of a field in the struct. */
size_t tpi_motion_native_size(tpi_motion_type type);

/* The list of a body, with the field of its count before it; NULL if it has none. */
const tpi_motion_field *tpi_motion_list_of(const tpi_motion_body *body,
                                           const tpi_motion_field **count);

/* How many elements the list of a value has. */
uint16_t tpi_motion_count_of(const tpi_motion_field *count, const void *value);

#endif
