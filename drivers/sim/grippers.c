/*
 * grippers.c - gripper and its lift, which is an actarray.
 *
 * Player's gripper cannot lift. Where a robot's gripper can, Player has the lift as an actarray of
 * one actuator with the key "lift"; so it is here. It knows up and down and nothing in between.
 */
#include <math.h>

#include "sim/move/actuators.h"
#include "simulator.h"
#include "troupe/interfaces/actarray.h"
#include "troupe/interfaces/gripper.h"

/* ---- gripper --------------------------------------------------------------------------------- */

enum { INNER_BEAM = 0x04, OUTER_BEAM = 0x08 }; /* as Stage has them */

static void gripper_publish(simd_device *d)
{
    tpi_sim_gripper g;

    if (!tpi_simd_is_due(d) || tpi_sim_get_gripper(d->owner->world, d->model, &g, NULL) != TP_OK) {
        return;
    }
    const tp_gripper_data data = {
        .state = g.opening || g.closing ? TP_GRIPPER_STATE_MOVING
                 : g.open >= 1          ? TP_GRIPPER_STATE_OPEN
                                        : TP_GRIPPER_STATE_CLOSED,
        .beams = (g.beams[0] ? INNER_BEAM : 0u) | (g.beams[1] ? OUTER_BEAM : 0u),
    };
    tp_publish(d->device, TP_GRIPPER_DATA_STATE, &data, tpi_simd_time_s(d->owner));
}

static tp_status gripper_geom(tp_device *device, tp_gripper_geom *answer, tp_error *err)
{
    const simd_device *d = simd_of(device);
    tpi_sim_gripper g;
    tp_status status = tpi_sim_get_gripper(d->owner->world, d->model, &g, err);

    if (status != TP_OK) {
        return status;
    }
    tpi_simd_place(d, &answer->pose, &answer->outer_size);
    answer->inner_size = (tp_bbox3d){.sl = g.paddle_size[0], .sw = g.width, .sh = g.paddle_size[2]};
    answer->num_beams = 2;
    return TP_OK;
}

static tp_status grip(tp_device *device, tpi_sim_grip what, tp_error *err)
{
    const simd_device *d = simd_of(device);

    return tpi_sim_grip_do(d->owner->world, d->model, what, err);
}

static tp_status gripper_open(tp_device *device, tp_error *err)
{
    return grip(device, TPI_SIM_GRIP_OPEN, err);
}

static tp_status gripper_close(tp_device *device, tp_error *err)
{
    return grip(device, TPI_SIM_GRIP_CLOSE, err);
}

static tp_status gripper_stop(tp_device *device, tp_error *err)
{
    return grip(device, TPI_SIM_GRIP_STOP_PADDLES, err);
}

static void gripper_halt(simd_device *d)
{
    (void)tpi_sim_grip_do(d->owner->world, d->model, TPI_SIM_GRIP_STOP_PADDLES, NULL);
}

static const tp_gripper_ops gripper_ops = {
    .req_get_geom = gripper_geom,
    .cmd_open = gripper_open,
    .cmd_close = gripper_close,
    .cmd_stop = gripper_stop,
};

/* ---- The lift -------------------------------------------------------------------------------- */

static const double lift_s = 2; /* from one end to the other */

/* How high it lifts. */
static double travel(const simd_device *d)
{
    tpi_sim_info info;

    tpi_simd_info(d, &info);
    return info.size[2];
}

static void lift_publish(simd_device *d)
{
    tpi_sim_gripper g;

    if (!tpi_simd_is_due(d) || tpi_sim_get_gripper(d->owner->world, d->model, &g, NULL) != TP_OK) {
        return;
    }
    const double way = travel(d);
    const double speed = (g.lifting ? way : g.lowering ? -way : 0) / lift_s;
    tp_actarray_actuator lift = {
        .position = (float)(g.lift * way),
        .speed = (float)speed,
        .state = speed != 0 ? TP_ACTARRAY_ACTSTATE_MOVING : TP_ACTARRAY_ACTSTATE_IDLE,
    };
    const tp_actarray_data data = {.actuators_count = 1, .actuators = &lift, .motor_state = 1};
    tp_publish(d->device, TP_ACTARRAY_DATA_STATE, &data, tpi_simd_time_s(d->owner));
}

struct lift {
    tp_actarray_actuatorgeom geom; /* room for an answer */
};

static tp_status lift_geom(tp_device *device, tp_actarray_geom *answer, tp_error *err)
{
    const simd_device *d = simd_of(device);
    struct lift *lift = d->state;
    const tpi_sim_pose base = tpi_sim_pose_on_root(d->owner->world, d->model);
    const double way = travel(d);

    (void)err;
    lift->geom = (tp_actarray_actuatorgeom){.type = TP_ACTARRAY_TYPE_LINEAR,
                                            .axis = {0, 0, 1},
                                            .centre = (float)(way / 2),
                                            .max = (float)way,
                                            .config_speed = (float)(way / lift_s)};
    answer->actuators_count = 1;
    answer->actuators = &lift->geom;
    answer->base_pos = (tp_point_3d){base.x, base.y, base.z};
    answer->base_orientation = (tp_orientation_3d){0, 0, base.a};
    return TP_OK;
}

static tp_status check_lift(int32_t joint, const char *what, double value, tp_error *err)
{
    if (joint != 0) {
        return tp_fail(err, TP_E_RANGE, "there is no actuator %d", joint);
    }
    return isfinite(value) ? TP_OK : tp_fail(err, TP_E_RANGE, "%s %g is not a number", what, value);
}

/* Above the middle it is up. */
static tp_status lift_pos(tp_device *device, const tp_actarray_position_cmd *ask, tp_error *err)
{
    const double position = (double)ask->position;
    const bool up = position > travel(simd_of(device)) / 2;
    tp_status status = check_lift(ask->joint, "position", position, err);

    return status == TP_OK ? grip(device, up ? TPI_SIM_GRIP_UP : TPI_SIM_GRIP_DOWN, err) : status;
}

static tp_status lift_speed(tp_device *device, const tp_actarray_speed_cmd *ask, tp_error *err)
{
    const double speed = (double)ask->speed;
    tp_status status = check_lift(ask->joint, "speed", speed, err);

    return status == TP_OK ? grip(device,
                                  speed > 0   ? TPI_SIM_GRIP_UP
                                  : speed < 0 ? TPI_SIM_GRIP_DOWN
                                              : TPI_SIM_GRIP_STOP_LIFT,
                                  err)
                           : status;
}

static tp_status lift_home(tp_device *device, const tp_actarray_home_cmd *ask, tp_error *err)
{
    tp_status status = ask->joint == -1 ? TP_OK : check_lift(ask->joint, "position", 0, err);

    return status == TP_OK ? grip(device, TPI_SIM_GRIP_DOWN, err) : status;
}

static void lift_halt(simd_device *d)
{
    (void)tpi_sim_grip_do(d->owner->world, d->model, TPI_SIM_GRIP_STOP_LIFT, NULL);
}

static const tp_actarray_ops lift_ops = {
    .req_get_geom = lift_geom,
    .cmd_pos = lift_pos,
    .cmd_speed = lift_speed,
    .cmd_home = lift_home,
};

const simd_kind tpi_simd_grippers[] = {
    {
        .interface = &tp_interface_gripper,
        .ops = &gripper_ops,
        .models = SIMD_MODEL(GRIPPER),
        .publish = gripper_publish,
        .halt = gripper_halt,
    },
    {
        .interface = &tp_interface_actarray,
        .ops = &lift_ops,
        .models = SIMD_MODEL(GRIPPER),
        .key = SIMD_LIFT_KEY,
        .state_size = sizeof(struct lift),
        .publish = lift_publish,
        .halt = lift_halt,
    },
    {0},
};
