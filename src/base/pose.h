/*
 * pose.h - poses in space: one put behind another, turned round, written as angles.
 *
 * Angles are roll, pitch and yaw about fixed axes x, y and z, in that order, as in REP 103: x
 * points forward, y to the left, z up.
 */
#ifndef TROUPE_BASE_POSE_H
#define TROUPE_BASE_POSE_H

typedef struct tpi_pose {
    double x;
    double y;
    double z;
    double roll;
    double pitch;
    double yaw;
} tpi_pose;

/* The pose in the frame that `frame` is given in, of something that has the pose `inner` in
 * `frame`. */
tpi_pose tpi_pose_compose(const tpi_pose *frame, const tpi_pose *inner);

/* How the frame in which `pose` is given sits in `pose`. */
tpi_pose tpi_pose_invert(const tpi_pose *pose);

/* Straight up or down (pitch of a quarter turn) yaw and roll turn about the same axis; all of it is
 * reported as yaw then. Angles are between -pi and pi, pitch between -pi/2 and pi/2. */

#endif
