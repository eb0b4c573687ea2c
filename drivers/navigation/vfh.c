/*
 * vfh - drives a robot to poses and avoids what is in the way, by the Vector Field Histogram.
 *
 * A position2d in front of another one: POS is driven here, velocities and requests pass. With a
 * `planner` in `provides` the goals can come from there too. Every set of readings of the sensor is
 * one decision, so it runs at the sensor's rate and in simulated time. navigation/vfh.h has the
 * method.
 */
#include "vfh_driver.h"

#include <math.h>
#include <stdlib.h>

#include "forward.h"
#include "troupe/driver/planner.h"
#include "troupe/driver/position2d.h"

static const int64_t period_ns = 100 * TP_NS_PER_MS;

static struct vfh *state_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

static int64_t now_ns(const tp_instance *self)
{
    return tp_clock_now_ns(tp_instance_clock(self));
}

tp_status tpi_vfh_send(const struct vfh *v, double forward, double turn)
{
    const tp_position2d_cmd_vel vel = {.vel = {.px = forward, .pa = turn}, .state = 1};

    return tp_link_command(v->base, TP_POSITION2D_CMD_VEL, &vel);
}

/* ---- What the planner tells ------------------------------------------------------------------ */

static tp_pose2d pose_of(const tpi_nav_pose *pose)
{
    return (tp_pose2d){.px = pose->x, .py = pose->y, .pa = pose->a};
}

static void tell(const struct vfh *v, double time)
{
    const bool done = v->method.state == TPI_NAV_VFH_DONE;
    const bool has = v->method.state != TPI_NAV_VFH_IDLE;
    const tp_planner_data data = {.valid = has && v->method.state != TPI_NAV_VFH_BLOCKED,
                                  .done = done,
                                  .pos = pose_of(&v->pose),
                                  .goal = pose_of(&v->goal),
                                  .waypoint = pose_of(&v->goal),
                                  .waypoint_idx = has && !done ? 0 : -1,
                                  .waypoints_count = has ? 1 : 0};

    if (v->planner != NULL) {
        tp_planner_publish_state(v->planner, &data, time);
    }
}

/* ---- Goals ----------------------------------------------------------------------------------- */

static tp_status set_goal(struct vfh *v, const tp_pose2d *goal, tp_error *err)
{
    if (!isfinite(goal->px + goal->py + goal->pa)) {
        return tp_fail(err, TP_E_RANGE, "the goal is no place");
    }
    const tpi_nav_pose to = {goal->px, goal->py, goal->pa};
    const double moved = v->active ? hypot(to.x - v->goal.x, to.y - v->goal.y) : HUGE_VAL;
    const bool same = moved < 1e-6 && fabs(tpi_nav_angle(to.a - v->goal.a)) < 1e-6;

    v->goal = to;
    v->active = true;
    v->passes = false;
    if (moved > 0.3 || v->stuck.given_up) {
        v->stuck.given_up = false;
        v->stuck.from_s = 0;
        tpi_nav_vfh_begin(&v->method);
    } else if (!same && v->method.state == TPI_NAV_VFH_DONE) {
        v->method.state = TPI_NAV_VFH_DRIVES; /* a planner corrects its waypoint a little */
    }
    return TP_OK;
}

static void forget_goal(struct vfh *v)
{
    v->active = false;
    v->method.state = TPI_NAV_VFH_IDLE;
    v->method.speed = 0;
    v->method.turn = 0;
    v->escape.until = 0;
}

/* Stop the robot; it may not take the command, and then it is not ours to stop. */
static void rest(struct vfh *v)
{
    if (v->active) {
        (void)tpi_vfh_send(v, 0, 0);
    }
    forget_goal(v);
}

/* ---- Decisions ------------------------------------------------------------------------------- */

static void decide(struct vfh *v, double time)
{
    const double since = time - v->stepped;
    const double period = since > 0 && since < 0.5 ? since : 0.1;
    const bool was_done = v->method.state == TPI_NAV_VFH_DONE;

    v->stepped = time;
    if (!v->active || !v->enabled || !v->posed || tpi_vfh_is_held(v, time)) {
        return;
    }
    const size_t count =
        tpi_nav_window_points(&v->window, &v->pose, time, v->points, v->most_points);
    v->method.mover_count = tpi_nav_movers_around(&v->movers, &v->pose, time, v->method.movers);
    v->yield.seen_s = v->method.mover_count > 0 ? time : v->yield.seen_s;
    tpi_nav_vfh_step(&v->method, &v->pose, &v->goal, v->points, count, period);
    if (v->method.state != TPI_NAV_VFH_DONE || !was_done) {
        (void)tpi_vfh_send(v, v->method.speed, v->method.turn);
    }
}

/* ---- Data ------------------------------------------------------------------------------------ */

static void take_state(struct vfh *v, const tp_position2d_data *data)
{
    const tpi_nav_pose pose = {data->pos.px, data->pos.py, data->pos.pa};

    if (!isfinite(pose.x + pose.y + pose.a)) {
        return;
    }
    if (v->posed && hypot(pose.x - v->pose.x, pose.y - v->pose.y) > 1) {
        tpi_nav_window_clear(&v->window); /* the odometry was set */
        tpi_nav_movers_clear(&v->movers);
    }
    v->pose = pose;
    v->posed = true;
    v->stalled = data->stall != 0;
}

static void take_base(tp_instance *self, struct vfh *v, const tp_msg *msg)
{
    const unsigned code = tp_msg_header(msg)->subtype;

    if (code == TP_POSITION2D_DATA_STATE && tp_msg_payload(msg) != NULL && v->input == NULL) {
        take_state(v, tp_msg_payload(msg));
        v->base_ns = now_ns(self);
    } else if (tpi_forward_is_failure(msg)) {
        forget_goal(v); /* whatever it did, it does not do it any more */
    }
    if (v->position != NULL && code == TP_POSITION2D_DATA_STATE && v->stuck.given_up) {
        tp_position2d_data data = *(const tp_position2d_data *)tp_msg_payload(msg);
        data.stall = 1; /* so nd tells that it has given up */
        tp_position2d_publish_state(v->position, &data, tp_msg_header(msg)->timestamp);
    } else if (v->position != NULL) {
        tpi_forward_data(v->position, msg);
    }
}

static void take_input(tp_instance *self, struct vfh *v, const tp_msg *msg)
{
    if (tp_msg_header(msg)->subtype == TP_POSITION2D_DATA_STATE && tp_msg_payload(msg) != NULL) {
        take_state(v, tp_msg_payload(msg));
        v->base_ns = now_ns(self);
    }
}

static void vfh_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    struct vfh *v = tp_instance_state(self);

    if (from == v->base) {
        take_base(self, v, msg);
        return;
    }
    if (from == v->input) {
        take_input(self, v, msg);
        return;
    }
    if (from != v->beams.link || !tpi_beams_take(&v->beams, msg)) {
        return;
    }
    v->sensor_ns = now_ns(self);
    v->blind = false;
    if (v->posed) {
        tpi_nav_window_take(&v->window, &v->pose, v->beams.beams, v->beams.count, v->beams.time);
        tpi_nav_movers_take(&v->movers, &v->pose, v->beams.beams, v->beams.count, v->beams.time);
    }
    decide(v, v->beams.time);
    tell(v, v->beams.time);
}

/* A robot that does not see does not go on. */
static tp_status vfh_poll(tp_instance *self, tp_error *err)
{
    struct vfh *v = tp_instance_state(self);
    const int64_t now = now_ns(self);
    const bool silent = now - v->sensor_ns > v->timeout_ns || now - v->base_ns > v->timeout_ns;

    (void)err;
    if (v->active && silent && !v->blind) {
        v->blind = true;
        v->method.speed = 0;
        (void)tpi_vfh_send(v, 0, 0);
    }
    return TP_OK;
}

/* ---- The position2d -------------------------------------------------------------------------- */

static tp_status take_pos(struct vfh *v, const tp_position2d_cmd_pos *ask, tp_error *err)
{
    if (ask->state == 0) {
        rest(v);
        return TP_OK;
    }
    return set_goal(v, &ask->pos, err);
}

/* What the robot takes are always velocities, so it is not told. The other controller lets go. */
static tp_status choose_control(struct vfh *v, const tp_position2d_position_mode_req *ask)
{
    const bool poses = ask->state != 0;

    if (v->active && !poses) {
        rest(v);
    } else if (v->passes && poses) {
        (void)tpi_vfh_send(v, 0, 0);
        v->passes = false;
    }
    v->control = poses ? TPI_CONTROL_POSITION : TPI_CONTROL_SPEED;
    return TP_OK;
}

static tpi_control control_of(const tp_message *what, const void *ask)
{
    const tp_position2d_cmd_vel *vel = ask;
    const tp_position2d_cmd_car *car = ask;

    switch (what->code) {
    case TP_POSITION2D_CMD_POS:
        return TPI_CONTROL_POSITION;
    case TP_POSITION2D_CMD_VEL:
        return tpi_control_of_speeds((const double[]){vel->vel.px, vel->vel.py, vel->vel.pa}, 3);
    case TP_POSITION2D_CMD_CAR:
        return tpi_control_of_speeds((const double[]){car->velocity, car->angle}, 2);
    default: /* at a speed of 0 it still turns to a heading */
        return TPI_CONTROL_SPEED;
    }
}

static tp_status take_command(struct vfh *v, tp_device *device, const tp_message *what,
                              const void *ask, tp_error *err)
{
    tp_status status = tpi_control_check(v->control, control_of(what, ask), "vehicle", err);

    if (status != TP_OK) {
        return status;
    }
    if (what->code == TP_POSITION2D_CMD_POS) {
        return take_pos(v, ask, err);
    }
    forget_goal(v);
    v->passes = true;
    return tpi_forward_message(device, v->base, what, ask, FORWARD_TIMEOUT_NS, err);
}

/* What it does whatever the robot can do. */
static bool is_own(unsigned kind, unsigned code)
{
    return (kind == TP_KIND_COMMAND && code == TP_POSITION2D_CMD_POS) ||
           (kind == TP_KIND_REQUEST && code == TP_POSITION2D_REQ_POSITION_MODE);
}

static tp_status position_handle(tp_device *device, const tp_message *what, const void *ask,
                                 void *answer, tp_error *err)
{
    struct vfh *v = state_of(device);
    const bool common = tpi_forward_is_common(what);

    (void)answer;
    if (what->kind == TP_KIND_COMMAND && !common) {
        return take_command(v, device, what, ask, err);
    }
    if (!common && is_own(what->kind, what->code)) {
        return choose_control(v, ask);
    }
    if (common && what->code == TP_COMMON_REQ_CAPABILITIES) {
        const tp_capabilities_req *able = ask;
        if (is_own(able->type, able->subtype)) {
            return TP_OK;
        }
    }
    return tpi_forward_message(device, v->base, what, ask, FORWARD_TIMEOUT_NS, err);
}

/* ---- The planner ----------------------------------------------------------------------------- */

static tp_status planner_goal(tp_device *device, const tp_planner_cmd *ask, tp_error *err)
{
    return set_goal(state_of(device), &ask->goal, err);
}

static tp_status planner_enable(tp_device *device, const tp_planner_enable_req *ask, tp_error *err)
{
    struct vfh *v = state_of(device);

    (void)err;
    if (ask->state == 0 && v->active && v->enabled) {
        (void)tpi_vfh_send(v, 0, 0);
        v->method.speed = 0;
    }
    v->enabled = ask->state != 0;
    return TP_OK;
}

static const tp_planner_ops planner_ops = {.cmd_goal = planner_goal, .req_enable = planner_enable};

/* ---- Life ------------------------------------------------------------------------------------ */

/* The outline about the centre of turning. */
static void got_geom(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                     const char *why)
{
    struct vfh *v = tp_instance_state(self);
    const tp_position2d_geom *geom = status == TP_OK ? tp_msg_payload(answer) : NULL;

    (void)context;
    (void)why;
    if (geom == NULL || v->sized) {
        return;
    }
    const tpi_nav_outline o = {.front = geom->pose.px + geom->size.sl / 2,
                               .back = geom->size.sl / 2 - geom->pose.px,
                               .side = fabs(geom->pose.py) + geom->size.sw / 2};
    if (o.front > 0 && o.back > 0 && o.side > 0 && o.front + o.back + o.side < 1e3) {
        v->method.settings.outline = o;
    }
}

/* The sensor, and what is offered. */
static tp_status offer(tp_instance *self, struct vfh *v, tp_error *err)
{
    tp_status status = tpi_beams_require(self, &v->beams, err);

    v->enabled = true;
    if (status == TP_OK && tp_provides(self, &tp_interface_planner, NULL)) {
        status = tp_offer_planner(self, NULL, &planner_ops, &v->planner, err);
    }
    if (status == TP_OK &&
        (v->planner == NULL || tp_provides(self, &tp_interface_position2d, NULL))) {
        status = tp_offer(self, &tp_interface_position2d, NULL, NULL, position_handle, &v->position,
                          err);
    }
    tp_link_report(v->base);
    return status;
}

static tp_status vfh_init(tp_instance *self, tp_error *err)
{
    struct vfh *v = tp_instance_state(self);
    tp_status status = tpi_vfh_settings(self, v, err);

    status =
        status == TP_OK ? tp_require(self, &tp_interface_position2d, NULL, &v->base, err) : status;
    return status == TP_OK ? offer(self, v, err) : status;
}

/* One position2d is both, unless the keys say otherwise. */
static tp_status use_keys(tp_instance *self, struct vfh *v, tp_status status, tp_error *err)
{
    if (status == TP_OK) {
        status = tp_require(self, &tp_interface_position2d, "output", &v->base, err);
        status = status == TP_E_UNKNOWN
                     ? tp_require(self, &tp_interface_position2d, NULL, &v->base, err)
                     : status;
    }
    if (status == TP_OK) {
        status = tp_require(self, &tp_interface_position2d, "input", &v->input, err);
        status = status == TP_E_UNKNOWN ? TP_OK : status;
    }
    return status == TP_OK ? offer(self, v, err) : status;
}

static tp_status nd_init(tp_instance *self, tp_error *err)
{
    struct vfh *v = tp_instance_state(self);

    return use_keys(self, v, tpi_nd_settings(self, v, err), err);
}

static tp_status snd_init(tp_instance *self, tp_error *err)
{
    struct vfh *v = tp_instance_state(self);

    return use_keys(self, v, tpi_snd_settings(self, v, err), err);
}

static tp_status vfh_start(tp_instance *self, tp_error *err)
{
    struct vfh *v = tp_instance_state(self);
    tp_status status = tp_link_request(v->base, TP_POSITION2D_REQ_GET_GEOM, NULL,
                                       FORWARD_TIMEOUT_NS, got_geom, NULL);

    v->posed = false;
    v->blind = false;
    v->base_ns = v->sensor_ns = now_ns(self);
    tpi_nav_window_clear(&v->window);
    tpi_nav_movers_clear(&v->movers);
    tp_instance_set_period(self, period_ns);
    return status == TP_OK ? tpi_beams_start(&v->beams, err)
                           : tp_fail(err, status, "the robot cannot be asked");
}

static void vfh_halt(tp_device *device, tp_halt how)
{
    struct vfh *v = state_of(device);

    (void)how; /* the robot's own configuration says */
    forget_goal(v);
    tp_link_halt(v->base);
}

static void vfh_stop(tp_instance *self)
{
    rest(tp_instance_state(self));
}

static void vfh_fini(tp_instance *self)
{
    struct vfh *v = tp_instance_state(self);

    tpi_beams_fini(&v->beams);
    tpi_nav_window_fini(&v->window);
    free(v->points);
}

static const tp_driver_ops vfh_ops = {
    .init = vfh_init,
    .start = vfh_start,
    .poll = vfh_poll,
    .data = vfh_data,
    .halt = vfh_halt,
    .stop = vfh_stop,
    .fini = vfh_fini,
};

TP_API const tp_driver tp_driver_vfh = {
    .abi = TP_DRIVER_ABI,
    .name = "vfh",
    .summary = "drives to poses and avoids what is in the way",
    .state_size = sizeof(struct vfh),
    .params = tpi_vfh_params,
    .ops = &vfh_ops,
};

static const tp_driver_ops nd_ops = {
    .init = nd_init,
    .start = vfh_start,
    .poll = vfh_poll,
    .data = vfh_data,
    .halt = vfh_halt,
    .stop = vfh_stop,
    .fini = vfh_fini,
};

TP_API const tp_driver tp_driver_nd = {
    .abi = TP_DRIVER_ABI,
    .name = "nd",
    .summary = "drives to poses and avoids what is in the way; gives up where it is stuck",
    .state_size = sizeof(struct vfh),
    .params = tpi_nd_params,
    .ops = &nd_ops,
};

static const tp_driver_ops snd_ops = {
    .init = snd_init,
    .start = vfh_start,
    .poll = vfh_poll,
    .data = vfh_data,
    .halt = vfh_halt,
    .stop = vfh_stop,
    .fini = vfh_fini,
};

TP_API const tp_driver tp_driver_snd = {
    .abi = TP_DRIVER_ABI,
    .name = "snd",
    .summary = "drives to poses and avoids what is in the way, with the settings of Player's snd",
    .state_size = sizeof(struct vfh),
    .params = tpi_snd_params,
    .ops = &snd_ops,
};
