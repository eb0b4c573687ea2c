/*
 * drive.c - from what each axis is to do to velocities, step by step.
 *
 * Every axis has a speed: of x and y along the own frame or along a direction of the world, which
 * is fixed when the command comes. The sum of all, turned into the robot's own frame, is what it is
 * told.
 */
#include <math.h>

#include "mobile.h"

static const double circle = 6.283185307179586;
static const double pull = 2; /* 1/s: near the end the speed is that part of what is left */

static double approach(double from, double to, double step)
{
    return from + fmax(-step, fmin(step, to - from));
}

double tpi_mobile_drive_left(const struct mobile *m, unsigned axis)
{
    const struct axis *a = &m->axes[axis];
    const double along =
        m->pose[TP_MOBILE_X] * cos(a->direction) + m->pose[TP_MOBILE_Y] * sin(a->direction);

    if (axis == TP_MOBILE_X || axis == TP_MOBILE_Y) {
        return a->goal - along;
    }
    const double left = a->goal - m->pose[axis];
    return mobile_turns(axis) && !tpi_mobile_under_is_line(m) ? remainder(left, circle) : left;
}

/* As fast as it may, but so that it can stop in time. */
static double speed_to_place(const struct mobile *m, unsigned axis)
{
    const struct axis *a = &m->axes[axis];
    const double left = tpi_mobile_drive_left(m, axis);
    const double most = m->max_acceleration[mobile_turns(axis)];
    const double speed = fmin(pull * fabs(left), sqrt(2 * most * fabs(left)));

    return copysign(fmin(a->limit, speed), left);
}

static void step_axis(struct mobile *m, unsigned axis, double dt_s)
{
    struct axis *a = &m->axes[axis];

    if (a->control == TP_MOBILE_VELOCITY) {
        const double step = isfinite(a->limit) ? a->limit * dt_s : HUGE_VAL;
        a->speed = approach(a->speed, a->value, step);
        a->active = a->speed != 0 || a->value != 0;
    } else if (a->control == TP_MOBILE_ACCELERATION) {
        const double faster = a->speed + a->value * dt_s;
        a->speed = fmax(-a->limit, fmin(a->limit, faster));
    } else {
        a->speed = speed_to_place(m, axis);
        a->active = fabs(tpi_mobile_drive_left(m, axis)) > m->tolerance[mobile_turns(axis)];
    }
    a->speed = a->active ? a->speed : 0;
}

void tpi_mobile_drive_step(struct mobile *m, double dt_s)
{
    for (unsigned axis = 0; axis < AXES; axis++) {
        if (m->axes[axis].active) {
            step_axis(m, axis, dt_s);
        }
    }
}

/* Whether the axis moves along a direction of the world. */
static bool is_in_world(const struct axis *a)
{
    return a->frame == TP_MOBILE_WORLD || a->control == TP_MOBILE_POSITION;
}

/* A robot that needs room to turn does so only while it drives. */
static double bounded_turn(const struct mobile *m, double forward, double turn)
{
    const double most = fabs(forward) / m->min_turn_radius;

    return m->min_turn_radius > 0 && fabs(turn) > most ? copysign(most, turn) : turn;
}

void tpi_mobile_drive_velocity(const struct mobile *m, double own[AXES])
{
    const double heading = m->pose[TP_MOBILE_YAW];

    for (unsigned axis = 0; axis < AXES; axis++) {
        own[axis] = 0;
    }
    for (unsigned axis = 0; axis < AXES; axis++) {
        const struct axis *a = &m->axes[axis];
        const bool plane = axis == TP_MOBILE_X || axis == TP_MOBILE_Y;
        if (!a->active) {
            continue;
        }
        if (plane && is_in_world(a)) {
            own[TP_MOBILE_X] += a->speed * cos(a->direction - heading);
            own[TP_MOBILE_Y] += a->speed * sin(a->direction - heading);
        } else {
            own[axis] += a->speed;
        }
    }
    for (unsigned axis = 0; axis < AXES; axis++) {
        own[axis] = mobile_has(m, axis) ? own[axis] : 0;
    }
    own[TP_MOBILE_YAW] = bounded_turn(m, own[TP_MOBILE_X], own[TP_MOBILE_YAW]);
}

bool tpi_mobile_drive_changes(const struct mobile *m)
{
    bool changes = false;

    for (unsigned axis = 0; axis < AXES; axis++) {
        const struct axis *a = &m->axes[axis];
        changes = changes || (a->active && (a->control != TP_MOBILE_VELOCITY ||
                                            a->speed != a->value || a->frame == TP_MOBILE_WORLD));
    }
    return changes;
}

void tpi_mobile_drive_place(const struct mobile *m, double pose[AXES], double speeds[AXES])
{
    for (unsigned axis = 0; axis < AXES; axis++) {
        pose[axis] = m->pose[axis];
        speeds[axis] = m->max_speed[mobile_turns(axis)];
    }
    for (unsigned axis = 0; axis < AXES; axis++) {
        const struct axis *a = &m->axes[axis];
        const double left = a->active ? tpi_mobile_drive_left(m, axis) : 0;
        if (a->active) {
            speeds[axis] = a->limit;
        }
        if (axis == TP_MOBILE_X || axis == TP_MOBILE_Y) {
            pose[TP_MOBILE_X] += left * cos(a->direction);
            pose[TP_MOBILE_Y] += left * sin(a->direction);
        } else {
            pose[axis] += left;
        }
    }
}
