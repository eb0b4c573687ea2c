/*
 * wheels.h - two driven wheels: their speeds for a velocity, and the way that they have rolled.
 */
#ifndef CLASSIC_WHEELS_H
#define CLASSIC_WHEELS_H

#include "troupe/driver/position2d.h"

/* The speeds of the wheels (left, right, m/s) for a velocity. If one of them would be faster than
 * `most`, both are slower in the same proportion. Fails if the velocity has no numbers. */
tp_status tpi_wheels_speeds(double out[2], const tp_pose2d *velocity, double axle, double most,
                            tp_error *err);

/* Set a pose to another one. Fails if that has no numbers. */
tp_status tpi_wheels_place(tp_pose2d *pose, const tp_pose2d *to, tp_error *err);

/* Move a pose along the ways of both wheels, in metres. */
void tpi_wheels_roll(tp_pose2d *pose, double left, double right, double axle);

/* The way between two counters of 32 bits, also over their end. */
int32_t tpi_wheels_ticks(uint32_t from, uint32_t to);

#endif
