/*
 * twist.h - speeds of dofs that move a control frame with a twist, one period after the other; and
 * their forces for a wrench.
 *
 * The speeds come from the Jacobian in the middle of the period by damped least squares. All are
 * lowered by the same factor where one is over its limit, has to brake before the end of its range,
 * or where the frame is near a singularity (see path.h): the frame keeps its direction. They change
 * within the accelerations. All functions are pure.
 */
#ifndef TROUPE_MOTION_TWIST_H
#define TROUPE_MOTION_TWIST_H

#include "kinematics/mechanism.h"
#include "motion/profile.h"

typedef struct tpi_motion_twist {
    const tpi_chain *chain;          /* of the control frame */
    const bool *fixed;               /* for each column: it is not moved */
    const tpi_motion_limits *limits; /* for each column */
    double *values;                  /* of all dofs, at the start of the period; used up */
    double twist[6];                 /* linear, angular; or force, torque */
    double period_s;
    double (*left_s)[2]; /* for each column: the time that its speed may be lowered and raised
                                  for; NULL: the period */
} tpi_motion_twist;

/* The speeds of a period: in, of the period before; out, of this one. Returns whether the frame
 * moves as asked for, or will when the accelerations allow it. */
bool tpi_motion_twist_step(const tpi_motion_twist *what, double *speeds);

/* The forces of the columns that make a wrench. */
void tpi_motion_twist_forces(const tpi_motion_twist *what, double *forces);

#endif
