/*
 * tuning.h - the controllers of a vehicle whose gains and limits a client has set.
 *
 * Without tuning, the engine drives a vehicle: it reaches a speed as fast as its acceleration
 * allows. The extension requests of a profile (profile.h) replace that by controllers like those of
 * the real device. They run once for each step:
 *
 *     SPEED_PID     acceleration = kp e + ki (integral of e) + kd (change of e), e in m/s or rad/s
 *     POSITION_PID  speed = kp e + ki (integral of e) + kd (change of e), e in m or rad
 *     SPEED_PROF    bounds of the speed and of its change on the way to a pose
 *
 * Gains that are all 0, or limits that are 0, restore the engine's own controller.
 */
#ifndef SIM_TUNING_H
#define SIM_TUNING_H

#include "simulator.h"

typedef struct simd_gains {
    double p, i, d;
} simd_gains;

typedef enum simd_goal {
    SIMD_GOAL_NONE, /* the engine drives */
    SIMD_GOAL_SPEED,
    SIMD_GOAL_POSE,
} simd_goal;

typedef struct simd_tuning {
    simd_gains speed, position;
    double most_mps, most_mps2; /* on the way to a pose; 0 for no limit */
    simd_goal goal;
    double target[3];       /* a velocity, or a pose of the odometry */
    double way[2];          /* the speed and the rate of turn to a pose; 0 for as usual */
    double sum[3], last[3]; /* of the errors; the error one step ago */
    bool begun;             /* `last` is valid */
} simd_tuning;

/* Whether the tuning, not the engine, drives to such a goal. */
bool tpi_simd_tuning_drives(const simd_tuning *t, tpi_sim_drive_mode mode);

/* Take a command over; the first velocity follows from tpi_simd_tuning_step(). `way` is the speed
 * (m/s) and the rate of turn (rad/s) on the way to a pose, 0 for as usual. */
void tpi_simd_tuning_begin(simd_tuning *t, tpi_sim_drive_mode mode, const double target[3],
                           const double way[2]);

/* The vehicle was stopped, or the engine drives it from now on. */
void tpi_simd_tuning_end(simd_tuning *t);

/* Give the engine the velocity of the next step; nothing if there is no goal. */
void tpi_simd_tuning_step(simd_tuning *t, const simd_device *d);

#endif
