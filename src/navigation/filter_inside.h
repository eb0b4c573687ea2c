/* filter_inside.h - what the files of the particle filter share. */
#ifndef TROUPE_NAVIGATION_FILTER_INSIDE_H
#define TROUPE_NAVIGATION_FILTER_INSIDE_H

#include "navigation/filter.h"

enum { FILTER_BINS = 1 << 16, FILTER_MOST = 1 << 17 };

/* Bins of half a metre and ten degrees, in a table with open addresses. */
struct filter_bins {
    struct filter_bin {
        int32_t x, y, a;
        bool used;
        double weight;
    } table[FILTER_BINS];
    uint32_t list[FILTER_BINS]; /* those that are used */
    size_t used;
    double until[FILTER_MOST]; /* room for sums of weights */
};

void tpi_nav_bins_clear(struct filter_bins *bins);

/* Count a pose. When three quarters of the table are used, new bins are not counted. */
void tpi_nav_bins_add(struct filter_bins *bins, const tpi_nav_pose *pose, double weight);

/* The guesses, from particles and bins. */
void tpi_nav_filter_guess(tpi_nav_filter *filter);

#endif
