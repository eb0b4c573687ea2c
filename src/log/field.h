/*
 * field.h - one number of a message, named by its path: "pos.px", "ranges[3]".
 *
 * A path is checked once against the type of the message; then numbers are taken out of values
 * without looking at names again.
 */
#ifndef TROUPE_LOG_FIELD_H
#define TROUPE_LOG_FIELD_H

#include "base/buf.h"
#include "troupe/padi.h"

enum { TPI_LOG_MOST_DEPTH = 8 };

typedef struct tpi_log_field {
    struct {
        const tp_field *field; /* borrowed */
        uint32_t index;        /* of an array */
    } steps[TPI_LOG_MOST_DEPTH];
    unsigned depth;
    char unit[32]; /* "" for none */
} tpi_log_field;

/* Find a number. TP_E_UNKNOWN names the fields that are there; texts and structs are refused. */
tp_status tpi_log_field_find(tpi_log_field *out, const tp_struct *type, const char *path,
                             tp_error *err);

/* Its value. False if the value has no such element, or if it is not a finite number. */
bool tpi_log_field_number(const tpi_log_field *field, const void *value, double *number);

/* Append the paths of all numbers that are not in arrays, one per line. */
void tpi_log_field_list(const tp_struct *type, tpi_buf *out);

#endif
