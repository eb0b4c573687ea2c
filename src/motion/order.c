/* order.c - commands as targets of axes, clamped to limits. */
#include <math.h>
#include <string.h>

#include "motion/inside.h"

/* A decoded command. */
union body {
    tpi_motion_goto go;
    tpi_motion_setspeed speed;
    tpi_motion_set set;
    tpi_motion_drive drive;
    tpi_motion_move move;
    tpi_motion_home home;
    tpi_motion_empty empty;
    tpi_motion_pose pose;
    tpi_motion_screw screw;
};

static void add(tpi_motion_order *out, uint16_t axis, double value)
{
    out->targets[out->count++] = (tpi_motion_target){axis, value};
}

/* Nobody waits for longer than eleven days. */
static int64_t to_ns(uint64_t us)
{
    const uint64_t most = 1000000000000;

    return (int64_t)(us < most ? us : most) * 1000;
}

/* ---- Limits ---- */

static double clamped(const tpi_motion_axis *axis, uint8_t servo, double value)
{
    if (servo == TPI_MOTION_SERVO_POSITION) {
        return fmin(fmax(value, axis->limits.lower), axis->limits.upper);
    }
    const double most = servo == TPI_MOTION_SERVO_SPEED ? axis->limits.velocity : axis->of->force;
    return fmin(fmax(value, -most), most);
}

static void clamp(tpi_motion_engine *e, tpi_motion_order *out)
{
    for (uint16_t i = 0; i < out->count; i++) {
        tpi_motion_target *target = &out->targets[i];
        const double value = clamped(&e->axes[target->axis], out->servo, target->value);

        if (fabs(value - target->value) > TPI_MOTION_ROUNDING) {
            tpi_motion_change_add(&out->change, TPI_MOTION_CLAMPED, target->axis, target->value,
                                  value);
        }
        target->value = value;
    }
}

/* ---- Base ---- */

/* The dof that turns the base: a planar joint has x, y, theta; a floating one x, y, z, yaw, pitch,
 * roll. */
static uint16_t turn_of(const tpi_motion_engine *e)
{
    return e->base_axes == TPI_MOTION_JOINT_DOFS ? 3 : 2;
}

/* A speed of the base. What it cannot do (a sideways speed on wheels) is left out. */
static bool read_base_speed(tpi_motion_engine *e, const double speed[3], tpi_motion_order *out,
                            tp_error *err)
{
    const uint16_t axes[3] = {0, 1, turn_of(e)};

    if (e->base_axes < 3) {
        tp_fail(err, TP_E_UNSUPPORTED, "the robot has no base that moves");
        return false;
    }
    out->servo = TPI_MOTION_SERVO_SPEED;
    for (int i = 0; i < 3; i++) {
        const tpi_motion_axis *axis = &e->axes[axes[i]];
        const bool moves = (axis->of->servo & TPI_MOTION_SERVO_SPEED) != 0 &&
                           axis->place.output != TPI_MOTION_NOWHERE;

        if (moves) {
            add(out, axes[i], speed[i]);
        } else if (speed[i] != 0) {
            tpi_motion_change_add(&out->change, TPI_MOTION_LEFT_OUT, axes[i], speed[i], 0);
        }
    }
    if (out->count == 0) {
        tp_fail(err, TP_E_UNSUPPORTED, "the base takes no speeds");
        return false;
    }
    clamp(e, out);
    return true;
}

static bool read_goto(tpi_motion_engine *e, const tpi_motion_goto *go, tpi_motion_order *out,
                      tp_error *err)
{
    const double values[3] = {go->x_m, go->y_m, go->theta_rad};

    if (e->base_axes < 3 || !e->robot.takes_goto) {
        tp_fail(err, TP_E_UNSUPPORTED, "the robot has no base that drives to a pose");
        return false;
    }
    if (go->frame > 1) {
        tp_fail(err, TP_E_UNSUPPORTED, "a pose is in frame 0 or 1, not %u", (unsigned)go->frame);
        return false;
    }
    out->servo = TPI_MOTION_GOTO_SERVO;
    out->frame = go->frame;
    for (uint16_t i = 0; i < 3; i++) {
        add(out, i < 2 ? i : turn_of(e), values[i]);
    }
    return true;
}

/* ---- Joints ---- */

static bool read_dof(tpi_motion_engine *e, uint16_t joint, uint16_t dof, double value,
                     tpi_motion_order *out, tp_error *err)
{
    if (joint == 0) {
        tp_fail(err, TP_E_UNSUPPORTED, "joint 0 takes commands of the base");
        return false;
    }
    if (joint >= e->robot.joint_count || dof >= e->robot.joints[joint].dof_count) {
        tp_fail(err, TP_E_UNSUPPORTED, "joint %u has no dof %u", (unsigned)joint, (unsigned)dof);
        return false;
    }
    const uint16_t index = (uint16_t)(e->robot.joints[joint].first_dof + dof);
    const tpi_motion_axis *axis = &e->axes[index];

    if (axis->of->mimics != 0) {
        const uint16_t master = e->axes[axis->of->master].joint;

        tp_fail(err, TP_E_UNSUPPORTED, "%s follows %s", e->robot.joints[joint].name,
                e->robot.joints[master].name);
        return false;
    }
    if ((axis->of->servo & out->servo) == 0 || axis->place.output == TPI_MOTION_NOWHERE) {
        tp_fail(err, TP_E_UNSUPPORTED, "%s takes no such command", e->robot.joints[joint].name);
        return false;
    }
    add(out, index, value);
    return true;
}

static bool read_move(tpi_motion_engine *e, const tpi_motion_move *move, tpi_motion_order *out,
                      tp_error *err)
{
    out->servo = move->servo;
    out->duration_ns = to_ns(move->duration_us);
    if (move->servo != TPI_MOTION_SERVO_POSITION && move->servo != TPI_MOTION_SERVO_SPEED &&
        move->servo != TPI_MOTION_SERVO_FORCE) {
        tp_fail(err, TP_E_UNSUPPORTED, "there is no servo %u", (unsigned)move->servo);
        return false;
    }
    if (move->count > e->axis_count) {
        tp_fail(err, TP_E_UNSUPPORTED, "the robot has %u dofs", (unsigned)e->axis_count);
        return false;
    }
    for (uint16_t i = 0; i < move->count; i++) {
        const tpi_motion_drive *t = &move->targets[i];

        if (!read_dof(e, t->joint, t->dof, t->value, out, err)) {
            return false;
        }
    }
    clamp(e, out);
    return true;
}

static bool read_one(tpi_motion_engine *e, const tpi_motion_drive *drive, uint8_t servo,
                     tpi_motion_order *out, tp_error *err)
{
    out->servo = servo;
    if (!read_dof(e, drive->joint, drive->dof, drive->value, out, err)) {
        return false;
    }
    clamp(e, out);
    return true;
}

static bool read_home(tpi_motion_engine *e, uint16_t joint, tpi_motion_order *out, tp_error *err)
{
    out->servo = TPI_MOTION_SERVO_POSITION;
    out->firm = true;
    for (uint16_t i = e->base_axes; i < e->axis_count; i++) {
        const tpi_motion_axis *axis = &e->axes[i];
        const bool moves = axis->of->mimics == 0 && axis->place.output != TPI_MOTION_NOWHERE &&
                           (axis->of->servo & TPI_MOTION_SERVO_POSITION) != 0;

        if (moves && (joint == axis->joint || joint == 0xffff)) {
            add(out, i, 0);
        }
    }
    if (out->count == 0) {
        tp_fail(err, TP_E_UNSUPPORTED, "nothing there moves to a position");
        return false;
    }
    clamp(e, out);
    return true;
}

/* ---- Control frames ---- */

static bool read_frame(tpi_motion_engine *e, uint16_t frame, const double screw[6], uint8_t servo,
                       tpi_motion_order *out, tp_error *err)
{
    out->servo = servo;
    out->control_frame = frame;
    memcpy(out->screw, screw, sizeof out->screw);
    return tpi_motion_tool_read(e, out, err);
}

bool tpi_motion_order_read(tpi_motion_engine *e, const tpi_motion_record *record,
                           tpi_motion_order *out, tp_error *err)
{
    static const double still[3] = {0, 0, 0};
    const tpi_motion_body *body = tpi_motion_body_of(record->code);
    union body b;
    const size_t room = TPI_MOTION_PAYLOAD / 16 * sizeof(tpi_motion_drive);

    *out = (tpi_motion_order){.code = record->code, .tag = record->tag, .targets = e->room.targets};
    if (body == NULL || tpi_motion_body_get(body, record->body, record->length, &b, e->room.drives,
                                            room, err) != TP_OK) {
        return false;
    }
    switch (record->code) {
    case TPI_MOTION_GOTO:
        return read_goto(e, &b.go, out, err);
    case TPI_MOTION_SETSPEED:
        return read_base_speed(
            e, (const double[3]){b.speed.vx_mps, b.speed.vy_mps, b.speed.omega_radps}, out, err);
    case TPI_MOTION_STOP:
        return read_base_speed(e, still, out, err);
    case TPI_MOTION_SET:
        out->duration_ns = to_ns(b.set.duration_us);
        return read_one(e, &(tpi_motion_drive){b.set.joint, b.set.dof, b.set.value},
                        TPI_MOTION_SERVO_POSITION, out, err);
    case TPI_MOTION_SPEED:
        return read_one(e, &b.drive, TPI_MOTION_SERVO_SPEED, out, err);
    case TPI_MOTION_FORCE:
        return read_one(e, &b.drive, TPI_MOTION_SERVO_FORCE, out, err);
    case TPI_MOTION_MOVE:
        return read_move(e, &b.move, out, err);
    case TPI_MOTION_HOME:
        return read_home(e, b.home.joint, out, err);
    case TPI_MOTION_POSE:
        out->duration_ns = to_ns(b.pose.duration_us);
        return read_frame(e, b.pose.frame, b.pose.pose, TPI_MOTION_SERVO_POSITION, out, err);
    case TPI_MOTION_TWIST:
        return read_frame(e, b.screw.frame, b.screw.value, TPI_MOTION_SERVO_SPEED, out, err);
    default:
        return read_frame(e, b.screw.frame, b.screw.value, TPI_MOTION_SERVO_FORCE, out, err);
    }
}
