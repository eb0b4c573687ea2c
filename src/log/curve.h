/*
 * curve.h - millions of points as a curve that fits into a picture.
 *
 * Points of a series over time are kept by columns: each has the first, the last, the least and the
 * greatest value of its points. When the series outgrows the columns, two become one. So nothing
 * that a picture can show is lost, whatever the number of points, and memory is bounded.
 *
 * A way (y over x) keeps points that are apart; when there are too many, the distance is doubled.
 */
#ifndef TROUPE_LOG_CURVE_H
#define TROUPE_LOG_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "troupe/status.h"

typedef struct tpi_log_curve tpi_log_curve;

/* The points of a column. */
typedef struct tpi_log_column {
    uint64_t count;
    double first_x, last_x;
    double first, last, low, high;
} tpi_log_column;

/* `is_way`: x does not grow. NULL without memory. */
tpi_log_curve *tpi_log_curve_create(bool is_way);
void tpi_log_curve_destroy(tpi_log_curve *curve); /* NULL is accepted */

/* Add a point. Of a series over time, x is at least 0 and may go back a little. */
void tpi_log_curve_add(tpi_log_curve *curve, double x, double y);

/* The ranges of all points; false if there are none. */
bool tpi_log_curve_range(const tpi_log_curve *curve, double x[2], double y[2]);

/* How many points were added. */
uint64_t tpi_log_curve_points(const tpi_log_curve *curve);

/* The columns, in order, or the points of a way, each a column of one point. Empty columns are left
 * out. Returns how many there are; the i-th is at `columns[i]`, borrowed until the next call. */
size_t tpi_log_curve_columns(tpi_log_curve *curve, const tpi_log_column **columns);

#endif
