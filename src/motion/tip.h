/*
 * tip.h - an arm whose device is commanded by where its tip is: joints to tip, and back.
 *
 * The tip is the first control frame on the link behind the last joint of the arm, also over fixed
 * joints; without one it is that link itself. Poses are in the frame of the root link.
 */
#ifndef TROUPE_MOTION_TIP_H
#define TROUPE_MOTION_TIP_H

#include "motion/engine.h"

typedef struct tpi_motion_tip tpi_motion_tip;

/* Where a tip is: a place, the direction that it points in (its x), the one across it (its y). */
typedef struct tpi_motion_tip_pose {
    double place[3], approach[3], across[3];
} tpi_motion_tip_pose;

/* The tip of an arm that consists of these dofs of the robot, whose mechanism is borrowed.
 * TP_E_INVALID if one of them does not move it. */
tp_status tpi_motion_tip_create(tpi_motion_tip **out, const tpi_motion_robot *robot,
                                const uint16_t *dofs, uint16_t count, tp_error *err);

/* Accepts NULL. */
void tpi_motion_tip_destroy(tpi_motion_tip *tip);

/* Another dof of the robot is at this position. */
void tpi_motion_tip_other(tpi_motion_tip *tip, uint16_t dof, double position);

/* Where the tip is with these positions of the arm's dofs. */
void tpi_motion_tip_forward(tpi_motion_tip *tip, const double *positions, tpi_motion_tip_pose *out);

/* The positions that have the tip there, next to those in `positions`. False if there are none
 * within the limits; `positions` are unchanged then. Directions need not be of length 1. Allocates
 * nothing, and takes up to a millisecond. */
bool tpi_motion_tip_inverse(tpi_motion_tip *tip, const tpi_motion_tip_pose *pose,
                            double *positions);

#endif
