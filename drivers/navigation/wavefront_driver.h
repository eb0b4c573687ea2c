/*
 * wavefront_driver.h - what the files of the driver `wavefront` share.
 *
 * wavefront.c runs the instance, journey.c takes the robot along a plan.
 */
#ifndef TROUPE_DRIVERS_NAVIGATION_WAVEFRONT_DRIVER_H
#define TROUPE_DRIVERS_NAVIGATION_WAVEFRONT_DRIVER_H

#include "beams.h"
#include "gridmap.h"
#include "navigation/plan.h"
#include "troupe/interfaces/planner.h"
#include "troupe/interfaces/position2d.h"

struct wavefront_settings {
    double safety, far, penalty; /* of the plan */
    double distance, angle;      /* so near is at a place */
    double replan_way, replan_s; /* below 0 for never */
    bool turns;                  /* on the spot before waypoints that are to the side */
    bool refresh;                /* fetch the map for every goal */
    double period;               /* s between decisions */
    double patience;             /* s without progress before another way is looked for */
};

/* Where the robot is, in the map and by the odometry of the output. */
struct wavefront_place {
    tpi_nav_pose map, odometry;           /* the last ones */
    double map_s, odometry_s;             /* their times */
    tpi_nav_pose map_then, odometry_then; /* the last ones of the same time */
    double then_s;
    bool has_map, has_odometry;
    int64_t heard_ns;
};

/* The way that is under way. */
struct journey {
    bool active;  /* there is a goal */
    bool enabled; /* ENABLE */
    bool valid, done, planned;
    bool stopped;       /* the output was told to stand still */
    bool turned;        /* for this waypoint it has turned on the spot */
    size_t next;        /* waypoint */
    tpi_nav_pose goal;  /* in the map */
    tpi_nav_point from; /* where it was planned */
    double planned_s, decided_s;
    double best, best_s; /* m to go at the best moment, and when that was */
    tpi_nav_pose stood;  /* where the robot was when it moved last */
    double stood_s;      /* when that was */
    double beyond;       /* m: so far behind the waypoint is what the output is sent to */
    double drawn_s;      /* when the way was planned that is drawn; 0 for none */
};

struct wavefront {
    tp_device *online, *offline; /* borrowed; NULL if not offered */
    tp_link *input, *output;     /* borrowed */
    tp_link *drawing;            /* borrowed: shows the way; NULL for none */
    struct beams beams;          /* of a sensor, if there is one */
    bool waits;                  /* its readings have not been put on the map */
    struct gridmap map;
    tpi_nav_plan plan;
    bool has_plan;   /* the map was taken */
    bool has_radius; /* the robot was asked */
    double radius;   /* of the robot */
    struct wavefront_settings settings;
    struct wavefront_place place;
    struct journey journey;
    int64_t timeout_ns;
    tpi_nav_pose start; /* of the offline planner */
    tp_pose2d *answer;  /* owned: room for the waypoints of an answer */
};

/* One decision, at a time of the data. */
void tpi_journey_step(struct wavefront *w, double time);

/* Show the way as it is now, if it is another one than before. */
void tpi_journey_draw(struct wavefront *w);

/* A new goal. */
void tpi_journey_begin(struct wavefront *w, const tpi_nav_pose *goal);

/* Stand still. */
void tpi_journey_rest(struct wavefront *w);

/* What the sensor sees that is not in the map. */
void tpi_journey_see(struct wavefront *w, double time);

#endif
