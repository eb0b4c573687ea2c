/* log_plot.h - what the files that draw recordings share. */
#ifndef TROUPE_APPS_LOG_PLOT_H
#define TROUPE_APPS_LOG_PLOT_H

#include "chart.h"
#include "log.h"
#include "log/field.h"
#include "log_pairs.h"

enum { PLOT_MOST_COLUMNS = 32 };

/* What the user wants to see: DEVICE/FIELD or DEVICE/MESSAGE/FIELD. */
struct plot_column {
    char device[80], message[48], path[128];
    bool found;
};

struct plot_series {
    uint16_t channel;
    tpi_log_field field;
    char label[128];
    double uncertainty;
    tpi_log_curve *curve; /* owned */
};

/* A property of a recorded device that says something about its numbers. */
struct plot_fact {
    char device[80], key[96], value[48];
};

/* What is drawn of a recording. */
struct plot {
    const char *path, *out;
    bool force;
    struct plot_column columns[PLOT_MOST_COLUMNS]; /* none: all plain numbers */
    unsigned column_count;
    struct plot_column x; /* path "": time */
    tp_catalogue *catalogue;
    tpi_log_track *tracks;      /* owned, by channel */
    bool *seen;                 /* owned, by channel */
    struct plot_series *series; /* owned */
    unsigned series_count, left_out;
    struct plot_fact *facts; /* owned */
    unsigned fact_count;
    bool has_x;
    uint16_t x_channel;
    tpi_log_field x_field;
    char x_label[128];
    log_pairs *pairs; /* owned; samples over each other; NULL if there are none */
    double x_now;
    bool x_known;
    uint64_t first_ns;
    bool begun;
    uint64_t start_ns; /* of an experiment, on the clock of its samples; 0: not known */
    tp_error damage;
};

/* Draw what was read, and write it to `out`. */
int log_picture_write(struct plot *plot);

#endif
