/*
 * arms.c - actarray: joints.
 *
 * It is an actuator with all actuators that stand on it, from the base outwards. Where a section
 * has several actarrays each is one actuator, as in Stage.
 */
#include <math.h>
#include <string.h>

#include "sim/move/actuators.h"
#include "simulator.h"
#include "troupe/interfaces/actarray.h"

enum { MOST_JOINTS = 32 };

struct arm {
    tpi_sim_model joints[MOST_JOINTS];
    uint32_t count;
    double speeds[MOST_JOINTS]; /* of moves to a position; 0 for as fast as it can */
    bool off;
    tp_actarray_actuatorgeom geom[MOST_JOINTS]; /* room for an answer */
};

/* It stands on no other actuator. */
static bool arm_suits(const simd *s, tpi_sim_model model)
{
    tpi_sim_info info;

    tpi_sim_model_info(s->world, model, &info);
    while (info.parent != TPI_SIM_NONE) {
        tpi_sim_model_info(s->world, info.parent, &info);
        if (info.kind == TPI_SIM_ACTUATOR) {
            return false;
        }
    }
    return true;
}

/* How many of the section are actarrays, but for lifts. */
static size_t count_arms(const simd_device *d)
{
    const tp_instance *self = d->owner->instance;
    size_t count = 0;

    for (size_t i = 0; i < tp_provides_count(self); i++) {
        count += tp_provides_interface(self, i) == &tp_interface_actarray &&
                 tp_provides_section(self, i) == d->section &&
                 strcmp(tp_provides_key(self, i), SIMD_LIFT_KEY) != 0;
    }
    return count;
}

static tp_status arm_begin(simd_device *d, tp_error *err)
{
    struct arm *arm = d->state;
    const uint32_t most = count_arms(d) > 1 ? 1 : MOST_JOINTS;
    tpi_sim_info info;

    (void)err;
    tpi_simd_info(d, &info);
    const uint32_t family = info.family;
    for (uint32_t i = 0; i < family && arm->count < most; i++) {
        tpi_sim_model_info(d->owner->world, d->model + i, &info);
        if (info.kind == TPI_SIM_ACTUATOR) {
            arm->joints[arm->count++] = d->model + i;
        }
    }
    return TP_OK;
}

/* The joints beyond the first work with it. */
static void arm_subscribe(simd_device *d, bool subscribed)
{
    const struct arm *arm = d->state;

    for (uint32_t i = 1; i < arm->count; i++) {
        if (subscribed) {
            tpi_sim_subscribe(d->owner->world, arm->joints[i]);
        } else {
            tpi_sim_unsubscribe(d->owner->world, arm->joints[i]);
        }
    }
}

static void arm_halt(simd_device *d)
{
    const struct arm *arm = d->state;

    for (uint32_t i = 0; i < arm->count; i++) {
        (void)tpi_sim_actuator_turn(d->owner->world, arm->joints[i], 0, NULL);
    }
}

/* The world has gone back, and knows of no power. */
static void arm_return(simd_device *d)
{
    if (((const struct arm *)d->state)->off) {
        arm_halt(d);
    }
}

static void arm_publish(simd_device *d)
{
    const struct arm *arm = d->state;
    tp_actarray_actuator actuators[MOST_JOINTS];

    if (!tpi_simd_is_due(d)) {
        return;
    }
    for (uint32_t i = 0; i < arm->count; i++) {
        tpi_sim_actuator joint = {0};
        (void)tpi_sim_get_actuator(d->owner->world, arm->joints[i], &joint, NULL);
        actuators[i] = (tp_actarray_actuator){
            .position = (float)joint.position,
            .speed = (float)joint.velocity,
            .state = joint.stalled         ? TP_ACTARRAY_ACTSTATE_STALLED
                     : joint.velocity != 0 ? TP_ACTARRAY_ACTSTATE_MOVING
                                           : TP_ACTARRAY_ACTSTATE_IDLE,
        };
    }
    const tp_actarray_data data = {
        .actuators_count = arm->count, .actuators = actuators, .motor_state = !arm->off};
    tp_publish(d->device, TP_ACTARRAY_DATA_STATE, &data, tpi_simd_time_s(d->owner));
}

/* How far it is from one joint to the next. */
static double link_length(const simd *s, const struct arm *arm, uint32_t i)
{
    if (i + 1 == arm->count) {
        return 0;
    }
    const tpi_sim_pose next = tpi_sim_local_pose(s->world, arm->joints[i + 1]);
    return sqrt(next.x * next.x + next.y * next.y + next.z * next.z);
}

/* Where the first joint is put on, which does not move with it. */
static tpi_sim_pose base_of(const simd_device *d, const struct arm *arm)
{
    const tpi_sim_pose base = tpi_sim_pose_on_root(d->owner->world, d->model);
    tpi_sim_actuator joint = {0};

    (void)tpi_sim_get_actuator(d->owner->world, arm->joints[0], &joint, NULL);
    const double by[3] = {-joint.axis[0] * joint.position, -joint.axis[1] * joint.position,
                          -joint.axis[2] * joint.position};
    const tpi_sim_pose back = joint.linear ? (tpi_sim_pose){.x = by[0], .y = by[1], .z = by[2]}
                                           : (tpi_sim_pose){.a = by[2]};
    return tpi_sim_compose(&base, &back);
}

static tp_status arm_geom(tp_device *device, tp_actarray_geom *answer, tp_error *err)
{
    simd_device *d = simd_of(device);
    struct arm *arm = d->state;
    const tpi_sim_pose base = base_of(d, arm);
    tp_status status = TP_OK;

    for (uint32_t i = 0; i < arm->count && status == TP_OK; i++) {
        tpi_sim_actuator joint = {0};
        status = tpi_sim_get_actuator(d->owner->world, arm->joints[i], &joint, err);
        arm->geom[i] = (tp_actarray_actuatorgeom){
            .type = joint.linear ? TP_ACTARRAY_TYPE_LINEAR : TP_ACTARRAY_TYPE_ROTARY,
            .length = (float)link_length(d->owner, arm, i),
            .axis = {joint.axis[0], joint.axis[1], joint.axis[2]},
            .min = (float)joint.low,
            .centre = (float)((joint.low + joint.high) / 2),
            .max = (float)joint.high,
            .home = (float)joint.start,
            .config_speed = (float)(arm->speeds[i] > 0 ? arm->speeds[i] : joint.fastest),
        };
    }
    answer->actuators_count = arm->count;
    answer->actuators = arm->geom;
    answer->base_pos = (tp_point_3d){base.x, base.y, base.z};
    answer->base_orientation = (tp_orientation_3d){0, 0, base.a};
    return status;
}

static tp_status check_joint(const struct arm *arm, int32_t joint, tp_error *err)
{
    return joint >= 0 && (uint32_t)joint < arm->count
               ? TP_OK
               : tp_fail(err, TP_E_RANGE, "there is no actuator %d", joint);
}

static tp_status go(tp_device *device, uint32_t i, double position, tp_error *err)
{
    const struct arm *arm = simd_state(device);

    return arm->off ? TP_OK
                    : tpi_sim_actuator_go(simd_of(device)->owner->world, arm->joints[i], position,
                                          arm->speeds[i], err);
}

static tp_status turn(tp_device *device, uint32_t i, double speed, tp_error *err)
{
    const struct arm *arm = simd_state(device);

    return arm->off
               ? TP_OK
               : tpi_sim_actuator_turn(simd_of(device)->owner->world, arm->joints[i], speed, err);
}

static tp_status cmd_pos(tp_device *device, const tp_actarray_position_cmd *ask, tp_error *err)
{
    tp_status status = check_joint(simd_state(device), ask->joint, err);

    return status == TP_OK ? go(device, (uint32_t)ask->joint, (double)ask->position, err) : status;
}

static tp_status cmd_speed(tp_device *device, const tp_actarray_speed_cmd *ask, tp_error *err)
{
    tp_status status = check_joint(simd_state(device), ask->joint, err);

    return status == TP_OK ? turn(device, (uint32_t)ask->joint, (double)ask->speed, err) : status;
}

/* All of them are checked before the first one moves. */
static tp_status check_all(const struct arm *arm, const float *values, uint32_t count,
                           tp_error *err)
{
    if (count > arm->count) {
        return tp_fail(err, TP_E_RANGE, "%u values for %u actuators", count, arm->count);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            return tp_fail(err, TP_E_RANGE, "value %u is not a number", i);
        }
    }
    return TP_OK;
}

static tp_status cmd_multi_pos(tp_device *device, const tp_actarray_multi_position_cmd *ask,
                               tp_error *err)
{
    tp_status status = check_all(simd_state(device), ask->positions, ask->positions_count, err);

    for (uint32_t i = 0; status == TP_OK && i < ask->positions_count; i++) {
        status = go(device, i, (double)ask->positions[i], err);
    }
    return status;
}

static tp_status cmd_multi_speed(tp_device *device, const tp_actarray_multi_speed_cmd *ask,
                                 tp_error *err)
{
    tp_status status = check_all(simd_state(device), ask->speeds, ask->speeds_count, err);

    for (uint32_t i = 0; status == TP_OK && i < ask->speeds_count; i++) {
        status = turn(device, i, (double)ask->speeds[i], err);
    }
    return status;
}

static tp_status cmd_home(tp_device *device, const tp_actarray_home_cmd *ask, tp_error *err)
{
    const struct arm *arm = simd_state(device);
    tp_status status = ask->joint == -1 ? TP_OK : check_joint(arm, ask->joint, err);

    for (uint32_t i = 0; status == TP_OK && i < arm->count; i++) {
        tpi_sim_actuator joint;
        if (ask->joint == -1 || (uint32_t)ask->joint == i) {
            status =
                tpi_sim_get_actuator(simd_of(device)->owner->world, arm->joints[i], &joint, err);
            status = status == TP_OK ? go(device, i, joint.start, err) : status;
        }
    }
    return status;
}

static tp_status arm_power(tp_device *device, const tp_actarray_power_config *ask, tp_error *err)
{
    (void)err;
    ((struct arm *)simd_state(device))->off = ask->value == 0;
    if (ask->value == 0) {
        arm_halt(simd_of(device));
    }
    return TP_OK;
}

static tp_status arm_speed(tp_device *device, const tp_actarray_speed_config *ask, tp_error *err)
{
    struct arm *arm = simd_state(device);
    tpi_sim_actuator joint = {0};
    tp_status status = check_joint(arm, ask->joint, err);

    if (status == TP_OK && !(ask->speed > 0 && isfinite(ask->speed))) {
        return tp_fail(err, TP_E_RANGE, "speed %g is not above 0", (double)ask->speed);
    }
    status = status == TP_OK ? tpi_sim_get_actuator(simd_of(device)->owner->world,
                                                    arm->joints[ask->joint], &joint, err)
                             : status;
    if (status == TP_OK && ask->speed > (float)joint.fastest) {
        return tp_fail(err, TP_E_RANGE, "speed %g is above %g, the max_speed of actuator %d",
                       (double)ask->speed, joint.fastest, ask->joint);
    }
    if (status == TP_OK) {
        arm->speeds[ask->joint] = (double)ask->speed;
    }
    return status;
}

static const tp_actarray_ops arm_ops = {
    .req_power = arm_power,
    .req_get_geom = arm_geom,
    .req_speed = arm_speed,
    .cmd_pos = cmd_pos,
    .cmd_multi_pos = cmd_multi_pos,
    .cmd_speed = cmd_speed,
    .cmd_multi_speed = cmd_multi_speed,
    .cmd_home = cmd_home,
};

const simd_kind tpi_simd_arms[] = {
    {
        .interface = &tp_interface_actarray,
        .ops = &arm_ops,
        .models = SIMD_MODEL(ACTUATOR),
        .state_size = sizeof(struct arm),
        .suits = arm_suits,
        .begin = arm_begin,
        .subscribe = arm_subscribe,
        .publish = arm_publish,
        .halt = arm_halt,
        .returned = arm_return,
    },
    {0},
};
