/* experiment_draw.h - the paths of an experiment as a picture. */
#ifndef TROUPE_APPS_EXPERIMENT_DRAW_H
#define TROUPE_APPS_EXPERIMENT_DRAW_H

#include "experiment.h"

/* The runs of a robot: `count` results, each `stride` apart; those of a frozen sensor follow each.
 */
typedef struct experiment_panel {
    const char *title;
    const experiment_result *results; /* borrowed */
    unsigned stride, count;
    bool has_frozen;
} experiment_panel;

/* Append an SVG file: a room for each robot, its paths in colours, those of a frozen sensor grey.
 */
void experiment_draw(tpi_buf *out, const experiment_panel *panels, unsigned count);

#endif
