/*
 * path.h - how dofs bring a control frame to a pose, within their limits.
 *
 * The frame goes along a straight line and turns about one axis. Where the dofs cannot follow the
 * line (it leaves their reach or passes a limit), each dof goes straight to a solution instead. A
 * path is the values of the dofs at knots, joined by cubics without a bend, and the time at which
 * each knot is passed. It begins and ends at rest.
 *
 * The speed at a knot is what the limits of all dofs allow. Where the condition number of the
 * Jacobian is over TPI_MOTION_SLOW_FROM the frame is slower by their ratio, down to a twentieth.
 * All functions are pure.
 */
#ifndef TROUPE_MOTION_PATH_H
#define TROUPE_MOTION_PATH_H

#include "kinematics/mechanism.h"
#include "motion/profile.h"

enum { TPI_MOTION_KNOTS = 33, TPI_MOTION_SLOW_FROM = 50 };

typedef struct tpi_motion_path {
    unsigned columns;
    double values[TPI_MOTION_KNOTS][TPI_CHAIN_DOFS];
    double slopes[TPI_MOTION_KNOTS][TPI_CHAIN_DOFS]; /* per length of the path, which is 1 */
    double times_s[TPI_MOTION_KNOTS];                /* when a knot is passed */
    double speeds[TPI_MOTION_KNOTS];                 /* lengths per second there */
    double end_s;
    bool cubic; /* it follows one cubic in time; otherwise speeds change evenly between knots */
} tpi_motion_path;

/* What is asked for. */
typedef struct tpi_motion_way {
    const tpi_chain *chain;          /* of the control frame */
    const bool *fixed;               /* for each column: it is not moved */
    const tpi_motion_limits *limits; /* for each column */
    double *values;                  /* of all dofs, at the start; used up */
    tpi_spatial goal;
    double duration_s; /* 0: as fast as the limits allow */
} tpi_motion_way;

typedef enum tpi_motion_planned {
    TPI_MOTION_AS_ASKED,
    TPI_MOTION_OTHERWISE,    /* later than asked for, slowed by a singularity, or not straight */
    TPI_MOTION_OUT_OF_REACH, /* there is no path */
} tpi_motion_planned;

/* Where a dof is on its path. */
typedef struct tpi_motion_station {
    tpi_motion_point point;
    double acceleration;
} tpi_motion_station;

/* Plan a path. Takes up to some milliseconds. */
tpi_motion_planned tpi_motion_path_plan(tpi_motion_path *out, const tpi_motion_way *way);

/* Where the dof of a column is at a time of the path. */
tpi_motion_station tpi_motion_path_at(const tpi_motion_path *path, unsigned column, double time_s);

/* How much slower than usual a frame moves where its Jacobian is this: 1 is not slower. Fixed
 * columns do not count. */
double tpi_motion_path_ease(const double *jacobian, unsigned columns, const bool *fixed);

#endif
