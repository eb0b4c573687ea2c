/* arms.c - actarray: joints in a row. */
#include <math.h>

#include "fake.h"
#include "troupe/interfaces/actarray.h"

enum { JOINTS = 6 };

static const double most_angle = 2.6;
static const double usual_radps = 0.5;
static const double radps_per_ampere = 0.5;

struct joint {
    double position;
    double speed;      /* now */
    double wanted;     /* the speed that it is to reach; 0 at rest */
    double accel;      /* with which it reaches it; 0 for at once */
    double next_accel; /* that of later movements */
    double goal;       /* while going */
    double current;    /* that it is driven with */
    float config_speed;
    bool going;
};

struct actarray {
    struct joint joints[JOINTS];
    bool braked;
    tp_actarray_actuator data[JOINTS];
    tp_actarray_actuatorgeom geom[JOINTS];
};

static void joint_stop(struct joint *joint)
{
    joint->going = false;
    joint->speed = 0;
    joint->wanted = 0;
    joint->current = 0;
}

static void actarray_halt(fake_device *d)
{
    struct actarray *a = d->state;

    for (size_t i = 0; i < JOINTS; i++) {
        joint_stop(&a->joints[i]);
    }
}

static tp_status actarray_begin(fake_device *d, tp_error *err)
{
    struct actarray *a = d->state;

    (void)err;
    for (size_t i = 0; i < JOINTS; i++) {
        a->joints[i].config_speed = (float)usual_radps;
    }
    return TP_OK;
}

/* It comes up to its speed; returns how far it gets meanwhile and then. */
static double joint_way(struct joint *joint, double dt_s)
{
    const double missing = fabs(joint->wanted - joint->speed);
    const double needed_s = joint->accel > 0 ? missing / joint->accel : 0;
    const double before = fabs(joint->speed);

    if (needed_s <= dt_s) {
        joint->speed = joint->wanted;
        return (before + fabs(joint->wanted)) / 2 * needed_s +
               fabs(joint->wanted) * (dt_s - needed_s);
    }
    joint->speed += copysign(joint->accel * dt_s, joint->wanted);
    return (before + fabs(joint->speed)) / 2 * dt_s;
}

static void joint_advance(struct joint *joint, double dt_s)
{
    const double end = joint->going ? joint->goal : copysign(most_angle, joint->wanted);

    if (joint->wanted == 0) {
        return;
    }
    joint->position = tpi_fake_approach(joint->position, end, joint_way(joint, dt_s));
    if (joint->position == end) {
        joint_stop(joint);
    }
}

static void actarray_advance(fake_device *d, double dt_s)
{
    struct actarray *a = d->state;

    for (size_t i = 0; i < JOINTS; i++) {
        joint_advance(&a->joints[i], dt_s);
    }
}

static void actarray_publish(fake_device *d)
{
    struct actarray *a = d->state;
    const uint8_t resting = a->braked ? TP_ACTARRAY_ACTSTATE_BRAKED : TP_ACTARRAY_ACTSTATE_IDLE;

    for (size_t i = 0; i < JOINTS; i++) {
        const struct joint *joint = &a->joints[i];
        const bool moves = joint->wanted != 0;
        const bool faster = moves && joint->accel > 0 && joint->speed != joint->wanted;
        a->data[i] = (tp_actarray_actuator){
            .position = (float)joint->position,
            .speed = (float)joint->speed,
            .acceleration = faster ? (float)copysign(joint->accel, joint->wanted) : 0,
            .current = (float)(joint->current != 0 ? joint->current
                               : moves             ? 0.8
                                                   : 0.1),
            .state = moves ? TP_ACTARRAY_ACTSTATE_MOVING : resting,
        };
    }
    const tp_actarray_data data = {
        .actuators_count = JOINTS, .actuators = a->data, .motor_state = !d->off};
    tp_publish(d->device, TP_ACTARRAY_DATA_STATE, &data, 0);
}

static tp_status actarray_get_geom(tp_device *device, tp_actarray_geom *answer, tp_error *err)
{
    struct actarray *a = fake_state(device);
    const tp_pose3d base = tpi_fake_pose(fake_of(device));

    (void)err;
    for (size_t i = 0; i < JOINTS; i++) {
        a->geom[i] = (tp_actarray_actuatorgeom){
            .type = TP_ACTARRAY_TYPE_ROTARY,
            .length = i + 1 < JOINTS ? 0.2f : 0.05f,
            .axis = {.py = i % 3 == 0 ? 0 : 1, .pz = i % 3 == 0 ? 1 : 0},
            .min = (float)-most_angle,
            .max = (float)most_angle,
            .config_speed = a->joints[i].config_speed,
            .hasbrakes = 1,
        };
    }
    answer->actuators = a->geom;
    answer->actuators_count = JOINTS;
    answer->base_pos = (tp_point_3d){base.px, base.py, base.pz};
    answer->base_orientation = (tp_orientation_3d){base.proll, base.ppitch, base.pyaw};
    return TP_OK;
}

static tp_status check_joint(int32_t joint, bool all, tp_error *err)
{
    return joint >= (all ? -1 : 0) && joint < JOINTS
               ? TP_OK
               : tp_fail(err, TP_E_RANGE, "there is no actuator %d", joint);
}

/* From rest, so that without an acceleration it has its speed at once. */
static void joint_set_speed(struct joint *joint, double speed)
{
    joint->wanted = speed;
    joint->accel = joint->next_accel;
    joint->speed = joint->accel > 0 ? 0 : speed;
}

/* What one joint does, if nothing holds it. */
static void joint_go_to(tp_device *device, uint32_t i, double goal)
{
    struct actarray *a = fake_state(device);
    struct joint *joint = &a->joints[i];

    joint_stop(joint);
    if (fake_of(device)->off || a->braked) {
        return;
    }
    joint->goal = fmax(-most_angle, fmin(most_angle, goal));
    joint->going = joint->goal != joint->position;
    joint_set_speed(
        joint,
        joint->going ? copysign((double)joint->config_speed, joint->goal - joint->position) : 0);
}

static void joint_run(tp_device *device, uint32_t i, double speed, double current)
{
    struct actarray *a = fake_state(device);

    joint_stop(&a->joints[i]);
    if (!fake_of(device)->off && !a->braked) {
        joint_set_speed(&a->joints[i], speed);
        a->joints[i].current = current;
    }
}

static tp_status cmd_pos(tp_device *device, const tp_actarray_position_cmd *ask, tp_error *err)
{
    tp_status status = check_joint(ask->joint, false, err);

    if (status == TP_OK) {
        joint_go_to(device, (uint32_t)ask->joint, (double)ask->position);
    }
    return status;
}

static tp_status check_count(uint32_t count, tp_error *err)
{
    return count <= JOINTS ? TP_OK
                           : tp_fail(err, TP_E_RANGE, "%u values for %d actuators", count, JOINTS);
}

static tp_status cmd_multi_pos(tp_device *device, const tp_actarray_multi_position_cmd *ask,
                               tp_error *err)
{
    tp_status status = check_count(ask->positions_count, err);

    for (uint32_t i = 0; status == TP_OK && i < ask->positions_count; i++) {
        joint_go_to(device, i, (double)ask->positions[i]);
    }
    return status;
}

static tp_status cmd_speed(tp_device *device, const tp_actarray_speed_cmd *ask, tp_error *err)
{
    tp_status status = check_joint(ask->joint, false, err);

    if (status == TP_OK) {
        joint_run(device, (uint32_t)ask->joint, (double)ask->speed, 0);
    }
    return status;
}

static tp_status cmd_multi_speed(tp_device *device, const tp_actarray_multi_speed_cmd *ask,
                                 tp_error *err)
{
    tp_status status = check_count(ask->speeds_count, err);

    for (uint32_t i = 0; status == TP_OK && i < ask->speeds_count; i++) {
        joint_run(device, i, (double)ask->speeds[i], 0);
    }
    return status;
}

static tp_status cmd_home(tp_device *device, const tp_actarray_home_cmd *ask, tp_error *err)
{
    tp_status status = check_joint(ask->joint, true, err);

    for (int32_t i = 0; status == TP_OK && i < JOINTS; i++) {
        if (ask->joint == -1 || ask->joint == i) {
            joint_go_to(device, (uint32_t)i, 0);
        }
    }
    return status;
}

static tp_status cmd_current(tp_device *device, const tp_actarray_current_cmd *ask, tp_error *err)
{
    const double current = (double)ask->current;
    tp_status status = check_joint(ask->joint, true, err);

    for (int32_t i = 0; status == TP_OK && i < JOINTS; i++) {
        if (ask->joint == -1 || ask->joint == i) {
            joint_run(device, (uint32_t)i, current * radps_per_ampere, current);
        }
    }
    return status;
}

static tp_status cmd_multi_current(tp_device *device, const tp_actarray_multi_current_cmd *ask,
                                   tp_error *err)
{
    tp_status status = check_count(ask->currents_count, err);

    for (uint32_t i = 0; status == TP_OK && i < ask->currents_count; i++) {
        const double current = (double)ask->currents[i];
        joint_run(device, i, current * radps_per_ampere, current);
    }
    return status;
}

static tp_status actarray_brakes(tp_device *device, const tp_actarray_brakes_config *ask,
                                 tp_error *err)
{
    struct actarray *a = fake_state(device);

    (void)err;
    actarray_halt(fake_of(device));
    a->braked = ask->value != 0;
    return TP_OK;
}

static tp_status actarray_set_speed(tp_device *device, const tp_actarray_speed_config *ask,
                                    tp_error *err)
{
    struct actarray *a = fake_state(device);
    tp_status status = check_joint(ask->joint, false, err);

    if (status == TP_OK && !(ask->speed > 0)) {
        return tp_fail(err, TP_E_RANGE, "speed %g is not above 0", (double)ask->speed);
    }
    if (status == TP_OK) {
        a->joints[ask->joint].config_speed = ask->speed;
    }
    return status;
}

/* Of later movements, as SPEED is. */
static tp_status actarray_set_accel(tp_device *device, const tp_actarray_accel_config *ask,
                                    tp_error *err)
{
    struct actarray *a = fake_state(device);
    tp_status status = check_joint(ask->joint, false, err);

    if (status == TP_OK && !(ask->accel > 0)) {
        return tp_fail(err, TP_E_RANGE, "acceleration %g is not above 0", (double)ask->accel);
    }
    if (status == TP_OK) {
        a->joints[ask->joint].next_accel = (double)ask->accel;
    }
    return status;
}

static const tp_actarray_ops actarray_ops = {
    .req_brakes = actarray_brakes,
    .req_get_geom = actarray_get_geom,
    .req_speed = actarray_set_speed,
    .req_accel = actarray_set_accel,
    .cmd_pos = cmd_pos,
    .cmd_multi_pos = cmd_multi_pos,
    .cmd_speed = cmd_speed,
    .cmd_multi_speed = cmd_multi_speed,
    .cmd_home = cmd_home,
    .cmd_current = cmd_current,
    .cmd_multi_current = cmd_multi_current,
};

const fake_kind tpi_fake_arms[] = {
    {
        .interface = &tp_interface_actarray,
        .ops = &actarray_ops,
        .state_size = sizeof(struct actarray),
        .size = {.sw = 0.2, .sl = 1.05, .sh = 0.2},
        .begin = actarray_begin,
        .advance = actarray_advance,
        .publish = actarray_publish,
        .halt = actarray_halt,
    },
    {0},
};
