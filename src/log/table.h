/*
 * table.h - messages as rows of a table: one column for each number and each text.
 *
 * A column is named by its path with its unit: "position2d:0 pos.px (m)", "laser:0 ranges[3] (m)".
 * An array has as many columns as its longest example, so a writer looks at all messages first
 * (tpi_log_columns_widen()) and writes then. Counts of arrays have no column.
 */
#ifndef TROUPE_LOG_TABLE_H
#define TROUPE_LOG_TABLE_H

#include "base/buf.h"
#include "troupe/padi.h"

enum { TPI_LOG_MOST_ARRAYS = 64, TPI_LOG_MOST_COLUMNS = 16384 /* of a message */ };

/* The columns of one message type. */
typedef struct tpi_log_columns {
    const tp_struct *type;                 /* borrowed; NULL for a message without a body */
    uint32_t longest[TPI_LOG_MOST_ARRAYS]; /* of each array, in the order of the fields */
    size_t count;                          /* of columns; after tpi_log_columns_end() */
} tpi_log_columns;

void tpi_log_columns_init(tpi_log_columns *columns, const tp_struct *type);

/* Look at a value. NULL is accepted. */
void tpi_log_columns_widen(tpi_log_columns *columns, const void *value);

/* Count the columns. TP_E_LIMIT if there are too many. */
tp_status tpi_log_columns_end(tpi_log_columns *columns, tp_error *err);

/* How numbers are written. */
typedef struct tpi_log_locale {
    char separator; /* of columns: ',' or ';' */
    char point;     /* '.' or ',' */
} tpi_log_locale;

/* The unit that a device says of one of its numbers, such as "voltages[0]"; NULL or "" for none. */
typedef const char *tpi_log_unit_of(void *context, const char *path);

/* Append the names, each behind a separator, with `prefix` in front. `unit_of` may be NULL. */
void tpi_log_columns_names(const tpi_log_columns *columns, const char *prefix,
                           const tpi_log_locale *locale, tpi_log_unit_of *unit_of, void *context,
                           tpi_buf *out);

/* Append the values of a message, each behind a separator; NULL makes all of them empty. */
void tpi_log_columns_row(const tpi_log_columns *columns, const void *value,
                         const tpi_log_locale *locale, tpi_buf *out);

#endif
