/* urdf_dofs.c - the dofs of a joint of a URDF file: axes and limits; see urdf.h. */
#include "kinematics/urdf.h"

/* Limits from here on mean that there is none. */
#define NO_LIMIT 1e16

/* Time in which a dof without a known acceleration reaches its speed. */
#define USUAL_RISE_S 0.2

/* ---- Limits ---- */

static tp_status check_limits(const tpi_urdf *urdf, const tpi_urdf_joint *joint)
{
    if (joint->lower > joint->upper) {
        return tpi_urdf_fail(urdf, joint->line, "joint", joint->name,
                             "the lower limit %g is above the upper limit %g", joint->lower,
                             joint->upper);
    }
    if (joint->lower >= NO_LIMIT || joint->upper <= -NO_LIMIT) {
        return tpi_urdf_fail(urdf, joint->line, "joint", joint->name,
                             "no position is within the limits %g to %g", joint->lower,
                             joint->upper);
    }
    if (joint->velocity < 0 || joint->effort < 0) {
        return tpi_urdf_fail(urdf, joint->line, "joint", joint->name,
                             "a limit of velocity or effort is below 0");
    }
    return TP_OK;
}

static double no_limit_above(double value)
{
    return value >= NO_LIMIT ? (double)INFINITY : value <= -NO_LIMIT ? -(double)INFINITY : value;
}

/* A limit of 0 would mean that nothing can ever move. Files have it where the limit is not known.
 */
static double limit_or_none(tpi_urdf *urdf, const tpi_urdf_joint *joint, const char *what,
                            double value)
{
    if (value == 0) {
        tpi_urdf_warn(urdf, joint->line, "joint %s: a limit of %s of 0 is taken for none",
                      joint->name, what);
        return INFINITY;
    }
    return no_limit_above(value);
}

/* What all dofs of a joint have in common: everything but type and axis. */
static tpi_dof common_of(tpi_urdf *urdf, const tpi_urdf_joint *joint)
{
    const bool has_ends = joint->kind == TPI_URDF_REVOLUTE || joint->kind == TPI_URDF_PRISMATIC;
    const bool bounded = has_ends && joint->has_ends; /* others limit velocity and effort alone */
    tpi_dof dof = {
        .lower = bounded ? no_limit_above(joint->lower) : -(double)INFINITY,
        .upper = bounded ? no_limit_above(joint->upper) : (double)INFINITY,
        .velocity = limit_or_none(urdf, joint, "velocity", joint->velocity),
        .force = limit_or_none(urdf, joint, "effort", joint->effort),
        .assumed_acceleration = !(joint->acceleration > 0),
        .acceleration = joint->acceleration,
        .servo = joint->has_servo ? joint->servo : TPI_SERVO_POSITION | TPI_SERVO_SPEED,
        .master = -1,
        .multiplier = 1,
    };

    if (dof.assumed_acceleration) {
        dof.acceleration = dof.velocity / USUAL_RISE_S;
    }
    if (has_ends && !joint->has_limit) {
        tpi_urdf_warn(urdf, joint->line, "joint %s has no limit", joint->name);
    }
    if (has_ends && joint->has_limit && !joint->has_ends) {
        tpi_urdf_warn(urdf, joint->line,
                      "joint %s has no limit of its position: there is neither lower nor upper",
                      joint->name);
    }
    if (bounded && joint->lower == joint->upper) {
        tpi_urdf_warn(urdf, joint->line, "joint %s cannot move: both limits are %g", joint->name,
                      joint->lower);
    }
    return dof;
}

/* ---- Axes ---- */

static tp_status set_axis(tpi_urdf *urdf, const tpi_urdf_joint *joint, double out[3])
{
    const double length = sqrt(tpi_dot3(joint->axis, joint->axis));

    if (!(length >= 1e-3)) {
        return tpi_urdf_fail(urdf, joint->line, "joint", joint->name,
                             "the axis %g %g %g has no direction", joint->axis[0], joint->axis[1],
                             joint->axis[2]);
    }
    if (fabs(length - 1) > 1e-3) {
        tpi_urdf_warn(urdf, joint->line, "joint %s: the axis has the length %g instead of 1",
                      joint->name, length);
    }
    for (int i = 0; i < 3; i++) {
        out[i] = joint->axis[i] / length;
    }
    return TP_OK;
}

/* Two directions at right angles to the axis, for a plane. */
static void span_plane(const double axis[3], double first[3], double second[3])
{
    const double other[3] = {fabs(axis[0]) < 0.9, fabs(axis[0]) >= 0.9, 0};
    double length;

    if (axis[2] == 1) { /* the usual plane has the usual directions */
        memcpy(first, (const double[3]){1, 0, 0}, 3 * sizeof *first);
        memcpy(second, (const double[3]){0, 1, 0}, 3 * sizeof *second);
        return;
    }
    tpi_cross3(second, axis, other);
    length = sqrt(tpi_dot3(second, second));
    for (int i = 0; i < 3; i++) {
        second[i] /= length;
    }
    tpi_cross3(first, second, axis);
}

/* ---- Dofs ---- */

static void add_dof(tpi_mechanism *mechanism, tpi_joint *joint, const tpi_dof *common,
                    tpi_dof_type type, const double axis[3])
{
    tpi_dof *dof = &mechanism->dofs[mechanism->dof_count++];

    *dof = *common;
    joint->dof_count++;
    dof->type = type;
    memcpy(dof->axis, axis, sizeof dof->axis);
}

static void add_plane(tpi_mechanism *mechanism, tpi_joint *joint, const tpi_dof *common,
                      const double axis[3])
{
    double first[3], second[3];

    span_plane(axis, first, second);
    add_dof(mechanism, joint, common, TPI_PRISMATIC, first);
    add_dof(mechanism, joint, common, TPI_PRISMATIC, second);
    add_dof(mechanism, joint, common, TPI_REVOLUTE, axis);
}

/* Along x, y, z, then about z, y, x: yaw, pitch, roll. */
static void add_freedom(tpi_mechanism *mechanism, tpi_joint *joint, const tpi_dof *common)
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

    for (int i = 0; i < 3; i++) {
        add_dof(mechanism, joint, common, TPI_PRISMATIC, axes[i]);
    }
    for (int i = 2; i >= 0; i--) {
        add_dof(mechanism, joint, common, TPI_REVOLUTE, axes[i]);
    }
}

tp_status tpi_urdf_add_dofs(tpi_urdf *urdf, const tpi_urdf_joint *from, tpi_joint *joint)
{
    tpi_mechanism *mechanism = urdf->mechanism;
    tp_status status = TP_OK;
    double axis[3] = {0};

    if (from->kind == TPI_URDF_FIXED) {
        return TP_OK;
    }
    status = check_limits(urdf, from);
    if (status == TP_OK && from->kind != TPI_URDF_FLOATING) {
        status = set_axis(urdf, from, axis);
    }
    if (status != TP_OK) {
        return status;
    }
    const tpi_dof common = common_of(urdf, from);
    if (from->kind == TPI_URDF_FLOATING) {
        add_freedom(mechanism, joint, &common);
    } else if (from->kind == TPI_URDF_PLANAR) {
        add_plane(mechanism, joint, &common, axis);
    } else {
        add_dof(mechanism, joint, &common,
                from->kind == TPI_URDF_PRISMATIC ? TPI_PRISMATIC : TPI_REVOLUTE, axis);
    }
    return TP_OK;
}
