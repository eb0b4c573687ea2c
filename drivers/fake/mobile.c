/*
 * mobile.c - mobile: anything that moves, axis by axis.
 *
 * It moves freely along x, y and z and turns about z. What every axis does is kept apart: a
 * velocity in its own frame, a velocity in the world, or a way to go. Own velocities make arcs,
 * since the frame turns with the robot; the other parts are straight and simply added.
 */
#include <math.h>

#include "fake.h"
#include "troupe/interfaces/mobile.h"

enum { AXES = TP_MOBILE_MAX_AXES };

static const double most_mps = 1;
static const double most_radps = 2;
static const double most_accel = 2; /* m/s^2 and rad/s^2 */
static const double step_s = 0.01;  /* while velocities change */
static const double most_steps = 10000;

struct axis {
    bool active;
    tp_mobile_axis_cmd cmd; /* as it was taken */
    double speed;           /* now; along `direction` of a way in its own frame */
    double limit;           /* of speed, or of acceleration of a velocity */
    double goal;            /* of a position in the world */
    double left;            /* of a way in its own frame */
    double direction;       /* heading when that began */
};

struct mobile {
    tp_pose3d pose;
    tp_pose3d vel; /* in its own frame */
    struct axis axes[AXES];
    tp_mobile_result result; /* of the last command */
};

/* ---- What it can do -------------------------------------------------------------------------- */

static bool can(unsigned axis)
{
    return axis <= TP_MOBILE_Z || axis == TP_MOBILE_YAW;
}

static double most_speed(unsigned axis)
{
    return axis == TP_MOBILE_YAW ? most_radps : most_mps;
}

static tp_status get_abilities(tp_device *device, tp_mobile_abilities *answer, tp_error *err)
{
    (void)device;
    (void)err;
    for (unsigned axis = 0; axis < AXES; axis++) {
        if (!can(axis)) {
            continue;
        }
        answer->axes[answer->axes_count++] = (tp_mobile_ability){
            .axis = (uint8_t)axis,
            .controls =
                TP_MOBILE_CAN_POSITION | TP_MOBILE_CAN_VELOCITY | TP_MOBILE_CAN_ACCELERATION,
            .position_frames = TP_MOBILE_CAN_OWN | TP_MOBILE_CAN_WORLD,
            .velocity_frames = TP_MOBILE_CAN_OWN | TP_MOBILE_CAN_WORLD,
            .acceleration_frames = TP_MOBILE_CAN_OWN | TP_MOBILE_CAN_WORLD,
            .holonomic = 1,
            .max_speed = most_speed(axis),
            .max_acceleration = most_accel,
        };
    }
    return TP_OK;
}

/* ---- Moving ---------------------------------------------------------------------------------- */

static double *part_of(tp_pose3d *pose, unsigned axis)
{
    double *const parts[AXES] = {&pose->px,    &pose->py,     &pose->pz,
                                 &pose->proll, &pose->ppitch, &pose->pyaw};

    return parts[axis];
}

/* Axes that keep a constant velocity move exactly; all others in small steps. */
static bool is_steady(const struct axis *axis)
{
    return !axis->active ||
           (axis->cmd.control == TP_MOBILE_VELOCITY && axis->speed == axis->cmd.value);
}

static bool is_on_its_way(const struct axis *axis)
{
    return axis->active && axis->cmd.control == TP_MOBILE_POSITION;
}

static double left_to_go(struct mobile *m, unsigned i)
{
    const struct axis *axis = &m->axes[i];

    if (axis->cmd.frame == TP_MOBILE_OWN) {
        return axis->left;
    }
    const double left = axis->goal - *part_of(&m->pose, i);
    return i == TP_MOBILE_YAW ? tpi_fake_angle(left) : left;
}

/* The speed of an axis for the next step. */
static void set_speed(struct mobile *m, unsigned i, double dt_s)
{
    struct axis *axis = &m->axes[i];

    if (!axis->active) {
        axis->speed = 0;
    } else if (axis->cmd.control == TP_MOBILE_VELOCITY) {
        axis->speed = tpi_fake_approach(axis->speed, axis->cmd.value, axis->limit * dt_s);
    } else if (axis->cmd.control == TP_MOBILE_ACCELERATION) {
        const double faster = axis->speed + axis->cmd.value * dt_s;
        axis->speed = fmax(-axis->limit, fmin(axis->limit, faster));
    } else {
        const double needed = left_to_go(m, i) / dt_s;
        axis->speed = fmax(-axis->limit, fmin(axis->limit, needed));
    }
}

/* A way in the own frame keeps the direction that it began with. */
static bool is_fixed_way(const struct axis *axis)
{
    return is_on_its_way(axis) && axis->cmd.frame == TP_MOBILE_OWN;
}

/* What an axis of the plane adds to the velocities in the two frames. */
static void add_speed(const struct axis *axis, unsigned i, tp_pose2d *own, tp_pose2d *world)
{
    const double sideways = i == TP_MOBILE_Y ? 1 : 0;
    const double forward = 1 - sideways;

    if (is_fixed_way(axis)) {
        const double c = cos(axis->direction);
        const double s = sin(axis->direction);
        world->px += axis->speed * (c * forward - s * sideways);
        world->py += axis->speed * (s * forward + c * sideways);
        return;
    }
    tp_pose2d *frame = axis->cmd.frame == TP_MOBILE_OWN ? own : world;
    frame->px += axis->speed * forward;
    frame->py += axis->speed * sideways;
}

/* One step with constant speeds. */
static void move(struct mobile *m, double dt_s)
{
    const double turn_radps = m->axes[TP_MOBILE_YAW].speed;
    tp_pose2d own = {.pa = turn_radps};
    tp_pose2d world = {0};

    add_speed(&m->axes[TP_MOBILE_X], TP_MOBILE_X, &own, &world);
    add_speed(&m->axes[TP_MOBILE_Y], TP_MOBILE_Y, &own, &world);
    const tp_pose2d from = {.px = m->pose.px, .py = m->pose.py, .pa = m->pose.pyaw};
    const tp_pose2d to = tpi_fake_arc(&from, &own, dt_s);
    m->pose.px = to.px + world.px * dt_s;
    m->pose.py = to.py + world.py * dt_s;
    m->pose.pz += m->axes[TP_MOBILE_Z].speed * dt_s;
    m->pose.pyaw = to.pa;

    const double c = cos(m->pose.pyaw);
    const double s = sin(m->pose.pyaw);
    m->vel = (tp_pose3d){.px = own.px + c * world.px + s * world.py,
                         .py = own.py + c * world.py - s * world.px,
                         .pz = m->axes[TP_MOBILE_Z].speed,
                         .pyaw = turn_radps};
}

/* Ways that are at their end. */
static void arrive(struct mobile *m, double dt_s)
{
    for (unsigned i = 0; i < AXES; i++) {
        struct axis *axis = &m->axes[i];
        if (!is_on_its_way(axis)) {
            continue;
        }
        axis->left -= axis->speed * dt_s;
        if (fabs(left_to_go(m, i)) < 1e-9) {
            *axis = (struct axis){0};
        }
    }
}

static void step(struct mobile *m, double dt_s)
{
    for (unsigned i = 0; i < AXES; i++) {
        set_speed(m, i, dt_s);
    }
    move(m, dt_s);
    arrive(m, dt_s);
}

static void tell(fake_device *d)
{
    const struct mobile *m = d->state;
    const tp_pose2d pose = {.px = m->pose.px, .py = m->pose.py, .pa = m->pose.pyaw};
    const tp_pose2d vel = {.px = m->vel.px, .py = m->vel.py, .pa = m->vel.pyaw};

    tpi_fake_set_robot(d, &pose, &vel);
}

static tp_status mobile_begin(fake_device *d, tp_error *err)
{
    (void)err;
    tell(d);
    return TP_OK;
}

static void mobile_advance(fake_device *d, double dt_s)
{
    struct mobile *m = d->state;
    const double small_s = fmax(step_s, dt_s / most_steps);

    while (dt_s > 0) {
        bool steady = true;
        for (unsigned i = 0; i < AXES; i++) {
            steady = steady && is_steady(&m->axes[i]);
        }
        const double now_s = steady ? dt_s : fmin(dt_s, small_s);
        step(m, now_s);
        dt_s -= now_s;
    }
    tell(d);
}

static void mobile_halt(fake_device *d)
{
    struct mobile *m = d->state;

    for (unsigned i = 0; i < AXES; i++) {
        m->axes[i] = (struct axis){0};
    }
    m->vel = (tp_pose3d){0};
    tell(d);
}

static void mobile_publish(fake_device *d)
{
    const struct mobile *m = d->state;
    tp_mobile_data data = {.pose = m->pose, .vel = m->vel};

    for (unsigned i = 0; i < AXES; i++) {
        data.moving |= is_on_its_way(&m->axes[i]);
    }
    tp_publish(d->device, TP_MOBILE_DATA_STATE, &data, 0);
}

/* ---- Commands -------------------------------------------------------------------------------- */

static tp_status check_command(const tp_mobile_cmd *ask, tp_error *err)
{
    unsigned seen = 0;

    for (uint32_t i = 0; i < ask->axes_count; i++) {
        const tp_mobile_axis_cmd *cmd = &ask->axes[i];
        if (cmd->axis >= AXES || (seen >> cmd->axis & 1) != 0) {
            return tp_fail(err, TP_E_INVALID, "axis %u does not exist or is given twice",
                           cmd->axis);
        }
        if (!isfinite(cmd->value) ||
            (cmd->limit_kind != TP_MOBILE_LIMIT_NONE && !(cmd->limit > 0))) {
            return tp_fail(err, TP_E_RANGE, "axis %u: no number, or a limit that is not above 0",
                           cmd->axis);
        }
        seen |= 1u << cmd->axis;
    }
    return TP_OK;
}

/* What the limit of a command is worth, and as what it is taken. */
static double take_limit(tp_mobile_axis_result *result)
{
    const double most =
        result->control == TP_MOBILE_VELOCITY ? most_accel : most_speed(result->axis);

    if (result->limit_kind == TP_MOBILE_LIMIT_NONE) {
        return most;
    }
    const double top = result->limit_kind == TP_MOBILE_LIMIT_PERCENT ? 100 : most;
    if (result->limit > top) {
        result->limit = top;
        result->outcome = TP_MOBILE_MODIFIED;
    }
    return result->limit / top * most;
}

/* A velocity or acceleration beyond what the robot can do is cut. */
static void take_value(tp_mobile_axis_result *result)
{
    const double most =
        result->control == TP_MOBILE_VELOCITY ? most_speed(result->axis) : most_accel;

    if (result->control != TP_MOBILE_POSITION && fabs(result->value) > most) {
        result->value = copysign(most, result->value);
        result->outcome = TP_MOBILE_MODIFIED;
    }
}

static void begin_axis(struct mobile *m, const tp_mobile_axis_result *taken, double limit)
{
    struct axis *axis = &m->axes[taken->axis];
    const bool ramped = taken->limit_kind != TP_MOBILE_LIMIT_NONE;
    const double speed = axis->speed;

    *axis = (struct axis){.active = true,
                          .cmd = {.axis = taken->axis,
                                  .control = taken->control,
                                  .frame = taken->frame,
                                  .value = taken->value},
                          .speed = speed,
                          .limit = limit,
                          .goal = taken->value,
                          .left = taken->value,
                          .direction = m->pose.pyaw};
    if (taken->control == TP_MOBILE_VELOCITY && !ramped) {
        axis->speed = taken->value;
    }
}

static void take_axis(struct mobile *m, const tp_mobile_axis_cmd *cmd,
                      tp_mobile_axis_result *result)
{
    const bool known = cmd->control <= TP_MOBILE_ACCELERATION && cmd->frame <= TP_MOBILE_WORLD &&
                       cmd->limit_kind <= TP_MOBILE_LIMIT_PERCENT;

    *result = (tp_mobile_axis_result){.axis = cmd->axis,
                                      .outcome = TP_MOBILE_DONE,
                                      .control = cmd->control,
                                      .frame = cmd->frame,
                                      .limit_kind = cmd->limit_kind,
                                      .value = cmd->value,
                                      .limit = cmd->limit};
    if (!known || !can(cmd->axis)) {
        result->outcome = TP_MOBILE_NOT_AVAILABLE;
        return;
    }
    take_value(result);
    begin_axis(m, result, take_limit(result));
}

static tp_status take(tp_device *device, const tp_mobile_cmd *ask, tp_error *err)
{
    struct mobile *m = fake_state(device);
    tp_status status = check_command(ask, err);

    if (status == TP_OK) {
        m->result = (tp_mobile_result){.axes_count = ask->axes_count};
        for (uint32_t i = 0; i < ask->axes_count; i++) {
            take_axis(m, &ask->axes[i], &m->result.axes[i]);
        }
    }
    return status;
}

static tp_status cmd_move(tp_device *device, const tp_mobile_cmd *ask, tp_error *err)
{
    struct mobile *m = fake_state(device);
    tp_status status = take(device, ask, err);

    if (status == TP_OK) {
        tp_publish(device, TP_MOBILE_DATA_RESULT, &m->result, 0);
    }
    return status;
}

static tp_status req_move(tp_device *device, const tp_mobile_cmd *ask, tp_mobile_result *answer,
                          tp_error *err)
{
    struct mobile *m = fake_state(device);
    tp_status status = take(device, ask, err);

    *answer = m->result;
    return status;
}

static tp_status cmd_stop(tp_device *device, tp_error *err)
{
    (void)err;
    mobile_halt(fake_of(device));
    return TP_OK;
}

static tp_status reset_odometry(tp_device *device, tp_error *err)
{
    struct mobile *m = fake_state(device);

    (void)err;
    for (unsigned i = 0; i < AXES; i++) {
        if (is_on_its_way(&m->axes[i])) { /* the frame of its goal is gone */
            m->axes[i] = (struct axis){0};
        }
    }
    m->pose = (tp_pose3d){0};
    tell(fake_of(device));
    return TP_OK;
}

static const tp_mobile_ops mobile_ops = {
    .cmd_move = cmd_move,
    .cmd_stop = cmd_stop,
    .req_move = req_move,
    .req_get_abilities = get_abilities,
    .req_reset_odometry = reset_odometry,
};

const fake_kind tpi_fake_mobiles[] = {
    {
        .interface = &tp_interface_mobile,
        .ops = &mobile_ops,
        .state_size = sizeof(struct mobile),
        .size = {.sw = 0.5, .sl = 0.5, .sh = 0.4},
        .publishes = 1u << TP_MOBILE_DATA_RESULT,
        .begin = mobile_begin,
        .advance = mobile_advance,
        .publish = mobile_publish,
        .halt = mobile_halt,
    },
    {0},
};
