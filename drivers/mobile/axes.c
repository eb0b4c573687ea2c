/*
 * axes.c - commands, axis by axis: what can be done, what is taken, and why the rest is not.
 *
 * The axes of a command are put one by one to those that keep what they do. An axis that does not
 * go together with the others is left as it was.
 */
#include <math.h>
#include <stdio.h>

#include "mobile.h"

const char *const tpi_mobile_axis_names[AXES] = {"x", "y", "z", "roll", "pitch", "yaw"};

static const double quarter = 1.5707963267948966;

/* ---- What it can do -------------------------------------------------------------------------- */

static bool is_plane(unsigned axis)
{
    return axis == TP_MOBILE_X || axis == TP_MOBILE_Y;
}

/* Whether this driver can bring the axis to a position by velocities, if no other axis moves. */
static bool can_steer(const struct mobile *m, unsigned axis, unsigned frame)
{
    if (is_plane(axis) && !mobile_is_free(m)) {
        return frame == TP_MOBILE_OWN || tpi_mobile_under_is_line(m);
    }
    return axis != TP_MOBILE_YAW || m->min_turn_radius == 0;
}

static uint8_t position_frames(const struct mobile *m, unsigned axis)
{
    unsigned frames = 0;

    frames |= m->takes_places || can_steer(m, axis, TP_MOBILE_OWN) ? TP_MOBILE_CAN_OWN : 0;
    frames |= m->takes_places || can_steer(m, axis, TP_MOBILE_WORLD) ? TP_MOBILE_CAN_WORLD : 0;
    return (uint8_t)frames;
}

/* Along the world's axes only what moves in every direction keeps a velocity; with one axis of its
 * own there is no difference. */
static uint8_t velocity_frames(const struct mobile *m, unsigned axis)
{
    return is_plane(axis) && !mobile_is_free(m) && !tpi_mobile_under_is_line(m)
               ? TP_MOBILE_CAN_OWN
               : TP_MOBILE_CAN_OWN | TP_MOBILE_CAN_WORLD;
}

static bool is_independent(const struct mobile *m, unsigned axis)
{
    if (tpi_mobile_under_is_line(m)) {
        return true;
    }
    return is_plane(axis) ? mobile_is_free(m) : axis != TP_MOBILE_YAW || m->min_turn_radius == 0;
}

static tp_mobile_ability ability(const struct mobile *m, unsigned axis)
{
    const uint8_t frames = position_frames(m, axis);

    return (tp_mobile_ability){
        .axis = (uint8_t)axis,
        .controls = (uint8_t)(TP_MOBILE_CAN_VELOCITY | TP_MOBILE_CAN_ACCELERATION |
                              (frames != 0 ? TP_MOBILE_CAN_POSITION : 0)),
        .position_frames = frames,
        .velocity_frames = velocity_frames(m, axis),
        .acceleration_frames = velocity_frames(m, axis),
        .holonomic = is_independent(m, axis),
        .max_speed = m->max_speed[mobile_turns(axis)],
        .max_acceleration = m->max_acceleration[mobile_turns(axis)],
    };
}

void tpi_mobile_abilities(const struct mobile *m, tp_mobile_abilities *out)
{
    for (unsigned axis = 0; axis < AXES; axis++) {
        if (mobile_has(m, axis)) {
            out->axes[out->axes_count++] = ability(m, axis);
        }
    }
    out->min_turn_radius = m->min_turn_radius;
}

/* ---- Which axes go together ------------------------------------------------------------------ */

/* Whether this driver can bring the axis to its position while the others do what they do. */
static bool is_steerable(const struct mobile *m, const struct axis axes[AXES], unsigned axis)
{
    const bool alone = !axes[TP_MOBILE_YAW].active;

    return can_steer(m, axis, axes[axis].frame) && (!is_plane(axis) || alone || mobile_is_free(m));
}

/* Find a device that can do all this. NULL if there is one, otherwise why there is none. */
static const char *choose_mode(const struct mobile *m, const struct axis axes[AXES], mode *out)
{
    unsigned active = 0;
    unsigned places = 0;
    bool steerable = true;

    for (unsigned axis = 0; axis < AXES; axis++) {
        const bool place = axes[axis].active && axes[axis].control == TP_MOBILE_POSITION;
        active += axes[axis].active;
        places += place;
        steerable = steerable && (!place || is_steerable(m, axes, axis));
    }
    *out = active == 0 ? MODE_REST : MODE_SPEEDS;
    if (places == 0) {
        return NULL;
    }
    if (!m->pose_known) {
        return "its position is not known yet";
    }
    if (places == active && m->takes_places) {
        *out = MODE_PLACE;
        return NULL;
    }
    return steerable ? NULL : "it cannot go to a place while it does the rest";
}

/* ---- Taking an axis -------------------------------------------------------------------------- */

/* NULL if the robot can do it at all, otherwise why it cannot. */
static const char *why_not(const struct mobile *m, const tp_mobile_axis_cmd *cmd)
{
    if (cmd->control > TP_MOBILE_ACCELERATION || cmd->frame > TP_MOBILE_WORLD ||
        cmd->limit_kind > TP_MOBILE_LIMIT_PERCENT) {
        return "there is no such control, frame or limit";
    }
    if (!mobile_has(m, cmd->axis)) {
        return "it does not move on this axis";
    }
    const unsigned frame = cmd->frame == TP_MOBILE_OWN ? TP_MOBILE_CAN_OWN : TP_MOBILE_CAN_WORLD;
    const uint8_t frames = cmd->control == TP_MOBILE_POSITION ? position_frames(m, cmd->axis)
                                                              : velocity_frames(m, cmd->axis);
    if ((frames & frame) != 0) {
        return NULL;
    }
    return cmd->control == TP_MOBILE_POSITION ? "it does not go to positions in this frame"
                                              : "it does not keep velocities in this frame";
}

/* What the limit of a command is worth; cut to what the robot can do. */
static double take_limit(const struct mobile *m, tp_mobile_axis_result *result)
{
    const unsigned turns = mobile_turns(result->axis);
    const bool velocity = result->control == TP_MOBILE_VELOCITY;
    const double most = velocity ? m->max_acceleration[turns] : m->max_speed[turns];

    if (result->limit_kind == TP_MOBILE_LIMIT_NONE) {
        return velocity ? HUGE_VAL : most;
    }
    const double top = result->limit_kind == TP_MOBILE_LIMIT_PERCENT ? 100 : most;
    if (result->limit > top) {
        result->limit = top;
        result->outcome = TP_MOBILE_MODIFIED;
    }
    return result->limit / top * most;
}

static void take_value(const struct mobile *m, tp_mobile_axis_result *result)
{
    const unsigned turns = mobile_turns(result->axis);
    const double most = result->control == TP_MOBILE_POSITION   ? HUGE_VAL
                        : result->control == TP_MOBILE_VELOCITY ? m->max_speed[turns]
                                                                : m->max_acceleration[turns];

    if (fabs(result->value) > most) {
        result->value = copysign(most, result->value);
        result->outcome = TP_MOBILE_MODIFIED;
    }
}

/* The axis as it will be. */
static struct axis plan_axis(const struct mobile *m, const tp_mobile_axis_result *taken,
                             double limit)
{
    const unsigned axis = taken->axis;
    const bool own = taken->frame == TP_MOBILE_OWN;
    const double heading = own && taken->control == TP_MOBILE_POSITION ? m->pose[TP_MOBILE_YAW] : 0;
    struct axis plan = {.active = true,
                        .control = taken->control,
                        .frame = taken->frame,
                        .value = taken->value,
                        .limit = limit,
                        .speed = m->axes[axis].speed,
                        .goal = taken->value,
                        .direction = heading + (axis == TP_MOBILE_Y ? quarter : 0)};

    if (own && is_plane(axis)) {
        plan.goal +=
            m->pose[TP_MOBILE_X] * cos(plan.direction) + m->pose[TP_MOBILE_Y] * sin(plan.direction);
    } else if (own) {
        plan.goal += m->pose[axis];
    }
    return plan;
}

/* Put one axis to the others; NULL if that went well, otherwise why not. */
static const char *take_axis(struct mobile *m, struct axis axes[AXES],
                             const tp_mobile_axis_cmd *cmd, tp_mobile_axis_result *result)
{
    const struct axis before = axes[cmd->axis];
    mode unused = MODE_REST;

    *result = (tp_mobile_axis_result){.axis = cmd->axis,
                                      .outcome = TP_MOBILE_DONE,
                                      .control = cmd->control,
                                      .frame = cmd->frame,
                                      .limit_kind = cmd->limit_kind,
                                      .value = cmd->value,
                                      .limit = cmd->limit};
    const char *why = why_not(m, cmd);
    if (why == NULL) {
        tp_mobile_axis_result taken = *result;
        take_value(m, &taken);
        axes[cmd->axis] = plan_axis(m, &taken, take_limit(m, &taken));
        why = choose_mode(m, axes, &unused);
        *result = why == NULL ? taken : *result;
    }
    if (why != NULL) {
        axes[cmd->axis] = before;
        result->outcome = TP_MOBILE_NOT_AVAILABLE;
    }
    return why;
}

/* ---- Commands -------------------------------------------------------------------------------- */

static tp_status check(const tp_mobile_cmd *ask, tp_error *err)
{
    unsigned seen = 0;

    for (uint32_t i = 0; i < ask->axes_count; i++) {
        const tp_mobile_axis_cmd *cmd = &ask->axes[i];
        if (cmd->axis >= AXES) {
            return tp_fail(err, TP_E_INVALID, "there is no axis %u", cmd->axis);
        }
        const char *name = tpi_mobile_axis_names[cmd->axis];
        if ((seen >> cmd->axis & 1) != 0) {
            return tp_fail(err, TP_E_INVALID, "%s is commanded twice", name);
        }
        if (!(fabs(cmd->value) <= 1e9)) {
            return tp_fail(err, TP_E_RANGE, "%s: %g is no value to reach", name, cmd->value);
        }
        if (cmd->limit_kind != TP_MOBILE_LIMIT_NONE && !(cmd->limit > 0)) {
            return tp_fail(err, TP_E_RANGE, "%s: the limit %g is not above 0", name, cmd->limit);
        }
        seen |= 1u << cmd->axis;
    }
    return TP_OK;
}

/* How fast a robot that needs room to turn will turn, as far as that is known beforehand. */
static void bound_turn(struct mobile *m, struct axis axes[AXES])
{
    const struct axis *x = &axes[TP_MOBILE_X];
    const double most = x->active ? fabs(x->value) / m->min_turn_radius : 0;
    const bool known = !x->active || x->control == TP_MOBILE_VELOCITY;

    for (uint32_t i = 0; i < m->result.axes_count && m->min_turn_radius > 0 && known; i++) {
        tp_mobile_axis_result *result = &m->result.axes[i];
        if (result->axis == TP_MOBILE_YAW && result->control == TP_MOBILE_VELOCITY &&
            result->outcome != TP_MOBILE_NOT_AVAILABLE && fabs(result->value) > most) {
            result->value = copysign(most, result->value);
            result->outcome = TP_MOBILE_MODIFIED;
            axes[TP_MOBILE_YAW].value = result->value;
        }
    }
}

/* An axis that is not taken does what it did, if that still goes together with the rest. */
static void keep_others(const struct mobile *m, struct axis axes[AXES])
{
    mode unused = MODE_REST;

    for (uint32_t i = 0; i < m->result.axes_count; i++) {
        const unsigned axis = m->result.axes[i].axis;
        if (m->result.axes[i].outcome == TP_MOBILE_NOT_AVAILABLE) {
            axes[axis] = m->axes[axis];
            axes[axis].active = axes[axis].active && choose_mode(m, axes, &unused) == NULL;
        }
    }
}

tp_status tpi_mobile_take(struct mobile *m, const tp_mobile_cmd *ask, tp_error *err)
{
    struct axis axes[AXES];
    tp_status status = check(ask, err);

    if (status != TP_OK) {
        return status;
    }
    m->refused[0] = '\0';
    m->result = (tp_mobile_result){.axes_count = ask->axes_count};
    for (unsigned axis = 0; axis < AXES; axis++) {
        axes[axis] = m->axes[axis];
    }
    for (uint32_t i = 0; i < ask->axes_count; i++) {
        axes[ask->axes[i].axis].active = false;
    }
    for (uint32_t i = 0; i < ask->axes_count; i++) {
        const char *why = take_axis(m, axes, &ask->axes[i], &m->result.axes[i]);
        if (why != NULL) {
            snprintf(m->refused, sizeof m->refused, "%s: %s",
                     tpi_mobile_axis_names[ask->axes[i].axis], why);
        }
    }
    bound_turn(m, axes);
    keep_others(m, axes);
    for (unsigned axis = 0; axis < AXES; axis++) {
        m->axes[axis] = axes[axis];
    }
    (void)choose_mode(m, m->axes, &m->mode);
    return TP_OK;
}
