/*
 * chart.h - curves as a picture, SVG or PNG: panels below each other, each with axes, units, a
 * legend, and bands where values are uncertain.
 */
#ifndef TROUPE_APPS_CHART_H
#define TROUPE_APPS_CHART_H

#include "base/buf.h"
#include "log/curve.h"

enum { CHART_MOST_CURVES = 8 /* of a panel: as many as there are colours */ };

struct chart_curve {
    tpi_log_curve *points; /* borrowed */
    const char *label;     /* borrowed */
    double uncertainty;    /* the band is so far to both sides; 0 for none */
};

struct chart_panel {
    const char *title, *x_label, *y_label; /* borrowed */
    bool equal;                            /* x and y have the same scale, as on a map */
    bool over_time;                        /* all such panels have the same x */
    struct chart_curve curves[CHART_MOST_CURVES];
    unsigned count;
};

/* Append the picture. Fails without memory. */
tp_status chart_put(tpi_buf *out, bool is_png, const struct chart_panel *panels, unsigned count,
                    const char *title, tp_error *err);

#endif
