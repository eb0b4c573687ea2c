/*
 * profile.h - how one dof moves: from its commanded state to a target, within its limits.
 *
 * A profile is at most three pieces of a polynomial of degree three, in the motion's own time,
 * which starts at 0. After its last piece the dof stays where it is, or keeps its speed if the
 * profile has no end. All functions are pure.
 */
#ifndef TROUPE_MOTION_PROFILE_H
#define TROUPE_MOTION_PROFILE_H

#include <stdbool.h>

/* Limits of a dof. Position and velocity may be infinite; the acceleration is finite and over 0. */
typedef struct tpi_motion_limits {
    double lower, upper, velocity, acceleration;
} tpi_motion_limits;

/* Position and speed of a dof at an instant. */
typedef struct tpi_motion_point {
    double position, velocity;
} tpi_motion_point;

typedef struct tpi_motion_piece {
    double start_s;            /* in the motion's time */
    double position, velocity; /* at its start */
    double half_acc,
        third_order; /* p(u) = position + velocity u + half_acc u^2 + third_order u^3 */
} tpi_motion_piece;

typedef struct tpi_motion_profile {
    tpi_motion_piece pieces[3];
    int count;
    double end_s; /* infinite: the speed lasts */
    tpi_motion_point last;
} tpi_motion_profile;

/* Move to `target` as fast as the limits allow and stand there. The target must be within the
 * limits. If the speed at the start is too high to stop at the target, it is passed and approached
 * again. */
void tpi_motion_profile_trapezoid(tpi_motion_profile *out, tpi_motion_point from, double target,
                                  const tpi_motion_limits *limits);

/* Move to `target` in `duration_s` along a cubic and stand there. Returns true if it arrives then;
 * false if the limits need longer: the profile is the shortest cubic that they allow, or a
 * trapezoid if no cubic stays within them. */
bool tpi_motion_profile_cubic(tpi_motion_profile *out, tpi_motion_point from, double target,
                              double duration_s, const tpi_motion_limits *limits);

/* Change the speed to `velocity`, which must be within the limit, with at most `acceleration`, and
 * keep it. The dof stops before a position limit. */
void tpi_motion_profile_speed(tpi_motion_profile *out, tpi_motion_point from, double velocity,
                              double acceleration, const tpi_motion_limits *limits);

/* Where the dof is at a time of the motion. */
tpi_motion_point tpi_motion_profile_at(const tpi_motion_profile *profile, double time_s);

/* The acceleration at a time of the motion; 0 after its end. */
double tpi_motion_profile_acceleration(const tpi_motion_profile *profile, double time_s);

#endif
