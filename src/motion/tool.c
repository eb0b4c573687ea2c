/* tool.c - control frames that move: POSE, TWIST and WRENCH as motions of axes together. */
#include <math.h>
#include <string.h>

#include "motion/inside.h"
#include "motion/twist.h"

/* ---- Which axes move a frame ---- */

static bool init_chain(const tpi_motion_engine *e, tpi_chain *chain, uint16_t index, tp_error *err)
{
    const tpi_motion_frame *frame = &e->robot.frames[index];
    tpi_spatial pose;

    memcpy(pose.p, frame->position_m, sizeof pose.p);
    memcpy(pose.r, frame->rotation, sizeof pose.r);
    return tpi_chain_init(chain, e->robot.mechanism, frame->link, &pose, err) == TP_OK;
}

static bool takes(const tpi_motion_axis *axis, uint8_t servo)
{
    return (axis->of->servo & servo) != 0 && axis->of->mimics == 0 &&
           axis->place.output != TPI_MOTION_NOWHERE;
}

bool tpi_motion_tool_read(tpi_motion_engine *e, tpi_motion_order *out, tp_error *err)
{
    const uint16_t index = out->control_frame;

    if (e->robot.mechanism == NULL || index >= e->robot.frame_count) {
        tp_fail(err, TP_E_UNSUPPORTED, "there is no control frame %u", (unsigned)index);
        return false;
    }
    const char *name = e->robot.frames[index].name;
    if ((e->robot.frames[index].servo & out->servo) == 0) {
        tp_fail(err, TP_E_UNSUPPORTED, "%s takes no such command", name);
        return false;
    }
    if (!init_chain(e, e->room.chain, index, err)) {
        return false;
    }
    for (unsigned k = 0; k < e->room.chain->column_count; k++) {
        const uint16_t axis = (uint16_t)e->room.chain->columns[k];

        if (takes(&e->axes[axis], out->servo)) {
            out->targets[out->count++] = (tpi_motion_target){axis, 0};
        }
    }
    if (out->count == 0) {
        tp_fail(err, TP_E_UNSUPPORTED, "no dof moves %s in this way", name);
        return false;
    }
    out->moves_frame = true;
    return true;
}

/* ---- Values ---- */

/* Where a dof is for calculations: as commanded, or as measured if nothing commands a position. */
static double value_of(const tpi_motion_engine *e, const tpi_motion_axis *axis)
{
    const bool commanded = axis->of->servo != 0 && axis->place.output != TPI_MOTION_NOWHERE &&
                           axis->servo != TPI_MOTION_SERVO_FORCE;

    return commanded ? tpi_motion_axis_point(e, axis).position : axis->measured.position;
}

static double *chain_values(tpi_motion_engine *e, const tpi_chain *chain)
{
    for (unsigned k = 0; k < chain->column_count; k++) {
        const int dof = chain->columns[k];

        e->room.joints[dof] = value_of(e, &e->axes[dof]);
    }
    tpi_mechanism_follow(chain->mechanism, e->room.joints);
    return e->room.joints;
}

static tpi_motion_twist twist_of(tpi_motion_engine *e, const tpi_motion_tool *tool)
{
    tpi_motion_twist out = {
        .chain = &tool->chain,
        .fixed = tool->fixed,
        .limits = tool->limits,
        .values = chain_values(e, &tool->chain),
        .period_s = (double)e->robot.period_ns * 1e-9,
    };

    memcpy(out.twist, tool->twist, sizeof out.twist);
    return out;
}

/* ---- Plans ---- */

static tpi_motion_tool *free_tool(tpi_motion_engine *e, const tpi_motion_order *order)
{
    for (unsigned i = 0; i < e->tool_count; i++) {
        tpi_motion_tool *tool = &e->tools[i];

        if (tool->axes == 0 && init_chain(e, &tool->chain, order->control_frame, NULL)) {
            tool->servo = order->servo;
            tool->still = false;
            memcpy(tool->twist, order->screw, sizeof tool->twist);
            for (unsigned k = 0; k < tool->chain.column_count; k++) {
                const tpi_motion_axis *axis = &e->axes[tool->chain.columns[k]];

                tool->fixed[k] = !takes(axis, order->servo);
                tool->limits[k] = axis->limits;
            }
            return tool;
        }
    }
    return NULL;
}

/* The motion of the frame is another one than asked. */
static void reduce(tpi_motion_order *order, bool modified)
{
    if (modified) {
        order->change = (tpi_motion_change){.kind = TPI_MOTION_REDUCED};
    }
}

/* What moves comes to rest first; the path begins there. */
static bool plan_pose(tpi_motion_engine *e, const tpi_motion_track *track, tpi_motion_tool *tool,
                      tpi_motion_order *order, tp_error *err)
{
    const double duration = (double)order->duration_ns * 1e-9, *pose = order->screw;
    tpi_motion_way way = {.chain = &tool->chain,
                          .fixed = tool->fixed,
                          .limits = tool->limits,
                          .values = chain_values(e, &tool->chain)};
    tpi_motion_profile brake;

    tool->brake_s = 0;
    for (uint16_t i = 0; i < order->count; i++) {
        const tpi_motion_axis *axis = &e->axes[order->targets[i].axis];
        const tpi_motion_point from = tpi_motion_axis_take_over(e, axis, track);

        tpi_motion_profile_speed(&brake, from, 0, axis->limits.acceleration, &axis->limits);
        way.values[axis->index] = brake.last.position;
        tool->brake_s = fmax(tool->brake_s, brake.end_s);
    }
    tpi_mechanism_follow(e->robot.mechanism, way.values);
    memcpy(way.goal.p, pose, sizeof way.goal.p);
    tpi_rotation_of_rpy(way.goal.r, pose[3], pose[4], pose[5]);
    way.duration_s = duration > 0 ? fmax(duration - tool->brake_s, 1e-6) : 0;
    const tpi_motion_planned planned = tpi_motion_path_plan(&tool->path, &way);
    reduce(order, planned == TPI_MOTION_OTHERWISE);
    if (planned == TPI_MOTION_OUT_OF_REACH) {
        tp_fail(err, TP_E_RANGE, "the pose is out of reach");
        return false;
    }
    return true;
}

static bool is_zero(const double twist[6])
{
    double sum = 0;

    for (int i = 0; i < 6; i++) {
        sum += fabs(twist[i]);
    }
    return sum == 0;
}

static void plan_twist(tpi_motion_engine *e, const tpi_motion_track *track, tpi_motion_tool *tool,
                       tpi_motion_order *order)
{
    tpi_motion_twist what = twist_of(e, tool);
    double left_s[TPI_CHAIN_DOFS][2];

    what.left_s = left_s;
    for (unsigned k = 0; k < tool->chain.column_count; k++) {
        const tpi_motion_axis *axis = &e->axes[tool->chain.columns[k]];
        const tpi_motion_point from = tpi_motion_axis_take_over(e, axis, track);

        for (int up = 0; up < 2; up++) {
            left_s[k][up] = what.period_s - (double)tpi_motion_axis_lag(e, axis, up) * 1e-9;
        }

        tool->places[k] = tool->fixed[k] ? what.values[axis->index] : from.position;
        tool->before[k] = tool->speeds[k] = tool->fixed[k] ? 0 : from.velocity;
        what.values[axis->index] = tool->places[k];
    }
    reduce(order, !tpi_motion_twist_step(&what, tool->speeds) && !is_zero(tool->twist));
}

/* The force of a dof, clamped; *modified is set if it was. */
static double clamped_force(const tpi_motion_axis *axis, double force, bool *modified)
{
    const double most = axis->of->force, out = fmin(fmax(force, -most), most);

    *modified = *modified || out != force;
    return out;
}

/* Dofs that take no forces keep what they do: the wrench is made in part. */
static void plan_wrench(tpi_motion_engine *e, tpi_motion_tool *tool, tpi_motion_order *order)
{
    const tpi_motion_twist what = twist_of(e, tool);
    double forces[TPI_CHAIN_DOFS];
    uint16_t target = 0;

    tpi_motion_twist_forces(&what, forces);
    bool modified = order->count < tool->chain.column_count;

    for (unsigned k = 0; k < tool->chain.column_count; k++) {
        if (!tool->fixed[k]) {
            order->targets[target].value =
                clamped_force(&e->axes[order->targets[target].axis], forces[k], &modified);
            target++;
        }
    }
    reduce(order, modified);
}

tpi_motion_tool *tpi_motion_tool_plan(tpi_motion_engine *e, const tpi_motion_track *track,
                                      tpi_motion_order *order, tp_error *err)
{
    tpi_motion_tool *tool = free_tool(e, order);

    if (tool == NULL) {
        tp_fail(err, TP_E_LIMIT, "too many control frames move");
        return NULL;
    }
    tool->tau_ns = track->line.tau_ns;
    tool->next_ns = tool->tau_ns + e->robot.period_ns;
    switch (order->servo) {
    case TPI_MOTION_SERVO_POSITION:
        return plan_pose(e, track, tool, order, err) ? tool : NULL;
    case TPI_MOTION_SERVO_SPEED:
        plan_twist(e, track, tool, order);
        return tool;
    default:
        plan_wrench(e, tool, order);
        return tool;
    }
}

void tpi_motion_tool_join(tpi_motion_tool *tool, tpi_motion_axis *axis, tpi_motion_point from)
{
    tpi_motion_motion *m = &axis->motion;

    m->tool = tool;
    m->end_ns = INT64_MAX;
    m->column = 0;
    while (tool->chain.columns[m->column] != (int)axis->index) {
        m->column++;
    }
    tool->axes++;
    tool->track = m->track;
    tool->command = m->command;
    if (tool->servo == TPI_MOTION_SERVO_POSITION) {
        const double end = tool->brake_s + tool->path.end_s;

        tpi_motion_profile_speed(&m->profile, from, 0, axis->limits.acceleration, &axis->limits);
        m->end_ns = m->tau0_ns + (int64_t)ceil(end * 1e9);
    }
    m->ends =
        m->end_ns != INT64_MAX || (tool->servo == TPI_MOTION_SERVO_SPEED && is_zero(tool->twist));
}

/* ---- Where an axis is ---- */

static tpi_motion_station pose_at(const tpi_motion_axis *axis, double time_s)
{
    const tpi_motion_tool *tool = axis->motion.tool;
    const unsigned k = axis->motion.column;

    if (time_s < tool->brake_s) {
        const tpi_motion_profile *brake = &axis->motion.profile;

        return (tpi_motion_station){tpi_motion_profile_at(brake, time_s),
                                    tpi_motion_profile_acceleration(brake, time_s)};
    }
    tpi_motion_station at = tpi_motion_path_at(&tool->path, k, time_s - tool->brake_s);
    const double first = tool->path.values[0][k];
    const double lower = fmin(tool->limits[k].lower, first);
    const double upper = fmax(tool->limits[k].upper, first);

    at.point.position = fmin(fmax(at.point.position, lower), upper); /* between knots */
    return at;
}

tpi_motion_station tpi_motion_tool_at(const tpi_motion_engine *e, const tpi_motion_axis *axis,
                                      int64_t since_ns, bool before)
{
    const tpi_motion_tool *tool = axis->motion.tool;
    const unsigned k = axis->motion.column;
    const double time = (double)(axis->motion.tau0_ns + since_ns - tool->tau_ns) * 1e-9;

    switch (tool->servo) {
    case TPI_MOTION_SERVO_POSITION:
        return pose_at(axis, (double)since_ns * 1e-9);
    case TPI_MOTION_SERVO_SPEED:
        return (tpi_motion_station){{tool->places[k] + tool->speeds[k] * time,
                                     before && time <= 0 ? tool->before[k] : tool->speeds[k]},
                                    (tool->speeds[k] - tool->before[k]) /
                                        ((double)e->robot.period_ns * 1e-9)};
    default:
        return (tpi_motion_station){{axis->measured.position, 0}, 0};
    }
}

/* ---- Periods ---- */

static void note_modified(const tpi_motion_tool *tool, bool modified)
{
    const tpi_motion_change change = {.kind = TPI_MOTION_REDUCED};

    if (modified) {
        tpi_motion_change_note(tool->track, tool->command, &change);
    }
}

static void step_twist(tpi_motion_engine *e, tpi_motion_tool *tool, int64_t tau_ns)
{
    const double time = (double)(tau_ns - tool->tau_ns) * 1e-9;
    double moves = 0;

    for (unsigned k = 0; k < tool->chain.column_count; k++) {
        tool->places[k] += tool->speeds[k] * time;
        tool->before[k] = tool->speeds[k];
        moves += fabs(tool->speeds[k]);
    }
    tool->tau_ns = tau_ns;
    tool->still = moves == 0 && is_zero(tool->twist);
    const tpi_motion_twist what = twist_of(e, tool);
    note_modified(tool, !tpi_motion_twist_step(&what, tool->speeds) && !is_zero(tool->twist));
}

static void step_wrench(tpi_motion_engine *e, tpi_motion_tool *tool)
{
    const tpi_motion_twist what = twist_of(e, tool);
    double forces[TPI_CHAIN_DOFS];
    bool modified = false;

    tpi_motion_twist_forces(&what, forces);
    for (unsigned k = 0; k < tool->chain.column_count; k++) {
        tpi_motion_axis *axis = &e->axes[tool->chain.columns[k]];

        if (!tool->fixed[k]) {
            axis->force = clamped_force(axis, forces[k], &modified);
        }
    }
    note_modified(tool, modified);
}

void tpi_motion_tool_steps(tpi_motion_engine *e)
{
    for (unsigned i = 0; i < e->tool_count; i++) {
        tpi_motion_tool *tool = &e->tools[i];

        if (tool->axes == 0 || tool->servo == TPI_MOTION_SERVO_POSITION || !tool->track->touched ||
            tool->track->line.tau_ns < tool->next_ns) {
            continue;
        }
        if (tool->servo == TPI_MOTION_SERVO_SPEED) {
            step_twist(e, tool, tool->track->line.tau_ns);
        } else {
            step_wrench(e, tool);
        }
        tool->next_ns = tool->track->line.tau_ns + e->robot.period_ns;
    }
}

/* ---- Ends ---- */

void tpi_motion_tool_leave(tpi_motion_engine *e, tpi_motion_tool *tool, tpi_motion_signal signal,
                           const char *why)
{
    tool->axes--;
    if (tool->ending) {
        return;
    }
    tool->ending = true;
    for (unsigned k = 0; k < tool->chain.column_count; k++) {
        tpi_motion_axis *axis = &e->axes[tool->chain.columns[k]];

        if (axis->motion.servo != 0 && axis->motion.tool == tool) {
            tpi_motion_axis_end(e, axis, signal, signal != TPI_MOTION_PANICKED, why);
        }
    }
    tool->ending = false;
}
