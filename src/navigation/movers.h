/*
 * movers.h - what moves around a robot: people, other robots.
 *
 * Readings that lie close together in front of everything else are a thing. Things are followed
 * from scan to scan, and one that has got somewhere is a mover, with a velocity. It stays one until
 * it has not got on for some seconds, since it may walk on at any time, and it is remembered for
 * three seconds where the sensor does not look. Places are in the frame of the odometry.
 */
#ifndef TROUPE_NAVIGATION_MOVERS_H
#define TROUPE_NAVIGATION_MOVERS_H

#include "navigation/window.h"

enum { TPI_NAV_MOST_MOVERS = 32 };

typedef struct tpi_nav_mover {
    double x, y, vx, vy; /* m, m/s */
    double radius;
    double pace; /* m/s: how fast it was lately; it may be so again, in any direction */
} tpi_nav_mover;

/* A thing that is followed. */
struct nav_track {
    tpi_nav_mover at;
    tpi_nav_point born; /* where it was seen first; of one that walks, where it got on last */
    double got_on;      /* when that was, in seconds */
    double time;        /* when it was seen last */
    unsigned seen;      /* how often; 0 for none */
    bool walks;         /* it has got somewhere */
    bool partly;        /* the view ends in it: `at` is its edge */
};

typedef struct tpi_nav_movers {
    struct nav_track tracks[TPI_NAV_MOST_MOVERS];
} tpi_nav_movers;

/* Forget everything: the odometry has jumped. */
void tpi_nav_movers_clear(tpi_nav_movers *movers);

/* Take readings, in the order of their angles, that were made at a time with the robot at a pose.
 */
void tpi_nav_movers_take(tpi_nav_movers *movers, const tpi_nav_pose *pose,
                         const tpi_nav_beam *beams, size_t count, double time);

/* Those that move, as they are at a time and in the frame of the robot; their number. */
size_t tpi_nav_movers_around(const tpi_nav_movers *movers, const tpi_nav_pose *pose, double time,
                             tpi_nav_mover out[TPI_NAV_MOST_MOVERS]);

#endif
