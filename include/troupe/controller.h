/*
 * controller.h - a program that drives one robot of a simulated world, as a plug-in.
 *
 * For worlds that run by themselves and for swarms: it runs in the simulator, right after each
 * step, so what it does is part of the world and the same in every run. A model of a world file
 * names it with its arguments, `ctrl "spin 0.5"`. The plug-in "spin" is a file spin.so or
 * libspin.so, in a folder of the variable TROUPE_PLUGIN_PATH or beside the world, and has the
 * symbol tp_controller_spin:
 *
 *     cc -std=c11 -shared -fPIC -o spin.so spin.c $(pkg-config --cflags troupe)
 *
 * A robot program proper is a client (troupe/client.h): it runs on real robots too.
 */
#ifndef TROUPE_CONTROLLER_H
#define TROUPE_CONTROLLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "troupe/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Changes with every change of this header that a compiled controller would notice. */
enum { TP_CONTROLLER_ABI = 1 };

/* The robot that a controller drives. */
typedef struct tp_robot tp_robot;

typedef struct tp_controller {
    uint32_t abi; /* TP_CONTROLLER_ABI */
    const char *name;
    size_t state_size; /* zeroed bytes for each robot */

    /* Called once for each robot, when the world has been loaded. `arguments` is what stands behind
     * the name, "" for nothing; borrowed. Optional. */
    tp_status (*init)(tp_robot *robot, void *state, const char *arguments, tp_error *err);
    /* After each step of the world: look, then drive. Required. */
    void (*step)(tp_robot *robot, void *state);
    /* The world ends; follows every init, failed or not. Optional. */
    void (*fini)(void *state);
} tp_controller;

/* The name of its model; borrowed as long as the robot. */
TP_API const char *tp_robot_name(const tp_robot *robot);

/* The time of the world, in seconds. */
TP_API double tp_robot_time_s(const tp_robot *robot);

/* Where it believes to be: x, y in metres and heading in radians; how it moves, forward, to the
 * left and turning; whether something is in its way. `velocity` and `stalled` may be NULL. */
TP_API void tp_robot_get_pose(const tp_robot *robot, double pose[3], double velocity[3],
                              bool *stalled);

/* What sensor `index` of all its rangers saw last, from right to left; how many ranges there are, 0
 * beyond the last sensor. `fov` and `range_max` may be NULL. Borrowed until the step ends. */
TP_API size_t tp_robot_get_ranges(const tp_robot *robot, size_t index, const double **ranges,
                                  double *fov, double *range_max);

/* What other sensors have measured last. Those of a kind are counted through, in the order of the
 * world file. False beyond the last one, and while it has not measured yet. */

/* One eye of a floor sensor, which looks straight down. */
typedef struct tp_robot_floor {
    double x, y;        /* where it is: ahead of the robot's middle, and to the left of it */
    double reflectance; /* from 0 for black to 1 for white */
    uint32_t colour;    /* 0xRRGGBB */
} tp_robot_floor;

/* A marker that a fiducial finder sees; the nearest comes first. */
typedef struct tp_robot_fiducial {
    int32_t id;     /* 0 if it is too far away to be read */
    double range;   /* in metres, from the finder */
    double bearing; /* in radians, to the left of where the finder looks */
    double heading; /* of what carries it, as the finder sees it */
} tp_robot_fiducial;

TP_API bool tp_robot_get_floor(const tp_robot *robot, size_t index, tp_robot_floor *floor);
TP_API bool tp_robot_get_light(const tp_robot *robot, size_t index, double *level);
TP_API bool tp_robot_get_bumper(const tp_robot *robot, size_t index, bool *pressed);
TP_API bool tp_robot_get_fiducial(const tp_robot *robot, size_t index, tp_robot_fiducial *fiducial);

/* Drive: forward and to the left in m/s, turning in rad/s; until told otherwise. While a client
 * drives the robot, or it was stopped from outside (a panic, motors that are off), the last word is
 * kept for later. */
TP_API void tp_robot_drive(tp_robot *robot, double forward, double left, double turn);

#ifdef __cplusplus
}
#endif
#endif
