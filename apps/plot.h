/*
 * plot.h - curves as a picture (SVG): panels below each other, each with axes, units and a planned
 * and a played curve.
 */
#ifndef TROUPE_APPS_PLOT_H
#define TROUPE_APPS_PLOT_H

#include "base/buf.h"

/* A curve. All zero: empty. */
struct plot_curve {
    double *points; /* owned: x, y, x, y, ... */
    size_t count, room;
};

struct plot_panel {
    char title[64], x_label[32], y_label[32];
    bool equal; /* x and y have the same scale, as on a map */
    struct plot_curve planned, played;
};

/* Append a point; false without memory. Points that are not finite are left out. */
bool plot_add(struct plot_curve *curve, double x, double y);
void plot_panel_fini(struct plot_panel *panel);

/* Append the picture. */
void plot_put(tpi_buf *out, const struct plot_panel *panels, size_t count, const char *title);

#endif
