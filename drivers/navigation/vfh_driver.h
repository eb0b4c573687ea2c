/*
 * vfh_driver.h - what the files of the drivers `vfh` and `nd` share.
 *
 * vfh.c runs the instance, vfh_stuck.c decides where it cannot go on, vfh_settings.c and
 * nd_settings.c read the configuration of each.
 */
#ifndef TROUPE_DRIVERS_NAVIGATION_VFH_DRIVER_H
#define TROUPE_DRIVERS_NAVIGATION_VFH_DRIVER_H

#include "beams.h"
#include "control.h"
#include "navigation/vfh.h"
#include "troupe/interfaces/planner.h"
#include "troupe/interfaces/position2d.h"

extern const tp_param tpi_vfh_params[];
extern const tp_param tpi_nd_params[];
extern const tp_param tpi_snd_params[];

/* Giving up where the robot is stuck: of `nd`. */
struct vfh_stuck {
    bool watched, waits;
    double drive_s, turn_s; /* how long it may go on without progress */
    double way, angle;      /* so much is progress */
    tpi_nav_pose from;      /* the last progress */
    double from_s;          /* its time; 0 for none yet */
    bool given_up;
};

/* Leaving a place where the robot is stuck. */
struct vfh_escape {
    double speed, duration, turnrate; /* of the configuration; 0 for none */
    double until;                     /* s: the time of the data at which it ends; 0 for never */
    bool left;                        /* it turns left this time */
};

/* Standing after a contact among people. */
struct vfh_yield {
    double seen_s; /* when somebody who walks was seen last, in the time of the data; 0 for never */
    double until;  /* s: it stands until then; 0 for not */
    bool touched;  /* the robot said so with its last state */
};

struct vfh {
    tp_device *position; /* borrowed; NULL if it is not offered */
    tp_device *planner;  /* borrowed; NULL if it is not offered */
    tp_link *base;       /* borrowed */
    tp_link *input;      /* borrowed: says where the robot is; NULL if the base does */
    struct beams beams;
    tpi_nav_window window;
    tpi_nav_movers movers;
    tpi_nav_vfh method;
    struct vfh_escape escape;
    struct vfh_stuck stuck;
    struct vfh_yield yield;
    bool sized; /* the configuration says how large the robot is */

    tpi_nav_pose pose;
    bool posed;         /* the robot has said where it is */
    bool stalled;       /* it has said that it is stuck */
    int64_t base_ns;    /* when it has spoken last */
    int64_t sensor_ns;  /* when the sensor has */
    int64_t timeout_ns; /* a sensor or robot that is silent for longer counts as lost */
    double stepped;     /* s: time of the data of the last decision */

    tpi_control control; /* what POSITION_MODE of the position2d has chosen */
    bool passes;         /* the last command was a velocity of a client, which went to the robot */

    bool active;  /* there is a goal, and the robot may go there */
    bool enabled; /* ENABLE of the planner */
    bool blind;   /* it was stopped because of silence */
    tpi_nav_pose goal;
    tpi_nav_point *points; /* owned */
    size_t most_points;
};

/* Send a velocity to the robot. */
tp_status tpi_vfh_send(const struct vfh *v, double forward, double turn);

/* Whether it does not drive to its goal now: it leaves a place where it is stuck, has given up, or
 * stands after a contact. */
bool tpi_vfh_is_held(struct vfh *v, double time);

/* Read the configuration. From init. */
tp_status tpi_vfh_settings(tp_instance *self, struct vfh *v, tp_error *err);
tp_status tpi_nd_settings(tp_instance *self, struct vfh *v, tp_error *err);
tp_status tpi_snd_settings(tp_instance *self, struct vfh *v, tp_error *err);

/* Read `outline`, which both have. */
tp_status tpi_vfh_outline(tp_instance *self, struct vfh *v, tp_error *err);

#endif
