/*
 * space.h - free space for a robot of some size: how far its centre can go in each direction.
 *
 * The robot moves straight and does not turn. Its outline is a circle about its centre or a convex
 * polygon around it. A measured point is in the way of a range of directions, its *arc*: for a
 * circle those between the two tangents. In a direction of its arc it is touched after a certain
 * way, and the least way of all points counts.
 *
 * Two facts make that fast. They hold since all points are touched by the same convex outline:
 * a point whose arc lies inside that of another one is never touched first; and where the arcs of
 * two points overlap, the one whose arc begins first is touched first up to some direction, the
 * other one from there on. So arcs are sorted by where they begin and joined from left to right:
 * with n points and directions the time is n log n.
 */
#ifndef TROUPE_DRIVERS_CSPACE_SPACE_H
#define TROUPE_DRIVERS_CSPACE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "troupe/status.h"

enum { SPACE_MOST_CORNERS = 32 };

typedef struct space_point {
    double x;
    double y;
} space_point;

/* ---- The outline ----------------------------------------------------------------------------- */

/* An edge of the polygon: n . p = offset on it, less inside; n has length 1. */
typedef struct space_edge {
    space_point normal;
    double offset;
} space_edge;

typedef struct space_outline {
    double radius;         /* of a circle; 0 for a polygon */
    uint32_t corner_count; /* counter-clockwise */
    space_point corners[SPACE_MOST_CORNERS];
    space_edge edges[SPACE_MOST_CORNERS];
} space_outline;

/* The corners may come in either order. Fails if they are not 3 to SPACE_MOST_CORNERS of a convex
 * polygon with the centre (0, 0) inside. */
tp_status tpi_cspace_space_outline_set(space_outline *out, const space_point *corners, size_t count,
                                       tp_error *err);

/* ---- Directions ------------------------------------------------------------------------------ */

/* Even angles, counter-clockwise, at most once around. */
typedef struct space_fan {
    double first;
    double step; /* above 0 */
    uint32_t count;
} space_fan;

/* Working memory. Zeroed is a good beginning. */
typedef struct space {
    struct space_arc *arcs;  /* owned: two for each point */
    struct space_arc *spare; /* owned: as many */
    uint32_t point_capacity;
    space_point *headings; /* owned: the directions */
    uint32_t heading_capacity;
    space_fan fan; /* that they are for */
} space;

void tpi_cspace_space_fini(space *s);

/* For each direction: how far the centre can go, at most `most`. Where the robot touches a point
 * already that is 0 towards it, and the point does not count away from it. Allocates only if there
 * are more points or directions than ever before: then false may mean that there is no memory. */
bool tpi_cspace_space_clear(space *s, const space_outline *outline, const space_point *points,
                            uint32_t point_count, const space_fan *fan, double most, double *ways);

#endif
