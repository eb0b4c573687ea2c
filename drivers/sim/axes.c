/*
 * axes.c - position1d: a rail, a lift, a turntable; an actuator alone.
 *
 * The limit switches are on at the ends of the actuator's way, the centre switch is on in its
 * middle. SET_ODOM moves the zero of what is reported; the ends stay where they are.
 */
#include <math.h>

#include "control.h"
#include "sim/move/actuators.h"
#include "simulator.h"
#include "troupe/interfaces/position1d.h"

static const double switch_share = 0.005; /* of the way: how wide a switch is, to either side */

struct axis {
    double zero; /* the actuator's position that is reported as 0 */
    bool off;
    tpi_control control;
    tpi_control last; /* that of the last command */
};

static bool is_actuator(const simd *s, tpi_sim_model model)
{
    tpi_sim_info info;

    tpi_sim_model_info(s->world, model, &info);
    return info.kind == TPI_SIM_ACTUATOR;
}

/* It stands on no other actuator and carries none. */
static bool axis_suits(const simd *s, tpi_sim_model model)
{
    tpi_sim_info info;

    tpi_sim_model_info(s->world, model, &info);
    for (tpi_sim_model on = model + 1; on < model + info.family; on++) {
        if (is_actuator(s, on)) {
            return false;
        }
    }
    while (info.parent != TPI_SIM_NONE) {
        if (is_actuator(s, info.parent)) {
            return false;
        }
        tpi_sim_model_info(s->world, info.parent, &info);
    }
    return true;
}

static void axis_halt(simd_device *d)
{
    (void)tpi_sim_actuator_turn(d->owner->world, d->model, 0, NULL);
}

/* The world has gone back, and knows of no power. */
static void axis_return(simd_device *d)
{
    if (((const struct axis *)d->state)->off) {
        axis_halt(d);
    }
}

static unsigned status_of(const struct axis *axis, const tpi_sim_actuator *a)
{
    const double width = fmax((a->high - a->low) * switch_share, 1e-9);
    const bool there = a->turning ? a->velocity == 0 : a->position == a->goal;
    unsigned status = 0;

    status |= a->position <= a->low + width ? 1u << TP_POSITION1D_STATUS_LIMIT_MIN : 0;
    status |= fabs(a->position - (a->low + a->high) / 2) <= width
                  ? 1u << TP_POSITION1D_STATUS_LIMIT_CEN
                  : 0;
    status |= a->position >= a->high - width ? 1u << TP_POSITION1D_STATUS_LIMIT_MAX : 0;
    status |= a->stalled ? 1u << TP_POSITION1D_STATUS_OC : 0; /* the motor pushes in vain */
    status |= there ? 1u << TP_POSITION1D_STATUS_TRAJ_COMPLETE : 0;
    status |= !axis->off ? 1u << TP_POSITION1D_STATUS_ENABLED : 0;
    return status;
}

static void axis_publish(simd_device *d)
{
    const struct axis *axis = d->state;
    tpi_sim_actuator a;

    if (!tpi_simd_is_due(d) || tpi_sim_get_actuator(d->owner->world, d->model, &a, NULL) != TP_OK) {
        return;
    }
    const tp_position1d_data data = {.pos = (float)(a.position - axis->zero),
                                     .vel = (float)a.velocity,
                                     .stall = a.stalled,
                                     .status = (uint8_t)status_of(axis, &a)};
    tp_publish(d->device, TP_POSITION1D_DATA_STATE, &data, tpi_simd_time_s(d->owner));
}

/* ---- Commands -------------------------------------------------------------------------------- */

static tp_status check(const struct axis *axis, tpi_control wanted, double value, const char *name,
                       tp_error *err)
{
    if (!isfinite(value)) {
        return tp_fail(err, TP_E_RANGE, "%s is %g, which is no number to move by", name, value);
    }
    return tpi_control_check(axis->control, wanted, "axis", err);
}

/* The `state` of commands has no effect, as that of a position2d: Player's C++ clients send 0. */
static tp_status cmd_vel(tp_device *device, const tp_position1d_cmd_vel *ask, tp_error *err)
{
    const simd_device *d = simd_of(device);
    struct axis *axis = d->state;
    const double vel = (double)ask->vel;
    tp_status status = check(axis, tpi_control_of_speeds(&vel, 1), vel, "vel", err);

    if (status != TP_OK || axis->off) {
        return status;
    }
    axis->last = TPI_CONTROL_SPEED;
    return tpi_sim_actuator_turn(d->owner->world, d->model, vel, err);
}

static tp_status cmd_pos(tp_device *device, const tp_position1d_cmd_pos *ask, tp_error *err)
{
    const simd_device *d = simd_of(device);
    struct axis *axis = d->state;
    tp_status status = check(axis, TPI_CONTROL_POSITION, (double)ask->pos, "pos", err);

    status =
        status == TP_OK ? check(axis, TPI_CONTROL_POSITION, (double)ask->vel, "vel", err) : status;
    if (status != TP_OK || axis->off) {
        return status;
    }
    axis->last = TPI_CONTROL_POSITION;
    return tpi_sim_actuator_go(d->owner->world, d->model, (double)ask->pos + axis->zero,
                               fabs((double)ask->vel), err);
}

/* ---- Requests -------------------------------------------------------------------------------- */

static tp_status get_geom(tp_device *device, tp_position1d_geom *answer, tp_error *err)
{
    (void)err;
    tpi_simd_place(simd_of(device), &answer->pose, &answer->size);
    return TP_OK;
}

static tp_status motor_power(tp_device *device, const tp_position1d_power_config *ask,
                             tp_error *err)
{
    struct axis *axis = simd_state(device);

    (void)err;
    axis->off = ask->state == 0;
    axis_return(simd_of(device));
    return TP_OK;
}

static tp_status velocity_mode(tp_device *device, const tp_position1d_velocity_mode_config *ask,
                               tp_error *err)
{
    (void)device;
    return ask->value == 0 ? TP_OK
                           : tp_fail(err, TP_E_RANGE,
                                     "there is no velocity mode %u: 0, direct control, is the only "
                                     "one",
                                     ask->value);
}

static tp_status position_mode(tp_device *device, const tp_position1d_position_mode_req *ask,
                               tp_error *err)
{
    struct axis *axis = simd_state(device);
    const tpi_control control = ask->state != 0 ? TPI_CONTROL_POSITION : TPI_CONTROL_SPEED;

    (void)err;
    if (control != axis->last && axis->last != TPI_CONTROL_ANY) {
        axis_halt(simd_of(device)); /* the other controller lets go */
    }
    axis->control = control;
    return TP_OK;
}

static tp_status set_odom(tp_device *device, const tp_position1d_set_odom_req *ask, tp_error *err)
{
    const simd_device *d = simd_of(device);
    tpi_sim_actuator a;

    if (!(fabs((double)ask->pos) <= 1e6)) {
        return tp_fail(err, TP_E_RANGE, "a position of %g is too far away", (double)ask->pos);
    }
    tp_status status = tpi_sim_get_actuator(d->owner->world, d->model, &a, err);
    if (status == TP_OK) {
        ((struct axis *)d->state)->zero = a.position - (double)ask->pos;
    }
    return status;
}

static tp_status reset_odom(tp_device *device, const tp_position1d_reset_odom_config *ask,
                            tp_error *err)
{
    const tp_position1d_set_odom_req zero = {0};

    (void)ask; /* its value is the driver's own; this one has none */
    return set_odom(device, &zero, err);
}

static const tp_position1d_ops axis_ops = {
    .req_get_geom = get_geom,
    .req_motor_power = motor_power,
    .req_velocity_mode = velocity_mode,
    .req_position_mode = position_mode,
    .req_set_odom = set_odom,
    .req_reset_odom = reset_odom,
    .cmd_vel = cmd_vel,
    .cmd_pos = cmd_pos,
};

const simd_kind tpi_simd_axes[] = {
    {
        .interface = &tp_interface_position1d,
        .ops = &axis_ops,
        .models = SIMD_MODEL(ACTUATOR),
        .state_size = sizeof(struct axis),
        .suits = axis_suits,
        .publish = axis_publish,
        .halt = axis_halt,
        .returned = axis_return,
    },
    {0},
};
