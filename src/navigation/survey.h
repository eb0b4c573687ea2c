/*
 * survey.h - a map that a robot makes while it drives.
 *
 * Each scan is compared with the map so far: poses around the one that the odometry tells are
 * tried, and the one whose readings end nearest to what is occupied counts (match.c). Then the scan
 * is drawn into the map: cells that beams end in become more likely occupied, cells that beams pass
 * become more likely free. A cell changes at most once with each scan, and what a beam ends in is
 * stronger, so that a wall which is seen from the side stays.
 *
 * Each occupied cell remembers where in it beams have ended: otherwise every wall would pull the
 * robot to the middles of its cells.
 *
 * The grid grows with what is seen. Its cells are on multiples of its scale.
 */
#ifndef TROUPE_NAVIGATION_SURVEY_H
#define TROUPE_NAVIGATION_SURVEY_H

#include "navigation/grid.h"
#include "navigation/window.h"

/* Parts of a cell that `ends` counts in. */
enum { TPI_NAV_SURVEY_PARTS = 128 };

typedef struct tpi_nav_survey_settings {
    double scale;     /* m: side of a cell */
    double longest;   /* m: readings are used so far */
    double reach;     /* m: how wrong the odometry can be between two scans */
    double twist;     /* rad: likewise its angle */
    size_t most;      /* cells; what does not fit is left out */
    size_t few_beams; /* readings of a scan that are compared with the map */
} tpi_nav_survey_settings;

typedef struct tpi_nav_survey {
    tpi_nav_survey_settings settings;
    tpi_nav_grid grid; /* owned: what is known */
    int8_t *odds;      /* owned: how sure each cell is; above 0 it is occupied */
    uint16_t *stamps;  /* owned: the scan that changed it last */
    int8_t *ends;  /* owned: x and y of what beams met in each cell, from its centre, on average */
    uint16_t scan; /* number of the scan that is drawn */
    tpi_nav_pose pose; /* of the robot at its last scan, in the map */
    double fit;        /* how well that scan fitted: 1 is as well as can be; 0 without a map */
    size_t scans;      /* that were taken */
    bool full;         /* something did not fit into `most` cells */
} tpi_nav_survey;

/* An empty map; the robot is at `start`. */
void tpi_nav_survey_init(tpi_nav_survey *survey, const tpi_nav_survey_settings *settings,
                         const tpi_nav_pose *start);
void tpi_nav_survey_fini(tpi_nav_survey *survey);

/* Take a scan. The robot has moved by `by` since the last one, in its own frame, as its odometry
 * tells; `pose` is better afterwards. TP_E_NOMEM leaves the map as it was. */
tp_status tpi_nav_survey_take(tpi_nav_survey *survey, const tpi_nav_pose *by,
                              const tpi_nav_beam *beams, size_t count, tp_error *err);

/* The pose near `guess` at which the readings fit the map best, and how well (match.c). */
tp_status tpi_nav_survey_match(const tpi_nav_survey *survey, const tpi_nav_pose *guess,
                               const tpi_nav_beam *beams, size_t count, tpi_nav_pose *out,
                               double *fit, tp_error *err);

#endif
