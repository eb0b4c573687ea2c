/*
 * icp.h - how a scanner has moved between two scans, from the scans alone: the metric-based
 * iterative closest points of Minguez, Montesano and Lamiraux (2006).
 *
 * Each point of the new scan is drawn to the nearest place on the reference scan. Nearness counts
 * turning too: a point that is far away moves far by a small turn. `l` says how much a radian is
 * worth in metres. All pairs together say the best motion; that is repeated until it is small.
 */
#ifndef TROUPE_NAVIGATION_ICP_H
#define TROUPE_NAVIGATION_ICP_H

#include "navigation/window.h"

typedef struct tpi_nav_icp_settings {
    double l;        /* m: what a radian is worth */
    double window;   /* rad: how far apart two points may be seen */
    double radial;   /* m: how much farther one of them may be */
    double gap;      /* m: neighbours that are farther apart are no wall */
    double kept;     /* 0 to 1: this part of the pairs counts, the nearest ones */
    double least;    /* 0 to 1: so many of the points need a partner */
    double done[3];  /* m, m, rad: a motion below this is the last */
    unsigned most;   /* rounds */
    unsigned smooth; /* so many small motions in a row end it */
} tpi_nav_icp_settings;

enum { TPI_NAV_ICP_MOST_POINTS = 1500 };

/* Points of a scan in the order of their angles, in the frame of the scanner. */
typedef struct tpi_nav_icp_scan {
    tpi_nav_point points[TPI_NAV_ICP_MOST_POINTS];
    size_t count;
} tpi_nav_icp_scan;

/* The motion from `before` to `now` in the frame of `before`; `motion` has a guess and gets the
 * answer. False if the scans do not fit, or it does not come to an end; the guess stays then. */
bool tpi_nav_icp(const tpi_nav_icp_scan *before, const tpi_nav_icp_scan *now,
                 const tpi_nav_icp_settings *settings, tpi_nav_pose *motion);

#endif
