/*
 * flyers.c - position3d: aircraft.
 *
 * They stay level: a velocity or pose with roll or pitch is refused. Without power an aircraft
 * sinks as fast as its model says; stopped for another reason it hovers.
 */
#include <math.h>

#include "control.h"
#include "sim/move/aircraft.h"
#include "simulator.h"
#include "troupe/interfaces/position3d.h"

struct flyer {
    bool off;
    bool stands; /* it was stopped for good, and no controller of the world moves it */
    tpi_control control;
    tpi_control last; /* that of the last command */
};

/* A controller of the world goes on when the client that moved it has left. */
static void flyer_halt(simd_device *d)
{
    const tp_halt_reason reason = tp_instance_halt_reason(d->owner->instance);
    struct flyer *f = d->state;

    tpi_sim_stop(d->owner->world, d->model);
    f->stands = f->stands || reason == TP_HALT_ASKED || reason == TP_HALT_SILENT;
    tpi_sim_lead(d->owner->world, d->model, f->stands || f->off || reason != TP_HALT_LEFT);
}

/* The world has gone back, and knows neither of power nor of stops. */
static void flyer_return(simd_device *d)
{
    const struct flyer *f = d->state;

    (void)tpi_sim_set_flight_power(d->owner->world, d->model, !f->off, NULL);
    tpi_sim_lead(d->owner->world, d->model, f->off || f->stands);
}

static void flyer_show(simd_device *d)
{
    tpi_sim_flight f;

    if (tpi_sim_get_flight(d->owner->world, d->model, &f, NULL) != TP_OK) {
        return;
    }
    const tp_position3d_data data = {
        .pos = {.px = f.estimate[0],
                .py = f.estimate[1],
                .pz = f.estimate[2],
                .pyaw = f.estimate[3]},
        .vel = {.px = f.velocity[0],
                .py = f.velocity[1],
                .pz = f.velocity[2],
                .pyaw = f.velocity[3]},
        .stall = f.stalled,
    };
    tp_publish(d->device, TP_POSITION3D_DATA_STATE, &data, tpi_simd_time_s(d->owner));
}

static void flyer_publish(simd_device *d)
{
    if (tpi_simd_is_due(d)) {
        flyer_show(d);
    }
}

/* ---- Commands -------------------------------------------------------------------------------- */

static tp_status check_pose(const char *name, const tp_pose3d *pose, tp_error *err)
{
    const double values[] = {pose->px, pose->py, pose->pz, pose->proll, pose->ppitch, pose->pyaw};
    static const char *const names[] = {"px", "py", "pz", "proll", "ppitch", "pyaw"};

    for (int i = 0; i < 6; i++) {
        if (!isfinite(values[i])) {
            return tp_fail(err, TP_E_RANGE, "%s.%s is %g, which is no number to move by", name,
                           names[i], values[i]);
        }
    }
    return pose->proll == 0 && pose->ppitch == 0
               ? TP_OK
               : tp_fail(err, TP_E_RANGE, "%s has roll or pitch: a simulated aircraft stays level",
                         name);
}

static tp_status command(tp_device *device, tpi_sim_drive_mode mode, const double goal[4],
                         double climb_speed, tp_error *err)
{
    simd_device *d = simd_of(device);
    struct flyer *f = d->state;
    const bool position = mode == TPI_SIM_DRIVE_POSITION;

    const tpi_control control = position ? TPI_CONTROL_POSITION : tpi_control_of_speeds(goal, 4);
    tp_status status = tpi_control_check(f->control, control, "aircraft", err);

    if (status != TP_OK || f->off) {
        return status;
    }
    f->last = position ? TPI_CONTROL_POSITION : TPI_CONTROL_SPEED;
    status = tpi_sim_fly(d->owner->world, d->model, mode, goal, climb_speed, err);
    f->stands = status != TP_OK && f->stands;
    return status;
}

/* The `state` of commands has no effect, as that of a position2d: Player's C++ clients send 0. */
static tp_status set_vel(tp_device *device, const tp_position3d_cmd_vel *ask, tp_error *err)
{
    const double goal[4] = {ask->vel.px, ask->vel.py, ask->vel.pz, ask->vel.pyaw};
    tp_status status = check_pose("vel", &ask->vel, err);

    return status == TP_OK ? command(device, TPI_SIM_DRIVE_VELOCITY, goal, 0, err) : status;
}

static tp_status set_pos(tp_device *device, const tp_position3d_cmd_pos *ask, tp_error *err)
{
    const double goal[4] = {ask->pos.px, ask->pos.py, ask->pos.pz, ask->pos.pyaw};
    const simd_device *d = simd_of(device);
    tp_status status = check_pose("pos", &ask->pos, err);

    status = status == TP_OK ? check_pose("vel", &ask->vel, err) : status;
    status = status == TP_OK ? command(device, TPI_SIM_DRIVE_POSITION, goal, fabs(ask->vel.pz), err)
                             : status;
    return status == TP_OK
               ? tpi_sim_drive_at(d->owner->world, d->model, hypot(ask->vel.px, ask->vel.py),
                                  fabs(ask->vel.pyaw), err)
               : status;
}

/* ---- Requests -------------------------------------------------------------------------------- */

static tp_status get_geom(tp_device *device, tp_position3d_geom *answer, tp_error *err)
{
    tpi_sim_info info;

    (void)err;
    tpi_simd_info(simd_of(device), &info);
    answer->pose = tpi_simd_pose3d(&info.origin);
    answer->size = tpi_simd_bbox3d(info.size);
    return TP_OK;
}

static tp_status motor_power(tp_device *device, const tp_position3d_power_config *ask,
                             tp_error *err)
{
    simd_device *d = simd_of(device);
    struct flyer *f = d->state;

    f->off = ask->state == 0;
    f->stands = false;
    tpi_sim_lead(d->owner->world, d->model, f->off);
    return tpi_sim_set_flight_power(d->owner->world, d->model, !f->off, err);
}

static tp_status velocity_mode(tp_device *device, const tp_position3d_velocity_mode_config *ask,
                               tp_error *err)
{
    (void)device;
    return ask->value == 0 ? TP_OK
                           : tp_fail(err, TP_E_RANGE,
                                     "there is no velocity mode %u: 0, direct control, is the only "
                                     "one",
                                     ask->value);
}

static tp_status position_mode(tp_device *device, const tp_position3d_position_mode_req *ask,
                               tp_error *err)
{
    simd_device *d = simd_of(device);
    struct flyer *f = d->state;
    const tpi_control control = ask->value != 0 ? TPI_CONTROL_POSITION : TPI_CONTROL_SPEED;

    (void)err;
    if (control != f->last && f->last != TPI_CONTROL_ANY) {
        tpi_sim_stop(d->owner->world, d->model); /* the other controller lets go */
    }
    f->control = control;
    return TP_OK;
}

static tp_status set_odom(tp_device *device, const tp_position3d_set_odom_req *ask, tp_error *err)
{
    const simd_device *d = simd_of(device);
    const double pose[4] = {ask->pos.px, ask->pos.py, ask->pos.pz, ask->pos.pyaw};
    tp_status status = check_pose("pos", &ask->pos, err);

    return status == TP_OK ? tpi_sim_set_flight_pose(d->owner->world, d->model, pose, err) : status;
}

static tp_status reset_odom(tp_device *device, tp_error *err)
{
    const tp_position3d_set_odom_req zero = {0};

    return set_odom(device, &zero, err);
}

static const tp_position3d_ops flyer_ops = {
    .cmd_set_vel = set_vel,
    .cmd_set_pos = set_pos,
    .req_get_geom = get_geom,
    .req_motor_power = motor_power,
    .req_velocity_mode = velocity_mode,
    .req_position_mode = position_mode,
    .req_reset_odom = reset_odom,
    .req_set_odom = set_odom,
};

const simd_kind tpi_simd_flyers[] = {
    {
        .interface = &tp_interface_position3d,
        .ops = &flyer_ops,
        .models = SIMD_MODEL(AIRCRAFT),
        .follows = true,
        .state_size = sizeof(struct flyer),
        .publish = flyer_publish,
        .show = flyer_show,
        .halt = flyer_halt,
        .returned = flyer_return,
    },
    {0},
};
