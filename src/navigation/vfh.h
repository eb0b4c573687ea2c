/*
 * vfh.h - driving to a place without touching anything: the Vector Field Histogram (VFH+).
 *
 * After I. Ulrich and J. Borenstein, VFH+: Reliable Obstacle Avoidance for Fast Mobile Robots
 * (1998). What stands around becomes a histogram over directions: a sector is blocked if the robot,
 * made wider by its safety distance, meets something there. Sectors that the robot cannot reach on
 * its smallest circle are masked. Of the openings that are left, the cheapest direction is taken.
 *
 * Then the velocity is checked: the robot's outline goes along the arc, and its speed is such that
 * it could stop before it touches anything. That is what keeps it from contact; the histogram only
 * chooses where to go.
 *
 * Things that move (movers.h) block the directions where they will be in the next seconds, and the
 * robot must stand before one of them comes to it. So somebody may walk into the robot, but the
 * robot does not drive into somebody who keeps on walking.
 *
 * With `arcs`, the velocity comes from a window of arcs that the robot can drive within the next
 * moment, after M. Seder and I. Petrovic, Dynamic window based approach to mobile robot motion
 * control in the presence of moving obstacles (2007): each is driven in thought among things that
 * stand and things that move, and the one that leads nearest to the chosen direction, far from all
 * of them, is taken.
 */
#ifndef TROUPE_NAVIGATION_VFH_H
#define TROUPE_NAVIGATION_VFH_H

#include "navigation/movers.h"
#include "navigation/outline.h"

enum { TPI_NAV_MOST_SECTORS = 360 };

/* A setting for a robot that stands, and for one that goes at 1 m/s; linear in between. */
typedef struct tpi_nav_pair {
    double still, moving;
} tpi_nav_pair;

typedef struct tpi_nav_vfh_settings {
    unsigned sectors;        /* in a full turn */
    double view;             /* m: how far it looks */
    tpi_nav_pair safety;     /* m: distance to keep */
    tpi_nav_pair turnrate;   /* rad/s */
    tpi_nav_pair lookahead;  /* m: what is nearer blocks a direction */
    double min_turnrate;     /* rad/s: slower turns on the spot are not commanded */
    double max_speed;        /* m/s */
    double speed_narrow;     /* m/s: in an opening of less than 80 degrees */
    double speed_wide;       /* m/s */
    double max_acceleration; /* m/s^2 */
    double radius_factor;    /* of the smallest circle */
    double weight_goal, weight_current;
    double distance_epsilon, angle_epsilon;
    tpi_nav_outline outline;
    bool arcs; /* the velocity comes from a window of arcs */
} tpi_nav_vfh_settings;

typedef enum tpi_nav_vfh_state {
    TPI_NAV_VFH_IDLE,    /* there is no goal */
    TPI_NAV_VFH_DRIVES,  /* on its way */
    TPI_NAV_VFH_TURNS,   /* at the place, turning to the angle */
    TPI_NAV_VFH_BLOCKED, /* no direction is free; looks for one */
    TPI_NAV_VFH_DONE,
} tpi_nav_vfh_state;

typedef struct tpi_nav_vfh {
    tpi_nav_vfh_settings settings;
    tpi_nav_vfh_state state;
    double picked; /* the direction that was taken last, in the frame of the odometry */
    bool has_picked;
    double speed; /* m/s: the last command */
    double turn;
    bool blocked[TPI_NAV_MOST_SECTORS];        /* the histogram */
    tpi_nav_mover movers[TPI_NAV_MOST_MOVERS]; /* set before a step, in the robot's frame */
    size_t mover_count;
} tpi_nav_vfh;

/* Begin with a new goal: what was picked before is forgotten. */
void tpi_nav_vfh_begin(tpi_nav_vfh *vfh);

/* One decision: the velocity for the next `period` seconds. `pose` and `goal` are in the frame of
 * the odometry, the points in that of the robot. */
void tpi_nav_vfh_step(tpi_nav_vfh *vfh, const tpi_nav_pose *pose, const tpi_nav_pose *goal,
                      const tpi_nav_point *points, size_t count, double period);

/* The highest part of a velocity, from 0 to 1, with which the robot can stop before it touches
 * anything, and stands before a mover comes to it. */
double tpi_nav_vfh_allowed(const tpi_nav_vfh *vfh, double forward, double turn,
                           const tpi_nav_point *points, size_t count);

/* arcs.c. How near movers will come while the robot drives along an arc for some seconds: the
 * least distance in metres, at most `most`; 0 if they touch. Only movers that it drives towards
 * count. Above 0, `brake` is the rate at which it brakes after its delay, until it stands. */
double tpi_nav_arc_clearance(const tpi_nav_vfh *vfh, double forward, double turn, double seconds,
                             double brake, double most);

/* The best arc towards a direction; false if none leads on. */
bool tpi_nav_arc_choose(tpi_nav_vfh *vfh, double angle, double limit, const tpi_nav_point *points,
                        size_t count, double period);

#endif
