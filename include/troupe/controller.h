/*
 * controller.h - controllers: plug-ins that drive one robot of a simulated world each.
 *
 * Controllers are for worlds that run without clients, and for swarms. A controller runs in the
 * simulator after each step; its effects are part of the world and the same in every run. A model
 * of a world file names a controller with its arguments: `ctrl "spin 0.5"`. The controller "spin"
 * is a file spin.so or libspin.so in a folder of TROUPE_PLUGIN_PATH or beside the world, and
 * exports the symbol tp_controller_spin:
 *
 *     cc -std=c11 -shared -fPIC -o spin.so spin.c $(pkg-config --cflags troupe)
 *
 * A robot program that should also run on real robots is a client (troupe/client.h).
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

/* Changes when a compiled controller would no longer fit this header. */
enum { TP_CONTROLLER_ABI = 1 };

/* The robot that a controller drives. */
typedef struct tp_robot tp_robot;

typedef struct tp_controller {
    uint32_t abi; /* TP_CONTROLLER_ABI */
    const char *name;
    size_t state_size; /* zeroed bytes for each robot */

    /* Called once for each robot after the world was loaded. `arguments` is the text after the
     * name,
     * "" for none; borrowed. Optional. */
    tp_status (*init)(tp_robot *robot, void *state, const char *arguments, tp_error *err);
    /* Called after each step of the world: read sensors, then drive. Required. */
    void (*step)(tp_robot *robot, void *state);
    /* Called when the world ends; follows every init, failed or not. Optional. */
    void (*fini)(void *state);
} tp_controller;

/* The name of the robot's model; valid as long as the robot. */
TP_API const char *tp_robot_name(const tp_robot *robot);

/* The simulated time in seconds. */
TP_API double tp_robot_time_s(const tp_robot *robot);

/* The robot's odometry: `pose` is x and y in metres and the heading in radians, `velocity` forward
 * and left in m/s and turning in rad/s, `stalled` whether an obstacle blocks it. `velocity` and
 * `stalled` may be NULL. */
TP_API void tp_robot_get_pose(const tp_robot *robot, double pose[3], double velocity[3],
                              bool *stalled);

/* The last ranges of sensor `index`, counted over all rangers of the robot, from right to left.
 * Returns the number of ranges; 0 beyond the last sensor. `fov` and `range_max` may be NULL. The
 * ranges are borrowed until the step ends. */
TP_API size_t tp_robot_get_ranges(const tp_robot *robot, size_t index, const double **ranges,
                                  double *fov, double *range_max);

/* One eye of a floor sensor, which looks straight down. */
typedef struct tp_robot_floor {
    double x, y;        /* its place: ahead of the robot's centre, and to the left of it */
    double reflectance; /* from 0 for black to 1 for white */
    uint32_t colour;    /* 0xRRGGBB */
} tp_robot_floor;

/* A marker that a fiducial finder sees. Index 0 is the nearest. */
typedef struct tp_robot_fiducial {
    int32_t id;     /* 0 if the marker is too far away to be read */
    double range;   /* in metres, from the finder */
    double bearing; /* in radians, to the left of the finder's axis */
    double heading; /* of the marker's carrier, in the finder's frame */
} tp_robot_fiducial;

/* The last measurement of a sensor. Sensors of a kind are numbered in the order of the world file.
 * Each call returns false beyond the last sensor, and before the first measurement. */
TP_API bool tp_robot_get_floor(const tp_robot *robot, size_t index, tp_robot_floor *floor);
TP_API bool tp_robot_get_light(const tp_robot *robot, size_t index, double *level);
TP_API bool tp_robot_get_bumper(const tp_robot *robot, size_t index, bool *pressed);
TP_API bool tp_robot_get_fiducial(const tp_robot *robot, size_t index, tp_robot_fiducial *fiducial);

/* Set the speed: forward and left in m/s, turning in rad/s. It holds until the next call. While a
 * client drives the robot, or a panic or disabled motors stop it, the last speed is kept for later.
 */
TP_API void tp_robot_drive(tp_robot *robot, double forward, double left, double turn);

#ifdef __cplusplus
}
#endif
#endif
