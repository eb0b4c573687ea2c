/* value.h - access to the fields of a value, shared by the codecs. */
#ifndef TROUPE_PADI_VALUE_H
#define TROUPE_PADI_VALUE_H

#include "base/buf.h"
#include "troupe/padi.h"

/* The first element of the field; NULL if it is behind a pointer that is NULL. */
const void *tpi_field_elements(const tp_field *field, const void *value);

/* Let the pointer of a TP_SHAPE_POINTER field point to `elements`. */
void tpi_field_point(const tp_field *field, void *value, void *elements);

/* How much memory a deep copy takes, and making it there; the block is aligned as malloc() does. */
size_t tpi_value_size(const tp_struct *type, const void *value);
void tpi_value_copy_into(const tp_struct *type, const void *value, void *block);

/* One number of any type but struct, as a double or an integer. */
double tpi_number_get_real(tp_type type, const void *at);
int64_t tpi_number_get_whole(tp_type type, const void *at);
bool tpi_type_is_real(tp_type type);

/* Whether a whole number fits into a type of whole numbers. */
bool tpi_type_holds(tp_type type, int64_t value);

/* The longest text of a number and a comma. */
size_t tpi_number_width(tp_type type);

/* Append numbers in JSON with commas between them, each `size` bytes behind the one before. No more
 * room is asked for than tpi_number_width() of each. */
void tpi_numbers_put(tpi_buf *out, tp_type type, const void *first, uint32_t count, size_t size);

/* Append a number as text; the infinities and NaN get quotes around them if `quote`. */
void tpi_number_put(tpi_buf *out, tp_type type, const void *at, bool quote);

/* How long the text in a char array is: without the NULs at its end. False if it cannot be written
 * as text: a NUL in the middle, or not UTF-8. */
bool tpi_chars_text(const char *chars, uint32_t count, uint32_t *length);

/* Append a value as JSON, for tp_value_text(). */
void tpi_value_put_json(tpi_buf *out, const tp_struct *type, const void *value, bool pretty,
                        size_t indent);

#endif
