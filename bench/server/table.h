/*
 * table.h - what was measured, as a table or as JSON lines, and in the end which goals are reached.
 */
#ifndef TROUPE_BENCH_SERVER_TABLE_H
#define TROUPE_BENCH_SERVER_TABLE_H

#include <stdbool.h>

enum { MOST_FIGURES = 6 };

/* One figure and what the floor did in the same run; NAN for a figure without a floor. */
typedef struct table_figure {
    const char *name; /* with its unit: "p50_us" */
    double ours;
    double floor;
} table_figure;

typedef struct table_row {
    const char *name; /* what was measured */
    const char *with; /* with what */
    int count;
    table_figure figures[MOST_FIGURES];
} table_row;

/* A row; with a line of figure names above it if they differ from those of the last row. */
void table_print(bool json, const table_row *row);

/* Note that a figure should be at most, or at least, `limit`. */
void table_at_most(const char *what, double figure, double limit);
void table_at_least(const char *what, double figure, double limit);

/* Print all that was noted. */
void table_print_goals(bool json);

#endif
