/* vehicles.c - position2d and localize: where a robot believes to be, and where it is. */
#include <math.h>

#include "control.h"
#include "profile.h"
#include "simulator.h"
#include "troupe/interfaces/localize.h"
#include "troupe/interfaces/position2d.h"
#include "tuning.h"

/* ---- position2d ------------------------------------------------------------------------------ */

struct vehicle {
    bool off;           /* its motors have no power */
    tp_halt_reason why; /* it was stopped for good: asked to, or for silence; else unasked */
    tpi_control control;
    simd_tuning tuning;
    /* The last command, and the step that carries it out. */
    tpi_sim_drive_mode mode;
    double goal[3];
    uint64_t step;
};

static const tp_property_plan driven = {
    .key = "driven",
    .type = TP_PROPERTY_DOUBLE,
    .unit = "m",
    .doc = "Counter: how far it has driven.",
};
static const tp_property_plan turned = {
    .key = "turned",
    .type = TP_PROPERTY_DOUBLE,
    .unit = "rad",
    .doc = "Counter: how far it has turned, in both directions.",
};

static const tp_property_plan superseded = {
    .key = "superseded",
    .type = TP_PROPERTY_DOUBLE,
    .unit = "",
    .doc = "Counter: commands that moved nothing, since another one came before the next step.",
};

static tp_status vehicle_begin(simd_device *d, tp_error *err)
{
    tp_status status = tp_device_add_counter(d->device, &driven, err);

    status = status == TP_OK ? tp_device_add_counter(d->device, &turned, err) : status;
    return status == TP_OK ? tp_device_add_counter(d->device, &superseded, err) : status;
}

/* The last command before a step counts, so that a stop is never kept waiting. One that another one
 * has replaced is counted, unless both mean the same. */
static void note_command(simd_device *d, tpi_sim_drive_mode mode, const double goal[3])
{
    struct vehicle *v = d->state;
    const uint64_t next = (uint64_t)d->owner->step_count + 1;
    const bool same =
        v->mode == mode && v->goal[0] == goal[0] && v->goal[1] == goal[1] && v->goal[2] == goal[2];

    if (v->step == next && !same) {
        tp_device_count(d->device, superseded.key, 1);
    }
    v->mode = mode;
    v->step = next;
    for (int i = 0; i < 3; i++) {
        v->goal[i] = goal[i];
    }
}

/* By its velocity in the last step: poses also jump, when somebody sets them. */
static void count_way(simd_device *d)
{
    const double step_s = (double)tpi_sim_interval_us(d->owner->world) / 1e6;
    tpi_sim_motion motion;

    if (tpi_sim_get_motion(d->owner->world, d->model, &motion, NULL) == TP_OK) {
        tp_device_count(d->device, driven.key,
                        hypot(motion.velocity[0], motion.velocity[1]) * step_s);
        tp_device_count(d->device, turned.key, fabs(motion.velocity[2]) * step_s);
    }
}

/* It stands still; what leads it stays the same. */
static void end_motion(simd_device *d)
{
    struct vehicle *v = d->state;

    tpi_simd_tuning_end(&v->tuning);
    tpi_sim_stop(d->owner->world, d->model);
}

/* Nobody moves it, not even a controller of the world. */
static void stop(simd_device *d)
{
    end_motion(d);
    tpi_sim_lead(d->owner->world, d->model, true);
}

/* From now on a controller of the world moves it, if it has one. */
static void release(simd_device *d)
{
    struct vehicle *v = d->state;

    v->why = TP_HALT_UNASKED;
    tpi_simd_tuning_end(&v->tuning);
    if (!v->off) {
        tpi_sim_lead(d->owner->world, d->model, false);
    }
}

/* A controller continues when the client that moved the robot has left. What was stopped for
 * another reason stands until somebody moves it, or switches its motors on. A panic is about all
 * robots (steps.c). */
static void vehicle_halt(simd_device *d)
{
    const tp_halt_reason reason = tp_instance_halt_reason(d->owner->instance);
    struct vehicle *v = d->state;

    end_motion(d);
    if (reason == TP_HALT_LEFT && v->why != TP_HALT_ASKED) {
        release(d);
    } else if (reason == TP_HALT_ASKED || (reason == TP_HALT_SILENT && v->why != TP_HALT_ASKED)) {
        v->why = reason;
        stop(d);
    }
}

/* The client that moved it and was silent since has closed it. */
static void vehicle_subscribe(simd_device *d, bool subscribed)
{
    const struct vehicle *v = d->state;

    if (!subscribed && v->why != TP_HALT_ASKED) {
        release(d);
    }
}

/* The world has gone back, to commands of people who may have gone, and knows of no motors that are
 * off. */
static void vehicle_return(simd_device *d)
{
    struct vehicle *v = d->state;

    tpi_simd_tuning_end(&v->tuning);
    if (v->off || v->why != TP_HALT_UNASKED) {
        stop(d);
    } else if (!d->read) {
        release(d);
    }
}

static void vehicle_show(simd_device *d)
{
    tpi_sim_motion motion;

    if (tpi_sim_get_motion(d->owner->world, d->model, &motion, NULL) != TP_OK) {
        return;
    }
    const tp_position2d_data data = {
        .pos = {motion.estimate[0], motion.estimate[1], motion.estimate[2]},
        .vel = {motion.velocity[0], motion.velocity[1], motion.velocity[2]},
        .stall = motion.stalled,
    };
    tp_publish(d->device, TP_POSITION2D_DATA_STATE, &data, tpi_simd_time_s(d->owner));
}

static void vehicle_publish(simd_device *d)
{
    struct vehicle *v = d->state;

    count_way(d);
    tpi_simd_tuning_step(&v->tuning, d);
    if (tpi_simd_is_due(d)) {
        vehicle_show(d);
    }
}

static double limit(double value, double most)
{
    return most > 0 && isfinite(value) ? fmax(-most, fmin(most, value)) : value;
}

/* At a speed of 0 it still turns to a heading. */
static tpi_control control_of(tpi_sim_drive_mode mode, const double goal[3])
{
    if (mode == TPI_SIM_DRIVE_POSITION) {
        return TPI_CONTROL_POSITION;
    }
    return mode == TPI_SIM_DRIVE_HEADING ? TPI_CONTROL_SPEED : tpi_control_of_speeds(goal, 3);
}

static const double as_usual[2] = {0, 0};

/* `names` are those of the three values, in messages. `way` is the speed and the rate of turn on
 * the way to a pose. */
static tp_status command(tp_device *device, tpi_sim_drive_mode mode, const char *const names[3],
                         const double goal[3], const double way[2], tp_error *err)
{
    simd_device *d = simd_of(device);
    struct vehicle *v = d->state;

    for (int i = 0; i < 3; i++) {
        if (!isfinite(goal[i])) {
            return tp_fail(err, TP_E_RANGE, "%s is %g, which is no number to move by", names[i],
                           goal[i]);
        }
    }
    if (!isfinite(way[0]) || !isfinite(way[1])) {
        return tp_fail(err, TP_E_RANGE, "vel is %g m/s and %g rad/s, which is no speed to move at",
                       way[0], way[1]);
    }
    tp_status status = tpi_control_check(v->control, control_of(mode, goal), "vehicle", err);
    if (status != TP_OK || v->off) { /* without power it hears and does not move, as a real one */
        return status;
    }
    status = tpi_sim_drive(d->owner->world, d->model, mode, goal, err);
    status =
        status == TP_OK ? tpi_sim_drive_at(d->owner->world, d->model, way[0], way[1], err) : status;
    if (status != TP_OK) {
        return status;
    }
    note_command(d, mode, goal);
    v->why = TP_HALT_UNASKED;
    if (tpi_simd_tuning_drives(&v->tuning, mode)) {
        tpi_simd_tuning_begin(&v->tuning, mode, goal, way);
        tpi_simd_tuning_step(&v->tuning, d);
    } else {
        tpi_simd_tuning_end(&v->tuning);
    }
    return TP_OK;
}

static tp_status cmd_vel(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    const simd_profile *profile = simd_of(device)->profile;
    static const char *const names[3] = {"vel.px", "vel.py", "vel.pa"};
    double goal[3] = {ask->vel.px, ask->vel.py, ask->vel.pa};

    if (profile != NULL) {
        goal[0] = limit(goal[0], profile->forward_mps);
        goal[1] = profile->no_sideways && isfinite(goal[1]) ? 0 : goal[1];
        goal[2] = limit(goal[2], profile->turn_radps);
    }
    return command(device, TPI_SIM_DRIVE_VELOCITY, names, goal, as_usual, err);
}

static tp_status cmd_pos(tp_device *device, const tp_position2d_cmd_pos *ask, tp_error *err)
{
    static const char *const names[3] = {"pos.px", "pos.py", "pos.pa"};
    const double goal[3] = {ask->pos.px, ask->pos.py, ask->pos.pa};
    const simd_profile *profile = simd_of(device)->profile;
    const double way[2] = {
        limit(hypot(ask->vel.px, ask->vel.py), profile != NULL ? profile->forward_mps : 0),
        fabs(ask->vel.pa)};

    return command(device, TPI_SIM_DRIVE_POSITION, names, goal, way, err);
}

/* Of a model that is no car the angle is a rate of turn, as in Stage. No product is one. */
static tp_status cmd_car(tp_device *device, const tp_position2d_cmd_car *ask, tp_error *err)
{
    const simd_profile *profile = simd_of(device)->profile;
    static const char *const names[3] = {"velocity", "", "angle"};
    const double goal[3] = {limit(ask->velocity, profile != NULL ? profile->forward_mps : 0), 0,
                            limit(ask->angle, profile != NULL ? profile->turn_radps : 0)};

    return command(device, TPI_SIM_DRIVE_VELOCITY, names, goal, as_usual, err);
}

/* Odometry says where it looks; it turns as fast as it may, on the way. */
static tp_status cmd_vel_head(tp_device *device, const tp_position2d_cmd_vel_head *ask,
                              tp_error *err)
{
    const simd_profile *profile = simd_of(device)->profile;
    static const char *const names[3] = {"velocity", "", "angle"};
    const double goal[3] = {limit(ask->velocity, profile != NULL ? profile->forward_mps : 0), 0,
                            ask->angle};

    return command(device, TPI_SIM_DRIVE_HEADING, names, goal, as_usual, err);
}

static tp_status get_geom(tp_device *device, tp_position2d_geom *answer, tp_error *err)
{
    tpi_sim_info info;

    (void)err;
    tpi_simd_info(simd_of(device), &info);
    answer->pose = tpi_simd_pose3d(&info.origin);
    answer->size = tpi_simd_bbox3d(info.size);
    return TP_OK;
}

static tp_status motor_power(tp_device *device, const tp_position2d_power_config *ask,
                             tp_error *err)
{
    simd_device *d = simd_of(device);
    struct vehicle *v = d->state;
    const bool stands = v->off || v->why != TP_HALT_UNASKED;

    (void)err;
    v->off = ask->state == 0;
    if (v->off) {
        stop(d);
    } else if (stands) { /* else somebody may be moving it */
        release(d);
    }
    return TP_OK;
}

/* Until a client has chosen, the command itself says what is controlled. */
static tp_status position_mode(tp_device *device, const tp_position2d_position_mode_req *ask,
                               tp_error *err)
{
    simd_device *d = simd_of(device);
    struct vehicle *v = d->state;
    const tpi_control control = ask->state != 0 ? TPI_CONTROL_POSITION : TPI_CONTROL_SPEED;
    const bool to_a_pose = v->mode == TPI_SIM_DRIVE_POSITION;

    (void)err;
    if (to_a_pose != (control == TPI_CONTROL_POSITION)) { /* the other controller lets go */
        end_motion(d);
    }
    v->control = control;
    return TP_OK;
}

static tp_status velocity_mode(tp_device *device, const tp_position2d_velocity_mode_config *ask,
                               tp_error *err)
{
    (void)device;
    return ask->value == 0 ? TP_OK
                           : tp_fail(err, TP_E_RANGE,
                                     "there is no velocity mode %u: 0, direct control, is the only "
                                     "one",
                                     ask->value);
}

static tp_status set_odom(tp_device *device, const tp_position2d_set_odom_req *ask, tp_error *err)
{
    const simd_device *d = simd_of(device);
    const double pose[3] = {ask->pose.px, ask->pose.py, ask->pose.pa};

    return tpi_sim_set_odometry(d->owner->world, d->model, pose, err);
}

static tp_status reset_odom(tp_device *device, tp_error *err)
{
    const tp_position2d_set_odom_req zero = {0};

    return set_odom(device, &zero, err);
}

/* ---- Extensions: of robots that have them ---------------------------------------------------- */

static tp_status check_extension(tp_device *device, const char *name, tp_error *err)
{
    const simd_profile *profile = simd_of(device)->profile;

    return profile != NULL && profile->has_pid
               ? TP_OK
               : tp_fail(err, TP_E_UNSUPPORTED, "%s is not supported", name);
}

static tp_status set_gains(simd_gains *gains, const float values[3], tp_error *err)
{
    for (int i = 0; i < 3; i++) {
        if (!isfinite(values[i]) || values[i] < 0) {
            return tp_fail(err, TP_E_RANGE, "a gain of %g makes no sense", (double)values[i]);
        }
    }
    *gains = (simd_gains){(double)values[0], (double)values[1], (double)values[2]};
    return TP_OK;
}

/* What moves under the old gains stops, so that no command continues under others than its own. */
static tp_status speed_pid(tp_device *device, const tp_position2d_speed_pid_req *ask, tp_error *err)
{
    struct vehicle *v = simd_state(device);
    const float gains[3] = {ask->kp, ask->ki, ask->kd};
    tp_status status = check_extension(device, "SPEED_PID", err);

    status = status == TP_OK ? set_gains(&v->tuning.speed, gains, err) : status;
    if (status == TP_OK && v->tuning.goal == SIMD_GOAL_SPEED) {
        end_motion(simd_of(device));
    }
    return status;
}

static tp_status position_pid(tp_device *device, const tp_position2d_position_pid_req *ask,
                              tp_error *err)
{
    struct vehicle *v = simd_state(device);
    const float gains[3] = {ask->kp, ask->ki, ask->kd};
    tp_status status = check_extension(device, "POSITION_PID", err);

    status = status == TP_OK ? set_gains(&v->tuning.position, gains, err) : status;
    if (status == TP_OK && v->tuning.goal == SIMD_GOAL_POSE) {
        end_motion(simd_of(device));
    }
    return status;
}

static tp_status speed_prof(tp_device *device, const tp_position2d_speed_prof_req *ask,
                            tp_error *err)
{
    struct vehicle *v = simd_state(device);
    tp_status status = check_extension(device, "SPEED_PROF", err);

    if (status == TP_OK &&
        !(ask->speed >= 0 && ask->acc >= 0 && isfinite(ask->speed) && isfinite(ask->acc))) {
        return tp_fail(err, TP_E_RANGE, "a speed of %g and an acceleration of %g make no limits",
                       (double)ask->speed, (double)ask->acc);
    }
    if (status == TP_OK) {
        v->tuning.most_mps = (double)ask->speed;
        v->tuning.most_mps2 = (double)ask->acc;
    }
    return status;
}

static const tp_position2d_ops vehicle_ops = {
    .req_get_geom = get_geom,
    .req_motor_power = motor_power,
    .req_velocity_mode = velocity_mode,
    .req_position_mode = position_mode,
    .req_set_odom = set_odom,
    .req_reset_odom = reset_odom,
    .req_speed_pid = speed_pid,
    .req_position_pid = position_pid,
    .req_speed_prof = speed_prof,
    .cmd_vel = cmd_vel,
    .cmd_pos = cmd_pos,
    .cmd_car = cmd_car,
    .cmd_vel_head = cmd_vel_head,
};

/* ---- localize: the truth --------------------------------------------------------------------- */

static tp_pose2d true_pose(const simd_device *d)
{
    const tpi_sim_pose pose = tpi_sim_global_pose(d->owner->world, d->model);

    return (tp_pose2d){pose.x, pose.y, pose.a};
}

static void localize_show(simd_device *d)
{
    tp_localize_hypoth truth = {.mean = true_pose(d), .alpha = 1};
    const tp_localize_data data = {
        .pending_time = tpi_simd_time_s(d->owner), .hypoths_count = 1, .hypoths = &truth};
    tp_publish(d->device, TP_LOCALIZE_DATA_HYPOTHS, &data, tpi_simd_time_s(d->owner));
}

static void localize_publish(simd_device *d)
{
    if (tpi_simd_is_due(d)) {
        localize_show(d);
    }
}

/* There is no belief to start afresh. */
static tp_status localize_set_pose(tp_device *device, const tp_localize_set_pose *ask,
                                   tp_error *err)
{
    (void)device;
    (void)ask;
    return tp_fail(err, TP_E_UNSUPPORTED, "the pose is the true one and cannot be set");
}

struct truth {
    tp_localize_particle particle; /* room for an answer */
};

static tp_status get_particles(tp_device *device, tp_localize_get_particles *answer, tp_error *err)
{
    struct truth *room = simd_state(device);

    (void)err;
    room->particle = (tp_localize_particle){.pose = true_pose(simd_of(device)), .alpha = 1};
    answer->mean = room->particle.pose;
    answer->particles_count = 1;
    answer->particles = &room->particle;
    return TP_OK;
}

static const tp_localize_ops localize_ops = {
    .req_set_pose = localize_set_pose,
    .req_get_particles = get_particles,
};

const simd_kind tpi_simd_vehicles[] = {
    {
        .interface = &tp_interface_position2d,
        .ops = &vehicle_ops,
        .models = SIMD_MODEL(POSITION),
        .follows = true,
        .state_size = sizeof(struct vehicle),
        .begin = vehicle_begin,
        .subscribe = vehicle_subscribe,
        .publish = vehicle_publish,
        .show = vehicle_show,
        .halt = vehicle_halt,
        .returned = vehicle_return,
    },
    {
        .interface = &tp_interface_localize,
        .ops = &localize_ops,
        .models = SIMD_MODEL(POSITION) | SIMD_MODEL(AIRCRAFT),
        .passive = true,
        .state_size = sizeof(struct truth),
        .publish = localize_publish,
        .show = localize_show,
    },
    {0},
};
