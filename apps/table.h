/*
 * table.h - rows and columns of text, as wide as they have to be.
 *
 * Cells are appended one after the other; the column's heading tells how it is set.
 */
#ifndef TROUPE_APPS_TABLE_H
#define TROUPE_APPS_TABLE_H

#include "base/buf.h"

enum { TABLE_COLUMNS = 16 };

struct table {
    const char *const *headings; /* borrowed; ended by NULL; numbers stand right: ">READERS" */
    tpi_buf cells;               /* each ended by a NUL */
};

/* Headings in capitals; at most TABLE_COLUMNS. */
void table_init(struct table *table, const char *const *headings);
void table_fini(struct table *table);

/* The next cell. Text from elsewhere is made harmless. */
void table_cell(struct table *table, const char *format, ...) TP_PRINTF(2, 3);

/* Append the table, each line with `indent` blanks before it, and no longer than `most` columns (0
 * for any length): its last column is cut. If that is not enough, long texts in the columns between
 * the first and the last one keep only their beginning and their end. */
void table_put(tpi_buf *out, const struct table *table, size_t indent, size_t most);

/* The same, but the last column is not cut: as long as the table is too wide, columns are left out
 * from the right, first those in which every cell is 0, - or empty, then, if shorter texts are not
 * enough, others. A last line names these. */
void table_put_fitting(tpi_buf *out, const struct table *table, size_t indent, size_t most);

#endif
